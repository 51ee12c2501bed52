import Foundation
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

    @Test("every request is written as the transcript has it")
    func transcript() throws {
        let lines = calls.map { call in
            guard let call else { return "(no such step)" }
            var text = "# \(call.operation)\n\(call.method.rawValue) \(call.address)\n"
            for field in call.headers.fields { text += "\(field.name): \(field.value)\n" }
            if !call.body.isEmpty {
                text += "\n" + String(decoding: call.body, as: UTF8.self) + "\n"
            }
            return text
        }
        let written = lines.joined(separator: "\n")
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "Transcripts/requests.http")
        if ProcessInfo.processInfo.environment["SCREENRIG_UPDATE_GOLDEN"] != nil {
            try written.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == written)
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
        ])
    func hops(address: String, fields: [String], expected: OperationName) throws {
        let address = try #require(WebAddress(address))
        let form = fields.map { ($0, "x") }
        let call = Self.dialect.hop(form.isEmpty ? .get : .post, address, form: form, referer: nil)
        #expect(call.operation == expected)
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
