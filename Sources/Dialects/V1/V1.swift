/// Adobe Pass REST V1 as devices speak it (rest-v1.md). Endpoint ids in comments (R1, N4 ...) are
/// those of its § 2.
public struct V1: Dialect {
    public enum Format: String, Sendable { case json, xml }

    /// Origin of all paths.
    public let origin: Origin
    /// Before every path; usually empty.
    public let prefix: String
    public let requestor: String
    /// `domain_name` of N1.
    public let domain: String
    /// Where the browser comes back to.
    public let redirectURL: String
    public let format: Format

    public init(
        origin: Origin, prefix: String = "", requestor: String, domain: String,
        redirectURL: String, format: Format = .json
    ) {
        self.origin = origin
        self.prefix = prefix
        self.requestor = requestor
        self.domain = domain
        self.redirectURL = redirectURL
        self.format = format
    }

    public var name: String { "adobe-pass-v1" }
    /// rest-v1.md § 15, A19.
    public var pollFloor: Duration { .seconds(3) }
    /// rest-v1.md § 14.
    public var throttle: (perSecond: Double, burst: Int)? { (1, 10) }

    /// D1.
    public func registerClient(_ statement: Secret, as device: DeviceIdentity) -> Call? {
        let body = "{\"software_statement\":\(JSONText.quoted(statement.reveal()))}"
        var headers = commonHeaders(device)
        headers.append("Content-Type", "application/json")
        return Call(
            .registerClient, .post, address("/o/client/register"), headers: headers,
            body: Array(body.utf8))
    }

    /// D2.
    public func accessToken(_ client: ClientCredentials, as device: DeviceIdentity) -> Call? {
        post(
            .accessToken, "/o/client/token",
            [
                ("client_id", client.id), ("client_secret", client.secret.reveal()),
                ("grant_type", "client_credentials"),
            ], commonHeaders(device))
    }

    /// N3.
    public func checkAuthentication(_ credential: Credential) -> Call {
        get(.checkAuthentication, "/api/v1/checkauthn", keyed(credential), credential)
    }

    /// C1.
    public func configuration(_ credential: Credential) -> Call? {
        get(.configuration, "/api/v1/config/\(FormEncoding.encode(requestor))", [], credential)
    }

    /// R1: parameters in the query, device information in the header (A2).
    public func issueCode(_ credential: Credential, lifetime: Duration?, mvpd: String?) -> Call {
        var fields = [("deviceId", credential.device.id)]
        if let mvpd { fields.append(("mvpd", mvpd)) }
        if let lifetime { fields.append(("ttl", String(lifetime.components.seconds))) }
        var call = get(.registrationCode, codePath, fields, credential)
        call.method = .post
        return call
    }

    /// R2.
    public func record(of code: Code, _ credential: Credential) -> Call? {
        var call = get(.registrationRecord, path(of: code), [], credential)
        call.code = code
        return call
    }

    /// R3.
    public func delete(_ code: Code, _ credential: Credential) -> Call? {
        var call = get(.deleteRegistration, path(of: code), [], credential)
        call.method = .delete
        call.code = code
        return call
    }

    /// N1: `reg_code` first and `redirect_url` last, as the page demands (§ 8).
    public func authenticate(_ code: Code, mvpd: String, _ credential: Credential) -> Call {
        let fields = [
            ("reg_code", code.text), ("requestor_id", requestor), ("mso_id", mvpd),
            ("domain_name", domain), ("noflash", "true"), ("no_iframe", "true"),
            ("redirect_url", redirectURL),
        ]
        return Call(
            .authenticate, .get, address("/api/v1/authenticate", fields),
            headers: ["Accept": Self.browserAccept], code: code)
    }

    public func hop(
        _ method: Method, _ address: WebAddress, form: [(String, String)], referer: WebAddress?
    ) -> Call {
        var headers: Headers = ["Accept": Self.browserAccept]
        if let referer { headers.append("Referer", referer.description) }
        let carriesAssertion = form.contains { $0.0 == "SAMLResponse" }
        let operation: OperationName =
            if carriesAssertion || address.path.hasSuffix("SAMLAssertionConsumer") {
                .assertion
            } else if address.origin == origin,
                address.path.contains("/adobe-services/authenticate")
            {
                .authenticate
            } else {
                .mvpdLogin
            }
        guard method == .post else {
            return Call(operation, method, address, headers: headers)
        }
        headers.append("Content-Type", "application/x-www-form-urlencoded")
        let body = Array(FormEncoding.fields(form).utf8)
        return Call(operation, .post, address, headers: headers, body: body)
    }

    /// Arrival by prefix, scheme and host without case (§ 8).
    public func isReturn(_ address: WebAddress) -> Bool {
        guard let wanted = WebAddress(redirectURL) else { return false }
        return address.origin == wanted.origin && address.target.hasPrefix(wanted.target)
    }

    /// N2.
    public func checkCode(_ code: Code, _ credential: Credential) -> Call {
        var call = get(
            .checkCode, "/api/v1/checkauthn/\(FormEncoding.encode(code.text))",
            [("requestor", requestor)], credential)
        call.code = code
        return call
    }

    /// N4, or N3 as its boolean stand-in.
    public func poll(_ code: Code, _ target: PollTarget, _ credential: Credential) -> Call {
        let path = target == .authn ? "/api/v1/tokens/authn" : "/api/v1/checkauthn"
        var call = get(.pollToken, path, keyed(credential), credential)
        call.code = code
        return call
    }

    /// U1.
    public func userMetadata(_ credential: Credential) -> Call? {
        get(.userMetadata, "/api/v1/tokens/usermetadata", keyed(credential), credential)
    }

    /// Z1.
    public func preauthorize(_ resources: [String], _ credential: Credential) -> Call? {
        let fields = keyed(credential) + [("resource", resources.joined(separator: ","))]
        return get(.preauthorize, "/api/v1/preauthorize", fields, credential)
    }

    /// Z3.
    public func authorize(_ resource: String, _ credential: Credential) -> Call {
        playing(.authorize, "/api/v1/authorize", resource, credential)
    }

    /// Z5.
    public func mediaToken(_ resource: String, _ credential: Credential) -> Call? {
        playing(.mediaToken, "/api/v1/tokens/media", resource, credential)
    }

    /// L1.
    public func logout(_ credential: Credential) -> Call {
        var call = get(.logout, "/api/v1/logout", keyed(credential), credential)
        call.method = .delete
        return call
    }

    // MARK: Building blocks

    private static let browserAccept = "text/html,application/xhtml+xml,*/*;q=0.8"

    private var codePath: String { "/reggie/v1/\(FormEncoding.encode(requestor))/regcode" }

    private func path(of code: Code) -> String {
        "\(codePath)/\(FormEncoding.encode(code.text))"
    }

    /// The parameters that key a first screen's state (§ 3.1).
    private func keyed(_ credential: Credential) -> [(String, String)] {
        [("requestor", requestor), ("deviceId", credential.device.id)]
    }

    private func address(_ path: String, _ fields: [(String, String)] = []) -> WebAddress {
        let query = fields.isEmpty ? "" : "?" + FormEncoding.fields(fields)
        return WebAddress(origin: origin, target: prefix + path + query)
    }

    /// Device information is percent-encoded in the header too (A5).
    private func commonHeaders(_ device: DeviceIdentity) -> Headers {
        [
            "Accept": format == .json ? "application/json" : "application/xml",
            "X-Device-Info": FormEncoding.encode(device.encodedInfo),
        ]
    }

    private func get(
        _ operation: OperationName, _ path: String, _ fields: [(String, String)],
        _ credential: Credential
    ) -> Call {
        var headers = commonHeaders(credential.device)
        if let bearer = credential.bearer {
            headers.append("Authorization", "Bearer \(bearer.reveal())")
        }
        return Call(operation, .get, address(path, fields), headers: headers)
    }

    private func post(
        _ operation: OperationName, _ path: String, _ fields: [(String, String)], _ headers: Headers
    ) -> Call {
        var headers = headers
        headers.append("Content-Type", "application/x-www-form-urlencoded")
        let body = Array(FormEncoding.fields(fields).utf8)
        return Call(operation, .post, address(path), headers: headers, body: body)
    }

    private func playing(
        _ operation: OperationName, _ path: String, _ resource: String, _ credential: Credential
    ) -> Call {
        var call = get(operation, path, keyed(credential) + [("resource", resource)], credential)
        call.resource = resource
        return call
    }
}
