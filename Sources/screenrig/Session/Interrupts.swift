internal import Dispatch
internal import Foundation
internal import Synchronization

/// Ctrl-C and SIGTERM: the first ends the run gracefully, the second at once.
final class Interrupts: Sendable {
    private let sources: [any DispatchSourceSignal & Sendable]
    private let count = Mutex(0)

    /// `onInterrupt` is called on a queue of its own with 1, 2, ...
    init(_ onInterrupt: @escaping @Sendable (Int) -> Void) {
        let queue = DispatchQueue(label: "screenrig.signals")
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: queue)
        }
        for source in sources {
            source.setEventHandler { [unowned self] in
                onInterrupt(
                    count.withLock { count in
                        count += 1
                        return count
                    })
            }
            source.activate()
        }
    }

    deinit {
        for source in sources { source.cancel() }
        signal(SIGINT, SIG_DFL)
        signal(SIGTERM, SIG_DFL)
    }

    var hasInterrupted: Bool { count.withLock { $0 > 0 } }
}
