import Dialects
import Formats
import Foundation
import Journal
import Statistics
import TestSupport
import Testing
import Vocabulary

@testable import Reports
@testable import Trends

@Suite("Two runs of two protocols, side by side")
struct ProtocolComparisonTests {
    /// The operations of V2 by those of V1; nil where V2 asks for nothing.
    private static func moved(_ operation: OperationName) -> OperationName? {
        operation.counterpartsInV2.first.flatMap { operation == .mediaToken ? nil : $0 }
    }

    /// The calm run of another seed, as V2 would have it.
    private static func second(
        seed: UInt64 = 31, change: ((inout Sample) -> Void)? = nil
    ) throws -> Sample {
        var sample = Sample(ComparisonTests.calm, seed: Seed(seed))
        sample.recordsAll = true
        sample.header.protocolName = "adobe-pass-v2"
        sample.header.rigName = "evening rush, V2"
        sample.exchanges = sample.exchanges.compactMap { exchange in
            guard let operation = moved(exchange.operation) else { return nil }
            var exchange = exchange
            exchange.operation = operation
            return exchange
        }
        change?(&sample)
        return sample
    }

    private static func read(_ sample: Sample, breaches: [String: Int] = [:]) throws -> ComparedRun
    {
        var run = try ComparedRun(
            sample, breaches: breaches.mapValues { .init(failing: $0) })
        try run.readSteps(sample)
        return run
    }

    private static let compared = Result {
        var first = Sample(ComparisonTests.calm, seed: Seed(7))
        first.recordsAll = true
        return Comparison(
            try read(first, breaches: ["sign-in-visible": 2]), try read(second()), draws: 200)
    }

    @Test("operations are joined by their step: one row for each, under the name of the step")
    func joined() throws {
        let comparison = try Self.compared.get()
        let protocols = try #require(comparison.protocols)
        #expect(protocols.base == "adobe-pass-v1" && protocols.run == "adobe-pass-v2")
        let poll = try #require(protocols.steps.first { $0.name == "TV's poll" })
        #expect(poll.baseOperations == ["poll-token"] && poll.runOperations == ["profiles-by-code"])
        #expect(poll.base > 1 && abs(poll.run - poll.base) < 2)
        let check = try #require(protocols.steps.first { $0.name == "phone's check" })
        #expect(
            check.baseOperations == ["check-code"] && check.runOperations == ["profiles-by-code"])
        let media = try #require(protocols.steps.first { $0.name == "media token" })
        #expect(media.base > 0.9 && media.run == 0 && media.runOperations.isEmpty)
        #expect(comparison.rows.contains { $0.name == "code p95" })
        #expect(!comparison.rows.contains { $0.subject.contains("profiles") })
        #expect(protocols.notes.count == 1 && protocols.notes[0].contains("signs in again"))
    }

    @Test("a decision of V1 is the sum of authorize and media token")
    func sums() throws {
        let comparison = try Self.compared.get()
        let row = try #require(
            comparison.rows.first { $0.subject == RunSteps.decision && $0.statistic == "p50" })
        #expect(row.base > 1.3 * row.run, "\(row)")
        #expect(!comparison.rows.contains { $0.subject == "authorize" })
    }

    @Test("the first lines say what a sign-in costs, and what is no longer asked")
    func lines() throws {
        let comparison = try Self.compared.get()
        let protocols = try #require(comparison.protocols)
        let lines = comparison.moveLines
        #expect(lines.first?.hasPrefix("A sign-in costs ") == true)
        #expect(lines.contains { $0.contains("No longer asked: media token, user metadata") })
        #expect(lines.contains("Violations: none instead of 2 (sign-in-visible)."))
        let counted = protocols.steps.filter(\.isSignIn).reduce(0) { $0 + $1.run }
        #expect(abs(counted - protocols.signIn.run) < 1e-9)
        #expect(comparison.warnings.isEmpty, "two rigs and protocols are no accident here")
    }

    @Test("where not every exchange was kept, screens and sums are not told apart, and it says so")
    func aggregates() throws {
        struct Aggregates: Recorded {
            var whole: Sample
            var header: HistoryHeader { whole.header }
            var end: HistoryEnd? { whole.end }
            var gaps: [String] { [] }
            func cells(_ body: (Cell) throws -> Void) throws { try whole.cells(body) }
            func households(_ body: (HouseholdRecord) throws -> Void) throws {
                try whole.households(body)
            }
            func errorGroups() throws -> [ErrorGroup] { try whole.errorGroups() }
            func health() throws -> [LaneHealth] { try whole.health() }
        }
        func read(_ sample: Sample) throws -> ComparedRun {
            let part = Aggregates(whole: sample)
            var run = try ComparedRun(part)
            try run.readSteps(part)
            return run
        }
        let comparison = Comparison(
            try read(Sample(ComparisonTests.calm, seed: Seed(7))), try read(Self.second()),
            draws: 50)
        let protocols = try #require(comparison.protocols)
        #expect(protocols.notes.count == 3)
        let both = try #require(protocols.steps.first { $0.name == RunSteps.bothScreens })
        #expect(both.baseOperations == ["poll-token", "check-code"])
        #expect(!protocols.steps.contains { $0.name == "TV's poll" })
        #expect(comparison.rows.contains { $0.subject == RunSteps.bothScreens })
        #expect(comparison.rows.contains { $0.subject == "authorize" })
        let whole = try Self.compared.get().protocols
        #expect(abs(protocols.all.run - (whole?.all.run ?? 0)) < 1e-9)
    }

    @Test("runs of one protocol are compared by operations, as ever")
    func same() throws {
        let run = try Self.read(Self.second())
        let comparison = Comparison(run, try Self.read(Self.second(seed: 32)), draws: 20)
        #expect(comparison.protocols == nil && comparison.moveLines.isEmpty)
        #expect(comparison.rows.contains { $0.subject == "profiles-by-code" })
    }

    @Test("an error of the same step is no new kind of error")
    func errors() throws {
        func fail(_ operation: OperationName) -> (inout Sample) -> Void {
            { sample in
                let places = sample.exchanges.indices.filter {
                    sample.exchanges[$0].operation == operation
                }
                for index in places.prefix(5) {
                    sample.exchanges[index].outcome = .serverError
                    sample.exchanges[index].delivery = .answered(status: 503)
                }
            }
        }
        var first = Sample(ComparisonTests.calm, seed: Seed(7))
        fail(.registrationCode)(&first)
        let second = try Self.second(change: fail(.createSession))
        let comparison = Comparison(try Self.read(first), try Self.read(second), draws: 20)
        #expect(comparison.newErrors.isEmpty && comparison.goneErrors.isEmpty)
        #expect(comparison.rows.contains { $0.name == "code errors" })
    }

    @Test("terminal, page and JSON begin with what the move changes, and are as they were reviewed")
    func files() throws {
        let comparison = try Self.compared.get()
        for width in [80, 200] {
            let text = ComparisonText.text(comparison, width: width, color: false)
            #expect(text.hasPrefix("From adobe-pass-v1 to adobe-pass-v2\n"))
            for line in text.split(separator: "\n") { #expect(line.count <= width, "\(line)") }
            try Golden.expect(text, is: "comparison/protocols-\(width).txt")
        }
        let page = ComparisonPage.text(comparison)
        #expect(page.contains("<h2>From adobe-pass-v1 to adobe-pass-v2</h2>"))
        #expect(page.contains(Markup.escaped(comparison.moveLines[0])))
        try Golden.expect(page, is: "comparison/protocols.html")
        let json = ComparisonJSON.text(comparison)
        try Golden.expect(json, is: "comparison/protocols.json")
        let read = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        let protocols = read?["protocols"] as? [String: Any]
        #expect((protocols?["requestsPerSignIn"] as? [Any])?.isEmpty == false)
    }
}
