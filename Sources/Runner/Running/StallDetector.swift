internal import Dispatch
internal import Lanes
internal import Synchronization

/// Notices that this process did not run: it was stopped, or starved by its machine. A timer on a queue of its own is late then,
/// whatever else of the process is blocked, such as a terminal that takes no more lines.
///
/// Safe because the timer is made in `init` and only cancelled after; the last beat is in a `Mutex`.
final class StallDetector: @unchecked Sendable {
    private let timer: any DispatchSourceTimer
    private let last = Mutex(LiveLoop.monotonic())

    /// Shorter stalls are those of a machine under load.
    private static let threshold: Duration = .seconds(2)
    private static let interval: Duration = .milliseconds(250)

    /// `stalled` is called, briefly, with how long it did not run, up to a quarter of a second short of the truth.
    init(_ stalled: @escaping @Sendable (Duration) -> Void) {
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "screenrig.stalls"))
        timer.schedule(deadline: .now(), repeating: Self.interval / .seconds(1))
        timer.setEventHandler { [weak self] in
            guard let self else { return }
            let now = LiveLoop.monotonic()
            let since = last.withLock { last in
                defer { last = now }
                return Duration.nanoseconds(now - last) - Self.interval
            }
            if since >= Self.threshold { stalled(since) }
        }
        timer.activate()
    }

    deinit { timer.cancel() }
}
