import Statistics
import Testing

@Suite("Exact intervals and tests")
struct ExactTests {
    @Test(
        "two-sided bounds are those of the literature",
        arguments: [
            (hits: 7, trials: 20, low: 0.154, high: 0.592),
            (hits: 47, trials: 50, low: 0.835, high: 0.988),
            (hits: 0, trials: 100, low: 0.0, high: 0.036),
            (hits: 41, trials: 50, low: 0.686, high: 0.914),
            (hits: 50, trials: 50, low: 0.929, high: 1.0),
            (hits: 0, trials: 1, low: 0.0, high: 0.975),
            (hits: 20, trials: 20, low: 0.832, high: 1.0),
        ])
    func twoSided(hits: Int, trials: Int, low: Double, high: Double) {
        let interval = Interval.exactShare(of: hits, in: trials)
        #expect(abs(interval.low - low) < 6e-4, "\(interval)")
        #expect(abs(interval.high - high) < 6e-4, "\(interval)")
    }

    @Test("one-sided: no hit in 100 leaves 3 %, and 14 of 14 claim 80 %")
    func oneSided() {
        #expect(abs(Interval.upperBound(of: 0, in: 100) - 0.0295) < 1e-4)
        #expect(Interval.lowerBound(of: 14, in: 14) >= 0.8)
        #expect(Interval.lowerBound(of: 13, in: 13) < 0.8)
        #expect(Interval.lowerBound(of: 0, in: 9) == 0)
        #expect(Interval.upperBound(of: 9, in: 9) == 1)
    }

    @Test("nothing tried, nothing known")
    func nothing() {
        #expect(Interval.exactShare(of: 0, in: 0) == Interval(low: 0, high: 1))
    }

    @Test("never narrower than promised", arguments: [0.02, 0.3, 0.5, 0.95])
    func coverage(share: Double) {
        var dice = Seed(11).generator()
        var held = 0
        for _ in 0..<1_000 {
            let hits = (0..<40).reduce(0) { count, _ in count + (dice.chance(share) ? 1 : 0) }
            held += Interval.exactShare(of: hits, in: 40).contains(share) ? 1 : 0
        }
        #expect(held >= 940, "\(held) of 1,000")
    }

    @Test("a bound leaves exactly the tail that it promises", arguments: Seed.samples(20))
    func tails(seed: Seed) {
        var dice = seed.generator()
        let trials = 1 + dice.below(300)
        let hits = 1 + dice.below(trials)
        let low = Interval.lowerBound(of: hits, in: trials)
        // The slow twin: products of whole numbers, one term after another.
        var tail = 0.0
        for count in hits...trials {
            var term = 1.0
            var (up, down) = (count, trials - count)
            for position in 0..<count {
                term *= Double(trials - position) / Double(count - position)
                while term > 1, up > 0 || down > 0 {
                    if up > 0 { (term, up) = (term * low, up - 1) }
                    if down > 0 { (term, down) = (term * (1 - low), down - 1) }
                }
            }
            for _ in 0..<up { term *= low }
            for _ in 0..<down { term *= 1 - low }
            tail += term
        }
        #expect(abs(tail - 0.05) < 1e-6, "\(hits) of \(trials) at \(low)")
    }

    @Test("thousands of trials are no trouble")
    func many() {
        let interval = Interval.exactShare(of: 500, in: 10_000)
        #expect(abs(interval.low - 0.04581) < 1e-4 && abs(interval.high - 0.05445) < 1e-4)
    }

    struct Fisher: Sendable {
        var hits: Int, trials: Int, others: Int, otherTrials: Int
        var two: Double

        static let rows = [
            // The lady tasting tea: three of four right, then all four.
            Fisher(hits: 3, trials: 4, others: 1, otherTrials: 4, two: 0.485714),
            Fisher(hits: 4, trials: 4, others: 0, otherTrials: 4, two: 0.0285714),
            Fisher(hits: 0, trials: 4, others: 4, otherTrials: 4, two: 0.0285714),
            Fisher(hits: 10, trials: 12, others: 1, otherTrials: 12, two: 0.000673),
            Fisher(hits: 0, trials: 50, others: 0, otherTrials: 50, two: 1),
        ]
    }

    @Test("Fisher's test has the values of its book", arguments: Fisher.rows)
    func fisher(row: Fisher) {
        let chance = fisherExact(
            row.hits, of: row.trials, against: row.others, of: row.otherTrials)
        #expect(abs(chance - row.two) < 4e-5, "\(chance)")
    }

    @Test("fifty of fifty against none of fifty is no accident")
    func fisherFar() {
        let chance = fisherExact(50, of: 50, against: 0, of: 50)
        #expect(chance < 1e-28 && chance > 1e-31)
    }
}
