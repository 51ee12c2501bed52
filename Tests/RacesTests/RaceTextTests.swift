import TestSupport
import Testing
import Vocabulary

@testable import Races

@Suite struct RaceTextTests {
    private var finding: RaceFinding {
        let variant = RacePlan.catalogue[0].variants[0]
        let rates = [(-12_800, 0, 5), (50, 2, 6), (800, 5, 5), (25_600, 11, 12), (51_200, 0, 5)]
        return RaceFinding(
            plan: "poll-authenticate", invariant: .signInVisible, source: .ours,
            schedule: variant.at(.microseconds(15_430)), swept: "poll",
            window: .init(low: .microseconds(320), high: .microseconds(30_110)),
            best: .microseconds(15_430), rate: HitRate(hits: 29, trials: 30),
            achieved: .init([.microseconds(15_400), .microseconds(15_450)]),
            curve: rates.map {
                .init(offset: .microseconds($0.0), rate: HitRate(hits: $0.1, trials: $0.2))
            }, sentence: "the TV was told \"not yet\" after the phone was told \"done\"")
    }

    private var outcome: RaceOutcome {
        var outcome = RaceOutcome()
        outcome.findings = [finding]
        outcome.alsoIn = [("poll-poll", Promise(.signInVisible))]
        outcome.trials = 301
        outcome.discarded = [("poll was throttled", 2)]
        outcome.sweeps = ["a", "b", "c"].map { name in
            RaceOutcome.Sweep(
                plan: name, title: name, rounds: 5, isWhole: true, trials: 100, discarded: 0,
                obstacle: "")
        }
        outcome.elapsed = .milliseconds(11_730)
        outcome.gate = .init([.microseconds(10), .microseconds(40)])
        return outcome
    }

    @Test("the report fits 80 columns, and says when, how often and how to see it again")
    func report() throws {
        let text = RaceText.report(
            outcome, cases: ["reports/x/cases/a.json"], width: 80)
        try Golden.expect(text + "\n", is: "race.txt")
        for line in text.split(separator: "\n") { #expect(line.count <= 82, "\(line)") }
    }

    @Test("what fails a run goes by the source that the judge gave the finding")
    func source() throws {
        var outcome = outcome
        outcome.promises = Promises(.documented)
        outcome.findings[0].invariant = .logoutFinal
        for (source, level) in [
            (PromiseSource.ours, "observed; does not fail a run under promises: documented"),
            (.documented, "fails a run under promises: documented"),
        ] {
            outcome.findings[0].source = source
            let text = RaceText.report(outcome, cases: [])
            #expect(text.contains("\n  source: \(source.words)\n  \(level)\n"))
            let json = RaceText.json(outcome, cases: [])
            #expect(json.contains("\"source\": \"\(source.rawValue)\""))
            #expect(json.contains("\"level\": \"\(level)\""))
        }
    }

    @Test("bins that tell nothing share a row; those next to a hit keep theirs")
    func folded() {
        let rates = [(-100, 0), (-50, 0), (-20, 0), (-10, 0), (5, 3), (10, 0), (20, 0), (40, 0)]
        let lines = RaceText.curve(
            plan: "p", invariant: .signInVisible,
            rates.map {
                .init(offset: .milliseconds($0.0), rate: HitRate(hits: $0.1, trials: 5))
            }, nil, width: 40)
        #expect(
            lines == [
                "p: violations of sign-in-visible, by offset in ms",
                "   -100.00 to -20.00            0/15",
                "    -10.00                       0/5",
                "     +5.00  ████████             3/5",
                "    +10.00                       0/5",
                "    +20.00 to +40.00            0/10",
            ])
    }

    @Test("the outcome as one line of JSON")
    func json() throws {
        try Golden.expect(
            RaceText.json(outcome, cases: ["reports/x/cases/a.json"]) + "\n", is: "race.jsonl")
    }

    @Test("what nobody finds is told with what was tried")
    func nothing() {
        var outcome = outcome
        outcome.findings = []
        outcome.alsoIn = []
        let text = RaceText.report(outcome, cases: [])
        #expect(text.hasPrefix("no violation found: 301 trials in 11.7 s, 3 of 3 sweeps complete"))
    }

    @Test("nearer together than can be aimed at is simultaneous")
    func simultaneous() {
        var finding = finding
        finding.isSimultaneous = true
        #expect(
            RaceText.whenText(finding)
                == "when poll-token (tv) and authenticate (phone) are simultaneous, within the "
                + "aiming accuracy")
        finding.isSimultaneous = false
        finding.window?.isHighOpen = true
        #expect(
            RaceText.whenText(finding)
                == "when poll-token (tv) is sent +320 us or more after authenticate (phone)")
    }
}
