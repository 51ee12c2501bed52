import Dialects
import Journal
import Reports
import Testing
import Vocabulary

@Suite("What a trial shows of secrets")
struct TryRedactionTests {
    /// What `--bodies` prints of one exchange.
    private func shown(
        headers: Headers = [:], body: String = "", reply: String = "", type: String = "",
        replyHeaders: Headers = [:], target: String = "/x", operation: OperationName = .mediaToken
    ) -> String {
        let origin = Origin(scheme: .http, host: "127.0.0.1")
        let call = Call(
            operation, .post, WebAddress(origin: origin, target: target), headers: headers,
            body: Array(body.utf8))
        var answered = replyHeaders
        answered.append("Content-Type", type)
        let exchange = Exchange(
            lane: 0, sequence: 1, device: DeviceID(household: 0, role: .firstScreen),
            operation: operation, planned: .start, sent: .start, ended: .start,
            delivery: .answered(status: 200), outcome: .ok)
        let gate = OutputGate(Fingerprinter(key: 1), ownHeaders: ["X-Waf": "something-else"])
        return ExchangeText(origin: origin, width: 100, bodies: true).text(
            RecordedExchange(
                call: call,
                reply: Reply(status: 200, headers: answered, body: Array(reply.utf8)),
                exchange: exchange, answer: .done, gate: gate))
    }

    @Test(
        "headers that carry secrets keep their names and schemes only",
        arguments: [
            ("Authorization", "Bearer planted", "Authorization: Bearer (secret #"),
            ("authorization", "planted", "authorization: (secret #"),
            ("Proxy-Authorization", "Basic planted", "Proxy-Authorization: Basic (secret #"),
            ("Cookie", "a=planted; b=planted", "Cookie: a=(secret #"),
            ("X-Waf", "planted", "X-Waf: (secret #"),
            ("Referer", "http://x/y?access_token=planted&a=1", "a=1"),
        ])
    func headers(name: String, value: String, kept: String) {
        let text = shown(headers: Headers([.init(name, value)]))
        #expect(!text.contains("planted"))
        #expect(text.contains(kept), "\(text)")
    }

    @Test("cookies that are set keep their attributes")
    func setCookie() {
        let text = shown(replyHeaders: ["Set-Cookie": "S=planted; Path=/; HttpOnly"])
        #expect(!text.contains("planted"))
        #expect(text.contains("; Path=/; HttpOnly"))
    }

    @Test(
        "bodies keep their form, and lose what is secret",
        arguments: [
            (#"{"access_token": "planted", "id": "kept"}"#, "application/json"),
            (#"{"serializedToken":"plan\"planted","id":"kept"}"#, "application/json"),
            ("<token><serializedToken>planted</serializedToken><id>kept</id></token>", "text/xml"),
            (#"<INPUT TYPE=hidden name="SAMLResponse" value="planted"> kept"#, "text/html"),
            (#"<input value='planted' type='password'> kept"#, "text/html"),
            (#"<input type="hidden" value=planted name=csrf> kept"#, "text/html"),
            ("client_secret=planted&grant_type=kept", "application/x-www-form-urlencoded"),
        ])
    func bodies(body: String, type: String) {
        let text = shown(reply: body, type: type)
        #expect(!text.contains("planted"), "\(text)")
        #expect(text.contains("(secret #") && text.contains("kept"), "\(text)")
    }

    @Test("of a login form nothing but the names is shown")
    func login() {
        let text = shown(
            headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: "user=planted&word=planted&csrf=planted", operation: .mvpdLogin)
        #expect(!text.contains("planted"))
        #expect(text.contains("user=(secret #") && text.contains("csrf=(secret #"))
    }

    @Test("secrets of addresses are hidden, with and without --bodies")
    func addresses() {
        let text = shown(target: "/x?SAMLResponse=planted&deviceId=kept")
        #expect(!text.contains("planted"))
        #expect(text.contains("deviceId=kept"))
    }

    @Test("equal secrets look equal, others do not")
    func marks() throws {
        func mark(_ secret: String) throws -> Substring {
            let text = shown(headers: ["Authorization": "Bearer \(secret)"])
            return try #require(text.firstMatch(of: #/secret #([0-9a-f]{16})/#)).1
        }
        #expect(try mark("one") == mark("one"))
        #expect(try mark("one") != mark("two"))
    }

    @Test("control characters of a server do not reach the terminal")
    func control() {
        let text = shown(reply: "\u{1b}[31mred\u{7}", type: "text/plain")
        #expect(!text.contains("\u{1b}") && !text.contains("\u{7}"))
    }
}
