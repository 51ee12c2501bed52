/// How many trials a sentence about a share needs.
public enum TrialCount {
    /// To see once, with `confidence`, what happens in `share` of the trials. Nil where that is
    /// never: `share` is 0.
    public static func toSee(_ share: Double, confidence: Double = 0.95) -> Int? {
        guard share > 0 else { return nil }
        guard share < 1 else { return 1 }
        return least(for: Elementary.logarithm(1 - confidence) / Elementary.logarithm(1 - share))
    }

    /// The probability that `trials` show at least once what happens in `share` of them.
    public static func probability(ofSeeing share: Double, in trials: Int) -> Double {
        guard share > 0, trials > 0 else { return 0 }
        guard share < 1 else { return 1 }
        let exponent = Double(trials) * Elementary.logarithm(1 - share)
        return exponent < -700 ? 1 : 1 - Elementary.exponential(exponent)
    }

    /// The share that `trials` show at least once with that probability, which must be within 0 and 1, both
    /// excluded; the reverse of `probability`.
    public static func share(seenWith probability: Double, in trials: Int) -> Double {
        guard trials > 0 else { return 1 }
        return 1 - Elementary.exponential(Elementary.logarithm(1 - probability) / Double(trials))
    }

    /// All of them misses, to call fixed with `confidence` what used to happen in at least `share`
    /// of the trials: the lower bound of the old rate, at the same offsets. Nil where nothing was
    /// known of it: `share` is 0.
    public static func toCallFixed(_ share: Double, confidence: Double = 0.99) -> Int? {
        toSee(share, confidence: confidence)
    }

    /// Rounding must not ask for one more where the quotient is whole.
    private static func least(for quotient: Double) -> Int {
        quotient < 1e15 ? max(1, Int((quotient - 1e-9).rounded(.up))) : Int.max
    }
}
