import Dialects
import Testing

/// A device and a browser that speak the OAuth device grant to a service value.
extension Caller {
    struct Codes {
        let device: String
        let user: String
    }

    /// A form, as a device or a browser sends one.
    mutating func form(_ path: String, _ fields: [(String, String)], _ headers: Headers = [:])
        -> Reply
    {
        var headers = headers
        headers.append("Content-Type", "application/x-www-form-urlencoded")
        return post(
            path, body: String(decoding: FormEncoding.body(fields), as: UTF8.self),
            headers: headers)
    }

    mutating func codes(_ household: Int? = nil) -> Codes {
        let reply = form(
            "/oauth/device_authorization", [("client_id", "tv")], Self.marked(household))
        return Codes(
            device: reply.member("device_code") ?? "", user: reply.member("user_code") ?? "")
    }

    mutating func token(_ codes: Codes, client: String = "tv", _ headers: Headers = [:]) -> Reply {
        form(
            "/oauth/token",
            [
                ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
                ("device_code", codes.device), ("client_id", client),
            ], headers)
    }

    /// `error` of a poll, or `token`.
    mutating func polled(_ codes: Codes) -> String {
        let reply = token(codes)
        return reply.status == 200 ? "token" : "\(reply.status) \(reply.member("error") ?? "")"
    }

    mutating func renewed(_ refresh: String) -> Reply {
        form(
            "/oauth/token",
            [("grant_type", "refresh_token"), ("refresh_token", refresh), ("client_id", "tv")])
    }

    mutating func revoked(_ token: String) -> Reply {
        form("/oauth/revoke", [("token", token), ("client_id", "tv")])
    }

    mutating func user(of access: String, household: Int? = nil) -> String? {
        var headers = Self.marked(household)
        headers.append("Authorization", "Bearer \(access)")
        return get("/oauth/userinfo", headers: headers).member("sub")
    }

    /// A browser logs in with cookies of its own.
    mutating func logInPage(_ user: String, _ household: Int? = nil) {
        cookies = [:]
        let page = get("/device/login")
        let token = page.after(#"name="csrf_token" value=""#, upTo: "\"") ?? ""
        let reply = form(
            "/device/login",
            [("csrf_token", token), ("username", user), ("password", "right"), ("next", "")],
            Self.marked(household))
        #expect(reply.status == 302 && reply.headers["Location"] == "/device")
    }

    /// Types the code; the page that asks for the decision, or the one that asks again.
    mutating func typed(_ code: String) -> Reply {
        let page = get("/device")
        let token = page.after(#"name="csrf_token" value=""#, upTo: "\"") ?? ""
        return form("/device", [("csrf_token", token), ("user_code", code)])
    }

    mutating func decided(_ page: Reply, _ decision: String, _ household: Int? = nil) -> Reply {
        let login = page.after(#"name="login" value=""#, upTo: "\"") ?? ""
        return form(
            "/device/decision", [("login", login), ("decision", decision)], Self.marked(household))
    }

    /// The whole way of a person.
    @discardableResult
    mutating func decide(
        _ codes: Codes, _ decision: String = "approve", as user: String = "viewer-1",
        _ household: Int? = nil
    ) -> Bool {
        logInPage(user, household)
        return decided(typed(codes.user), decision, household).status == 200
    }

    private static func marked(_ household: Int?) -> Headers {
        household.map { ["X-Screenrig": "night-1/\($0)/1"] } ?? [:]
    }
}
