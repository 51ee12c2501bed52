internal import Journal
internal import Rendering
internal import Statistics

/// The run over time, in buckets of equal length: what the charts of a report show.
public struct Course: Sendable, Hashable {
    /// Seconds per bucket.
    public var width: Int
    public var points: [Point]
    /// The seconds between which the middle nine tenths of the requests were sent.
    public var loaded: ClosedRange<Int>?

    /// One bucket. Rates are per second, times in milliseconds, nil where there was nothing.
    public struct Point: Sendable, Hashable {
        /// Seconds since the run began.
        public var from: Int
        public var arrivals: Double
        /// Households whose TV shows a code and has seen no token, at the end of the bucket.
        public var waiting: Int
        public var sent: Double
        public var completed: Double
        public var errors: Double
        public var p50: Double?
        public var p99: Double?
        public var latenessP99: Double?
        /// Share of the bucket that the busiest lane spent in turns, 0 to 1.
        public var busy: Double?
    }

    init(_ fold: RunFold) {
        var moments = fold.timeline.moments
        var flow = fold.population.flow
        moments.widen(to: flow.width)
        flow.widen(to: moments.width)
        width = moments.width
        loaded = fold.timeline.loaded
        let last = max(moments.values.count, flow.values.count)
        guard last > 0 else {
            points = []
            return
        }
        let waiting = fold.population.waiting(through: last * width)
        let lanes = Self.busy(fold.health, width: width, count: last)
        let step = width
        points = (0..<last).map { index in
            let moment = index < moments.values.count ? moments.values[index] : TimelineBucket()
            let from = index * step
            // Over the whole bucket even where the run ended within it: a fall at the end is true
            // enough, a spike from two requests in its last instant would not be.
            let rate = { (count: Int) in Double(count) / Double(step) }
            return Point(
                from: from,
                arrivals: rate(index < flow.values.count ? flow.values[index].arrived : 0),
                waiting: waiting[from + step - 1],
                sent: rate(moment.sent), completed: rate(moment.completed),
                errors: rate(moment.errors),
                p50: moment.latency.milliseconds(atShare: 0.5),
                p99: moment.latency.milliseconds(atShare: 0.99),
                latenessP99: moment.lateness.milliseconds(atShare: 0.99),
                busy: lanes[index])
        }
    }

    private static func busy(_ health: [LaneHealth], width: Int, count: Int) -> [Double?] {
        var parts = [[LaneHealth]](repeating: [], count: count)
        for part in health {
            parts[min(count - 1, max(0, part.middle.second / width))].append(part)
        }
        return parts.map { $0.isEmpty ? nil : LaneLoad($0, within: nil).busiest }
    }
}

/// A distribution in bins of equal, round width.
public struct Bins: Sendable, Hashable {
    /// Milliseconds.
    public var from: Double
    public var width: Double
    public var counts: [Int]
    /// How many lie beyond the last bin.
    public var beyond: Int

    /// About `wanted` bins from the smallest value to p99.5; nil when there is nothing to show.
    init?(_ histogram: Histogram, wanted: Int = 36) {
        guard histogram.count > 0, let upper = histogram.milliseconds(atShare: 0.995) else {
            return nil
        }
        let lower = Double(histogram.smallest) / 1e6
        width = Scale.roundStep(max(upper - lower, 1e-3) / Double(wanted))
        from = (lower / width).rounded(.down) * width
        let last = Int(((upper - from) / width).rounded(.down))
        counts = [Int](repeating: 0, count: last + 1)
        beyond = 0
        for bucket in histogram.filled {
            let middle = Double(bucket.low + bucket.width / 2) / 1e6
            let position = max(0, Int(((middle - from) / width).rounded(.down)))
            if position <= last { counts[position] += bucket.count } else { beyond += bucket.count }
        }
    }
}
