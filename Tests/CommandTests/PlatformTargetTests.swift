import Foundation
import TestSupport
import Testing

/// Platform sign-on against a service in another process, judged as any staging server is.
@Suite("Platform sign-on on a foreign target", .ownThread)
struct PlatformTargetTests {
    private static func rig(
        _ platform: String, _ protocolName: String = "adobe-pass-v1"
    ) -> String {
        """
        rig: platform
        target: {base: embedded, protocol: \(protocolName)}
        load: {closed: {households: 4}, settle: 2s}
        kinds:
          - name: apple tv
            platform-sign-on: \(platform)
            viewer: {notices-code: 100ms, signs-in: 100ms, gives-up: 0%}
        polling: {every: 3s}
        after-sign-in: [user-metadata]
        validity: {on-breach: warn}
        thresholds: [errors < 50%, households failed == 0]
        """
    }

    private struct Played {
        var ended: Command.Ended
        var run: Run

        var headline: String { run["headline"] as? String ?? "" }
        func count(_ key: String) -> Int? { run.number("signOns", key) }
        /// Why the households left the platform's path.
        var reasons: [String] {
            ((run["signOns", "diversions"] as? [[String: Any]]) ?? [])
                .compactMap { $0["reason"] as? String }
        }
    }

    private func play(
        _ platform: String, at url: String, in folder: TestFolder,
        by protocolName: String = "adobe-pass-v1"
    ) async throws -> Played {
        let rig = try folder.write(Self.rig(platform, protocolName), to: "rig.yaml")
        let name = "run-\(UUID().uuidString)"
        let ended = try await Command.run(
            "run", rig, "--target", url, "--out", name, "--quiet", in: folder)
        return Played(ended: ended, run: try Run(folder, name))
    }

    private func key(_ name: String, in folder: TestFolder) async throws {
        let made = try Command(
            ["genrsa", "-out", name, "2048"], in: folder, program: "/usr/bin/openssl")
        #expect(try await made.ended().code == 0)
    }

    @Test("with the key that the service trusts it works; with another the run says what happened")
    func keys() async throws {
        let folder = TestFolder()
        try await key("other.pem", in: folder)
        let demo = try Command(["serve", "--port", "0", "--no-throttle"], in: folder)
        let demoURL = try await demo.url()
        let other = try Command(
            ["serve", "--port", "0", "--no-throttle", "--policy", "platform-key=other.pem"],
            in: folder)
        let otherURL = try await other.url()

        for (platform, url) in [("{}", demoURL), ("{key: other.pem}", otherURL)] {
            let played = try await play(platform, at: url, in: folder)
            #expect(played.ended.code == 0, "\(played.ended.output)\(played.ended.errors)")
            #expect(played.headline.hasPrefix("Passed: all 4 households signed in"))
            #expect(played.count("diverted") == 0 && played.count("askedForPlatform") == 4)
        }
        for (platform, url, reason) in [
            ("{key: other.pem}", demoURL, "step 9: token-exchange answered 400"),
            ("{}", otherURL, "step 7: the platform answered error 5 (invalidVerificationToken)"),
        ] {
            let played = try await play(platform, at: url, in: folder)
            #expect(played.ended.code == 0, "\(played.ended.output)\(played.ended.errors)")
            let sentence =
                "all 4 households signed in by code, although their kind asks for platform sign-on"
            #expect(played.headline.hasPrefix("Passed, but \(sentence)"), "\(played.headline)")
            #expect(played.count("diverted") == 4)
            #expect(played.reasons.count == 1 && played.reasons[0].hasPrefix(reason))
            let told = played.ended.output.split(whereSeparator: \.isWhitespace)
                .joined(separator: " ")
            #expect(told.contains("left the platform's path at \(reason)"), "\(told)")
        }
    }

    @Test(
        "a program signs in the platform's place, and is told everything that it needs",
        arguments: ["adobe-pass-v1", "adobe-pass-v2"])
    func program(protocolName: String) async throws {
        let folder = TestFolder()
        let rigs = Repository.root.appending(path: "rigs")
        for name in ["platform-demo.pem", "platform-program.py"] {
            try FileManager.default.copyItem(
                at: rigs.appending(path: name), to: folder.url.appending(path: name))
        }
        _ = try folder.write(
            "#!/bin/sh\ntee -a asked.jsonl | ./platform-program.py\n", to: "platform.sh")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: folder.path("platform.sh"))
        let server = try Command(
            [
                "serve", "--port", "0", "--no-throttle", "--policy",
                "platform-key=platform-demo.pem",
            ], in: folder)
        let played = try await play(
            "{command: platform.sh, timeout: 30s}", at: try await server.url(), in: folder,
            by: protocolName)
        #expect(played.ended.code == 0, "\(played.ended.output)\(played.ended.errors)")
        #expect(played.count("diverted") == 0 && played.count("askedForPlatform") == 4)
        let asked = try folder.read("asked.jsonl").split(separator: "\n")
        #expect(asked.count == 4)
        let question = try #require(
            try JSONSerialization.jsonObject(with: Data(asked[0].utf8)) as? [String: Any])
        #expect(
            Set(question.keys) == [
                "verificationToken", "attributes", "channelIdentifier", "provider", "mvpd",
                "deviceType", "subject", "user", "password",
            ])
        #expect(question["provider"] as? String == "demo-cable")
        #expect(question["mvpd"] as? String == "DemoCable")
        #expect(question["deviceType"] as? String == "tvOS")
        #expect(question["attributes"] as? [String] == ["userID", "zip"])
        let token = Data(base64Encoded: question["verificationToken"] as? String ?? "") ?? Data()
        #expect(String(decoding: token, as: UTF8.self).contains("AttributeQuery"))
    }

    @Test(
        "a program that fails leads to a code, and the run says what it said",
        arguments: [
            ("echo 'no such box' >&2; exit 3", "ended with status 3 and says 'no such box'"),
            ("echo nothing", "answered neither XML nor JSON"),
            ("echo '{\"failed\": \"locked\", \"error\": 4}'", "says 'locked'"),
            ("echo '<samlp:Response/>'", "step 9: token-exchange answered 400"),
        ])
    func failures(program: String, words: String) async throws {
        let folder = TestFolder()
        _ = try folder.write("#!/bin/sh\ncat > /dev/null; \(program)\n", to: "platform.sh")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: folder.path("platform.sh"))
        let server = try Command(["serve", "--port", "0", "--no-throttle"], in: folder)
        let played = try await play(
            "{command: platform.sh}", at: try await server.url(), in: folder)
        #expect(played.headline.contains("signed in by code, although"), "\(played.headline)")
        #expect(played.reasons.count == 1)
        #expect(played.reasons.first?.contains(words) == true, "\(played.reasons)")
    }

    @Test("a key that is none, or not there, is refused before anything is sent")
    func badKeys() async throws {
        let folder = TestFolder()
        _ = try folder.write("no key\n", to: "bad.pem")
        for (name, words) in [
            ("nowhere.pem", "nowhere.pem cannot be read"), ("bad.pem", "holds no RSA key"),
        ] {
            let rig = try folder.write(Self.rig("{key: \(name)}"), to: "rig.yaml")
            let ended = try await Command.run("run", rig, "--out", "run-\(name)", in: folder)
            #expect(ended.code == 2, "\(ended.output)\(ended.errors)")
            #expect(ended.errors.contains(words), "\(ended.errors)")
            let serving = try await Command.run(
                "serve", "--port", "0", "--policy", "platform-key=\(name)", in: folder)
            #expect(serving.code == 2 && serving.errors.contains(words), "\(serving.errors)")
        }
    }
}
