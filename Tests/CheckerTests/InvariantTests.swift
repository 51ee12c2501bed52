import Dialects
import Journal
import Testing
import Vocabulary

@testable import Checker

/// Each promise with a history that keeps it and one that breaks it: the files beside this one have
/// those of one sort each.
@Suite("Invariants")
struct InvariantTests {
    @Test("a clean life breaks nothing, and is checked against nearly everything")
    func clean() {
        let findings = Story.clean().findings
        #expect(findings.violations.isEmpty, "\(findings.violations.map(\.sentence))")
        #expect(findings.undecided == 0)
        #expect(findings.strongestLevel == .linearizable)
        for invariant in [
            Invariant.noTokenBeforeSignIn, .tokenIsolation, .tokenMonotonic, .oneOwner, .oneToken,
            .codeUnique, .authorizationGates, .clockAgreement, .pollingEnds, .linearizable,
            .conforms, .signInDelivered,
        ] {
            #expect(findings[invariant].checked > 0, "\(invariant)")
        }
        // Nothing came to its end.
        #expect(findings[.expiryRespected].checked == 0)
        #expect(findings[.pollIsPure].note == "checked by 'screenrig race' only")
    }

    @Test("two lives in one household, with the same user, break nothing")
    func again() {
        var story = Story.clean()
        story.live(in: 7, tag: Story.alice, code: "BBBBBB2", from: 30_000)
        #expect(story.sentences == [])
    }

    @Test("linearizable: what no other promise names")
    func order() throws {
        var story = Story()
        (story.rules.policies.newCode, story.rules.policies.secondSignIn) = (.keep, .reject)
        story.code()
        story.code("BBBBBB2", at: 1_000)
        story.assertion(at: 8_000)
        story.check(at: 8_010)
        story.assertion(Story.bob, at: 8_020, code: "BBBBBB2")
        story.check(at: 8_040, .absent)
        let found = try story.only()
        #expect(found.invariant == .linearizable)
        #expect(
            found.sentence
                == "household 7: no order of the operations explains the response (absent) "
                + "to the phone's check-code #6 after the response (success) to the phone's "
                + "check-code #4")
        #expect(
            found.exchanges == [4, 6], "the conflict has both answers that contradict each other")
        #expect(found.scene.filter(\.isConflict).map(\.sequence) == [4, 6])
    }

    @Test("conforms: as captured, with its rule")
    func conforms() throws {
        var story = Story.clean()
        story.exchanges[0].deviations = [
            Deviation(rule: "REST V1: x", found: "status 299", source: .reading)
        ]
        let found = try story.only()
        #expect(found.invariant == .conforms)
        #expect(found.source == .ours)
        #expect(
            found.sentence
                == "household 7: the TV's check-authentication #1: REST V1: x; found status 299"
        )
        // However many rules it breaks, it is one answer; what is documented is reported.
        story.exchanges[0].deviations.append(
            Deviation(rule: "REST V1: y", found: "no body", source: .documented))
        let both = try story.only()
        #expect(both.times == 1 && both.source == .documented)
        #expect(both.sentence.hasSuffix("REST V1: y; found no body"))
    }
}

extension Story {
    /// Its one violation.
    func only() throws -> Violation {
        let violations = findings.violations
        try #require(violations.count == 1, "\(violations.map(\.sentence))")
        return violations[0]
    }
}
