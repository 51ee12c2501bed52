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
    /// What devices ask for whose own style says nothing of it.
    public let format: FormatRequest
    /// What requests have in common, made once.
    private let codePath: String
    private let query: String
    private let login: (start: String, end: String)
    let browser: BrowserHops

    public init(
        origin: Origin, prefix: String = "", requestor: String, domain: String,
        redirectURL: String, format: FormatRequest = FormatRequest()
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
        login = (
            "&requestor_id=\(name)",
            "&"
                + FormEncoding.fields([
                    ("domain_name", domain), ("noflash", "true"), ("no_iframe", "true"),
                    ("redirect_url", redirectURL),
                ])
        )
        browser = BrowserHops(
            origin: origin, redirectURL: redirectURL, logout: .logout, page: "REST V1")
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

    /// R1: parameters in a form, as most clients send them, or in the query beside an empty object (A2).
    public func issueCode(_ credential: Credential, lifetime: Duration?, mvpd: String?) -> Call? {
        let style = credential.device.style
        let format = format(of: credential.device)
        var fields = [("deviceId", credential.device.id)]
        fields += style.parameters.fields.map { ($0.name, $0.value) }
        if let mvpd { fields.append(("mvpd", mvpd)) }
        if let lifetime { fields.append(("ttl", String(lifetime.components.seconds))) }
        if style.deviceInfo == .parameter {
            fields.append(("device_info", credential.device.info.plainHeader))
        }
        if format.means == .parameter { fields.append(("format", format.document.rawValue)) }
        let path = prefix + codePath + suffix(format)
        var headers = headers(credential)
        switch style.codeRequest {
        case .form:
            headers.append("Content-Type", "application/x-www-form-urlencoded")
            return Call(
                .registrationCode, .post, WebAddress(origin: origin, target: path),
                headers: headers, body: FormEncoding.body(fields))
        case .query:
            headers.append("Content-Type", "application/json")
            let target = path + "?" + FormEncoding.fields(fields)
            return Call(
                .registrationCode, .post, WebAddress(origin: origin, target: target),
                headers: headers, body: Array("{}".utf8))
        }
    }

    /// N1: `reg_code` first and `redirect_url` last, as the page demands (§ 8).
    public func authenticate(
        _ issued: IssuedCode, mvpd: String?, _ credential: Credential
    ) -> Call? {
        let code = issued.code
        let target = String(
            joining: prefix, "/api/v1/authenticate?reg_code=", FormEncoding.encode(code.text),
            login.start, mvpd == nil ? "" : "&mso_id=", FormEncoding.encode(mvpd ?? ""), login.end)
        var call = BrowserHops.start(
            .authenticate, WebAddress(origin: origin, target: target))
        call.code = code
        return call
    }

    public func hop(
        _ method: Method, _ address: WebAddress, form: [(String, String)], referer: WebAddress?
    ) -> Call {
        browser.call(method, address, form: form, referer: referer)
    }

    public func logoutHop(_ address: WebAddress, referer: WebAddress?) -> Call {
        browser.logoutCall(address, referer: referer)
    }

    public func isReturn(_ address: WebAddress) -> Bool { browser.isReturn(address) }

    /// N4, or N3 as its boolean stand-in, or N4's answer by the code.
    public func poll(
        _ issued: IssuedCode?, _ target: PollTarget, _ credential: Credential
    ) -> Call? {
        let address: WebAddress
        switch (target, issued?.code) {
        case (.code, let code?):
            let path = Self.byCode + FormEncoding.encode(code.text)
            address = documented(path, [("requestor", requestor)], credential)
        case (.check, _): address = keyed("/api/v1/checkauthn", credential)
        case (.token, _), (.code, nil): address = keyed("/api/v1/tokens/authn", credential)
        }
        var call = get(.pollToken, address, credential)
        call.code = issued?.code
        return call
    }

    /// Whether a poll asks by its code: then an absence is the code's, not the device's.
    func isByCode(_ call: Call) -> Bool {
        call.address.target.utf8Span.span.holds(Self.byCode.utf8Span.span, at: prefix.utf8.count)
    }

    private static let byCode = "/api/v1/authenticate/"

    // MARK: Building blocks

    func path(of code: Code) -> String {
        codePath + "/" + FormEncoding.encode(code.text)
    }

    /// `path` with the parameters that key a first screen's state (§ 3.1): requestor, device with
    /// whatever else names it, and the resource where there is one.
    func keyed(
        _ path: String, _ credential: Credential, _ resource: String? = nil
    ) -> WebAddress {
        let style = credential.device.style
        let format = format(of: credential.device)
        let namesInfo = style.deviceInfo == .parameter
        let namesFormat = format.means == .parameter
        let target = String(
            joining: prefix, path, suffix(format), query, credential.device.encodedID, style.query,
            resource == nil ? "" : "&resource=", FormEncoding.encode(resource ?? ""),
            namesInfo ? "&device_info=" : "", namesInfo ? credential.device.info.header : "",
            namesFormat ? "&format=" : "", namesFormat ? format.document.rawValue : "")
        return WebAddress(origin: origin, target: target)
    }

    /// `path` for a document that need not name the device.
    func documented(
        _ path: String, _ fields: [(String, String)], _ credential: Credential
    ) -> WebAddress {
        let format = format(of: credential.device)
        let asked = format.means == .parameter ? [("format", format.document.rawValue)] : []
        return address(path + suffix(format), fields + asked)
    }

    private func format(of device: DeviceIdentity) -> FormatRequest {
        device.style.format ?? format
    }

    /// `.json`, where the path asks for the format.
    private func suffix(_ format: FormatRequest) -> String {
        guard format.means == .suffix else { return "" }
        return format.document == .json ? ".json" : ".xml"
    }

    func address(_ path: String, _ fields: [(String, String)] = []) -> WebAddress {
        let target = String(
            joining: prefix, path, fields.isEmpty ? "" : "?", FormEncoding.fields(fields))
        return WebAddress(origin: origin, target: target)
    }

    /// Device information is percent-encoded in the header too (A5).
    func commonHeaders(_ device: DeviceIdentity) -> Headers {
        var headers = Headers()
        headers.reserve(Self.usualHeaders)
        let format = format(of: device)
        if format.means == .accept {
            headers.append(
                "Accept", format.document == .json ? "application/json" : "application/xml")
        }
        if device.style.deviceInfo == .header {
            headers.append("X-Device-Info", device.info.header)
        }
        return headers
    }

    /// Ours; the lane, which copies a call before it adds its own, makes room for those.
    private static let usualHeaders = 4

    func get(
        _ operation: OperationName, _ address: WebAddress, _ credential: Credential
    ) -> Call {
        Call(operation, .get, address, headers: headers(credential))
    }

    /// Those of a call that shows who asks.
    func headers(_ credential: Credential) -> Headers {
        var headers = commonHeaders(credential.device)
        if let bearer = credential.bearer {
            headers.append("Authorization", "Bearer " + bearer.reveal())
        }
        return headers
    }

    /// A form that names the device; a field of the request's own stands, whatever the style adds.
    func post(
        _ operation: OperationName, _ path: String, _ fields: [(String, String)],
        _ credential: Credential
    ) -> Call {
        let style = credential.device.style
        var fields = fields
        for field in style.everywhere where !fields.contains(where: { $0.0 == field.0 }) {
            fields.append(field)
        }
        if style.deviceInfo == .parameter {
            fields.append(("device_info", credential.device.info.plainHeader))
        }
        var headers = headers(credential)
        headers.append("Content-Type", "application/x-www-form-urlencoded")
        let body = FormEncoding.body(fields)
        return Call(operation, .post, address(path), headers: headers, body: body)
    }
}
