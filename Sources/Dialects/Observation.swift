/// Who signed in, as a token names it: the write that a read saw.
public struct Tag: Hashable, Sendable {
    public var mvpd: String
    public var user: String

    public init(mvpd: String, user: String) {
        self.mvpd = mvpd
        self.user = user
    }
}

/// What an answer says, in no dialect: the judge's view of an exchange. Times
/// are the service's own, in epoch milliseconds.
public struct Observation: Hashable, Sendable {
    public enum Result: UInt8, CaseIterable, Sendable {
        /// The operation took effect, or the thing asked for is there.
        case success
        /// Not there (yet).
        case absent
        /// It was there and is over.
        case expired
        /// Turned down; by the protocol this has no effect.
        case denied
        /// The answer carries no information about the service's state (429, blocked, lost).
        case none
        /// Turned down because nobody is signed in on the device that asks.
        case unauthenticated
        /// Turned down because what the device asks for is not authorized (any more).
        case unauthorized
        /// A login's hop led back to the app, and nothing in its request says that it brings the provider's answer: that
        /// hop may have signed in, or any since the credentials were posted.
        case ledBack
        /// A request brought the provider's answer, and its own answer leads on, by a redirect elsewhere than to the app or
        /// on a page: what comes until the browser is led back may be part of the same sign-in.
        case ledOn
    }

    public var result: Result
    /// The sign-in that the answer shows, or, of a request that makes one, the sign-in it asks for.
    public var tag: Tag?
    public var code: Code?
    public var resource: String?
    public var generated: Int64?
    public var expires: Int64?
    /// Identity of the record or token seen, where the answer carries one that is no secret; of user
    /// metadata, the subscription (`householdID`); of a request that makes a sign-in, the login, where
    /// `tag` has what the accounts file says that the service calls the user; `vouched` of an answer that lacks the profile
    /// which the request showed the platform's word for; of a configuration, the providers, separated by commas, whose platform
    /// sign-on it has switched off.
    public var record: String?
    public static let vouched = "vouched"
    public static let partnerLogout = "partner_logout"
    /// A secret seen (media token, access token); the journal keeps its fingerprint only.
    public var secret: Secret?
    /// Every profile that the answer shows, in protocols that have several; `tag` and the times are then
    /// those of the first.
    public var profiles: [Profile] = []

    @inline(__always)
    public init(
        _ result: Result, tag: Tag? = nil, code: Code? = nil, resource: String? = nil,
        generated: Int64? = nil, expires: Int64? = nil, record: String? = nil,
        secret: Secret? = nil, profiles: [Profile] = []
    ) {
        self.result = result
        self.tag = tag
        self.code = code
        self.resource = resource
        self.generated = generated
        self.expires = expires
        self.record = record
        self.secret = secret
        self.profiles = profiles
    }
}

/// A sign-in at one provider, as an answer shows it (rest-v2.md § 6). Times are the service's own, in
/// epoch milliseconds.
public struct Profile: Hashable, Sendable {
    /// How it came about, as the service spells it.
    public enum Kind: String, CaseIterable, Sendable {
        case regular, appleSSO, platformSSO, serviceTokenSSO, degraded, temporary

        /// It is another device's profile, seen by who shows the same identity.
        public var isView: Bool { self == .platformSSO || self == .serviceTokenSSO }
        /// Nobody signed in for it.
        public var isGiven: Bool { self == .degraded || self == .temporary }
    }

    public var mvpd: String
    /// Nil: the service gives an error in the place of the name.
    public var user: String?
    /// Nil: a word that the page does not have.
    public var kind: Kind?
    public var issuer: String
    public var notBefore: Int64
    public var notAfter: Int64

    public init(
        mvpd: String, user: String?, kind: Kind?, issuer: String, notBefore: Int64, notAfter: Int64
    ) {
        self.mvpd = mvpd
        self.user = user
        self.kind = kind
        self.issuer = issuer
        self.notBefore = notBefore
        self.notAfter = notAfter
    }
}

/// Where an answer left the protocol page, judged at capture against the dialect's table.
public struct Deviation: Hashable, Sendable, CustomStringConvertible {
    public enum Source: String, Sendable { case documented, reading, own }
    /// The rule and where it stands: `REST V1, R1: expires is a number`.
    public var rule: String
    /// What was found instead, without secrets.
    public var found: String
    public var source: Source

    public init(rule: String, found: String, source: Source = .documented) {
        self.rule = rule
        self.found = found
        self.source = source
    }

    public var description: String { "\(rule): \(found)" }
}
