internal import Statistics

/// When the k-th household of an open load arrives, in closed form: nothing is accumulated from
/// household to household, so the millionth is as exact as the first, and any of them is found
/// without the others.
///
/// The stages are a rate over time made of straight pieces. Its integral A(t) is how many should
/// have come by t. Evenly spaced, household k comes when A reaches k: the first at once, and
/// 50/s held for 40 s are exactly 2,000. As a Poisson process, household k comes when A reaches
/// the sum of k + 1 exponential gaps of mean one (a change of time: Çinlar, 1975).
///
/// ```text
/// rate   ____          A      ___
///       /    \              /
///     _/      \_       ____/          quadratic under ramps, straight under holds
/// ```
struct ArrivalTimes: Sendable, Hashable {
    /// How many arrive in all.
    let count: Int
    /// When the last stage ends.
    let end: Duration
    private let pieces: [Piece]
    private let gaps: Gaps?

    /// A stretch of time in which the rate is a straight line. Times in seconds.
    private struct Piece: Sendable, Hashable {
        var start: Double
        var length: Double
        /// Households per second at its start, and how much that grows each second.
        var rate: Double
        var slope: Double
        /// Households due before it, and within it.
        var before: Double
        var within: Double
    }

    init(_ arrivals: Load.Arrivals, seed: Seed) {
        var pieces: [Piece] = []
        var start = 0.0
        var rate = 0.0
        var before = 0.0
        for stage in arrivals.stages {
            let target: Double
            let length: Double
            switch stage {
            case .ramp(let to, let over): (target, length) = (to.perSecond, over.seconds)
            case .hold(let time): (target, length) = (rate, time.seconds)
            }
            if length > 0 {
                let within = (rate + target) / 2 * length
                pieces.append(
                    Piece(
                        start: start, length: length, rate: rate, slope: (target - rate) / length,
                        before: before, within: within))
                start += length
                before += within
            }
            rate = target
        }
        self.pieces = pieces
        self.end = .bounded(seconds: start)
        switch arrivals.spacing {
        case .even:
            gaps = nil
            // A sum like 0.1/s over 30 s may come out as 3.0000000000000004: no fourth household.
            count = max(0, .bounded((before - 1e-6).rounded(.up)))
        case .poisson:
            let gaps = Gaps(until: before, seed: seed)
            self.gaps = gaps
            count = gaps.count
        }
    }

    /// When household `k` arrives, since the start; nil unless `k` is in `0..<count`.
    subscript(k: Int) -> Duration? {
        guard (0..<count).contains(k) else { return nil }
        return time(whenDue: gaps?.sum(through: k) ?? Double(k))
    }

    /// Households per second at this time since the start; at a jump the later rate.
    func rate(at time: Duration) -> Double {
        let seconds = time.seconds
        guard let piece = pieces.last(where: { $0.start <= seconds }),
            seconds < piece.start + piece.length
        else { return 0 }
        return piece.rate + piece.slope * (seconds - piece.start)
    }

    /// The highest rate of all stages that last.
    var peakRate: Double {
        pieces.reduce(0) { max($0, $1.rate, $1.rate + $1.slope * $1.length) }
    }

    /// The inverse of A: solves rate x + slope x² / 2 = wanted within the piece, in the form that
    /// stays exact when rate or slope is zero.
    private func time(whenDue due: Double) -> Duration {
        let position = pieces.firstIndex { due < $0.before + $0.within } ?? pieces.count - 1
        let piece = pieces[position]
        let wanted = max(0, due - piece.before)
        let root = max(0, piece.rate * piece.rate + 2 * piece.slope * wanted).squareRoot()
        let divisor = piece.rate + root
        let inside = divisor > 0 ? 2 * wanted / divisor : 0
        let seconds = piece.start + min(inside, piece.length)
        return .bounded(seconds: seconds)
    }
}

extension Duration {
    /// Rounded to nanoseconds; at most 100 years, so that sums of several are no overflow.
    static func bounded(seconds: Double) -> Duration {
        let most = 100 * 366 * 86_400.0
        return .nanoseconds(Int64((min(max(0, seconds), most) * 1e9).rounded()))
    }
}

extension Int {
    /// The nearest number of magnitude 10^15 at most, so that sums and products of a few are no overflow.
    static func bounded(_ value: Double) -> Int {
        value.isNaN ? 0 : Int(Swift.min(Swift.max(value, -1e15), 1e15))
    }
}

/// Sums of exponential gaps of mean one. Gap k is a function of the seed and k alone; every 64th sum
/// is kept, so that any other is at most 63 gaps away.
private struct Gaps: Sendable, Hashable {
    private static let stride = 64
    private let seed: Seed
    /// Sum of the gaps before 0, 64, 128 ...
    private var checkpoints: [Double] = []
    /// How many sums are below the end.
    private(set) var count = 0

    init(until end: Double, seed: Seed) {
        self.seed = seed
        var sum = 0.0
        while true {
            if count.isMultiple(of: Self.stride) { checkpoints.append(sum) }
            sum += Self.gap(count, seed)
            guard sum < end else { break }
            count += 1
        }
    }

    func sum(through k: Int) -> Double {
        var sum = checkpoints[k / Self.stride]
        for gap in (k / Self.stride * Self.stride)...k { sum += Self.gap(gap, seed) }
        return sum
    }

    private static func gap(_ k: Int, _ seed: Seed) -> Double {
        var dice = seed.child("arrival gap", k).generator()
        return Distribution.unitGap(using: &dice)
    }
}
