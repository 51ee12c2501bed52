internal import Dialects
internal import Journal

/// What becomes of one request: what the faults have decided about it so far.
struct FaultContext {
    /// What the service takes for now.
    var moment: Moment
    /// When the present sign-in of the device was first shown to anybody.
    let shownAt: TokenExposure.Shown?
    /// Whose each device is, as far as its requests said.
    let households: [DeviceKey: Int]
    /// Set before: the service is not asked.
    var reply: Reply?
    var delay: Duration = .zero
    /// Nothing is answered now.
    var isHeld = false
    /// The connection breaks instead of an answer.
    var isReset = false
    /// The code that was issued.
    var issued: CodeRecord?
    /// A sign-in came about.
    var signedIn: DeviceKey?
    var effects: [Effect] = []
    var exposure = TokenExposure()
    /// The fault at work: its index and its name.
    var fault = (index: 0, name: "")
    /// Activations of this service so far.
    private(set) var activations: Int
    private(set) var truth: [TruthEvent] = []
    private var former: [(DeviceKey, SignIn?)] = []

    init(
        moment: Moment, shownAt: TokenExposure.Shown?, households: [DeviceKey: Int],
        activations: Int
    ) {
        self.moment = moment
        self.shownAt = shownAt
        self.households = households
        self.activations = activations
    }

    /// The household of a device; nil where none of its requests said whose it is.
    func household(of device: DeviceKey) -> Int? { households[device.owner] }

    /// For this request only, the device has this sign-in, or none.
    mutating func pretend(_ signIn: SignIn?, of device: DeviceKey, in service: inout Service) {
        former.append((device, service.tokens[device]))
        service.tokens[device] = signIn
    }

    /// The truth again; what a request changed in a pretended sign-in is lost with it.
    mutating func restore(in service: inout Service) {
        for (device, signIn) in former.reversed() { service.tokens[device] = signIn }
        former = []
    }

    /// `run(ticket:)` of the fault at work is called that much later.
    mutating func schedule(_ ticket: Int, in delay: Duration) {
        let deed = Deed(act: .fault(FaultDeed(fault: fault.index, ticket: ticket)))
        effects.append(.again(deed, at: moment.now + delay))
    }

    /// Notes that the fault at work does something at this request; the activation's number.
    /// `session`: whom it concerns, if not who asks; `other`: the second household concerned.
    @discardableResult
    mutating func activate(
        _ request: RequestContext, for session: Session? = nil, other: Int? = nil
    ) -> Int {
        activations += 1
        note(.activated, activations, session ?? request.session, request, other)
        return activations
    }

    /// The same of something that was scheduled.
    mutating func activate(_ session: Session) -> Int {
        activations += 1
        note(.activated, activations, session, nil, nil)
        return activations
    }

    /// Notes that an activation became visible from outside.
    mutating func show(
        _ activation: Int, _ request: RequestContext, for session: Session? = nil,
        other: Int? = nil
    ) {
        note(.observable, activation, session ?? request.session, request, other)
    }

    private mutating func note(
        _ kind: TruthEvent.Kind, _ activation: Int, _ session: Session,
        _ request: RequestContext?, _ other: Int?
    ) {
        let moment = request?.moment ?? moment
        truth.append(
            TruthEvent(
                kind: kind, activation: activation, fault: fault.name, at: moment.now,
                wallMilliseconds: moment.milliseconds, household: session.household,
                otherHousehold: other, device: session.device?.device, code: session.code,
                operation: request?.operation?.name, exchange: request?.exchange))
    }
}

/// An activation that is noted when it first does something, and shown once: of what a fault has
/// decided beforehand and may never come to.
struct LazyActivation: Sendable {
    private var number: Int?
    private var isShown = false

    /// It does something at this request; `isVisible`: it can be noticed from outside by now.
    mutating func act(
        _ request: RequestContext, isVisible: Bool, _ context: inout FaultContext
    ) {
        let activation = number ?? context.activate(request)
        number = activation
        guard isVisible, !isShown else { return }
        isShown = true
        context.show(activation, request)
    }
}

/// Activations that the next poll to return that sign-in makes visible.
struct AwaitedPolls: Sendable {
    private var awaited: [DeviceKey: (serial: Int?, activation: Int)] = [:]

    /// `serial`: of the sign-in; nil: a poll that finds none.
    mutating func add(_ activation: Int, of device: DeviceKey, serial: Int?) {
        awaited[device] = (serial, activation)
    }

    mutating func show(
        _ request: RequestContext, _ reply: Reply, _ service: Service,
        _ context: inout FaultContext
    ) {
        guard request.isPoll, let device = request.device, let entry = awaited[device],
            request.question.meaning(of: reply) == (entry.serial == nil ? .absent : .granted),
            service.tokens[device]?.serial == entry.serial
        else { return }
        awaited[device] = nil
        context.show(entry.activation, request)
    }
}
