import Statistics
import Testing

@Suite("Turnbull's estimate")
struct TurnbullTests {
    private func estimate(_ intervals: [(Double, Double)]) -> Turnbull {
        Turnbull(intervals.map { Turnbull.CensoredValue(low: $0.0, high: $0.1) })
    }

    @Test("of values that were seen exactly it is their distribution")
    func exact() {
        let found = estimate([(1, 1), (2, 2), (2, 2), (4, 4)])
        #expect(found.steps.map(\.low) == [1, 2, 4])
        #expect(found.steps.map(\.high) == [1, 2, 4])
        for (step, share) in zip(found.steps, [0.25, 0.5, 0.25]) {
            #expect(abs(step.share - share) < 1e-6)
        }
        #expect(found.quantile(0.5) == Interval(low: 2, high: 2))
        #expect(found.quantile(1) == Interval(low: 4, high: 4))
        #expect(found.count == 4)
    }

    @Test("mass lies in the innermost intervals only")
    func innermost() {
        let found = estimate([(0, 3), (1, 4), (2, 4), (6, 9), (8, 12)])
        #expect(found.steps.map(\.low) == [2, 8])
        #expect(found.steps.map(\.high) == [3, 9])
        #expect(abs(found.steps[0].share - 0.6) < 1e-6)
    }

    /// Two values that each may lie in one of two places, and one that tells: the likelihood is
    /// (a + b)(b)(b + c), which b = 1 makes the greatest.
    @Test("what one value tells, all others are read by")
    func selfConsistent() {
        let found = estimate([(0, 4), (3, 4), (3, 9)])
        #expect(found.steps.count == 1)
        #expect(found.quantile(0.5) == Interval(low: 3, high: 4))
    }

    /// By hand: intervals [0,1], [4,5] and a wide [0,5] once each. The wide one is spread as the
    /// others are: a half each.
    @Test("a value that tells nothing changes nothing")
    func wide() {
        let found = estimate([(0, 1), (4, 5), (0, 5)])
        #expect(found.steps.count == 2)
        for step in found.steps { #expect(abs(step.share - 0.5) < 1e-6) }
    }

    @Test("counts are as good as repetitions")
    func counts() {
        let one = Turnbull([.init(low: 0, high: 2, count: 3), .init(low: 1, high: 5, count: 2)])
        let other = estimate([(0, 2), (0, 2), (0, 2), (1, 5), (1, 5)])
        #expect(one == other)
        #expect(one.count == 5)
    }

    @Test("nothing seen, nothing said")
    func nothing() {
        #expect(estimate([]).steps.isEmpty)
        #expect(estimate([]).quantile(0.5) == nil)
        #expect(Turnbull([.init(low: 1, high: 2, count: 0)]).quantile(1) == nil)
    }

    /// Exponential times of mean 100, each seen only between two looks that are 10 to 60 apart.
    @Test("it finds a distribution that nobody saw", arguments: Seed.samples(8))
    func recovers(seed: Seed) {
        var dice = seed.generator()
        let exponential = Distribution.exponential(mean: .milliseconds(100))
        let observations = (0..<4_000).map { _ -> Turnbull.CensoredValue in
            let value = exponential.sample(using: &dice) / .milliseconds(1)
            let step = 10 + 50 * dice.unit()
            var look = step * dice.unit()
            while look < value { look += step }
            return Turnbull.CensoredValue(low: max(0, look - step), high: look)
        }
        let found = Turnbull(observations)
        #expect(abs(found.steps.reduce(0) { $0 + $1.share } - 1) < 1e-3)
        // The median of it is 69.3, its ninetieth percentile 230.
        for (rank, truth, slack) in [(0.5, 69.3, 12.0), (0.9, 230.3, 40.0)] {
            let range = found.quantile(rank) ?? Interval(low: 0, high: 0)
            #expect(range.low - slack < truth && truth < range.high + slack, "\(rank): \(range)")
        }
    }
}
