internal import Rendering
internal import Statistics

/// A series that got worse a little every night: naming a first night, and the deploy before it, would accuse the wrong
/// one. Told from a step by which of two curves of three parameters lies nearer to the logarithms of the nights: a
/// level that jumps, or one that rises from some night on. Two steps, which have five, must not lie nearer by much either.
///
/// ```text
/// step:  ......‾‾‾‾‾‾        rise:  ......⟋⟋⟋        two steps:  .....----‾‾‾‾
/// ```
struct GradualRise {
    /// The first night of the rise, as a position among all nights.
    var first: Int
    /// Nights with values since then.
    var nights: Int
    /// From the level before it to where the curve is tonight.
    var change: NightSeries.Change

    /// So many nights a rise takes at least.
    static let shortest = 6
    /// Of the scatter around the better step so much may be left around the rise.
    static let share = 0.6
    /// And of that around the best two steps: a rise that is one leaves these a ninth of its own height, and noise fits five
    /// parameters better than three.
    static let shareOfTwo = 1.5

    /// Nil where a step explains the nights as well; `start` is the night since which the rig is the same.
    init?(_ series: NightSeries, from start: Int) {
        let present = (start..<series.values.count).filter { series.values[$0] != nil }
        let values = present.compactMap { series.values[$0] }
        guard values.count > Self.shortest + 2, values.allSatisfy({ $0 > 0 }), series.unit != .share
        else { return nil }
        let logs = values.map { Elementary.logarithm($0) }
        let steps = StepScatter(logs)
        guard let step = steps.one, let rise = Self.rise(logs),
            logs.count - rise.first >= Self.shortest, rise.rest < step * Self.share,
            rise.rest < steps.two * Self.shareOfTwo,
            series.unit == .rate ? rise.slope < 0 : rise.slope > 0
        else { return nil }
        let length = Double(logs.count - rise.first)
        let after = Elementary.exponential(rise.level + rise.slope * length)
        let before = Elementary.exponential(rise.level)
        first = present[rise.first]
        nights = logs.count - rise.first
        change = NightSeries.Change(
            first: first, noticed: series.values.count - 1, before: before, after: after,
            ratio: Interval(low: after / before, high: after / before), isWorse: true)
    }

    /// `sign-in p95 gets a little worse every night: from 412 ms to 530 ms, +29 %, in 9 nights`.
    func sentence(_ series: NightSeries) -> String {
        "\(series.name) gets a little worse every night: from \(series.text(change.before)) to "
            + "\(series.text(change.after)), \(series.shortSize(change)), in "
            + Figures.counted(nights, "night")
    }

    /// The best level that rises from the night `first` on, by least squares.
    private static func rise(_ logs: [Double]) -> (
        first: Int, level: Double, slope: Double, rest: Double
    )? {
        let count = Double(logs.count)
        let mean = logs.reduce(0, +) / count
        return (0..<(logs.count - 1)).compactMap { first in
            let across = logs.indices.map { Double(max(0, $0 - first + 1)) }
            let middle = across.reduce(0, +) / count
            let spread = across.reduce(0) { $0 + ($1 - middle) * ($1 - middle) }
            guard spread > 0 else { return nil }
            let both = zip(across, logs).reduce(0) { $0 + ($1.0 - middle) * ($1.1 - mean) }
            let slope = both / spread
            let level = mean - slope * middle
            let rest = zip(across, logs).reduce(0) {
                let left = $1.1 - level - slope * $1.0
                return $0 + left * left
            }
            return (first, level, slope, rest)
        }.min { $0.rest < $1.rest }
    }
}

/// Sums of squares around levels that jump.
private struct StepScatter {
    /// Of the first so many values.
    private var sums: [Double] = [0]
    private var squares: [Double] = [0]

    init(_ values: [Double]) {
        // Around the mean, so that nothing is lost in differences of large sums.
        let mean = values.reduce(0, +) / Double(max(1, values.count))
        for value in values {
            sums.append(sums[sums.count - 1] + (value - mean))
            squares.append(squares[squares.count - 1] + (value - mean) * (value - mean))
        }
    }

    /// Around the best step; nil of one value.
    var one: Double? {
        let end = sums.count - 1
        return end < 2 ? nil : (1..<end).map { scatter(0, $0) + scatter($0, end) }.min()
    }

    /// Around the best two.
    var two: Double {
        let end = sums.count - 1
        var best = Double.infinity
        for second in stride(from: 2, to: end, by: 1) {
            let rest = scatter(second, end)
            for first in 1..<second {
                best = min(best, scatter(0, first) + scatter(first, second) + rest)
            }
        }
        return best
    }

    private func scatter(_ from: Int, _ to: Int) -> Double {
        let sum = sums[to] - sums[from]
        return max(0, squares[to] - squares[from] - sum * sum / Double(to - from))
    }
}
