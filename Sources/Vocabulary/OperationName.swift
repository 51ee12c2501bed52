/// What a request is for, in words that hold for every protocol (`screenrig list`).
/// These names appear in reports, thresholds and cases.
public enum OperationName: UInt8, CaseIterable, Sendable {
    case registerClient, accessToken, checkAuthentication, configuration
    case registrationCode, registrationRecord, deleteRegistration
    case authenticate, mvpdLogin, assertion, checkCode
    case pollToken, freePreview, profileRequest, tokenExchange
    case preauthorize, preauthorizeCode, authorize, authorizationToken, mediaToken
    case userMetadata, logout
    case connect, tls

    /// The spelling of `screenrig list`: `registration-code`.
    public var name: String { Self.names[Int(rawValue)] }

    /// The operation spelled so, if there is one.
    public init?(name: String) {
        guard let position = Self.names.firstIndex(of: name) else { return nil }
        self.init(rawValue: UInt8(position))
    }

    /// Made for a request and not asked for by it: counted apart, and never among the requests.
    public var isOfConnection: Bool { self == .connect || self == .tls }

    /// About the authorization of one resource (rest-v1.md § 11).
    public var needsAuthorization: Bool {
        self == .authorize || self == .authorizationToken || self == .mediaToken
    }

    private static let names = [
        "register-client", "access-token", "check-authentication", "configuration",
        "registration-code", "registration-record", "delete-registration",
        "authenticate", "mvpd-login", "assertion", "check-code",
        "poll-token", "free-preview", "profile-request", "token-exchange",
        "preauthorize", "preauthorize-code", "authorize", "authorization-token", "media-token",
        "user-metadata", "logout",
        "connect", "tls",
    ]
}

extension OperationName: Comparable, CustomStringConvertible {
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    public var description: String { name }
}
