internal import Dialects
internal import Formats
internal import Signing

/// Reads software statements, and remembers the last good one: a thousand devices of one app bring
/// the same.
struct Statements: Sendable {
    enum StatementProblem: String, Error {
        case invalid = "invalid_software_statement"
        case unapproved = "unapproved_software_statement"
    }

    private let key = DemoKeys.statements()
    private var revoked: [String]
    /// Whether the signature counts.
    private let checks: Bool
    private var last: (text: String, software: Software)?
    /// The last body whose statement was good.
    private var lastBody: [UInt8] = []

    init(revoked: [String], checks: Bool = true) {
        self.revoked = revoked
        self.checks = checks
    }

    /// What a body was found to say that is byte for byte the last good one.
    func known(_ body: [UInt8]) -> Software? {
        !body.isEmpty && body == lastBody ? last?.software : nil
    }

    /// Keeps a body whose statement has just been read, and which says nothing else.
    mutating func keep(_ body: [UInt8]) { lastBody = body }

    mutating func read(_ text: String) throws(StatementProblem) -> Software {
        if let last, last.text == text { return last.software }
        guard let claims = claims(text),
            let object = JSONValue(Array(claims.utf8)),
            let id = object["software_id"]?.string
        else { throw .invalid }
        guard !revoked.contains(id) else { throw .unapproved }
        let software = Software(
            id: id, name: object["software_name"]?.string ?? id,
            version: object["software_version"]?.string ?? "1.0")
        last = (text, software)
        lastBody = []
        return software
    }

    /// Withdraws an application: its statement is no longer approved, its clients get no tokens.
    mutating func revoke(_ id: String) {
        revoked.append(id)
        last = nil
    }

    func isRevoked(_ id: String) -> Bool { revoked.contains(id) }

    private func claims(_ text: String) -> String? {
        guard !checks else { return try? JWT.verify(text, key: key) }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let claims = Base64.decode(parts[1]) else { return nil }
        return String(decoding: claims, as: UTF8.self)
    }
}

/// D1 and D2 (rest-v1.md § 5).
extension Service {
    mutating func register(_ question: V1Question, at moment: Moment) -> Reply {
        if let software = statements.known(question.request.body) {
            return registered(software, redirects: [], at: moment)
        }
        guard let body = JSONValue(question.request.body),
            let statement = body["software_statement"]?.string
        else { return reply(400, error: "invalid_request", at: moment) }
        var redirects: [Document] = []
        if let redirect = body["redirect_uri"] {
            guard let text = redirect.string, Self.isAbsolute(text) else {
                return reply(400, error: "invalid_redirect_uri", at: moment)
            }
            redirects = [.text(text)]
        }
        let software: Software
        do {
            software = try statements.read(statement)
        } catch {
            return reply(400, error: error.rawValue, at: moment)
        }
        if redirects.isEmpty { statements.keep(question.request.body) }
        return registered(software, redirects: redirects, at: moment)
    }

    private mutating func registered(
        _ software: Software, redirects: [Document], at moment: Moment
    ) -> Reply {
        let client = clients.register(software, ids: &ids)
        let answer = Document.object([
            ("client_id", .text(client.id)), ("client_secret", .text(client.secret)),
            ("client_id_issued_at", .number(moment.milliseconds / 1000)),
            ("redirect_uris", .list(redirects, item: nil)),
            ("grant_types", .list([.text("client_credentials")], item: nil)),
            ("scopes", .list([.text("api:client:v1")], item: nil)),
        ])
        return Reply(
            status: 201, headers: headers(V1Format.json.contentType, at: moment),
            body: answer.json())
    }

    mutating func grantToken(_ question: V1Question, at moment: Moment) -> Reply {
        guard let id = question["client_id"], let secret = question["client_secret"],
            let kind = question["grant_type"]
        else { return reply(400, error: "invalid_request", at: moment) }
        guard kind == "client_credentials" else {
            return reply(400, error: "unsupported_grant_type", at: moment)
        }
        guard clients.knows(id, secret: secret) else {
            return reply(400, error: "invalid_client", at: moment)
        }
        if let software = clients.software(of: id), statements.isRevoked(software.id) {
            return reply(400, error: "unauthorized_client", at: moment)
        }
        let token = clients.grant(
            to: id, at: moment.milliseconds, ttl: settings.accessTTL.wholeMilliseconds, ids: &ids)
        counters.tokensIssued += 1
        let answer = Document.object([
            ("id", .text(ids.record())), ("access_token", .text(token)),
            ("created_at", .number(moment.milliseconds)),
            ("expires_in", .number(settings.accessTTL.wholeMilliseconds / 1000)),
            ("token_type", .text("bearer")),
        ])
        return Reply(
            status: 201, headers: headers(V1Format.json.contentType, at: moment),
            body: answer.json())
    }

    /// A scheme, `:`, and something after it. Apps register schemes of their own.
    static func isAbsolute(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { return false }
        return text[..<colon].allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0))
        }
            && !text[text.index(after: colon)...].dropFirst(2).isEmpty
    }
}
