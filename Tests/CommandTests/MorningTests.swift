import Foundation
import TestSupport
import Testing

/// Digests, their senders and Grafana, each by a script that plays a user's part; what it prints is the reason if one fails.
@Suite(
    "Mornings", .ownThread,
    .enabled(if: ForeignServer.hasPython, "needs python3, for the scripts in Tests"))
struct MorningTests {
    @Test("of nights with planted changes and deploys the digest alone says what is right")
    func stories() async throws {
        // 'make mornings' tells all stories.
        let few = "burst of errors,promise is violated,never ran"
        let output = try await Command.check(
            "Mornings/mornings.py", ["--only", few], within: .seconds(400))
        #expect(output.contains("every digest was right"))
    }

    @Test("mail, Slack and Teams get the digest, and no secret is shown")
    func senders() async throws {
        #expect(
            try await Command.check("Notify/check.py", within: .seconds(120)).contains(
                "every sender was heard"))
    }

    @Test(
        "each panel of the dashboard has data in Prometheus, and Grafana's API takes the annotations"
    )
    func grafana() async throws {
        #expect(
            try await Command.check("Grafana/check.py", within: .seconds(400)).contains(
                "every panel has data"))
    }

    @Test(
        "OpenTelemetry's own definitions read each message of --otlp, and a server's spans join those of the run"
    )
    func telemetry() async throws {
        #expect(
            try await Command.check("Telemetry/check.py", within: .seconds(900)).contains(
                "every message was right, every span joined"))
    }

    @Test(
        "an index of a folder, and 'nights --at' as of a morning that is past; what is wrong is told"
    )
    func commands() async throws {
        let folder = TestFolder()
        for (day, faults) in [("17", []), ("18", ["--fault", "stale-replica:lag=1500ms"])] {
            let run = "reports/twenty-202611\(day)T020000Z"
            _ = try await Command(
                ["simulate", Command.rig("twenty.yaml"), "--quiet", "--out", run] + faults,
                in: folder
            ).ended()
            _ = try await Command.run("nights", "add", run, in: folder)
        }
        #expect(!folder.holds("reports/index.html"))
        let made = try await Command.run("index", in: folder)
        #expect(
            made.code == 0
                && made.output == "2 runs, 1 series of nights\nindex: reports/index.html\n")
        #expect(try folder.read("reports/index.html").contains("sign-in-visible violated"))
        _ = try await Command.run(
            "simulate", Command.rig("twenty.yaml"), "--quiet", "--out",
            "reports/twenty-20261119T020000Z",
            in: folder)
        _ = try await Command.run("nights", "add", "reports/twenty-20261119T020000Z", in: folder)
        #expect(
            try folder.read("reports/index.html").contains("2026-11-19"),
            "nights keep it up to date")
        func colour(at moment: String) async throws -> String? {
            let ended = try await Command.run("nights", "--at", moment, "--json", in: folder)
            let read =
                try JSONSerialization.jsonObject(with: Data(ended.output.utf8)) as? [String: Any]
            return (read?["digest"] as? [String: Any])?["colour"] as? String
        }
        #expect(try await colour(at: "2026-11-17T08:00:00Z") == "green")
        #expect(try await colour(at: "2026-11-18T08:00:00Z") == "red")
        #expect(
            try folder.read("reports/digests/twenty.txt").hasPrefix(
                "twenty: sign-in-visible violated"))
        for (arguments, code, words) in [
            (["nights", "--at", "yesterday"], 2 as Int32, "a time in UTC such as"),
            (["nights", "--link", "ci.test"], 2, "it must be a web address"),
            (["index", "nowhere"], 3, "there is no folder nowhere"),
        ] {
            let ended = try await Command(arguments, in: folder).ended()
            #expect(
                ended.code == code && ended.errors.contains(words), "\(arguments): \(ended.errors)")
        }
    }
}
