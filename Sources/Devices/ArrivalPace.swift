internal import Journal

/// When the next household of a lane arrives: as planned, unless somebody has paused arrivals or given them another
/// rate.
///
/// ```text
/// planned   | . . . . . . .
/// paused    | . . [   ] . . . . .      the rest of the plan, later by the length of the pause
/// faster    | . . ..........           a rate of its own, from when it was set
/// ```
struct ArrivalPace {
    private var planned: Instant = .start
    /// By how much pauses have put off the plan.
    private var delay: Duration = .zero
    private var pausedAt: Instant?
    /// Set by hand; nil: the plan's times.
    private var interval: Duration?
    /// The last arrival, or when the interval was set.
    private var last: Instant = .start

    /// The plan wants the next arrival then.
    mutating func plan(_ instant: Instant) { planned = instant }

    /// When the next household arrives, in the past where the lane is late; nil while arrivals are paused.
    var due: Instant? {
        guard pausedAt == nil else { return nil }
        return interval.map { last + $0 } ?? planned + delay
    }

    mutating func arrived(at instant: Instant) { last = instant }

    mutating func pause(at now: Instant) { pausedAt = pausedAt ?? now }

    mutating func resume(at now: Instant) {
        guard let since = pausedAt else { return }
        delay += now - since
        last = last + (now - since)
        pausedAt = nil
    }

    mutating func setInterval(_ interval: Duration, at now: Instant, first: Duration) {
        self.interval = interval
        // What a pause takes is added when it ends.
        last = (pausedAt ?? now) + (first - interval)
    }
}
