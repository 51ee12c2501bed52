/// What a request is in every sign-in protocol: a step of the abstract machine. Operations of different
/// protocols that are the same step are compared with each other, and judged by the same promises
/// (rest-v2.md § 16.1).
public enum SignInStep: UInt8, CaseIterable, Sendable {
    case registerClient, accessToken, configuration
    /// Asks whether somebody is signed in, before anything else.
    case checkSignIn
    case issueCode
    /// Either screen looks at a code, or completes what it stands for.
    case lookUpCode
    case deleteCode
    /// Pages and redirects from the code to the provider.
    case login
    /// The provider's word reaches the service: this makes the sign-in.
    case finishLogin
    /// The person says no, in protocols where the service hears of it.
    case refuse
    /// The first screen asks whether its code has led to a sign-in.
    case poll
    /// The second screen asks the same.
    case confirm
    case startPass, platformRequest, platformExchange
    case preauthorize, authorize, readAuthorization, mediaToken, metadata
    /// What a sign-in gave the device is exchanged for something newer.
    case renew
    /// Another app shows what was issued to this one.
    case otherClient
    case logout
    /// The provider's part of a logout.
    case logoutHop
    case connection

    /// In words, for comparisons: `first check`.
    public var name: String {
        switch self {
        case .registerClient: "register"
        case .accessToken: "access token"
        case .configuration: "configuration"
        case .checkSignIn: "first check"
        case .issueCode: "code"
        case .lookUpCode: "code look-up"
        case .deleteCode: "delete code"
        case .login: "login pages"
        case .finishLogin: "assertion"
        case .refuse: "refusal"
        case .poll: "TV's poll"
        case .confirm: "phone's check"
        case .startPass: "start of a TempPass"
        case .platformRequest: "platform request"
        case .platformExchange: "platform exchange"
        case .preauthorize: "preauthorize"
        case .authorize: "authorize"
        case .readAuthorization: "stored authorization"
        case .mediaToken: "media token"
        case .metadata: "user metadata"
        case .renew: "renewal"
        case .otherClient: "another app"
        case .logout: "logout"
        case .logoutHop: "provider's logout"
        case .connection: "connection"
        }
    }
}

extension OperationName {
    /// Whether a first screen asks by it again and again for its sign-in.
    public var isPoll: Bool { step(onFirstScreen: true) == .poll }

    /// Which step it is when a first or a second screen sends it.
    public func step(onFirstScreen isFirst: Bool) -> SignInStep {
        switch self {
        case .registerClient: .registerClient
        case .accessToken: .accessToken
        case .configuration, .serverMetadata: .configuration
        case .checkAuthentication, .profiles, .profilesByMVPD: .checkSignIn
        case .registrationCode, .createSession, .deviceAuthorization: .issueCode
        case .registrationRecord, .sessionByCode, .resumeSession: .lookUpCode
        case .deleteRegistration: .deleteCode
        case .authenticate, .mvpdLogin, .verificationPage: .login
        case .assertion, .approval: .finishLogin
        case .refusal: .refuse
        case .pollToken, .deviceToken: .poll
        case .profilesByCode: isFirst ? .poll : .confirm
        case .checkCode: .confirm
        case .freePreview: .startPass
        case .profileRequest, .partnerRequest: .platformRequest
        case .tokenExchange, .ssoProfile: .platformExchange
        case .preauthorize, .preauthorizeCode: .preauthorize
        case .authorize: .authorize
        case .authorizationToken: .readAuthorization
        case .mediaToken: .mediaToken
        case .userMetadata, .userinfo: .metadata
        case .refreshToken: .renew
        case .otherClientToken, .otherClientRefresh, .otherClientRevocation: .otherClient
        case .logout, .revocation: .logout
        case .mvpdLogout: .logoutHop
        case .connect, .tls: .connection
        }
    }
}
