internal import Dialects
internal import Formats
internal import Vocabulary

/// What a request of the device grant is for: its path (rfc8628.md § 1).
enum GrantEndpoint: String, Sendable {
    case metadata = "/.well-known/oauth-authorization-server"
    case deviceAuthorization = "/oauth/device_authorization"
    case token = "/oauth/token"
    case revocation = "/oauth/revoke"
    case userinfo = "/oauth/userinfo"
    // Pages of a browser: the code, the login, the decision.
    case entry = "/device"
    case login = "/device/login"
    case decision = "/device/decision"

    /// Of a path and query; nil: it is of another protocol.
    init?(target: String) {
        let target = target.utf8Span.span
        // Nearly all requests of other protocols begin with other letters.
        guard target.count > 1, Self.initials.contains(target[1]) else { return nil }
        let path = target.extracting(0..<target.first(UInt8(ascii: "?")))
        self.init(rawValue: String(repairing: path))
    }

    private static let initials = Array("od.".utf8)

    /// As `Allow` has them.
    var allowed: String {
        switch self {
        case .metadata: "GET"
        case .deviceAuthorization, .token, .revocation, .decision: "POST"
        case .userinfo, .entry, .login: "GET, POST"
        }
    }

    func allows(_ method: Method?) -> Bool {
        switch self {
        case .metadata: method == .get
        case .deviceAuthorization, .token, .revocation, .decision: method == .post
        case .userinfo, .entry, .login: method == .get || method == .post
        }
    }

    /// A person's, not a device's.
    var isPage: Bool { self == .entry || self == .login || self == .decision }
}

/// A request as the device grant reads it.
final class GrantQuestion: Sendable {
    let request: ServiceRequest
    let endpoint: GrantEndpoint
    private let query: FormFields
    private let form: FormFields

    /// Nil: it is of another protocol.
    static func read(_ request: ServiceRequest) -> GrantQuestion? {
        GrantEndpoint(target: request.target).map { GrantQuestion(request, $0) }
    }

    private init(_ request: ServiceRequest, _ endpoint: GrantEndpoint) {
        self.request = request
        self.endpoint = endpoint
        query = FormFields(request.target, from: endpoint.rawValue.utf8.count + 1)
        form =
            request.method == .post && !request.body.isEmpty
            ? FormFields(String(decoding: request.body, as: UTF8.self), from: 0) : .none
    }

    /// A field of the form; one without a value counts as missing (RFC 8628, 3.1).
    func field(_ name: String) -> String? { form[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// A parameter of the query.
    func parameter(_ name: String) -> String? { query[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// "Request and response parameters MUST NOT be included more than once" (RFC 6749, 3.2).
    var repeatsField: Bool { form.hasTwins }

    var isForm: Bool {
        let type = request.headers["Content-Type"] ?? ""
        let plain = Substring(type.utf8.prefix { $0 != UInt8(ascii: ";") }).trimmingSpaces()
        return plain.equalsIgnoringCase("application/x-www-form-urlencoded")
    }

    /// The user code that a person has typed, or that a link brought.
    var userCode: String? { request.method == .post ? field("user_code") : parameter("user_code") }

    /// The client's id and secret: of the header, else of the body (RFC 6749, 2.3.1).
    var client: (id: String, secret: String?, isByHeader: Bool)? {
        if let header = request.headers["Authorization"], header.lowercased().hasPrefix("basic ") {
            let text = header.dropFirst(6).trimmingSpaces()
            guard let bytes = Base64.decode(text) else { return ("", nil, true) }
            let pair = String(decoding: bytes, as: UTF8.self)
            let parts = pair.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return ("", nil, true) }
            func decoded(_ part: Substring) -> String {
                Percent.decode(String(part).utf8Span.span, plusIsSpace: true)
            }
            return (decoded(parts[0]), decoded(parts[1]), true)
        }
        return field("client_id").map { ($0, field("client_secret"), false) }
    }
}
