import Dialects
import Journal
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
