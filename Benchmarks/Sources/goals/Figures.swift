import Glibc

extension Bench {
    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
    }
}

/// A line through points that a few wild ones do not turn: the median of the slopes of all pairs
/// (Theil 1950, Sen 1968).
func slope(_ points: [(x: Double, y: Double)]) -> Double {
    var slopes: [Double] = []
    for (place, left) in points.enumerated() {
        for right in points[(place + 1)...] {
            slopes.append((right.y - left.y) / (right.x - left.x))
        }
    }
    return Bench.median(slopes)
}

/// Differences of pairs, as shares, with what they say of their median.
struct Spread {
    private let sorted: [Double]

    init(_ values: [Double]) { sorted = values.sorted() }

    /// Between the two in the middle where their number is even.
    var median: Double { (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2 }

    /// Holds the true median with 95 %, whatever the distribution: from the k-th least to the k-th most,
    /// where so few on one side of the median (binomial, one half) have a chance of 2.5 % at most.
    /// Everything, where there are fewer than six.
    var interval: (low: Double, high: Double) {
        let count = Double(sorted.count)
        var rank = 0
        var below = 0.0
        while rank < sorted.count / 2 {
            let side = Double(rank)
            below += exp(
                lgamma(count + 1) - lgamma(side + 1) - lgamma(count - side + 1) - count * log(2))
            if below > 0.025 { break }
            rank += 1
        }
        guard rank > 0 else { return (-.infinity, .infinity) }
        return (sorted[rank - 1], sorted[sorted.count - rank])
    }

    /// `+1.2 %`.
    static func percent(_ share: Double) -> String {
        "\(share < 0 ? "-" : "+")\(short(abs(share) * 100)) %"
    }
}

/// Numbers as the table shows them.
func short(_ value: Double) -> String {
    guard value.isFinite else { return "?" }
    return switch abs(value) {
    case 100_000...: "\(Int((value / 1000).rounded())) k"
    case 10_000...: "\((value / 100).rounded() / 10) k"
    case 100...: "\(Int(value.rounded()))"
    case 10...: "\((value * 10).rounded() / 10)"
    default: "\((value * 100).rounded() / 100)"
    }
}
