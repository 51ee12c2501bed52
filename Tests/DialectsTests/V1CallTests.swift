import Foundation
import TestSupport
import Testing
import Vocabulary

@testable import Dialects

@Suite struct V1CallTests {
    private static let device = DeviceIdentity(
        id: "vd-000000000001",
        info: DeviceInfo(
            model: "AppleTV", version: "11,1", osName: "tvOS", osVersion: "17.4",
            primaryHardwareType: "TV",
            applicationId: "demo-tv"),
        userAgent: "DemoTV/1.0", forwardedFor: nil)
    private static let dialect = V1(
        origin: Origin(scheme: .http, host: "127.0.0.1", port: 8080), requestor: "DEMOTV",
        domain: "demo.test",
        redirectURL: "https://demo.test/done?a=1")

    private var calls: [Call?] {
        let dialect = Self.dialect
        let credential = Credential(device: Self.device, bearer: Secret("T0KEN"))
        let code = Code("q7mk2xa")
        let issued = IssuedCode(code: code, lifetime: .seconds(1800))
        return [
            dialect.registerClient(Secret("a.b.c"), as: Self.device),
            dialect.accessToken(
                ClientCredentials(id: "c 1", secret: Secret("s&2")), as: Self.device),
            dialect.issueCode(credential, lifetime: .seconds(60), mvpd: "DemoCable"),
            dialect.authenticate(issued, mvpd: "DemoCable", credential),
            dialect.poll(issued, .token, credential), dialect.poll(issued, .check, credential),
        ]
            + OperationName.allCases.map { operation in
                let resources = operation.has(.aboutResource) ? ["demo-1"] : ["a", "b,c"]
                let subject = Subject(code: code, resources: resources)
                return dialect.call(operation, about: subject, credential)
            }.filter { $0 != nil }
    }

    private static func written(_ call: Call?) -> String {
        guard let call else { return "(no such step)" }
        var text = "# \(call.operation)\n\(call.method.rawValue) \(call.address)\n"
        for field in call.headers.fields { text += "\(field.name): \(field.value)\n" }
        if !call.body.isEmpty {
            text += "\n" + String(decoding: call.body, as: UTF8.self) + "\n"
        }
        return text
    }

    @Test("every request is written as the transcript has it")
    func transcript() throws {
        try Golden.expect(
            calls.map(Self.written).joined(separator: "\n"), is: "requests.http")
    }

    /// Ways of writing requests that real clients were seen to have (observed.md).
    private static let styles: [(name: String, style: RequestStyle, bearer: Bool)] = [
        (
            "a bare page: nothing but the format", RequestStyle(signs: false, deviceInfo: .none),
            false
        ),
        ("format=json", RequestStyle(format: FormatRequest(by: .parameter)), true),
        (".json", RequestStyle(format: FormatRequest(by: .suffix)), true),
        (".xml", RequestStyle(format: FormatRequest(.xml, by: .suffix)), true),
        ("no format", RequestStyle(format: FormatRequest(.xml, by: .none)), true),
        (
            "a query with {} as the body", RequestStyle(codeRequest: .query), true
        ),
        (
            "more parameters, and device information among them",
            RequestStyle(
                deviceInfo: .parameter,
                parameters: [
                    "deviceType": "Roku", "appId": "demo tv",
                    "registrationURL": "https://demo.test/activate",
                ]), true
        ),
    ]

    @Test("each style of writing requests is as the transcript has it (observed.md)")
    func styles() throws {
        let texts = Self.styles.map { name, style, bearer in
            var device = Self.device
            device.style = style
            let credential = Credential(device: device, bearer: bearer ? Secret("T0KEN") : nil)
            let code = Code("q7mk2xa")
            let issued = IssuedCode(code: code, lifetime: .seconds(1800))
            let subject = Subject(code: code, resources: ["demo-1"])
            let dialect = Self.dialect
            let calls: [Call?] =
                [
                    dialect.issueCode(credential, lifetime: .seconds(60), mvpd: nil),
                    dialect.poll(issued, .token, credential),
                    dialect.poll(issued, .check, credential),
                    dialect.freePreview(mvpd: "TempPass", credential),
                    dialect.webLogout(credential),
                ]
                + [.registrationRecord, .configuration, .checkCode, .preauthorizeCode, .authorize]
                .map { dialect.call($0, about: subject, credential) }
            return "### \(name)\n\n" + calls.map(Self.written).joined(separator: "\n")
        }
        try Golden.expect(texts.joined(separator: "\n"), is: "styles.http")
    }

    @Test("a poll of the boolean check is read as one, whatever asks for the format")
    func suffixedChecks() {
        for means in FormatRequest.Means.allCases {
            var device = Self.device
            device.style = RequestStyle(format: FormatRequest(by: means))
            let call = Self.dialect.poll(nil, .check, Credential(device: device, bearer: nil))
            let answer = call.map { Self.dialect.read(Reply(status: 200), to: $0) }
            #expect(answer?.outcome == .ok && answer?.deviations == [], "\(means)")
        }
    }

    @Test("no request shows a secret when it is printed with its credential")
    func secretsStaySecret() {
        let credential = Credential(device: Self.device, bearer: Secret("T0KEN"))
        #expect(!"\(credential)".contains("T0KEN"))
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
            ("http://127.0.0.1:8080/sp/saml/SAMLAssertionConsumer", ["SAMLResponse"], .assertion),
            ("https://sp.example/acs", ["SAMLResponse", "RelayState"], .assertion),
            ("https://sp.example/cb?state=1&code=2", [], .assertion),
            ("https://sp.example/cb", ["code", "state"], .assertion),
            ("https://sp.example/cb?SAMLart=1", [], .assertion),
            ("https://idp.example/login?SAMLResponse=1", [], .mvpdLogin),
            ("https://sp.example/ws", ["wa", "wresult"], .assertion),
            ("https://idp.example/authorize?response_type=code&state=1", [], .mvpdLogin),
            ("https://idp.example/coupon?code=1", [], .mvpdLogin),
        ])
    func hops(address: String, fields: [String], expected: OperationName) throws {
        let address = try #require(WebAddress(address))
        let form = fields.map { ($0, "x") }
        let call = Self.dialect.hop(form.isEmpty ? .get : .post, address, form: form, referer: nil)
        #expect(call.operation == expected)
    }

    @Test(
        "a provider's hop that leads back to the app is what signed in, or what was turned down",
        arguments: [
            (
                "https://demo.test/done?a=1", OperationName?.some(.assertion),
                Observation.Result.ledBack
            ),
            ("https://demo.test/done?a=1&error=access_denied", .assertion, .denied),
            ("https://idp.example/next", nil, .none),
        ])
    func waysBack(
        location: String, turnsOut: OperationName?, result: Observation.Result
    ) throws {
        let call = Self.dialect.hop(
            .post, try #require(WebAddress("https://idp.example/login")),
            form: [("user", "u"), ("password", "p")], referer: nil)
        let reading = Self.dialect.read(
            Reply(status: 302, headers: ["Location": location]), to: call)
        #expect(call.operation == .mvpdLogin)
        #expect(reading.operation == turnsOut)
        #expect(reading.observation.result == result)
    }

    @Test(
        "an answer that is brought to the service may lead on before it leads back",
        arguments: [
            (303, "https://sp.test/end", Observation.Result.ledOn),
            (302, "https://demo.test/done?a=1", .none), (307, "https://sp.test/acs", .none),
            (200, nil, .ledOn),
        ] as [(Int, String?, Observation.Result)])
    func ledOn(status: Int, location: String?, result: Observation.Result) throws {
        let call = Self.dialect.hop(
            .post, try #require(WebAddress("https://sp.test/acs")), form: [("SAMLResponse", "x")],
            referer: nil)
        let headers = location.map { ["Location": $0] as Headers } ?? [:]
        let reading = Self.dialect.read(Reply(status: status, headers: headers), to: call)
        #expect(call.operation == .assertion)
        #expect(reading.observation.result == result)
    }

    @Test(
        "a page that brings the provider's answer on is a broker's, whatever the service may answer there",
        arguments: [
            ("<input name=\"SAMLResponse\" value=\"x\">", OperationName?.some(.mvpdLogin), 0),
            ("<p>signed in</p>", nil, 1),
        ])
    func broker(page: String, turnsOut: OperationName?, deviations: Int) throws {
        let call = Self.dialect.hop(
            .post, try #require(WebAddress("https://broker.test/acs")),
            form: [("SAMLResponse", "x")],
            referer: nil)
        let reading = Self.dialect.read(
            Reply(
                status: 200, headers: ["Content-Type": "text/html"],
                body: Array("<html><form>\(page)</form></html>".utf8)), to: call)
        #expect(reading.operation == turnsOut)
        #expect(reading.deviations.count == deviations, "\(reading.deviations)")
    }

    @Test(
        "a provider's hop of a logout is none of the service's, whatever it is answered",
        arguments: [200, 302, 303, 401], ["/slo?state=1&code=2", "/tve/logout?state=1"])
    func logoutHops(status: Int, path: String) throws {
        let address = try #require(WebAddress("https://idp.example" + path))
        let call = Self.dialect.logoutHop(address, referer: nil)
        #expect(call.operation == .mvpdLogout)
        let reading = Self.dialect.read(
            Reply(
                status: status,
                headers: ["Location": "https://demo.test/done", "Content-Type": "text/html"],
                body: Array("<html>".utf8)), to: call)
        #expect(
            reading.operation == nil && reading.deviations.isEmpty && reading.outcome != .blocked)
        #expect(reading.observation.result == (status == 401 ? .denied : .none))
    }

    @Test(
        "the browser is back when it is sent to the redirect URL",
        arguments: [
            ("https://demo.test/done?a=1", true),
            ("https://DEMO.test:443/done?a=1&error=access_denied", true),
            ("https://demo.test/other", false), ("http://demo.test/done?a=1", false),
        ])
    func returns(address: String, isBack: Bool) throws {
        #expect(Self.dialect.isReturn(try #require(WebAddress(address))) == isBack)
    }
}
