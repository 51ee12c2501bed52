internal import Signing
public import Vocabulary

/// How the stand-in behaves where the protocol leaves it open or allows a choice. The defaults are
/// those of rest-v1.md and rest-v2.md.
public struct ServiceSettings: Hashable, Sendable {
    /// How much of a client's neglect is overlooked.
    public enum Fidelity: String, CaseIterable, Sendable {
        /// Device information may be missing (rest-v1.md § 3.4); the approval shortcut works.
        case lenient
        /// Everything mandatory is demanded; no shortcuts.
        case strict
    }

    /// A channel: who asks for sign-ins.
    public struct Requestor: Hashable, Sendable {
        public var id: String
        public var name: String
        /// Registered domains, one of which each `domain_name` must be.
        public var domains: [String]
        /// Ids of the integrated providers; nil: all of them.
        public var providers: [String]?
        /// Whether it has opted in to enhanced errors (§ 4).
        public var enhancedErrors: Bool

        public init(
            id: String, name: String? = nil, domains: [String], providers: [String]? = nil,
            enhancedErrors: Bool = false
        ) {
            self.id = id
            self.name = name ?? id
            self.domains = domains
            self.providers = providers
            self.enhancedErrors = enhancedErrors
        }
    }

    /// How clients have to show who they are.
    public enum ClientAuth: String, CaseIterable, Sendable {
        /// By an access token (rest-v1.md, A3).
        case bearer
        /// By an access token, or in REST V1 by the older HMAC header (observed.md), which nobody here can
        /// check: the secret behind it is the vendor's.
        case any
        /// Not at all.
        case none
    }

    /// Whose signature an identity service's token must bear.
    public enum IdentityKeys: String, CaseIterable, Sendable {
        /// A demo key's.
        case demo
        /// Anybody's.
        case any
    }

    /// The device grant's own (RFC 8628).
    public struct Grants: Hashable, Sendable {
        /// The app that is registered: `client_id`.
        public var client = "tv"
        /// Of a confidential client; nil: a public one.
        public var secret: String?
        /// A second app; nil: there is one only.
        public var otherClient: String?
        public var otherSecret: String?
        /// What a device is asked to leave between polls: whole seconds; zero: polls are not counted.
        public var interval: Duration = .seconds(5)

        public init() {}
    }

    public var requestors: [Requestor]
    public var providers: [Provider]
    public var grants = Grants()
    public var fidelity: Fidelity
    /// What the protocol leaves open, and the budget of each device.
    public var policies: Policies
    public var auth: ClientAuth
    public var codeTTL: Duration
    /// A longer `ttl` is turned down (§ 6, R1).
    public var longestCodeTTL: Duration
    public var authenticationTTL: Duration
    public var authorizationTTL: Duration
    public var mediaTTL: Duration
    public var accessTTL: Duration
    /// The first token answer deletes the code (A10).
    public var deleteOnFirstRetrieve: Bool
    /// Media tokens carry a true RSA signature, at 0.24 ms each; else a keyed
    /// digest stands in its place, which no verifier accepts.
    public var signsMedia: Bool
    /// Access tokens carry a true RSA signature; else drawn bytes stand in its place. Devices do not read
    /// them, and the service looks them up, so only who looks on over sockets can tell.
    public var signsAccess = true
    /// How many resources a preauthorization may list.
    public var preauthorizeLimit: Int
    /// How many resources a decision may be asked for at once (rest-v2.md § 7).
    public var authorizeLimit: Int
    /// Which service tokens name a user (rest-v2.md § 8.2).
    public var identityKeys: IdentityKeys
    /// Providers that are stood in for, and when (rest-v2.md § 10).
    public var degradations: [Degradation]
    /// Echoed in code records when the device names none (A8).
    public var registrationURL: String?
    /// `software_id`s whose statements are no longer approved.
    public var revokedSoftware: [String]
    /// Errors carry `action`, `code`, `trace` … for every requestor (§ 4).
    public var enhancedErrors: Bool
    /// Users have ids of the service's own, the same at each sign-in, instead of their logins.
    public var hasOpaqueUsers: Bool
    /// A provider's browser session outlives a sign-in: the next login in that browser asks for
    /// nothing, until a logout through the browser ends it (A12).
    public var providersRemember: Bool
    /// Signs profile requests, if it is a private key, and is trusted to have signed their answers; nil: the
    /// demo key.
    public var platformKey: PlatformKey?
    /// Answers to profile requests need no good signature.
    public var trustsAnyPlatform = false
    /// Replicas behind one address, 1 to 16. They share what they know, unless a fault says otherwise.
    public var nodes = 1
    /// Software statements must bear the demo key's signature; else any JWT shape will do.
    public var checksStatements: Bool
    /// Share of users, 0 to 1, whose package includes no channel; which they are, their names decide.
    public var unentitled: Double

    public init(
        requestors: [Requestor] = [Requestor(id: "DEMOTV", domains: ["demo.test"])],
        providers: [Provider] = [
            Provider(
                id: "DemoCable", displayName: "Demo Cable",
                platform: .init(mappingID: "demo-cable", boarding: .supported)),
            Provider(
                id: "DemoSat", displayName: "Demo Sat",
                platform: .init(mappingID: "demo-sat", boarding: .picker)),
            .tempPass(),
        ],
        fidelity: Fidelity = .lenient, policies: Policies = Policies(),
        auth: ClientAuth = .bearer, codeTTL: Duration = .seconds(1800),
        longestCodeTTL: Duration = .seconds(36_000), authenticationTTL: Duration = .seconds(21_600),
        authorizationTTL: Duration = .seconds(86_400), mediaTTL: Duration = .seconds(420),
        accessTTL: Duration = .seconds(21_600), deleteOnFirstRetrieve: Bool = false,
        signsMedia: Bool = false, preauthorizeLimit: Int = 5, registrationURL: String? = nil,
        revokedSoftware: [String] = [], enhancedErrors: Bool = false,
        hasOpaqueUsers: Bool = false,
        providersRemember: Bool = false, checksStatements: Bool = true,
        platformKey: PlatformKey? = nil, unentitled: Double = 0, authorizeLimit: Int = 1,
        identityKeys: IdentityKeys = .demo, degradations: [Degradation] = []
    ) {
        self.authorizeLimit = authorizeLimit
        self.identityKeys = identityKeys
        self.degradations = degradations
        self.platformKey = platformKey
        self.requestors = requestors
        self.providers = providers
        self.fidelity = fidelity
        self.auth = auth
        self.codeTTL = codeTTL
        self.longestCodeTTL = longestCodeTTL
        self.authenticationTTL = authenticationTTL
        self.authorizationTTL = authorizationTTL
        self.mediaTTL = mediaTTL
        self.accessTTL = accessTTL
        self.deleteOnFirstRetrieve = deleteOnFirstRetrieve
        self.signsMedia = signsMedia
        self.preauthorizeLimit = preauthorizeLimit
        self.registrationURL = registrationURL
        self.revokedSoftware = revokedSoftware
        self.enhancedErrors = enhancedErrors
        self.policies = policies
        self.hasOpaqueUsers = hasOpaqueUsers
        self.providersRemember = providersRemember
        self.checksStatements = checksStatements
        self.unentitled = unentitled
    }

    /// Whether that user may watch anything: the same answer in every run, so that one account is
    /// never told this today and that tomorrow.
    func entitles(_ user: String) -> Bool {
        guard unentitled > 0 else { return true }
        let digest = SHA256.digest("package of \(user)").prefix(4)
        let draw = digest.reduce(0) { $0 << 8 | UInt64($1) }
        return Double(draw) >= unentitled * 4_294_967_296
    }

    func requestor(_ id: String) -> Requestor? {
        requestors.first { $0.id == id }
    }

    /// The provider of that id, whoever is integrated with it.
    func provider(_ id: String) -> Provider? {
        providers.first { $0.id == id }
    }

    /// The provider, if it exists and `requestor` is integrated with it.
    func provider(_ id: String, of requestor: Requestor) -> Provider? {
        guard requestor.providers?.contains(id) ?? true else { return nil }
        return providers.first { $0.id == id }
    }
}
