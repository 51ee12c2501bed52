import Dialects
import Formats
import Foundation
import Journal
import Statistics
import Testing

@testable import Reports

/// The plainest reading of a run there is: every number straight from its exchanges. The files must
/// say the same, and so the same as each other.
@Suite("Files and exchanges agree")
struct AgreementTests {
    struct Run {
        var sample: Sample
        var files: Rendered
        var json: [String: Any]

        init(_ seed: Seed) throws {
            sample = Sample(Shape(households: 15), seed: seed)
            files = try Rendered(sample)
            let data = Data(files["summary.json"].utf8)
            json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        }

        func exchanges(of name: String) -> [Exchange] {
            sample.exchanges.filter { $0.operation.name == name }
        }

        func table(_ file: String) throws -> [[String: String]] {
            let rows = try Table.read(files[file])
            return rows.dropFirst().map { row in
                Dictionary(uniqueKeysWithValues: zip(rows[0], row))
            }
        }
    }

    @Test("summary.json counts what was exchanged", arguments: Seed.samples(8))
    func counts(seed: Seed) throws {
        let run = try Run(seed)
        let all = run.sample.exchanges
        let exchanges = try #require(run.json["exchanges"] as? [String: Any])
        #expect(exchanges["sent"] as? Int == all.filter { $0.outcome != .notSent }.count)
        #expect(exchanges["completed"] as? Int == all.filter { $0.delivery.status != nil }.count)
        #expect(exchanges["errors"] as? Int == all.filter(\.isError).count)
        let operations = try #require(run.json["operations"] as? [[String: Any]])
        #expect(
            Set(operations.compactMap { $0["name"] as? String }) == Set(all.map(\.operation.name)))
        for operation in operations {
            let name = try #require(operation["name"] as? String)
            let mine = run.exchanges(of: name)
            #expect(operation["count"] as? Int == mine.count)
            let outcomes = try #require(operation["outcomes"] as? [String: Int])
            #expect(outcomes.count == Outcome.allCases.count)
            for outcome in Outcome.allCases {
                #expect(outcomes[outcome.name] == mine.filter { $0.outcome == outcome }.count)
            }
            let statuses = try #require(operation["statuses"] as? [String: Int])
            let seen = Dictionary(grouping: mine.compactMap(\.delivery.status), by: String.init)
            #expect(statuses == seen.mapValues(\.count))
        }
    }

    @Test(
        "percentiles are those of the sorted values, to half a percent", arguments: Seed.samples(8))
    func percentiles(seed: Seed) throws {
        let run = try Run(seed)
        let shares = [
            "p50": 0.5, "p75": 0.75, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99.9": 0.999,
        ]
        for operation in try #require(run.json["operations"] as? [[String: Any]]) {
            let mine = run.exchanges(of: try #require(operation["name"] as? String))
            let timed = mine.filter { $0.delivery.status != nil || $0.outcome == .timeout }
            for (key, values) in [
                ("latencyMs", timed.map(\.latency)), ("serviceMs", timed.map(\.service)),
                ("latenessMs", mine.map(\.lateness)),
            ] {
                let sorted = values.map(\.milliseconds).sorted()
                let found = try #require(operation[key] as? [String: Double])
                #expect(found["min"].map { abs($0 - sorted[0]) < 0.001 } == true)
                #expect(found["max"].map { abs($0 - sorted[sorted.count - 1]) < 0.001 } == true)
                for (name, share) in shares {
                    let rank = Int((share * Double(sorted.count)).rounded(.up)) - 1
                    let (exact, value) = (sorted[rank], try #require(found[name]))
                    #expect(abs(value - exact) <= 0.005 * exact + 0.001, "\(key) \(name)")
                }
            }
        }
    }

    @Test("latencies.csv says what summary.json says", arguments: Seed.samples(4))
    func latencies(seed: Seed) throws {
        let run = try Run(seed)
        let operations = try #require(run.json["operations"] as? [[String: Any]])
        let rows = try run.table("latencies.csv")
        #expect(rows.map { $0["operation"] } == operations.map { $0["name"] as? String })
        for (row, operation) in zip(rows, operations) {
            #expect(row["count"].flatMap { Int($0) } == operation["count"] as? Int)
            #expect(row["errors"].flatMap { Int($0) } == operation["errors"] as? Int)
            #expect(row["rate_per_s"].flatMap { Double($0) } == operation["perSecond"] as? Double)
            let latency = try #require(operation["latencyMs"] as? [String: Double])
            for name in Spread.names {
                let column = name.replacing(".", with: "_") + "_ms"
                #expect(row[column].flatMap { Double($0) } == latency[name])
            }
        }
    }

    @Test("timeline.csv adds up to the run, second by second", arguments: Seed.samples(8))
    func timeline(seed: Seed) throws {
        let run = try Run(seed)
        let rows = try run.table("timeline.csv")
        for name in Set(run.sample.exchanges.map(\.operation.name)) {
            let mine = run.exchanges(of: name)
            let own = rows.filter { $0["operation"] == name }
            func sum(_ column: String) -> Int {
                own.compactMap { Int($0[column] ?? "") }.reduce(0, +)
            }
            #expect(sum("sent") == mine.count)
            #expect(sum("completed") == mine.filter { $0.delivery.status != nil }.count)
            #expect(sum("errors") == mine.filter(\.isError).count)
            for row in own {
                let second = try #require(row["second"].flatMap { Int($0) })
                let close = Instant(.seconds(second + 1))
                let open = mine.filter { $0.sent < close && $0.ended >= close }.count
                #expect(row["in_flight"] == "\(open)")
                let slowest = mine.filter { $0.isTimed && $0.ended.second == second }
                    .map(\.latency.milliseconds).max()
                #expect(row["max_ms"] == slowest.map { DecimalText.trimmed($0) } ?? "")
            }
            for second in Set(mine.map(\.sent.second) + mine.map(\.ended.second)) {
                #expect(own.contains { $0["second"] == "\(second)" })
            }
        }
    }

    @Test(
        "households wait from the code they show to the token they see", arguments: Seed.samples(8))
    func waiting(seed: Seed) throws {
        let run = try Run(seed)
        for row in try run.table("timeline.csv") {
            let second = try #require(row["second"].flatMap { Int($0) })
            let waiting = run.sample.records.filter { record in
                guard let shown = record.codeShown, shown.second <= second else { return false }
                guard let ceased = record.tokenSeen ?? record.ended else { return true }
                return ceased.second > second
            }
            #expect(row["households_waiting"] == "\(waiting.count)")
        }
    }

    @Test("households.csv has a row for each household, as it was", arguments: Seed.samples(4))
    func households(seed: Seed) throws {
        let run = try Run(seed)
        let rows = try run.table("households.csv")
        #expect(rows.count == run.sample.records.count)
        for (row, record) in zip(rows, run.sample.records) {
            #expect(row["household"] == "\(record.household)")
            #expect(row["kind"] == record.kind)
            #expect(row["outcome"] == record.fate.name)
            #expect(row["polls"] == "\(record.polls)")
            #expect(
                row["code_to_token_ms"] == record.signIn.map {
                    DecimalText.trimmed($0.milliseconds)
                }
                    ?? "")
        }
        let counts = try #require(run.json["households"] as? [String: Int])
        for fate in HouseholdRecord.Fate.allCases where fate != .running {
            let key =
                ["signed-in": "signedIn", "pre-signed-in": "preSignedIn"][fate.name] ?? fate.name
            #expect(counts[key] == rows.filter { $0["outcome"] == fate.name }.count)
        }
    }

    @Test("the funnel counts those who reached a stage or a later one", arguments: Seed.samples(4))
    func funnel(seed: Seed) throws {
        let sample = Sample(Shape(households: 15), seed: seed)
        let summary = try Summary(sample, thresholds: [])
        let stages: [(String, Stage)] = [
            ("started", .arrived), ("code shown", .codeShown), ("code typed", .codeTyped),
            ("signed in", .signedIn), ("playing", .playing), ("logged out", .loggedOut),
        ]
        for funnel in summary.funnels {
            let own = sample.records.filter { funnel.kind.isEmpty || $0.kind == funnel.kind }
            #expect(funnel.steps.map(\.name) == stages.map(\.0))
            for (step, stage) in zip(funnel.steps, stages) {
                #expect(step.households == own.filter { $0.stage >= stage.1 }.count)
            }
        }
        let lost = sample.records.filter { [.failed, .abandoned, .running].contains($0.fate) }
        #expect(summary.losses.map(\.households).reduce(0, +) == lost.count)
    }
}

/// Reads RFC 4180, independently of what wrote it.
enum Table {
    struct Malformed: Error {}

    static func read(_ text: String) throws -> [[String]] {
        var rows: [[String]] = []
        var row: [String] = []
        var field = ""
        var isQuoted = false
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch (scalar, isQuoted) {
            case ("\"", true) where rest.first == "\"":
                field.unicodeScalars.append("\"")
                rest.removeFirst()
            case ("\"", _): isQuoted.toggle()
            case (",", false):
                row.append(field)
                field = ""
            case ("\r", false):
                guard rest.popFirst() == "\n" else { throw Malformed() }
                rows.append(row + [field])
                (row, field) = ([], "")
            default: field.unicodeScalars.append(scalar)
            }
        }
        guard row.isEmpty, field.isEmpty, !isQuoted, Set(rows.map(\.count)).count <= 1 else {
            throw Malformed()
        }
        return rows
    }
}
