import Checker
import Testing

@testable import Rendering
@testable import Reports

/// What the picture of a violation shows is what its sentence says.
@Suite("Pictures of violations")
struct PictureTests {
    @Test(
        "the gap that is drawn is the gap that is reported, and the conflict has more than one answer",
        arguments: [
            "ack-before-apply: {window: 30ms}", "token-flap: {window: 300ms}",
            "authenticate-after-expiry: {grace: 5s}",
            "logout-resurrection: {delay: 20ms}", "delete-loses: {window: 5s}",
            "duplicate-live-code",
            "lost-authentication", "poll-double-mint",
        ])
    func gap(fault: String) throws {
        let rig = try RigFiles.read(
            "detection.yaml", ["faults": "[\(fault.contains(":") ? "{\(fault)}" : fault)]"],
            limit: 30)
        let findings = try JudgeTests.findings(Rehearsal(rig))
        #expect(!findings.violations.isEmpty)
        for violation in findings.violations {
            let conflict = violation.scene.filter(\.isConflict)
            guard !conflict.isEmpty else { continue }
            #expect(Set(conflict.map(\.sequence)) == Set(violation.exchanges))
            if violation.invariant == .linearizable {
                #expect(conflict.count > 1, "\(violation.sentence)")
            }
            guard let gap = violation.gap else { continue }
            let from = try #require(violation.gapFrom, "\(violation.sentence)")
            // One end at least is an exchange's own: the other may be an expiry.
            let isReturn = conflict.contains { $0.ret == from }
            let isCall = conflict.contains { $0.call == from + gap }
            #expect(isReturn || isCall, "\(violation.sentence)")
            let told = Figures.time(milliseconds: Double(gap) / 1e6)
            let page = ViolationPicture.html(violation, number: 0).text
            #expect(page.contains(">\(told)</text>"), "\(violation.sentence)")
            #expect(page.contains(">expiry</text>") == !(isReturn && isCall))
        }
    }
}
