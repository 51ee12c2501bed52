import Foundation
import Testing

@testable import Statistics

@Suite("Distributions")
struct DistributionTests {
    @Test(
        "a draw in nanoseconds is the draw",
        arguments: [
            .fixed(.milliseconds(2)), .fixed(.nanoseconds(7)), .fixed(.zero),
            .uniform(.milliseconds(1), .milliseconds(3)), .exponential(mean: .seconds(2)),
            .lognormal(median: .milliseconds(20), p95: .milliseconds(90)),
        ] as [Distribution])
    func nanoseconds(distribution: Distribution) {
        let sampler = Distribution.Sampler(distribution)
        var (dice, twin) = (Seed(5).generator(), Seed(5).generator())
        for _ in 0..<200 {
            let nanoseconds = sampler.nanoseconds(using: &dice)
            #expect(Duration.nanoseconds(nanoseconds) == sampler.sample(using: &twin))
        }
        #expect(dice.next() == twin.next())
    }

    @Test("our logarithm and exponential agree with the C library's", arguments: Seed.samples(20))
    func elementaryFunctions(seed: Seed) {
        var dice = seed.generator()
        for _ in 0..<500 {
            let exponent = dice.unit() * 1400 - 700
            let power = Elementary.exponential(exponent)
            #expect(abs(power / exp(exponent) - 1) < 1e-14, "exp(\(exponent))")
            let logarithm = Elementary.logarithm(power)
            #expect(abs(logarithm - log(power)) <= 1e-15 * max(1, abs(logarithm)), "log(\(power))")
        }
    }

    @Test("the logarithm is exact at one, at powers of two and near one")
    func logarithmNearOne() {
        #expect(Elementary.logarithm(1) == 0)
        #expect(Elementary.logarithm(2) == M_LN2)
        for step in 1...60 {
            let value = 1 + pow(2, -Double(step))
            #expect(abs(Elementary.logarithm(value) / log(value) - 1) < 1e-14 || value == 1)
        }
    }

    @Test("the normal quantile undoes the error function", arguments: Seed.samples(20))
    func quantile(seed: Seed) {
        var dice = seed.generator()
        for power in 0..<50 {
            let probability = (dice.unit() * 0.5 + 1e-12) * pow(0.5, Double(power) / 2)
            let value = Elementary.normalQuantile(probability)
            let back = 0.5 * erfc(-value / 2.0.squareRoot())
            #expect(abs(back / probability - 1) < 1e-12, "quantile(\(probability)) = \(value)")
            if probability > 1e-3 {
                #expect(abs(Elementary.normalQuantile(1 - probability) + value) < 1e-10)
            }
        }
    }

    @Test("the normal quantile has the printed values of the tables")
    func tables() {
        #expect(Elementary.normalQuantile(0.5) == 0)
        #expect(abs(Elementary.normalQuantile(0.975) - 1.959963984540054) < 1e-14)
        #expect(abs(Elementary.normalQuantile(0.95) - 1.6448536269514722) < 1e-14)
        #expect(abs(Elementary.normalQuantile(1e-20) + 9.262340089798408) < 1e-12)
    }

    static let quantiles: [(Distribution, median: Double, p95: Double, mean: Double)] = [
        (.fixed(.seconds(20)), 20, 20, 20),
        (.uniform(.seconds(1), .seconds(3)), 2, 2.9, 2),
        (.exponential(mean: .seconds(5)), 5 * M_LN2, -5 * log(0.05), 5),
        (
            .lognormal(median: .seconds(8), p95: .seconds(30)), 8, 30,
            8 * exp(pow(log(30.0 / 8) / 1.6448536269514722, 2) / 2)
        ),
        (
            .lognormal(median: .seconds(20), p95: .seconds(90)), 20, 90,
            20 * exp(pow(log(4.5) / 1.6448536269514722, 2) / 2)
        ),
    ]

    @Test("median, p95 and mean are those of the formula", arguments: quantiles)
    func formula(row: (Distribution, median: Double, p95: Double, mean: Double)) {
        #expect(abs(row.0.value(atShare: 0.5).seconds - row.median) < 2e-9)
        #expect(abs(row.0.value(atShare: 0.95).seconds - row.p95) < 2e-8)
        #expect(abs(row.0.mean.seconds / row.mean - 1) < 1e-9)
    }

    @Test("many draws have the median, p95 and mean of the formula", arguments: quantiles)
    func draws(row: (Distribution, median: Double, p95: Double, mean: Double)) {
        var dice = Seed(11).generator()
        let draws = (0..<40_000).map { _ in row.0.sample(using: &dice).seconds }.sorted()
        #expect(abs(draws[20_000] / row.median - 1) < 0.02)
        #expect(abs(draws[38_000] / row.p95 - 1) < 0.03)
        #expect(abs(draws.reduce(0, +) / 40_000 / row.mean - 1) < 0.03)
    }

    @Test("a draw is never negative, never beyond the last millionth, never over thirty days")
    func bounds() {
        let broad = Distribution.lognormal(median: .seconds(1), p95: .seconds(86_400))
        #expect(broad.value(atShare: 1) == Distribution.longest)
        #expect(broad.value(atShare: 0) >= .zero)
        let human = Distribution.lognormal(median: .seconds(20), p95: .seconds(90))
        #expect(human.value(atShare: 1) == human.value(atShare: 1 - 1e-6))
        #expect(human.value(atShare: 0) == human.value(atShare: 1e-6))
        #expect(Distribution.fixed(.seconds(-1)).value(atShare: 0.3) == .zero)
        #expect(Distribution.fixed(.seconds(10_000_000)).mean == .seconds(10_000_000))
        let uniform = Distribution.uniform(.seconds(1), .seconds(2))
        #expect(uniform.value(atShare: 0) == .seconds(1))
        #expect(uniform.value(atShare: 1) == .seconds(2))
    }

    @Test("draws are the same numbers on every machine")
    func pinned() {
        var dice = Seed(7).generator()
        let human = Distribution.lognormal(median: .seconds(8), p95: .seconds(30))
        let draws = (0..<4).map { _ in human.sample(using: &dice).nanoseconds }
        #expect(draws == [6_389_349_182, 1_450_281_534, 22_482_816_010, 9_465_992_896])
    }

    @Test("a fixed time takes nothing from the dice, every other exactly one number")
    func dice() {
        for (distribution, _, _, _) in Self.quantiles {
            var used = Seed(3).generator()
            var expected = Seed(3).generator()
            _ = distribution.sample(using: &used)
            if case .fixed = distribution {} else { _ = expected.next() }
            let (next, wanted) = (used.next(), expected.next())
            #expect(next == wanted)
        }
    }
}
