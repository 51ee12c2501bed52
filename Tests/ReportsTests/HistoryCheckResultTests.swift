import Journal
import Rigs
import Testing

@testable import Reports

@Suite("What a rig says that it shows, held against a run")
struct HistoryCheckResultTests {
    /// What `Sample` holds, by plain loops.
    private func count(_ shape: Shape, _ matches: (Exchange) -> Bool) -> Int {
        Sample(shape).exchanges.count(where: matches)
    }

    private func result(_ line: String, _ shape: Shape = Shape()) throws -> HistoryCheckResult {
        var sample = Told(Sample(shape))
        sample.header.shows = [line]
        return try #require(Summary(sample, thresholds: []).shows.first)
    }

    @Test("operations, statuses, outcomes and reasons are counted, of one kind or of all")
    func exchanges() throws {
        let shape = Shape()
        let all = count(shape) { $0.operation == .pollToken }
        let found = count(shape) {
            $0.operation == .pollToken && $0.delivery.status == 404
        }
        let refused = count(shape) {
            $0.operation == .pollToken && $0.reason == "overloaded"
        }
        #expect(all > found && found > refused && refused > 0)
        #expect(try result("poll-token == \(all)").held)
        #expect(try result("poll-token 404 == \(found)").held)
        #expect(try result("poll-token pending == \(found)").held)
        #expect(try result("poll-token 503 == \(refused)").held)
        #expect(try result("poll-token 503 reason overloaded == \(refused)").held)
        #expect(try !result("poll-token 404 reason overloaded").held)
        #expect(try !result("poll-token 404 < \(found)").held)
        #expect(try result("poll-token 410 == 0").held)
        #expect(try !result("poll-token 410").held)
        let kinds = ["living room", "trial"]
        for reason in ["", " reason overloaded"] {
            let each = try kinds.map {
                try #require(try result("kind \"\($0)\": poll-token 503\(reason)").count)
            }
            #expect(each.reduce(0, +) == refused)
        }
    }

    @Test("households by their end, and by how far they got")
    func households() throws {
        let records = Sample().records
        let ended = records.count { $0.fate == .signedIn }
        let playing = records.count { $0.stage >= .playing }
        #expect(try result("households signed-in == \(ended)").held)
        #expect(try result("households playing == \(playing)").held)
        let trial = records.count { $0.fate == .abandoned && $0.kind == "trial" }
        #expect(try result("kind trial: households abandoned == \(trial)").held)
    }

    @Test("events by name, and by their detail or a word of it")
    func events() throws {
        #expect(try result("event status == 3").held)
        #expect(try result("event status VSA203 == 2").held)
        #expect(try result("event status VSA == 0").held)
        #expect(try result("event setAuthenticationStatus USER_NOT_AUTHENTICATED_ERROR == 1").held)
        #expect(try result("event silent relogin == 0").held)
    }

    @Test("a line that does not hold fails the run, and every output says so")
    func outputs() throws {
        var sample = Told(Sample(Shape(trouble: nil)))
        sample.header.shows = ["poll-token 410", "media-token 200"]
        let texts = try Report.texts(sample, thresholds: [], findings: nil)
        func text(_ name: String) throws -> String {
            try #require(texts.first { $0.name == name }).text
        }
        let summary = try Summary(sample, thresholds: [])
        #expect(summary.outcome == .fail && summary.exitStatus == .failed)
        #expect(
            summary.headline.hasPrefix(
                "Failed: the run did not show 1 of 2 expected results (shows: poll-token "
                    + "410); "))
        let junit = try text("junit.xml")
        #expect(junit.contains("<testsuite name=\"shows\" tests=\"2\" failures=\"1\""))
        #expect(junit.contains("<failure message=\"poll-token 410: 0 found\"/>"))
        let json = try text("summary.json")
        #expect(json.contains("\"expression\": \"poll-token 410\""))
        #expect(json.contains("\"held\": false") && json.contains("\"held\": true"))
        #expect(try text("summary.md").contains("| `poll-token 410` | 0 |"))
        let page = try text("report.html")
        #expect(page.contains("✗ not found") && page.contains("✓ found"))
        let terminal = TerminalReport.text(summary, width: 100, color: false)
        #expect(terminal.contains("  ABSENT  poll-token 410   0\n"))
        #expect(terminal.contains("  found   media-token 200  "))
        #expect(
            ProgressJSON.result(summary, exitCode: 1, path: "x").contains(
                #""shows":[{"expression":"poll-token 410","count":0,"held":false}"#))
    }

    @Test("all lines held: the run passes, and a line of another version never does")
    func passes() throws {
        var sample = Told(Sample(Shape(trouble: nil)))
        sample.header.shows = ["media-token 200"]
        #expect(try Summary(sample, thresholds: []).exitStatus == .passed)
        sample.header.shows = ["teleport 200"]
        let summary = try Summary(sample, thresholds: [])
        #expect(summary.exitStatus == .failed)
        #expect(summary.shows[0].actual == "this version cannot read the line")
    }

    @Test("each word for an end of households is a fate or a stage")
    func ends() {
        // Another path than its kind asked for is no fate, and counted by itself.
        for end in HistoryCheck.ends where end != "diverted" {
            #expect(HouseholdRecord.Fate(name: end) != nil || Stage(name: end) != nil, "\(end)")
        }
    }
}

/// A sample that hands its exchanges over one by one, and has events.
private struct Told: Recorded {
    var header: HistoryHeader
    let sample: Sample

    init(_ sample: Sample) {
        self.sample = sample
        header = sample.header
    }

    var end: HistoryEnd? { sample.end }
    var gaps: [String] { [] }
    func cells(_ body: (Cell) throws -> Void) throws { try sample.cells(body) }
    func households(_ body: (HouseholdRecord) throws -> Void) throws {
        try sample.households(body)
    }
    func errorGroups() throws -> [ErrorGroup] { try sample.errorGroups() }
    func health() throws -> [LaneHealth] { sample.lanes }
    func exchanges(_ body: (Exchange) throws -> Void) throws {
        for exchange in sample.exchanges { try body(exchange) }
    }
    func events(_ body: (DeviceEvent) throws -> Void) throws {
        let told = [
            ("status", "VSA203"), ("status", "N000"), ("status", "VSA203"),
            ("setAuthenticationStatus", "0 USER_NOT_AUTHENTICATED_ERROR"),
        ]
        for (position, event) in told.enumerated() {
            try body(
                DeviceEvent(
                    device: DeviceID(household: 0, role: .firstScreen), sequence: position + 1,
                    at: .start, name: event.0, detail: event.1))
        }
    }
}
