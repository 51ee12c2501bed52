import Dialects
import Journal
import Testing
import Vocabulary

@testable import Checker

/// Exchanges come in any order and from many households at once; what is said does not hang on that.
@Suite("Accusing rightly: order, crowds, first causes")
struct OrderTests {
    // MARK: The order of things

    @Test("lanes may come in any interleaving")
    func lanes() {
        var story = Story.clean(in: 7)
        story.live(in: 8, tag: Story.bob, code: "BBBBBB2", from: 500)
        story.poll(at: 20_500, Story.alice)
        let told = story.told
        func verdicts(_ order: [Exchange]) -> [Verdict] {
            let judge = Judge(story.rules)
            for exchange in order { judge.take(exchange) }
            return judge.finish().verdicts
        }
        let one = verdicts(told)
        #expect(verdicts(told.filter { $0.lane == 0 } + told.filter { $0.lane == 1 }) == one)
        #expect(verdicts(told.filter { $0.lane == 1 } + told.filter { $0.lane == 0 }) == one)
        #expect(one[Int(Invariant.logoutFinal.rawValue)].violations == 1)
    }

    @Test(
        "a login that is confirmed to the phone after the TV's logout has an order that explains it"
    )
    func confirmedAfterLogout() {
        var story = Story()
        story.code()
        story.assertion(at: 8_000, took: 300)
        story.poll(at: 8_020, Story.alice)
        story.tell(.tv, .logout, at: 8_100, code: nil, status: 204)
        story.check(at: 8_310)
        story.poll(at: 9_000)
        #expect(story.sentences == [])
        #expect(story.findings.undecided == 0)
    }

    /// The poll left before the sign-in did and arrived after it, and its answer came in first.
    ///
    /// ```text
    /// TV     |---------- poll ----------| alice
    /// phone     |- page -||- assertion ---|
    /// ```
    @Test("an answer that comes in before the sign-in that it shows accuses nobody")
    func answerBeforeSignIn() {
        var story = Story()
        story.code()
        story.poll(at: 7_995, took: 14, Story.alice)
        story.tell(.phone, .mvpdLogin, at: 8_000, took: 3, .none)
        story.assertion(at: 8_003.2, took: 6.3)
        story.check(at: 8_009.6)
        story.poll(at: 13_000, Story.alice)
        #expect(story.sentences == [])
        #expect(story.findings.undecided == 0)

        var profiles = Story()
        profiles.session()
        profiles.resume(at: 7_000)
        profiles.see(
            [Story.profile], .profilesByCode, at: 7_995, took: 14, code: "AAAAAA1")
        profiles.tell(.phone, .mvpdLogin, at: 8_000, took: 3, .none)
        profiles.assertion(at: 8_003.2, took: 6.3)
        profiles.confirm(at: 8_009.6)
        profiles.pollCode(at: 13_000, Story.profile)
        #expect(profiles.sentences == [])
        #expect(profiles.findings.undecided == 0)
    }

    @Test("a household whose phone is still at it is kept, though its TV has ended")
    func busyPhone() {
        let judge = Judge(Rules())
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.check(at: 8_010, .absent)
        for exchange in story.told { judge.take(exchange) }
        var record = HouseholdRecord(household: 7, kind: "x", lane: 1, arrived: .start)
        record.ended = Instant(nanoseconds: 9_000_000_000)
        judge.take(record)
        judge.pass(Instant(nanoseconds: 60_000_000_000), lane: 0)
        #expect(judge.living == 1)
        story.check(at: 61_000)
        if let last = story.told.last { judge.take(last) }
        judge.pass(Instant(nanoseconds: 62_000_000_000), lane: 0)
        #expect(judge.living == 0)
        #expect(judge.finish().undecided == 0)
    }

    @Test("a household is let go soon after it has ended")
    func closing() {
        let judge = Judge(Rules(), lanes: 2)
        let story = Story.clean()
        for exchange in story.told { judge.take(exchange) }
        var record = HouseholdRecord(household: 7, kind: "x", lane: 1, arrived: .start)
        record.ended = Instant(nanoseconds: 21_004_000_000)
        judge.take(record)
        #expect(judge.living == 1)
        judge.pass(Instant(nanoseconds: 60_000_000_000), lane: 0)
        #expect(judge.living == 1)
        judge.pass(Instant(nanoseconds: 60_000_000_000), lane: 1)
        #expect(judge.living == 0)
        #expect(judge.findings.households == 1)
        #expect(judge.finish().failing == 0)
    }

    @Test("our own clock stood still: that is told, and beside what was found near it")
    func sleepTold() {
        let judge = Judge(Story().rules)
        for exchange in Story.flap().told { judge.take(exchange) }
        judge.clockStoodStill(for: .seconds(3), at: Instant(nanoseconds: 10_054_000_000))
        let findings = judge.finish()
        #expect(findings.changes == ["this machine's clock stopped for 3000 ms at 10.1 s"])
        #expect(
            findings.violations.map(\.nearChange)
                == ["this machine's clock stopped for 3000 ms 2000 ms after"])
    }

    @Test(
        "addresses: one that begins to answer late is told, one that was there all along is not",
        arguments: [(from: 70_000.0, isTold: true), (from: 10.0, isTold: false)])
    func addresses(from: Double, isTold: Bool) {
        var story = Story()
        story.code()
        for at in stride(from: 1_000.0, to: 100_000, by: 3_000) { story.poll(at: at) }
        for position in story.exchanges.indices {
            let isNew = story.exchanges[position].sent.milliseconds >= from
            story.exchanges[position].route.remote =
                isNew && position % 2 == 0 ? "203.0.113.9:443" : "203.0.113.7:443"
        }
        // A provider's own address is none of the service's.
        let login = story.tell(.phone, .mvpdLogin, at: 90_000, .none)
        story.exchanges[login].route.remote = "198.51.100.1:443"
        #expect(
            story.findings.changes
                == (isTold ? ["203.0.113.9:443 began to respond at 70 s"] : []))
    }

    // MARK: Herds

    /// Polls every 100 ms: `many` at once, or one by one; of those that come together `failing` in a
    /// hundred are answered 503.
    private func herd(many: Int, failing: Int, after start: Double = 0) -> Story {
        var story = Story()
        for round in 0..<60 {
            let isHerd = round >= 20
            for household in 0..<(isHerd ? many : 4) {
                let fails = isHerd && (household * 37 + round) % 100 < failing
                story.tell(
                    .tv, .pollToken, at: start + Double(round) * 100, .absent, in: household,
                    status: fails ? 503 : 404)
            }
        }
        return story
    }

    @Test("a herd of polls that fails more than single ones raises a suspicion, and fails no run")
    func bursts() throws {
        let findings = herd(many: 40, failing: 30).findings
        let found = try #require(findings.violations.first)
        #expect(findings.violations.count == 1)
        #expect(found.invariant == .pollingEnds && found.standing == .suspected)
        #expect(
            found.sentence.contains(
                ": simultaneous polls did worse: with 40 or more within 100 ms "),
            "\(found.sentence)")
        #expect(findings[.pollingEnds].violations == 0 && findings[.pollingEnds].suspected == 1)
    }

    @Test("where in a run a herd comes makes no difference, nor that the first poll comes last")
    func lateHerds() throws {
        // A week, and an odd number of slots.
        let late = herd(many: 40, failing: 30, after: 604_800_010)
        let found = try #require(late.findings.violations.first)
        #expect(found.sentence.contains("with 40 or more within 100 ms "), "\(found.sentence)")
        var backwards = BurstDetector()
        var forwards = BurstDetector()
        for exchange in late.exchanges { withUnsafePointer(to: exchange) { forwards.note($0) } }
        for exchange in late.exchanges.reversed() {
            withUnsafePointer(to: exchange) { backwards.note($0) }
        }
        #expect(forwards.finding?.text == backwards.finding?.text)
        #expect(forwards.finding != nil)
    }

    @Test("who polls 30 ms after a herd is one of it")
    func stragglers() throws {
        var story = herd(many: 40, failing: 30)
        for round in 20..<60 {
            for household in 40..<42 {
                story.tell(
                    .tv, .pollToken, at: Double(round) * 100 + 30, .absent, in: household,
                    status: (household + round) % 3 == 0 ? 503 : 404)
            }
        }
        let found = try #require(story.findings.violations.first)
        #expect(found.sentence.contains("with 42 or more within 100 ms "), "\(found.sentence)")
        #expect(found.sentence.contains("with 4 or fewer 0 of "), "\(found.sentence)")
    }

    @Test(
        "no suspicion where none fails, few fail, or few come together",
        arguments: [(40, 0), (40, 1), (8, 60)])
    func noHerd(many: Int, failing: Int) {
        #expect(herd(many: many, failing: failing).sentences == [])
    }

    @Test("polls form a herd, but for those of a device grant, whose interval the service sets")
    func herdsOf() {
        let first = OperationName.allCases.filter { $0.formsHerds(onFirstScreen: true) }
        #expect(first == [.pollToken, .profilesByCode])
        #expect(Set(OperationName.allCases.filter(\.isPoll)).subtracting(first) == [.deviceToken])
        #expect(!OperationName.profilesByCode.formsHerds(onFirstScreen: false), "a phone's check")
    }

    // MARK: First causes across households

    @Test("what a twin code broke in either household is attached to the twin")
    func twins() {
        var story = Story()
        story.code("AAAAAA1", at: 0, in: 7)
        story.code("AAAAAA1", at: 1_000, in: 8)
        // Household 8 deletes what both hold; 7 is told that it is gone.
        story.tell(.tv, .deleteRegistration, at: 2_000, in: 8)
        story.tell(.phone, .registrationRecord, at: 3_000, .absent, in: 7)
        let found = story.findings.violations
        #expect(found.map(\.invariant) == [.codeUnique])
        #expect(found.first?.companions.contains(.expiryRespected) == true)
    }
}
