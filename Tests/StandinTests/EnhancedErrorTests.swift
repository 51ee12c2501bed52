import Dialects
import Standin
import Testing

@Suite("enhanced errors (rest-v1.md § 4)")
struct EnhancedErrorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var code: String
        var status: Int
        var action: String
        var ask: @Sendable (inout Caller) -> Reply
        var testDescription: String { "\(code) \(status)" }

        init(
            _ code: String, _ status: Int, _ action: String,
            _ ask: @escaping @Sendable (inout Caller) -> Reply
        ) {
            self.code = code
            self.status = status
            self.action = action
            self.ask = ask
        }
    }

    private static let key = Caller.key()

    private static func authorize(_ resource: String) -> String {
        "/api/v1/authorize?\(key)&resource=\(resource)"
    }

    static let cases: [Case] = [
        Case("invalid_requestor", 400, "none") { $0.get("/api/v1/tokens/authn?deviceId=d") },
        Case("invalid_requestor", 400, "none") {
            $0.get("/api/v1/tokens/authn?requestor=OTHER&deviceId=d")
        },
        Case("invalid_device_info", 400, "none") {
            $0.get("/api/v1/tokens/authn?\(key)", headers: ["X-Device-Info": "e30="])
        },
        Case("invalid_device_id", 400, "none") { $0.get("/api/v1/checkauthn?requestor=DEMOTV") },
        Case("missing_resource", 400, "none") { $0.get("/api/v1/authorize?\(key)") },
        Case("malformed_authz_request", 400, "none") { $0.get(authorize("%3Citem")) },
        Case("internal_error", 405, "none") { $0.post("/api/v1/authorize", body: "") },
        Case("unknown_integration", 400, "configuration") {
            $0.get(Caller.authenticate("ABCDEFG", mvpd: "Nobody"))
        },
        Case("too_many_resources", 403, "configuration") {
            $0.logIn($0.issue())
            return $0.get("/api/v1/preauthorize?\(key)&resource=1,2,3,4,5,6")
        },
        Case("authorization_denied_by_mvpd", 403, "none") {
            $0.logIn($0.issue())
            return $0.get(authorize("deny-1"))
        },
        Case("authorization_denied_by_parental_controls", 403, "none") {
            $0.logIn($0.issue())
            return $0.get(authorize("rated-1"))
        },
        Case("authorization_denied_by_hba_policies", 403, "authentication") {
            $0.logIn($0.issue())
            return $0.get(authorize("away-1"))
        },
        Case("identity_not_recognized_by_mvpd", 403, "authentication") {
            $0.logIn($0.issue())
            return $0.get(authorize("stranger-1"))
        },
        Case("network_received_error", 403, "retry") {
            $0.logIn($0.issue())
            return $0.get(authorize("broken-1"))
        },
        Case("network_connection_timeout", 403, "retry") {
            $0.logIn($0.issue())
            return $0.get(authorize("silent-1"))
        },
        Case("maximum_execution_time_exceeded", 403, "retry") {
            $0.logIn($0.issue())
            return $0.get(authorize("overrun-1"))
        },
        Case("authentication_session_issuer_mismatch", 400, "authentication") {
            $0.logIn($0.issue())
            return $0.get(authorize("a") + "&mvpd=DemoSat")
        },
        Case("authorization_denied_by_session_invalidated", 403, "authentication") {
            $0.logIn($0.issue())
            #expect($0.invalidate().status == 204)
            return $0.get(authorize("a"))
        },
        Case("authentication_session_invalidated", 403, "authentication") {
            $0.logIn($0.issue())
            _ = $0.invalidate()
            return $0.get("/api/v1/checkauthn?\(key)")
        },
        Case("authentication_session_missing", 403, "authentication") { $0.get(authorize("a")) },
        Case("authentication_session_missing", 403, "authentication") {
            $0.get("/api/v1/checkauthn?\(key)")
        },
        Case("authentication_session_missing", 412, "authentication") {
            $0.get("/api/v1/tokens/usermetadata?\(key)")
        },
        Case("authentication_session_expired", 403, "authentication") {
            $0.expire()
            return $0.get(authorize("a"))
        },
        Case("authentication_session_expired", 412, "authentication") {
            $0.expire()
            return $0.get("/api/v1/tokens/authz?\(key)&resource=a")
        },
        Case("preauthorization_authentication_session_missing", 412, "authentication") {
            $0.get("/api/v1/preauthorize?\(key)&resource=a")
        },
        Case("preauthorization_authentication_session_expired", 412, "authentication") {
            $0.expire()
            return $0.get("/api/v1/preauthorize?\(key)&resource=a")
        },
        Case("authorization_not_found", 404, "authorization") {
            $0.logIn($0.issue())
            return $0.get("/api/v1/tokens/authz?\(key)&resource=a")
        },
        Case("authorization_not_found", 403, "authorization") {
            $0.logIn($0.issue())
            return $0.get("/api/v1/tokens/media?\(key)&resource=a")
        },
        Case("authorization_expired", 410, "authorization") {
            $0.logIn($0.issue())
            _ = $0.get(authorize("a"))
            $0.advance(.seconds(100))
            return $0.get("/api/v1/tokens/authz?\(key)&resource=a")
        },
    ]

    private static func caller(enhanced: Bool) -> Caller {
        Caller(
            ServiceSettings(
                policies: .init(throttle: nil), auth: .none,
                authorizationTTL: .seconds(100),
                enhancedErrors: enhanced))
    }

    @Test("each code has its status, its action and all fields", arguments: cases)
    func codes(row: Case) {
        var caller = Self.caller(enhanced: true)
        let reply = row.ask(&caller)
        #expect(reply.status == row.status)
        #expect(reply.member("status") == "\(row.status)")
        #expect(reply.member("code") == row.code)
        #expect(reply.member("action") == row.action)
        #expect(reply.member("message")?.isEmpty == false)
        #expect(reply.member("helpUrl")?.hasPrefix("https://") == true)
        #expect(reply.member("trace")?.count == 36)
        #expect(reply.body.first == UInt8(ascii: "{"))
    }

    @Test("in XML it is an element with the same fields")
    func xml() {
        var caller = Self.caller(enhanced: true)
        caller.accept = "application/xml"
        let text = caller.get("/api/v1/checkauthn?\(Self.key)").text
        #expect(
            text.contains(
                "<error><action>authentication</action><status>403</status>"
                    + "<code>authentication_session_missing</code>"
                    + "<message>Authentication token not found</message><helpUrl>"))
        #expect(text.hasSuffix("</trace></error>"))
    }

    @Test("without opting in the same answers are classic", arguments: cases)
    func classic(row: Case) {
        var caller = Self.caller(enhanced: false)
        let reply = row.ask(&caller)
        #expect(reply.status == row.status)
        #expect(reply.member("status") == "\(row.status)" && reply.member("message") != nil)
        for name in ["code", "action", "trace", "helpUrl"] { #expect(reply.member(name) == nil) }
    }

    @Test("a requestor opts in for itself")
    func perRequestor() {
        var caller = Caller(
            ServiceSettings(
                requestors: [
                    .init(id: "DEMOTV", domains: ["demo.test"]),
                    .init(id: "NEWTV", domains: ["new.test"], enhancedErrors: true),
                ], policies: .init(throttle: nil), auth: .none))
        let old = caller.get("/api/v1/checkauthn?requestor=DEMOTV&deviceId=d")
        #expect(old.text == #"{"status":403,"message":"Authentication token not found"}"#)
        let new = caller.get("/api/v1/checkauthn?requestor=NEWTV&deviceId=d")
        #expect(new.member("code") == "authentication_session_missing")
        let path = caller.post("/reggie/v1/NEWTV/regcode", body: "")
        #expect(path.member("code") == "invalid_device_id")
    }

    @Test("items of a preauthorization carry their own errors within 200")
    func items() {
        var caller = Self.caller(enhanced: true)
        caller.logIn(caller.issue())
        let target = "/api/v1/preauthorize?\(Self.key)&resource=a,deny-b,broken-c"
        let reply = caller.get(target)
        #expect(reply.status == 200)
        #expect(reply.text.contains(#"{"id":"a","authorized":true}"#))
        #expect(
            reply.text.contains(
                #"{"id":"deny-b","authorized":false,"error":{"action":"none","status":403,"code":"preauthorization_denied_by_mvpd""#
            ))
        #expect(
            reply.text.contains(
                #""error":{"action":"retry","status":403,"code":"network_received_error""#
            ))
        caller.accept = "application/xml"
        #expect(
            caller.get(target).text.contains(
                "<id>deny-b</id><authorized>false</authorized><error><action>none</action>"))
    }

    @Test("what has no code of its own stays classic")
    func uncoded() {
        var caller = Self.caller(enhanced: true)
        #expect(caller.poll().text == #"{"status":404,"message":"Not Found"}"#)
        #expect(
            caller.get("\(Caller.codePath)/AAAAAAA").text
                == #"{"status":404,"message":"Not Found"}"#)
    }
}

extension Caller {
    /// The provider ends the session of `tv-1`.
    mutating func invalidate() -> Reply {
        post("/_standin/invalidate", body: "{\"requestor\":\"DEMOTV\",\"deviceId\":\"tv-1\"}")
    }

    /// Signs `tv-1` in and waits until that is over.
    mutating func expire() {
        logIn(issue())
        advance(.seconds(21_600))
    }
}
