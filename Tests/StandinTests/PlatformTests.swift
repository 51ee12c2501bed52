import Dialects
import Formats
import Journal
import Signing
import Standin
import Testing

@Suite("platform sign-on (rest-v1.md § 13, apple-sso.md §§ 4, 7)")
struct PlatformTests {
    private static let key = Caller.key()
    private static let profile = "/api/v1/DEMOTV/profile-requests/DemoCable?deviceType=tvOS"

    private static func exchange(
        _ caller: inout Caller, _ saml: String, mvpd: String = "DemoCable"
    ) -> Reply {
        caller.post(
            "/api/v1/tokens/authn",
            body: "\(key)&mvpd=\(mvpd)&deviceType=tvOS&SAMLResponse=\(saml)")
    }

    @Test("a profile request is bytes that the platform signs for, whatever format is asked for")
    func profileRequest() {
        var caller = Caller.registered()
        for accept in ["application/json", "application/xml"] {
            caller.accept = accept
            let reply = caller.get(Self.profile)
            #expect(reply.status == 200)
            #expect(reply.mediaType == "application/octet-stream")
            #expect(
                reply.text.contains(">https://saml.sp.auth.adobe.com</saml:Issuer>"))
            #expect(reply.text.contains(" Name=\"userID\"></saml:Attribute>"))
            #expect(reply.text.contains("rsa-sha256"))
            #expect(PlatformSide.answer(reply.body) != nil)
        }
    }

    @Test("a forged or changed profile request is none to the platform (its error 5)")
    func forged() {
        var caller = Caller.registered()
        let token = caller.get(Self.profile).text
        for changed in [
            token.replacing("zip", with: "pin"), token + " ", String(token.dropLast()),
            token.replacing("<ds:DigestValue>", with: "<ds:DigestValue>A"), "", "<x/>",
        ] {
            #expect(PlatformSide.answer(Array(changed.utf8)) == nil, "\(changed)")
        }
    }

    @Test("the platform's answer becomes a token that is live at once, and says where it is from")
    func exchange() {
        var caller = Caller.registered()
        let token = caller.get(Self.profile)
        let reply = Self.exchange(&caller, PlatformSide.wire(token.body) ?? "")
        #expect(reply.status == 204 && reply.body.isEmpty)
        #expect(caller.get("/api/v1/checkauthn?\(Self.key)").status == 200)
        let poll = caller.poll()
        #expect(poll.member("mvpd") == "DemoCable")
        #expect(poll.member("userId") == "apple-viewer")
        let metadata = caller.get("/api/v1/tokens/usermetadata?\(Self.key)")
        #expect(metadata.member("tokenSource") == "Apple")
    }

    @Test("a token of the browser or of a trial has no source (apple-sso.md § 7)")
    func source() {
        var caller = Caller.signedIn()
        #expect(!caller.get("/api/v1/tokens/usermetadata?\(Self.key)").text.contains("tokenSource"))
    }

    @Test("its text has tabs and line breaks to take out; left in, the signature does not hold")
    func whitespace() throws {
        var caller = Caller.registered()
        let answer = try #require(PlatformSide.answer(caller.get(Self.profile).body))
        #expect(answer.contains("\t") && answer.contains("\r\n") && answer.contains("\n\t\t\t"))
        #expect(Self.exchange(&caller, PlatformSide.encoded(answer)).status == 400)
        let normalised = PlatformSide.normalised(answer)
        #expect(!normalised.contains { "\t\r\n".contains($0) } && !normalised.contains("  "))
        #expect(Self.exchange(&caller, PlatformSide.encoded(normalised)).status == 204)
    }

    @Test(
        "what is not the platform's answer to this service's request is turned down",
        arguments: [
            "not encoded", "encoded twice", "another subject", "another audience", "no signature",
            "another provider", "cut",
        ])
    func refused(what: String) throws {
        var caller = Caller.registered()
        let token = caller.get(Self.profile).body
        let text = PlatformSide.normalised(try #require(PlatformSide.answer(token)))
        let saml =
            switch what {
            // '+' would be a space: make sure there is one.
            case "not encoded": Base64.encode(text.utf8).replacing("=", with: "+")
            case "encoded twice": PlatformSide.encoded(text).replacing("%", with: "%25")
            case "another subject":
                PlatformSide.encoded(text.replacing("apple-viewer", with: "someone"))
            case "another audience":
                PlatformSide.encoded(text.replacing("saml.sp.auth", with: "saml.sp.evil"))
            case "no signature":
                PlatformSide.encoded(text.replacing("<ds:Signature ", with: "<ds:Nothing "))
            case "another provider":
                PlatformSide.encoded(
                    PlatformSide.normalised(
                        PlatformSide.answer(token, provider: "demo-sat") ?? ""))
            default: PlatformSide.encoded(String(text.dropLast(30)))
            }
        if what == "encoded twice" { #expect(saml.contains("%25")) }
        let reply = Self.exchange(&caller, saml)
        #expect(reply.status == 400)
        #expect(reply.member("message") == "Invalid 'SAMLResponse'")
        #expect(caller.poll().status == 404)
    }

    @Test("a profile request is good for five minutes, and for its provider")
    func age() throws {
        var caller = Caller.registered()
        let saml = try #require(PlatformSide.wire(caller.get(Self.profile).body))
        caller.now = Instant(.milliseconds(299_999))
        #expect(Self.exchange(&caller, saml, mvpd: "DemoSat").status == 400)
        #expect(Self.exchange(&caller, saml).status == 204)
        caller.now = Instant(.seconds(300))
        #expect(Self.exchange(&caller, saml).status == 400)
    }

    /// What an independent canonicalizer makes of the signed parts, digested and verified by openssl:
    /// the signature is one of XML-DSig, not of our own making.
    @Test(
        "a response as a device passes it on is signed as XML-DSig says",
        arguments: ["viewer", "a<&>\"b'é"])
    func signature(subject: String) throws {
        var caller = Caller.registered()
        let token = caller.get(Self.profile).body
        let document = try #require(PlatformSide.answer(token, subject: subject))
        let texts = [
            PlatformSide.normalised(document), String(decoding: token, as: UTF8.self),
        ]
        for (text, element) in zip(texts, ["Assertion", "AttributeQuery"]) {
            #expect(try XMLSignature.verdict(on: text, element: element) == "ok")
            let changed = text.replacing("https://saml.sp.auth", with: "https://saml.sp.evil")
            #expect(try XMLSignature.verdict(on: changed, element: element) == "digest")
        }
    }

    private static func settings(
        _ change: (inout ServiceSettings.Provider) -> Void
    ) -> ServiceSettings {
        var settings = ServiceSettings.unthrottled
        change(&settings.providers[0])
        return settings
    }

    @Test("a key of its own is the only one that the stand-in then trusts")
    func ownKey() throws {
        var settings = ServiceSettings.unthrottled
        let key = try PlatformKey(pem: XMLSignature.freshKey())
        settings.platformKey = key
        var caller = Caller.registered(settings)
        let token = caller.get(Self.profile).body
        #expect(throws: PlatformSAML.Refusal.unknownSigner) {
            try PlatformSAML.response(
                to: token, provider: "demo-cable", subject: "v", attributes: [])
        }
        for (signer, status) in [(DemoKeys.saml(), 400), (key.key, 204)] {
            let answer = try PlatformSAML.response(
                to: token, provider: "demo-cable", subject: "v", attributes: [], key: signer)
            let wire = PlatformSide.encoded(PlatformSide.normalised(answer))
            #expect(Self.exchange(&caller, wire).status == status)
        }
        #expect(throws: (any Error).self) { try PlatformKey(pem: "no key") }
    }

    @Test("the answer is for the service that asked, whatever its SAML name")
    func audience() throws {
        for (issuer, audience) in [
            (
                "<saml:Issuer> https://sp.acme.example/saml2 </saml:Issuer>",
                "https://sp.acme.example/saml2"
            ),
            ("<s:Issuer xmlns:s=\"x\">urn:a&amp;b</s:Issuer>", "urn:a&amp;b"),
            ("", PlatformSAML.issuer),
        ] {
            let query = "<p:AttributeQuery ID=\"_1\" Version=\"2.0\">\(issuer)</p:AttributeQuery>"
            let answer = try PlatformSAML.response(
                to: Array(query.utf8), provider: "demo-cable", subject: "v", attributes: [],
                key: DemoKeys.saml())
            #expect(answer.contains("<saml:Audience>\(audience)</saml:Audience>"), "\(answer)")
        }
    }

    @Test("of somebody else's platform its public key is enough, and with 'any' nothing is needed")
    func foreignPlatform() throws {
        let key = try PlatformKey(pem: XMLSignature.freshKey())
        for isAny in [false, true] {
            var settings = ServiceSettings.unthrottled
            if isAny {
                settings.trustsAnyPlatform = true
            } else {
                settings.platformKey = try PlatformKey(pem: key.key.publicPEM())
            }
            var caller = Caller.registered(settings)
            let token = caller.get(Self.profile).body
            // The query bears the demo signature all the same: the platform's private key is not here.
            let ours = try PlatformSAML.response(
                to: token, provider: "demo-cable", subject: "v", attributes: [])
            let theirs = try PlatformSAML.response(
                to: token, provider: "demo-cable", subject: "v", attributes: [], key: key.key)
            let prefixed = theirs.replacing("saml:", with: "saml2:").replacing(
                "samlp:", with: "p:")
            for (answer, isGood) in [
                (ours, isAny), (theirs, true), (prefixed, isAny),
                (prefixed.replacing("demo-cable", with: "other"), false),
                (prefixed.replacing("sp.auth", with: "sp.evil"), false),
                (prefixed.replacing("status:Success", with: "status:Responder"), false),
                (prefixed.replacing("InResponseTo=\"_", with: "InResponseTo=\"_x"), false),
                ("<p:Response/>", false),
            ] {
                let wire = PlatformSide.encoded(PlatformSide.normalised(answer))
                #expect(
                    Self.exchange(&caller, wire).status == (isGood ? 204 : 400),
                    "\(isAny) \(answer)")
            }
        }
    }

    /// A service that is not the stand-in writes its query as it likes.
    @Test(
        "with a key the built-in platform answers any attribute query",
        arguments: [
            #"<?xml version="1.0"?><AttributeQuery xmlns="urn:x" ID="_7" Version="2.0"><a/></AttributeQuery>"#,
            "\n<q:AttributeQuery Version='2.0'\n  ID=\"_7\" xmlns:q=\"urn:x\"></q:AttributeQuery>\n",
        ])
    func foreignQuery(query: String) throws {
        for token in [Array(query.utf8), Array(Base64.encode(query.utf8).utf8)] {
            let answer = try PlatformSAML.response(
                to: token, provider: "p", subject: "v", attributes: [], key: DemoKeys.saml(),
                at: 1_760_000_000_000)
            #expect(answer.contains(#"InResponseTo="_7""#) && answer.contains("2025-10-09T08:5"))
        }
        for text in ["", "<x/>", "<q:AttributeQuery></q:AttributeQuery>", "%%%"] {
            #expect(throws: PlatformSAML.Refusal.noQuery) {
                try PlatformSAML.response(
                    to: Array(text.utf8), provider: "p", subject: "v", attributes: [],
                    key: DemoKeys.saml())
            }
        }
    }

    @Test(
        "what is switched off, or refused, is told and turned down",
        arguments: [
            ("disabled", 400, 400), ("switched off later", 400, 400), ("gone later", 400, 400),
            ("S1", 400, 400), ("S2", 200, 400), ("nothing", 200, 204),
        ])
    func switchedOff(what: String, profile: Int, exchange: Int) throws {
        let settings = Self.settings { provider in
            switch what {
            case "disabled": provider.platform?.isEnabled = false
            case "switched off later": provider.platform?.enabledFor = .seconds(10)
            case "gone later": provider.integratedFor = .seconds(10)
            case "S1": provider.platform?.refuses = .profileRequest
            case "S2": provider.platform?.refuses = .tokenExchange
            default: break
            }
        }
        var caller = Caller.registered(settings)
        let early = caller.get(Self.profile)
        caller.now = Instant(.seconds(10))
        #expect(caller.get(Self.profile).status == profile)
        let saml = PlatformSide.wire(early.body) ?? ""
        #expect(saml.isEmpty == (what == "disabled" || what == "S1"))
        #expect(Self.exchange(&caller, saml).status == exchange)
        let configuration = caller.get("/api/v1/config/DEMOTV").text
        let isOff = what == "disabled" || what == "switched off later"
        #expect(configuration.contains(#""enablePlatformServices":false"#) == isOff)
        #expect(configuration.contains(#""id":"DemoCable""#) == (what != "gone later"))
    }

    @Test("the configuration tells what a provider is on the platform, and only then")
    func configuration() {
        var caller = Caller.registered()
        let text = caller.get("/api/v1/config/DEMOTV").text
        #expect(
            text.contains(
                #""enablePlatformServices":true,"boardingStatus":"SUPPORTED","displayInPlatformPicker":true,"platformMappingId":"demo-cable","requiredMetadataFields":["userID","zip"]"#
            ))
        #expect(text.contains(#""boardingStatus":"PICKER""#))
        #expect(text.contains(#""id":"TempPass","displayName":"Free preview""#))
        caller.accept = "application/xml"
        #expect(
            caller.get("/api/v1/config/DEMOTV").text.contains(
                "<requiredMetadataFields>userID</requiredMetadataFields>"
                    + "<requiredMetadataFields>zip</requiredMetadataFields>"))
    }
}
