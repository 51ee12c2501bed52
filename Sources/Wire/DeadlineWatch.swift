internal import Journal
internal import Lanes

/// Ends requests in flight whose time is up. One timer serves all: it looks at them when the earliest deadline of its
/// last look has come, so a request that ends in time costs nothing.
///
/// A lane that stood still (a stopped process, a paused machine) has not read what the service sent meanwhile. So requests
/// get as long again as the timer was late, but no longer than a time-out, and once.
final class DeadlineWatch {
    private unowned let lane: Lane
    private let expire: (_ now: Int64) -> Int64
    /// Nanoseconds between two looks at least.
    private let interval: Int64
    private let timeout: Int64
    /// When it looks next; nil when no request is in flight.
    private var due: Int64?
    /// Until when nothing ends after the lane stood still.
    private var graceEnds: Int64?

    /// A lane whose timer is later than that, in nanoseconds, has stood still.
    private static let standstill: Int64 = 100_000_000

    /// `timeout` is that of a request. `expire` ends those whose deadline is `now` or before, and gives the next deadline in
    /// nanoseconds, `Int64.max` where there is none.
    init(lane: Lane, timeout: Duration, expire: @escaping (_ now: Int64) -> Int64) {
        self.lane = lane
        self.expire = expire
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
        if now - planned > Self.standstill, graceEnds == nil {
            let end = now + min(now - planned, timeout)
            graceEnds = end
            return arm(end)
        }
        graceEnds = nil
        due = nil
        let next = expire(now)
        if next != .max { note(max(next, now + interval)) }
    }
}
