public import Statistics
public import Vocabulary

extension Rig {
    /// Settings of the embedded stand-in.
    public struct StandinTerms: Sendable, Hashable {
        /// A pay-TV provider, where the rig describes its own.
        public struct Provider: Sendable, Hashable {
            /// What it is to the platform's single sign-on (apple-sso.md § 3.5).
            public enum Platform: String, Sendable, CaseIterable {
                /// Signs in on the platform.
                case supported
                /// Is listed there, and signs in elsewhere.
                case picker
                /// Signs in on the platform, and is not listed.
                case hidden
                /// Known and listed there, and switched off.
                case disabled
                /// Nothing.
                case none
            }

            /// A page that leads on to the login page without anybody's doing.
            public enum Interstitial: String, Sendable, CaseIterable {
                /// There is none.
                case none
                /// By `location.href = "..."`.
                case script
                /// By `<meta http-equiv="refresh">`.
                case refresh
            }

            public var id: String
            public var platform: Platform = .supported
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
            /// How many resources a trial is good for; nil: any number, and it is not a promotional one.
            public var passResources: Int?
            /// Its sign-ins are shared by platform identity and service token.
            public var sharesIdentity: Bool = true
            /// It can be logged out of in a browser.
            public var hasLogoutPage: Bool = true
            public var offersMetadata: Bool = true
            public var encryptsZip: Bool = false
            /// What its address shows before the login page.
            public var interstitial: Interstitial = .none
            /// The aggregator it stands behind; nil: none.
            public var proxy: String?
        }

        /// A provider that is stood in for during some of the run (rest-v2.md § 10).
        public struct Degradation: Sendable, Hashable {
            public enum Rule: String, Sendable, CaseIterable {
                case authNAll = "AuthNAll"
                case authZAll = "AuthZAll"
                case authZNone = "AuthZNone"
            }

            public var mvpd: String
            public var rule: Rule
            /// From the start of the service.
            public var from: Duration = .zero
            public var until: Duration = .zero
            /// What denials say.
            public var message: String?
        }

        /// How clients have to show who they are.
        public enum ClientAuth: String, Sendable, CaseIterable {
            /// By an access token.
            case bearer
            /// By an access token or the older HMAC header of REST V1 (observed.md).
            case any
            case none
        }

        /// Who is trusted to have signed the answers of a platform.
        public enum PlatformTrust: Sendable, Hashable {
            /// The demo platform.
            case demo
            /// The key in a file: a private one signs profile requests as well.
            case key(String)
            /// Anybody.
            case any
        }

        /// Whose signature a service token must bear (rest-v2.md § 8.2).
        public enum IdentityKeys: String, Sendable, CaseIterable {
            case demo, any
        }

        /// How it behaves where the protocol leaves it open: the rig's policies, but for what
        /// `standin.policies` and `standin.throttle` say.
        public var policies: Policies = Policies()
        public var isStrict: Bool = false
        /// Nil: as `target.auth`.
        public var auth: ClientAuth?
        /// Empty: those of the target and the kinds.
        public var requestors: [String] = []
        /// Empty: that of the target.
        public var domains: [String] = []
        /// Replicas behind one address.
        public var nodes = 1
        /// Of codes whose life the device does not choose.
        public var codeLifetime: Duration = .seconds(1800)
        /// `interval` of the OAuth device grant, in whole seconds; zero: polls are not counted.
        public var interval: Duration = .seconds(5)
        public var authnLifetime: Duration = .seconds(6 * 3600)
        public var authzLifetime: Duration = .seconds(24 * 3600)
        public var mediaLifetime: Duration = .seconds(420)
        public var accessLifetime: Duration = .seconds(6 * 3600)
        public var deletesOnFirstRetrieve: Bool = false
        public var enhancedErrors: Bool = false
        /// Share of users, 0 to 1, who may watch nothing.
        public var unentitled: Double = 0
        /// Media tokens with a true RSA signature, at 0.24 ms each.
        public var signsMedia: Bool = false
        public var verifiesStatements: Bool = true
        public var platformKey: PlatformTrust = .demo
        /// Tokens name users by ids that have nothing of the login in them.
        public var hasOpaqueUsers: Bool = false
        /// Providers' browser sessions outlive a sign-in.
        public var providersRemember: Bool = false
        public var identityKeys: IdentityKeys = .demo
        public var degradations: [Degradation] = []
        /// Empty: those of `target.mvpds`, or the stand-in's own.
        public var providers: [Provider] = []
        /// Virtual time only: one way from device to service.
        public var latency: Distribution = .lognormal(
            median: .milliseconds(2), p95: .milliseconds(8))
        /// Virtual time only: share of requests that are lost, 0 to 1.
        public var loss: Double = 0
    }
}

extension Rig.StandinTerms: RigSection {
    static let blank = Rig.StandinTerms()
    static let keys: [Key<Rig.StandinTerms>] = [
        Key(
            "throttle",
            .either(
                .words(("contract", .contract), ("off", .off)),
                .from(.section) { .limit($0) }),
            set: { (standin, throttle: StandinThrottle) in
                switch throttle {
                case .contract: break
                case .off: standin.policies.throttle = nil
                case .limit(let limit): standin.policies.throttle = limit
                }
            }, default: "contract",
            "contract: policies.throttle for each forwarded address. {rate: 2/s, burst: 5}: "
                + "another limit."),
        Key(
            "fidelity", .words(("lenient", false), ("strict", true)), into: \.isStrict,
            "strict: reject requests that the protocol forbids, although real services accept them."
        ),
        Key(
            "enhanced-errors", .scalar(.flag), into: \.enhancedErrors,
            "Error bodies with action, code, help and trace."),
        Key(
            "not-entitled", .scalar(.share), into: \.unentitled,
            "Share of users who may not play anything: authorize answers 403."),
        Key(
            "auth", .words(), ifGiven: \.auth, example: "bearer",
            "How clients show who they are. bearer: by an access token. any: by one or, in REST V1, by the "
                + "older HMAC header, whose signature is not checked. none: not at all. Default: "
                + "target.auth. With fidelity lenient, second screens need none."),
        Key(
            "requestors", .list(.scalar(.shownText)), into: \.requestors, default: "[]",
            example: "[DEMOTV, SISTERTV]",
            alternative: true,
            "Ids of the programmers that it knows. Default: those of target and kinds."),
        Key(
            "domains", .list(.scalar(.shownText)), into: \.domains, default: "[]",
            example: "[demo.test, adobe.com]",
            alternative: true,
            "Domains that are registered for each of them. Default: target.domain."),
        Key(
            "nodes", .scalar(.count(1...16)), into: \.nodes,
            "Replicas behind one address. A device stays with one by a cookie (STANDIN_NODE), and each "
                + "answer names its own (X-Served-By). They share what they know, but for the faults "
                + "stale-replica, sticky-only and node-clock-skew."),
        Key(
            "code-ttl", .scalar(.duration), into: \.codeLifetime,
            "Lifetime of a code where the device asks for none (always in REST V2 and the device grant)."
        ),
        Key(
            "interval", .scalar(.duration), into: \.interval,
            "oauth-device-grant: the interval that TVs must keep between polls, in whole seconds. "
                + "0s: no limit."),
        Key(
            "authn-ttl", .scalar(.duration), into: \.authnLifetime, "Lifetime of a sign-in."),
        Key(
            "authz-ttl", .scalar(.duration), into: \.authzLifetime, "Lifetime of an authorization."),
        Key(
            "media-ttl", .scalar(.duration), into: \.mediaLifetime, "Lifetime of a media token."),
        Key(
            "access-ttl", .scalar(.duration), into: \.accessLifetime, "Lifetime of an access token."
        ),
        Key(
            "delete-on-first-retrieve", .scalar(.flag), into: \.deletesOnFirstRetrieve,
            "A code is deleted when its token is fetched."),
        Key(
            "sign-media", .scalar(.flag), into: \.signsMedia,
            "Sign media tokens with RSA, so that they can be verified; costs 0.24 ms each."),
        Key(
            "verify-statements", .scalar(.flag), into: \.verifiesStatements,
            "Accept only software statements signed with the demo key."),
        Key(
            "platform-key",
            .from(.scalar(.text)) { text, marks, _ in
                text == "any" ? PlatformTrust.any : .key(marks.place.path(text))
            }, set: { $0.platformKey = $1 }, example: "platform-demo.pem",
            "File next to the rig with the RSA key of the trusted platform: a private key, or the public "
                + "key of somebody else's platform. any: every platform is trusted, signed or not. "
                + "Default: the demo key."),
        Key(
            "user-ids", .words(("login", false), ("opaque", true)), into: \.hasOpaqueUsers,
            "User ids in tokens. login: the name that the viewer typed. opaque: an id chosen by "
                + "the service, as with real services."),
        Key(
            "providers-remember", .scalar(.flag), into: \.providersRemember,
            "A provider remembers a browser and skips its login page until a logout."),
        Key(
            "providers", .list(.section), into: \.providers,
            example:
                "[{id: DemoCable, encrypted-zip: true, interstitial: script}, {id: DemoSat, platform: picker, "
                + "metadata: true}, {id: DemoNet, platform-for: 20s, platform-refuses: "
                + "token-exchange, integrated-for: 1h, browser-logout: true}, {id: TempPass, temp-pass: "
                + "10m}, {id: PromoPass, temp-pass: 10m, temp-pass-resources: 2}]",
            "The stand-in's providers. Default: those of target.mvpds, all on the platform, or "
                + "else DemoCable and DemoSat (picker); in both cases also TempPass."),
        Key(
            "identity-keys", .words(), into: \.identityKeys,
            "REST V2: service tokens that are trusted. demo: those signed with the demo key. any: "
                + "every signed one."),
        Key(
            "degrade", .list(.section), into: \.degradations, default: "[]",
            example: "[{mvpd: DemoCable, rule: AuthNAll, from: 20s, until: 40s}, {mvpd: DemoSat, "
                + "rule: AuthZNone, until: 10s, message: back soon}]", alternative: true,
            "REST V2: providers in degraded access for part of the run."),
        Key(
            "policies", section: \.policies, keys: Policies.differing,
            example: "{code-reuse: until-expiry}",
            "Policies in which the stand-in differs from the rig's, to test the checker."),
        Key(
            "network", section: \.self, keys: network,
            "The network between device and service in virtual time."),
    ]

    private static let network: [Key<Rig.StandinTerms>] = [
        Key(
            "latency", .scalar(.distribution), into: \.latency,
            default: "lognormal(median 2ms, p95 8ms)", "One-way latency."),
        Key(
            "loss", .scalar(.share), into: \.loss, "Share of lost requests."),
    ]

    mutating func check(_ marks: Marks, _ reader: inout ValueReader) {
        if marks["interval"].isWhole, interval.components.attoseconds != 0 {
            reader.refuse(
                marks["interval"].place,
                "interval is told in whole seconds (RFC 8628, 3.2); write for example 1s")
        }
        var ids: Set<String> = []
        for (provider, marks) in zip(providers, marks["providers"].items)
        where marks.isWhole && !ids.insert(provider.id).inserted {
            reader.refuse(
                marks["id"].place,
                "duplicate provider '\(provider.id)'; give each provider its own id")
        }
    }
}

/// `standin.throttle`: that of the policies, none, or another.
private enum StandinThrottle: Equatable {
    case contract, off
    case limit(Policies.Throttle)
}

extension Rig.StandinTerms.Provider: RigSection {
    public init(id: String) {
        self.id = id
    }

    static let blank = Rig.StandinTerms.Provider(id: "")
    static let keys: [Key<Rig.StandinTerms.Provider>] = [
        Key(
            "id", .scalar(.shownText), into: \.id, required: true, example: "DemoCable",
            "The provider's id."),
        Key(
            "platform", .words(), set: { $0.platform = $1 }, example: "picker",
            "supported: signs in on the platform. picker: only listed there. hidden: not listed. "
                + "disabled: known and listed, but switched off (enablePlatformServices: false). "
                + "none: unknown there. Default: supported, except for a TempPass."),
        Key(
            "platform-for", .scalar(.duration), ifGiven: \.platformFor, example: "20s",
            "Its platform sign-on is switched off this long after the service has started."),
        Key(
            "platform-refuses",
            .words(
                ("none", nil), ("profile-request", "profile-request"),
                ("token-exchange", "token-exchange")), into: \.platformRefuses,
            "Reject this request of the platform sign-on, although the configuration offers it."),
        Key(
            "integrated-for", .scalar(.duration), ifGiven: \.integratedFor, example: "20s",
            "It is removed from the configuration this long after the service has started."),
        Key(
            "temp-pass", .scalar(.duration), ifGiven: \.passTime, example: "10m",
            "A TempPass that lasts this long from its first authorization."),
        Key(
            "temp-pass-resources", .scalar(.count(1...100_000)), ifGiven: \.passResources,
            example: "3",
            "REST V2: a promotional TempPass, for this many resources."),
        Key(
            "single-sign-on", .scalar(.flag), into: \.sharesIdentity,
            "REST V2: its sign-ins are shared by platform identity and service token."),
        Key(
            "browser-logout", .scalar(.flag), into: \.hasLogoutPage,
            "REST V2: a logout continues in a browser."),
        Key(
            "authn-ttl", .scalar(.duration), ifGiven: \.authnLifetime, example: "1h",
            "Lifetime of its sign-ins."),
        Key(
            "metadata", .scalar(.flag), into: \.offersMetadata, "Returns user metadata."),
        Key(
            "encrypted-zip", .scalar(.flag), into: \.encryptsZip,
            "Encrypts the postal code for the programmer."),
        Key(
            "interstitial", .words(), into: \.interstitial,
            "A page in front of its login page that leads on by a script (location.href = ...) or by a "
                + "refresh."),
        Key(
            "proxy", .scalar(.shownText), ifGiven: \.proxy, example: "DemoHub",
            "The aggregator in front of it."),
    ]

    mutating func check(_ marks: Marks, _ reader: inout ValueReader) {
        if passTime != nil, !marks.gives("platform") { platform = .none }
        if passResources != nil, passTime == nil {
            reader.refuse(
                marks["temp-pass-resources"].place,
                "'temp-pass-resources' needs a trial; add for example temp-pass: 10m")
        }
    }
}

extension Rig.StandinTerms.Degradation: RigSection {
    static let blank = Rig.StandinTerms.Degradation(mvpd: "", rule: .authNAll)
    static let keys: [Key<Rig.StandinTerms.Degradation>] = [
        Key(
            "mvpd", .scalar(.shownText), into: \.mvpd, required: true, example: "DemoCable",
            "The provider."),
        Key(
            "rule", .words(), set: { $0.rule = $1 }, required: true, example: "AuthNAll",
            "AuthNAll: everybody counts as signed in. AuthZAll: everything is permitted. "
                + "AuthZNone: nothing is."),
        Key(
            "from", .scalar(.duration), into: \.from, default: "0s",
            "When it begins, from the start of the run."),
        Key(
            "until", .scalar(.duration), set: { $0.until = $1 }, required: true, example: "40s",
            "When it ends, from the start of the run."),
        Key(
            "message", .scalar(.shownText), ifGiven: \.message, example: "back soon",
            "What denials tell the viewer."),
    ]

    mutating func check(_ marks: Marks, _ reader: inout ValueReader) {
        if marks["until"].isWhole, until <= from {
            reader.refuse(
                marks["until"].place, "'until' is not after 'from'; end the rule later")
        }
    }
}
