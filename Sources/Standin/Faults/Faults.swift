internal import Dialects
internal import Journal
internal import Statistics

/// The faults that are switched on, and what they remember. The service asks it at three points:
/// before a request is answered, after, and when something that was put off is due.
struct Faults: Sendable {
    private var mischiefs: [any Mischief]
    /// What is so far known to have been shown of each device's sign-in.
    private var sightings = Sightings()
    private var strikes = 0
    private(set) var truth: [TruthEvent] = []
    /// For how long codes are kept beyond their expiry, in milliseconds: for faults that accept them.
    let retention: Int64

    /// Nil when none of them does anything.
    init?(_ faults: [Fault], seed: Seed) {
        mischiefs = faults.enumerated().compactMap { index, fault in
            fault.name.mischief(fault, Chance(fault, seed: seed.child("fault", index)))
        }
        guard !mischiefs.isEmpty else { return nil }
        retention = mischiefs.map(\.retention).max() ?? 0
    }

    mutating func takeTruth() -> [TruthEvent] {
        defer { truth = [] }
        return truth
    }

    /// A request, on its way through the faults and the service.
    mutating func answer(_ request: ServiceRequest, by service: inout Service, at moment: Moment)
        -> [Effect]
    {
        var request = request
        for index in mischiefs.indices { mischiefs[index].rewrite(&request) }
        let visit = Visit(V1Question(request), service, at: moment)
        var course = course(at: moment, told: visit.device.flatMap { sightings[$0] })
        for index in mischiefs.indices {
            course.fault = index
            mischiefs[index].before(visit, &service, &course)
        }
        let made = service.tokens.made
        if !course.isHeld, course.reply == nil, !course.isReset {
            course.reply = service.answerV1(visit.question, at: course.moment)
        }
        if service.tokens.made > made { course.signedIn = visit.device }
        course.putBack(in: &service)
        if var reply = course.reply {
            for index in mischiefs.indices {
                course.fault = index
                mischiefs[index].after(visit, &reply, &service, &course)
            }
            course.reply = reply
            sightings.note(visit, reply, course)
        }
        settle(course)
        if course.isReset { return course.effects + [.reset(request.id)] }
        guard let reply = course.reply, !course.isHeld else { return course.effects }
        return [.reply(reply, to: request.id, after: course.delay)] + course.effects
    }

    /// Something that a fault had put off.
    mutating func act(_ deed: FaultDeed, on service: inout Service, at moment: Moment) -> [Effect] {
        var course = course(at: moment, told: nil)
        course.fault = deed.fault
        course.sightings = sightings
        mischiefs[deed.fault].act(deed.ticket, &service, &course)
        if let device = course.signedIn { sightings.forget(device) }
        settle(course)
        return course.effects
    }

    private func course(at moment: Moment, told: Sightings.Shown?) -> Course {
        Course(moment: moment, told: told, strikes: strikes)
    }

    private mutating func settle(_ course: Course) {
        strikes = course.strikes
        truth += course.truth
    }
}

/// One fault at work. Each is a value with a memory of its own; what it does not care about it leaves
/// to the defaults.
protocol Mischief: Sendable {
    /// See `Faults.retention`.
    var retention: Int64 { get }
    /// Before anything is read of the request.
    mutating func rewrite(_ request: inout ServiceRequest)
    /// Before the service answers: it may change what the service knows, or answer in its place.
    mutating func before(_ visit: Visit, _ service: inout Service, _ course: inout Course)
    /// After the service answered: it may change the reply, and what the service has come to know.
    mutating func after(
        _ visit: Visit, _ reply: inout Reply, _ service: inout Service, _ course: inout Course)
    /// What it had put off under `ticket`.
    mutating func act(_ ticket: Int, _ service: inout Service, _ course: inout Course)
}

extension Mischief {
    var retention: Int64 { 0 }
    mutating func rewrite(_ request: inout ServiceRequest) {}
    mutating func before(_ visit: Visit, _ service: inout Service, _ course: inout Course) {}
    mutating func after(
        _ visit: Visit, _ reply: inout Reply, _ service: inout Service, _ course: inout Course
    ) {}
    mutating func act(_ ticket: Int, _ service: inout Service, _ course: inout Course) {}
}

/// When a fault strikes: by its probability, from its own seed.
struct Chance: Sendable {
    let name: FaultName
    var dice: Dice
    private let probability: Double

    init(_ fault: Fault, seed: Seed) {
        name = fault.name
        dice = seed.generator()
        probability =
            fault.name.parameters.contains { $0.name == "probability" }
            ? fault["probability"].value : 1
    }

    mutating func strikes() -> Bool { dice.chance(probability) }
}

/// Which fault put off what.
struct FaultDeed: Hashable, Sendable {
    var fault: Int
    var ticket: Int
}

/// A request, and whose it is.
struct Visit {
    let question: V1Question
    let endpoint: V1Endpoint
    let operation: OperationName?
    let moment: Moment
    /// The first screen that it is about: by its own words, or by the code.
    let device: DeviceKey?
    /// The life of the code it names, dead or alive.
    let record: CodeRecord?
    /// The browser's login that it belongs to.
    let login: Login?
    let household: Int?
    let exchange: String?

    var session: Session { Session(household: household, device: device, code: record?.text) }
    var isPoll: Bool { endpoint == .pollToken && question.request.method == .get }
    var isLogout: Bool { endpoint == .logout }

    /// What a first screen asks of its sign-in.
    var readsToken: Bool {
        switch endpoint {
        case .checkAuthentication, .preauthorize, .authorize, .authorizationToken, .mediaToken,
            .userMetadata:
            true
        default: isPoll
        }
    }

    init(_ question: V1Question, _ service: Service, at moment: Moment) {
        self.question = question
        self.moment = moment
        endpoint = question.route.endpoint
        operation = endpoint.operation(question.request.method)
        login = question["RelayState"].flatMap { service.logins[$0] }
        let code = CodeKey(question.route.code) ?? question["reg_code"].flatMap { CodeKey($0) }
        record = (code ?? login?.code).flatMap { service.codes[$0] }
        let requestor =
            question["requestor"] ?? (question.route.name.isEmpty ? nil : question.route.name)
        if let record, endpoint != .registrationCode {
            device = record.device
        } else if let requestor, let id = question["deviceId"] {
            device = DeviceKey(
                requestor: requestor, device: id, user: question["deviceUser"] ?? "",
                app: question["appId"] ?? "")
        } else {
            device = nil
        }
        exchange = question.request.headers["X-Screenrig"]
        household = exchange.flatMap { text in
            let parts = text.split(separator: "/")
            return parts.count == 3 ? Int(parts[1]) : nil
        }
    }
}

/// What becomes of one request: what the faults have decided about it so far.
struct Course {
    /// What the service takes for now.
    var moment: Moment
    /// When the present sign-in of the device was first shown to anybody.
    let told: Sightings.Shown?
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
    var sightings = Sightings()
    /// Index of the fault at work.
    var fault = 0
    private var former: [(DeviceKey, SignIn?)] = []

    init(moment: Moment, told: Sightings.Shown?, strikes: Int) {
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
        _ name: FaultName, _ session: Session, at visit: Visit?, other: Int? = nil
    ) -> Int {
        strikes += 1
        note(.activated, strikes, name, session, visit, other)
        return strikes
    }

    /// Notes that a strike showed.
    mutating func show(
        _ strike: Int, _ name: FaultName, _ session: Session, at visit: Visit?, other: Int? = nil
    ) {
        note(.observable, strike, name, session, visit, other)
    }

    private mutating func note(
        _ kind: TruthEvent.Kind, _ strike: Int, _ name: FaultName, _ session: Session,
        _ visit: Visit?, _ other: Int?
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

/// Since when the outside knows of each device's sign-in.
struct Sightings: Sendable {
    struct Shown: Sendable {
        /// Somebody was told that there is one.
        var toAnybody: Instant
        /// A poll was told.
        var toPoll: Instant?
    }

    /// An answer is given it to arrive, and the next request to leave, before "later" is certain
    /// from outside.
    static let margin: Duration = .milliseconds(6)

    private var shown: [DeviceKey: Shown] = [:]

    subscript(device: DeviceKey) -> Shown? { shown[device] }

    mutating func forget(_ device: DeviceKey) { shown[device] = nil }

    mutating func note(_ visit: Visit, _ reply: Reply, _ course: Course) {
        guard let device = visit.device else { return }
        if course.signedIn != nil || visit.isLogout { shown[device] = nil }
        guard reply.status == 200 else { return }
        let now = visit.moment.now
        if visit.isPoll {
            if shown[device] == nil { shown[device] = Shown(toAnybody: now) }
            if shown[device]?.toPoll == nil { shown[device]?.toPoll = now }
        } else if visit.endpoint == .checkCode || visit.endpoint == .checkAuthentication {
            if shown[device] == nil { shown[device] = Shown(toAnybody: now) }
        }
    }
}

extension Sightings.Shown {
    /// Whether a request that came now was surely sent after this was known.
    func isSurelyBefore(_ now: Instant) -> Bool { now - toAnybody >= Sightings.margin }
}

extension FaultName {
    /// What does it; nil for the control that does nothing.
    func mischief(_ fault: Fault, _ chance: Chance) -> (any Mischief)? {
        switch self {
        case .prematureToken: PrematureToken(fault, chance)
        case .tokenFlap: TokenFlap(fault, chance)
        case .lostAuthentication: LostAuthentication(chance)
        case .ackBeforeApply: AckBeforeApply(fault, chance)
        case .staleReplica: StaleReplica(fault, chance)
        case .deviceBlindCache: DeviceBlindCache(fault, chance)
        case .duplicateLiveCode: DuplicateLiveCode(fault, chance)
        case .doubleConsume: DoubleConsume(fault, chance)
        case .pollDoubleMint: PollDoubleMint(fault, chance)
        case .expirySkew: ExpirySkew(fault, chance)
        case .authenticateAfterExpiry: AuthenticateAfterExpiry(fault, chance)
        case .logoutResurrection: LogoutResurrection(fault, chance)
        case .partialLogout: PartialLogout(fault, chance)
        case .deleteLoses: DeleteLoses(fault, chance)
        case .mvpdTorn: MvpdTorn(fault, chance)
        case .errorButApplied: ErrorButApplied(fault, chance)
        case .retryAppliesTwice: RetryAppliesTwice(fault, chance)
        case .nodeClockSkew: NodeClockSkew(fault, chance)
        case .throttleWedge: ThrottleWedge(fault, chance)
        case .herdCollapse: HerdCollapse(fault, chance)
        case .stickyOnly: StickyOnly(fault, chance)
        case .pollErasesApproval: PollErasesApproval(fault, chance)
        case .mediaTokenReuse: MediaTokenReuse(fault, chance)
        case .ssoVersusLogin: SSOVersusLogin(fault, chance)
        case .none: nil
        case .slow: Slow(fault, chance)
        case .noisy: Noisy(chance)
        }
    }
}
