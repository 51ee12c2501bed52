import Dialects
import Standin
import Testing

@Suite("the browser's hops (rest-v1.md § 8)")
struct BrowserTests {
    @Test("a login walks N1, the provider's page and the assertion, and signs the television in")
    func chain() throws {
        var phone = Caller.registered()
        let code = phone.issue()
        let first = phone.get(Caller.authenticate(code))
        #expect(first.status == 302)
        let saml = try #require(first.headers["Location"])
        #expect(saml.hasPrefix("/adobe-services/authenticate/saml?noflash=true&mso_id=DemoCable&"))
        #expect(saml.hasSuffix("&redirect_url=https%3A%2F%2Fdemo.test%2Fdone"))
        #expect(first.headers["Set-Cookie"]?.hasPrefix("AP_FLOW=") == true)
        let second = phone.get(saml)
        #expect(second.status == 302)
        let provider = try #require(second.headers["Location"])
        #expect(provider.hasPrefix("/mvpd/DemoCable/sso?SAMLRequest="))
        #expect(provider.contains("&RelayState="))
        let page = phone.get(provider)
        #expect(page.status == 200)
        #expect(page.mediaType == "text/html")
        #expect(page.text.contains(#"<input type="password" name="password">"#))
        let handOver = phone.submit(page, user: "ann", password: "right")
        #expect(handOver.status == 200)
        #expect(handOver.text.contains(#"action="/sp/saml/SAMLAssertionConsumer""#))
        #expect(phone.poll().status == 404)
        let last = phone.finish(handOver)
        #expect(last.status == 302)
        #expect(last.headers["Location"] == "https://demo.test/done")
        #expect(phone.get("/api/v1/checkauthn/\(code)?requestor=DEMOTV").status == 200)
        let token = phone.poll()
        #expect(token.status == 200)
        #expect(token.member("userId") == "ann")
        #expect(token.member("mvpd") == "DemoCable")
    }
}

extension BrowserTests {
    @Test(
        "N1 turns down what breaks a rule",
        arguments: [
            ("no code", "reg_code=CODE&", ""), ("no requestor", "requestor_id=DEMOTV&", ""),
            ("no provider", "mso_id=DemoCable&", ""), ("no domain", "domain_name=demo.test&", ""),
            ("no way back", "&redirect_url=https%3A%2F%2Fdemo.test%2Fdone", ""),
            ("another code", "CODE", "AAAAAAA"), ("no code at all", "CODE", "x"),
            ("another requestor", "DEMOTV", "OTHER"), ("another provider", "DemoCable", "Nobody"),
            ("a domain of somebody else", "demo.test&", "evil.test&"),
            ("a relative way back", "https%3A%2F%2Fdemo.test%2Fdone", "done"),
            ("a way back with a line end", "done", "done%0D%0AX%3A1"),
        ])
    func badStart(reason: String, old: String, new: String) throws {
        var phone = Caller.registered()
        let code = phone.issue()
        var target = Caller.authenticate("CODE")
        let place = try #require(target.range(of: old), "\(reason)")
        target.replaceSubrange(place, with: new)
        if let place = target.range(of: "CODE") { target.replaceSubrange(place, with: code) }
        let reply = phone.get(target)
        #expect(reply.status == 400, "\(reason)")
        #expect(reply.isJSON)
        #expect(phone.logIn(code).headers["Location"] == "https://demo.test/done")
    }

    @Test("no_iframe and noflash are not demanded (A11), nor is a bearer (A3)")
    func residual() {
        var phone = Caller.registered()
        let code = phone.issue()
        phone.bearer = nil
        let target =
            "/api/v1/authenticate?reg_code=\(code)&requestor_id=DEMOTV&mso_id=DemoSat"
            + "&domain_name=demo.test&redirect_url=https%3A%2F%2Fdemo.test%2F"
        #expect(phone.get(target).status == 302)
    }

    @Test("a browser that loses its cookies gets nowhere")
    func cookies() {
        var phone = Caller.registered()
        let start = phone.get(Caller.authenticate(phone.issue()))
        let kept = phone.cookies
        phone.cookies = [:]
        #expect(phone.get(start.headers["Location"] ?? "").status == 400)
        phone.cookies = kept
        let page = phone.openLogin(start)
        let all = phone.cookies
        phone.cookies["MVPDSESSION"] = nil
        #expect(phone.submit(page, user: "ann", password: "right").status == 403)
        phone.cookies = all
        let handOver = phone.submit(page, user: "ann", password: "right")
        phone.cookies["AP_FLOW"] = nil
        #expect(
            phone.finish(handOver).headers["Location"]
                == "https://demo.test/done?error=access_denied")
        #expect(phone.poll().status == 404)
    }

    @Test("hidden fields must come back, and change with each page")
    func hiddenFields() {
        var phone = Caller.registered()
        let page = phone.openLogin(phone.get(Caller.authenticate(phone.issue())))
        let state = page.after("name=\"RelayState\" value=\"", upTo: "\"") ?? ""
        let bare = phone.post(
            "/mvpd/DemoCable/login", body: "RelayState=\(state)&username=a&password=b")
        #expect(bare.status == 403)
        let again = phone.submit(page, user: "ann", password: "wrong")
        #expect(phone.submit(page, user: "ann", password: "right").status == 403)
        #expect(phone.submit(again, user: "", password: "right").text.contains("class=\"error\""))
    }

    @Test("a provider's page belongs to its own logins")
    func otherProvider() {
        var phone = Caller.registered()
        let start = phone.get(Caller.authenticate(phone.issue()))
        let toProvider = phone.get(start.headers["Location"] ?? "").headers["Location"] ?? ""
        let other = toProvider.replacing("DemoCable", with: "DemoSat")
        #expect(phone.get(other).status == 400)
        #expect(phone.get("/mvpd/DemoCable/sso").status == 400)
    }

    @Test("the consumer says 503 without a message, and trusts no forged one")
    func assertion() {
        var phone = Caller.registered()
        let code = phone.issue()
        #expect(phone.post("/sp/saml/SAMLAssertionConsumer", body: "").status == 503)
        let page = phone.openLogin(phone.get(Caller.authenticate(code)))
        let handOver = phone.submit(page, user: "ann", password: "right")
        let state = handOver.after("name=\"RelayState\" value=\"", upTo: "\"") ?? ""
        for forged in ["PHhtbC8%2B", "%21%21", "%3Cxml%3E"] {
            let reply = phone.post(
                "/sp/saml/SAMLAssertionConsumer", body: "SAMLResponse=\(forged)&RelayState=\(state)"
            )
            #expect(reply.status == 302)
            #expect(reply.headers["Location"]?.hasSuffix("error=access_denied") == true)
        }
        let stranger = phone.post(
            "/sp/saml/SAMLAssertionConsumer", body: "SAMLResponse=PHhtbC8%2B&RelayState=x")
        #expect(stranger.status == 400)
        #expect(phone.poll().status == 404)
        #expect(phone.finish(handOver).headers["Location"] == "https://demo.test/done")
        // The same message again has no effect.
        #expect(
            phone.finish(handOver).headers["Location"]
                == "https://demo.test/done?error=access_denied")
        #expect(phone.service.counted().signIns == 1)
    }

    @Test("user names survive markup and forms")
    func userNames() {
        var phone = Caller.registered()
        phone.logIn(phone.issue(), user: "a%26b%3C%22%27%C3%A9%3E")
        #expect(phone.poll().text.contains(#""userId":"a&b<\"'é>""#))
    }
}
