public import Statistics
public import Vocabulary

extension Rig {
    /// Settings of the embedded stand-in.
    public struct StandinTerms: Sendable, Hashable {
        /// A pay-TV provider, where the rig describes its own.
        public struct Provider: Sendable, Hashable {
            /// What it is to the platform's single sign-on (apple-sso.md § 3.5).
            public enum Platform: String, Sendable, CaseIterable {
                /// Nothing.
                case none
                /// Signs in on the platform.
                case supported
                /// Is listed there, and signs in elsewhere.
                case picker
                /// Signs in on the platform, and is not listed.
                case hidden
                /// Known and listed there, and switched off.
                case disabled
            }

            public var id: String
            public var platform: Platform
            /// Its platform sign-on is switched off so long after the start; nil: never.
            public var platformFor: Duration?
            /// `profile-request` or `token-exchange`, which it turns down; nil: none.
            public var platformRefuses: String?
            /// It leaves the configuration so long after the start; nil: never.
            public var integratedFor: Duration?
            /// Nil: no trial.
            public var passTime: Duration?
            /// Nil: `authn-ttl` of the stand-in.
            public var authnLifetime: Duration?
            public var offersMetadata: Bool
            public var encryptsZip: Bool
            /// The aggregator it stands behind; nil: none.
            public var proxy: String?

            public init(
                id: String, platform: Platform = .supported, passTime: Duration? = nil,
                authnLifetime: Duration? = nil, offersMetadata: Bool = true,
                encryptsZip: Bool = false, proxy: String? = nil, platformFor: Duration? = nil,
                platformRefuses: String? = nil, integratedFor: Duration? = nil
            ) {
                self.platformFor = platformFor
                self.platformRefuses = platformRefuses
                self.integratedFor = integratedFor
                self.id = id
                self.platform = platform
                self.passTime = passTime
                self.authnLifetime = authnLifetime
                self.offersMetadata = offersMetadata
                self.encryptsZip = encryptsZip
                self.proxy = proxy
            }
        }

        /// How it behaves where the protocol leaves it open: the rig's policies, but for what
        /// `standin.policies` and `standin.throttle` say.
        public var policies: Policies
        public var isStrict: Bool
        public var authnLifetime: Duration
        public var authzLifetime: Duration
        public var mediaLifetime: Duration
        public var accessLifetime: Duration
        public var deletesOnFirstRetrieve: Bool
        public var enhancedErrors: Bool
        /// Share of users, 0 to 1, who may watch nothing.
        public var unentitled: Double
        /// Media tokens with a true RSA signature, at 0.24 ms each.
        public var signsMedia: Bool
        public var verifiesStatements: Bool
        /// The file with the platform's key; nil: the demo key.
        public var platformKey: String?
        /// Tokens name users by ids that have nothing of the login in them.
        public var hasOpaqueUsers: Bool
        /// Providers' browser sessions outlive a sign-in.
        public var providersRemember: Bool
        /// Empty: those of `target.mvpds`, or the stand-in's own.
        public var providers: [Provider]
        /// Virtual time only: one way from device to service.
        public var latency: Distribution
        /// Virtual time only: share of requests that are lost, 0 to 1.
        public var loss: Double

        public init(
            policies: Policies = Policies(), isStrict: Bool = false,
            authnLifetime: Duration = .seconds(6 * 3600),
            authzLifetime: Duration = .seconds(24 * 3600),
            mediaLifetime: Duration = .seconds(420), accessLifetime: Duration = .seconds(6 * 3600),
            deletesOnFirstRetrieve: Bool = false, enhancedErrors: Bool = false,
            unentitled: Double = 0,
            signsMedia: Bool = false, verifiesStatements: Bool = true,
            hasOpaqueUsers: Bool = false, providersRemember: Bool = false,
            providers: [Provider] = [],
            latency: Distribution = .lognormal(median: .milliseconds(2), p95: .milliseconds(8)),
            loss: Double = 0, platformKey: String? = nil
        ) {
            self.platformKey = platformKey
            self.policies = policies
            self.isStrict = isStrict
            self.authnLifetime = authnLifetime
            self.authzLifetime = authzLifetime
            self.mediaLifetime = mediaLifetime
            self.accessLifetime = accessLifetime
            self.deletesOnFirstRetrieve = deletesOnFirstRetrieve
            self.enhancedErrors = enhancedErrors
            self.unentitled = unentitled
            self.signsMedia = signsMedia
            self.verifiesStatements = verifiesStatements
            self.hasOpaqueUsers = hasOpaqueUsers
            self.providersRemember = providersRemember
            self.providers = providers
            self.latency = latency
            self.loss = loss
        }
    }
}
