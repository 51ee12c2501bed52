internal import Dialects
internal import Journal

/// What becomes of one request: what the faults have decided about it so far.
struct FaultContext {
    /// What the service takes for now.
    var moment: Moment
    /// When the present sign-in of the device was first shown to anybody.
    let told: TokenExposure.Shown?
    var strikes: Int
    /// Set before: the service is not asked.
    var reply: Reply?
    var delay: Duration = .zero
    /// Nothing is answered now.
    var isHeld = false
    /// The connection breaks instead of an answer.
    var isReset = false
    /// A sign-in came about.
    var signedIn: DeviceKey?
    var effects: [Effect] = []
    var truth: [TruthEvent] = []
    var exposure = TokenExposure()
    /// Index of the fault at work.
    var fault = 0
    private var former: [(DeviceKey, SignIn?)] = []

    init(moment: Moment, told: TokenExposure.Shown?, strikes: Int) {
        self.moment = moment
        self.told = told
        self.strikes = strikes
    }

    /// For this request only, the device has this sign-in, or none.
    mutating func pretend(_ signIn: SignIn?, of device: DeviceKey, in service: inout Service) {
        former.append((device, service.tokens[device]))
        service.tokens[device] = signIn
    }

    /// The truth again; what a request changed in a pretended sign-in is lost with it.
    mutating func putBack(in service: inout Service) {
        for (device, signIn) in former.reversed() { service.tokens[device] = signIn }
        former = []
    }

    mutating func putOff(_ ticket: Int, by duration: Duration) {
        effects.append(
            .again(
                .deed(Deed(act: .fault(FaultDeed(fault: fault, ticket: ticket)))),
                at: moment.now + duration))
    }

    /// Notes that a fault struck; its number.
    @discardableResult
    mutating func strike(
        _ name: FaultName, _ session: Session, at visit: RequestContext?, other: Int? = nil
    ) -> Int {
        strikes += 1
        note(.activated, strikes, name, session, visit, other)
        return strikes
    }

    /// Notes that a strike showed.
    mutating func show(
        _ strike: Int, _ name: FaultName, _ session: Session, at visit: RequestContext?,
        other: Int? = nil
    ) {
        note(.observable, strike, name, session, visit, other)
    }

    private mutating func note(
        _ kind: TruthEvent.Kind, _ strike: Int, _ name: FaultName, _ session: Session,
        _ visit: RequestContext?, _ other: Int?
    ) {
        let moment = visit?.moment ?? moment
        truth.append(
            TruthEvent(
                kind: kind, strike: strike, fault: name, at: moment.now,
                wallMilliseconds: moment.milliseconds, household: session.household,
                otherHousehold: other, device: session.device?.device, code: session.code,
                operation: visit?.operation?.name, exchange: visit?.exchange))
    }
}

/// A strike that is noted when it first does something, and shown once: of what a fault has decided
/// beforehand and may never come to.
struct LazyStrike: Sendable {
    private var number: Int?
    private var isShown = false

    /// It does something in this visit; `isVisible`: from outside it can be told by now.
    mutating func act(
        _ name: FaultName, at visit: RequestContext, isVisible: Bool, _ course: inout FaultContext
    ) {
        let strike = number ?? course.strike(name, visit.session, at: visit)
        number = strike
        guard isVisible, !isShown else { return }
        isShown = true
        course.show(strike, name, visit.session, at: visit)
    }
}
