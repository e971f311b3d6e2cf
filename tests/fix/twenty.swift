// Twenty mistakes that people make in Swift, each a cycle that nothing leads to once it is let go. Says how many of
// each class are alive, "CLASS alive N", then "ready", and waits until its input ends. Only `loupe fix` changes it.
#if canImport(Glibc)
import Glibc
#endif

var alive: [String: Int] = [:]

class Counted {
    init() { alive["\(type(of: self))", default: 0] += 1 }
    deinit { alive["\(type(of: self))", default: 0] -= 1 }
}

// 1. A closure in a property names self.
final class Screen: Counted {
    var onDone: (() -> Void)?
    var title = 0
    func bind() {
        onDone = { self.title += 1 }
    }
}

// 2. The same with lines of its own.
final class Editor: Counted {
    var onChange: ((Int) -> Void)?
    var changes = 0
    func bind() {
        onChange = { count in
            self.changes += count
            self.tell()
        }
    }
    func tell() {}
}

// 3. A child keeps its parent.
final class Parent: Counted {
    var children: [Child] = []
}
final class Child: Counted {
    var parent: Parent?
}

// 4. A delegate is kept.
protocol LoaderDelegate: AnyObject {
    func loaded()
}
final class Loader: Counted {
    var delegate: LoaderDelegate?
    func finish() { delegate?.loaded() }
}
final class LoaderScreen: Counted, LoaderDelegate {
    let loader = Loader()
    var seen = 0
    override init() {
        super.init()
        loader.delegate = self
    }
    func loaded() { seen += 1 }
}

// 5. A list whose nodes know who comes before.
final class Node: Counted {
    var next: Node?
    var previous: Node?
}

// 6. A coordinator and its screen.
final class Coordinator: Counted {
    var screen: CoordinatedScreen?
}
final class CoordinatedScreen: Counted {
    var coordinator: Coordinator?
}

// 7. A view and its model.
final class ModelView: Counted {
    var model: ViewModel?
}
final class ViewModel: Counted {
    var view: ModelView?
}

// 8. A closure that is handed over and kept.
final class Button: Counted {
    var action: (() -> Void)?
    func onTap(_ action: @escaping () -> Void) { self.action = action }
}
final class Form: Counted {
    let button = Button()
    var sent = 0
    func bind() {
        button.onTap { self.sent += 1 }
    }
}

// 9. A method as a closure.
final class Player: Counted {
    var onEnd: (() -> Void)?
    func ended() {}
    func bind() {
        onEnd = ended
    }
}

// 10. Handlers in an array.
final class Center: Counted {
    var handlers: [() -> Void] = []
    var told = 0
    func bind() {
        handlers.append { self.told += 1 }
    }
}

// 11. Observers in an array of who owns the center.
final class Wire: Counted {
    var observers: [Desk] = []
}
final class Desk: Counted {
    var wire: Wire?
}

// 12. A dictionary of rows.
final class Table: Counted {
    var rows: [String: Row] = [:]
}
final class Row: Counted {
    var table: Table?
}

// 13. A lazy closure.
final class Report: Counted {
    let name = "report"
    lazy var text: () -> String = { self.name }
}

// 14. Two closures of two objects.
final class Sender: Counted {
    var receiver: Receiver?
    var onAnswer: ((Int) -> Void)?
    var sum = 0
    func bind() {
        onAnswer = { answer in
            self.sum += answer
        }
    }
}
final class Receiver: Counted {}

// 15. Generic.
final class Cache<Key>: Counted {
    var key: Key
    var me: Cache<Key>?
    init(_ key: Key) {
        self.key = key
        super.init()
    }
}

// 16. An enum's payload.
final class State: Counted {
    enum Phase {
        case idle, running(State)
    }
    var phase = Phase.idle
}

// 17. A struct within.
final class Session: Counted {
    struct Options {
        var owner: Session?
    }
    var options = Options()
}

// 18. A closure that gives something back.
final class Source: Counted {
    var count: (() -> Int)?
    var items = 1
    func bind() {
        count = { self.items }
    }
}

// 19. A closure within a closure.
final class Upload: Counted {
    var onDone: (() -> Void)?
    var parts = 0
    func later(_ work: @escaping () -> Void) { work() }
    func bind() {
        onDone = {
            self.later { self.parts += 1 }
        }
    }
}

// 20. One of two captures.
final class Log: Counted {
    var lines = 0
}
final class Writer: Counted {
    var onWrite: (() -> Void)?
    var writes = 0
    func bind(_ log: Log) {
        onWrite = {
            self.writes += 1
            log.lines += 1
        }
    }
}

@inline(never) func makeAll() {
    let screen = Screen(); screen.bind(); screen.onDone?()
    let editor = Editor(); editor.bind(); editor.onChange?(2)
    let parent = Parent(), child = Child(); child.parent = parent; parent.children.append(child)
    let loading = LoaderScreen(); loading.loader.finish()
    let first = Node(), second = Node(); first.next = second; second.previous = first
    let coordinator = Coordinator(), shown = CoordinatedScreen(); coordinator.screen = shown; shown.coordinator = coordinator
    let view = ModelView(), model = ViewModel(); view.model = model; model.view = view
    let form = Form(); form.bind(); form.button.action?()
    let player = Player(); player.bind(); player.onEnd?()
    let center = Center(); center.bind(); center.handlers.first?()
    let wire = Wire(), desk = Desk(); desk.wire = wire; wire.observers.append(desk)
    let table = Table(), row = Row(); row.table = table; table.rows["a"] = row
    let report = Report(); _ = report.text()
    let sender = Sender(); sender.receiver = Receiver(); sender.bind(); sender.onAnswer?(1)
    let cache = Cache(7); cache.me = cache
    let state = State(); state.phase = .running(state)
    let session = Session(); session.options.owner = session
    let source = Source(); source.bind(); _ = source.count?()
    let upload = Upload(); upload.bind(); upload.onDone?()
    let writer = Writer(); writer.bind(Log()); writer.onWrite?()
}

@inline(never) func scrub() {
    withUnsafeTemporaryAllocation(byteCount: 1 << 15, alignment: 8) { room in
        for i in 0..<room.count { room[i] = 0 }
    }
}

makeAll()
scrub()
for (name, count) in alive.sorted(by: { $0.key < $1.key }) { print("\(name) alive \(count)") }
print("ready")
fflush(stdout)
while readLine() != nil {}
