/// How many trials a sentence about a share needs.
public enum TrialCount {
    /// To see once, with `confidence`, what happens in `share` of the trials. Nil where that is
    /// never: `share` is 0.
    public static func toSee(_ share: Double, confidence: Double = 0.95) -> Int? {
        guard share > 0 else { return nil }
        guard share < 1 else { return 1 }
        return least(for: Elementary.logarithm(1 - confidence) / Elementary.logarithm(1 - share))
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
