import Reports
import Rigs
import Testing

@Suite("What each rig says that it shows")
struct ShowsTests {
    @Test("each rig says it, and a run shows it", arguments: RigFiles.names)
    func shown(name: String) throws {
        // What it shows may hang on its faults, which the standard run goes without.
        let rig = try RigFiles.read(name)
        let run = try rig.faults.isEmpty ? Rehearsal.standard(name) : Rehearsal(rig)
        let findings = try JudgeTests.findings(run)
        let summary = try Summary(
            run.history, thresholds: run.rig.thresholds, findings: findings
        )
        #expect(summary.noSignIn == nil, "rigs/\(name)")
        // A rig that misses its thresholds where nothing is wrong accuses a service without fault.
        for threshold in summary.thresholds
        where rig.faults.isEmpty || threshold.expression == "households abandoned < 5%" {
            #expect(
                threshold.met,
                "rigs/\(name): \(threshold.expression): \(threshold.actual)")
        }
        let shows = summary.shows
        #expect(!shows.isEmpty, "rigs/\(name) has no 'shows'")
        for line in shows { #expect(line.held, "rigs/\(name): \(line.sentence)") }
    }

    @Test("each event of a history has a name that 'shows' knows", arguments: RigFiles.names)
    func events(name: String) throws {
        let found = Set(try Rehearsal.standard(name).events().map(\.name))
        #expect(found.subtracting(HistoryCheck.events) == [])
    }
}
