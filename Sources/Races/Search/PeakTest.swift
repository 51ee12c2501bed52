internal import Statistics

/// Whether hits are rather frequent or rather rare, decided with as few trials as that takes (Wald's
/// sequential probability ratio test, 1945).
struct PeakTest {
    enum Verdict { case frequent, rare }

    /// The sum of log likelihood ratios, and what each outcome adds.
    private var weight = 0.0
    private let ofHit: Double
    private let ofMiss: Double
    private let limit: Double
    private(set) var rate = HitRate()

    /// `rare` below `frequent`, both strictly within 0 and 1. Each error at most `doubt` likely.
    init(rare: Double, frequent: Double, doubt: Double = 0.05) {
        ofHit = Elementary.logarithm(frequent / rare)
        ofMiss = Elementary.logarithm((1 - frequent) / (1 - rare))
        limit = Elementary.logarithm((1 - doubt) / doubt)
    }

    /// Against a peak rate: "as good as the peak" or "a tenth of it".
    init(peak: Double) {
        self.init(rare: max(0.02, peak * 0.1), frequent: min(0.95, max(0.1, peak * 0.8)))
    }

    mutating func add(_ isHit: Bool) {
        rate.add(isHit)
        weight += isHit ? ofHit : ofMiss
    }

    var verdict: Verdict? {
        if weight >= limit { return .frequent }
        if weight <= -limit { return .rare }
        return nil
    }

    /// What it looks like so far.
    var leaning: Verdict { weight > 0 ? .frequent : .rare }
}
