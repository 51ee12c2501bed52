import Dialects
import Formats
import Foundation
import Journal
import Signing
import Statistics
import TestSupport
import Testing

@testable import Standin

/// The identity provider in process: what others' service providers cannot see, in Tests/ServiceProviders.
@Suite("The identity provider")
struct IdentityProviderTests {
    private static let signer = try! SigningPair.make(days: 1)

    /// A provider and a browser before it.
    private struct Caller {
        var provider: IdentityProvider
        var seconds: Int64 = 1_800_000_000

        init(_ users: [UserRule] = [.usual], seed: UInt64 = 1) throws {
            var settings = ProviderSettings(signer: IdentityProviderTests.signer, users: users)
            settings.clients = [.init(id: "spa", secret: nil, redirect: "http://sp.test/cb")]
            provider = try IdentityProvider(settings, seed: Seed(seed))
        }

        mutating func ask(
            _ method: Method, _ target: String, _ form: [(String, String)] = [],
            host: String = "idp.test"
        ) -> (reply: Reply, delay: Duration) {
            let request = ServiceRequest(
                id: RequestID(1), method: method, target: target,
                headers: [
                    "Host": host, "Content-Type": "application/x-www-form-urlencoded",
                ], body: Array(FormEncoding.fields(form).utf8), peer: "127.0.0.1")
            let moment = Moment(now: .start, milliseconds: seconds * 1000)
            guard case .reply(let reply, _, let delay)? = provider.on(request, at: moment).first
            else {
                return (Reply(status: 0), .zero)
            }
            return (reply, delay)
        }

        mutating func page(_ request: String = IdentityProviderTests.request) -> String {
            let encoded = Base64.encode(request.utf8)
            return text(ask(.post, "/saml/sso", [("SAMLRequest", encoded)]).reply)
        }

        mutating func logIn(_ user: String, _ password: String, page: String? = nil) -> Reply {
            let page = page ?? self.page()
            let flow =
                page.firstMatch(of: /name="flow" value="(\w+)"/).map { String($0.1) } ?? ""
            return ask(
                .post, "/login", [("flow", flow), ("username", user), ("password", password)]
            ).reply
        }
    }

    private static func text(_ reply: Reply) -> String {
        String(decoding: reply.body, as: UTF8.self)
    }

    static let request =
        "<samlp:AuthnRequest xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\" ID=\"_1\" Version=\"2.0\" "
        + "AssertionConsumerServiceURL=\"http://sp.test/acs?a=1&amp;b=2\">"
        + "<saml:Issuer xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\">http://sp.test</saml:Issuer>"
        + "</samlp:AuthnRequest>"

    @Test(
        "a rule knows its users",
        arguments: [
            ("viewer-{n}", "viewer-7", 7), ("viewer-{n}", "viewer-0", 0),
            ("{n}@demo.test", "12@demo.test", 12), ("ann", "ann", 0),
            ("viewer-{n}", "viewer-", nil), ("viewer-{n}", "viewer-07", nil),
            ("viewer-{n}", "viewer-x", nil), ("viewer-{n}", "viewer--1", nil),
            ("viewer-{n}", "viewer-501", nil), ("viewer-{n}", "viewer-1234567890123456789", nil),
            ("viewer-{n}", "Viewer-7", nil), ("ann", "anna", nil), ("{n}", "٣", nil),
            ("a{n}a", "a", nil),
        ])
    func rules(name: String, user: String, number: Int?) {
        var rule = UserRule(name: name, password: "pw-{n}")
        rule.numbers = 0...500
        #expect(rule.number(of: user) == number)
    }

    @Test("a lock-out ends when its time is over, and a right password forgets the wrong ones")
    func lockout() throws {
        var rule = UserRule.usual
        rule.lockout = 2
        rule.lockoutLasts = .seconds(60)
        var caller = try Caller([rule])
        func says(_ reply: Reply, _ words: String) -> Bool { Self.text(reply).contains(words) }
        #expect(says(caller.logIn("viewer-1", "no"), "is not right"))
        #expect(says(caller.logIn("viewer-1", "pw-1"), "SAMLResponse"))
        #expect(says(caller.logIn("viewer-1", "no"), "is not right"))
        #expect(says(caller.logIn("viewer-1", "no"), "is not right"))
        #expect(says(caller.logIn("viewer-1", "pw-1"), "locked"))
        #expect(says(caller.logIn("viewer-2", "pw-2"), "SAMLResponse"))
        caller.seconds += 59
        #expect(says(caller.logIn("viewer-1", "pw-1"), "locked"))
        caller.seconds += 1
        #expect(says(caller.logIn("viewer-1", "pw-1"), "SAMLResponse"))
    }

    @Test("a page is good once and for ten minutes")
    func pages() throws {
        var caller = try Caller()
        let page = caller.page()
        #expect(caller.logIn("viewer-1", "pw-1", page: page).status == 200)
        #expect(caller.logIn("viewer-1", "pw-1", page: page).status == 400)
        let late = caller.page()
        caller.seconds += 600
        #expect(caller.logIn("viewer-1", "pw-1", page: late).status == 400)
        #expect(caller.provider.counters[.lostPage] == 2)
    }

    @Test(
        "shares are of users, by the seed, and errors of passwords", arguments: Seed.samples(20))
    func shares(seed: Seed) throws {
        var rule = UserRule.usual
        rule.denied = 0.3
        rule.errors = 0.2
        func fates() throws -> [String] {
            var caller = try Caller([rule], seed: seed.value)
            return (0..<200).map { number in
                let reply = caller.logIn("viewer-\(number)", "pw-\(number)")
                guard reply.status == 200, let field = Self.response(reply) else {
                    return "\(reply.status)"
                }
                return field.contains("RequestDenied") ? "denied" : "in"
            }
        }
        let found = try fates()
        #expect(try fates() == found)
        let errors = found.count { $0 == "500" }
        let denied = found.count { $0 == "denied" }
        // Six standard deviations of 200 draws.
        #expect((7...73).contains(errors), "\(errors)")
        #expect(Double(denied) / Double(200 - errors) < 0.53, "\(denied)")
        #expect(denied > 10)
    }

    private static func response(_ reply: Reply) -> String? {
        let match = text(reply).firstMatch(of: /name="SAMLResponse" value="([^"]*)"/)
        return match.flatMap { Base64.decode(String($0.1)) }.map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test("latency is that of the rule, and of passwords only")
    func latency() throws {
        var rule = UserRule.usual
        rule.latency = .fixed(.milliseconds(250))
        var caller = try Caller([rule])
        let page = caller.page()
        let flow = try #require(page.firstMatch(of: /name="flow" value="(\w+)"/)).1
        let (_, delay) = caller.ask(
            .post, "/login",
            [("flow", String(flow)), ("username", "viewer-1"), ("password", "pw-1")])
        #expect(delay == .milliseconds(250))
        #expect(caller.ask(.get, "/counters").delay == .zero)
    }

    @Test("the response is signed twice, and goes where the request says, escaped")
    func response() throws {
        var caller = try Caller()
        let reply = caller.logIn("viewer-1", "pw-1")
        #expect(Self.text(reply).contains("action=\"http://sp.test/acs?a=1&amp;b=2\""))
        let response = try #require(Self.response(reply))
        #expect(response.ranges(of: "<ds:SignatureValue>").count == 2)
        #expect(response.contains("Recipient=\"http://sp.test/acs?a=1&amp;b=2\""))
        #expect(response.contains("<saml:Issuer>http://idp.test/saml/metadata</saml:Issuer>"))
        #expect(response.contains("InResponseTo=\"_1\""))
    }

    @Test(
        "what is no request is told, and no page comes of it",
        arguments: [
            "", "<a/>", "<AuthnRequest/>", "<AuthnRequest ID='_1'/>",
            "<AuthnRequest ID='_1' AssertionConsumerServiceURL='javascript:alert(1)'><Issuer>a</Issuer></AuthnRequest>",
            "<!DOCTYPE a [<!ENTITY b 'c'>]>" + request,
            "<!-- <AuthnRequest ID='_1' AssertionConsumerServiceURL='http://a/'> --><AuthnRequest><Issuer>a</Issuer></AuthnRequest>",
            String(repeating: "<a>", count: 30_000),
        ])
    func refused(text: String) throws {
        var caller = try Caller()
        let reply = caller.ask(
            .post, "/saml/sso", [("SAMLRequest", Base64.encode(text.utf8))]
        ).reply
        #expect(reply.status == 400)
        #expect(caller.provider.counters[.samlRefused] == 1)
        #expect(caller.provider.counters[.pages] == 0)
    }

    @Test("a request with any byte changed is answered, in the redirect binding too")
    func changed() throws {
        var caller = try Caller()
        let bytes = Array(Self.request.utf8)
        for position in bytes.indices {
            var other = bytes
            other[position] = [0x00, 0x3c, 0x22, 0xff, 0x26][position % 5]
            let encoded = Base64.encode(other)
            let post = caller.ask(.post, "/saml/sso", [("SAMLRequest", encoded)]).reply
            #expect([200, 400].contains(post.status))
            let get = caller.ask(
                .get, "/saml/sso?SAMLRequest=\(PercentEncoding.encode(encoded))"
            ).reply
            #expect(get.status == 400)
        }
    }

    @Test("a host with other signs than names have is not repeated")
    func hosts() throws {
        var caller = try Caller()
        let reply = caller.ask(
            .get, "/.well-known/openid-configuration", host: "a\"b.test<script>"
        ).reply
        #expect(Self.text(reply).contains("\"issuer\": \"http://localhost\""))
    }

    @Test("a client without a secret needs PKCE; other redirect addresses are not gone to")
    func openID() throws {
        var caller = try Caller()
        let start = "/openid/authorize?response_type=code&scope=openid&client_id=spa"
        let plain = caller.ask(.get, start + "&redirect_uri=http://sp.test/cb&state=x%26y").reply
        #expect(plain.headers["Location"]?.contains("error=invalid_request") == true)
        #expect(plain.headers["Location"]?.hasSuffix("&state=x%26y") == true)
        let short = caller.ask(
            .get,
            start + "&redirect_uri=http://sp.test/cb&code_challenge=abc&code_challenge_method=S256"
        ).reply
        #expect(short.headers["Location"]?.contains("43%20characters") == true)
        let asked = caller.ask(.options, "/openid/token").reply
        #expect(asked.status == 204 && asked.headers["Access-Control-Allow-Origin"] == "*")
        let evil = caller.ask(.get, start + "&redirect_uri=http://evil.test/cb").reply
        #expect(evil.status == 400 && evil.headers["Location"] == nil)
    }

    @Test("a code is over after a minute")
    func codes() throws {
        for (wait, status) in [(Int64(59), 200), (60, 400)] {
            var caller = try Caller()
            let verifier = String(repeating: "v", count: 43)
            let page = caller.ask(
                .get,
                "/openid/authorize?response_type=code&scope=openid&client_id=spa&redirect_uri=http://sp.test/cb"
                    + "&code_challenge_method=S256&code_challenge="
                    + Base64.encodeURL(SHA256.digest(verifier))
            ).reply
            let back = caller.logIn("viewer-1", "pw-1", page: Self.text(page))
            let code = try #require(
                back.headers["Location"]?.firstMatch(of: /code=(\w+)/).map { String($0.1) })
            caller.seconds += wait
            let reply = caller.ask(
                .post, "/openid/token",
                [
                    ("grant_type", "authorization_code"), ("client_id", "spa"), ("code", code),
                    ("redirect_uri", "http://sp.test/cb"), ("code_verifier", verifier),
                ]
            ).reply
            #expect(reply.status == status, "\(Self.text(reply))")
        }
    }

    @Test("a key of a file comes with its own certificate, and not with another's")
    func keys() throws {
        let pair = try CertificatePair.selfSigned(for: ["idp.test"])
        let made = Self.signer
        #expect(made.modulus.count == 256 && made.exponent == [1, 0, 1])
        #expect(throws: SigningError.self) { try SigningPair.read(pair.key) }
        #expect(throws: SigningError.self) { try SigningPair.read("nothing") }
        let demo = try String(
            contentsOf: Repository.rigs.appending(path: "platform-demo.pem"), encoding: .utf8)
        let first = try SigningPair.read(demo)
        #expect(try SigningPair.read(demo).modulus == first.modulus)
        #expect(throws: SigningError.self) {
            try SigningPair.read(demo + "\n" + pair.certificate)
        }
    }
}
