public import Vocabulary

/// Everything that a history is judged by. Held in the header of a history, so that judging again
/// needs no rig.
public struct Rules: Sendable, Hashable {
    /// Who has a limit of requests in common, as the service throttles.
    public enum ThrottledBy: String, Sendable, CaseIterable {
        /// Not found out: the throttle is not judged.
        case unknown
        /// The forwarded address, of which each device has its own.
        case device
        /// The forwarded address, which the devices of a home share.
        case household
        /// The forwarded address, which may be that of an earlier home, in this run or another: not judged, since
        /// nobody knows what is left of its limit.
        case repeated
        /// The peer's address, which all devices share: not judged.
        case peer
    }

    public var policies = Policies()
    public var promises = Promises()
    public var known: [KnownViolation] = []
    /// Whether tokens name the login that was typed. If not, what the service calls an account's user
    /// comes from the accounts file, or is learned from sign-ins (`UserLedger`).
    public var knowsUsers = true
    /// Whether viewers sign in with names that nobody but a household of this run has: who is shown by such a name is that
    /// household's, whatever else the service calls its users.
    public var inventsLogins = false
    /// Whether no device can have been known to the service before this run.
    public var devicesAreFresh = true
    /// One poll interval with its jitter, at least 5 s: a TV that polls so long after its phone was
    /// told "done" sees the token (rest-v1.md § 16; the interval is A19's).
    public var delivery: Duration = .milliseconds(5500)
    /// The protocols' own interval: no page promises to be faster (rest-v1.md § 16 and A19; RFC 8628, 3.2).
    public static let shortestDelivery: Duration = .seconds(5)
    /// No sign-in ends sooner by itself. Where an answer tells a sign-in's expiry, that counts.
    public var shortestSignIn: Duration = .seconds(300)
    /// Whether a code's record stays when the device has fetched its token (rest-v1.md, A10).
    public var recordsOutliveTokens = true
    /// The life that devices ask for with each code; nil when they ask for none.
    public var codeLifetime: Duration?
    public var throttledBy = ThrottledBy.unknown
    /// Households, one after another, that may be one home and have one forwarded address.
    public var householdsOfHome = 1
    /// Households, one after another, that may be apps of one device: 1, or 2.
    public var appsOfDevice = 1
    /// When rules of degraded access are active, of the providers of which that is known: of others degraded
    /// access is not judged.
    public var degradations: [Degradation] = []

    /// A rule that lets everybody in at a provider for a time (rest-v2.md § 10).
    public struct Degradation: Sendable, Hashable {
        public var mvpd: String
        /// Since the run began.
        public var from: Duration
        public var until: Duration

        public init(mvpd: String, from: Duration, until: Duration) {
            self.mvpd = mvpd
            self.from = from
            self.until = until
        }
    }

    /// The devices speak the OAuth device grant (RFC 8628).
    public var isDeviceGrant = false

    /// What is judged is a part of a run: answers to its households may belong to households of other parts. Nil: the whole.
    public var part: Part?

    /// What of a run is judged by itself.
    public enum Part: String, Sendable, Hashable { case shard, trial }

    /// Of a run that was merged from shards: what of several households may be compared, and how sharply.
    public var shards: ShardMap?

    /// When the run began, in microseconds since 1970.
    public var startedMicroseconds: Int64 = 0

    public init() {}
}
