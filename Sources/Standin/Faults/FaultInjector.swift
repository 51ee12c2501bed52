internal import Dialects
internal import Statistics

/// One fault at work. Each is a value with a memory of its own; what it does not care about it leaves
/// to the defaults.
protocol FaultInjector: Sendable {
    /// Nil: it does nothing.
    init?(_ fault: Fault, _ chance: Chance)
    /// Whether it acts.
    var chance: Chance { get set }
    /// See `Faults.retention`.
    var retention: Int64 { get }
    /// Before anything is read of the request.
    mutating func rewrite(_ request: inout ServiceRequest)
    /// Before the service answers: it may change what the service knows, or answer in its place.
    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext)
    /// After the service answered: it may change the reply, and what the service has come to know.
    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext)
    /// What it has scheduled under `ticket`.
    mutating func run(
        ticket: Int, _ service: inout Service, _ context: inout FaultContext)
}

extension FaultInjector {
    var retention: Int64 { 0 }
    mutating func rewrite(_ request: inout ServiceRequest) {}
    mutating func before(
        _ request: RequestContext, _ service: inout Service, _ context: inout FaultContext
    ) {}
    mutating func after(
        _ request: RequestContext, _ reply: inout Reply, _ service: inout Service,
        _ context: inout FaultContext
    ) {}
    mutating func run(
        ticket: Int, _ service: inout Service, _ context: inout FaultContext
    ) {}
}

/// Whether a fault is activated: by its probability, from its own seed, and of requests with a key by that.
struct Chance: Sendable {
    var dice: Dice
    private let seed: Seed
    private let probability: Double

    init(_ fault: Fault, seed: Seed) {
        self.seed = seed
        dice = seed.generator()
        probability = fault.kind.probability == nil ? 1 : fault["probability"].value
    }

    mutating func draw() -> Bool { dice.chance(probability) }

    /// What is drawn from now on is drawn for `key`.
    mutating func begin(_ key: DrawKey) { dice = key.seed(seed).generator() }
}

/// Which fault scheduled what.
struct FaultDeed: Hashable, Sendable {
    var fault: Int
    var ticket: Int
}
