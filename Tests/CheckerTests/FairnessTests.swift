import Dialects
import Journal
import Testing

@testable import Checker

/// What changes what is said, and how surely: nobody is accused of what something else explains.
@Suite("Accusing rightly")
struct FairnessTests {
    private func flap(_ change: (inout Story) -> Void = { _ in }) -> Story {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.poll(at: 8_020, Story.alice)
        story.poll(at: 8_050)
        change(&story)
        return story
    }

    // MARK: Promises, known

    @Test(
        "promises decide what fails a run",
        arguments: [
            (.strict, .fails), (.documented, .observed), (.observe, .observed),
        ] as [(Promises.Level, Standing)])
    func promises(level: Promises.Level, standing: Standing) {
        let story = flap { $0.rules.promises = Promises(level) }
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
        let flapping = flap {
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
        let story = flap {
            // 2025-10-09, the day of the story's epoch.
            $0.rules.startedMicroseconds = Story.epoch * 1000
            $0.rules.known = [
                Known(
                    invariant: .tokenMonotonic, operation: .pollToken, ticket: "AUTH-1",
                    until: until)
            ]
        }
        #expect(story.findings.violations.map(\.standing) == [standing])
        let other = flap {
            $0.rules.known = [
                Known(invariant: .tokenMonotonic, operation: .mediaToken, ticket: "AUTH-2")
            ]
        }
        #expect(other.findings.violations.map(\.standing) == [.fails])
    }

    @Test(
        "days of the calendar",
        arguments: [
            (0, "1970-01-01"), (951_782_400, "2000-02-29"), (1_760_000_000, "2025-10-09"),
            (1_798_761_599, "2026-12-31"),
        ] as [(Int64, String)])
    func days(seconds: Int64, text: String) {
        #expect(day(ofMicroseconds: seconds * 1_000_000) == text)
    }

    @Test("rules go into the header of a history and come back")
    func texts() {
        var rules = Rules()
        rules.policies.codeReuse = .untilExpiry
        rules.policies.newCode = .keep
        rules.policies.secondSignIn = .reject
        rules.policies.mediaReuse = .untilExpiry
        rules.policies.goneDecays = false
        rules.policies.visibility = .milliseconds(5)
        rules.policies.sweepLag = .milliseconds(6)
        rules.policies.clockTolerance = .milliseconds(7)
        rules.policies.unknownDeadline = .seconds(8)
        rules.policies.throttle = nil
        rules.promises = Promises(.documented, overrides: [.oneToken: .observe])
        rules.known = [
            Known(invariant: .codeUnique, ticket: "A;B=C"),
            Known(
                invariant: .oneOwner, operation: .pollToken, ticket: "T", until: "2026-12-15"),
        ]
        rules.knowsUsers = false
        rules.devicesAreFresh = false
        rules.settle = .seconds(3)
        rules.shortestSignIn = .seconds(9)
        rules.recordsOutliveTokens = false
        rules.codeLifetime = .seconds(60)
        rules.throttledBy = .device
        rules.startedMicroseconds = 42
        #expect(Rules(texts: rules.texts) == rules)
        #expect(Rules(texts: Rules().texts) == Rules())
        #expect(Rules(texts: ["nonsense", "promise:nothing=strict", "visibility_ns=x"]) == Rules())
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

    // MARK: Answers that tell nothing

    @Test("blocked answers tell nothing, and what they answered may have happened")
    func blocked() {
        var story = Story()
        story.code()
        story.tell(
            .phone, .assertion, at: 8_000, .none, tag: Story.alice, outcome: .blocked, status: 403)
        story.tell(.tv, .pollToken, at: 9_000, .none, outcome: .blocked, status: 200)
        story.poll(at: 10_000, Story.alice)
        #expect(story.sentences == [])
        story.exchanges.removeLast()
        story.poll(at: 10_000)
        #expect(story.sentences == [])
    }

    @Test("429 is no information, and no effect")
    func throttled() {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.check(at: 8_010)
        story.tell(.tv, .pollToken, at: 8_020, .none, status: 429)
        story.poll(at: 10_000, Story.alice)
        #expect(story.sentences == [])
        var applied = Story()
        applied.code()
        applied.assertion(at: 8_000, status: 429)
        applied.poll(at: 10_000, Story.alice)
        #expect(
            applied.sentences == [
                "household 7: the TV's poll-token #3 showed a sign-in that the phone's assertion #2 "
                    + "was told to send later (429), 1996 ms before"
            ])
    }

    @Test("refused connections never happened")
    func refused() {
        var story = Story()
        story.code()
        story.tell(.phone, .assertion, at: 8_000, .none, tag: Story.alice, refused: true)
        story.poll(at: 10_000, Story.alice)
        #expect(story.findings.violations.map(\.invariant) == [.noTokenBeforeSignIn])
    }

    @Test("410 to a poll is \"not yet\", nothing more")
    func gone() {
        var story = Story()
        story.code()
        story.tell(.tv, .pollToken, at: 5_000, .absent, status: 410)
        story.assertion(at: 8_000)
        story.poll(at: 9_000, Story.alice)
        #expect(story.sentences == [])
    }

    // MARK: Who was here before

    @Test("a device that was signed in before the run, on ids that may be old")
    func preSignedIn() {
        var story = Story()
        story.rules.devicesAreFresh = false
        story.tell(.tv, .checkAuthentication, at: 0, code: nil)
        story.tell(.tv, .authorize, at: 10, code: nil, resource: "demo-1")
        story.poll(at: 1_000, Story.bob)
        story.poll(at: 2_000, Story.bob)
        #expect(story.sentences == [])
        #expect(story.findings.preSignedIn == 1)
        story.rules.devicesAreFresh = true
        #expect(story.findings.violations.map(\.invariant) == [.noTokenBeforeSignIn])
    }

    @Test("a device that was not signed in when it came was not signed in before")
    func notPreSignedIn() {
        var story = Story()
        story.rules.devicesAreFresh = false
        story.tell(.tv, .checkAuthentication, at: 0, .absent, code: nil)
        story.poll(at: 1_000, Story.bob)
        #expect(story.findings.violations.map(\.invariant) == [.noTokenBeforeSignIn])
    }

    @Test("shared accounts: a name proves nothing, and the report says so")
    func shared() {
        var story = Story.clean(in: 7)
        story.live(in: 8, tag: Story.alice, code: "BBBBBB2")
        story.code("CCCCCC3", in: 9)
        story.poll(at: 5_000, Story.alice, in: 9, code: "CCCCCC3")
        let findings = story.findings
        #expect(findings.violations.map(\.standing) == [.suspected])
        #expect(findings.failing == 0)
        #expect(findings[.tokenIsolation].note == "weakened: several households share accounts")
        var minted = Story.clean(in: 7)
        minted.exchanges.removeAll {
            $0.operation == .logout || $0.operation == .checkAuthentication
        }
        minted.live(in: 8, tag: Story.alice, code: "BBBBBB2")
        minted.poll(at: 15_000, Story.alice, expires: Story.epoch + 21_600_500)
        #expect(minted.findings.violations.map(\.standing) == [.suspected])
    }

    @Test("users whom only the service knows are learned from a device's one sign-in")
    func learned() {
        var story = Story()
        story.rules.knowsUsers = false
        story.code()
        story.assertion(at: 8_000)
        let opaque = Tag(mvpd: "DemoCable", user: "u-8f31")
        story.poll(at: 10_000, opaque)
        story.poll(at: 15_000, opaque)
        #expect(story.sentences == [])
        #expect(
            story.findings[.tokenIsolation].note
                == "users learned from each device's first sign-in")
        story.poll(at: 20_000, Tag(mvpd: "DemoCable", user: "u-9999"))
        #expect(story.findings.violations.map(\.invariant) == [.tokenIsolation])
    }

    @Test("sign-ins that do not tell who signs in are believed")
    func untold() {
        var story = Story()
        story.code()
        story.tell(.tv, .tokenExchange, at: 1_000, code: nil, status: 204)
        story.poll(at: 2_000, Story.bob)
        story.poll(at: 3_000, Story.bob)
        #expect(story.sentences == [])
        story.poll(at: 4_000)
        #expect(story.findings.violations.map(\.invariant) == [.tokenMonotonic])
    }

    // MARK: What stands between

    @Test(
        "an edge's cache: the edge answered",
        arguments: [
            ["Age": "12"], ["X-Cache": "Hit from cloudfront"],
        ] as [Headers])
    func edge(evidence: Headers) {
        var story = flap()
        story.exchanges[3].evidence = evidence
        let found = story.findings.violations
        #expect(found.map(\.standing) == [.suspected])
        #expect(found[0].sentence.hasSuffix("; the edge answered, not the service"))
        #expect(found[0].certainty == .suspicion("a cache in front of the service answered"))
        var fresh = flap()
        fresh.exchanges[3].evidence = ["Age": "0", "X-Cache": "Miss from cloudfront"]
        #expect(fresh.findings.violations.map(\.standing) == [.fails])
    }

    @Test("a proxy on the way may repeat requests")
    func proxied() {
        var story = Story()
        story.code()
        story.assertion(at: 8_000, .denied, status: 400, evidence: ["Via": "1.1 edge"])
        story.poll(at: 10_000, Story.alice)
        let found = story.findings.violations
        #expect(found.map(\.invariant) == [.errorsHaveNoEffect])
        #expect(
            found[0].certainty
                == .suspicion("a proxy on the way may have repeated the request"))
    }

    @Test("our own clock stood still: nothing is said to have run out early")
    func sleep() {
        var story = Story()
        story.code(life: 60)
        story.assertion(at: 1_000)
        let expires = Story.epoch + 60_000
        story.poll(at: 2_000, Story.alice, expires: expires)
        // The machine sleeps for a minute here; the token runs out meanwhile.
        story.poll(at: 3_000)
        #expect(story.findings.failing > 0)
        let judge = Judge(story.rules)
        for exchange in story.told {
            if exchange.sent > Instant(nanoseconds: 2_500_000_000) {
                judge.clockStoodStill(for: .seconds(60))
            }
            judge.take(exchange)
        }
        #expect(judge.finish().violations.map(\.sentence) == [])
    }

    @Test("a deploy under the run: what is near it is told apart")
    func deploy() {
        var story = flap()
        for position in story.exchanges.indices {
            story.exchanges[position].evidence = ["Server": position < 3 ? "a/1" : "a/2"]
        }
        let found = story.findings.violations
        #expect(found.map(\.nearChange) == ["Server changed from \"a/1\" to \"a/2\" 0 ms before"])
        #expect(story.findings.changes == ["Server changed from \"a/1\" to \"a/2\" at 8054 ms"])
        var mixed = flap()
        for position in mixed.exchanges.indices {
            mixed.exchanges[position].evidence = ["Server": position % 2 == 0 ? "a/1" : "a/1"]
        }
        #expect(mixed.findings.violations.map(\.nearChange) == [nil])
    }

    // MARK: What is missing

    @Test("with exchanges missing nothing is said of what came after them")
    func gap() {
        var told = flap().told
        told.remove(at: 1)
        let judge = Judge(Rules())
        for exchange in told { judge.take(exchange) }
        let findings = judge.finish()
        #expect(findings.violations.isEmpty)
        #expect(findings[.linearizable].undecided == 1)
    }

    @Test("too many lost answers at once: undecided, and said so")
    func cap() {
        var story = Story()
        story.code()
        for attempt in 0..<14 {
            story.assertion(
                Tag(mvpd: "DemoCable", user: "u\(attempt)"), at: 8_000 + Double(attempt) * 10,
                lost: true)
        }
        story.poll(at: 9_000)
        let findings = story.findings
        #expect(findings[.linearizable].undecided == 1)
        #expect(findings.violations.isEmpty)
    }

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
        for exchange in flap().told { judge.take(exchange) }
        judge.clockStoodStill(for: .seconds(3), at: Instant(nanoseconds: 10_054_000_000))
        let findings = judge.finish()
        #expect(findings.changes == ["our own clock stood still for 3000 ms at 10.1 s"])
        #expect(
            findings.violations.map(\.nearChange)
                == ["our own clock stood still for 3000 ms 2000 ms after"])
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
                == (isTold ? ["203.0.113.9:443 began to answer at 70 s"] : []))
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
    func herds() throws {
        let findings = herd(many: 40, failing: 30).findings
        let found = try #require(findings.violations.first)
        #expect(findings.violations.count == 1)
        #expect(found.invariant == .pollingEnds && found.standing == .suspected)
        #expect(
            found.sentence.contains(
                ": polls that came together were worse off: with 40 and more within 10 ms "),
            "\(found.sentence)")
        #expect(findings[.pollingEnds].violations == 0 && findings[.pollingEnds].suspected == 1)
    }

    @Test("where in a run a herd comes makes no difference, nor that the first poll comes last")
    func lateHerds() throws {
        // A week, and an odd number of slots.
        let late = herd(many: 40, failing: 30, after: 604_800_010)
        let found = try #require(late.findings.violations.first)
        #expect(found.sentence.contains("with 40 and more within 10 ms "), "\(found.sentence)")
        var backwards = Herds()
        var forwards = Herds()
        for exchange in late.exchanges { forwards.note(exchange) }
        for exchange in late.exchanges.reversed() { backwards.note(exchange) }
        #expect(forwards.finding?.text == backwards.finding?.text)
        #expect(forwards.finding != nil)
    }

    @Test(
        "no suspicion where none fails, few fail, or few come together",
        arguments: [(40, 0), (40, 1), (8, 60)])
    func noHerd(many: Int, failing: Int) {
        #expect(herd(many: many, failing: failing).sentences == [])
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
