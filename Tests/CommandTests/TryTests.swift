import Foundation
import Signing
import Standin
import Testing

@Suite("A trial of a target that is in order")
struct TryTests {
    @Test("against the embedded stand-in every step passes, and a normal run is left behind")
    func whole() async throws {
        let trying = try await Trying.run(
            ["try", "rig.yaml", "--out", "run"], files: ["rig.yaml": trialRig("embedded")])
        #expect(trying.code == 0, "\(trying.output)\(trying.errors)")
        let steps = [
            "TCP", "register", "token", "code", "configuration", "login page", "form",
            "assertion", "check", "poll", "user", "authorize", "media", "logout",
        ]
        for step in steps {
            #expect(trying.row(step).hasSuffix("passed"), "\(step): \(trying.output)")
        }
        #expect(trying.row("TLS").contains("not needed"))
        #expect(trying.row("name").hasSuffix("not needed   127.0.0.1 is an address"))
        #expect(trying.remedy.isEmpty)
        #expect(
            trying.output.hasSuffix(
                "run directory: run\nnext, run the load: screenrig run rig.yaml\n"))
        for file in ["report.html", "summary.json", "history.sqlite", "households.csv"] {
            #expect(
                !(try Data(contentsOf: trying.folder.url.appending(path: "run/\(file)")).isEmpty))
        }
        #expect(try trying.folder.read("run/summary.json").contains("\"signedIn\": 1"))
    }

    @Test("a kind whose viewers all refuse the TV is tried so: it is told, and gets no token")
    func refuses() async throws {
        let rig = """
            rig: refusing
            target:
              base: embedded
              protocol: oauth-device-grant
              device-grant: {user-from: userinfo}
            load: {closed: {households: 3}, settle: 1s}
            kinds: [{viewer: {refuses: 100%}}]
            polling: {every: 1s}
            after-sign-in: [userinfo]
            """
        let trying = try await Trying.run(["try", "rig.yaml"], files: ["rig.yaml": rig])
        #expect(trying.code == 0, "\(trying.output)\(trying.errors)")
        #expect(
            trying.output.contains("phone  refusal") && !trying.output.contains("phone  approval"))
        for step in ["approval", "poll"] {
            #expect(trying.row(step).hasSuffix("passed"), "\(step): \(trying.output)")
        }
        for step in ["user", "logout"] {
            #expect(trying.row(step).hasSuffix("not needed   the viewer refused the TV"))
        }
        #expect(trying.remedy.isEmpty)
    }

    @Test("each exchange is shown with its time, device, status, path, findings and request id")
    func exchanges() async throws {
        let trying = try await Trying.run(
            ["try", "rig.yaml"], files: ["rig.yaml": trialRig("embedded")])
        let output = trying.output
        let first = try #require(
            output.firstMatch(
                of: /^ +\d+\.\d{3} s  tv     register-client       201 +\d+\.\d ms/))
        #expect(first.range.lowerBound == output.startIndex)
        #expect(output.contains("\n            POST /o/client/register\n            request id "))
        #expect(output.contains(/phone  configuration .*2 providers: DemoCable, DemoSat/))
        #expect(output.contains(/tv     poll-token +404 .*not yet/))
        #expect(output.contains(/viewer-\S+ of Demo\w+ is signed in until \d{4}-\d\d-\d\dT/))
        #expect(output.contains("demo-1: yes"))
        #expect(output.contains(#/media token \(secret #[0-9a-f]{16}\) until /#))
        #expect(output.split(separator: "\n").allSatisfy { $0.count <= 100 })
    }

    @Test("--bodies shows what was said, and no secret of it")
    func bodies() async throws {
        let trying = try await Trying.run(
            ["try", "rig.yaml", "--bodies"],
            files: ["rig.yaml": trialRig("embedded", target: [#"headers: {X-Waf: "${WAF}"}"#])],
            environment: ["WAF": "waf-planted"])
        #expect(trying.code == 0, "\(trying.output)\(trying.errors)")
        let output = trying.output
        #expect(output.contains("> Authorization: Bearer (secret #"))
        #expect(output.contains("> X-Waf: (secret #"))
        #expect(output.contains(#"< {"id":""#) && output.contains(#""access_token":"(secret #"#))
        #expect(output.contains("client_secret=(secret #"))
        #expect(output.contains("SAMLResponse=(secret #"))
        #expect(output.contains("password=(secret #"))
        #expect(output.contains("Cookie: AP_FLOW=(secret #"))
        #expect(output.contains(#""serializedToken":"(secret #"#))
        #expect(output.contains(#"name="csrf_token" value="(secret #"#))
        #expect(!output.contains("waf-planted"))
        #expect(!output.contains(Signing.demoSoftwareStatement()))
        // JWTs and long Base64 documents begin so.
        #expect(!output.contains(/eyJhbGciOi/))
    }

    @Test("over TLS, with the server's own authority, the handshake is a step that passed")
    func secure() async throws {
        let pair = try CertificatePair.selfSigned()
        let server = try await standin(tls: pair)
        let trying = try await Trying.run(
            ["try", "rig.yaml"],
            files: [
                "rig.yaml": trialRig(
                    "https://127.0.0.1:\(server.port)", target: ["tls: {ca: ca.pem}"]),
                "ca.pem": pair.certificate,
            ])
        await server.stop()
        #expect(trying.code == 0, "\(trying.output)\(trying.errors)")
        #expect(trying.row("TLS").hasSuffix("passed"))
    }

    /// A kind of household each, by the steps that it needs not and those that it takes instead.
    struct Kind: Sendable, CustomTestStringConvertible {
        var name: String
        var lines: String
        var passes: [String]
        var needless: [String]
        var testDescription: String { name }
    }

    static let kinds = [
        Kind(
            name: "ipad", lines: "first-screen: ipados",
            passes: ["code", "login page", "form", "poll", "media", "logout"], needless: ["check"]),
        Kind(
            name: "platform", lines: "platform-sign-on: {account: fresh}",
            passes: ["platform", "configuration", "media", "logout"],
            needless: ["code", "login page", "form", "assertion", "check", "poll"]),
        Kind(
            name: "denied", lines: "platform-sign-on: {access: denied}",
            passes: ["code", "login page", "check", "poll", "media"], needless: ["platform"]),
        Kind(
            name: "pass", lines: "temp-pass: true",
            passes: ["TempPass", "configuration", "media"],
            needless: ["code", "form", "check", "poll"]),
        Kind(
            name: "sdk tv", lines: "first-screen: sdk-tvos",
            passes: ["code", "login page", "check", "poll", "authorize", "media", "logout"],
            needless: []),
        Kind(
            name: "sdk phone", lines: "first-screen: sdk-ios",
            passes: ["code", "login page", "poll", "media", "logout"], needless: ["check"]),
        Kind(
            name: "sdk pass", lines: "first-screen: sdk-tvos, temp-pass: true",
            passes: ["TempPass", "configuration", "media"], needless: ["code", "form", "poll"]),
    ]

    @Test("each kind of household is tried as it is, and its checklist fits it", arguments: kinds)
    func kind(kind: Kind) async throws {
        // A TempPass belongs to nobody: there is no metadata of its user (U1 404).
        let asks = kind.lines.contains("temp-pass") ? "" : "user-metadata, "
        let rig =
            trialRig("embedded").replacing("user-metadata, ", with: asks)
            + "\nkinds:\n  - {name: other}\n  - {name: \(kind.name), \(kind.lines)}\n"
        let trying = try await Trying.run(
            ["try", "rig.yaml", "--kind", kind.name, "--set", "rig=with blanks"],
            files: ["rig.yaml": rig])
        #expect(trying.code == 0, "\(trying.output)\(trying.errors)")
        for step in kind.passes {
            #expect(trying.row(step).hasSuffix("passed"), "\(step): \(trying.output)")
        }
        for step in kind.needless {
            #expect(trying.row(step).contains("not needed"), "\(step): \(trying.output)")
        }
        #expect(
            trying.output.contains(
                "next, run the load: screenrig run rig.yaml --set 'rig=with "
                    + "blanks'")
        )
    }

    @Test("a kind that the rig lacks is exit code 2, with the one that was meant")
    func unknownKind() async throws {
        let trying = try await Trying.run(
            ["try", "rig.yaml", "--kind", "houshold"], files: ["rig.yaml": trialRig("embedded")])
        #expect(trying.code == 2)
        #expect(
            trying.errors.contains(
                "unknown kind of household 'houshold'; did you mean 'household'?"))
    }

    @Test("what would fail a run is told, and that run is not recommended")
    func forecast() async throws {
        let rig = trialRig("embedded")
        let trying = try await Trying.run(
            ["try", "rig.yaml", "--fault", "ack-before-apply:window=4s"], files: ["rig.yaml": rig])
        #expect(trying.code == 1, "\(trying.output)\(trying.errors)")
        #expect(trying.output.contains("\na run of this rig would fail because of\n  sign-in-"))
        #expect(!trying.output.contains("next, the load"))
        let lenient = try await Trying.run(
            ["try", "rig.yaml", "--fault", "ack-before-apply:window=4s"],
            files: ["rig.yaml": rig + "\npromises: observe\n"])
        #expect(lenient.code == 0, "\(lenient.output)\(lenient.errors)")
        #expect(lenient.output.contains("a run of this rig would report without failing\n"))
    }

    /// A test bench: two poll loops that go on after the sign-in and after the logout, and a code that is deleted.
    private static func bench(_ speaks: String, resource: String = "demo-1") -> String {
        let activities =
            speaks == "adobe-pass-v1"
            ? "user-metadata, preauthorize, authorize, media-token" : "preauthorize, authorize"
        return trialRig("embedded", target: ["protocol: \(speaks)", "resources: [\(resource)]"])
            .replacing(/polling.*/, with: "polling: {every: 250ms, pollers: 2, after-success: 1s}")
            .replacing(/after-sign-in.*/, with: "after-sign-in: [\(activities), {logout: 100%}]")
            + "\ncode: {\(speaks == "adobe-pass-v1" ? "delete-after: true" : "")}"
            + "\nstandin: {throttle: off}\npolicies: {throttle: none}\n"
    }

    @Test(
        "polls after the sign-in and after the logout fail no step of a correct service",
        arguments: ["adobe-pass-v1", "adobe-pass-v2"])
    func bench(speaks: String) async throws {
        let trying = try await Trying.run(
            ["try", "rig.yaml"], files: ["rig.yaml": Self.bench(speaks)])
        #expect(trying.code == 0, "\(trying.output)\(trying.errors)")
        #expect(!trying.output.contains("FAILED"), "\(trying.output)")
        for step in ["code", "poll", "authorize", "logout"] {
            #expect(trying.row(step).hasSuffix("passed"), "\(step): \(trying.output)")
        }
        let afterwards = trying.output.components(separatedBy: "  logout ").dropFirst().joined()
        #expect(afterwards.contains(/(poll-token +404|profiles-by-code +200) .*not yet/))
    }

    @Test(
        "polls after the end of the flow hide no fault of it",
        arguments: ["adobe-pass-v1", "adobe-pass-v2"])
    func faultOnBench(speaks: String) async throws {
        let lost = try await Trying.run(
            ["try", "rig.yaml", "--fault", "lost-authentication"],
            files: ["rig.yaml": Self.bench(speaks)])
        #expect(lost.code == 1)
        #expect(lost.row("poll").contains("FAILED"), "\(lost.output)\(lost.errors)")
        #expect(lost.output.contains("what to do about 'poll'"))
        let denied = try await Trying.run(
            ["try", "rig.yaml"], files: ["rig.yaml": Self.bench(speaks, resource: "deny-1")])
        #expect(denied.row("authorize").contains("not entitled"), "\(denied.output)")
        #expect(denied.row("poll").hasSuffix("passed"), "\(denied.output)")
    }

    @Test("a platform's profile names the user, where no poll does")
    func platformNamesUser() async throws {
        let rig =
            trialRig("embedded", target: ["protocol: adobe-pass-v2"])
            + "\nkinds: [{name: tv, platform-sign-on: {account: fresh, picker: choose(DemoCable)}}]\n"
        let trying = try await Trying.run(["try", "rig.yaml"], files: ["rig.yaml": rig])
        #expect(trying.output.contains("sso-profile"), "\(trying.output)\(trying.errors)")
        #expect(trying.row("user").hasSuffix("passed"), "\(trying.output)")
    }

    @Test("a kind that returns is tried without its earlier visit, and every request counts")
    func returning() async throws {
        let rig = trialRig("embedded") + "\nkinds: [{name: tv, returning: 40%}]\n"
        let trying = try await Trying.run(
            ["try", "rig.yaml", "--out", "run"], files: ["rig.yaml": rig])
        #expect(trying.code == 0, "\(trying.output)\(trying.errors)")
        #expect(try trying.read("run/summary.json").contains("\"outcome\": \"pass\""))
    }

    @Test("over TLS to a port that says nothing, the handshake is the step that failed")
    func silentHandshake() async throws {
        let server = TryServer { _, _ in .init(status: 500) }
        defer { server.stop() }
        let rig = trialRig("https://127.0.0.1:\(server.port)", target: ["timeout: 2s"])
        let trying = try await Trying.run(["try", "rig.yaml"], files: ["rig.yaml": rig])
        #expect(trying.row("TCP").hasSuffix("passed"), "\(trying.output)")
        #expect(trying.row("TLS").contains("FAILED"))
        #expect(trying.remedy.contains("speak plain HTTP?"))
    }

    @Test("steps that the rig does not ask for are not needed")
    func less() async throws {
        let rig = trialRig("embedded").replacing(/after-sign-in.*/, with: "")
            .replacing("target:\n", with: "target:\n  auth: none\n")
        let trying = try await Trying.run(["try", "rig.yaml"], files: ["rig.yaml": rig])
        #expect(trying.code == 0, "\(trying.output)\(trying.errors)")
        for step in ["register", "token", "authorize", "media"] {
            #expect(trying.row(step).contains("not needed"), "\(trying.output)")
        }
    }

    @Test("--json is for runs")
    func json() async throws {
        let trying = try await Trying.run(
            ["try", "rig.yaml", "--json"], files: ["rig.yaml": trialRig("embedded")])
        #expect(trying.code == 2)
        #expect(trying.errors.contains("use 'run --json'"))
    }

    @Test("a bad rig is exit code 2, as everywhere")
    func badRig() async throws {
        let trying = try await Trying.run(["try", "rig.yaml"], files: ["rig.yaml": "rig: x\n"])
        #expect(trying.code == 2)
        #expect(trying.errors.contains("'target' is missing"))
    }
}
