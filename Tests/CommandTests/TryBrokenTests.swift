import Foundation
import Signing
import Standin
import TestSupport
import Testing

/// Twelve set-ups, each broken in one way: the first failure, and what to do about it.
@Suite("A trial of a target that is not in order")
struct TryBrokenTests {
    @Test("each deviation is shown at its exchange, and fails a run under strict promises")
    func deviations() async throws {
        let server = loginServer { _ in "" }
        defer { server.stop() }
        let rig = trialRig("http://127.0.0.1:\(server.port)") + "\npromises: strict\n"
        let trying = try await Trying.run(["try", "rig.yaml"], files: ["rig.yaml": rig])
        #expect(trying.output.contains(#/register-client .*\n.*\n +deviation \(documented\): /#))
        #expect(
            trying.output.contains(#/would fail because of\n(.*\n)*?  conforms: /#),
            "\(trying.output)")
    }

    /// Tries `rig`, and expects the step to fail with each of `words` in the remedy.
    private func expect(
        _ step: String, _ words: [String], code: Int32 = 1, rig: String,
        files: [String: String] = [:], environment: [String: String] = [:],
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let trying = try await Trying.run(
            ["try", "rig.yaml", "--out", "run"],
            files: files.merging(["rig.yaml": rig]) { $1 }, environment: environment)
        let said = "\(trying.output)\(trying.errors)"
        #expect(trying.code == code, "\(said)", sourceLocation: location)
        #expect(trying.row(step).contains("FAILED"), "\(said)", sourceLocation: location)
        #expect(
            said.contains("what to do about '\(step)'"), "the first failure: \(said)",
            sourceLocation: location)
        for word in words {
            #expect(
                trying.remedy.contains(word), "'\(word)' of\n\(trying.remedy)\n\(said)",
                sourceLocation: location)
        }
        #expect(
            FileManager.default.fileExists(
                atPath: trying.folder.url.appending(path: "run/report.html").path),
            sourceLocation: location)
    }

    @Test("1, wrong base: another server's pages, or a path that is not there")
    func wrongBase() async throws {
        let pages = TryServer { _, _ in
            .init(status: 200, type: "text/html", body: "<html>Welcome to nginx!</html>")
        }
        defer { pages.stop() }
        let words = ["is not the sign-in service", "correct host, port and path of target.base"]
        try await expect("register", words, rig: trialRig("http://127.0.0.1:\(pages.port)"))
        let server = try await standin()
        try await expect(
            "register", words + ["404"], rig: trialRig("http://127.0.0.1:\(server.port)/v2"))
        await server.stop()
    }

    @Test("1, wrong base: a server that sends requests on to another")
    func movedBase() async throws {
        let moved = TryServer { _, _ in
            .init(status: 301, headers: ["Location": "https://auth.demo.test/o/client/register"])
        }
        defer { moved.stop() }
        try await expect(
            "register", ["redirects requests to https://auth.demo.test", "target.base"],
            rig: trialRig("http://127.0.0.1:\(moved.port)"))
    }

    @Test("2, a closed port")
    func nothingListens() async throws {
        let port = closedPort
        try await expect(
            "TCP", ["start the service", "target.base", "nothing listens on 127.0.0.1:\(port)"],
            code: 3, rig: trialRig("http://127.0.0.1:\(port)"))
    }

    @Test("2, a closed port, where the first request asks for the server's metadata")
    func noMetadata() async throws {
        let port = closedPort
        try await expect(
            "TCP", ["start the service", "target.base", "nothing listens on 127.0.0.1:\(port)"],
            code: 3,
            rig: """
                rig: grant
                target:
                  base: http://127.0.0.1:\(port)
                  protocol: oauth-device-grant
                  device-grant: {client: tv, user-from: userinfo, approved-when: [welcome]}
                load: {closed: {households: 1}}
                """)
    }

    @Test("3, wrong scheme: https at a port that speaks plain HTTP")
    func httpsAtHTTP() async throws {
        let server = try await standin()
        try await expect(
            "TLS", ["write http:// instead of https:// in target.base"], code: 3,
            rig: trialRig("https://127.0.0.1:\(server.port)"))
        await server.stop()
    }

    @Test("3, wrong scheme: http at a port that speaks TLS")
    func httpAtHTTPS() async throws {
        let server = try await standin(tls: try CertificatePair.selfSigned())
        try await expect(
            "TLS", ["write https:// instead of http:// in target.base"], code: 3,
            rig: trialRig("http://127.0.0.1:\(server.port)"))
        await server.stop()
    }

    @Test("3, wrong scheme: http at a TLS port that says so in a page, as nginx does")
    func httpAtNginx() async throws {
        let server = TryServer { _, _ in
            .init(
                status: 400, type: "text/html",
                body: "<html><h1>400</h1>The plain HTTP request was sent to HTTPS port</html>")
        }
        defer { server.stop() }
        try await expect(
            "TLS", ["write https:// instead of http:// in target.base"],
            rig: trialRig("http://127.0.0.1:\(server.port)"))
    }

    @Test(
        "3, no wrong scheme: a server that spoke HTTP/2 and went away",
        .enabled(if: ForeignServer.hasPython, "needs python3, for the peer in Tests/Chaos"))
    func goneAway() async throws {
        let folder = TestFolder()
        let script = Repository.root.appending(path: "Tests/Chaos/peer.py").path
        let peer = try Command(
            ["python3", script, "h2-goaway"], in: folder, program: "/usr/bin/env")
        try await expect(
            "register",
            ["ask the server's team", "refused the HTTP/2 stream (REFUSED_STREAM or GOAWAY)"],
            code: 3, rig: trialRig(await peer.url(), target: ["http: \"2\""]))
    }

    @Test("4, an unknown authority")
    func unknownAuthority() async throws {
        let server = try await standin(tls: try CertificatePair.selfSigned())
        try await expect(
            "TLS", ["target.tls.ca", "PEM file of the authority"], code: 3,
            rig: trialRig("https://127.0.0.1:\(server.port)"))
        await server.stop()
    }

    @Test("5, an expired certificate")
    func expired() async throws {
        let pair = try CertificatePair.selfSigned(days: -1)
        let server = try await standin(tls: pair)
        try await expect(
            "TLS", ["renew its certificate", "tls: {verify: false}"], code: 3,
            rig: trialRig("https://127.0.0.1:\(server.port)", target: ["tls: {ca: ca.pem}"]),
            files: ["ca.pem": pair.certificate])
        await server.stop()
    }

    @Test("6, a proxy is needed: the environment has one, and the rig does not use it")
    func proxyNeeded() async throws {
        let rig = trialRig("http://127.0.0.1:\(closedPort)")
        try await expect(
            "TCP", ["'proxy: environment' under target", "proxy.demo.test:3128"], code: 3, rig: rig,
            environment: ["http_proxy": "http://user:planted@proxy.demo.test:3128"])
        // What no_proxy excepts is reached directly, here and elsewhere.
        try await expect(
            "TCP", ["nothing listens"], code: 3, rig: rig,
            environment: ["http_proxy": "http://proxy.demo.test:3128", "no_proxy": "127.0.0.1"])
    }

    @Test("6, a proxy wants credentials, and alone knows the name of the target")
    func proxyCredentials() async throws {
        let proxy = TryServer { _, _ in .init(status: 407) }
        defer { proxy.stop() }
        let rig = trialRig(
            "http://only-the-proxy-knows.test",
            target: [
                "allow: [only-the-proxy-knows.test]", "proxy: http://127.0.0.1:\(proxy.port)",
            ])
        try await expect("TCP", ["the proxy wants credentials"], code: 3, rig: rig)
        let trying = try await Trying.run(
            ["run", "rig.yaml", "--out", "run", "--quiet"], files: ["rig.yaml": rig])
        #expect(trying.code == 3)
        #expect(trying.output.contains("wants credentials (407)"), "\(trying.output)")
        // The proxy's page is no answer of the service, so that nothing of it is judged.
        #expect(trying.output.contains(#/met +violations == 0/#), "\(trying.output)")
    }

    @Test("7, a bad software statement, or none")
    func badStatement() async throws {
        let server = try await standin()
        try await expect(
            "register", ["ask for a software statement for this environment"],
            rig: trialRig(
                "http://127.0.0.1:\(server.port)", target: ["software-statement: ${STATEMENT}"]),
            environment: ["STATEMENT": "not.a.statement"])
        await server.stop()
        let strict = TryServer { _, _ in
            .init(status: 400, body: #"{"error": "invalid_software_statement"}"#)
        }
        defer { strict.stop() }
        try await expect(
            "register", ["the rig gives no software statement", "software-statement: ${"],
            rig: trialRig("http://127.0.0.1:\(strict.port)"))
    }

    @Test("8, an unknown requestor")
    func unknownRequestor() async throws {
        let server = try await standin()
        try await expect(
            "code", ["'OTHERTV' is not a requestor", "target.requestor"],
            rig: trialRig("http://127.0.0.1:\(server.port)", target: ["requestor: OTHERTV"]))
        await server.stop()
    }

    @Test("9, a domain that is not registered")
    func unregisteredDomain() async throws {
        let server = try await standin()
        try await expect(
            "login page", ["'elsewhere.test' is not registered for DEMOTV", "target.domain"],
            rig: trialRig("http://127.0.0.1:\(server.port)", target: ["domain: elsewhere.test"]))
        await server.stop()
    }

    @Test("10, a resource that may not be played, and none at all")
    func missingResource() async throws {
        // A denial is no failure: a run with that account passes, and plays nothing.
        let denied = try await Trying.run(
            ["try", "rig.yaml"],
            files: ["rig.yaml": trialRig("embedded", target: ["resources: [deny-1]"])])
        #expect(denied.code == 0, "\(denied.output)")
        #expect(denied.row("authorize").contains("not entitled"))
        #expect(denied.row("media").contains("not needed"))
        for word in ["may not play 'deny-1'", "target.resources"] {
            #expect(denied.remedy.contains(word), "\(denied.remedy)")
        }
        let trying = try await Trying.run(
            ["try", "rig.yaml"],
            files: ["rig.yaml": trialRig("embedded", target: ["resources: []"])])
        #expect(trying.code == 2)
        #expect(
            trying.errors.contains("authorize needs a resource, and target.resources is empty"))
    }

    @Test("11, a wrong password: the login page comes again")
    func wrongPassword() async throws {
        let server = loginServer { method in
            """
            <form method="post" action="/login">\(method == "POST" ? "Wrong password" : "")
            <input name="user"><input type="password" name="word"></form>
            """
        }
        defer { server.stop() }
        try await expect(
            "form", ["shows its login again after the password", "accounts"],
            rig: trialRig("http://127.0.0.1:\(server.port)"))
    }

    @Test("11, a wrong password in the file of accounts")
    func wrongAccount() async throws {
        try await expect(
            "form", ["shows its login again after the password", "accounts"],
            rig: trialRig("embedded", target: ["mvpds: [{id: DemoCable}]"])
                + "\naccounts: {file: accounts.csv}\n",
            files: ["accounts.csv": "mvpd,user,password\nDemoCable,ann,wrong\n"])
    }

    @Test("12, a login page that needs JavaScript")
    func script() async throws {
        let server = loginServer { _ in
            """
            <!DOCTYPE html><html><head><title>Sign in</title><script src="/app.js"></script></head>
            <body><div id="root"></div><noscript>Please enable JavaScript</noscript></body></html>
            """
        }
        defer { server.stop() }
        try await expect(
            "form", ["makes its form with JavaScript", "login: {command: PROGRAM}"],
            rig: trialRig("http://127.0.0.1:\(server.port)"))
    }
}
