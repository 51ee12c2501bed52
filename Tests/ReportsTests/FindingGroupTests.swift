import Checker
import Dialects
import Foundation
import TestSupport
import Testing
import Vocabulary

@testable import Journal
@testable import Reports

@Suite("Violations that look the same are one finding")
struct FindingGroupTests {
    private static let epoch: Int64 = 1_760_000_000_000

    /// A code of 60 s that is said to be gone after 10 s, when it is asked for by `last`.
    private static func story(
        _ household: Int, endsWith last: OperationName
    ) -> [Exchange] {
        let made = epoch + 1_002
        let code = Code("AAAAA\(household)")
        func exchange(
            _ sequence: Int, _ operation: OperationName, at seconds: Int,
            _ result: Observation.Result, status: Int, outcome: Outcome, expires: Int64? = nil
        ) -> Exchange {
            let sent = Instant(.seconds(seconds))
            let ended = sent + .milliseconds(4)
            return Exchange(
                lane: 0, sequence: sequence,
                device: DeviceID(household: household, role: .firstScreen), operation: operation,
                code: code, planned: sent, sent: sent, firstByte: ended, ended: ended,
                delivery: .answered(status: status), outcome: outcome,
                observation: Observation(
                    result, code: code, generated: expires.map { _ in made }, expires: expires))
        }
        return [
            exchange(
                1, .registrationCode, at: 1, .success, status: 201, outcome: .ok,
                expires: made + 60_000),
            exchange(2, .pollToken, at: 2, .absent, status: 404, outcome: .pending),
            exchange(3, last, at: 11, .absent, status: 404, outcome: .rejected),
        ]
    }

    /// Household 1 by itself, 2 to 4 alike.
    private static let findings = Result {
        let folder = TestFolder()
        var header = Shape(households: 4).header(.init(1))
        header.judging = Rules().texts
        let writer = try HistoryWriter(
            path: folder.path("history.sqlite"), header: header, waits: true)
        let stories = [
            story(1, endsWith: .deleteRegistration), story(2, endsWith: .registrationRecord),
            story(3, endsWith: .registrationRecord), story(4, endsWith: .registrationRecord),
        ]
        writer.append(
            Batch(lane: 0, exchanges: stories.flatMap { $0 }, through: Instant(.seconds(12))))
        _ = writer.finish(
            HistoryEnd(
                ended: Instant(.seconds(12)), interrupted: false, failure: "", cpuPercent: 0,
                historyHash: ""))
        let history = try History(path: folder.path)
        let findings = try #require(try Findings(rejudging: history))
        return (findings, try Summary(history, thresholds: [], findings: findings))
    }

    @Test("what befell most households comes first, with its row of violations.csv")
    func ranked() throws {
        let (findings, _) = try Self.findings.get()
        let groups = FindingGroup.ranked(findings.violations)
        #expect(groups.map(\.violations.count) == [3, 1])
        #expect(groups.map { Set($0.named.map(\.household)) } == [[2, 3, 4], [1]])
        for group in groups {
            let told = try #require(group.violations.first)
            #expect(findings.violations[group.row - 1] == told)
            #expect(!told.scene.isEmpty)
        }
        let last = try #require(findings.violations.last)
        // One that has no picture gives way to one of its sort that has.
        var first = last
        first.scene = []
        first.household = 77
        let group = try #require(FindingGroup.ranked([first, last]).first)
        #expect(group.row == 2 && group.violations.map(\.household) == [last.household, 77])
    }

    @Test("each says what it means and what to do; commands only beside a run directory")
    func next() throws {
        var (findings, summary) = try Self.findings.get()
        let alone = FindingGroup.html(findings, summary).text
        #expect(alone.contains("2 findings") && alone.contains("What it means"))
        #expect(alone.contains("row 2 of violations.csv"))
        #expect(!alone.contains("screenrig replay") && !alone.contains("screenrig export"))
        let signature = FindingGroup.ranked(findings.violations)[0].violations[0].signature
        summary.cases = [signature: "expiry-respected"]
        summary.traces = [3]
        let beside = FindingGroup.html(findings, summary).text
        #expect(beside.ranges(of: "screenrig replay cases/expiry-respected.json").count == 1)
        #expect(beside.ranges(of: "href=\"cases/expiry-respected.html\"").count == 1)
        #expect(beside.contains("screenrig export . --violation 2 "))
        let text = TerminalReport.text(summary, width: 100, color: false, path: "reports/x")
        #expect(
            text.contains(
                "report: reports/x/report.html\nreplay: screenrig replay reports/x/cases/expiry-respected.json\n"
            ))
        #expect(beside.contains("<a href=\"households/3.html\">household 3</a>"))
        findings.violations = []
        #expect(FindingGroup.html(findings, summary).text.isEmpty)
    }
}
