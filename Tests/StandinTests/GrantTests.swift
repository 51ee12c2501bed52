import Dialects
import Formats
import Standin
import Testing

/// The stand-in's side of the OAuth device grant: rfc8628.md, §§ 2 to 7.
@Suite("The stand-in's device grant")
struct GrantTests {
    private func caller(
        interval: Duration = .zero, secret: String? = nil,
        _ change: (inout ServiceSettings) -> Void = { _ in }
    ) -> Caller {
        var settings = ServiceSettings.unthrottled
        settings.grants.interval = interval
        settings.grants.secret = secret
        change(&settings)
        return Caller(settings)
    }

    @Test("metadata names absolute addresses that begin as the caller's did")
    func metadata() {
        var caller = caller()
        let reply = caller.get(
            "/.well-known/oauth-authorization-server", headers: ["Host": "tv.test:8080"])
        #expect(reply.status == 200 && reply.headers["Content-Type"] == "application/json")
        #expect(reply.member("issuer") == "http://tv.test:8080")
        #expect(reply.member("token_endpoint") == "http://tv.test:8080/oauth/token")
        #expect(
            reply.member("device_authorization_endpoint")
                == "http://tv.test:8080/oauth/device_authorization")
        #expect(reply.member("revocation_endpoint") == "http://tv.test:8080/oauth/revoke")
    }

    @Test("codes come as the page has them, and are never twice the same")
    func codes() {
        var caller = caller(interval: .seconds(5))
        let reply = caller.form("/oauth/device_authorization", [("client_id", "tv")])
        #expect(reply.status == 200 && reply.headers["Cache-Control"] == "no-store")
        let user = reply.member("user_code") ?? ""
        #expect(user.wholeMatch(of: /[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}/) != nil)
        #expect(reply.member("device_code")?.count == 64)
        #expect(reply.member("verification_uri") == "http://127.0.0.1/device")
        #expect(
            reply.member("verification_uri_complete")
                == "http://127.0.0.1/device?user_code=\(user)")
        #expect(reply.member("expires_in") == "1800" && reply.member("interval") == "5")
        var all: [Caller.Codes] = []
        for _ in 0..<200 { all.append(caller.codes()) }
        #expect(Set(all.map(\.user)).count == 200 && Set(all.map(\.device)).count == 200)
    }

    @Test("pending, approved, one token, and nothing more for the code")
    func approved() {
        var caller = caller()
        let codes = caller.codes()
        #expect(caller.polled(codes) == "400 authorization_pending")
        #expect(caller.decide(codes) == true)
        let reply = caller.token(codes)
        #expect(reply.status == 200 && reply.member("token_type") == "Bearer")
        #expect(reply.headers["Cache-Control"] == "no-store")
        #expect(reply.headers["Pragma"] == "no-cache")
        #expect(reply.member("expires_in") == "21600")
        #expect(caller.user(of: reply.member("access_token") ?? "") == "viewer-1")
        #expect(caller.polled(codes) == "400 invalid_grant")
        // The page knows the code no more.
        #expect(caller.typed(codes.user).text.contains("No device shows this code"))
    }

    @Test("a refusal stops the device, and is final")
    func refused() {
        var caller = caller()
        let codes = caller.codes()
        caller.logInPage("viewer-1")
        let page = caller.typed(codes.user)
        #expect(caller.decided(page, "refuse").text.contains("Device turned down"))
        #expect(caller.polled(codes) == "400 access_denied")
        #expect(caller.decided(page, "approve").status == 400)
        #expect(caller.polled(codes) == "400 access_denied")
    }

    @Test("of two who decide the first is heard, and the other is told")
    func twoDecide() {
        var caller = caller()
        let codes = caller.codes()
        caller.logInPage("viewer-1")
        let first = caller.typed(codes.user)
        let cookies = caller.cookies
        caller.logInPage("viewer-2")
        let second = caller.typed(codes.user)
        #expect(caller.decided(second, "approve").status == 200)
        caller.cookies = cookies
        #expect(caller.decided(first, "refuse").status == 400)
        let access = caller.token(codes).member("access_token") ?? ""
        #expect(caller.user(of: access) == "viewer-2")
    }

    @Test("a poll that comes too soon is slowed down by 5 s, for good")
    func slowDown() {
        var caller = caller(interval: .seconds(5))
        let codes = caller.codes()
        caller.advance(.milliseconds(4400))
        #expect(caller.polled(codes) == "400 slow_down")
        caller.advance(.milliseconds(9400))
        #expect(caller.polled(codes) == "400 slow_down")
        // From 5 s twice: 15 s.
        caller.advance(.seconds(15))
        #expect(caller.polled(codes) == "400 authorization_pending")
        // What is decided is told however early it is asked for.
        caller.decide(codes)
        #expect(caller.polled(codes) == "token")
    }

    @Test("the end of a code ends it on both screens, whatever was decided")
    func expired() {
        var caller = caller { $0.codeTTL = .seconds(60) }
        let (open, approved) = (caller.codes(), caller.codes())
        caller.logInPage("viewer-1")
        let page = caller.typed(open.user)
        caller.advance(.milliseconds(59_999))
        #expect(caller.decide(approved) == true)
        caller.advance(.milliseconds(1))
        #expect(caller.decided(page, "approve").status != 200)
        #expect(caller.polled(open) == "400 expired_token")
        #expect(caller.polled(approved) == "400 expired_token")
        caller.advance(.seconds(61))
        _ = caller.get("/device")
        #expect(caller.polled(open) == "400 invalid_grant")
    }

    @Test("a user code is read without regard of case, dashes and spaces")
    func spelling() {
        var caller = caller()
        let codes = caller.codes()
        caller.logInPage("viewer-1")
        let typed = " " + codes.user.lowercased().replacing("-", with: " ")
        #expect(caller.typed(typed).text.contains("Is this your device?"))
        #expect(caller.typed("BCDF-GHJ").text.contains("No device shows this code"))
    }

    @Test("who guesses five codes in a minute has to wait for it to be over")
    func guesses() {
        var caller = caller()
        let codes = caller.codes()
        caller.logInPage("viewer-1")
        for _ in 0..<5 {
            let missed = caller.typed("BBBB-BBBB")
            #expect(missed.status == 200)
        }
        let locked = caller.typed(codes.user)
        #expect(locked.status == 429 && locked.headers["Retry-After"] == "60")
        caller.advance(.seconds(61))
        #expect(caller.typed(codes.user).text.contains("Is this your device?"))
    }

    @Test("a refresh token is replaced, and ends with its revocation")
    func renewal() {
        var caller = caller()
        let codes = caller.codes()
        caller.decide(codes)
        let first = caller.token(codes).member("refresh_token") ?? ""
        let renewed = caller.renewed(first)
        #expect(renewed.status == 200 && caller.renewed(first).member("error") == "invalid_grant")
        let (access, second) = (
            renewed.member("access_token") ?? "", renewed.member("refresh_token") ?? ""
        )
        #expect(caller.user(of: access) == "viewer-1")
        #expect(caller.revoked(second).status == 200)
        #expect(caller.renewed(second).member("error") == "invalid_grant")
        #expect(caller.user(of: access) == nil)
        // RFC 7009, 2.2.
        #expect(caller.revoked("no token").status == 200)
    }

    @Test("a client must be the registered one, and shows its secret in either way")
    func clients() {
        var open = caller()
        let codes = open.codes()
        let foreign = open.token(codes, client: "radio")
        #expect(foreign.status == 401 && foreign.member("error") == "invalid_client")
        #expect(open.form("/oauth/token", []).member("error") == "invalid_client")
        var closed = caller(secret: "s:1")
        let path = "/oauth/device_authorization"
        #expect(closed.form(path, [("client_id", "tv")]).status == 401)
        #expect(closed.form(path, [("client_id", "tv"), ("client_secret", "s:1")]).status == 200)
        let basic = "Basic " + Base64.encode("tv:s%3A1".utf8)
        #expect(closed.form(path, [], ["Authorization": basic]).status == 200)
        let wrong = closed.form(path, [], ["Authorization": "Basic " + Base64.encode("tv:s".utf8)])
        #expect(wrong.status == 401 && wrong.headers["WWW-Authenticate"] != nil)
    }

    @Test("what was issued to one client is nothing to another, and is not lost by it")
    func otherClient() {
        var caller = caller { $0.grants.otherClient = "tv-2" }
        let codes = caller.codes()
        caller.decide(codes)
        let foreign = caller.token(codes, client: "tv-2")
        #expect(foreign.status == 400 && foreign.member("error") == "invalid_grant")
        let refresh = caller.token(codes).member("refresh_token") ?? ""
        let renewal = caller.form(
            "/oauth/token",
            [("grant_type", "refresh_token"), ("refresh_token", refresh), ("client_id", "tv-2")])
        #expect(renewal.member("error") == "invalid_grant")
        _ = caller.form("/oauth/revoke", [("token", refresh), ("client_id", "tv-2")])
        #expect(caller.renewed(refresh).status == 200)
    }

    @Test(
        "what is no request of the standard is turned down as it says",
        arguments: [
            ("client_id=tv&client_id=tv", "invalid_request"), ("client_id=tv", "invalid_request"),
            ("client_id=tv&grant_type=password", "unsupported_grant_type"),
            (
                "client_id=tv&grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=",
                "invalid_request"
            ),
            (
                "client_id=tv&grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=x",
                "invalid_grant"
            ),
        ])
    func misuse(body: String, error: String) {
        var caller = caller()
        let reply = caller.post(
            "/oauth/token", body: body,
            headers: ["Content-Type": "application/x-www-form-urlencoded"])
        #expect(reply.status == 400 && reply.member("error") == error)
        #expect(reply.headers["Cache-Control"] == "no-store")
        #expect(
            caller.post("/oauth/token", body: body, headers: ["Content-Type": "text/plain"])
                .member("error") == "invalid_request")
    }

    @Test("pages believe nothing that this browser was not given")
    func forgeries() {
        var caller = caller()
        let codes = caller.codes()
        #expect(caller.get("/device").headers["Location"] == "/device/login")
        let forged = caller.form(
            "/device/login", [("csrf_token", "x"), ("username", "viewer-1"), ("password", "p")])
        #expect(forged.status == 403)
        caller.logInPage("viewer-1")
        #expect(caller.form("/device", [("user_code", codes.user)]).status == 403)
        let page = caller.typed(codes.user)
        caller.logInPage("viewer-2")
        #expect(caller.decided(page, "approve").status == 403)
        #expect(caller.polled(codes) == "400 authorization_pending")
        #expect(caller.get("/oauth/token").status == 405)
        #expect(caller.get("/oauth/token").headers["Allow"] == "POST")
    }

    @Test("a wrong password brings the login page back, and a link's code is kept through it")
    func login() {
        var caller = caller()
        let codes = caller.codes()
        let sent = caller.get("/device?user_code=\(codes.user)")
        #expect(sent.headers["Location"] == "/device/login?next=\(codes.user)")
        let page = caller.get(sent.headers["Location"] ?? "")
        let token = page.after(#"name="csrf_token" value=""#, upTo: "\"") ?? ""
        func fields(_ token: String, _ password: String) -> [(String, String)] {
            [
                ("csrf_token", token), ("next", codes.user), ("username", "viewer-1"),
                ("password", password),
            ]
        }
        let again = caller.form("/device/login", fields(token, "wrong"))
        #expect(again.status == 200 && again.text.contains("is not right"))
        let fresh = again.after(#"name="csrf_token" value=""#, upTo: "\"") ?? ""
        let through = caller.form("/device/login", fields(fresh, "right"))
        #expect(through.headers["Location"] == "/device?user_code=\(codes.user)")
        #expect(
            caller.get(through.headers["Location"] ?? "").text.contains("Is this your device?"))
    }
}
