internal import Dispatch
internal import Foundation
internal import Synchronization

/// Ctrl-C and SIGTERM: the first ends the run gracefully, the second at once. They are heard for as long
/// as this lives; then they end the program.
///
/// Safe because the sources are made in `init` and only cancelled in `deinit`; the count is in a
/// `Mutex`.
final class Interrupts: @unchecked Sendable {
    private let sources: [any DispatchSourceSignal]
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
