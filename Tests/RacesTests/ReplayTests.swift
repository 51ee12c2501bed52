import Races
import Statistics
import Testing
import Vocabulary

@Suite("Replaying a case")
struct ReplayTests {
    @Test("k of n, with its interval, its window and its target")
    func counts() async {
        let arena = SyntheticArena(seed: Seed(5)) { _ in [.signInVisible: 0.8] }
        let known = Case.sample
        var seen: [Int] = []
        let outcome = await Replay(known, on: arena).play(times: 50) { seen.append($0.trials) }
        #expect(outcome.rate.trials == 50)
        // As few rounds as an arena bears.
        #expect(seen == [17, 34, 50])
        #expect(outcome.achieved?.p50 == .milliseconds(15))
        var fixed = outcome
        fixed.rate = HitRate(hits: 41, trials: 50)
        #expect(
            fixed.line(known, target: known.target.name)
                == "41 of 50 (Clopper-Pearson 95 %: 69-91 %), window 0 to +30 ms, on this target"
        )
        #expect(
            fixed.line(known, target: "https://elsewhere").hasSuffix(
                "on https://elsewhere, not the target where it was found"))
    }

    @Test("what told nothing is played again, but not for ever")
    func discards() async {
        let arena = SyntheticArena(unplayable: { _ in .throttled(op: "poll") }, { _ in [:] })
        let outcome = await Replay(Case.sample, on: arena).play(times: 10)
        #expect(outcome.rate.trials == 0)
        #expect((16...20).contains(outcome.discarded))
        #expect(outcome.notes(Case.sample).contains { $0.hasSuffix("poll was throttled") })
    }

    @Test("a stopped arena ends it")
    func stopped() async {
        let arena = SyntheticArena(unplayable: { _ in .stopped }, { _ in [:] })
        let outcome = await Replay(Case.sample, on: arena).play(times: 10)
        #expect(outcome.wasStopped && outcome.discarded == 10)
    }

    @Test("another promise that breaks is told, and is no hit")
    func others() async {
        let arena = SyntheticArena { _ in [.tokenMonotonic: 1] }
        let outcome = await Replay(Case.sample, on: arena).play(times: 5)
        #expect(outcome.rate == HitRate(hits: 0, trials: 5))
        #expect(outcome.others == [.tokenMonotonic: 5])
    }

    @Test("that a case out of a run has reproduced nowhere is told where it does not")
    func unmeasured() async {
        var known = Case.sample
        let arena = SyntheticArena { _ in [:] }
        let outcome = await Replay(known, on: arena).play(times: 5)
        let words = "no hit is no sign of a fix"
        #expect(!outcome.notes(known).contains { $0.contains(words) })
        known.evidence = nil
        #expect(outcome.notes(known).contains { $0.contains(words) })
    }

    @Test(
        "an answer against the form is a hit of its case: of the same operation, and broken twice in a trial it is one",
        arguments: [("conforms: registration-record", 3), ("conforms: configuration", 0)])
    func deviations(signature: String, hits: Int) async {
        struct Deviating: Arena {
            func play(_ schedules: [Schedule]) async -> [TrialResult] {
                schedules.map { schedule in
                    let breach = Breach(
                        .conforms, source: .documented, sentence: "registration-record: status 200",
                        signature: "conforms: registration-record")
                    var result = TrialResult(
                        schedule: schedule,
                        breaches: [
                            Breach(.oneToken, sentence: "one"), Breach(.oneToken, sentence: "two"),
                        ])
                    result.deviations = [breach, breach]
                    return result
                }
            }
        }
        var known = Case.sample
        known.expected = Case.Expected(
            .conforms, source: .documented, ops: [], signature: signature, sentence: "")
        let outcome = await Replay(known, on: Deviating()).play(times: 3)
        #expect(outcome.rate == HitRate(hits: hits, trials: 3))
        #expect(outcome.others == [.oneToken: 3])
    }

    @Test(
        "a reading of ours of the same name is no hit of what is documented, and the other way round it is",
        arguments: [
            (PromiseSource.documented, PromiseSource.ours, 0), (.documented, .documented, 5),
            (.ours, .ours, 5), (.ours, .documented, 5), (.policy, .ours, 0),
        ])
    func sources(found: PromiseSource, breaks: PromiseSource, hits: Int) async {
        var known = Case.sample
        known.expected = Case.Expected(
            .logoutFinal, source: found, ops: [],
            signature: "logout-final: logout success > poll-token success", sentence: "")
        let arena = SyntheticArena(source: breaks) { _ in [.logoutFinal: 1] }
        let outcome = await Replay(known, on: arena).play(times: 5)
        #expect(outcome.rate == HitRate(hits: hits, trials: 5))
        #expect(outcome.others == (hits == 0 ? [.logoutFinal: 5] : [:]))
        #expect((outcome.example == nil) == (hits == 0))
    }

    @Test(
        "how many replays call it fixed, and what came of them",
        arguments: [
            (7, 20, 28), (47, 50, 3), (41, 50, 4), (0, 20, nil), (1, 100, 18_190),
        ] as [(Int, Int, Int?)])
    func fixedAt(hits: Int, trials: Int, wanted: Int?) {
        var known = Case.sample
        known.evidence?.rate = HitRate(hits: hits, trials: trials)
        let fixed = FixedAt(known, confidence: 0.99)
        #expect(fixed.replays == wanted)
        guard let wanted else { return }
        #expect(
            fixed.verdict(HitRate(hits: 0, trials: wanted)).hasPrefix(
                "fixed with 99 % "
                    + "confidence: 0 of"))
        #expect(
            fixed.verdict(HitRate(hits: 1, trials: wanted)).hasPrefix(
                "not fixed: it "
                    + "reproduced in 1 of"))
        #expect(
            fixed.verdict(HitRate(hits: 0, trials: wanted - 1)).hasPrefix("not proven fixed yet"))
    }
}
