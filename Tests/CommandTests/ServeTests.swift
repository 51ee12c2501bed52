import Foundation
import FoundationNetworking
import Journal
import TestSupport
import Testing

extension Command {
    /// What `serve` prints first: where it is.
    func url() async throws -> String {
        try await wait("its address") { output.contains("\n") }
        return String(output.prefix { $0 != "\n" })
    }
}

@Suite("The stand-in alone", .ownThread)
struct ServeTests {
    @Test("its counters, summary.json, the tables and the history agree to the last request")
    func agreement() async throws {
        let folder = TestFolder()
        let server = try Command(["serve", "--port", "0"], in: folder)
        let url = try await server.url()
        #expect(url.wholeMatch(of: /http:\/\/127\.0\.0\.1:\d+/) != nil, "\(server.output)")
        let ended = try await Command(
            [
                "run", Command.rig("premiere-ramp.yaml"), "--target", url, "--out", "run", "--set",
                "thresholds=[errors == 0%]",
            ]
                + unhurried,
            in: folder
        ).ended()
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
        let run = try Run(folder, "run")
        let counters = try Self.counters(url)
        #expect(counters["operations"] as? [String: [String: Int]] == run.statuses)
        #expect(counters["requests"] as? Int == run.number("exchanges", "completed"))
        #expect(counters["signIns"] as? Int == run.number("households", "signedIn"))
        let started = try #require(run.number("households", "started"))
        #expect(started == run.number("households", "planned") && started > 30)
        #expect(run.number("households", "signedIn") == started)
        try expectTablesAgree(run)
        server.send(SIGINT)
        #expect(try await server.ended().code == 0)
    }

    @Test(
        "on a target of somebody else's, too, denials are no errors and lost sessions begin again")
    func gates() async throws {
        let folder = TestFolder()
        for (policy, rig) in [
            ("not-entitled=40%", "not-entitled.yaml"), ("authn-ttl=4s", "session-ended.yaml"),
        ] {
            let server = try Command(["serve", "--port", "0", "--policy", policy], in: folder)
            let url = try await server.url()
            let ended = try await Command(
                ["run", Command.rig(rig), "--target", url, "--out", rig] + unhurried, in: folder
            ).ended()
            #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
            let run = try Run(folder, rig)
            let started = try #require(run.number("households", "started"))
            #expect(run.number("households", "signedIn") == started)
            #expect(run.number("households", "failed") == 0)
            let rows = try run.table("households.csv")
            let denied = rows.count { $0["not_entitled"] != "0" }
            #expect(denied == run.number("households", "notEntitled"))
            #expect((denied > 0) == (rig == "not-entitled.yaml"))
            server.send(SIGINT)
            #expect(try await server.ended().code == 0)
        }
    }

    @Test("its policies are read, and refused, as in a rig")
    func policies() async throws {
        let folder = TestFolder()
        let server = try Command(
            [
                "serve", "--port", "0", "--policy", "enhanced-errors=true", "--policy",
                "throttle=none", "--policy", "standin.verify-statements=false",
            ], in: folder)
        let url = try #require(URL(string: try await server.url()))
        let target = url.appending(path: "o/client/register")
        for _ in 0..<15 {
            let (_, reply) = try await URLSession.shared.data(from: target)
            #expect((reply as? HTTPURLResponse)?.statusCode == 405)
        }
        var request = URLRequest(url: target)
        request.addValue("application/json", forHTTPHeaderField: "Accept")
        let (body, _) = try await URLSession.shared.data(for: request)
        #expect(String(decoding: body, as: UTF8.self).contains("\"code\":\"internal_error\""))
        server.send(SIGINT)
        #expect(try await server.ended().code == 0)
        for (policy, words) in [
            ("code-reuse=twice", "code-reuse is 'twice'; it must be single or until-expiry"),
            ("coder-use=single", "unknown key 'coder-use'"), ("new-code", "has no value"),
        ] {
            let refused = try await Command(
                ["serve", "--port", "0", "--policy", policy], in: folder
            ).ended()
            #expect(refused.code == 2)
            #expect(refused.errors.contains(words), "\(refused.errors)")
        }
    }

    private func expectTablesAgree(_ run: Run) throws {
        let byOperation = run.statuses.mapValues { $0.values.reduce(0, +) }
        func table(_ file: String) throws -> [[String: String]] {
            try run.table(file).filter { !Run.ofConnections.contains($0["operation"] ?? "") }
        }
        let latencies = try table("latencies.csv")
        let counts = latencies.map { ($0["operation"] ?? "", Int($0["count"] ?? "") ?? -1) }
        #expect(Dictionary(counts) { $0 + $1 } == byOperation)
        for (column, key) in [("sent", "sent"), ("completed", "completed"), ("errors", "errors")] {
            let sum = try table("timeline.csv").reduce(0) { $0 + (Int($1[column] ?? "") ?? 0) }
            #expect(sum == run.number("exchanges", key), "\(column)")
        }
        let history = try History(path: run.folder.path(run.name))
        var ofHistory: [String: [String: Int]] = [:]
        try history.exchanges { exchange in
            guard !exchange.operation.isOfConnection else { return }
            let status = exchange.delivery.status.map(String.init) ?? ""
            ofHistory[exchange.operation.name, default: [:]][status, default: 0] += 1
        }
        #expect(ofHistory == run.statuses)
        var ofCells: [String: [String: Int]] = [:]
        try history.cells { cell in
            guard !cell.key.operation.isOfConnection else { return }
            for (status, count) in cell.statuses {
                ofCells[cell.key.operation.name, default: [:]][String(status), default: 0] += count
            }
        }
        #expect(ofCells == run.statuses)
        var households = 0
        try history.households { _ in households += 1 }
        #expect(try run.table("households.csv").count == households)
    }

    @Test(
        "over TLS, with the certificate that it printed, in HTTP/1.1 and HTTP/2",
        arguments: ["1.1", "2"])
    func secure(http: String) async throws {
        let folder = TestFolder()
        let server = try Command(["serve", "--port", "0", "--tls"], in: folder)
        let url = try await server.url()
        #expect(url.hasPrefix("https://127.0.0.1:"))
        try await server.wait("its certificate") { server.output.split(separator: "\n").count == 2 }
        let line = server.output.split(separator: "\n")[1]
        let certificate = try #require(line.wholeMatch(of: /certificate: (.+)/)).1
        let trusting = ["--set", "target.tls.ca=\(certificate)", "--set", "target.http=\(http)"]
        let ended = try await Command(
            ["run", Command.rig("smoke.yaml"), "--target", url, "--out", "run"] + trusting
                + unhurried, in: folder
        ).ended()
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
        let run = try Run(folder, "run")
        #expect(run.number("households", "signedIn") == 8)
        try History(path: folder.path("run")).exchanges { exchange in
            #expect(exchange.route.httpVersion == http)
        }
    }

    @Test("a certificate that nobody vouches for stops the run, and says so")
    func distrusted() async throws {
        let folder = TestFolder()
        let server = try Command(["serve", "--port", "0", "--tls"], in: folder)
        let url = try await server.url()
        let ended = try await Command.run(
            "run", Command.rig("smoke.yaml"), "--target", url, "--out", "run", "--quiet", in: folder
        )
        #expect(ended.code == 3, "\(ended.output)")
        #expect(ended.output.contains("got no response (tls)"), "\(ended.output)")
    }

    @Test("it listens where it is told, and warns where others can reach it")
    func host() async throws {
        for (host, warns) in [("127.0.0.2", false), ("0.0.0.0", true), ("::1", false)] {
            let server = try Command(["serve", "--port", "0", "--host", host], in: TestFolder())
            let url = try await server.url()
            #expect(url.hasPrefix(host == "::1" ? "http://[::1]:" : "http://\(host):"))
            if warns {
                try await server.wait("its warning") { server.errors.contains("\n") }
                #expect(server.errors.hasPrefix("warning: listening on 0.0.0.0: "))
            }
            server.send(SIGINT)
            let ended = try await server.ended()
            #expect(ended.code == 0 && ended.errors.isEmpty == !warns)
        }
    }

    @Test("a preflight that is asked for says what the service throttles by, and keeps it")
    func probe() async throws {
        let folder = TestFolder()
        let server = try Command(["serve", "--port", "0"], in: folder)
        let url = try await server.url()
        let ended = try await Command.run(
            "run", Command.rig("smoke.yaml"), "--target", url, "--out", "run", "--set",
            "target.probe=on", "--set", "validity.on-breach=warn", in: folder)
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
        #expect(ended.errors.contains("probe: the service throttles by X-Forwarded-For"))
        let header = try History(path: folder.path("run")).header
        #expect(header.throttledBy == .forwardedAddress)
        // And so the judge may hold each device against its own budget.
        #expect(header.judging.contains("throttled-by=device"))
        // Its own requests are in no history.
        let counted = try Self.counters(url)["requests"] as? Int ?? 0
        let sent = try #require(try Run(folder, "run").number("exchanges", "completed"))
        #expect((14...20).contains(counted - sent), "\(counted) of \(sent)")
    }

    @Test("runs whose directories have one name are strangers to each other")
    func oneName() async throws {
        let folder = TestFolder()
        let server = try Command(["serve", "--port", "0"], in: folder)
        let url = try await server.url()
        var ids: [String] = []
        for parent in ["one", "two"] {
            let ended = try await Command(
                [
                    "run", Command.rig("smoke.yaml"), "--target", url, "--out", "\(parent)/ci",
                ] + unhurried, in: folder
            ).ended()
            #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
            let run = try Run(folder, "\(parent)/ci")
            #expect(try run.table("violations.csv").isEmpty)
            #expect(run.number("households", "preSignedIn") == 0)
            ids.append(try #require(run["run", "runId"] as? String))
            #expect(try History(path: folder.path("\(parent)/ci")).header.runID != nil)
        }
        #expect(Set(ids).count == 2)
    }

    @Test("a port that is taken is exit code 3")
    func taken() async throws {
        let folder = TestFolder()
        let server = try Command(["serve", "--port", "0"], in: folder)
        let port = try #require(try await server.url().split(separator: ":").last)
        let second = try await Command.run("serve", "--port", String(port), in: folder)
        #expect(second.code == 3)
        #expect(second.errors.contains("cannot serve on 127.0.0.1:\(port)"), "\(second.errors)")
    }

    private static func counters(_ url: String) throws -> [String: Any] {
        let data = try Data(contentsOf: #require(URL(string: "\(url)/_standin/counters")))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }
}
