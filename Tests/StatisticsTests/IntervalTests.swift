import Statistics
import Testing

@Suite("Intervals")
struct IntervalTests {
    @Test(
        "a share's interval has the values of the literature",
        arguments: [
            (hits: 0, trials: 10, low: 0.0, high: 0.2775),
            (hits: 10, trials: 10, low: 0.7225, high: 1.0),
            (hits: 5, trials: 10, low: 0.2366, high: 0.7634),
            (hits: 81, trials: 263, low: 0.2553, high: 0.3662),
            (hits: 15, trials: 148, low: 0.0624, high: 0.1605),
        ])
    func wilson(hits: Int, trials: Int, low: Double, high: Double) {
        let interval = Interval.share(of: hits, in: trials)
        #expect(abs(interval.low - low) < 5e-5)
        #expect(abs(interval.high - high) < 5e-5)
    }

    @Test("nothing tried, nothing known")
    func nothing() {
        #expect(Interval.share(of: 0, in: 0) == Interval(low: 0, high: 1))
    }

    @Test("nineteen intervals in twenty hold the truth")
    func coverage() {
        var dice = Seed(4).generator()
        var held = 0
        for _ in 0..<2_000 {
            let hits = (0..<80).reduce(0) { count, _ in count + (dice.chance(0.3) ? 1 : 0) }
            held += Interval.share(of: hits, in: 80).contains(0.3) ? 1 : 0
        }
        #expect((1_840...1_960).contains(held), "\(held) of 2,000")
    }

    @Test("more confidence is a wider interval")
    func confidence() {
        let usual = Interval.share(of: 3, in: 20)
        let sure = Interval.share(of: 3, in: 20, confidence: 0.999)
        #expect(sure.low < usual.low && sure.high > usual.high)
    }
}
