internal import Dispatch
internal import Foundation
internal import Synchronization

/// Ctrl-C and SIGTERM: the first ends the run gracefully, the second at once, the third without its
/// reports. One within another's life hears the same signals, and leaves them to it when it ends.
///
/// Safe because the sources are made in `init` and only cancelled in `deinit`; the count is in a
/// `Mutex`.
final class Interrupts: @unchecked Sendable {
    private let sources: [any DispatchSourceSignal]
    private let count = Mutex(0)
    /// What the signals did before.
    private let former: [(number: Int32, disposition: __sighandler_t?)]

    /// `onInterrupt` is called on a queue of its own with 1, 2, ...
    init(_ onInterrupt: @escaping @Sendable (Int) -> Void) {
        let queue = DispatchQueue(label: "screenrig.signals")
        former = [SIGINT, SIGTERM].map { ($0, signal($0, SIG_IGN)) }
        sources = former.map { DispatchSource.makeSignalSource(signal: $0.number, queue: queue) }
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
        for (number, disposition) in former { signal(number, disposition) }
    }

    /// For as long as `body` takes, also while it writes its reports: signals that nobody else hears
    /// do nothing, but for the third.
    static func outlasting<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        let patience = Interrupts { if $0 > 2 { _exit(130) } }
        defer { withExtendedLifetime(patience) {} }
        return try await body()
    }

    var hasInterrupted: Bool { count.withLock { $0 > 0 } }
}
