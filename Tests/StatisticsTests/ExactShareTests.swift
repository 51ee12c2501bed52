import Statistics
import Testing

@Suite struct ExactShareTests {
    @Test(
        "the exact interval is the textbook's",
        arguments: [
            (7, 20, 0.154, 0.592), (47, 50, 0.835, 0.988), (0, 100, 0, 0.036),
            (41, 50, 0.686, 0.914),
        ] as [(Int, Int, Double, Double)])
    func twoSided(hits: Int, trials: Int, low: Double, high: Double) {
        let interval = Interval.exactShare(of: hits, in: trials)
        #expect(abs(interval.low - low) < 0.001)
        #expect(abs(interval.high - high) < 0.001)
    }

    @Test(
        "so many hits of as many trials claim a share at 95 %",
        arguments: [(5, 0.5), (14, 0.8), (29, 0.9), (59, 0.95)] as [(Int, Double)])
    func allHits(trials: Int, claimed: Double) {
        #expect(Interval.lowerBound(of: trials, in: trials) >= claimed)
        #expect(Interval.lowerBound(of: trials - 1, in: trials - 1) < claimed)
    }

    @Test("nothing of n leaves about three in n")
    func ruleOfThree() {
        #expect(abs(Interval.upperBound(of: 0, in: 100) - 0.0295) < 0.0005)
        #expect(Interval.upperBound(of: 0, in: 0) == 1)
        #expect(Interval.lowerBound(of: 0, in: 0) == 0)
    }

    @Test(
        "Fisher's exact test gives the known values",
        arguments: [
            (1, 10, 11, 12, 0.000_289), (3, 4, 1, 4, 0.485_7), (5, 5, 0, 5, 0.007_9),
            (2, 9, 2, 9, 1),
        ] as [(Int, Int, Int, Int, Double)])
    func fisher(hits: Int, trials: Int, others: Int, otherTrials: Int, value: Double) {
        let found = fisherExact(hits, of: trials, against: others, of: otherTrials)
        #expect(abs(found - value) < 0.000_1, "\(found)")
    }
}
