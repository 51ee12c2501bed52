import Dialects
import Formats
import Signing
import Standin
import Testing

@Suite("authorization (rest-v1.md §§ 11, 12)")
struct AuthorizationTests {
    private static let denied = #"{"status":403,"message":"User not authorized"}"#
    private static let resource = "\(Caller.key())&resource=demo-1"

    @Test(
        "without a sign-in each call has its own status (A16)",
        arguments: [
            ("/api/v1/preauthorize", 412), ("/api/v1/authorize", 403),
            ("/api/v1/tokens/authz", 412), ("/api/v1/tokens/media", 403),
            ("/api/v1/mediatoken", 403), ("/api/v1/tokens/usermetadata", 412),
        ])
    func notAuthenticated(path: String, status: Int) {
        var caller = Caller.registered()
        let reply = caller.get("\(path)?\(Self.resource)")
        #expect(reply.status == status)
        #expect(reply.member("message") == "User not authenticated")
        #expect(reply.text.contains(#""details":null"#) == (path == "/api/v1/tokens/authz"))
    }

    @Test("an expired sign-in is as good as none")
    func expired() {
        var caller = Caller.signedIn(
            ServiceSettings(policies: .init(throttle: nil), auth: .none))
        #expect(caller.get("/api/v1/authorize?\(Self.resource)").status == 200)
        caller.advance(.seconds(21_600))
        #expect(caller.get("/api/v1/authorize?\(Self.resource)").status == 403)
        #expect(caller.get("/api/v1/tokens/authz?\(Self.resource)").status == 412)
        #expect(caller.get("/api/v1/tokens/media?\(Self.resource)").status == 403)
        #expect(caller.get("/api/v1/preauthorize?\(Self.resource)").status == 412)
    }

    @Test("Z1 tells of each resource, with the headers of the page")
    func preauthorize() {
        var caller = Caller.signedIn()
        let target = "/api/v1/preauthorize?\(Caller.key())&resource=a,deny-b%2Cc"
        let reply = caller.get(target)
        #expect(reply.status == 200)
        #expect(
            reply.text
                == #"{"resources":[{"id":"a","authorized":true},{"id":"deny-b","authorized":false},{"id":"c","authorized":true}]}"#
        )
        #expect(reply.headers["Adobe-Response-Confidence"] == "full")
        #expect(reply.headers["Adobe-Request-Id"]?.count == 36)
        caller.accept = "application/xml"
        #expect(
            caller.get(target).text.hasSuffix(
                "<resources><resource><id>a</id><authorized>true</authorized></resource>"
                    + "<resource><id>deny-b</id><authorized>false</authorized></resource>"
                    + "<resource><id>c</id><authorized>true</authorized></resource></resources>"))
    }

    @Test("Z1 and Z2 take five resources, not six, not none")
    func limits() {
        var caller = Caller.registered()
        let code = caller.issue()
        caller.logIn(code)
        for start in [
            "/api/v1/preauthorize?\(Caller.key())",
            "/api/v1/preauthorize/\(code)?requestor=DEMOTV",
        ] {
            #expect(caller.get("\(start)&resource=1,2,3,4,5").status == 200)
            let over = caller.get("\(start)&resource=1,2,3,4,5,6")
            #expect(over.text == #"{"status":403,"message":"too_many_resources"}"#)
            #expect(caller.get(start).status == 400)
            #expect(caller.get("\(start)&resource=,").status == 400)
        }
    }

    @Test("Z3 authorizes, and answers from its cache until it expires")
    func authorize() {
        var caller = Caller.signedIn(
            ServiceSettings(policies: .init(throttle: nil), authorizationTTL: .seconds(100)))
        let first = caller.get("/api/v1/authorize?\(Self.resource)")
        #expect(
            first.text
                == #"{"mvpd":"DemoCable","resource":"demo-1","requestor":"DEMOTV","expires":"1760000100000"}"#
        )
        caller.advance(.seconds(60))
        #expect(caller.get("/api/v1/authorize?\(Self.resource)").body == first.body)
        #expect(caller.get("/api/v1/tokens/authz?\(Self.resource)").body == first.body)
        caller.advance(.seconds(40))
        let gone = caller.get("/api/v1/tokens/authz?\(Self.resource)")
        #expect(gone.text == #"{"status":410,"message":"Gone","details":null}"#)
        #expect(caller.get("/api/v1/tokens/media?\(Self.resource)").text == Self.denied)
        let renewed = caller.get("/api/v1/authorize?\(Self.resource)")
        #expect(renewed.member("expires") == "1760000200000")
    }

    @Test(
        "Z3 denies with the provider's words",
        arguments: ["deny-1", "%3Citem%3E%3Cid%3Edeny-1%3C%2Fid%3E%3C%2Fitem%3E"])
    func denies(resource: String) {
        var caller = Caller.signedIn()
        let reply = caller.get("/api/v1/authorize?\(Caller.key())&resource=\(resource)")
        #expect(reply.status == 403)
        #expect(reply.member("message") == "User not authorized")
        #expect(reply.member("details")?.contains("DemoCable") == true)
        let token = caller.get("/api/v1/tokens/authz?\(Caller.key())&resource=\(resource)")
        #expect(token.text == #"{"status":404,"message":"Not Found","details":null}"#)
    }

    @Test(
        "a resource is mandatory",
        arguments: ["authorize", "tokens/authz", "tokens/media", "mediatoken", "preauthorize"])
    func mandatory(path: String) {
        var caller = Caller.signedIn()
        let reply = caller.get("/api/v1/\(path)?\(Caller.key())")
        #expect(reply.text == #"{"status":400,"message":"Required 'resource' is not present"}"#)
    }

    @Test(
        "Z5 mints a new token each time, for an authorized resource only", arguments: [false, true])
    func media(signs: Bool) throws {
        var caller = Caller.signedIn(
            ServiceSettings(policies: .init(throttle: nil), signsMedia: signs))
        #expect(caller.get("/api/v1/tokens/media?\(Self.resource)").text == Self.denied)
        _ = caller.get("/api/v1/authorize?\(Self.resource)")
        let first = caller.get("/api/v1/tokens/media?\(Self.resource)")
        #expect(first.status == 200)
        #expect(first.member("expires") == "1760000420000")
        #expect(first.member("mvpdId") == "DemoCable")
        #expect(first.member("userId") == "viewer-1")
        let second = caller.get("/api/v1/mediatoken?\(Self.resource)")
        #expect(second.member("serializedToken") != first.member("serializedToken"))
        let bytes = try #require(Base64.decode(first.member("serializedToken") ?? ""))
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix("<signatureInfo>"))
        let end = try #require(text.range(of: "</signatureInfo>"))
        let signature = Base64.decode(String(text[..<end.lowerBound].dropFirst(15))) ?? []
        let short = String(text[end.upperBound...])
        #expect(short.hasPrefix("<shortAuthorizationToken><sessionGUID>"))
        #expect(short.contains("<resourceID>demo-1</resourceID><ttl>420000</ttl>"))
        #expect(try DemoKeys.media().verifies(signature, of: Array(short.utf8)) == signs)
        caller.accept = "application/xml"
        #expect(
            caller.get("/api/v1/tokens/media?\(Self.resource)").text.contains("<play><resource>"))
    }

    @Test("U1 names the user, and says 404 for a provider that tells nothing")
    func metadata() {
        var caller = Caller.signedIn()
        let reply = caller.get("/api/v1/tokens/usermetadata?\(Caller.key())")
        #expect(reply.status == 200)
        #expect(
            reply.text.hasPrefix(
                #"{"updated":1760000000,"encrypted":[],"data":{"userID":"viewer-1""#))
        #expect(reply.text.contains(#""zip":["12345"]"#))
        let silent = ServiceSettings.Provider(id: "DemoCable", offersMetadata: false)
        var other = Caller.signedIn(
            ServiceSettings(providers: [silent], policies: .init(throttle: nil)))
        #expect(other.get("/api/v1/tokens/usermetadata?\(Caller.key())").status == 404)
    }
}
