/// What a request is for, in words that hold for every protocol (`screenrig list`).
/// These names appear in reports, thresholds and cases.
public enum OperationName: UInt8, CaseIterable, Sendable {
    case registerClient, accessToken, checkAuthentication, configuration
    case registrationCode, registrationRecord, deleteRegistration
    case authenticate, mvpdLogin, assertion, checkCode
    case pollToken, freePreview, profileRequest, tokenExchange
    case preauthorize, preauthorizeCode, authorize, authorizationToken, mediaToken
    case userMetadata, logout
    case createSession, resumeSession, sessionByCode
    case profiles, profilesByMVPD, profilesByCode
    case partnerRequest, ssoProfile, mvpdLogout
    case serverMetadata, deviceAuthorization, verificationPage, approval, refusal, deviceToken
    case refreshToken, userinfo, revocation
    case otherClientToken, otherClientRefresh, otherClientRevocation
    case connect, tls
}

/// What holds of an operation in every protocol; rigs, devices, races, the judge and reports go by it.
public struct OperationTraits: OptionSet, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// It reads only.
    public static let read = Self(rawValue: 1)
    /// It is part of what an app does before anything else.
    public static let setup = Self(rawValue: 2)
    /// It can change what the service knows of a device.
    public static let changes = Self(rawValue: 4)
    /// A success shows that the device has a live sign-in (rest-v1.md § 10, § 11).
    public static let showsSignIn = Self(rawValue: 8)
    /// It reads, and is turned down where nobody is signed in.
    public static let needsSignIn = Self(rawValue: 16)
    /// What it tells is of the code that it names, and not of the device that asks.
    public static let aboutCode = Self(rawValue: 32)
    /// It asks about all resources of the target at once.
    public static let aboutResources = Self(rawValue: 64)
    /// It is about the authorization of one resource (rest-v1.md § 11).
    public static let aboutResource = Self(rawValue: 128)
    /// A rig may name it under `after-sign-in`.
    public static let activity = Self(rawValue: 256)
    /// A schedule may name it as a step.
    public static let raced = Self(rawValue: 512)
    /// It is made for a request and not asked for by it: counted apart, and never among the requests.
    public static let ofConnection = Self(rawValue: 1024)
}

extension OperationName {
    /// All that is said of an operation, once.
    public struct Declaration: Sendable {
        /// The spelling of `screenrig list`: `registration-code`.
        public let name: String
        /// What it is, in one line, and in sentences.
        public let line: String
        public let meaning: String
        /// Causes of failures that need no action by the server's team.
        public let harmless: String
        /// What to send to the server's team.
        public let send: String

        fileprivate init(
            _ name: String, _ line: String, _ meaning: String,
            harmless: String, send: String = exchange
        ) {
            self.name = name
            self.line = line
            self.meaning = meaning
            self.harmless = harmless
            self.send = send
        }
    }

    /// A server's team finds a request in its logs by these.
    private static let exchange =
        "operation, status, UTC time and request id of a few exchanges (report.html and "
        + "history.sqlite list them), and the X-Screenrig header of each request"

    public var declaration: Declaration { Self.declarations[Int(rawValue)] }
    public var name: String { Self.declarations[Int(rawValue)].name }
    /// Asked several times with each exchange, so that it is looked up in no table.
    @inlinable
    public func has(_ traits: OperationTraits) -> Bool { self.traits.isSuperset(of: traits) }

    @usableFromInline
    var traits: OperationTraits {
        switch self {
        case .registerClient, .accessToken: [.setup, .raced]
        case .checkAuthentication: [.read, .showsSignIn, .raced]
        case .configuration: [.read, .setup, .raced]
        case .registrationCode: [.changes, .raced]
        case .registrationRecord: [.read, .aboutCode, .raced]
        case .deleteRegistration: [.changes, .aboutCode, .raced]
        case .authenticate: [.aboutCode]
        case .mvpdLogin: []
        case .assertion: [.changes, .aboutCode]
        case .checkCode: [.read, .showsSignIn, .aboutCode, .raced]
        case .pollToken: [.read, .showsSignIn, .raced]
        case .freePreview: [.changes, .raced]
        case .profileRequest: [.read, .setup, .raced]
        case .tokenExchange: [.changes, .raced]
        case .preauthorize:
            [.read, .showsSignIn, .needsSignIn, .aboutResources, .activity, .raced]
        case .preauthorizeCode:
            [.read, .showsSignIn, .aboutCode, .aboutResources, .activity, .raced]
        case .authorize: [.changes, .showsSignIn, .aboutResource, .activity, .raced]
        case .authorizationToken:
            [.read, .showsSignIn, .needsSignIn, .aboutResource, .activity, .raced]
        case .mediaToken: [.showsSignIn, .needsSignIn, .aboutResource, .activity, .raced]
        case .userMetadata: [.read, .showsSignIn, .needsSignIn, .activity, .raced]
        case .logout: [.changes, .raced]
        case .createSession: [.changes, .raced]
        case .resumeSession: [.aboutCode, .raced]
        case .sessionByCode: [.read, .aboutCode, .raced]
        case .profiles, .profilesByMVPD: [.read, .showsSignIn, .raced]
        case .profilesByCode: [.read, .showsSignIn, .raced]
        case .partnerRequest: [.read, .setup, .raced]
        case .ssoProfile: [.changes, .raced]
        case .mvpdLogout: []
        case .serverMetadata: [.read, .setup, .raced]
        case .deviceAuthorization: [.changes, .raced]
        case .verificationPage: [.aboutCode, .raced]
        case .approval, .refusal: [.changes, .aboutCode, .raced]
        case .deviceToken: [.read, .showsSignIn, .raced]
        case .refreshToken: [.showsSignIn, .needsSignIn, .activity, .raced]
        case .userinfo: [.read, .showsSignIn, .needsSignIn, .activity, .raced]
        case .revocation: [.changes, .raced]
        case .otherClientToken, .otherClientRefresh, .otherClientRevocation: [.raced]
        case .connect, .tls: [.ofConnection]
        }
    }

    /// The operation spelled so, if there is one.
    public init?(name: String) {
        guard let position = Self.declarations.firstIndex(where: { $0.name == name }) else {
            return nil
        }
        self.init(rawValue: UInt8(position))
    }

    /// Those that a rig may name under `after-sign-in`; first those that need no resource.
    public static let activities =
        allCases.filter { $0.has(.activity) && !$0.needsResources }
        + allCases.filter { $0.has(.activity) && $0.needsResources }

    public var isOfConnection: Bool { has(.ofConnection) }
    /// Whether the provider answers it, not the service. Of a device grant these are the service's own pages.
    public var isOfProvider: Bool { self == .mvpdLogin || self == .mvpdLogout }
    /// Whether it ends what may be ended once only: a sign-in, a code, a token.
    public var endsSomething: Bool {
        self == .logout || self == .deleteRegistration || self == .revocation
    }
    public var needsAuthorization: Bool { has(.aboutResource) }
    public var needsResources: Bool { has(.aboutResource) || has(.aboutResources) }

    /// In the order of the cases.
    private static let declarations: [Declaration] = [
        Declaration(
            "register-client",
            "the application registers and gets a client id",
            "A device sends its software statement and gets client_id and client_secret.",
            harmless: "400 invalid_software_statement: the statement is of another environment, or "
                + "the rig gives none (target.software-statement)."),
        Declaration(
            "access-token",
            "a registered client gets a bearer token",
            "client_id and client_secret become an access token for all later calls.",
            harmless:
                "400 invalid_client: the service has cleared its registrations; the device registers again "
                + "automatically."),
        Declaration(
            "check-authentication",
            "the TV asks whether it is signed in",
            "200 means yes, 403 means no. The TV asks before it requests a code.",
            harmless:
                "403 is the normal response for a TV that is not signed in; it counts as pending."),
        Declaration(
            "configuration",
            "the phone asks for the list of providers",
            "The list of providers that the viewer chooses from.",
            harmless: "404: this environment does not know target.requestor."),
        Declaration(
            "registration-code",
            "the TV asks for a code to show",
            "A short code that the viewer types in, with its expiry.",
            harmless: "429: many TVs share one address; see forwarded-for."),
        Declaration(
            "registration-record",
            "the phone looks the code up",
            "Returns the device that the code belongs to, before the login begins.",
            harmless: "404: the viewer mistyped the code, or it has expired."),
        Declaration(
            "delete-registration",
            "the TV deletes its code",
            "The code no longer works afterwards. Sent with code.delete-after and at clean-up.",
            harmless: "404: the code had expired already."),
        Declaration(
            "authenticate",
            "the browser begins the login",
            "The first redirects, from the code to the provider's page. Each redirect is a "
                + "request of its own.",
            harmless: "400: the domain, the redirect address or the provider is not registered for "
                + "this requestor."),
        Declaration(
            "mvpd-login",
            "pages and forms of the provider",
            "The requests to the provider: its login page and the submitted form. A request after them that brings "
                + "nothing of SAML, OpenID Connect or WS-Federation is an assertion only where it leads back to the app: one "
                + "that fails is counted here, also where it is the service's own.",
            harmless: "The provider is slow; it is not the service under test.",
            send:
                "at the provider's address nothing to the service's team; to the provider: address, UTC time and status"
        ),
        Declaration(
            "assertion",
            "the provider's answer reaches the service",
            "The browser brings the provider's answer (SAML, OpenID Connect, WS-Federation) to the service, which completes "
                + "the sign-in; where none is seen, it is the hop that leads back to the app, and one that fails is an mvpd-login. A redirect means that "
                + "the service accepted the request, not that the sign-in succeeded: see check-code.",
            harmless: "error=access_denied in the redirect: the account may not watch this channel."
        ),
        Declaration(
            "check-code",
            "the phone asks whether the code is signed in",
            "200 or 403 after the login. The phone repeats it a few times, 1 to 2 s apart.",
            harmless: "One 403 just after the login: replication lag; it counts as pending."),
        Declaration(
            "poll-token",
            "the TV polls for its token",
            "One poll. 404 and 410 mean \"not yet\".",
            harmless:
                "404 is the normal response until the viewer has signed in; 429 if polling.every is "
                + "below the protocol's minimum."),
        Declaration(
            "free-preview",
            "a temporary pass without an account",
            "Signs a TV in for a limited time without a provider (temp-pass).",
            harmless: "Refused if the device has used its temporary pass before."),
        Declaration(
            "profile-request",
            "the TV asks for a profile of platform sign-on",
            "Returns the request that the TV passes to the platform's account.",
            harmless: "403: the owner of the platform account has not granted access."),
        Declaration(
            "token-exchange",
            "a platform profile becomes a token",
            "The service exchanges the platform's response for a sign-in.",
            harmless: "The platform account's session has expired."),
        Declaration(
            "preauthorize",
            "the TV asks which resources it may play",
            "Yes or no for each of several resources, without a reason.",
            harmless: "no for a resource that the account's package lacks; 403 too_many_resources: "
                + "target.resources lists too many."),
        Declaration(
            "preauthorize-code",
            "the phone asks which resources a code's sign-in may play",
            "Preauthorization by code instead of by device.",
            harmless: "412: the login is not complete yet."),
        Declaration(
            "authorize",
            "the TV asks to play one resource",
            "adobe-pass-v1: 200 with an expiry means yes, 403 means no. adobe-pass-v2: 200 with a "
                + "decision of each resource, and with yes a media token.",
            harmless:
                "403, or a decision that denies: the account may not play this resource; take another "
                + "from its package."),
        Declaration(
            "authorization-token",
            "the TV reads its standing authorization",
            "Returns what authorize granted before.",
            harmless: "404: nothing was authorized. 410: the authorization has expired."),
        Declaration(
            "media-token",
            "the short-lived token that a player needs",
            "A signed token for one resource, valid for minutes.",
            harmless: "403: the preceding authorize was refused."),
        Declaration(
            "user-metadata",
            "the provider's data about the user",
            "Attributes such as household id or rating, if the provider shares any.",
            harmless: "404: this provider shares no attributes."),
        Declaration(
            "logout",
            "the TV signs out",
            "adobe-pass-v1: 204, and no token of this device works any more. adobe-pass-v2: 200; the "
                + "profile of the provider that it names is gone, others stay.",
            harmless:
                "None known: a second logout is answered 204 again, in adobe-pass-v2 with 200 and invalid."
        ),
        Declaration(
            "create-session",
            "the TV asks for an authentication session and its code",
            "The TV names the provider if it knows it. The answer is a code to show, or says that the "
                + "device may ask for a decision at once.",
            harmless: "400 invalid_integration: the provider is not switched on for this service "
                + "provider. resume: the TV named no provider; the phone completes the session."),
        Declaration(
            "resume-session",
            "the phone completes a session with the provider that was chosen",
            "The phone adds what create-session lacked; this is also its check of the typed code.",
            harmless: "400 invalid_authentication_session: the viewer mistyped the code, or it has "
                + "expired."),
        Declaration(
            "session-by-code",
            "the phone looks a code up",
            "Returns the session of a code: the device, and what was chosen on it.",
            harmless: "400 invalid_authentication_session: the viewer mistyped the code, or it has "
                + "expired."),
        Declaration(
            "profiles",
            "the TV asks for all its profiles",
            "An empty list means that nobody is signed in. The TV asks before it creates a session.",
            harmless: "An empty list is the normal response for a TV that is not signed in; it "
                + "counts as pending."),
        Declaration(
            "profiles-by-mvpd",
            "the TV asks for its profile at one provider",
            "The check of a TV that was signed in before and has kept its provider.",
            harmless: "An empty list: the profile has expired, or ended by a logout. 403: the "
                + "temporary pass is used up."),
        Declaration(
            "profiles-by-code",
            "either screen asks whether a code has led to a profile",
            "The TV's poll, and the phone's check after the login: the same request.",
            harmless: "An empty list is the normal response until the viewer has signed in; 429 if "
                + "polling.every is below the protocol's minimum."),
        Declaration(
            "partner-request",
            "the TV asks for a partner's authentication request",
            "Returns the request that the TV passes to the platform's account, or a code for an "
                + "ordinary sign-in where the platform cannot help.",
            harmless: "pfs_fallback: the owner of the platform account has not granted access."),
        Declaration(
            "sso-profile",
            "a partner's response becomes a profile",
            "The service exchanges the platform's response for a profile.",
            harmless: "The platform account's session has expired."),
        Declaration(
            "mvpd-logout",
            "the browser part of a logout",
            "The redirects that end the session at the provider. The profile is gone before.",
            harmless: "The provider is slow; it is not the service under test.",
            send: "nothing to the service's team; to the provider: address, UTC time and status"),
        Declaration(
            "server-metadata",
            "the TV asks where the server's endpoints are",
            "The authorization server's metadata (RFC 8414, or OpenID Connect Discovery), from which "
                + "the TV takes the addresses of the other requests.",
            harmless: "404: the server publishes none at this address; write the paths under "
                + "target.device-grant."),
        Declaration(
            "device-authorization",
            "the TV asks for a device code and a user code",
            "The answer has the code to show, the address where it is typed in, the lifetime of both "
                + "codes and the interval of the polls (RFC 8628, 3.2). The device code is a secret.",
            harmless: "400 invalid_scope or invalid_client: target.device-grant names a scope or a "
                + "client that the server does not know."),
        Declaration(
            "verification-page",
            "the phone opens the page for the code, and types the code in",
            "The page at verification_uri, and the form or the link by which the code is entered "
                + "(RFC 8628, 3.3).",
            harmless:
                "A page that does not know the code: the viewer mistyped it, or it has expired."),
        Declaration(
            "approval",
            "the person lets the device in",
            "The request by which the person approves the device (RFC 8628, 3.3). What a page has "
                + "to say for it to count is approved-when of target.device-grant.",
            harmless: "A page that says no: the code was used already, or has expired."),
        Declaration(
            "refusal",
            "the person refuses the device",
            "The request by which the person turns the device down (RFC 8628, 3.3).",
            harmless: "A page that says no: the code was used already, or has expired."),
        Declaration(
            "device-token",
            "the TV polls for its token with the device code",
            "400 authorization_pending and slow_down mean \"not yet\"; the first adds nothing, the "
                + "second 5 s to the interval, for good (RFC 8628, 3.5).",
            harmless:
                "400 authorization_pending is the normal response until the person has decided; "
                + "access_denied if the person refused."),
        Declaration(
            "refresh-token",
            "the TV renews its access token",
            "A refresh token becomes a new access token (RFC 6749, 6).",
            harmless: "400 invalid_grant: the token was revoked, or replaced by a newer one."),
        Declaration(
            "userinfo",
            "the TV asks whose token it holds",
            "The user behind the access token, as target.device-grant reads it from the server's "
                + "answer (OpenID Connect Core, 5.3).",
            harmless:
                "401: the token has expired or was revoked. 403: its scope does not include it."),
        Declaration(
            "revocation",
            "the TV gives its token back",
            "200; afterwards the token no longer works (RFC 7009, 2).",
            harmless: "None known: a token that the server does not know is answered 200 as well."),
        Declaration(
            "other-client-token",
            "another app polls with the TV's device code",
            "A race asks for tokens with the TV's device code as target.device-grant.other-client. The code "
                + "was not issued to that app: 400 invalid_grant is the right answer (RFC 6749, 5.2).",
            harmless:
                "400 invalid_grant, 400 or 401 invalid_client: the server turned the app down."),
        Declaration(
            "other-client-refresh",
            "another app shows the TV's refresh token",
            "A race renews the TV's tokens as target.device-grant.other-client. A refresh token is bound to "
                + "the client that it was issued to (RFC 6749, 6): 400 invalid_grant is the right answer.",
            harmless:
                "400 invalid_grant, 400 or 401 invalid_client: the server turned the app down."),
        Declaration(
            "other-client-revocation",
            "another app gives the TV's token back",
            "A race revokes the TV's token as target.device-grant.other-client. The server has to refuse that "
                + "(RFC 7009, 2.1); the TV's next request with the token shows whether it did.",
            harmless: "200 without any effect on the token, or 400: the server turned the app down."
        ),
        Declaration(
            "connect",
            "opening a connection",
            "DNS, proxy and TCP, measured separately from the request.",
            harmless: "The first connection after a pause is slower: it needs a DNS lookup.",
            send: "local and remote address, UTC time"),
        Declaration(
            "tls",
            "the TLS handshake", "Measured separately from the request.",
            harmless: "Full handshakes are several times slower than resumed ones.",
            send: "remote address, UTC time, TLS version"),
    ]
}

extension OperationName: Comparable, CustomStringConvertible {
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    public var description: String { name }
}
