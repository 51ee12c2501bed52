/// How often something with a fixed chance happens in a number of independent trials.
///
/// Tails are sums of terms that follow from each other by one multiplication, relative to the
/// largest of them: no factorials, no logarithms, the same bits on every machine. A sum costs as
/// many steps as there are trials.
struct Binomial {
    let trials: Int
    /// 0 to 1.
    let chance: Double

    /// The probability of at least `hits` hits.
    func atLeast(_ hits: Int) -> Double {
        if hits <= 0 { return 1 }
        if hits > trials { return 0 }
        return tail(from: hits)
    }

    /// The probability of at most `hits` hits.
    func atMost(_ hits: Int) -> Double {
        if hits < 0 { return 0 }
        if hits >= trials { return 1 }
        return 1 - tail(from: hits + 1)
    }

    /// Terms relative to the mode, so that none overflows; those too small to count become 0.
    private func tail(from hits: Int) -> Double {
        if chance <= 0 { return 0 }
        if chance >= 1 { return 1 }
        let odds = chance / (1 - chance)
        let mode = min(trials, Int(Double(trials + 1) * chance))
        var (inside, outside) = (0.0, 0.0)
        func count(_ term: Double, at position: Int) {
            if position >= hits { inside += term } else { outside += term }
        }
        var term = 1.0
        count(term, at: mode)
        for position in stride(from: mode, to: trials, by: 1) where term > 0 {
            term *= Double(trials - position) / Double(position + 1) * odds
            count(term, at: position + 1)
        }
        term = 1
        for position in stride(from: mode, to: 0, by: -1) where term > 0 {
            term *= Double(position) / Double(trials - position + 1) / odds
            count(term, at: position - 1)
        }
        return inside / (inside + outside)
    }
}
