import Checker
import Journal
import Reports
import Rigs
import Standin
import Testing

@Suite("A service without faults is accused of nothing")
struct JudgeTests {
    static func findings(_ run: Rehearsal) throws -> Findings {
        let judge = Judge(
            Rules(run.rig, isEmbedded: true, startedMicroseconds: 0),
            lanes: run.history.header.lanes)
        for exchange in try run.exchanges() { judge.take(exchange) }
        return judge.finish()
    }

    @Test("every rig, in virtual time", arguments: RigFiles.names)
    func clean(name: String) throws {
        let run = try Rehearsal(RigFiles.read(name))
        let findings = try Self.findings(run)
        #expect(findings.violations.map(\.sentence) == [])
        #expect(findings.undecided == 0)
        #expect(
            findings[.linearizable].checked == run.history.header.plannedHouseholds
                ?? findings[.linearizable].checked)
        #expect(findings[.tokenMonotonic].checked > 0)
    }
}
