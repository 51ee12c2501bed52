internal import Dialects
internal import Journal
internal import Lanes
internal import Rigs
internal import Synchronization

/// The households of one lane: starts each when the plan wants it, and knows when the last viewer
/// has left and the settle phase is over.
///
/// Safe because everything runs on the lane's thread but `outlook`, whose value is in a `Mutex`.
final class LaneScheduler: @unchecked Sendable {
    private let lane: Lane
    private let plan: Plan
    private let terms: RunConfiguration
    private var position = 0
    private var pace = ArrivalPace()
    /// The arrival that is waited for.
    private var awaitedArrival: HouseholdPlan?
    /// Of the timers for arrivals: one of an earlier number is out of date.
    private var arrivalTimer = 0
    /// When this lane began. Households that were planned before that are due then: it continues another lane.
    private var opened = Instant.start
    private var living = 0
    private var viewers = 0
    private(set) var hasClosed = false
    /// When polling TVs stop, as far as this lane knows; nil while a viewer of it could still sign in.
    private var settleEnds: Instant?
    /// When arrivals ended; nil while households may come.
    private var closedAt: Instant?
    /// From the last arrival to the end of a run that goes as planned.
    private let tail: Duration
    /// Households that were asked to stay away for longer than the run takes, until they have ended.
    private var sentAway: Set<Int> = []
    /// Why nobody can go on; nil while there is a service.
    private(set) var lostCause: String?
    private let shown = Mutex(RunPhase.arriving)
    /// Next of the plan to sign in before the load.
    private var toPrepare = 0
    /// Positions below have arrived, and have signed in before the load; kept where a restart finds them.
    private var begun = (arrived: 0, prepared: 0)
    /// Households that were signed in before the load, until they arrive.
    private var awaited: [Int: UnsafeContinuation<Bool, Never>] = [:]
    /// Arrived before they were done with signing in.
    private var early: Set<Int> = []
    /// The client that all devices of an application share on this lane, once registered.
    var sharedClients: [Application?: ClientCredentials] = [:]
    /// Applications of which one device registers that client.
    var registering: Set<Application?> = []
    /// Homes whose households share an identity, by the first of them.
    var homes: [Int: Home] = [:]

    private let quiet: Quiet
    /// This lane among those of `quiet`.
    private let number: Int

    /// `plan` is this lane's part, which is the `number`-th of those that share `quiet`.
    init(lane: Lane, plan: Plan, terms: RunConfiguration, quiet: Quiet, number: Int) {
        self.quiet = quiet
        self.number = number
        self.lane = lane
        self.plan = plan
        self.terms = terms
        tail = plan.tail
    }

    /// What a server that limits its rate may ask for at any time. A household may end before others do, so that the
    /// settle phase alone says too little of how long a run still goes on.
    private static let usualWait = Duration.seconds(10)

    /// The expected end of the run, by its plan and by what has happened: no household waits longer because a server
    /// asks it to. Arrivals that were delayed move it, and a wait as long as the settle phase is in order at any time.
    var expectedEnd: Instant {
        max(
            max(closedAt ?? lane.now, .start + plan.arrivalsEnd) + tail,
            lane.now + max(terms.settle, Self.usualWait))
    }

    /// A household ends at once because it was asked to stay away: under closed load the next one must not come as
    /// fast as answers do.
    func delayReplacement(of household: Int) { sentAway.insert(household) }

    /// What this lane waits for. From any thread.
    var outlook: RunPhase { shown.withLock { $0 } }

    private func show() {
        let outlook: RunPhase =
            if !hasClosed {
                .arriving
            } else if let settleEnds {
                .settling(until: settleEnds)
            } else {
                .viewers(viewers)
            }
        shown.withLock { $0 = outlook }
    }

    /// No household is left, and none will come.
    var isOver: Bool { hasClosed && living == 0 }

    /// Sets the first arrivals going. On the lane's thread, before it runs.
    func open() {
        opened = lane.now
        if plan.preparation > .zero { prepareNext() }
        switch plan.rig.load {
        case .open: scheduleNext()
        case .once where plan.preparation > .zero: scheduleNext()
        case .once:
            while startNext() {}
            close()
        case .closed(_, let duration, _):
            lane.at(.start + duration) { [self] in close() }
            for _ in 0..<(plan.atOnce ?? 0) { startNext() }
        }
    }

    /// No more arrivals: the plan is through, or the run was interrupted.
    func close() {
        hasClosed = true
        closedAt = closedAt ?? lane.now
        for (_, household) in awaited { household.resume(returning: false) }
        awaited = [:]
        settleIfQuiet()
    }

    /// The service is gone.
    func giveUp(because cause: String) {
        lostCause = cause
        close()
    }

    /// A household signs in once more.
    func viewerIsBack() {
        lane.checkIsolated()
        viewers += 1
        settleEnds = nil
        quiet.note(false, on: number, at: lane.now)
    }

    /// A household's viewer has signed in, or never will.
    func viewerIsDone() {
        lane.checkIsolated()
        viewers -= 1
        settleIfQuiet()
    }

    private func settleIfQuiet() {
        if hasClosed, viewers == 0, settleEnds == nil {
            settleEnds = lane.now + terms.settle
            quiet.note(true, on: number, at: lane.now)
        }
        show()
    }

    /// Whether the settle phase is over for a TV that polls now and began to wait for that at `asked`: a sign-in since
    /// then gives it one more poll. Of other lanes nobody knows more than what was `settle` ago, so nothing later decides.
    /// `done`: when its own viewer was.
    func hasSettled(since asked: Instant, done: Instant) -> Bool {
        let known = min(asked, .start + (lane.now - .start - terms.settle))
        return known >= done && quiet.wasQuiet(at: known)
    }

    private func scheduleNext() {
        guard !hasClosed else { return }
        position = plan.firstLeft(from: position)
        guard let household = plan.household(position), let arrival = household.arrival else {
            return close()
        }
        position += 1
        pace.plan(.start + arrival)
        awaitedArrival = household
        scheduleArrival()
    }

    /// Sets a timer for the arrival that is waited for; none while arrivals are paused.
    private func scheduleArrival() {
        arrivalTimer += 1
        guard let household = awaitedArrival, let due = pace.due.map({ max(opened, $0) }) else {
            return
        }
        lane.at(due, isDue: true) { [self, arrivalTimer] in
            guard !hasClosed, arrivalTimer == self.arrivalTimer else { return }
            pace.arrived(at: due)
            awaitedArrival = nil
            keepBegun(arrived: position)
            if household.preparation == nil {
                start(household)
            } else if let waiting = awaited.removeValue(forKey: household.index) {
                waiting.resume(returning: true)
            } else {
                early.insert(household.index)
            }
            scheduleNext()
        }
    }

    /// No more arrivals until `resumeArrivals`; of an open load.
    func pauseArrivals() {
        pace.pause(at: lane.now)
        arrivalTimer += 1
    }

    /// The rest of the plan follows, as much later as the pause was long.
    func resumeArrivals() {
        pace.resume(at: lane.now)
        scheduleArrival()
    }

    /// Households come at this interval from now on, instead of the plan's times, the first of them after `first`.
    func setInterval(_ interval: Duration, first: Duration) {
        pace.setInterval(interval, at: lane.now, first: first)
        scheduleArrival()
    }

    private func prepareNext() {
        while !hasClosed, let household = plan.household(toPrepare) {
            toPrepare += 1
            guard let time = household.preparation, !plan.isBegun(toPrepare - 1) else { continue }
            let next = toPrepare
            lane.at(max(opened, .start + time), isDue: true) { [self] in
                guard !hasClosed else { return }
                keepBegun(prepared: next)
                start(household)
                prepareNext()
            }
            return
        }
    }

    /// Waits for a household's arrival; false where the run is closed before.
    func arrival(of household: Int) async -> Bool {
        lane.checkIsolated()
        if early.remove(household) != nil { return true }
        if hasClosed { return false }
        return await withUnsafeContinuation { awaited[household] = $0 }
    }

    /// False where none is left.
    @discardableResult
    private func startNext() -> Bool {
        guard !hasClosed else { return false }
        position = plan.firstLeft(from: position)
        guard let household = plan.household(position) else { return false }
        position += 1
        keepBegun(arrived: position)
        start(household)
        return true
    }

    /// Before a household begins, so that no restart begins it again.
    private func keepBegun(arrived: Int? = nil, prepared: Int? = nil) {
        begun = (arrived ?? begun.arrived, prepared ?? begun.prepared)
        lane.keepBegun(arrived: begun.arrived, prepared: begun.prepared)
    }

    private func start(_ plan: HouseholdPlan) {
        living += 1
        viewers += 1
        lane.start { [self] in
            await Household(plan, terms: terms, lane: lane, shift: self).live()
            ended(plan.index)
        }
    }

    private func ended(_ household: Int) {
        lane.checkIsolated()
        living -= 1
        let wasSentAway = sentAway.remove(household) != nil
        guard case .closed = plan.rig.load else { return }
        if wasSentAway {
            lane.at(lane.now + .seconds(1)) { [self] in startNext() }
        } else {
            startNext()
        }
    }
}
