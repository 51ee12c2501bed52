import Foundation
import TestSupport
import Testing
import Yams

/// What stands in docs/nights.md is what people paste: it must at least be well formed, and call
/// commands and options that there are.
@Suite("Schedules in docs/nights.md", .ownThread)
struct NightsDocsTests {
    private static let page = Result {
        try String(
            contentsOf: Repository.root.appending(path: "docs/nights.md"), encoding: .utf8)
    }

    /// The fenced blocks of a language, in their order.
    private func blocks(_ language: String) throws -> [String] {
        let page = try Self.page.get()
        var blocks: [String] = []
        var current: [Substring]?
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if let lines = current {
                if line == "```" {
                    blocks.append(lines.joined(separator: "\n"))
                    current = nil
                } else {
                    current?.append(line)
                }
            } else if line == "```\(language)" {
                current = []
            }
        }
        return blocks
    }

    /// Options of a command that its help knows.
    private func expectKnown(_ words: [String], of command: [String]) async throws {
        let folder = TestFolder()
        let help = try await Command(command + ["--help"], in: folder).ended()
        #expect(help.code == 0)
        for option in words where option.hasPrefix("--") {
            #expect(help.output.contains(option), "\(command) has no \(option)")
        }
    }

    @Test("the crontab line has five fields in their ranges, and a command that exists")
    func cron() async throws {
        let block = try #require(try blocks("cron").first)
        let lines = block.split(separator: "\n").filter { !$0.hasPrefix("#") }
        let fields = try #require(lines.first).split(separator: " ", maxSplits: 5)
        #expect(lines.count == 1 && fields.count == 6)
        for (field, range) in zip(fields, [0...59, 0...23, 1...31, 1...12, 0...7]) {
            #expect(field == "*" || Int(field).map(range.contains) ?? false, "\(field)")
        }
        // A crontab takes % for a line end.
        #expect(!fields[5].contains("%"))
        let words = fields[5].split(separator: " ").map(String.init)
        #expect(words.contains("nightly"))
        try await expectKnown(words, of: ["nightly"])
    }

    @Test("the units have the keys that systemd asks for, and pass its own check where it is here")
    func systemd() async throws {
        let units = try blocks("ini")
        #expect(units.count == 2)
        let keys = units.map { unit in
            unit.split(separator: "\n").filter { !$0.hasPrefix("#") && !$0.hasPrefix("[") }
                .map { String($0.prefix { $0 != "=" }) }
        }
        let sections = units.map { $0.split(separator: "\n").filter { $0.hasPrefix("[") } }
        #expect(sections == [["[Unit]", "[Service]"], ["[Unit]", "[Timer]", "[Install]"]])
        let known: Set<String> = [
            "Description", "Wants", "After", "Type", "WorkingDirectory", "ExecStart", "Nice",
            "Environment", "LimitNOFILE", "TimeoutStartSec", "OnCalendar", "Persistent", "WantedBy",
        ]
        #expect(keys.allSatisfy { known.isSuperset(of: $0) }, "\(keys)")
        #expect(keys[0].contains("ExecStart") && keys[1].contains("OnCalendar"))
        #expect(units[1].contains(/OnCalendar=\*-\*-\* [0-9]{2}:[0-9]{2}:[0-9]{2}/))
        let start = try #require(units[0].firstMatch(of: /ExecStart=\S+ (.*)/))
        try await expectKnown(
            String(start.1).split(separator: " ").map(String.init), of: ["nightly"])
        try await verify(units)
    }

    private func verify(_ units: [String]) async throws {
        let analyze = "/usr/bin/systemd-analyze"
        guard FileManager.default.isExecutableFile(atPath: analyze) else { return }
        let folder = TestFolder()
        let names = ["screenrig-nightly.service", "screenrig-nightly.timer"]
        for (name, unit) in zip(names, units) {
            // The check wants the program to exist.
            let text = unit.replacing("/usr/local/bin/screenrig", with: Command.binary)
                .replacing("/srv/screenrig", with: folder.url.path)
            try text.write(to: folder.url.appending(path: name), atomically: true, encoding: .utf8)
        }
        let ended = try await Command(
            ["verify", "--man=no"] + names.map { folder.path($0) }, in: folder, program: analyze
        ).ended()
        #expect(!ended.errors.contains("screenrig-nightly"), "\(ended.errors)")
    }

    @Test("the job is YAML with a schedule, steps, and commands and options that exist")
    func job() async throws {
        let block = try #require(try blocks("yaml").first { $0.hasPrefix("name:") })
        let job = try #require(try Yams.load(yaml: block) as? [String: Any])
        // YAML takes `on` for a truth value unless it is told otherwise.
        let on = try #require((job["on"] ?? job["true"]) as? [String: Any])
        let schedule = try #require(on["schedule"] as? [[String: Any]])
        let fields = (schedule[0]["cron"] as? String)?.split(separator: " ") ?? []
        #expect(fields.count == 5)
        let jobs = try #require(job["jobs"] as? [String: Any])
        let screenrig = try #require(jobs["screenrig"] as? [String: Any])
        let steps = try #require(screenrig["steps"] as? [[String: Any]])
        #expect(steps.allSatisfy { ($0["uses"] == nil) != ($0["run"] == nil) })
        var calls = 0
        for step in steps {
            guard let run = step["run"] as? String, run.hasPrefix("screenrig ") else { continue }
            calls += 1
            let words = run.split(separator: " ").dropFirst().map(String.init)
            let command = words.prefix { !$0.hasPrefix("-") && !$0.contains("/") && $0 != "latest" }
            try await expectKnown(words, of: Array(command))
        }
        #expect(calls == 2)
    }

    @Test("the message in the page has the keys of a real one")
    func message() throws {
        let block = try #require(try blocks("json").first)
        let shown = try #require(
            try JSONSerialization.jsonObject(with: Data(block.utf8)) as? [String: Any])
        #expect(shown["schema"] as? String == "screenrig/night/1")
        let changes = try #require(shown["changes"] as? [[String: Any]])
        #expect(changes[0].keys.sorted() == Self.changeKeys.sorted())
        #expect(shown.keys.sorted() == Self.keys.sorted())
        let digest = try #require(shown["digest"] as? [String: Any])
        #expect(digest.keys.sorted() == Self.digestKeys.sorted())
        let finding = try #require((digest["findings"] as? [[String: Any]])?.first)
        #expect(finding.keys.sorted() == ["colour", "kind", "name", "short", "since", "text"])
        let since = try #require(finding["since"] as? [String: Any])
        #expect(
            since.keys.sorted() == ["events", "gradual", "mark", "markBefore", "night", "text"])
    }

    static let keys = [
        "schema", "type", "alarm", "verdict", "mark", "unusual", "headline", "rig", "night", "run",
        "outcome", "gap", "exitCode",
        "changes", "standing", "nights", "report", "page", "digest",
    ]
    static let digestKeys = [
        "colour", "subject", "headline", "findings", "notes", "link", "text", "textFile",
        "htmlFile",
    ]
    static let changeKeys = [
        "series", "unit", "before", "after", "change", "low", "high", "firstNight", "gradual",
        "toldOn",
    ]
}
