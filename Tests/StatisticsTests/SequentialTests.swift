import Statistics
import Testing

@Suite("How many trials")
struct SequentialTests {
    @Test(
        "to see it once",
        arguments: [
            (0.5, 5), (0.2, 14), (0.1, 29), (0.05, 59), (0.02, 149), (0.01, 299), (0.001, 2995),
            (1, 1),
        ])
    func see(share: Double, trials: Int) {
        #expect(TrialCount.toSee(share) == trials)
    }

    @Test("to call it fixed: 11 runs where it was 35 %, 228 where it was 2 %")
    func fixed() {
        #expect(TrialCount.toCallFixed(0.35) == 11)
        #expect(TrialCount.toCallFixed(0.02) == 228)
        #expect(TrialCount.toCallFixed(0.35, confidence: 0.95) == 7)
    }

    @Test("what never happens cannot be seen")
    func ends() {
        #expect(TrialCount.toSee(0) == nil)
        #expect(TrialCount.toCallFixed(0) == nil)
    }

    @Test(
        "it tells the two shares apart, with no more errors than it was allowed",
        arguments: [
            (low: 0.05, high: 0.5, mean: 3.0...8.0), (low: 0.01, high: 0.2, mean: 6...25),
            (low: 0.02, high: 0.1, mean: 30...80),
        ])
    func sequential(low: Double, high: Double, mean: ClosedRange<Double>) {
        var dice = Seed(3).generator()
        var (wrong, trials) = (0, 0)
        for round in 0..<2_000 {
            let isHigh = round % 2 == 0
            var test = SequentialTest(low: low, high: high)
            while test.decision == nil { test.add(dice.chance(isHigh ? high : low)) }
            wrong += (test.decision == .high) == isHigh ? 0 : 1
            trials += test.trials
        }
        #expect(wrong <= 110, "\(wrong) of 2,000 wrong")
        #expect(mean.contains(Double(trials) / 2_000), "\(Double(trials) / 2_000) trials")
    }

    @Test("no hit at all is a rejection after a known number of trials")
    func misses() {
        var test = SequentialTest(low: 0.125, high: 0.5)
        while test.decision == nil { test.add(false) }
        #expect(test.decision == .low)
        #expect(test.trials == 6)
    }

    @Test("a share of one is testable: a single miss does not end it for ever")
    func certainty() {
        var test = SequentialTest(low: 0.1, high: 1)
        test.add(true)
        #expect(test.leaning == .high)
        test.add(false)
        #expect(test.decision == .low)
    }
}
