// Forty ways to leak in Swift, and forty programs that do nearly the same and leak nothing. Each has a class of
// its own, by its number; the runtime itself counts which of their objects have died.
//
// usage: mistakes leaky|fixed. Says "ready", then the number of objects alive of each, and waits until its input ends.
#if canImport(Glibc)
import Glibc
#endif

let copies = 3
let count = 40
nonisolated(unsafe) var alive = [Int](repeating: 0, count: count + 1)
nonisolated(unsafe) var leaky = false

class Tracked {
    let number: Int
    init(_ number: Int) {
        self.number = number
        alive[number] += 1
    }
    deinit {
        alive[number] -= 1
    }
}

// ---- Closures ----

final class Screen1: Tracked {
    var onTap: (() -> Void)?
    var taps = 0
    func bind() {
        if leaky {
            onTap = { self.taps += 1 }
        } else {
            onTap = { [weak self] in self?.taps += 1 }
        }
    }
}

final class Screen2: Tracked {
    var onClose: (() -> Void)?
    var taps = 0
    func bind(title: String) {
        if leaky {
            onClose = { print(title, self.taps) }
        } else {
            onClose = { [weak self] in print(title, self?.taps ?? 0) }
        }
    }
}

final class Player3: Tracked {
    var onEnd: (() -> Void)?
    var onTick: (() -> Void)?
    var plays = 0
    func bind() {
        onEnd = { [weak self] in
            guard let self else { return }
            if leaky {
                self.onTick = { self.plays += 1 }
            } else {
                self.onTick = { [weak self] in self?.plays += 1 }
            }
        }
        onEnd?()
    }
}

final class Player4: Tracked {
    lazy var name: () -> String = { "player \(self.number)" }
    lazy var other: () -> String = { [unowned self] in "player \(self.number)" }
    func bind() {
        _ = leaky ? name() : other()
    }
}

final class Button5: Tracked {
    var action: (() -> Void)?
    func tapped() {}
    func bind() {
        action = leaky ? tapped : { [weak self] in self?.tapped() }
    }
}

final class Pair6: Tracked {
    var onStart: (() -> Void)?
    var onEnd: (() -> Void)?
    var turns = 0
    func bind() {
        onStart = { [weak self] in self?.turns += 1 }
        if leaky {
            onStart = { self.turns += 1 }
            onEnd = { self.turns -= 1 }
        }
    }
}

final class Counter7: Tracked {
    var onChange: (() -> Void)?
    func bind() {
        var total = 0
        var kept: Counter7? = leaky ? self : nil
        onChange = {
            total += 1
            if total > 1000 { kept = nil }
            print(kept?.number ?? 0)
        }
    }
}

final class Menu8: Tracked {
    var handlers: [String: () -> Void] = [:]
    var chosen = 0
    func bind() {
        if leaky {
            handlers["done"] = { self.chosen += 1 }
        } else {
            handlers["done"] = { [weak self] in self?.chosen += 1 }
        }
    }
}

final class Queue9: Tracked {
    var waiting: [() -> Void] = []
    var done = 0
    func bind(_ step: Int) {
        waiting.append { print(step) }
        if leaky {
            waiting.append { self.done += step }
        } else {
            waiting.append { [weak self] in self?.done += step }
        }
    }
}

struct Callbacks {
    var onDone: (() -> Void)?
    var name = "a name that does not fit into two words"
}

final class Loader10: Tracked {
    var callbacks = Callbacks()
    var loads = 0
    func bind() {
        if leaky {
            callbacks.onDone = { self.loads += 1 }
        } else {
            callbacks.onDone = { [weak self] in self?.loads += 1 }
        }
    }
}

enum Wait {
    case idle
    case waiting(() -> Void)
    case failed(Int)
}

final class Request11: Tracked {
    var state: Wait = .idle
    var tries = 0
    func bind() {
        if leaky {
            state = .waiting { self.tries += 1 }
        } else {
            state = .waiting { [weak self] in self?.tries += 1 }
        }
    }
}

final class Observable<Value> {
    var observers: [(Value) -> Void] = []
    func observe(_ observer: @escaping (Value) -> Void) {
        observers.append(observer)
    }
}

final class Model12: Tracked {
    let name = Observable<String>()
    var last = ""
    func bind() {
        if leaky {
            name.observe { self.last = $0 }
        } else {
            name.observe { [weak self] in self?.last = $0 }
        }
    }
}

final class Left13: Tracked {
    var onMove: (() -> Void)?
    var right: Right13?
    var moves = 0
}

final class Right13 {
    var onMove: (() -> Void)?
    var moves = 0
}

func bind13(_ left: Left13) {
    let right = Right13()
    left.onMove = { right.moves += 1 }
    if leaky {
        right.onMove = { left.moves += 1 }
    } else {
        right.onMove = { [weak left] in left?.moves += 1 }
    }
}

class Base14: Tracked {
    var completion: ((Int) -> Void)?
}

final class Detail14: Base14 {
    var seen = 0
    func bind() {
        if leaky {
            completion = { self.seen += $0 }
        } else {
            completion = { [weak self] in self?.seen += $0 }
        }
    }
}

final class Mixed15: Tracked {
    var action: (() -> Void)?
    var value = 1
    func bind(_ other: Tracked) {
        if leaky {
            action = { [weak other] in print(other?.number ?? 0, self.value) }
        } else {
            action = { [weak other, weak self] in print(other?.number ?? 0, self?.value ?? 0) }
        }
    }
}

// ---- Fields ----

protocol Delegate16: AnyObject {
    func done()
}

final class Download16 {
    var delegate: Delegate16?
    weak var weakDelegate: Delegate16?
}

final class Controller16: Tracked, Delegate16 {
    let download = Download16()
    func done() {}
    func bind() {
        if leaky {
            download.delegate = self
        } else {
            download.weakDelegate = self
        }
    }
}

final class Child17 {
    var parent: Parent17?
    weak var weakParent: Parent17?
}

final class Parent17: Tracked {
    var children: [Child17] = []
    func bind() {
        children = [Child17(), Child17()]
        if leaky {
            children[1].parent = self
        } else {
            children[1].weakParent = self
        }
    }
}

final class Item18: Tracked {
    var next: Item18?
    var previous: Item18?
    weak var weakPrevious: Item18?
    func bind() {
        let other = Item18(18)
        next = other
        if leaky {
            other.previous = self
        } else {
            other.weakPrevious = self
        }
    }
}

final class Me19: Tracked {
    var me: Me19?
    func bind() {
        me = leaky ? self : nil
    }
}

protocol Painter20 {
    func paint()
}

final class Brush20: Painter20 {
    var canvas: Canvas20?
    func paint() {}
}

final class Canvas20: Tracked {
    var painter: Painter20?
    func bind() {
        let brush = Brush20()
        brush.canvas = leaky ? self : nil
        painter = brush
    }
}

struct Style21 {
    var width = 1.5
    var owner: Shape21?
    weak var weakOwner: Shape21?
}

final class Shape21: Tracked {
    var style = Style21()
    func bind() {
        if leaky {
            style.owner = self
        } else {
            style.weakOwner = self
        }
    }
}

final class Player22: Tracked {
    var best: (score: Int, player: Player22?) = (0, nil)
    func bind() {
        best = (7, leaky ? self : nil)
    }
}

final class Bag23: Tracked {
    var anything: Any?
    func bind() {
        anything = leaky ? self : number
    }
}

enum State24 {
    case idle
    case running(Job24)
}

final class Job24: Tracked {
    var state = State24.idle
    func bind() {
        state = leaky ? .running(self) : .idle
    }
}

enum State25 {
    case none
    case first(Job25)
    case second(Job25)
    case number(Int)
}

final class Job25: Tracked {
    var state = State25.none
    func bind() {
        state = leaky ? .second(self) : .number(7)
    }
}

indirect enum Tree26 {
    case leaf
    case node(Node26, Tree26)
}

final class Node26: Tracked {
    var tree = Tree26.leaf
    func bind() {
        tree = leaky ? .node(self, .leaf) : .leaf
    }
}

enum Failure27: Error {
    case bad(Job27)
    case other
}

final class Job27: Tracked {
    var result: Result<Int, Failure27> = .success(1)
    func bind() {
        result = leaky ? .failure(.bad(self)) : .failure(.other)
    }
}

struct Problem28: Error {
    var code = 4
    var job: Job28?
}

final class Job28: Tracked {
    var error: Error?
    func bind() {
        error = Problem28(job: leaky ? self : nil)
    }
}

final class Twice29: Tracked {
    var me: Twice29??
    func bind() {
        me = .some(leaky ? self : nil)
    }
}

@propertyWrapper struct Logged<Value> {
    var wrappedValue: Value
    var changes = 0
}

final class Form30: Tracked {
    @Logged var owner: Form30?
    func bind() {
        owner = leaky ? self : nil
    }
}

// ---- Collections ----

final class Store31: Tracked {
    var byName: [String: Entry31] = [:]
    func bind() {
        byName = ["first": Entry31(), "second": Entry31()]
        byName["second"]?.store = leaky ? self : nil
    }
}

final class Entry31 {
    var store: Store31?
}

final class Member32: Hashable {
    var group: Group32?
    static func == (a: Member32, b: Member32) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

final class Group32: Tracked {
    var members: Set<Member32> = []
    func bind() {
        let member = Member32()
        member.group = leaky ? self : nil
        members = [member, Member32()]
    }
}

struct Row33 {
    var title: String
    var cell: Cell33?
}

final class Cell33 {
    var table: Table33?
}

final class Table33: Tracked {
    var rows: [Row33] = []
    func bind() {
        let cell = Cell33()
        cell.table = leaky ? self : nil
        rows = [Row33(title: "first", cell: nil), Row33(title: "a title of more than two words", cell: cell)]
    }
}

final class Grid34: Tracked {
    var cells: [[Grid34?]] = []
    func bind() {
        cells = [[nil], [nil, leaky ? self : nil]]
    }
}

final class Slices35: Tracked {
    var part: ArraySlice<Slices35> = []
    func bind() {
        let other = Slices35(35)
        part = (leaky ? [other, self] : [other, other])[1...]
    }
}

// ---- Generic classes, actors, tasks ----

final class Cache36<Key, Value: AnyObject>: Tracked {
    var key: Key
    var value: Value?
    init(_ key: Key) {
        self.key = key
        super.init(36)
    }
}

func bind36(_ cache: Cache36<String, Tracked>) {
    cache.value = leaky ? cache : nil
}

actor Store37 {
    var me: Store37?
    let tracked = Tracked(37)
    func bind() {
        me = leaky ? self : nil
    }
}

final class Feed38: Tracked, @unchecked Sendable {
    var continuation: AsyncStream<Int>.Continuation?
    var ended = 0
    func bind() {
        let (_, made) = AsyncStream<Int>.makeStream()
        continuation = made
        if leaky {
            made.onTermination = { _ in self.ended += 1 }
        } else {
            made.onTermination = { [weak self] _ in self?.ended += 1 }
        }
    }
}

final class Feed39: Tracked, @unchecked Sendable {
    var continuation: AsyncStream<Int>.Continuation?
    var sum = 0
    func bind() {
        let (stream, made) = AsyncStream<Int>.makeStream()
        continuation = made
        Task {
            for await number in stream {
                self.sum += number
            }
        }
        if !leaky {
            made.finish()
        }
    }
}

final class Released40: Tracked {
    func bind() {
        let kept = Unmanaged.passRetained(self)
        if !leaky {
            kept.release()
        }
    }
}

// ---- ----

@inline(never) func makeClosures() {
    Screen1(1).bind()
    Screen2(2).bind(title: CommandLine.arguments[0])
    Player3(3).bind()
    Player4(4).bind()
    Button5(5).bind()
    Pair6(6).bind()
    Counter7(7).bind()
    Menu8(8).bind()
    Queue9(9).bind(CommandLine.arguments.count)
    Loader10(10).bind()
    Request11(11).bind()
    Model12(12).bind()
    bind13(Left13(13))
    Detail14(14).bind()
    Mixed15(15).bind(Tracked(0))
}

@inline(never) func makeFields() {
    Controller16(16).bind()
    Parent17(17).bind()
    Item18(18).bind()
    Me19(19).bind()
    Canvas20(20).bind()
    Shape21(21).bind()
    Player22(22).bind()
    Bag23(23).bind()
    Job24(24).bind()
    Job25(25).bind()
    Node26(26).bind()
    Job27(27).bind()
    Job28(28).bind()
    Twice29(29).bind()
    Form30(30).bind()
}

@inline(never) func makeOthers() {
    Store31(31).bind()
    Group32(32).bind()
    Table33(33).bind()
    Grid34(34).bind()
    Slices35(35).bind()
    bind36(Cache36("key"))
    let store = Store37()
    Task { await store.bind() }
    Feed38(38).bind()
    Feed39(39).bind()
    Released40(40).bind()
}

// Where words of the functions above may be.
@inline(never) func scrub() {
    withUnsafeTemporaryAllocation(byteCount: 1 << 15, alignment: 8) { room in
        for i in 0..<room.count {
            room[i] = 0
        }
    }
}

leaky = CommandLine.arguments.last == "leaky"
for _ in 0..<copies {
    makeClosures()
    makeFields()
    makeOthers()
    scrub()
}
usleep(300_000) // tasks have begun, and wait
scrub()
print("ready", alive.dropFirst().map(String.init).joined(separator: " "))
fflush(stdout)
while readLine() != nil {}
