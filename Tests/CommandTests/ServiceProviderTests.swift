import Foundation
import Synchronization
import TestSupport
import Testing

/// `serve --provider` before service providers that nobody here wrote, and before screenrig's own phones.
@Suite("The test identity provider", .ownThread)
struct ServiceProviderTests {
    @Test(
        "python3-saml, pysaml2 and Authlib sign its users in, and refuse what is forged",
        .enabled(if: ForeignServer.hasPython, "needs python3, for Tests/ServiceProviders/check.py"))
    func foreign() async throws {
        let folder = TestFolder()
        let script = Repository.root.appending(path: "Tests/ServiceProviders/check.py").path
        // What pip installs is kept for the next time.
        let ended = try await Command(
            ["python3", script, "--screenrig", Command.binary, "--work", folder.path("")],
            in: folder, environment: ["TMPDIR": FileManager.default.temporaryDirectory.path],
            program: "/usr/bin/env"
        ).ended(within: .seconds(900))
        if let reason = ended.output.split(separator: "\n").first(where: {
            $0.hasPrefix("SKIPPED ")
        }) {
            try Test.cancel("\(reason)")
        }
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
        #expect(ended.output.contains("python3-saml refuses it under another certificate"))
        #expect(ended.output.contains("Authlib refuses an id token under another key"))
    }

    @Test("screenrig's phones sign in through it, and the last lines count them")
    func phones() async throws {
        let folder = TestFolder()
        let provider = try Command(
            ["serve", "--provider", "--port", "0", "--users", "ann:password=hush-9"], in: folder)
        let url = try await provider.url()
        let target = LateText()
        let server = loginServer { _ in
            "<html><body><p>One moment</p><script>location.href = \"\(target.text)\"</script></body></html>"
        }
        defer { server.stop() }
        let request = """
            <AuthnRequest ID="_1" AssertionConsumerServiceURL="http://127.0.0.1:\(server.port)/sso">\
            <Issuer>http://sp.test</Issuer></AuthnRequest>
            """
        let bytes = [UInt8](request.utf8)
        // One stored block (RFC 1951, 3.2.4).
        let length = [UInt8(bytes.count & 255), UInt8(bytes.count >> 8)]
        let stream = Data([1] + length + length.map(~) + bytes)
        let text = stream.base64EncodedString().replacing("+", with: "%2B").replacing(
            "/", with: "%2F")
        target.text = "\(url)/saml/sso?SAMLRequest=\(text)&RelayState=r1"
        let trying = try await Trying.run(
            ["try", "rig.yaml"],
            files: [
                "rig.yaml": trialRig("http://127.0.0.1:\(server.port)")
                    + "\naccounts: {file: accounts.csv}\n",
                "accounts.csv": "mvpd,user,password\nDemoCable,ann,hush-9\n",
            ])
        #expect(trying.row("form").contains("passed"), "\(trying.output)\(trying.errors)")
        #expect(trying.row("assertion").contains("passed"), "\(trying.output)\(trying.errors)")
        provider.send(SIGINT)
        let ended = try await provider.ended()
        #expect(ended.code == 0)
        #expect(ended.output.contains("logins: 1 pages, 1 succeeded, 0 wrongPassword"))
    }

    @Test(
        "what cannot be is told, with what to write",
        arguments: [
            (["--users", "a:locked=1"], "locked is '1'; it must be a share of 0% to 100%"),
            (["--users", "a:shut=1%"], "unknown key 'shut'"),
            (["--users", "a:from=3,to=2"], "from is above to"),
            (["--users", "a:latency=fast"], "latency is 'fast'; it must be a time"),
            (["--client", "web:hush"], "--client 'web:hush' has no address"),
            (["--sp", "http://sp.test"], "--sp 'http://sp.test' has no address"),
            (["--public-url", "idp.test"], "it must begin with http:// or https://"),
            (["--signing-key", "missing.pem"], "cannot read missing.pem"),
        ])
    func mistakes(options: [String], words: String) async throws {
        let folder = TestFolder()
        let ended = try await Command(
            ["serve", "--provider", "--port", "0"] + options, in: folder
        ).ended()
        #expect(ended.code == 2, "\(ended.output)")
        let told = ended.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(told.contains(words), "\(told)")
    }

    @Test("an option of the provider needs it")
    func alone() async throws {
        let ended = try await Command.run("serve", "--users", "a", in: TestFolder())
        #expect(ended.code == 2)
        #expect(ended.errors.contains("add --provider"), "\(ended.errors)")
        let both = try await Command.run("serve", "--provider", "--strict", in: TestFolder())
        #expect(both.code == 2)
        #expect(both.errors.contains("--provider serves none"), "\(both.errors)")
    }
}

/// A text that is known after those who read it have been made.
private final class LateText: Sendable {
    private let kept = Mutex("")

    var text: String {
        get { kept.withLock { $0 } }
        set { kept.withLock { $0 = newValue } }
    }
}
