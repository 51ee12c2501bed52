import Dialects
import Journal
import Testing
import Vocabulary

@testable import Checker

/// I15, I16 and I19.
@Suite("Invariants: clocks, throttle, polling")
struct ServiceInvariantTests {
    @Test("I15: times that fit no one clock")
    func clocks() throws {
        var story = Story()
        for household in 1...5 {
            story.code("AAAAAA\(household)", at: Double(household) * 1_000, in: household)
        }
        story.code("BBBBBB1", at: 10_000, in: 6, skew: 250)
        let found = try story.only()
        #expect(found.invariant == .clockAgreement)
        #expect(
            found.sentence
                == "household 6: the time in registration-code #1 and the time in most other "
                + "responses come from clocks at least 244.5 ms apart")
        story.rules.policies.clockTolerance = .milliseconds(250)
        #expect(story.sentences == [])
    }

    @Test("I15: a record that is given a second time has the first one's time, and no other clock")
    func repeatedRecord() {
        for isRepeated in [false, true] {
            var story = Story()
            for household in 1...5 {
                story.code("AAAAAA\(household)", at: Double(household) * 1_000, in: household)
            }
            story.code(
                "AAAAAA5", at: 5_250, in: 6, skew: -250,
                record: isRepeated ? "record of AAAAAA5 in 5" : nil)
            #expect(
                Set(story.findings.violations.map(\.invariant))
                    == (isRepeated ? [.codeUnique] : [.codeUnique, .clockAgreement]))
        }
    }

    @Test("I15: the Date of answers from which on the service's clock has jumped")
    func jump() throws {
        var story = Story()
        story.code()
        for step in 1...4 {
            story.poll(at: Double(step) * 1_000, evidence: ["Date": Story.date(0)])
        }
        story.poll(at: 5_000, evidence: ["Date": Story.date(-21_600)])
        story.poll(at: 6_000, evidence: ["Date": Story.date(-21_600)])
        let found = try story.only()
        #expect(found.invariant == .clockAgreement && found.standing == .fails)
        #expect(
            found.sentence
                == "household 7: the Date of poll-token #6 and the time in most other "
                + "responses come from clocks at least 21595.9 s apart")
        story.rules.promises = Promises(.documented)
        #expect(try story.only().standing == .observed)
    }

    @Test(
        "I15: a Date of another machine, of a second more or less, or of no form tells nothing",
        arguments: [
            ["Date": Story.date(-21_600), "Age": "3"],
            ["Date": Story.date(-21_600), "Via": "1.1 cache"],
            ["Date": Story.date(3)], ["Date": "yesterday"],
        ] as [Headers])
    func otherDates(headers: Headers) {
        var story = Story()
        story.code()
        for step in 1...4 {
            story.poll(at: Double(step) * 1_000, evidence: ["Date": Story.date(0)])
        }
        story.poll(at: 5_000, evidence: headers)
        #expect(story.sentences == [])
    }

    @Test("a token whose expiry is that of a clock that has jumped breaks no other promise")
    func jumpOfExpiry() throws {
        var story = Story()
        story.code()
        story.assertion(at: 8_000)
        story.poll(at: 9_000, evidence: ["Date": Story.date(0)])
        let early = Story.epoch - 21_590_000 + 10_000
        story.poll(at: 10_000, Story.alice, expires: early, evidence: ["Date": Story.date(-21_600)])
        #expect(story.findings.violations.allSatisfy { $0.invariant != .expiryRespected })
    }

    @Test("I16: turned away within the budget")
    func throttle() throws {
        var story = Story()
        story.rules.throttledBy = .device
        story.code()
        story.tell(.tv, .pollToken, at: 5_000, .none, status: 429)
        let found = try story.only()
        #expect(found.invariant == .throttleContract)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #2 was throttled (429) as one of the "
                + "first 2 requests of the TV; a burst of 10 is allowed")
        for second in 2...12 { story.poll(at: Double(second) * 5_000) }
        story.exchanges.remove(at: 1)
        story.tell(.tv, .pollToken, at: 65_000, .none, status: 429)
        #expect(
            try story.only().sentence
                == "household 7: the TV's poll-token #13 was throttled (429) although the TV "
                + "had sent no request for more than 1000 ms")
    }

    @Test(
        "I16: beyond the budget a 429 is what was promised; and elsewhere nobody knows",
        arguments: [true, false])
    func throttled(isKnown: Bool) {
        var story = Story()
        story.rules.throttledBy = isKnown ? .device : .unknown
        story.code()
        for step in 1...11 { story.poll(at: Double(step) * 50) }
        story.tell(.tv, .pollToken, at: isKnown ? 600 : 10_000, .none, status: 429)
        #expect(story.sentences == [])
        if !isKnown {
            #expect(
                story.findings[.throttleContract].note
                    == "unknown how the service identifies a device when throttling")
        }
    }

    @Test("I16: where a home has one limit, what the phone asked counts for the TV")
    func home() throws {
        var story = Story()
        story.rules.throttledBy = .household
        story.code()
        for step in 1...8 { story.poll(at: Double(step) * 50) }
        for step in 1...4 {
            story.tell(.phone, .checkCode, at: 500 + Double(step) * 50, .none, status: 403)
        }
        story.tell(.tv, .pollToken, at: 750, .none, status: 429)
        #expect(story.sentences == [])
        // Less than a period after the phone; more than one after the TV.
        story.tell(.phone, .checkCode, at: 20_000, .none, status: 403)
        story.tell(.tv, .pollToken, at: 20_500, .none, status: 429)
        #expect(story.sentences == [])
        story.tell(.tv, .pollToken, at: 30_000, .none, status: 429)
        #expect(
            try story.only().sentence
                == "household 7: the TV's poll-token #17 was throttled (429) although its household had sent no "
                + "request for more than 1000 ms")
        story.rules.throttledBy = .repeated
        #expect(story.sentences == [])
        #expect(story.findings[.throttleContract].note.contains("earlier"))
    }

    @Test("I19: a TV that asks on long after its code's end")
    func polling() throws {
        var story = Story()
        story.code(life: 10)
        story.poll(at: 80_000)
        let found = try story.only()
        #expect(found.invariant == .pollingEnds)
        #expect(
            found.sentence
                == "household 7: the TV's poll-token #2 still polled for code AAAAAA1 70 s "
                + "after its expiry")
    }

    @Test("I19: a poll that was due in time and that a starved rig sent late accuses nobody")
    func overdue() {
        var story = Story()
        story.code(life: 10)
        story.poll(at: 80_000)
        story.exchanges[story.exchanges.count - 1].planned = Instant(nanoseconds: 9_000_000_000)
        #expect(story.sentences == [])
    }
}
