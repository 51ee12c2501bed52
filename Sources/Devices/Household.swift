internal import Dialects
internal import Journal
internal import Lanes
internal import Rigs
internal import Statistics

/// One living room: a first screen, a second screen, and the viewer between them. An actor on its
/// lane, so its flows share state without locks and calls between them enqueue nothing.
actor Household {
    nonisolated var unownedExecutor: UnownedSerialExecutor { lane.asUnownedSerialExecutor() }

    let lane: Lane
    let terms: Terms
    let plan: HouseholdPlan
    let shift: Shift
    let tv: Screen
    /// Further poll loops of the TV, for test benches: the same TV on connections of their own.
    let morePollers: [Screen]
    let phone: Screen
    var record: HouseholdRecord

    /// The TV's screen, as the viewer sees it: each code shown, until the TV is done.
    let shownCodes = Signal<IssuedCode>()
    /// What the TV shows now; nil once it has its token or the code is over.
    var codeOnScreen: Code?
    /// The code that polls are for.
    var polledCode: Code?
    /// When further poll loops stop; nil while the TV waits for its token.
    var pollersEnd: Instant?
    /// Whether a viewer of this household may still sign in.
    private var expectsViewer = true
    /// Set when the viewer walks away: the TV stops at its next poll.
    var viewerLeft: Halt?
    /// The account out of a file that it signs in with; kept to its end.
    var lease: AccountPool.Lease?
    /// Its login has not been judged yet.
    var isLoginOpen = false
    /// What it has to take back before it goes, if the rig cleans up.
    var traces = Traces()

    init(_ plan: HouseholdPlan, terms: Terms, lane: Lane, shift: Shift) {
        self.plan = plan
        self.terms = terms
        self.lane = lane
        self.shift = shift
        let counter = Device.Counter()
        let seed = plan.pollSeed
        let phoneIdentity = plan.secondScreens.first ?? plan.firstScreen
        tv = Screen(
            device: Device(
                id: DeviceID(household: plan.index, role: .firstScreen),
                identity: plan.firstScreen, counter: counter),
            seed: seed.child("tv waits"))
        morePollers = (1..<max(1, terms.polling.pollers)).map { index in
            Screen(
                device: Device(
                    id: DeviceID(household: plan.index, role: .firstScreen, index: index),
                    identity: plan.firstScreen, counter: counter),
                seed: seed.child("poller waits", index))
        }
        phone = Screen(
            device: Device(
                id: DeviceID(household: plan.index, role: .secondScreen), identity: phoneIdentity,
                counter: counter),
            seed: seed.child("phone waits"))
        record = HouseholdRecord(
            household: plan.index, kind: plan.kind.name, lane: lane.index, arrived: lane.now)
    }

    /// The whole life: both screens at once, until both are done.
    func live() async {
        lane.note(record)
        async let viewer: Void = watchAndSignIn()
        await firstScreenLife()
        shownCodes.finish()
        await viewer
        if terms.cleansUp { await cleanUp() }
        giveBackAccount()
        lane.retire(tv.device)
        for poller in morePollers { lane.retire(poller.device) }
        lane.retire(phone.device)
    }

    /// Keeps the shift's count of viewers who may still sign in.
    func expect(aViewer isExpected: Bool) {
        guard isExpected != expectsViewer else { return }
        expectsViewer = isExpected
        isExpected ? shift.viewerIsBack() : shift.viewerIsDone()
    }

    /// Records that the household got so far; stages are never taken back.
    func reach(_ stage: Stage) {
        guard stage > record.stage else { return }
        record.stage = stage
        lane.note(record)
    }

    private func firstScreenLife() async {
        do throws(Halt) {
            try await firstScreen()
        } catch {
            settleFate(error)
        }
        if record.fate == .running { record.fate = .signedIn }
        record.ended = lane.now
        lane.note(record)
    }

    /// A household that had its token has signed in, whatever came after; only the cause tells.
    private func settleFate(_ halt: Halt) {
        let wasSignedIn = record.tokenSeen != nil
        switch halt {
        case .failed(let cause):
            record.fate = .failed
            record.cause = cause
        case .abandoned(let cause):
            record.fate = wasSignedIn ? .signedIn : .abandoned
            record.cause = cause
        case .stopped, .unknownStep:
            record.fate = wasSignedIn ? .signedIn : .abandoned
            record.cause = "the run was stopped"
        }
    }
}
