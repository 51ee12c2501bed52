/// How the stand-in behaves where the protocol leaves it open or allows a choice. The defaults are
/// those of rest-v1.md.
public struct ServiceSettings: Hashable, Sendable {
    /// How much of a client's neglect is overlooked.
    public enum Fidelity: String, CaseIterable, Sendable {
        /// Device information may be missing (rest-v1.md § 3.4); the approval shortcut works.
        case lenient
        /// Everything mandatory is demanded; no shortcuts.
        case strict
    }

    /// A leaky bucket: one request each `every`, and `burst` more at once (rest-v1.md § 14, A18).
    public struct ThrottleRule: Hashable, Sendable {
        public var every: Duration
        public var burst: Int

        public init(every: Duration = .seconds(1), burst: Int = 10) {
            self.every = every
            self.burst = burst
        }
    }

    /// A pay-TV provider that viewers sign in with.
    public struct Provider: Hashable, Sendable {
        public var id: String
        public var displayName: String
        /// Life of its sign-ins; nil: that of the service.
        public var authenticationTTL: Duration?
        /// Whether it tells anything about its users (U1).
        public var offersMetadata: Bool

        public init(
            id: String, displayName: String? = nil, authenticationTTL: Duration? = nil,
            offersMetadata: Bool = true
        ) {
            self.id = id
            self.displayName = displayName ?? id
            self.authenticationTTL = authenticationTTL
            self.offersMetadata = offersMetadata
        }
    }

    /// A channel: who asks for sign-ins.
    public struct Requestor: Hashable, Sendable {
        public var id: String
        public var name: String
        /// Registered domains, one of which each `domain_name` must be.
        public var domains: [String]
        /// Ids of the integrated providers; nil: all of them.
        public var providers: [String]?

        public init(
            id: String, name: String? = nil, domains: [String], providers: [String]? = nil
        ) {
            self.id = id
            self.name = name ?? id
            self.domains = domains
            self.providers = providers
        }
    }

    public var requestors: [Requestor]
    public var providers: [Provider]
    public var fidelity: Fidelity
    /// Nil: no throttling.
    public var throttle: ThrottleRule?
    /// Whether calls need an access token (A3).
    public var checksBearer: Bool
    public var codeTTL: Duration
    /// A longer `ttl` is turned down (§ 6, R1).
    public var longestCodeTTL: Duration
    public var authenticationTTL: Duration
    public var authorizationTTL: Duration
    public var mediaTTL: Duration
    public var accessTTL: Duration
    /// The first token answer deletes the code (A10).
    public var deleteOnFirstRetrieve: Bool
    /// Media tokens carry a true RSA signature, at 0.24 ms each (decisions.md, 19); else a keyed
    /// digest stands in its place, which no verifier accepts.
    public var signsMedia: Bool
    /// How many resources a preauthorization may list.
    public var preauthorizeLimit: Int
    /// Echoed in code records when the device names none (A8).
    public var registrationURL: String?
    /// `software_id`s whose statements are no longer approved.
    public var revokedSoftware: [String]

    public init(
        requestors: [Requestor] = [Requestor(id: "DEMOTV", domains: ["demo.test"])],
        providers: [Provider] = [
            Provider(id: "DemoCable", displayName: "Demo Cable"),
            Provider(id: "DemoSat", displayName: "Demo Sat"),
        ],
        fidelity: Fidelity = .lenient, throttle: ThrottleRule? = ThrottleRule(),
        checksBearer: Bool = true, codeTTL: Duration = .seconds(1800),
        longestCodeTTL: Duration = .seconds(36_000), authenticationTTL: Duration = .seconds(21_600),
        authorizationTTL: Duration = .seconds(86_400), mediaTTL: Duration = .seconds(420),
        accessTTL: Duration = .seconds(21_600), deleteOnFirstRetrieve: Bool = false,
        signsMedia: Bool = false, preauthorizeLimit: Int = 5, registrationURL: String? = nil,
        revokedSoftware: [String] = []
    ) {
        self.requestors = requestors
        self.providers = providers
        self.fidelity = fidelity
        self.throttle = throttle
        self.checksBearer = checksBearer
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
    }

    func requestor(_ id: String) -> Requestor? {
        requestors.first { $0.id == id }
    }

    /// The provider, if it exists and `requestor` is integrated with it.
    func provider(_ id: String, of requestor: Requestor) -> Provider? {
        guard requestor.providers?.contains(id) ?? true else { return nil }
        return providers.first { $0.id == id }
    }
}
