import Dialects
import Testing
import Vocabulary

@testable import Checker

/// What was promised, and what the service is held to where nobody promised: nobody is accused of what
/// he may do.
@Suite("Accusing rightly: promises and policies")
struct FairnessTests {
    // MARK: Promises, known

    @Test(
        "promises decide what fails a run",
        arguments: [
            (.strict, .fails), (.documented, .observed), (.observe, .observed),
        ] as [(Promises.Level, Standing)])
    func promises(level: Promises.Level, standing: Standing) {
        let story = Story.flap { $0.rules.promises = Promises(level) }
        let findings = story.findings
        #expect(findings.violations.map(\.standing) == [standing])
        #expect(findings[.tokenMonotonic].violations == (standing == .fails ? 1 : 0))
        #expect(findings[.tokenMonotonic].observed == (standing == .fails ? 0 : 1))
    }

    @Test("under documented, safety fails still, and an override may ask for more")
    func documented() {
        var story = Story()
        story.code()
        story.poll(at: 5_000, Story.alice)
        story.rules.promises = Promises(.documented)
        #expect(story.findings.violations.map(\.standing) == [.fails])
        let flapping = Story.flap {
            $0.rules.promises = Promises(.documented, overrides: [.tokenMonotonic: .strict])
        }
        #expect(flapping.findings.violations.map(\.standing) == [.fails])
    }

    @Test(
        "known findings are listed until their day",
        arguments: [
            ("2025-10-09", Standing.known(ticket: "AUTH-1")),
            ("2025-10-08", .fails),
        ])
    func known(until: String, standing: Standing) {
        let story = Story.flap {
            // 2025-10-09, the day of the story's epoch.
            $0.rules.startedMicroseconds = Story.epoch * 1000
            $0.rules.known = [
                KnownViolation(
                    invariant: .tokenMonotonic, operation: .pollToken, ticket: "AUTH-1",
                    until: until)
            ]
        }
        #expect(story.findings.violations.map(\.standing) == [standing])
        let other = Story.flap {
            $0.rules.known = [
                KnownViolation(invariant: .tokenMonotonic, operation: .mediaToken, ticket: "AUTH-2")
            ]
        }
        #expect(other.findings.violations.map(\.standing) == [.fails])
    }

    @Test(
        "a known finding hides none of the same promise by another operation",
        arguments: [true, false])
    func knownFirst(isFirst: Bool) throws {
        var story = Story.clean()
        let last = try #require(story.exchanges.lastIndex { $0.operation == .pollToken })
        for (place, rule) in [(0, "x"), (last, "y")] {
            story.exchanges[place].deviations = [
                Deviation(rule: "REST V1: \(rule)", found: "none", source: .documented)
            ]
        }
        let excepted = story.exchanges[isFirst ? 0 : last].operation
        story.rules.known = [
            KnownViolation(invariant: .conforms, operation: excepted, ticket: "AUTH-1")
        ]
        let found = try story.only()
        #expect(found.standing == .fails && found.times == 2)
        #expect(found.sentence.contains(isFirst ? "REST V1: y" : "REST V1: x"))
        #expect(story.findings.failing == 1)
    }

    // MARK: Policies

    @Test("policies: a second sign-in that is rejected leaves the first")
    func secondSignIn() {
        var story = Story()
        story.code()
        story.assertion(at: 1_000)
        story.poll(at: 2_000, Story.alice)
        story.code("BBBBBB2", at: 3_000)
        story.assertion(Story.bob, at: 4_000, code: "BBBBBB2")
        story.poll(at: 5_000, Story.alice)
        #expect(story.sentences == [])
        story.rules.policies.secondSignIn = .reject
        #expect(story.sentences == [])
        story.poll(at: 6_000, Story.bob)
        #expect(story.findings.violations.map(\.invariant) == [.tokenMonotonic])
        story.rules.policies.secondSignIn = .replace
        #expect(story.findings.violations.map(\.invariant) == [.tokenMonotonic])
    }

    @Test("policies: an older code lives on only where new ones do not replace it")
    func newCode() {
        var story = Story()
        story.code()
        story.code("BBBBBB2", at: 1_000)
        story.tell(.phone, .registrationRecord, at: 2_000)
        #expect(story.findings.violations.map(\.invariant) == [.linearizable])
        story.rules.policies.newCode = .keep
        #expect(story.sentences == [])
    }

    @Test("records that go with their token: a check may say no afterwards")
    func recordsGo() {
        var story = Story()
        story.code()
        story.assertion(at: 1_000)
        story.poll(at: 2_000, Story.alice)
        story.check(at: 3_000, .absent)
        story.tell(.phone, .registrationRecord, at: 4_000, .absent)
        #expect(story.findings.failing > 0)
        story.rules.recordsOutliveTokens = false
        #expect(story.sentences == [])
    }

    @Test("unknown-deadline: until then a lost sign-in may come true, after it no more")
    func deadline() {
        for (time, sentences) in [(50_000.0, 0), (70_000.0, 1)] {
            var story = Story()
            story.code()
            story.assertion(at: 8_000, lost: true)
            story.poll(at: time)
            story.poll(at: time + 1_000, Story.alice)
            #expect(story.sentences.count == sentences, "\(time)")
        }
    }
}
