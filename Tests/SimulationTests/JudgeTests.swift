import Checker
import Foundation
import Journal
import Reports
import Rigs
import Testing

@Suite("A service without faults is accused of nothing")
struct JudgeTests {
    /// `change`: what is done to a household's events before they are judged.
    static func findings(
        _ run: Rehearsal, change: ([DeviceEvent]) -> [DeviceEvent] = { $0 }
    ) throws -> Findings {
        let judge = Judge(
            Rules(run.rig, isEmbedded: true, startedMicroseconds: 0),
            lanes: run.history.header.lanes)
        for exchange in try run.exchanges() { judge.take(exchange) }
        let whole = Set(try run.households().filter(\.hasToldAll).map(\.household))
        try run.history.stories { household, events in
            judge.take(
                events: change(events), of: household, hasEnded: whole.contains(household))
        }
        return judge.finish()
    }

    /// Without those whose service breaks a promise for the report to show.
    static let kept = RigFiles.names.filter { !["known.yaml", "links.yaml"].contains($0) }

    /// Their phones are done before a TV asks for the first time.
    private static let asksTooEarly: Set<String> = [
        "platform-cancel.yaml", "platform-disabled.yaml", "platform-error.yaml",
        "platform-flags.yaml", "platform-own-picker.yaml", "platform-preselected.yaml",
        "platform-refused.yaml", "platform-step-7.yaml", "platform-undetermined.yaml",
        "platform-withdrawn.yaml", "sdk-check.yaml", "sdk-codes.yaml", "sdk-ios.yaml",
        "sdk-launch.yaml", "sdk-platform.yaml", "sdk-tvos.yaml",
    ]

    @Test("every rig, in virtual time", arguments: kept)
    func clean(name: String) throws {
        let run = try Rehearsal.standard(name)
        let findings = try Self.findings(run)
        #expect(findings.violations.map(\.sentence) == [])
        #expect(findings.undecided == 0)
        let judged = findings[.linearizable].checked
        let households = run.history.header.plannedHouseholds ?? judged
        // What another device of the same identity does is no part of one device's model.
        let sharesSignIns = run.rig.kinds.contains { $0.singleSignOn != nil }
        #expect(sharesSignIns ? judged <= households : judged == households)
        // Where a TV asks between its code and the sign-in, it could have been told of a token.
        let isTested = findings[.noTokenBeforeSignIn].checked > 0
        #expect(isTested != Self.asksTooEarly.contains(name))
    }

    @Test(
        "the callbacks of every SDK household are among what was checked", arguments: SDKTests.rigs)
    func callbacks(name: String) throws {
        let run = try Rehearsal.standard(name, limit: 600)
        let sdks = Set(
            try run.events().filter { $0.name == "call setRequestor" }.map(\.device.household))
        let findings = try Self.findings(run)
        #expect(!sdks.isEmpty && findings.sdkHouseholds == sdks.count)
        let answered = try run.exchanges().filter { exchange in
            if case .answered = exchange.delivery { true } else { false }
        }
        #expect(findings[.conforms].checked > answered.count)
        #expect(findings[.conforms].violations == 0)
    }

    @Test("a callback too many is told in each report")
    func told() throws {
        let run = try Rehearsal.standard("sdk-ios.yaml")
        let findings = try Self.findings(run) { events in
            guard var again = events.last(where: { $0.name == "setToken" }) else { return events }
            again.sequence = events.count + 1
            return events + [again]
        }
        let households = findings.sdkHouseholds
        #expect(households > 0 && findings[.conforms].violations == households)
        let summary = try Summary(
            run.history, thresholds: run.rig.thresholds, findings: findings)
        #expect(summary.exitStatus == .violated, "\(summary.headline)")
        let sentence = "setToken came without an authorization call (rule 5)"
        let folder = run.directory.appending(path: "report")
        _ = try Report.write(
            run.history, thresholds: run.rig.thresholds, findings: findings,
            to: folder.path)
        for file in ["summary.json", "report.html"] {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            #expect(text.contains(sentence), "\(file)")
            let plain = text.replacing("&#39;", with: "'")
            #expect(plain.contains("order of SDK callbacks"), "\(file)")
        }
        let text = TerminalReport.text(summary, width: 400, color: false)
        #expect(text.contains("order of SDK callbacks checked in \(households) household"))
    }
}
