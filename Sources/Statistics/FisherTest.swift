/// Fisher's exact test of two arms: how likely a difference at least as large is, if chance alone
/// dealt the hits to the arms (correctness.md § 4.4: interleave arms, compare so).
public struct FisherTest: Hashable, Sendable {
    /// How likely the first arm has so many hits or more.
    public let oneSided: Double
    /// How likely any division of the hits is that is no likelier than this one.
    public let twoSided: Double

    /// `hits` of `trials` in the first arm, `otherHits` of `otherTrials` in the other.
    public init(hits: Int, trials: Int, otherHits: Int, otherTrials: Int) {
        let all = hits + otherHits
        let lowest = max(0, all - otherTrials)
        let highest = min(all, trials)
        guard (lowest...max(lowest, highest)).contains(hits), highest >= lowest else {
            oneSided = 1
            twoSided = 1
            return
        }
        // Each division's weight follows from the one before it; relative to the one that was
        // seen, so that what counts is of the order of 1.
        let seen = 1.0
        var (above, below, evenly) = (0.0, 0.0, 0.0)
        var weight = seen
        for first in stride(from: hits, to: highest, by: 1) {
            weight *=
                Double(trials - first) * Double(all - first)
                / (Double(first + 1) * Double(otherTrials - all + first + 1))
            above += weight
            if weight <= seen * (1 + 1e-9) { evenly += weight }
        }
        weight = seen
        for first in stride(from: hits, to: lowest, by: -1) {
            weight *=
                Double(first) * Double(otherTrials - all + first)
                / (Double(trials - first + 1) * Double(all - first + 1))
            below += weight
            if weight <= seen * (1 + 1e-9) { evenly += weight }
        }
        let total = seen + above + below
        oneSided = total.isFinite ? (seen + above) / total : 0
        twoSided = total.isFinite ? (seen + evenly) / total : 0
    }
}
