public import Dialects
public import Rigs

/// What all households of a run have in common: the part of the rig that devices need, resolved
/// against the target.
public struct RunConfiguration: Sendable {
    /// What each application speaks; the target's own is at nil.
    private var dialects: [Application?: any Dialect]
    public var polling: Rig.Polling
    public var code: Rig.CodeTerms
    public var clients: Target.ClientRegistration
    public var usesBearer: Bool
    private var statement: Secret
    /// Empty: what the configuration offers.
    public var providers: [Target.WeightedProvider]
    public var resources: [String]
    public var maxHops: Int
    /// The page where a login ends is asked for as well.
    public var fetchesRedirect: Bool
    public var settle: Duration
    /// How often a step is tried again after a fault or a lost answer: 1 + 2 + 4 + 8 s of waiting.
    public var retries = 4
    public var login: Rig.Login
    /// Nil: generated, one for each household.
    public var accounts: AccountPool?
    /// Households log out and delete their codes before they end.
    public var cleansUp: Bool
    /// Starts `login: {command: ...}`; nil where there are no processes, as in virtual time.
    public var loginProgram: (any UserProgram)?
    /// Who signs for the platform of a kind, by what its rig says; none: there is no such platform.
    public var platforms: [PlatformSignOn.Signer: Platform] = [:]
    /// Who says who a device's user is, for kinds with `single-sign-on` or a promotional TempPass.
    public var identities: IdentitySource?
    /// Microseconds since 1970 at instant zero, by which a device reads when its token expires; nil:
    /// it has no clock.
    public var startedMicroseconds: Int64?
    /// How long a household waits for its login program: as long as that may take, and its turn.
    public var loginLimit: Duration
    /// Takes pages that a login could not get past.
    public var pages: (any PageSink)?

    /// `statement`: where neither the target nor the kind has one. `dialect`: made once for each
    /// application.
    public init(_ rig: Rig, statement: Secret, dialect: (Application) -> any Dialect) {
        dialects = [nil: dialect(rig.target.application)]
        for application in rig.kinds.compactMap(\.application) {
            dialects[application] = dialect(application)
        }
        self.statement = rig.target.softwareStatement ?? statement
        polling = rig.polling
        code = rig.code
        clients = rig.target.clients
        usesBearer = rig.target.usesBearer
        providers = rig.target.mvpds
        resources = rig.target.resources
        maxHops = rig.target.maxHops
        fetchesRedirect = rig.target.fetchesRedirect
        settle = rig.load.settle
        login = rig.login
        loginLimit = rig.login.limit + .seconds(30)
        if case .listed(let list) = rig.accounts { accounts = AccountPool(list) }
        cleansUp = rig.cleansUp
    }

    /// What households of a kind speak.
    public func dialect(of kind: HouseholdKind) -> any Dialect {
        guard let dialect = dialects[kind.application] ?? dialects[nil] else {
            preconditionFailure("the target's own dialect is always there")
        }
        return dialect
    }

    /// What households of a kind register their clients with.
    func statement(of kind: HouseholdKind) -> Secret {
        kind.application?.softwareStatement ?? statement
    }

    /// Providers that households belong to, where the rig or its accounts say so.
    package var ownProviders: [Target.WeightedProvider] {
        providers.isEmpty ? accounts?.providers ?? [] : providers
    }

    /// The provider at `draw` (0..<1) of the weights, or of what the configuration offers.
    func provider(at draw: Double, offered: [Provider]) -> String? {
        let choices =
            providers.isEmpty
            ? offered.filter { !$0.isTempPass }.map {
                Target.WeightedProvider(id: $0.id, weight: 1)
            } : providers
        return Self.choice(of: choices, at: draw)
    }

    static func choice(of choices: [Target.WeightedProvider], at draw: Double) -> String? {
        let total = choices.reduce(0) { $0 + $1.weight }
        var left = Int(draw * Double(total))
        for choice in choices {
            left -= choice.weight
            if left < 0 { return choice.id }
        }
        return choices.last?.id
    }
}
