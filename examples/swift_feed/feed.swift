// A reader of feeds that opens three screens, closes them, and leaves two things behind of each.
//
// usage: feed [--repaired]. Says "ready" when the screens should be gone, and waits until its input ends.
#if canImport(Glibc)
import Glibc
#endif

let repaired = CommandLine.arguments.contains("--repaired")

final class FeedScreen {
    let title: String
    var onRefresh: (() -> Void)?
    var refreshes = 0

    init(title: String) {
        self.title = title
    }

    // The screen has the closure, and the closure has the screen.
    func bind() {
        if !repaired {
            onRefresh = { self.refreshes += 1 }
        } else {
            onRefresh = { [weak self] in self?.refreshes += 1 }
        }
    }
}

final class Downloads: @unchecked Sendable {
    var continuation: AsyncStream<Int>.Continuation?
    var received = 0

    // The task waits for a stream that nobody finishes, and has self until then.
    func listen() {
        let (stream, made) = AsyncStream<Int>.makeStream()
        continuation = made
        Task {
            for await bytes in stream {
                self.received += bytes
            }
        }
    }

    func close() {
        if repaired {
            continuation?.finish()
        }
    }
}

@inline(never) func openAndClose() {
    let screen = FeedScreen(title: CommandLine.arguments[0])
    screen.bind()
    screen.onRefresh?()
    let downloads = Downloads()
    downloads.listen()
    usleep(200_000) // the task has begun, and waits
    downloads.close()
}

// Where words of the function above may be.
@inline(never) func scrub() {
    withUnsafeTemporaryAllocation(byteCount: 1 << 15, alignment: 8) { room in
        for i in 0..<room.count {
            room[i] = 0
        }
    }
}

for _ in 0..<3 {
    openAndClose()
}
usleep(200_000)
scrub()
print("ready")
fflush(stdout)
while readLine() != nil {}
