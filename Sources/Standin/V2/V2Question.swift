internal import Dialects
internal import Formats
internal import Vocabulary

/// What a V2 request is for, by its path (rest-v2.md § 2).
enum V2Endpoint: Hashable, Sendable {
    case configuration  // C
    case sessions, session  // S1; S2 and S3
    case authenticate  // A
    case profiles, profilesByMVPD, profilesByCode  // P1 - P3
    case preauthorize, authorize  // Z1, Z2
    case logout  // L
    case partnerRequest, partnerProfile  // X1, X2
    case resetPass, resetGenericPass  // § 11
    case unknown

    /// The methods it takes, as `Allow` has them.
    var allowed: String {
        switch self {
        case .sessions, .preauthorize, .authorize, .partnerRequest, .partnerProfile: "POST"
        case .session: "GET, POST"
        case .resetPass, .resetGenericPass: "DELETE"
        default: "GET"
        }
    }

    func allows(_ method: Method?) -> Bool {
        switch self {
        case .sessions, .preauthorize, .authorize, .partnerRequest, .partnerProfile: method == .post
        case .session: method == .get || method == .post
        case .resetPass, .resetGenericPass: method == .delete
        case .unknown: true
        default: method == .get
        }
    }

    /// Whose device it is about: the one that asks, by its header (§ 3.1).
    var needsDevice: Bool {
        switch self {
        case .sessions, .profiles, .profilesByMVPD, .preauthorize, .authorize, .logout,
            .partnerRequest, .partnerProfile:
            true
        default: false
        }
    }

    /// Whether an identity token counts (§ 3.1).
    var readsIdentity: Bool {
        switch self {
        case .sessions, .profiles, .profilesByMVPD, .preauthorize, .authorize, .logout: true
        default: false
        }
    }

    /// Whether a partner's status does.
    var readsPartner: Bool {
        switch self {
        case .profiles, .profilesByMVPD, .preauthorize, .authorize, .partnerRequest,
            .partnerProfile:
            true
        default: false
        }
    }

    func operation(_ method: Method?) -> OperationName? {
        switch self {
        case .configuration: .configuration
        case .sessions: .createSession
        case .session: method == .post ? .resumeSession : .sessionByCode
        case .authenticate: .authenticate
        case .profiles: .profiles
        case .profilesByMVPD: .profilesByMVPD
        case .profilesByCode: .profilesByCode
        case .preauthorize: .preauthorize
        case .authorize: .authorize
        case .logout: .logout
        case .partnerRequest: .partnerRequest
        case .partnerProfile: .ssoProfile
        case .resetPass, .resetGenericPass, .unknown: nil
        }
    }
}

/// A path taken apart: the endpoint, and the variable segments, decoded.
struct V2Route: Sendable {
    var endpoint: V2Endpoint
    /// `{sp}`.
    var requestor = ""
    /// `{mvpd}`, `{code}` or `{partner}`.
    var name = ""

    init(_ path: Span<UInt8>) {
        let segments = PathSegments(path)
        func text(_ place: Int) -> String { segments.text(place, of: path) }
        func holds(_ word: String, _ place: Int) -> Bool { segments.holds(word, place, of: path) }
        if holds("reset-tempass", 0) {
            let isGeneric = segments.count == 4 && holds("generic", 3)
            let isOne = holds("v3", 1) && holds("reset", 2) && (segments.count == 3 || isGeneric)
            self.init(isOne ? (isGeneric ? .resetGenericPass : .resetPass) : .unknown)
            return
        }
        switch segments.count {
        case 4, 5:
            if segments.count == 5, holds("authenticate", 2) {
                self.init(.authenticate, text(3), text(4))
                return
            }
            let isLast = segments.count == 4
            let endpoint: V2Endpoint =
                if holds("profiles", 3) {
                    isLast ? .profiles : .profilesByMVPD
                } else if holds("sessions", 3) {
                    isLast ? .sessions : .session
                } else if holds("logout", 3), !isLast {
                    .logout
                } else if holds("configuration", 3), isLast || holds("", 4) {
                    .configuration
                } else {
                    .unknown
                }
            self.init(endpoint, text(2), isLast ? "" : text(4))
        case 6:
            let endpoint: V2Endpoint =
                if holds("profiles", 3) {
                    holds("code", 4)
                        ? .profilesByCode : holds("sso", 4) ? .partnerProfile : .unknown
                } else if holds("decisions", 3) {
                    holds("authorize", 4)
                        ? .authorize : holds("preauthorize", 4) ? .preauthorize : .unknown
                } else if holds("sessions", 3), holds("sso", 4) {
                    .partnerRequest
                } else {
                    .unknown
                }
            self.init(endpoint, text(2), text(5))
        default: self.init(.unknown)
        }
        let needsName = endpoint != .sessions && endpoint != .profiles && endpoint != .configuration
        if requestor.isEmpty || needsName && name.isEmpty { endpoint = .unknown }
    }

    private init(_ endpoint: V2Endpoint, _ requestor: String = "", _ name: String = "") {
        self.endpoint = endpoint
        self.requestor = requestor
        self.name = name
    }
}

/// A request as V2 reads it.
final class V2Question: Sendable {
    let request: ServiceRequest
    let route: V2Route
    private let query: FormFields
    /// The form of a POST, where the endpoint takes one.
    let form: FormFields

    /// Whether a request is V2's: browsers' hops, registration and tokens are V1's paths for both.
    static func isOne(_ request: ServiceRequest) -> Bool {
        let target = request.target.utf8Span.span
        return target.holds("/api/v2/".utf8Span.span, at: 0)
            || target.holds("/reset-tempass/".utf8Span.span, at: 0)
    }

    init(_ request: ServiceRequest) {
        self.request = request
        let target = request.target.utf8Span.span
        let end = target.first(UInt8(ascii: "?"))
        route = V2Route(target.extracting(0..<end))
        query = FormFields(request.target, from: end + 1)
        let takesForm =
            switch route.endpoint {
            case .sessions, .session, .partnerRequest, .partnerProfile: true
            default: false
            }
        form =
            takesForm && !request.body.isEmpty
            ? FormFields(String(decoding: request.body, as: UTF8.self), from: 0) : .none
    }

    /// A field of the form; an empty one counts as missing.
    func field(_ name: String) -> String? { form[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// A parameter of the query.
    func parameter(_ name: String) -> String? { query[name].flatMap { $0.isEmpty ? nil : $0 } }

    func header(_ name: String) -> String? { request.headers[name] }

    /// The resources of a decision; nil when the body is no list of them.
    func resources() -> [String]? {
        guard case .array(let items)? = JSONValue(request.body)?["resources"] else { return nil }
        let resources = items.compactMap(\.string).filter { !$0.isEmpty }
        return resources.count == items.count && !items.isEmpty ? resources : nil
    }

    /// `fingerprint <base64(id)>`; nil for anything else. An id that is no text counts as it is spelled.
    var deviceIdentifier: String? {
        let scheme = "fingerprint "
        guard let header = header("AP-Device-Identifier"), header.utf8.starts(with: scheme.utf8)
        else { return nil }
        let spelled = header.utf8Span.span.extracting(scheme.utf8.count..<header.utf8.count)
        let text = String(repairing: spelled)
        guard let bytes = Base64.decode(text), !bytes.isEmpty else { return nil }
        guard let valid = try? UTF8Span(validating: bytes.span) else { return text }
        return String(copying: valid)
    }
}
