public import Dialects
public import Rigs

/// What all households of a run have in common: the part of the rig that devices need, resolved
/// against the target.
public struct Terms: Sendable {
    public var dialect: any Dialect
    public var polling: Rig.Polling
    public var code: Rig.CodeTerms
    public var clients: Target.Clients
    public var usesBearer: Bool
    public var statement: Secret
    /// Empty: what the configuration offers.
    public var providers: [Target.WeightedProvider]
    public var resources: [String]
    public var maxHops: Int
    public var settle: Duration
    /// How often a step is tried again after a fault or a lost answer: 1 + 2 + 4 + 8 s of waiting.
    public var retries = 4

    public init(_ rig: Rig, dialect: any Dialect, statement: Secret) {
        self.dialect = dialect
        self.statement = rig.target.softwareStatement ?? statement
        polling = rig.polling
        code = rig.code
        clients = rig.target.clients
        usesBearer = rig.target.usesBearer
        providers = rig.target.mvpds
        resources = rig.target.resources
        maxHops = rig.target.maxHops
        settle = rig.load.settle
    }

    /// The provider at `draw` (0..<1) of the weights, or of what the configuration offers.
    func provider(at draw: Double, offered: [Provider]) -> String? {
        let choices =
            providers.isEmpty
            ? offered.map { Target.WeightedProvider(id: $0.id, weight: 1) } : providers
        let total = choices.reduce(0) { $0 + $1.weight }
        var left = Int(draw * Double(total))
        for choice in choices {
            left -= choice.weight
            if left < 0 { return choice.id }
        }
        return choices.last?.id
    }
}
