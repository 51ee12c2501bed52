internal import Dialects
internal import Formats
internal import Vocabulary

/// What a V1 request is for, by its path (rest-v1.md § 2). Numbers are those of the table.
enum V1Endpoint: Hashable, Sendable {
    case register, token  // D1, D2
    case registrationCode  // R1
    case registrationRecord  // R2, R3
    case configuration  // C1
    case authenticate, saml, loginPage, loginSubmit, loginCancel, assertion  // N1 and its hops
    case checkCode, checkAuthentication, pollToken  // N2, N3, N4
    /// `/api/v1/authenticate/{code}`: N4's answer, by the code (observed.md).
    case tokenOfCode
    case preauthorize, preauthorizeCode, authorize, authorizationToken, mediaToken  // Z1 - Z5
    case userMetadata, logout  // U1, L1 and L2
    case logoutHop, providerLogout  // L2's further hops
    case freePreview, profileRequest  // N5, S1; S2 is N4's path
    /// Throttled, and nothing behind it (`scopes`, `validate`, `identities`, V2).
    case listed
    case unknown

    /// The method it takes; R2 and R3 share a path.
    func allows(_ method: Method?) -> Bool {
        switch self {
        case .register, .token, .registrationCode, .loginSubmit, .assertion, .freePreview:
            method == .post
        case .registrationRecord, .logout: method == .get || method == .delete
        case .pollToken: method == .get || method == .post
        default: method == .get
        }
    }

    /// What the `Allow` header of a 405 says.
    var allowed: String {
        switch self {
        case .register, .token, .registrationCode, .loginSubmit, .assertion, .freePreview: "POST"
        case .registrationRecord, .logout: "GET, DELETE"
        case .pollToken: "GET, POST"
        default: "GET"
        }
    }

    /// § 14; N1 as well (A22), and none of the browser's further hops.
    var isThrottled: Bool {
        switch self {
        case .saml, .loginPage, .loginSubmit, .loginCancel, .assertion, .logoutHop,
            .providerLogout, .unknown:
            false
        default: true
        }
    }

    /// All but registration, N1 and the browser hops (A3), of which L2 is the first of its own.
    func needsBearer(_ method: Method?) -> Bool {
        switch self {
        case .register, .token, .authenticate, .saml, .loginPage, .loginSubmit, .loginCancel,
            .assertion, .logoutHop, .providerLogout, .listed, .unknown:
            false
        case .logout: method == .delete
        default: true
        }
    }

    /// R2, C1, N2 and Z2: second screens ask them, most of which register no client (observed.md).
    func isAskedBare(_ method: Method?) -> Bool {
        switch self {
        case .registrationRecord: method == .get
        case .configuration, .checkCode, .preauthorizeCode: true
        default: false
        }
    }

    func operation(_ method: Method?) -> OperationName? {
        switch self {
        case .register: .registerClient
        case .token: .accessToken
        case .registrationCode: .registrationCode
        case .registrationRecord: method == .delete ? .deleteRegistration : .registrationRecord
        case .configuration: .configuration
        case .authenticate, .saml: .authenticate
        case .loginPage, .loginSubmit, .loginCancel: .mvpdLogin
        case .assertion: .assertion
        case .checkCode: .checkCode
        case .checkAuthentication: .checkAuthentication
        case .pollToken: method == .post ? .tokenExchange : .pollToken
        case .tokenOfCode: .pollToken
        case .freePreview: .freePreview
        case .profileRequest: .profileRequest
        case .preauthorize: .preauthorize
        case .preauthorizeCode: .preauthorizeCode
        case .authorize: .authorize
        case .authorizationToken: .authorizationToken
        case .mediaToken: .mediaToken
        case .userMetadata: .userMetadata
        case .logout, .logoutHop, .providerLogout: .logout
        case .listed, .unknown: nil
        }
    }
}

extension Service {
    /// Who answers.
    mutating func dispatch(
        _ question: V1Question, at moment: Moment
    ) throws(ClassicError) -> Reply {
        switch question.route.endpoint {
        case .register: register(question, at: moment)
        case .token: grantToken(question, at: moment)
        case .registrationCode: try issueCode(question, at: moment)
        case .registrationRecord where question.request.method == .delete:
            try deleteRecord(question, at: moment)
        case .registrationRecord: try showRecord(question, at: moment)
        case .configuration: try configuration(question, at: moment)
        case .authenticate: try authenticate(question, at: moment)
        case .saml: sendToProvider(question, at: moment)
        case .loginPage: loginPage(question, at: moment)
        case .loginSubmit: submitLogin(question, at: moment)
        case .loginCancel: cancelLogin(question, at: moment)
        case .assertion: consumeAssertion(question, at: moment)
        case .checkCode: try checkCode(question, at: moment)
        case .checkAuthentication: try checkAuthentication(question, at: moment)
        case .pollToken where question.request.method == .post:
            try exchangeToken(question, at: moment)
        case .pollToken: try pollToken(question, at: moment)
        case .tokenOfCode: try pollByCode(question, at: moment)
        case .freePreview: try freePreview(question, at: moment)
        case .profileRequest: try profileRequest(question, at: moment)
        case .preauthorize: try preauthorize(question, at: moment)
        case .preauthorizeCode: try preauthorizeCode(question, at: moment)
        case .authorize: try authorize(question, at: moment)
        case .authorizationToken: try authorizationToken(question, at: moment)
        case .mediaToken: try mediaToken(question, at: moment)
        case .userMetadata: try userMetadata(question, at: moment)
        case .logout where question.request.method == .get:
            try logoutByBrowser(question, at: moment)
        case .logout: try logout(question, at: moment)
        case .logoutHop: try sendToProviderLogout(question, at: moment)
        case .providerLogout: try providerLogout(question, at: moment)
        case .listed, .unknown: throw ClassicError.noRecord
        }
    }
}

/// A path taken apart: the endpoint, and the variable segments, decoded.
struct V1Route: Sendable {
    var endpoint: V1Endpoint
    /// Requestor or provider.
    var name = ""
    /// A registration code; the provider of a profile request.
    var code = ""

    /// Paths without variable segments.
    private static let fixed: [(path: String, endpoint: V1Endpoint)] = [
        ("/api/v1/tokens/authn", .pollToken),
        ("/o/client/register", .register), ("/o/client/token", .token),
        ("/o/client/scopes", .listed), ("/o/client/validate", .listed),
        ("/api/v1/authenticate", .authenticate),
        ("/adobe-services/authenticate/saml", .saml),
        ("/sp/saml/SAMLAssertionConsumer", .assertion),
        ("/api/v1/checkauthn", .checkAuthentication),
        ("/api/v1/preauthorize", .preauthorize),
        ("/api/v1/authorize", .authorize),
        ("/api/v1/tokens/authz", .authorizationToken),
        ("/api/v1/tokens/media", .mediaToken), ("/api/v1/mediatoken", .mediaToken),
        ("/api/v1/tokens/usermetadata", .userMetadata),
        ("/api/v1/logout", .logout), ("/adobe-services/logout", .logoutHop),
        ("/api/v1/authenticate/freepreview", .freePreview), ("/api/v1/identities", .listed),
    ]

    /// The same by length, of which few share one: hashing a path costs more than comparing it.
    private static let fixedByLength: [[(path: String, endpoint: V1Endpoint)]] = {
        let longest = fixed.map(\.path.utf8.count).max() ?? 0
        return (0...longest).map { length in fixed.filter { $0.path.utf8.count == length } }
    }()

    private static func fixed(_ path: Span<UInt8>) -> V1Endpoint? {
        guard path.count < fixedByLength.count else { return nil }
        // Where they lie: lanes read the same ones.
        for entry in fixedByLength[path.count].indices
        where path.isEqual(to: fixedByLength[path.count][entry].path) {
            return fixedByLength[path.count][entry].endpoint
        }
        return nil
    }

    /// `path` has lost its query and its `.json` or `.xml`.
    init(_ path: Span<UInt8>) {
        if let endpoint = Self.fixed(path) {
            self.init(endpoint)
            return
        }
        let segments = PathSegments(path)
        func text(_ place: Int) -> String { segments.text(place, of: path) }
        // Nearly all are written without percents.
        func holds(_ word: String, _ place: Int) -> Bool {
            segments.holds(word, place, of: path) || text(place) == word
        }
        switch (segments.count, text(0)) {
        case (4, "reggie") where holds("v1", 1) && holds("regcode", 3) && !text(2).isEmpty:
            self.init(.registrationCode, name: text(2))
        case (5, "reggie") where holds("v1", 1) && holds("regcode", 3) && !text(4).isEmpty:
            self.init(.registrationRecord, name: text(2), code: text(4))
        case (4, "api") where holds("v1", 1) && !text(3).isEmpty:
            switch text(2) {
            case "config": self.init(.configuration, name: text(3))
            case "checkauthn": self.init(.checkCode, code: text(3))
            case "authenticate": self.init(.tokenOfCode, code: text(3))
            case "preauthorize": self.init(.preauthorizeCode, code: text(3))
            default: self.init(.unknown)
            }
        case (5, "api") where holds("v1", 1) && holds("profile-requests", 3):
            self.init(.profileRequest, name: text(2), code: text(4))
        case (2..., "api") where holds("v2", 1): self.init(.listed)
        case (3, "adobe-services") where holds("config", 1) && !text(2).isEmpty:
            self.init(.configuration, name: text(2))
        case (3, "mvpd"):
            let endpoint = Self.provider(text(2))
            self.init(endpoint, name: endpoint == .unknown ? "" : text(1))
        default: self.init(.unknown)
        }
    }

    /// What a provider's path ends with.
    private static func provider(_ step: String) -> V1Endpoint {
        switch step {
        case "sso": .loginPage
        case "login": .loginSubmit
        case "cancel": .loginCancel
        case "logout": .providerLogout
        default: .unknown
        }
    }

    private init(_ endpoint: V1Endpoint, name: String = "", code: String = "") {
        self.endpoint = endpoint
        self.name = name
        self.code = code
    }
}
