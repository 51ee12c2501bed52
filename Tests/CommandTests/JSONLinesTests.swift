import Foundation
import TestSupport
import Testing

/// `--json`: what a machine may rely on (docs/politeness.md).
@Suite("JSON lines", .ownThread)
struct JSONLinesTests {
    private static func lines(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(object as? [String: Any], "\(line)")
        }
    }

    private static let progressKeys = [
        "type", "seconds", "plannedSeconds", "waitsFor", "households", "exchanges", "latencyMs",
        "latenessMs", "worstErrors", "violations", "thresholds", "undecidedThresholds",
        "invalidity",
    ]
    private static let resultKeys = [
        "type", "outcome", "exitCode", "headline", "explanations", "notes", "path", "seconds",
        "historyHash", "households", "exchanges", "thresholds", "shows", "verdict",
    ]

    @Test("each line of a run is an object with a type; the result is the last, with every field")
    func run() async throws {
        let folder = TestFolder()
        let ended = try await Command.run(
            "run", Command.rig("smoke.yaml"), "--out", "run", "--json", "--set",
            "validity.on-breach=warn", in: folder)
        let lines = try Self.lines(ended.output)
        #expect(lines.count > 1)
        #expect(lines.dropLast().allSatisfy { $0["type"] as? String == "progress" })
        for line in lines.dropLast() { #expect(Set(line.keys) == Set(Self.progressKeys)) }
        let result = try #require(lines.last)
        #expect(result["type"] as? String == "result")
        #expect(Set(result.keys) == Set(Self.resultKeys))
        #expect(result["exitCode"] as? Int == Int(ended.code))
        #expect((result["path"] as? String)?.hasSuffix("run") == true)
        let households = result["households"] as? [String: Any]
        #expect(households?["signedIn"] as? Int == 8)
        #expect(try Run(folder, "run")["outcome"] as? String == result["outcome"] as? String)
    }

    @Test("a run whose arrivals are paused says what it waits for")
    func paused() async throws {
        let folder = TestFolder()
        let command = try Command(
            [
                "run", Command.rig("smoke.yaml"), "--out", "run", "--json", "--set",
                "load={arrivals: [{ramp-to: 1/s, over: 0s}, {hold: 10m}]}",
            ], in: folder)
        func waits(for words: String) -> Bool { command.output.contains("\"waitsFor\":\"\(words)") }
        try await command.wait("arrivals") { waits(for: "more households") }
        let paused = try await Command.run("control", "pause", "--run", "run", in: folder)
        #expect(paused.code == 0, "\(paused.errors)")
        try await command.wait("the pause") { waits(for: "'screenrig control resume'") }
        let marked = try await Command.run(
            "mark", "failover", "--begin", "--run", "run", in: folder)
        #expect(marked.code == 0, "\(marked.errors)")
        for _ in 1...2 { command.send(SIGINT) }
        #expect(try await command.ended().code == 130)
        // What has begun and not ended lasts until the run ends.
        let run = try Run(folder, "run")
        let events = try #require(run["events"] as? [[String: Any]])
        #expect(events.map { $0["name"] as? String } == ["arrivals-paused", "failover"])
        let facts = try #require(run["run"] as? [String: Any])
        let seconds = try #require(facts["seconds"] as? Double)
        for event in events {
            let end = try #require(event["throughSeconds"] as? Double, "\(event)")
            #expect(abs(end - seconds) < 2, "\(event)")
        }
    }

    @Test(
        "a run that never began ends with a result that says why",
        arguments: [
            (["run", "nowhere.yaml"], 2, "nowhere.yaml: no such file"),
            (
                ["run", Command.rig("smoke.yaml"), "--target", "http://192.0.2.1:9"], 3,
                "192.0.2.1 is not a loopback address"
            ),
        ])
    func failure(arguments: [String], code: Int32, words: String) async throws {
        let ended = try await Command(arguments + ["--json"], in: TestFolder()).ended()
        #expect(ended.code == code)
        let lines = try Self.lines(ended.output)
        #expect(lines.count == 1)
        #expect(lines.first?["type"] as? String == "result")
        #expect(lines.first?["outcome"] as? String == "aborted")
        #expect(lines.first?["exitCode"] as? Int == Int(code))
        #expect((lines.first?["headline"] as? String)?.contains(words) == true, "\(ended.output)")
    }
}

/// A server that goes wrong while a run is on.
@Suite("The breaker of a run", .ownThread)
struct BreakerRunTests {
    @Test("a service that only fails stops the run: exit code 1, and the report says so")
    func trips() async throws {
        let client =
            #"{"client_id": "c", "client_secret": "s", "client_id_issued_at": 1, "#
            + #""redirect_uris": [], "grant_types": [], "scopes": []}"#
        let server = TryServer { _, target in
            target.hasPrefix("/o/client/register")
                ? .init(status: 201, body: client)
                : .init(status: 503, body: #"{"status": 503, "message": "overloaded"}"#)
        }
        defer { server.stop() }
        let folder = TestFolder()
        let rig = try folder.write(
            """
            rig: failing
            target: {base: "http://127.0.0.1:\(server.port)", breaker: {errors: 30%, for: 2s}}
            load: {arrivals: [{ramp-to: 20/s, over: 0s}, {hold: 2m}]}
            validity: {on-breach: warn}
            """, to: "failing.yaml")
        let ended = try await Command.run("run", rig, "--out", "run", in: folder)
        #expect(ended.code == 1, "\(ended.output)\(ended.errors)")
        #expect(ended.after < .seconds(40))
        #expect(ended.output.contains("Stopped by the breaker: "), "\(ended.output)")
        #expect(ended.output.contains("access-token requests got 503"), "\(ended.output)")
        #expect(try Run(folder, "run")["outcome"] as? String == "fail")
        try expectComplete(folder, "run")
    }
}
