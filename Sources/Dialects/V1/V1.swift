internal import Formats
internal import Vocabulary

/// Adobe Pass REST V1 as devices speak it (rest-v1.md). Endpoint ids in comments (R1, N4 ...) are
/// those of its § 2.
public struct V1: Dialect {
    /// Origin of all paths.
    public let origin: Origin
    /// Before every path; usually empty.
    public let prefix: String
    public let requestor: String
    /// `domain_name` of N1.
    public let domain: String
    /// Where the browser comes back to.
    public let redirectURL: String
    public let format: DocumentFormat
    /// What requests have in common, made once.
    private let codePath: String
    private let query: String
    let browser: BrowserHops

    public init(
        origin: Origin, prefix: String = "", requestor: String, domain: String,
        redirectURL: String, format: DocumentFormat = .json
    ) {
        self.origin = origin
        self.prefix = prefix
        self.requestor = requestor
        self.domain = domain
        self.redirectURL = redirectURL
        self.format = format
        let name = FormEncoding.encode(requestor)
        codePath = "/reggie/v1/\(name)/regcode"
        query = "?requestor=\(name)&deviceId="
        browser = BrowserHops(
            origin: origin, redirectURL: redirectURL, logout: .logout, page: "rest-v1.md 8")
    }

    public var name: String { "adobe-pass-v1" }
    /// rest-v1.md § 15, A19.
    public static var pollFloor: Duration { .seconds(3) }
    /// rest-v1.md § 14.
    public var throttle: (perSecond: Double, burst: Int)? { (1, 10) }

    /// D1.
    public func registerClient(_ statement: Secret, as device: DeviceIdentity) -> Call? {
        Registration.client(
            statement, at: address("/o/client/register"), commonHeaders(device))
    }

    /// D2.
    public func accessToken(_ client: ClientCredentials, as device: DeviceIdentity) -> Call? {
        Registration.accessToken(
            client, at: address("/o/client/token"), commonHeaders(device))
    }

    /// R1: parameters in the query, device information in the header (A2).
    public func issueCode(_ credential: Credential, lifetime: Duration?, mvpd: String?) -> Call? {
        var fields = [("deviceId", credential.device.id)]
        if let mvpd { fields.append(("mvpd", mvpd)) }
        if let lifetime { fields.append(("ttl", String(lifetime.components.seconds))) }
        var call = get(.registrationCode, address(codePath, fields), credential)
        call.method = .post
        return call
    }

    /// N1: `reg_code` first and `redirect_url` last, as the page demands (§ 8).
    public func authenticate(
        _ issued: IssuedCode, mvpd: String?, _ credential: Credential
    ) -> Call? {
        let code = issued.code
        var fields = [("reg_code", code.text), ("requestor_id", requestor)]
        if let mvpd { fields.append(("mso_id", mvpd)) }
        fields += [
            ("domain_name", domain), ("noflash", "true"), ("no_iframe", "true"),
            ("redirect_url", redirectURL),
        ]
        var call = BrowserHops.start(
            .authenticate, address("/api/v1/authenticate", fields))
        call.code = code
        return call
    }

    public func hop(
        _ method: Method, _ address: WebAddress, form: [(String, String)], referer: WebAddress?
    ) -> Call {
        browser.call(method, address, form: form, referer: referer)
    }

    public func isReturn(_ address: WebAddress) -> Bool { browser.isReturn(address) }

    /// N4, or N3 as its boolean stand-in.
    public func poll(
        _ issued: IssuedCode?, _ target: PollTarget, _ credential: Credential
    ) -> Call? {
        let path = target == .token ? "/api/v1/tokens/authn" : "/api/v1/checkauthn"
        var call = get(.pollToken, keyed(path, credential), credential)
        call.code = issued?.code
        return call
    }

    // MARK: Building blocks

    func path(of code: Code) -> String {
        codePath + "/" + FormEncoding.encode(code.text)
    }

    /// `path` with the parameters that key a first screen's state (§ 3.1): requestor, device, and
    /// the resource where there is one.
    func keyed(
        _ path: String, _ credential: Credential, _ resource: String? = nil
    ) -> WebAddress {
        var target = prefix
        target.reserveCapacity(160)
        target += path
        target += query
        target += FormEncoding.encode(credential.device.id)
        if let resource {
            target += "&resource="
            target += FormEncoding.encode(resource)
        }
        return WebAddress(origin: origin, target: target)
    }

    func address(_ path: String, _ fields: [(String, String)] = []) -> WebAddress {
        let query = fields.isEmpty ? "" : "?" + FormEncoding.fields(fields)
        return WebAddress(origin: origin, target: prefix + path + query)
    }

    /// Device information is percent-encoded in the header too (A5).
    func commonHeaders(_ device: DeviceIdentity) -> Headers {
        var headers = Headers()
        headers.reserve(Self.usualHeaders)
        headers.append("Accept", format == .json ? "application/json" : "application/xml")
        headers.append("X-Device-Info", device.info.header)
        return headers
    }

    /// Ours; the lane, which copies a call before it adds its own, makes room for those.
    private static let usualHeaders = 4

    func get(
        _ operation: OperationName, _ address: WebAddress, _ credential: Credential
    ) -> Call {
        var headers = commonHeaders(credential.device)
        if let bearer = credential.bearer {
            headers.append("Authorization", "Bearer " + bearer.reveal())
        }
        return Call(operation, .get, address, headers: headers)
    }

    func post(
        _ operation: OperationName, _ path: String, _ fields: [(String, String)], _ headers: Headers
    ) -> Call {
        var headers = headers
        headers.append("Content-Type", "application/x-www-form-urlencoded")
        let body = FormEncoding.body(fields)
        return Call(operation, .post, address(path), headers: headers, body: body)
    }
}
