/// The named faults (docs/stand-in.md, Misbehaviour), then the controls, which misbehave in no
/// way that a promise forbids.
public enum FaultName: String, CaseIterable, Sendable {
    case prematureToken = "premature-token"
    case tokenFlap = "token-flap"
    case lostAuthentication = "lost-authentication"
    case ackBeforeApply = "ack-before-apply"
    case staleReplica = "stale-replica"
    case deviceBlindCache = "device-blind-cache"
    case duplicateLiveCode = "duplicate-live-code"
    case doubleConsume = "double-consume"
    case pollDoubleMint = "poll-double-mint"
    case expirySkew = "expiry-skew"
    case authenticateAfterExpiry = "authenticate-after-expiry"
    case logoutResurrection = "logout-resurrection"
    case partialLogout = "partial-logout"
    case deleteLoses = "delete-loses"
    case mvpdTorn = "mvpd-torn"
    case errorButApplied = "error-but-applied"
    case retryAppliesTwice = "retry-applies-twice"
    case nodeClockSkew = "node-clock-skew"
    case throttleWedge = "throttle-wedge"
    case herdCollapse = "herd-collapse"
    case stickyOnly = "sticky-only"
    case pollErasesApproval = "poll-erases-approval"
    case mediaTokenReuse = "media-token-reuse"
    case ssoVersusLogin = "sso-vs-login"
    case lostSession = "lost-session"
    case lostAuthorization = "lost-authorization"
    case resourceSwap = "resource-swap"
    case none, slow, noisy

    /// Whether every promise holds in spite of it.
    public var isControl: Bool {
        switch self {
        case .none, .slow, .noisy: true
        default: false
        }
    }

    /// What it does, in one line.
    public var line: String {
        switch self {
        case .prematureToken: "a poll before the sign-in returns a default account"
        case .tokenFlap: "after the first token, polls return none for a while"
        case .lostAuthentication:
            "the phone's sign-in is confirmed, but no poll ever returns the token"
        case .ackBeforeApply: "the phone's sign-in is confirmed before polls return the token"
        case .staleReplica: "some polls go to a replica that lags"
        case .deviceBlindCache: "a token response is cached for all devices of the requestor"
        case .duplicateLiveCode: "codes come from a tiny space, without a check for codes in use"
        case .doubleConsume: "two sign-ins of one code both pass the check, then both act"
        case .pollDoubleMint: "each early poll mints a token with an expiry of its own"
        case .expirySkew: "one endpoint treats codes and tokens as expired too early or too late"
        case .authenticateAfterExpiry: "an expired code is still accepted for sign-ins"
        case .logoutResurrection: "a token that was logged out comes back"
        case .partialLogout: "logout leaves authorizations and media tokens valid"
        case .deleteLoses: "a deleted code stays usable for a while"
        case .mvpdTorn: "two concurrent logins are mixed: provider of one, user of the other"
        case .errorButApplied: "a request takes effect, but is answered with an error"
        case .retryAppliesTwice: "an assertion that seemed to fail is applied again"
        case .nodeClockSkew: "the timestamps of a code come from a node with clock skew"
        case .throttleWedge: "429 responses that violate the documented limits"
        case .herdCollapse: "simultaneous polls are slow or answered 503"
        case .stickyOnly: "only the node that handled a sign-in knows it"
        case .pollErasesApproval: "a poll overwrites a concurrent sign-in with what it read before"
        case .mediaTokenReuse: "a media token is issued twice, or is expired already"
        case .ssoVersusLogin: "concurrent platform sign-on and login: one token with fields of both"
        case .lostSession:
            "a sign-in is lost after a while: polls still return it, other calls do not"
        case .lostAuthorization: "an authorization disappears without a cause"
        case .resourceSwap: "a response about one resource names another"
        case .none: "control: no fault"
        case .slow: "control: every response is slow"
        case .noisy:
            "control: everything that the protocol allows, such as 5xx without effect, resets, XML, 410"
        }
    }

    /// The invariants that name it, likeliest first; none for controls.
    public var invariants: [String] {
        switch self {
        case .prematureToken: ["no-token-before-sign-in"]
        case .tokenFlap: ["token-monotonic"]
        // Late rather than lost, where the TV stops asking soon.
        case .lostAuthentication: ["sign-in-delivered", "sign-in-visible"]
        case .ackBeforeApply: ["sign-in-visible"]
        case .staleReplica: ["sign-in-visible", "token-monotonic", "logout-final"]
        case .deviceBlindCache: ["token-isolation"]
        case .duplicateLiveCode: ["code-unique"]
        case .doubleConsume: ["one-owner"]
        case .pollDoubleMint: ["one-token"]
        case .expirySkew, .authenticateAfterExpiry: ["expiry-respected"]
        case .logoutResurrection: ["logout-final"]
        case .partialLogout: ["logout-final", "authorization-gates"]
        case .deleteLoses: ["delete-final"]
        case .mvpdTorn, .ssoVersusLogin: ["one-token", "token-isolation"]
        case .errorButApplied: ["errors-have-no-effect"]
        case .retryAppliesTwice: ["retry-once", "one-token"]
        case .nodeClockSkew: ["clock-agreement"]
        case .throttleWedge: ["throttle-contract", "polling-ends"]
        case .herdCollapse: ["polling-ends"]
        case .stickyOnly:
            // Where two sign in, one is there for a while.
            ["path-independence", "sign-in-delivered", "sign-in-visible", "token-monotonic"]
        case .pollErasesApproval:
            ["sign-in-delivered", "token-monotonic", "sign-in-visible", "poll-is-pure"]
        case .mediaTokenReuse: ["authorization-gates"]
        case .lostSession: ["token-monotonic", "sign-in-visible"]
        case .lostAuthorization: ["authorization-gates"]
        case .resourceSwap: ["conforms"]
        case .none, .slow, .noisy: []
        }
    }

    /// What it takes, `probability` first.
    public var parameters: [FaultParameter] {
        func parameter(
            _ name: String, _ kind: FaultParameter.Kind, _ fallback: String, _ line: String
        ) -> FaultParameter {
            FaultParameter(name: name, kind: kind, fallback: fallback, line: line)
        }
        func window(_ line: String) -> FaultParameter {
            parameter("window", .duration, "30ms", line)
        }
        func nodes(_ line: String) -> FaultParameter {
            parameter("nodes", .count(2...16), "2", line)
        }
        let probability = parameter(
            "probability", .share, defaultProbability,
            "share of opportunities in which it is activated")
        let own: [FaultParameter]
        switch self {
        case .none: return []
        case .slow:
            return [
                parameter("delay", .duration, "200ms", "added to each response"),
                parameter("jitter", .share, "50%", "variation of the delay in both directions"),
            ]
        case .noisy, .lostAuthentication, .resourceSwap: own = []
        case .prematureToken: own = [window("from the first such poll on")]
        case .tokenFlap:
            own = [
                parameter("after", .duration, "0ms", "from the first token on"),
                window("for how long there is none"),
            ]
        case .ackBeforeApply: own = [window("from the answer to the act")]
        case .staleReplica:
            own = [
                nodes("of which one lags"),
                parameter("lag", .duration, "100ms", "how far behind it is"),
                parameter("read-share", .share, "50%", "of the polls that it answers"),
            ]
        case .deviceBlindCache:
            own = [
                parameter("ttl", .duration, "30ms", "life of a cached answer"),
                parameter("key", .word(["requestor"]), "requestor", "what the cache looks at"),
            ]
        case .duplicateLiveCode:
            own = [parameter("space", .count(1...1_000_000), "50", "how many codes there are")]
        case .doubleConsume: own = [window("between check and act")]
        case .pollDoubleMint: own = [window("from the sign-in on")]
        case .expirySkew:
            own = [
                parameter("skew", .signedDuration, "-2s", "how late (or early, with a minus)"),
                parameter(
                    "endpoint",
                    .word([
                        "registration-record", "delete-registration", "authenticate", "check-code",
                        "poll-token",
                    ]),
                    "registration-record", "which one"),
            ]
        case .authenticateAfterExpiry:
            own = [parameter("grace", .duration, "30s", "for how long after the expiry")]
        case .logoutResurrection:
            own = [parameter("delay", .duration, "30ms", "from the logout to the return")]
        case .partialLogout:
            own = [parameter("keep", .words(["authz", "media"]), "authz+media", "what stays")]
        case .deleteLoses: own = [window("for which the code stays")]
        case .mvpdTorn: own = [window("in which the other login began")]
        case .errorButApplied:
            own = [
                parameter(
                    "op",
                    .word(["assertion", "logout", "delete-registration", "registration-code"]),
                    "assertion", "what is answered so"),
                parameter("status", .word(["400", "500", "reset"]), "400", "how"),
            ]
        case .retryAppliesTwice: own = [window("from the first time to the second")]
        case .nodeClockSkew:
            own = [
                nodes("of which one is off"),
                parameter("skew", .signedDuration, "2s", "by how much it is ahead"),
            ]
        case .throttleWedge:
            own = [
                parameter(
                    "mode", .word(["never-recovers", "in-budget", "applies"]), "never-recovers",
                    "which part of the contract")
            ]
        case .herdCollapse:
            own = [
                parameter("rate", .rate, "200/s", "rate of polls that it can handle"),
                parameter("extra", .duration, "500ms", "added to polls beyond that rate"),
                parameter("error", .share, "50%", "share of those polls that are answered 503"),
            ]
        case .stickyOnly: own = [nodes("that share nothing of a sign-in")]
        case .pollErasesApproval: own = [window("from reading to writing back")]
        case .mediaTokenReuse:
            own = [
                parameter(
                    "mode", .word(["device", "resource", "expired"]), "device",
                    "whose token it is: another device's, another resource's, or one that is over")
            ]
        case .ssoVersusLogin: own = [window("in which both come")]
        case .lostSession:
            own = [
                parameter("after", .duration, "100ms", "from the sign-in to its loss"),
                parameter(
                    "seen-by", .word(["gated", "all"]), "gated",
                    "calls that say so: those that need a sign-in, or polls and checks too"),
            ]
        case .lostAuthorization:
            own = [parameter("after", .duration, "0ms", "from the authorization to its loss")]
        }
        return [probability] + own
    }

    private var defaultProbability: String {
        switch self {
        case .noisy: "2%"
        default: "100%"
        }
    }
}
