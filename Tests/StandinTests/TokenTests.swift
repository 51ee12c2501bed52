import Dialects
import Standin
import Testing

@Suite("sign-ins (rest-v1.md §§ 9, 10, 13)")
struct TokenTests {
    @Test("nobody signed in: N3 403, N4 404, with the messages of the page")
    func none() {
        var caller = Caller.registered()
        let check = caller.get("/api/v1/checkauthn?\(Caller.key())")
        #expect(check.status == 403)
        #expect(check.text == #"{"status":403,"message":"Authentication token not found"}"#)
        let poll = caller.poll()
        #expect(poll.status == 404)
        #expect(poll.text == #"{"status":404,"message":"Not Found"}"#)
        let code = caller.get("/api/v1/checkauthn/AAAAAAA?requestor=DEMOTV")
        #expect(code.text == #"{"status":403,"message":"Forbidden"}"#)
    }

    @Test("signed in: N2 and N3 200 without a body, N4 200 with expires as text (A21)")
    func live() {
        var caller = Caller.signedIn()
        let check = caller.get("/api/v1/checkauthn?\(Caller.key())")
        #expect(check.status == 200)
        #expect(check.body.isEmpty)
        #expect(
            caller.poll().text
                == #"{"requestor":"DEMOTV","mvpd":"DemoCable","userId":"viewer-1","expires":"1760021600000"}"#
        )
        caller.accept = "application/xml"
        #expect(
            caller.poll().text.hasSuffix(
                "<authentication><requestor>DEMOTV</requestor><mvpd>DemoCable</mvpd>"
                    + "<userId>viewer-1</userId><expires>1760021600000</expires></authentication>"))
    }

    @Test("when the token expires N3 says so and N4 says 410; a day later nobody remembers")
    func expiry() {
        var caller = Caller.signedIn(
            ServiceSettings(policies: .init(throttle: nil), auth: .none))
        caller.advance(.milliseconds(21_600_000 - 1))
        #expect(caller.poll().status == 200)
        caller.advance(.milliseconds(1))
        #expect(caller.poll().text == #"{"status":410,"message":"Gone"}"#)
        let check = caller.get("/api/v1/checkauthn?\(Caller.key())")
        #expect(check.text == #"{"status":403,"message":"Authentication token expired"}"#)
        caller.advance(.seconds(86_400))
        #expect(caller.poll().status == 404)
        #expect(caller.service.counted().held.first { $0.what == "signIns" }?.count == 0)
    }

    @Test("a provider may have a life of its own for its sign-ins")
    func providerTTL() {
        let short = ServiceSettings.Provider(id: "DemoCable", authenticationTTL: .seconds(60))
        var caller = Caller.signedIn(
            ServiceSettings(providers: [short], policies: .init(throttle: nil)))
        caller.advance(.seconds(60))
        #expect(caller.poll().status == 410)
    }

    @Test("tokens belong to requestor, device, user and app")
    func keys() {
        var settings = ServiceSettings.unthrottled
        settings.requestors.append(.init(id: "OTHER", domains: ["other.test"]))
        var caller = Caller.registered(settings)
        caller.logIn(caller.issue("tv-1", more: "&deviceUser=u"))
        #expect(caller.poll().status == 404)
        #expect(caller.get("/api/v1/tokens/authn?\(Caller.key())&deviceUser=u").status == 200)
        let other = "/api/v1/tokens/authn?requestor=OTHER&deviceId=tv-1&deviceUser=u"
        #expect(caller.get(other).status == 404)
        #expect(
            caller.get("/api/v1/tokens/authn?\(Caller.key())&deviceUser=u&appId=a").status == 404)
    }

    @Test("L1 signs out, again and again; what hung on the token is gone")
    func logout() {
        var caller = Caller.signedIn()
        let resource = "\(Caller.key())&resource=demo-1"
        #expect(caller.get("/api/v1/authorize?\(resource)").status == 200)
        let target = "/api/v1/logout?\(Caller.key())"
        #expect(caller.delete(target).status == 204)
        #expect(caller.delete(target).status == 204)
        #expect(caller.get("/api/v1/checkauthn?\(Caller.key())").status == 403)
        #expect(caller.poll().status == 404)
        #expect(caller.get("/api/v1/tokens/authz?\(resource)").status == 412)
        caller.logIn(caller.issue())
        #expect(caller.get("/api/v1/tokens/authz?\(resource)").status == 404)
    }

    @Test(
        "each first-screen call names what is missing",
        arguments: [
            "/api/v1/checkauthn", "/api/v1/tokens/authn", "/api/v1/preauthorize",
            "/api/v1/authorize", "/api/v1/tokens/authz", "/api/v1/tokens/media",
            "/api/v1/mediatoken", "/api/v1/tokens/usermetadata", "/api/v1/logout",
        ])
    func mandatory(path: String) {
        var caller = Caller.signedIn()
        let method: Method = path.hasSuffix("logout") ? .delete : .get
        let rows = [
            ("deviceId=tv-1", "Required 'requestor' is not present"),
            ("requestor=DEMOTV", "Required 'deviceId' is not present"),
            ("requestor=NOBODY&deviceId=tv-1", "Unknown requestor 'NOBODY'"),
            // Names are case-sensitive (§ 3.1).
            ("requestor=DEMOTV&deviceid=tv-1", "Required 'deviceId' is not present"),
        ]
        for (query, message) in rows {
            let reply = caller.send(method, "\(path)?\(query)")
            #expect(reply.status == 400)
            #expect(reply.text == #"{"status":400,"message":"\#(message)"}"#)
        }
    }
}
