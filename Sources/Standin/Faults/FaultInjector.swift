internal import Dialects
internal import Statistics

/// One fault at work. Each is a value with a memory of its own; what it does not care about it leaves
/// to the defaults.
protocol FaultInjector: Sendable {
    /// See `Faults.retention`.
    var retention: Int64 { get }
    /// Before anything is read of the request.
    mutating func rewrite(_ request: inout ServiceRequest)
    /// Before the service answers: it may change what the service knows, or answer in its place.
    mutating func before(
        _ visit: RequestContext, _ service: inout Service, _ course: inout FaultContext)
    /// After the service answered: it may change the reply, and what the service has come to know.
    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext)
    /// What it had put off under `ticket`.
    mutating func act(_ ticket: Int, _ service: inout Service, _ course: inout FaultContext)
}

extension FaultInjector {
    var retention: Int64 { 0 }
    mutating func rewrite(_ request: inout ServiceRequest) {}
    mutating func before(
        _ visit: RequestContext, _ service: inout Service, _ course: inout FaultContext
    ) {}
    mutating func after(
        _ visit: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ course: inout FaultContext
    ) {}
    mutating func act(_ ticket: Int, _ service: inout Service, _ course: inout FaultContext) {}
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

extension FaultName {
    /// What does it; nil for the control that does nothing.
    func injector(_ fault: Fault, _ chance: Chance) -> (any FaultInjector)? {
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
        case .lostSession: LostSession(fault, chance)
        case .lostAuthorization: LostAuthorization(fault, chance)
        case .resourceSwap: ResourceSwap(chance)
        case .none: nil
        case .slow: Slow(fault, chance)
        case .noisy: Noisy(chance)
        }
    }
}
