internal import Journal

/// When a request counts as planned that a flow sends now: what of its delay is the rig's own, and therefore lateness. A
/// live lane says here what the flow goes on from; a virtual lane is never late and says nothing.
///
/// | the flow goes on from | its request counts as planned for |
/// |---|---|
/// | a sleep or an arrival | when that was due; on the grid, when its turn comes (`TimeGrid`) |
/// | a sleep until an instant that had passed | that instant: there was no step to wait for |
/// | a response that waited for the lane | now, less the time until the lane woke |
/// | anything else | now |
struct DueTimes {
    private enum Origin {
        case other
        case timer(due: Instant, isBehind: Bool)
        case response(arrived: Instant)
    }

    private(set) var grid = TimeGrid()
    private var origin = Origin.other
    private var woken = Instant.start

    /// A turn begins, for which the lane woke at `instant`.
    mutating func beginTurn(at instant: Instant) {
        woken = instant
    }

    /// What `timer` begins runs next.
    mutating func begin(_ timer: Timer) {
        origin =
            timer.isDue
            ? .timer(due: Instant(nanoseconds: timer.due), isBehind: timer.isBehind) : .other
    }

    /// A response was recorded whose flow runs on.
    mutating func read(responseOf arrived: Instant) {
        origin = .response(arrived: arrived)
    }

    /// A job has run to its next wait: what follows it goes on from no response.
    mutating func endJob() {
        if case .response = origin { origin = .other }
    }

    /// No more timers are run in this turn.
    mutating func endTimers() {
        if case .timer = origin { origin = .other }
    }

    /// When a request that is sent at `now` counts as planned; `given`: where its flow names the instant. Only the first
    /// request after a timer was due with it.
    mutating func planned(_ given: Instant?, at now: Instant) -> Instant {
        switch origin {
        case .timer(let due, let isBehind):
            origin = .other
            return isBehind ? given ?? due : onGrid(given ?? due, at: now)
        case .response(let arrived) where given == nil && arrived < woken:
            return Instant(nanoseconds: now.nanoseconds - woken.nanoseconds(since: arrived))
        default:
            return given ?? now
        }
    }

    /// What counts as the planned instant of a request that a timer was set for: where the lane keeps time in steps,
    /// about when its turn comes.
    func onGrid(_ due: Instant, at now: Instant) -> Instant {
        Instant(
            nanoseconds: grid.turn(
                of: due.nanoseconds, at: now.nanoseconds, woken: woken.nanoseconds))
    }

    /// When the lane must wake for a timer.
    func wake(for due: Int64, isBehind: Bool) -> Instant {
        Instant(nanoseconds: isBehind ? due : grid.next(due))
    }

    /// Chooses the steps for as many `timers` in so many `seconds`.
    mutating func adapt(to timers: Int, in seconds: Double) {
        grid.adapt(to: timers, in: seconds)
    }
}
