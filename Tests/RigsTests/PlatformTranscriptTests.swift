import Dialects
import Statistics
import TestSupport
import Testing
import Vocabulary

@testable import Rigs

@Suite("Requests by platform")
struct PlatformTranscriptTests {
    /// With the headers that a lane adds for a device (`ExchangeBuilder`).
    private static func written(_ call: Call?, from device: DeviceIdentity) -> String {
        guard let call else { return "(no such step)\n" }
        var text = "# \(call.operation)\n\(call.method.rawValue) \(call.address)\n"
        let own = [
            ("User-Agent", device.userAgent), ("X-Forwarded-For", device.forwardedFor ?? ""),
        ]
        for (name, value) in call.headers.fields.map({ ($0.name, $0.value) }) + own {
            text += "\(name): \(value)\n"
        }
        return call.body.isEmpty ? text : text + "\n\(String(decoding: call.body, as: UTF8.self))\n"
    }

    private static func requests(_ kind: String) throws -> String {
        let rig = try Rig.sample("identities: by-seed\nkinds: [\(kind)]")
        let household = try #require(Plan(rig, seed: Seed(5)).household(0))
        let dialect = rig.target.application.protocolName.dialect(
            at: Origin(scheme: .http, host: "service"), requestor: rig.target.requestor,
            domain: rig.target.domain, redirectURL: rig.target.redirectURL)
        let code = Code("Q7MK2XA")
        let issued = IssuedCode(code: code, lifetime: .seconds(1800))
        let subject = Subject(code: code, resources: ["demo-1"])
        let tv = household.firstScreen
        let first = Credential(device: tv, bearer: Secret("T0KEN"))
        var text = "### \(kind)\n\n"
        text += [
            dialect.issueCode(first, lifetime: nil, mvpd: nil), dialect.poll(issued, .token, first),
            dialect.call(.authorize, about: subject, first),
        ].map { written($0, from: tv) }.joined(separator: "\n")
        guard !household.kind.firstScreen.hasWebView, let phone = household.secondScreens.first
        else { return text }
        let second = Credential(device: phone, bearer: nil)
        text += "\n## its phone\n\n"
        text += [OperationName.registrationRecord, .configuration, .checkCode].map {
            written(dialect.call($0, about: subject, second), from: phone)
        }.joined(separator: "\n")
        return text
    }

    @Test("each platform's requests are as the transcript has them (observed.md)")
    func platforms() throws {
        let kinds =
            ["tvos", "ios", "ipados", "android-tv", "fire-tv", "roku"].map {
                "{name: a, first-screen: \($0)}"
            } + [
                "{name: a, first-screen: roku, requests: {first-screen: {user-agent: MyTV/1, "
                    + "headers: {X-Build: '7'}, format: suffix}}}"
            ]
        let texts = try kinds.map(Self.requests)
        try Golden.expect(
            // The version of a release is no part of a platform.
            texts.joined(separator: "\n").replacing(Release.mark, with: "screenrig/VERSION"),
            is: "platforms.http")
    }
}
