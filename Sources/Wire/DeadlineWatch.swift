internal import Journal
internal import Lanes

/// Ends requests in flight whose time is up. One timer serves all: it looks at them when the earliest deadline of its
/// last look has come, so a request that ends in time costs nothing.
///
/// A lane that stood still (a stopped process, a paused machine) has not read what the service sent meanwhile. So requests
/// get as long again as the timer was late, but no longer than a time-out, and once.
final class DeadlineWatch<Request> {
    private unowned let lane: Lane
    private let inFlight: () -> [Request]
    private let deadline: (Request) -> Int64?
    private let end: (Request) -> Void
    /// Nanoseconds between two looks at least.
    private let interval: Int64
    private let timeout: Int64
    /// When it looks next; nil when no request is in flight.
    private var due: Int64?
    /// Until when nothing ends after the lane stood still.
    private var graceEnds: Int64?

    /// A lane whose timer is later than that, in nanoseconds, has stood still.
    private let standstill: Int64 = 100_000_000

    /// `timeout` is that of a request; a `deadline` is in nanoseconds, nil where there is none (any more).
    init(
        lane: Lane, timeout: Duration, of inFlight: @escaping () -> [Request],
        deadline: @escaping (Request) -> Int64?, end: @escaping (Request) -> Void
    ) {
        (self.lane, self.inFlight, self.deadline, self.end) = (lane, inFlight, deadline, end)
        self.timeout = Instant(timeout).nanoseconds
        interval = max(1_000_000, self.timeout / 100)
    }

    /// A request is in flight that times out then.
    @inline(__always)
    func note(_ deadline: Int64) {
        let deadline = max(deadline, graceEnds ?? deadline)
        if due.map({ $0 > deadline }) ?? true { arm(deadline) }
    }

    private func arm(_ instant: Int64) {
        due = instant
        lane.at(Instant(nanoseconds: instant)) { [weak self] in
            // Superseded by an earlier one.
            if self?.due == instant { self?.look(planned: instant) }
        }
    }

    private func look(planned: Int64) {
        let now = lane.now.nanoseconds
        if now - planned > standstill, graceEnds == nil {
            let end = now + min(now - planned, timeout)
            graceEnds = end
            return arm(end)
        }
        graceEnds = nil
        due = nil
        var late: [Request] = []
        var next: Int64?
        for request in inFlight() {
            guard let deadline = deadline(request) else { continue }
            if deadline <= now {
                late.append(request)
            } else {
                next = min(next ?? deadline, deadline)
            }
        }
        if let next { note(max(next, now + interval)) }
        // With one, others may end or begin.
        for request in late where deadline(request).map({ $0 <= now }) ?? false { end(request) }
    }
}
