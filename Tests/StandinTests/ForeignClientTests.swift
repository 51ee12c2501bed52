import Dialects
import Formats
import Signing
import Standin
import Testing

/// What clients that nobody here wrote bring along (observed.md, "Requests").
@Suite("clients of somebody else's (observed.md)")
struct ForeignClientTests {
    private static let signed =
        "GET requestor_id=DEMOTV, nonce=8c2d, signature_method=HMAC-SHA1, request_time=1760000000000, "
        + "request_uri=/checkauthn, public_key=pk, signature=c2ln"

    private static func service(_ auth: ServiceSettings.ClientAuth) -> ServiceSettings {
        ServiceSettings(policies: .init(throttle: nil), auth: auth)
    }

    // MARK: Who asks

    @Test("the older HMAC header gets in with 'any' alone, and names the requestor on N3 and L1")
    func olderHeader() {
        for auth in ServiceSettings.ClientAuth.allCases {
            var caller = Caller(Self.service(auth))
            caller.bearer = nil
            let headers: Headers = ["Authorization": Self.signed]
            let isIn = auth != .bearer
            let state = caller.get("/api/v1/checkauthn?deviceId=tv-1", headers: headers)
            #expect(state.status == (isIn ? 403 : 401), "\(auth)")
            let gone = caller.delete(
                "/api/v1/logout?deviceId=tv-1",
                headers: ["Authorization": Self.signed.replacing("GET", with: "DELETE")])
            #expect(gone.status == (isIn ? 204 : 401), "\(auth)")
            // Elsewhere it is a parameter.
            let poll = caller.get("/api/v1/tokens/authn?deviceId=tv-1", headers: headers)
            #expect(poll.status == (isIn ? 400 : 401), "\(auth)")
        }
    }

    @Test(
        "a header that lacks a part, is of another method or of nobody's channel, is turned away",
        arguments: [
            signed.replacing(", nonce=8c2d", with: ""), signed.replacing("GET", with: "POST"),
            signed.replacing("DEMOTV", with: "OTHER"), signed.replacing("SHA1", with: "MD5"),
            signed.replacing("signature=c2ln", with: "signature="), "GET", "Basic eDp5",
            "Bearer stale",
        ])
    func badHeader(header: String) {
        var caller = Caller(Self.service(.any))
        let reply = caller.get(
            "/api/v1/checkauthn?requestor=DEMOTV&deviceId=a", headers: ["Authorization": header])
        #expect(reply.status == 401)
    }

    @Test("in strict fidelity second screens show who they are, by either header")
    func strict() {
        var settings = Self.service(.any)
        settings.fidelity = .strict
        var caller = Caller(settings)
        #expect(caller.get("/api/v1/config/DEMOTV").status == 401)
        let signed = caller.get("/api/v1/config/DEMOTV", headers: ["Authorization": Self.signed])
        #expect(signed.status == 200)
    }

    // MARK: Access tokens

    @Test("an access token is a JWT of some 640 bytes whose signature anybody can check")
    func accessTokens() throws {
        var caller = Caller.registered()
        let first = try #require(caller.bearer)
        #expect((600...680).contains(first.utf8.count), "\(first.utf8.count)")
        let key = caller.get("/_standin/access-key")
        let claims = try JWT.verify(first, key: RSAKey(publicPEM: key.text))
        #expect(claims.contains(#""iat":1760000000,"exp":1760021600"#), "\(claims)")
        caller.register()
        #expect(caller.bearer != first)
        // One letter of its claims, or of its signature, makes it another's.
        for place in [60, first.count - 3] {
            let index = first.index(first.startIndex, offsetBy: place)
            let forged =
                first[..<index] + (first[index] == "A" ? "B" : "A")
                + first[first.index(after: index)...]
            let poll = caller.get(
                "/api/v1/tokens/authn?\(Caller.key())",
                headers: ["Authorization": "Bearer \(forged)"])
            #expect(poll.status == 401)
        }
    }

    // MARK: Pages

    @Test(
        "a page's browser may ask for any path, and a page may read the answer",
        arguments: [
            "/api/v1/config/DEMOTV", "/reggie/v1/DEMOTV/regcode/ABCDEFG",
            "/api/v1/checkauthn/ABCDEFG",
            "/o/client/token", "/api/v1/nowhere", "/oauth/token", "/api/v2/DEMOTV/configuration",
        ])
    func pages(path: String) {
        var caller = Caller(.unthrottled)
        caller.sendsDeviceInfo = false
        let origin: Headers = ["Origin": "https://login.example.test"]
        let asked = caller.send(.options, path, headers: origin)
        #expect(asked.status == 200 && asked.body.isEmpty)
        let allowed = asked.headers["Access-Control-Allow-Headers"]?.lowercased() ?? ""
        for name in ["authorization", "x-device-info", "content-type"] {
            #expect(allowed.contains(name), "\(name)")
        }
        for reply in [asked, caller.get(path, headers: origin)] {
            #expect(reply.headers.all("Access-Control-Allow-Origin") == ["*"])
        }
        #expect(caller.get(path).headers["Access-Control-Allow-Origin"] == nil)
    }

    @Test("a page may read that it was throttled, and its browser's questions are not counted")
    func throttledPages() {
        var caller = Caller()
        let origin: Headers = ["Origin": "https://login.example.test"]
        for _ in 0..<20 {
            #expect(caller.send(.options, "/api/v1/config/DEMOTV", headers: origin).status == 200)
        }
        let replies = (0..<12).map { _ in caller.get("/api/v1/config/DEMOTV", headers: origin) }
        #expect(replies.map(\.status) == Array(repeating: 200, count: 11) + [429])
        #expect(replies[11].headers["Access-Control-Allow-Origin"] == "*")
    }

    // MARK: Polls by the code

    @Test("by its code a TV is answered as N4 answers: 404, then the sign-in, then 404 again")
    func byCode() {
        var caller = Caller.registered()
        let code = caller.issue()
        let target = "/api/v1/authenticate/\(code)?requestor=DEMOTV"
        #expect(caller.get(target).text == #"{"status":404,"message":"Not Found"}"#)
        caller.logIn(code)
        let shown = caller.get(target)
        #expect(shown.status == 200 && shown.text == caller.poll().text)
        let suffix = caller.get("/api/v1/authenticate/\(code).xml?requestor=DEMOTV")
        #expect(suffix.isXML && suffix.text.contains("<authentication>"))
        #expect(caller.get("/api/v1/authenticate/\(code)?requestor=OTHER").status == 404)
        #expect(caller.get("/api/v1/authenticate/\(code)").status == 400)
        #expect(caller.delete(target).status == 405)
        #expect(caller.delete("/api/v1/logout?\(Caller.key())").status == 204)
        #expect(caller.get(target).status == 404)
        caller.bearer = nil
        #expect(caller.get(target).status == 401)
    }

    @Test("and shares the device's bucket, as N4 does")
    func byCodeThrottled() {
        var caller = Caller(ServiceSettings(auth: .none))
        let statuses = (0..<12).map { number in
            number.isMultiple(of: 2)
                ? caller.get("/api/v1/authenticate/ABCDEFG?requestor=DEMOTV").status
                : caller.poll().status
        }
        #expect(statuses == Array(repeating: 404, count: 11) + [429])
    }

    // MARK: Deprecated fields

    @Test("deprecated fields come back in JSON if they were sent, and only then")
    func deprecated() {
        var caller = Caller.registered()
        let plain = caller.post(Caller.codePath, body: "deviceId=a")
        for name in ["deviceType", "deviceUser", "appId", "appVersion", "registrationURL"] {
            #expect(plain.member(name) == nil, "\(name)")
        }
        let sent = caller.post(
            Caller.codePath,
            body: "deviceId=a&deviceType=tvOS&deviceUser=u&appId=app&appVersion=7"
                + "&registrationURL=https%3A%2F%2Fa.test%2F")
        #expect(sent.member("deviceType") == "tvOS")
        #expect(sent.member("deviceUser") == "u")
        #expect(sent.member("appId") == "app")
        #expect(sent.member("appVersion") == "7")
        #expect(sent.member("registrationURL") == "https://a.test/")
        #expect(sent.member("deviceId") == Base64.encode("a".utf8))
    }

    // MARK: Resources

    private static func fragment(_ title: String, blank: String = "") -> String {
        "<rss version=\"2.0\">\(blank)<channel>\(blank)<title>\(title)</title>\(blank)<item>"
            + "<title>Part 1, of 2</title></item></channel>\(blank)</rss>"
    }

    private static func encoded(_ text: String) -> String {
        PercentEncoding.encode(text)
    }

    @Test("a comma divides resources, and none within MRSS")
    func lists() {
        var caller = Caller.signedIn()
        let resources = [
            Self.fragment("<![CDATA[deny-sports, news]]>"), "plain ", Self.fragment("Movies, Kids"),
            "deny-x",
        ]
        let list = Self.encoded(resources.joined(separator: ","))
        let reply = caller.get("/api/v1/preauthorize?\(Caller.key())&resource=\(list)")
        #expect(reply.status == 200)
        guard case .array(let decisions)? = JSONReader.read(reply.body)?["resources"] else {
            Issue.record("no list: \(reply.text)")
            return
        }
        #expect(
            decisions.map { $0["id"]?.text } == [
                resources[0], "plain", resources[2], "deny-x",
            ])
        #expect(
            decisions.map { $0["authorized"] } == [
                .bool(false), .bool(true), .bool(true), .bool(false),
            ])
    }

    @Test("a resource is the same with a blank behind it, and however its MRSS is written")
    func comparison() {
        var caller = Caller.signedIn()
        func ask(_ path: String, _ resource: String) -> Reply {
            caller.get("/api/v1/\(path)?\(Caller.key())&resource=\(Self.encoded(resource))")
        }
        let cdata = Self.fragment("<![CDATA[Sports & <More>]]>", blank: "\n  ")
        let answer = ask("authorize", cdata)
        #expect(answer.status == 200)
        // As it was sent.
        #expect(JSONReader.read(answer.body)?["resource"]?.text == cdata)
        #expect(ask("tokens/media", Self.fragment("Sports &amp; &lt;More&gt;")).status == 200)
        #expect(ask("tokens/authz", cdata + " ").status == 200)
        #expect(ask("tokens/media", Self.fragment("Sports")).status == 403)
        #expect(ask("authorize", "news ").status == 200)
        #expect(ask("tokens/media", "news").status == 200)
        #expect(ask("authorize", Self.fragment("<![CDATA[ deny-x ]]>")).status == 403)
    }

    @Test(
        "what is no MRSS is malformed",
        arguments: [
            "<rss>", "<rss><channel></rss>", "<rss/>", "<rss></rss>x", "<rss><![CDATA[x</rss>", "<",
            "<rss></rss></rss>",
        ])
    func malformed(resource: String) {
        var caller = Caller.signedIn()
        let target = "/api/v1/authorize?\(Caller.key())&resource=\(Self.encoded(resource))"
        #expect(caller.get(target).status == 400)
    }

    // MARK: Replicas

    @Test("a caller stays with its replica by its cookie, and each answer names the replica")
    func replicas() {
        var settings = ServiceSettings.unthrottled
        settings.nodes = 3
        var caller = Caller(settings)
        let first = caller.get("/api/v1/config/DEMOTV")
        #expect(first.headers["X-Served-By"] == "node-1")
        #expect(first.headers["Set-Cookie"] == "STANDIN_NODE=0; Path=/")
        let second = caller.get("/api/v1/config/DEMOTV")
        #expect(second.headers["X-Served-By"] == "node-1" && second.headers["Set-Cookie"] == nil)
        caller.cookies = [:]
        #expect(caller.get("/api/v1/nowhere").headers["X-Served-By"] == "node-2")
        caller.cookies = ["STANDIN_NODE": "7"]
        #expect(caller.get("/api/v1/config/DEMOTV").headers["X-Served-By"] == "node-3")
        var alone = Caller(.unthrottled)
        #expect(alone.get("/api/v1/config/DEMOTV").headers["X-Served-By"] == nil)
    }

    @Test("replicas share what they know, unless a fault says otherwise")
    func sharing() throws {
        var settings = ServiceSettings.unthrottled
        settings.nodes = 3
        for isFaulty in [false, true] {
            var caller = Caller(
                settings, faults: isFaulty ? [try Fault(parsing: "sticky-only")] : [])
            caller.register()
            let code = caller.issue()
            caller.cookies = ["STANDIN_NODE": "1"]
            caller.logIn(code)
            for node in 0..<3 {
                caller.cookies = ["STANDIN_NODE": "\(node)"]
                #expect(caller.poll().status == (isFaulty && node != 1 ? 404 : 200), "\(node)")
            }
        }
    }
}
