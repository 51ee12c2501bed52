import Foundation
import TestSupport
import Testing

/// Pages of a run that goes on, as a browser and a scraper see them.
@Suite("A run that is looked at", .ownThread)
struct DashboardRunTests {
    /// It goes on until the test has seen what it wants, and ends it.
    private static let load = long + ["--set", "lanes=1"]

    /// The address that a line of standard error tells.
    private static func address(_ name: String, of command: Command) async throws -> String {
        try await command.wait("the address of its \(name)") {
            command.errors.contains("\(name): http") && command.errors.hasSuffix("\n")
        }
        let line = command.errors.split(separator: "\n").first { $0.hasPrefix("\(name): ") }
        return String(try #require(line).dropFirst(name.count + 2))
    }

    @Test(
        "a browser that looks on sees in the end what summary.json says",
        .enabled(if: Browser.isThere, Browser.advice))
    func numbers() async throws {
        let folder = TestFolder()
        let faults = ["--fault", "media-token-reuse"]
        let command = try Command(
            ["run", Command.rig("smoke.yaml"), "--out", "run", "--dashboard"] + Self.load + faults,
            in: folder)
        let page = try Browser()
        try page.open(try await Self.address("dashboard", of: command))
        try page.wait("a violation", within: .seconds(60)) {
            try page.evaluate(
                "Number(document.querySelector('[data-fact=Violations]')?.dataset.value) > 0")
                as? Bool == true
        }
        #expect(try page.evaluate("document.body.dataset.ended ?? ''") as? String == "")
        command.send(SIGINT)
        try page.wait("its end", within: .seconds(60)) {
            try page.evaluate("document.body.dataset.ended ?? ''") as? String != ""
        }
        let ended = try await command.ended()
        let run = try Run(folder, "run")
        let outcome = try page.evaluate("document.body.dataset.ended") as? String
        #expect(outcome == run["outcome"] as? String, "\(ended.output)")
        let words = ended.output.replacing("\n", with: " ")
        #expect(words.hasPrefix(try page.text("#headline") ?? "-"), "\(words)")
        #expect(try page.text("#path") == "The report: run/report.html")
        try Self.expectFacts(page, run)
        try Self.expectOperations(page, run)
        #expect(page.complaints.isEmpty, "\(page.complaints)")
        let elsewhere = page.requests.filter {
            !$0.hasPrefix("http://127.0.0.1:") && !$0.hasPrefix("data:")
        }
        #expect(elsewhere.isEmpty, "\(elsewhere)")
    }

    private static func expectFacts(_ page: Browser, _ run: Run) throws {
        func fact(_ name: String) throws -> Double? {
            let value = try page.evaluate(
                "document.querySelector('[data-fact=\"\(name)\"]').dataset.value")
            return (value as? String).flatMap(Double.init)
        }
        #expect(
            try fact("Signed in").map(Int.init) == run.number("households", "signedIn"))
        #expect(
            try fact("Requests answered").map(Int.init) == run.number("exchanges", "completed"))
        #expect(try fact("Errors").map(Int.init) == run.number("exchanges", "errors"))
        let violations = (run["invariants"] as? [[String: Any]] ?? [])
            .reduce(0) { $0 + ($1["violations"] as? Int ?? 0) }
        #expect(violations > 0)
        #expect(try fact("Violations").map(Int.init) == violations)
        let signIn = try #require(run["signInMs", "p95"] as? Double)
        #expect(abs(try #require(try fact("Sign-in, p95")) - signIn) < 0.01)
        for (state, key) in [
            ("signed in", "signedIn"), ("failed", "failed"), ("abandoned", "abandoned"),
            ("already signed in", "preSignedIn"),
        ] {
            let shown =
                try page.evaluate(
                    "document.querySelector('[data-state=\"\(state)\"]').dataset.value") as? String
            #expect(shown.flatMap { Int($0) } == run.number("households", key), "\(state)")
        }
    }

    private static func expectOperations(_ page: Browser, _ run: Run) throws {
        let shown = try #require(
            try page.evaluate(
                """
                [...document.querySelectorAll('#operations tr')].map(row => Object.fromEntries(
                  [['name', row.dataset.operation]].concat(
                    [...row.querySelectorAll('td')].map(c => [c.dataset.key, c.dataset.value]))))
                """) as? [[String: String]])
        let rows = try #require(run["operations"] as? [[String: Any]])
        #expect(shown.compactMap { $0["name"] } == rows.compactMap { $0["name"] as? String })
        for (cells, row) in zip(shown, rows) {
            let name = cells["name"] ?? ""
            #expect(cells["count"].flatMap { Int($0) } == row["count"] as? Int, "\(name)")
            let outcomes = row["outcomes"] as? [String: Int] ?? [:]
            let failing = [
                "rejected", "server-error", "timeout", "transport", "malformed", "blocked",
            ]
            // What the rig provoked on purpose is rejected, and no error.
            let errors = failing.reduce(0) { $0 + (outcomes[$1] ?? 0) }
            #expect(cells["errors"].flatMap { Int($0) } ?? .max <= errors, "\(name)")
            let latency = row["latencyMs"] as? [String: Double] ?? [:]
            for key in ["p50", "p95", "p99", "max"] {
                let value = try #require(cells[key].flatMap(Double.init), "\(name) \(key)")
                #expect(abs(value - (latency[key] ?? -1)) < 0.01, "\(name) \(key)")
            }
        }
    }

    @Test(
        "metrics are there while it runs, and gone afterwards; a named port that is taken is exit 3"
    )
    func metrics() async throws {
        let folder = TestFolder()
        // Neither the usual port, which a run beside it takes as soon as it is free, nor one that the system gives to anybody.
        let port = Int.random(in: 20_000..<30_000)
        let command = try Command(
            ["run", Command.rig("smoke.yaml"), "--out", "run", "--metrics", "\(port)", "--quiet"]
                + Self.load, in: folder)
        let address = try await Self.address("metrics", of: command)
        let url = try #require(URL(string: address))
        #expect(url.path == "/metrics")
        let text = try await Self.fetch(url)
        #expect(text.hasPrefix("# HELP screenrig_info "))
        #expect(text.contains("rig=\"smoke\""))
        #expect(url.port == port)
        let second = try await Command.run(
            "run", Command.rig("smoke.yaml"), "--out", "other", "--dashboard", "\(port)",
            in: folder)
        #expect(second.code == 3, "\(second.output)")
        #expect(
            second.errors.contains(
                "--dashboard \(port): cannot listen on 127.0.0.1 port \(port) (Address already in use)"
            ),
            "\(second.errors)")
        #expect(!folder.holds("other"))
        command.send(SIGINT)
        command.send(SIGINT)
        let ended = try await command.ended()
        #expect(ended.code == 130, "\(ended.output)\(ended.errors)")
        #expect(try await Self.fetch(url) == "")
    }

    @Test("virtual time has a page as well, and Ctrl-C ends a run that is looked at")
    func others() async throws {
        let folder = TestFolder()
        let simulated = try await Command.run(
            "simulate", Command.rig("twenty.yaml"), "--out", "sim", "--dashboard", "--quiet",
            in: folder)
        #expect(simulated.code == 0 && simulated.errors.hasPrefix("dashboard: http://127.0.0.1:"))
        let command = try Command(
            ["run", Command.rig("smoke.yaml"), "--out", "run", "--dashboard"] + long, in: folder)
        let address = try await Self.address("dashboard", of: command)
        _ = try await Self.fetch(try #require(URL(string: address + "state.json")))
        // The page is there before the run is.
        try await command.wait("a progress line") { command.errors.contains("signed in") }
        command.send(SIGINT)
        command.send(SIGINT)
        let ended = try await command.ended()
        #expect(ended.code == 130, "\(ended.output)\(ended.errors)")
    }

    @Test("a search has pages, too: what they are told in the end is what it says itself")
    func race() async throws {
        let folder = TestFolder()
        let rig = Command.rig("races/poll-authenticate.yaml")
        let command = try Command(
            [
                // Longer than anybody waits for the page: it is ended once somebody looks.
                "race", rig, "--virtual", "--trials", "1000000", "--out", "race", "--json",
                "--dashboard", "--metrics",
            ], in: folder)
        let address = try await Self.address("dashboard", of: command)
        let events = try #require(URL(string: address + "events"))
        let told = try await Self.fetch(events) { command.send(SIGINT) }
        let ended = try await command.ended()
        #expect(ended.code == 130 && ended.errors.contains("metrics: http"), "\(ended.errors)")
        func object(_ text: some StringProtocol) throws -> [String: Any] {
            try #require(
                try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        }
        let said = try object(try #require(ended.output.split(separator: "\n").last))
        let last = try #require(told.split(separator: "event: ended\ndata: ").last)
        let shown = try object(last.prefix { $0 != "\n" })
        let search = try #require(shown["search"] as? [String: Any])
        #expect(search["trials"] as? Int == said["trials"] as? Int)
        #expect((search["trials"] as? Int ?? 0) > 0)
        let progress = try #require(shown["progress"] as? [String: Any])
        let exchanges = try #require(progress["exchanges"] as? [String: Any])
        #expect((exchanges["completed"] as? Int ?? 0) > (search["trials"] as? Int ?? .max))
        #expect((shown["ended"] as? [String: Any])?["outcome"] as? String == "aborted")
    }

    /// The whole answer; `begun` is called when the first of it has come.
    private static func fetch(_ url: URL, begun: () -> Void = {}) async throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "curl", "-sN", "--noproxy", "*", "--max-time", "300", url.absoluteString,
        ]
        process.standardOutput = pipe
        try process.run()
        let first = pipe.fileHandleForReading.availableData
        begun()
        let rest = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitForEnd()
        return String(decoding: first + rest, as: UTF8.self)
    }
}
