import Testing

@testable import Statistics

@Suite("Runs that might have been")
struct BlockBootstrapTests {
    /// `stretches` of `each` values, log-normal around `median` ms; `together` is how much whole
    /// stretches vary, and `alike` how much of that a stretch has from the one before it.
    private func run(
        _ seed: Seed, median: Double = 20, stretches: Int = 30, each: Int = 60,
        together: Double = 0, alike: Double = 0
    ) -> BlockBootstrap {
        var dice = seed.generator()
        var before = 0.0
        return BlockBootstrap(
            (0..<stretches).map { _ in
                var histogram = Histogram()
                let own = Elementary.normalQuantile(0.001 + 0.998 * dice.unit())
                before = alike * before + (1 - alike * alike).squareRoot() * own
                let shift = together * before
                for _ in 0..<each {
                    let deviate = Elementary.normalQuantile(0.0001 + 0.9998 * dice.unit())
                    histogram.record(
                        Int64(median * 1e6 * Elementary.exponential(0.4 * deviate + shift)))
                }
                return histogram
            })
    }

    private func difference(_ base: BlockBootstrap, _ run: BlockBootstrap, share: Double)
        -> Difference?
    {
        Difference.quantiles(base, run, atShares: [share], seed: Seed(1), draws: 300).first
    }

    @Test("two runs of one service differ by chance: 95 intervals in 100 hold 0, at least 90 here")
    func coverage() {
        var held = 0
        var surprised = 0
        for seed in 0..<100 {
            let pair = Seed(UInt64(seed))
            let (base, other) = (run(pair.child("a")), run(pair.child("b")))
            guard let found = difference(base, other, share: 0.5) else { continue }
            held += found.interval.contains(0) ? 1 : 0
            surprised += found.probability < 0.05 ? 1 : 0
        }
        #expect(held >= 90, "\(held)")
        #expect(surprised <= 11, "\(surprised)")
    }

    @Test("where whole stretches vary together, single values would be taken for news")
    func together() {
        var blocks = 0
        var singles = 0
        for seed in 0..<60 {
            let pair = Seed(UInt64(seed))
            let (a, b) = (pair.child("a"), pair.child("b"))
            let whole = difference(run(a, together: 0.3), run(b, together: 0.3), share: 0.95)
            blocks += whole?.probability ?? 1 < 0.05 ? 1 : 0
            // The same values, but told in so few stretches that single ones are drawn.
            let one = difference(
                merged(run(a, together: 0.3)), merged(run(b, together: 0.3)), share: 0.95)
            singles += one?.probability ?? 1 < 0.05 ? 1 : 0
        }
        #expect(blocks <= 8, "\(blocks) of 60")
        #expect(singles >= 2 * blocks, "\(singles) of 60")
    }

    @Test(
        "a queue that takes longer than a stretch to empty makes few of many stretches, no news",
        arguments: [0, 0.4, 0.7])
    func alike(alike: Double) {
        var surprised = 0
        for seed in 0..<100 {
            let pair = Seed(UInt64(seed))
            func side(_ name: StaticString) -> BlockBootstrap {
                run(pair.child(name), stretches: 40, together: 0.3, alike: alike)
            }
            let found = difference(side("a"), side("b"), share: 0.95)
            surprised += found?.probability ?? 1 < 0.05 ? 1 : 0
        }
        #expect(surprised <= 12, "\(surprised) of 100")
    }

    private func merged(_ run: BlockBootstrap) -> BlockBootstrap { BlockBootstrap([run.all]) }

    @Test("a tenth more is found, with an interval around it", arguments: [0.5, 0.95])
    func found(share: Double) throws {
        let found = try #require(
            difference(run(Seed(1), each: 400), run(Seed(2), median: 22, each: 400), share: share))
        #expect(found.probability < 1e-4)
        #expect(found.interval.low > 0)
        #expect(found.interval.contains(found.run - found.base))
        #expect((0.05...0.15).contains(found.run / found.base - 1))
    }

    @Test("the same seed gives the same answer, another one nearly the same")
    func repeatable() throws {
        let (base, other) = (run(Seed(1)), run(Seed(2)))
        func ask(_ seed: UInt64) -> [Difference] {
            Difference.quantiles(base, other, atShares: [0.5, 0.99], seed: Seed(seed))
        }
        #expect(ask(1) == ask(1))
        #expect(ask(1) != ask(2))
        for (one, two) in zip(ask(1), ask(2)) {
            #expect(abs(one.interval.low - two.interval.low) < 0.2 * abs(one.interval.low) + 1e5)
        }
    }

    @Test("few values say little: the same ratio is less sure with twenty than with two thousand")
    func few() throws {
        let small = try #require(
            difference(
                run(Seed(1), stretches: 10, each: 2),
                run(Seed(2), median: 24, stretches: 10, each: 2), share: 0.5))
        #expect(small.probability > 0.005)
    }

    @Test("of fewer than eight stretches single values are drawn; of none, nothing")
    func fallback() {
        #expect(run(Seed(1), stretches: 7).drawsSingles)
        #expect(!run(Seed(1), stretches: 8).drawsSingles)
        let none = BlockBootstrap([])
        #expect(none.count == 0)
        #expect(Difference.quantiles(none, run(Seed(1)), atShares: [0.5], seed: Seed(1)).isEmpty)
    }

    @Test("a drawn percentile is that of the stretches drawn, as the plain way computes it")
    func twin() {
        let stretches = (0..<12).map { stretch in
            var histogram = Histogram()
            for value in 0..<20 { histogram.record(Int64(stretch * 7 + value * 3)) }
            return histogram
        }
        let bootstrap = BlockBootstrap(stretches)
        var dice = Seed(9).generator()
        var again = Seed(9).generator()
        for _ in 0..<50 {
            let drawn = bootstrap.drawn(atShares: [0.5, 0.9, 1], using: &dice)
            var merged = Histogram()
            // Two parts of six stretches.
            for part in [0, 6] {
                for _ in 0..<6 { merged.merge(stretches[part + again.below(6)]) }
            }
            let plain = [0.5, 0.9, 1].map { Double(merged.value(atShare: $0) ?? 0) }
            #expect(drawn == plain)
        }
    }
}
