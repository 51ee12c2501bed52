import Foundation
import TestSupport
import Testing
import Vocabulary

@testable import Dialects

@Suite struct V2CallTests {
    private static let device = DeviceIdentity(
        id: "vd-000000000001",
        info: DeviceInfo(
            model: "AppleTV", version: "11,1", osName: "tvOS", osVersion: "17.4",
            primaryHardwareType: "TV", applicationId: "demo-tv"),
        userAgent: "DemoTV/1.0", forwardedFor: nil)
    private static let dialect = V2(
        origin: Origin(scheme: .http, host: "127.0.0.1", port: 8080), serviceProvider: "DEMOTV",
        domain: "demo.test", redirectURL: "https://demo.test/done?a=1")
    private static let code = Code("k3t9zq1")
    private static let issued = IssuedCode(code: code, lifetime: .seconds(1800))

    private static func credential(
        mvpd: String? = nil, tokens: IdentityTokens? = nil
    ) -> Credential {
        Credential(device: device, bearer: Secret("T0KEN"), mvpd: mvpd, tokens: tokens)
    }

    /// Whoever shows all of them at once, so that each call shows those that it lists.
    private static let everything = IdentityTokens(
        platform: .roku(Secret("R0KU")), service: Secret("S3RVICE"),
        pass: #"{"email":"a@b.test"}"#,
        partner: PartnerStatus(
            access: .granted, provider: "demo_cable", expires: 1_760_086_400_000),
        subject: "viewer-1")

    private static var calls: [(String, Call?)] {
        let bare = credential()
        let stored = credential(mvpd: "Demo Cable")
        let known = credential(mvpd: "DemoCable", tokens: everything)
        let fire = credential(
            mvpd: "DemoCable", tokens: IdentityTokens(platform: .fire(Secret("F1RE"))))
        let denied = credential(tokens: IdentityTokens(partner: PartnerStatus(access: .denied)))
        let client = ClientCredentials(id: "c 1", secret: Secret("s&2"))
        var calls: [(String, Call?)] = [
            ("D1", dialect.registerClient(Secret("a.b.c"), as: device)),
            ("D2", dialect.accessToken(client, as: device)),
            ("S1", dialect.issueCode(bare, lifetime: .seconds(60), mvpd: nil)),
            ("S1, preselected", dialect.issueCode(bare, lifetime: nil, mvpd: "Demo Cable")),
            ("S1, tokens", dialect.issueCode(known, lifetime: nil, mvpd: "DemoCable")),
            ("S2", dialect.completeSession(code, mvpd: "DemoCable", bare)),
            ("S2, Fire", dialect.completeSession(code, mvpd: "DemoCable", fire)),
            ("A", dialect.authenticate(issued, mvpd: "DemoCable", bare)),
            ("P3 as a poll", dialect.poll(issued, .token, bare)),
            ("P1 as a poll", dialect.poll(nil, .token, bare)),
            ("P1 or P2, nothing stored", dialect.checkAuthentication(bare)),
            ("P1 or P2, a provider stored", dialect.checkAuthentication(stored)),
            ("L in a browser", dialect.webLogout(stored)),
            ("X1", dialect.profileRequest(mvpd: "DemoCable", on: .tvOS, known)),
            ("X1, denied", dialect.profileRequest(mvpd: "DemoCable", on: .iOS, denied)),
            ("X2", dialect.tokenExchange("PHg+PC94Pg==", mvpd: "DemoCable", on: .tvOS, known)),
        ]
        for operation in OperationName.allCases {
            let resources = operation.has(.aboutResource) ? ["demo-1"] : ["a", "b\"c"]
            let subject = Subject(code: code, resources: resources)
            guard let call = dialect.call(operation, about: subject, known) else { continue }
            calls.append(("asked for as \(operation)", call))
        }
        return calls
    }

    @Test("every request is written as the transcript has it")
    func transcript() throws {
        let lines = Self.calls.map { label, call in
            guard let call else { return "# \(label)\n(no such call)\n" }
            var text = "# \(label): \(call.operation)"
            if let mvpd = call.mvpd { text += ", \(mvpd)" }
            if let subject = call.subject { text += ", \(subject)" }
            text += "\n\(call.method.rawValue) \(call.address)\n"
            for field in call.headers.fields { text += "\(field.name): \(field.value)\n" }
            if !call.body.isEmpty {
                text += "\n" + String(decoding: call.body, as: UTF8.self) + "\n"
            }
            return text
        }
        try Golden.expect(lines.joined(separator: "\n"), is: "requests-v2.http")
    }

    @Test(
        "which call lists which header (§ 3.1)",
        arguments: [
            (OperationName.configuration, ""), (.createSession, "I"), (.resumeSession, ""),
            (.sessionByCode, ""), (.profiles, "IF"), (.profilesByMVPD, "IFT"),
            (.profilesByCode, "T"), (.preauthorize, "IFT"), (.authorize, "IFT"), (.logout, "I"),
            (.partnerRequest, "F"),
        ])
    func listed(operation: OperationName, letters: String) throws {
        let known = Self.credential(mvpd: "DemoCable", tokens: Self.everything)
        let subject = Subject(code: Self.code, resources: ["r"])
        let call = try #require(Self.dialect.call(operation, about: subject, known))
        let shown = [
            ("X-Roku-Reserved-Roku-Connect-Token", "I"), ("AD-Service-Token", "I"),
            ("AP-Partner-Framework-Status", "F"), ("AP-TempPass-Identity", "T"),
        ]
        for (name, letter) in shown {
            #expect((call.headers[name] != nil) == letters.contains(letter), "\(name)")
        }
        #expect(call.headers["AP-Device-Identifier"] == "fingerprint dmQtMDAwMDAwMDAwMDAx")
        #expect(call.headers["Authorization"] == "Bearer T0KEN")
        #expect(call.subject == "viewer-1")
    }

    @Test("Fire OS shows its token on every call of the first screen (B38)")
    func fire() throws {
        let fire = Self.credential(
            mvpd: "DemoCable", tokens: IdentityTokens(platform: .fire(Secret("F1RE"))))
        let subject = Subject(code: Self.code, resources: ["r"])
        for operation in [
            OperationName.configuration, .createSession, .resumeSession, .sessionByCode, .profiles,
            .profilesByMVPD, .profilesByCode, .preauthorize, .authorize, .logout, .partnerRequest,
        ] {
            let call = try #require(Self.dialect.call(operation, about: subject, fire))
            #expect(call.headers["Adobe-Subject-Token"] == "F1RE", "\(operation)")
        }
        let browser = try #require(
            Self.dialect.authenticate(Self.issued, mvpd: nil, fire))
        #expect(browser.headers.fields.map(\.name) == ["Accept"])
    }

    @Test("samples of the page: the partner status, a TempPass's identity (§ 3.2)")
    func samples() throws {
        let denied = Self.credential(
            tokens: IdentityTokens(partner: PartnerStatus(access: .denied)))
        let call = try #require(Self.dialect.call(.profiles, about: Subject(), denied))
        #expect(
            call.headers["AP-Partner-Framework-Status"]
                == "eyJmcmFtZXdvcmtQZXJtaXNzaW9uSW5mbyI6eyJhY2Nlc3NTdGF0dXMiOiJkZW5pZWQifSwi"
                + "ZnJhbWV3b3JrUHJvdmlkZXJJbmZvIjp7fX0=")
        let pass = Self.credential(
            mvpd: "TempPass", tokens: IdentityTokens(pass: #"{"email":"a@b.test"}"#))
        let media = try #require(
            Self.dialect.call(.authorize, about: Subject(resources: ["r"]), pass))
        #expect(media.headers["AP-TempPass-Identity"] == "eyJlbWFpbCI6ImFAYi50ZXN0In0=")
    }

    @Test("what names a provider cannot be asked without one")
    func unnamed() {
        let bare = Self.credential()
        let subject = Subject(code: Self.code, resources: ["r"])
        for operation in [
            OperationName.profilesByMVPD, .preauthorize, .authorize, .logout, .resumeSession,
        ] {
            #expect(Self.dialect.call(operation, about: subject, bare) == nil, "\(operation)")
        }
        #expect(Self.dialect.webLogout(bare) == nil)
        #expect(Self.dialect.checkAuthentication(bare)?.operation == .profiles)
        for operation in [OperationName.profilesByCode, .checkCode, .sessionByCode] {
            #expect(Self.dialect.call(operation, about: Subject(), bare) == nil, "\(operation)")
        }
    }

    @Test("steps that V2 lacks are nil")
    func lacking() {
        let known = Self.credential(mvpd: "DemoCable")
        let subject = Subject(code: Self.code, resources: ["r"])
        for operation in [
            OperationName.deleteRegistration, .preauthorizeCode, .authorizationToken, .mediaToken,
            .userMetadata, .freePreview,
        ] {
            #expect(Self.dialect.call(operation, about: subject, known) == nil, "\(operation)")
        }
        #expect(Self.dialect.freePreview(mvpd: "TempPass", known) == nil)
    }

    @Test(
        "a hop is named by what it is for",
        arguments: [
            (
                "http://127.0.0.1:8080/adobe-services/authenticate/saml?x", [String](),
                OperationName.authenticate
            ),
            ("http://127.0.0.1:8080/mvpd/DemoCable/login", ["user"], .mvpdLogin),
            ("https://idp.example/adobe-services/authenticate", [], .mvpdLogin),
            (
                "http://127.0.0.1:8080/sp/saml/SAMLAssertionConsumer", ["SAMLResponse"],
                .assertion
            ),
        ])
    func hops(
        address: String, fields: [String], expected: OperationName
    ) throws {
        let address = try #require(WebAddress(address))
        let form = fields.map { ($0, "x") }
        let call = Self.dialect.hop(
            form.isEmpty ? .get : .post, address, form: form, referer: nil)
        #expect(call.operation == expected)
    }

    @Test(
        "each hop of a logout is one, also one that leads straight back to the app",
        arguments: [
            "http://127.0.0.1:8080/adobe-services/logout?mso_id=x",
            "https://idp.example/tve-logout/slo?code=1&state=2",
        ])
    func logoutHops(address: String) throws {
        let call = Self.dialect.logoutHop(try #require(WebAddress(address)), referer: nil)
        #expect(call.operation == .mvpdLogout)
        let back = Self.dialect.read(
            Reply(status: 302, headers: ["Location": "https://demo.test/done"]), to: call)
        #expect(back.operation == nil && back.observation.result == .none)
    }

    @Test("a path before all others, and names that need encoding")
    func prefix() throws {
        let dialect = V2(
            origin: Origin(scheme: .https, host: "sp.test"), prefix: "/x", serviceProvider: "A/B",
            domain: "a b", redirectURL: "app://done")
        let known = Self.credential(mvpd: "M/1")
        let media = try #require(
            dialect.call(.authorize, about: Subject(resources: ["r"]), known))
        #expect(media.address.target == "/x/api/v2/A%2FB/decisions/authorize/M%2F1")
        let logout = try #require(dialect.logout(known))
        #expect(
            logout.address.target == "/x/api/v2/A%2FB/logout/M%2F1?redirectUrl=app%3A%2F%2Fdone")
        let session = try #require(dialect.issueCode(known, lifetime: nil, mvpd: "M/1"))
        #expect(
            String(decoding: session.body, as: UTF8.self)
                == "mvpd=M%2F1&domainName=a%20b&redirectUrl=app%3A%2F%2Fdone")
    }
}
