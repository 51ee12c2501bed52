internal import Dialects
internal import Formats
internal import Signing

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
