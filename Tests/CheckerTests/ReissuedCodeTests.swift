import Dialects
import Journal
import Testing

@testable import Checker

/// Letters of a code may be given again once its life is over: what is then said of them may be
/// another's. Given twice at once they are the first cause of whatever else breaks.
@Suite("Codes with two lives")
struct ReissuedCodeTests {
    /// Household 7 deletes its code, 8 is given the letters and signs in by them, and a late check of
    /// 7's phone is told of it.
    private func reissued(lateCheck: Observation.Result = .success) -> Story {
        var story = Story()
        story.code(in: 7)
        story.assertion(at: 1_000, in: 7)
        story.check(at: 1_010, in: 7)
        story.poll(at: 1_020, Story.alice, in: 7)
        story.tell(.tv, .deleteRegistration, at: 2_000, in: 7, status: 204)
        story.tell(.tv, .logout, at: 2_100, in: 7, code: nil, status: 204)
        story.code(at: 3_000, in: 8)
        story.assertion(Story.bob, at: 4_000, in: 8)
        story.check(at: 4_010, in: 8)
        story.poll(at: 4_020, Story.bob, in: 8)
        story.check(at: 5_000, lateCheck, in: 7)
        story.poll(at: 6_000, in: 7)
        return story
    }

    /// What is found when the lanes of the households come one after the other.
    private func violations(_ story: Story, first: Int) -> [Violation] {
        let judge = Judge(story.rules)
        let told = story.told
        for exchange in told.filter({ $0.device.household == first })
            + told.filter({ $0.device.household != first })
        {
            judge.take(exchange)
        }
        return judge.finish().violations
    }

    @Test("an answer about letters that are another's by now accuses nobody")
    func late() {
        let story = reissued()
        #expect(story.sentences == [])
        #expect(story.findings.undecided == 0)
    }

    @Test("also where the other's exchanges come in later", arguments: [7, 8])
    func lanes(first: Int) {
        #expect(violations(reissued(), first: first).map(\.sentence) == [])
    }

    @Test(
        "a deletion beside a request that is given the same letters may be of the code before",
        arguments: [(2_001.0, false), (2_100, true)])
    func beside(deletedAt: Double, isTold: Bool) {
        var story = Story()
        story.code(in: 7)
        story.tell(
            .tv, .registrationCode, at: 2_000, took: 20, in: 7, code: "AAAAAA1",
            expires: Story.epoch + 1_800_000, generated: Story.epoch + 2_005)
        story.tell(.tv, .deleteRegistration, at: deletedAt, took: 20, in: 7, status: 204)
        story.tell(.tv, .registrationRecord, at: 3_000, in: 7)
        #expect(story.findings.violations.map(\.invariant).contains(.deleteFinal) == isTold)
    }

    @Test("letters that nobody else was given are still the household's own")
    func own() {
        var story = reissued()
        story.exchanges.removeAll { $0.device.household == 8 }
        let found = story.findings.violations
        #expect(found.map(\.invariant) == [.deleteFinal])
        #expect(
            found.first?.sentence
                == "household 7: the phone's check-code #7 found code AAAAAA1 valid 2996 ms after the TV's "
                + "delete-registration #5 had deleted it")
    }

    @Test("and so they are again once the other's life is over for certain")
    func overAgain() {
        var story = reissued(lateCheck: .absent)
        story.tell(.tv, .deleteRegistration, at: 7_000, in: 8, status: 204)
        story.check(at: 8_000, in: 7)
        #expect(Set(story.findings.violations.map(\.household)) == [7])
    }

    @Test("what broke besides is not taken back with it")
    func other() {
        var story = reissued()
        story.poll(at: 7_000, Story.alice, in: 7)
        for first in [7, 8] {
            #expect(violations(story, first: first).map(\.invariant) == [.logoutFinal], "\(first)")
        }
    }

    @Test("a viewer who types letters that are another's by now signs in there", arguments: [7, 8])
    func crossed(first: Int) {
        var story = Story()
        story.code(in: 7)
        story.tell(.tv, .deleteRegistration, at: 2_000, in: 7, status: 204)
        story.code(at: 3_000, in: 8)
        story.assertion(at: 4_000, in: 7)
        story.poll(at: 5_000, Story.alice, in: 8)
        #expect(violations(story, first: first).map(\.sentence) == [])
        // By letters that never were that household's nobody can have got there.
        for position in story.exchanges.indices
        where story.exchanges[position].device.household == 8 {
            story.exchanges[position].code = Code("BBBBBB2")
            story.exchanges[position].observation.code = Code("BBBBBB2")
        }
        #expect(violations(story, first: first).map(\.invariant) == [.tokenIsolation])
    }

    @Test(
        "a login that had begun by letters is no login by a later code of the same letters",
        arguments: [7, 8])
    func begunBefore(first: Int) {
        for (begun, isTold) in [(1_000.0, true), (3_500, false)] {
            var story = Story()
            story.code(in: 7)
            story.tell(.phone, .authenticate, at: begun, in: 7, status: 302)
            story.tell(.tv, .deleteRegistration, at: 2_000, in: 7, status: 204)
            story.code(at: 3_000, in: 8)
            story.assertion(at: 4_000, in: 7)
            story.poll(at: 5_000, Story.alice, in: 8)
            #expect(
                violations(story, first: first).map(\.invariant)
                    == (isTold ? [.tokenIsolation] : []))
        }
    }

    @Test("nor is a bare yes after that, which has no name to tell by", arguments: [7, 8])
    func crossedWithoutName(first: Int) {
        var story = Story()
        story.code(in: 7)
        story.tell(.tv, .deleteRegistration, at: 2_000, in: 7, status: 204)
        story.code(at: 3_000, in: 8)
        story.assertion(at: 4_000, in: 7)
        story.tell(.tv, .authorize, at: 5_000, in: 8, code: nil, resource: "demo-1")
        #expect(violations(story, first: first).map(\.sentence) == [])
        story.exchanges.removeAll { $0.operation == .assertion }
        #expect(violations(story, first: first).map(\.invariant) == [.noTokenBeforeSignIn])
    }

    @Test("letters given twice are the cause of all that breaks in both households")
    func twins() throws {
        var story = Story()
        story.code(at: 0, in: 7)
        story.code(at: 1_000, in: 8)
        story.assertion(at: 2_000, in: 7)
        story.poll(at: 3_000, Story.alice, in: 8)
        story.check(at: 3_100, in: 7)
        story.poll(at: 3_200, in: 7)
        story.poll(at: 3_300, in: 7)
        let found = try story.only()
        #expect(found.invariant == .codeUnique)
        #expect(found.household == 8)
        #expect(found.companions.contains(.tokenIsolation))
        #expect(story.findings[.tokenIsolation].violations == 0)
    }

    @Test("a third who is given them after one of the two deleted its own is no twin")
    func freed() throws {
        var story = Story()
        story.code(at: 0, in: 7)
        story.code(at: 1_000, in: 8)
        story.tell(.tv, .deleteRegistration, at: 2_000, in: 7, status: 204)
        story.code(at: 3_000, in: 9)
        #expect(try story.only().household == 8)
        // Without the deletion both are.
        story.exchanges.remove(at: 2)
        #expect(story.findings.violations.map(\.household) == [8, 9])
        #expect(story.findings.violations.map(\.times) == [1, 2])
    }

    @Test("letters given twice are no safety")
    func level() {
        var story = Story.clean(in: 7)
        story.live(in: 8, tag: Story.bob, code: "BBBBBB2")
        #expect(story.findings.strongestLevel == .linearizable)
        story.code(at: 100, in: 9)
        let findings = story.findings
        #expect(findings.strongestLevel == nil)
        #expect(findings.levels.first?.broken == 1)
    }
}
