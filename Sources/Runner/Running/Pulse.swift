internal import Dispatch
internal import Lanes
internal import Synchronization

/// Notices that this process stood still: it was stopped, or its machine gave it no time. It beats once a second on a queue that
/// nothing else can block, so that a terminal that takes no more lines is no standstill.
///
/// Safe because the timer is made in `init` and only cancelled after; the last beat is in a `Mutex`.
final class Pulse: @unchecked Sendable {
    private let timer: any DispatchSourceTimer
    private let last = Mutex(LiveLoop.monotonic())

    /// Less is a machine under load.
    private static let least: Int64 = 2_000_000_000
    private static let second: Int64 = 1_000_000_000

    /// `late` is called with how much later than it should a beat came.
    init(_ late: @escaping @Sendable (Duration) -> Void) {
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "screenrig.pulse"))
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.setEventHandler { [weak self] in
            guard let self else { return }
            let now = LiveLoop.monotonic()
            let gap = last.withLock { last in
                defer { last = now }
                return now - last - Self.second
            }
            if gap >= Self.least { late(.nanoseconds(gap)) }
        }
        timer.activate()
    }

    deinit { timer.cancel() }
}
