/// The bounds of Clopper and Pearson (Biometrika 26, 1934): never narrower than they promise, which
/// is what a claim about a race needs (correctness.md § 4.4). Found by bisecting the binomial tail.
extension Interval {
    /// The shares that `hits` of `trials` do not rule out from either side. Without trials it says
    /// nothing: 0 to 1. `confidence` is within 0 and 1, both excluded.
    public static func exact(
        of hits: Int, in trials: Int, confidence: Double = 0.95
    ) -> Interval {
        let side = 1 - (1 - confidence) / 2
        return Interval(
            low: atLeast(hits, in: trials, confidence: side),
            high: atMost(hits, in: trials, confidence: side))
    }

    /// The largest share that may be claimed from below: one-sided, so that 14 of 14 claim 0.8.
    public static func atLeast(
        _ hits: Int, in trials: Int, confidence: Double = 0.95
    ) -> Double {
        guard trials > 0, hits > 0 else { return 0 }
        let hits = min(hits, trials)
        return crossing { Binomial(trials: trials, chance: $0).atLeast(hits) > 1 - confidence }
    }

    /// The smallest share that may be claimed from above: one-sided, so that 0 of 100 claim 0.03.
    public static func atMost(
        _ hits: Int, in trials: Int, confidence: Double = 0.95
    ) -> Double {
        guard trials > 0, hits < trials else { return 1 }
        let hits = max(hits, 0)
        return crossing { Binomial(trials: trials, chance: $0).atMost(hits) <= 1 - confidence }
    }

    /// Where a condition that holds above some share begins to hold, to 2^-50.
    private static func crossing(_ holds: (Double) -> Bool) -> Double {
        var (low, high) = (0.0, 1.0)
        for _ in 0..<50 {
            let middle = (low + high) / 2
            if holds(middle) { high = middle } else { low = middle }
        }
        return (low + high) / 2
    }
}
