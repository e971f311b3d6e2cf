// Objects of Swift that are in use, and with "leaky" as many rings that nothing leads to any more, of each
// kind `copies`. Says "ready", and waits until its input ends.
//
// usage: planted leaky|clean
#if canImport(Glibc)
import Glibc
#endif

let copies = 5

// ---- Rings that people make ----

final class Screen {
    var onDone: (() -> Void)?
    var title = "a title that does not fit into two words"
    func bind() {
        onDone = { self.title += "!" }
    }
}

final class Parent {
    var children: [Child] = []
}

final class Child {
    var parent: Parent?
}

final class Cache<Key> {
    var key: Key
    var me: Cache<Key>?
    init(_ key: Key) {
        self.key = key
    }
}

// What its closure captured stands in a context of its own.
final class Player {
    var onEnd: (() -> Void)?
    var plays = 0
    func bind(_ log: Log) {
        onEnd = {
            self.plays += 1
            log.lines += 1
        }
    }
}

final class Log {
    var lines = 0
}

// No ring: what leads back owns nothing.
final class Owner {
    var pet: Pet?
}

final class Pet {
    unowned let owner: Owner
    unowned(unsafe) let same: Owner
    weak var again: Owner?
    init(_ owner: Owner) {
        self.owner = owner
        same = owner
        again = owner
    }
}

// A local variable alone holds it. Its closure leads back, and does not own it.
final class Local {
    var onDone: (() -> Void)?
    var plays = 0
    func bind() {
        onDone = { [unowned self] in
            self.plays += 1
        }
    }
}

// ---- What only looks lost: words of enums have their cases in bits that no address has ----

final class Leaf {
    var value = 1
}

enum Payload {
    case first(Leaf), second(Leaf), third(Leaf), none
}

indirect enum Tree {
    case leaf(Leaf), node(Tree, Tree)
}

final class Holder {
    var payloads: [Payload] = []
    var tree: Tree = .leaf(Leaf())
    weak var screen: Screen?
    unowned var dead: Ghost
    init(dead: Ghost) {
        self.dead = dead
    }
}

// Dies, and leaves its memory to the unowned reference.
final class Ghost {
    var kept = Leaf()
}

// ---- ----

struct Kept {
    var screen: Screen?
    var parent: Parent?
    var cache: Cache<Int>?
    var player: Player?
    var owner: Owner?
}

var kept: [Kept] = []
var holders: [Holder] = []

@inline(never) func make() -> Kept {
    let screen = Screen()
    screen.bind()
    let parent = Parent()
    let child = Child()
    child.parent = parent
    parent.children.append(child)
    let cache = Cache(7)
    cache.me = cache
    let player = Player()
    player.bind(Log())
    let owner = Owner()
    owner.pet = Pet(owner)
    return Kept(screen: screen, parent: parent, cache: cache, player: player, owner: owner)
}

@inline(never) func undo(_ each: Kept) {
    each.screen?.onDone = nil
    each.parent?.children = []
    each.cache?.me = nil
    each.player?.onEnd = nil
}

@inline(never) func letGo(undone: Bool) {
    for each in kept where undone {
        undo(each)
    }
    kept = []
}

@inline(never) func hold() {
    kept.append(make())
}

@inline(never) func holdInEnums(_ screen: Screen?) {
    var ghost: Ghost? = Ghost()
    let holder = Holder(dead: ghost!)
    ghost = nil
    holder.payloads = [.first(Leaf()), .second(Leaf()), .third(Leaf()), .none]
    holder.tree = .node(.leaf(Leaf()), .node(.leaf(Leaf()), .leaf(Leaf())))
    holder.screen = screen
    holders.append(holder)
}

// Where words of the functions above may be.
@inline(never) func scrub() {
    withUnsafeTemporaryAllocation(byteCount: 1 << 15, alignment: 8) { room in
        for i in 0..<room.count {
            room[i] = 0
        }
    }
}

func run() {
    for _ in 0..<copies {
        hold()
    }
    letGo(undone: CommandLine.arguments.last == "clean")
    for _ in 0..<copies {
        hold()
        holdInEnums(kept.last?.screen)
    }
    let local = Local()
    local.bind()
    scrub()
    print("ready")
    fflush(stdout)
    while readLine() != nil {}
    local.onDone?()
}

run()
