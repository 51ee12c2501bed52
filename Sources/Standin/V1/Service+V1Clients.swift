internal import Dialects
internal import Formats
internal import Signing

/// D1 and D2 (rest-v1.md § 5).
extension Service {
    mutating func register(_ question: V1Question, at moment: Moment) -> Reply {
        if let software = statements.known(question.request.body) {
            return registered(software, redirects: [], question, at: moment)
        }
        guard let body = JSONValue(question.request.body),
            let statement = body["software_statement"]?.string
        else { return reply(400, error: "invalid_request", at: moment) }
        var redirects: [String] = []
        if let redirect = body["redirect_uri"] {
            guard let text = redirect.string, Self.isAbsolute(text) else {
                return reply(400, error: "invalid_redirect_uri", at: moment)
            }
            redirects = [text]
        }
        let software: Software
        do {
            software = try statements.read(statement)
        } catch {
            return reply(400, error: error.rawValue, at: moment)
        }
        if redirects.isEmpty { statements.keep(question.request.body) }
        return registered(software, redirects: redirects, question, at: moment)
    }

    private mutating func registered(
        _ software: Software, redirects: [String], _ question: V1Question, at moment: Moment
    ) -> Reply {
        let scope = Self.scope(of: software, question.request.headers)
        let client = clients.register(software, scope: scope, ids: &ids)
        return json(201, at: moment) {
            $0.text("client_id", client.id)
            $0.text("client_secret", client.secret)
            $0.number("client_id_issued_at", moment.milliseconds / 1000)
            $0.texts("redirect_uris", redirects)
            $0.texts("grant_types", ["client_credentials"])
            $0.texts("scopes", (scope.map { [$0] } ?? ProtocolScope.allCases).map(\.rawValue))
        }
    }

    /// The protocol that a client registers for: its statement says so, or its headers do, for only V2
    /// has a device identifier in a header, and only V1 percent-encodes the device information
    /// (rest-v2.md § 3.2). Nil where nothing tells.
    private static func scope(of software: Software, _ headers: Headers) -> ProtocolScope? {
        if let scopes = software.scopes {
            return scopes.contains(ProtocolScope.v2.rawValue) ? .v2 : .v1
        }
        if headers["AP-Device-Identifier"] != nil { return .v2 }
        guard let info = headers["X-Device-Info"] else { return nil }
        let bytes = info.utf8Span.span
        return bytes.first(UInt8(ascii: "%")) < bytes.count ? .v1 : nil
    }

    mutating func grantToken(_ question: V1Question, at moment: Moment) -> Reply {
        guard let id = question["client_id"], let secret = question["client_secret"],
            let kind = question["grant_type"]
        else { return reply(400, error: "invalid_request", at: moment) }
        guard kind == "client_credentials" else {
            return reply(400, error: "unsupported_grant_type", at: moment)
        }
        guard let client = clients.place(of: id, secret: secret) else {
            return reply(400, error: "invalid_client", at: moment)
        }
        if let software = clients.software(of: client), statements.isRevoked(software.id) {
            return reply(400, error: "unauthorized_client", at: moment)
        }
        let token = clients.grant(
            to: client, at: moment.milliseconds, ttl: settings.accessTTL.wholeMilliseconds,
            ids: &ids)
        counters.tokensIssued += 1
        let (grant, life) = (ids.record(), settings.accessTTL.wholeMilliseconds / 1000)
        return json(201, at: moment) {
            $0.text("id", grant)
            $0.text("access_token", token)
            $0.number("created_at", moment.milliseconds)
            $0.number("expires_in", life)
            $0.text("token_type", "bearer")
        }
    }

    /// A scheme, `:`, and something after it. Apps register schemes of their own.
    static func isAbsolute(_ text: String) -> Bool {
        let bytes = text.utf8Span.span
        let colon = bytes.first(UInt8(ascii: ":"))
        return colon > 0 && colon + 3 < bytes.count
            && schemeLetters.containsAll(bytes.extracting(0..<colon))
    }

    private static let schemeLetters = ByteSet { byte in
        (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte)
            || "+-.".utf8.contains(byte)
    }
}
