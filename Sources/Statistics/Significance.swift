/// How unlikely chance alone is, for one comparison and for many.
public enum Significance {
    /// The probability that a standard normal variable lies above `deviate`: by the continued
    /// fraction of Laplace in the tail, by the power series in the middle (Abramowitz and Stegun,
    /// 26.2.14 and 26.2.10).
    public static func tail(above deviate: Double) -> Double {
        if deviate < 0 { return 1 - tail(above: -deviate) }
        guard deviate < 36 else { return 0 }
        let density = 0.3989422804014327 * Elementary.exponential(-deviate * deviate / 2)
        if deviate < 2 {
            var (term, sum, odd) = (deviate, deviate, 1.0)
            while term > 1e-17 {
                odd += 2
                term *= deviate * deviate / odd
                sum += term
            }
            return 0.5 - density * sum
        }
        var fraction = deviate
        for step in stride(from: 60.0, through: 1, by: -1) { fraction = deviate + step / fraction }
        return density / fraction
    }

    /// The normal deviate with the same tail as Student's `t` at so many degrees of freedom (Wallace,
    /// Annals of Mathematical Statistics 30, 1959: within 0.02 from three degrees on).
    static func deviate(ofStudent t: Double, freedom: Double) -> Double {
        let size =
            (8 * freedom + 1) / (8 * freedom + 3)
            * (freedom * Elementary.logarithm(1 + t * t / freedom)).squareRoot()
        return t < 0 ? -size : size
    }

    /// How far `hits` of `all` lie from the share of them that is expected, as a normal deviate: exact up to
    /// 200, beyond that normal. Of the two tails the smaller one counts, with half of the probability of just so many
    /// (mid-p); 0 without hits.
    static func deviate(ofHits hits: Double, among all: Double, share: Double) -> Double {
        guard all >= 1, share > 0, share < 1 else { return 0 }
        let (expected, variance) = (all * share, all * share * (1 - share))
        guard all <= 200 else { return (hits - expected) / variance.squareRoot() }
        let above = Interval.probability(ofAtLeast: Int(hits), in: Int(all), share: share)
        let beyond = Interval.probability(ofAtLeast: Int(hits) + 1, in: Int(all), share: share)
        let upper = (above + beyond) / 2
        return upper < 0.5
            ? -Elementary.normalQuantile(max(upper, 1e-300))
            : Elementary.normalQuantile(max(1 - upper, 1e-16))
    }

    /// The probability of at least this much on either side by chance.
    public static func twoSided(_ deviate: Double) -> Double {
        min(1, 2 * tail(above: deviate.magnitude))
    }

    /// The probabilities of many comparisons, each raised for having been one of many, so that the
    /// chance of any false finding among all stays what is asked of one (Holm, Scandinavian Journal
    /// of Statistics 6, 1979). In the order given.
    public static func holm(_ probabilities: [Double]) -> [Double] {
        let order = probabilities.indices.sorted {
            (probabilities[$0], $0) < (probabilities[$1], $1)
        }
        var adjusted = probabilities
        var floor = 0.0
        for (rank, index) in order.enumerated() {
            floor = max(floor, min(1, Double(probabilities.count - rank) * probabilities[index]))
            adjusted[index] = floor
        }
        return adjusted
    }
}
