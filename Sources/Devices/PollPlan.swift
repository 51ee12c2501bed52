internal import Journal
internal import Rigs
internal import Statistics

/// When a first screen polls: pure, so that it is tested without a lane (rest-v1.md § 15).
struct PollPlan {
    private(set) var every: Duration
    /// No interval is shorter: what the service asks for, and zero where it asks for nothing.
    private var floor = Duration.zero
    /// Share of `every` by which each interval varies, both ways.
    let jitter: Double
    /// All devices on one beat, instead of each on its own.
    let isAligned: Bool
    /// Code shown → first poll; nil: one interval.
    let firstAfter: Duration?
    /// Between presses of a Continue button; nil: a timer polls.
    let pressed: Distribution?
    private var dice: Dice

    init(
        every: Duration, jitter: Double, isAligned: Bool, firstAfter: Duration? = nil,
        pressed: Distribution? = nil, seed: Seed
    ) {
        self.firstAfter = firstAfter
        self.pressed = pressed
        self.every = every
        self.jitter = jitter
        self.isAligned = isAligned
        dice = seed.generator()
    }

    /// `atLeast`: the interval that the service asks for.
    init(
        _ polling: Rig.Polling, atLeast: Duration? = nil, firstAfter: Duration? = nil, seed: Seed
    ) {
        self.init(
            every: max(polling.every, atLeast ?? .zero), jitter: polling.jitter,
            isAligned: polling.isAligned,
            firstAfter: firstAfter ?? polling.firstAfter, pressed: polling.button, seed: seed)
        floor = atLeast ?? .zero
    }

    /// The first poll: one interval after the code is there, or the next beat.
    mutating func first(after start: Instant) -> Instant {
        if let firstAfter { return start + firstAfter }
        return isAligned ? beat(after: start) : start + interval()
    }

    /// The poll after one that was due at `due` and answered at `ended`. The cadence is kept from
    /// due to due; an answer slower than the interval starts a new cadence, because two polls are
    /// never in flight at once.
    mutating func next(due: Instant, ended: Instant) -> Instant {
        if isAligned { return beat(after: ended) }
        // A person presses when the last answer has been seen.
        if pressed != nil { return ended + interval() }
        let wait = interval()
        // A service that asks for an interval counts from when it answered, as far as anybody knows.
        if floor > .zero { return ended + wait }
        let wanted = due + wait
        return wanted >= ended ? wanted : ended + wait
    }

    /// All polls to come are so much further apart.
    mutating func widen(by more: Duration) {
        every += more
        if floor > .zero { floor += more }
    }

    /// After a poll that got no answer: "clients MUST unilaterally reduce their polling frequency", by
    /// doubling as RFC 8628, 3.5 recommends, up to a minute.
    mutating func slowDown() {
        let wanted = min(every * 2, max(every, .seconds(60)))
        widen(by: wanted - every)
    }

    private mutating func interval() -> Duration {
        if let pressed { return max(floor, pressed.sample(using: &dice)) }
        guard jitter > 0 else { return every }
        let share = 1 + jitter * (2 * dice.unit() - 1)
        return max(floor, .nanoseconds(Int64(Double(every.nanoseconds) * share)))
    }

    private func beat(after instant: Instant) -> Instant {
        let step = every.nanoseconds
        return Instant(nanoseconds: (instant.nanoseconds / step + 1) * step)
    }
}

/// How long to wait before trying again: 1, 2, 4 ... at most 30 s (rest-v1.md § 15), and for a 429
/// at least what was asked for, with full jitter on top so that devices turned away together do not
/// come back together.
enum Backoff {
    static func afterFailure(_ count: Int) -> Duration {
        .seconds(min(30, 1 << min(5, max(0, count - 1))))
    }

    static func afterThrottle(_ pause: Duration, using dice: inout Dice) -> Duration {
        pause + .nanoseconds(Int64(dice.unit() * 1e9))
    }
}
