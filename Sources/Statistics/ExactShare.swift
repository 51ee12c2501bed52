/// Exact statements about k hits of n trials, from the binomial distribution itself (Clopper and
/// Pearson, Biometrika 26, 1934): never too narrow, at 0 of n as at n of n.
extension Interval {
    /// The two-sided interval: both ends leave half of the doubt outside. Without trials: 0 to 1.
    public static func exactShare(
        of hits: Int, in trials: Int, confidence: Double = 0.95
    ) -> Interval {
        guard trials > 0 else { return Interval(low: 0, high: 1) }
        let doubt = (1 - confidence) / 2
        return Interval(
            low: lowerBound(of: hits, in: trials, doubt: doubt),
            high: 1 - lowerBound(of: trials - hits, in: trials, doubt: doubt))
    }

    /// One-sided: the share is at least so high. The largest x with P(at least `hits` | x) within
    /// `doubt`; 47 of 50 at 5 % is 0.85.
    public static func lowerBound(of hits: Int, in trials: Int, doubt: Double = 0.05) -> Double {
        guard trials > 0, hits > 0 else { return 0 }
        let binomial = Binomial(trials: trials)
        var (low, high) = (0.0, 1.0)
        for _ in 0..<60 {
            let middle = (low + high) / 2
            if binomial.atLeast(min(hits, trials), middle) <= doubt {
                low = middle
            } else {
                high = middle
            }
        }
        return low
    }

    /// The probability of at least so many hits at this share.
    static func probability(ofAtLeast hits: Int, in trials: Int, share: Double) -> Double {
        hits > trials ? 0 : hits <= 0 ? 1 : Binomial(trials: trials).atLeast(hits, share)
    }

    /// One-sided: the share is at most so high; of 0 of n about 3/n.
    public static func upperBound(of hits: Int, in trials: Int, doubt: Double = 0.05) -> Double {
        guard trials > 0 else { return 1 }
        if hits <= 0 { return TrialCount.share(seenWith: 1 - doubt, in: trials) }
        return 1 - lowerBound(of: trials - hits, in: trials, doubt: doubt)
    }
}

/// Whether two arms differ: Fisher's exact test, two-sided, over all tables as unlikely as this one
/// or more.
public func fisherExact(
    _ hits: Int, of trials: Int, against otherHits: Int, of otherTrials: Int
) -> Double {
    guard trials > 0, otherTrials > 0 else { return 1 }
    let factorials = LogFactorials(through: trials + otherTrials)
    let marked = hits + otherHits
    func weight(_ first: Int) -> Double {
        factorials.choose(first, of: trials) + factorials.choose(marked - first, of: otherTrials)
            - factorials.choose(marked, of: trials + otherTrials)
    }
    let own = weight(hits)
    let range = max(0, marked - otherTrials)...min(trials, marked)
    // A table of the same weight may differ by rounding.
    let sum = range.map(weight).filter { $0 <= own + 1e-9 }.reduce(0) { $0 + exponential($1) }
    return min(1, sum)
}

/// Tails of the binomial distribution.
private struct Binomial {
    let trials: Int
    private let factorials: LogFactorials

    init(trials: Int) {
        self.trials = trials
        factorials = LogFactorials(through: trials)
    }

    /// P(X >= `hits`) at a share strictly between 0 and 1.
    func atLeast(_ hits: Int, _ share: Double) -> Double {
        guard share > 0 else { return 0 }
        guard share < 1 else { return 1 }
        let (yes, no) = (Elementary.logarithm(share), Elementary.logarithm(1 - share))
        var sum = 0.0
        for count in hits...trials {
            let term = exponential(
                factorials.choose(count, of: trials) + Double(count) * yes
                    + Double(trials - count) * no)
            sum += term
            // Beyond the mode the terms fall ever faster.
            if term < sum * 1e-18, Double(count) > Double(trials) * share { break }
        }
        return sum
    }
}

private struct LogFactorials {
    private var logarithms: [Double] = [0]

    init(through last: Int) {
        logarithms.reserveCapacity(last + 1)
        for number in stride(from: 1, through: last, by: 1) {
            logarithms.append(logarithms[number - 1] + Elementary.logarithm(Double(number)))
        }
    }

    func choose(_ count: Int, of all: Int) -> Double {
        logarithms[all] - logarithms[count] - logarithms[all - count]
    }
}

/// Nothing where it would be too small to count.
private func exponential(_ value: Double) -> Double {
    value < -690 ? 0 : Elementary.exponential(value)
}
