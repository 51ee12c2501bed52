internal import Journal
internal import Rendering
internal import Statistics

/// The run over time, in buckets of equal length: what the charts of a report show, and those of the
/// dashboard (`LiveCourse`).
public struct Course: Sendable, Hashable {
    /// Seconds per bucket.
    public var width: Int
    public var points: [Point]
    /// Answers per second by HTTP status, for each point; 0: requests that ended without an answer.
    public var statuses: [Int: [Double]]
    /// Latency of each operation, p95.
    public var operations: CourseLines
    /// Latency of the requests of each kind of household, p95; none where there is one kind.
    public var kinds: CourseLines

    /// What happened in one bucket. Counts are shares of whole numbers: while a run goes on, an interval
    /// that lies across two buckets is divided between them.
    struct Bucket: Mergeable, Sendable {
        var arrived = 0.0
        var completed = 0.0
        var errors = 0.0
        var latency = Histogram()
        var lateness = Histogram()
        /// Answers by HTTP status; 0: requests that ended without one.
        var statuses: [Int: Int] = [:]
        /// As it was when the bucket ended; nil where nothing was heard.
        var level: Level?

        mutating func merge(_ other: Bucket) {
            arrived += other.arrived
            completed += other.completed
            errors += other.errors
            latency.merge(other.latency)
            lateness.merge(other.lateness)
            statuses.merge(other.statuses, uniquingKeysWith: +)
            level = other.level ?? level
        }
    }

    /// How many households are where: under way without a token, signed in, gone without.
    public struct Level: Sendable, Hashable {
        public var waiting = 0
        public var signedIn = 0
        public var lost = 0
    }

    /// A bucket as charts draw it. Rates are per second, times in milliseconds, nil where there was nothing.
    public struct Point: Sendable, Hashable {
        /// Seconds since the run began.
        public var from: Int
        public var arrivals: Double
        public var completed: Double
        public var errors: Double
        public var p50: Double?
        public var p99: Double?
        public var latenessP99: Double?
        /// At the end of the bucket; of a run that is over only those that wait: TVs that show a code and
        /// have seen no token.
        public var level: Level
        /// Share of the bucket that the busiest lane spent in turns, 0 to 1.
        public var busy: Double?

        /// Over the whole bucket even where the run ended within it: a fall at the end is true enough, a
        /// spike from two requests in its last instant would not be.
        init(_ bucket: Bucket, at index: Int, width: Int, _ level: Level) {
            let rate = { (count: Double) in count / Double(width) }
            from = index * width
            arrivals = rate(bucket.arrived)
            (completed, errors) = (rate(bucket.completed), rate(bucket.errors))
            p50 = bucket.latency.milliseconds(atShare: 0.5)
            p99 = bucket.latency.milliseconds(atShare: 0.99)
            latenessP99 = bucket.lateness.milliseconds(atShare: 0.99)
            self.level = level
        }
    }

    init(_ fold: RunFold) {
        var moments = fold.timeline.moments
        var flow = fold.population.flow
        moments.widen(to: flow.width)
        flow.widen(to: moments.width)
        width = moments.width
        operations = fold.operationLines
        kinds = fold.kindLines
        statuses = [:]
        let last = max(moments.values.count, flow.values.count)
        guard last > 0 else {
            points = []
            return
        }
        let waiting = fold.population.waiting(through: last * width)
        let lanes = Self.busy(fold.health, width: width, count: last)
        let step = width
        points = (0..<last).map { index in
            var moment = index < moments.values.count ? moments.values[index] : Bucket()
            moment.arrived = Double(index < flow.values.count ? flow.values[index].arrived : 0)
            var point = Point(
                moment, at: index, width: step,
                Level(waiting: waiting[(index + 1) * step - 1]))
            point.busy = lanes[index]
            return point
        }
        statuses = Self.statuses(moments.values, width: step, count: last)
    }

    private static func statuses(
        _ moments: [Bucket], width: Int, count: Int
    ) -> [Int: [Double]] {
        var rates: [Int: [Double]] = [:]
        for (index, moment) in moments.enumerated() {
            for (status, answers) in moment.statuses {
                rates[status, default: Array(repeating: 0, count: count)][index] =
                    Double(answers) / Double(width)
            }
        }
        return rates
    }

    /// Errors in percent of the requests that ended, in at most 60 steps: of the few requests of a single point one
    /// error would be a tower.
    var errorShares: CourseLines {
        let step = max(1, (points.count + 59) / 60)
        let shares = stride(from: 0, to: points.count, by: step).map { from -> Double? in
            let part = from..<min(from + step, points.count)
            let errors = part.reduce(0) { $0 + points[$1].errors }
            let ended = part.reduce(0) { $0 + points[$1].completed + (statuses[0]?[$1] ?? 0) }
            return ended > 0 ? min(100, errors / ended * 100) : nil
        }
        return CourseLines(
            width: width * step, lines: [CourseLines.Line(name: "errors", values: shares)])
    }

    /// Share of each bucket that the busiest lane spent in turns. Over the whole bucket, as in `Point`: the last interval of
    /// a lane may be no longer than its last turn, and would be all busy. One that lies across buckets is divided.
    static func busy(_ health: [LaneHealth], width: Int, count: Int) -> [Double?] {
        let bucket = Double(width) * 1e9
        var loads = [[Int: Double]](repeating: [:], count: count)
        for part in health where part.through > part.from {
            let load = part.busy / (part.through - part.from)
            let from = Double(part.from.nanoseconds) / bucket
            let through = Double(part.through.nanoseconds) / bucket
            let first = max(0, Int(from))
            for index in first..<max(first, min(count, Int(through.rounded(.up)))) {
                let length = min(through, Double(index + 1)) - max(from, Double(index))
                loads[index][part.lane, default: 0] += load * length
            }
        }
        return loads.map { $0.values.max().map { min(1, $0) } }
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

    /// About `wanted` bins from the smallest value to p99.5, or to the largest where that is near; nil when there is nothing to show.
    init?(_ histogram: Histogram, wanted: Int = 36) {
        guard histogram.count > 0, var upper = histogram.milliseconds(atShare: 0.995) else {
            return nil
        }
        let lower = Double(histogram.smallest) / 1e6
        width = Scale.roundStep(max(upper - lower, 1e-3) / Double(wanted))
        from = (lower / width).rounded(.down) * width
        // What lies a few bins further out needs no break in the axis.
        let largest = Double(histogram.largest) / 1e6
        let reachesEnd = largest - upper <= 4 * width
        if reachesEnd { upper = largest }
        // A single value may lie a rounding error before the edge that it makes.
        let last = max(0, Int(((upper - from) / width).rounded(.down)))
        counts = [Int](repeating: 0, count: last + 1)
        beyond = 0
        for bucket in histogram.filled {
            let middle = Double(bucket.low + bucket.width / 2) / 1e6
            let place = max(0, Int(((middle - from) / width).rounded(.down)))
            // A bucket's middle may lie a little beyond its largest value.
            let position = reachesEnd ? min(place, last) : place
            if position <= last { counts[position] += bucket.count } else { beyond += bucket.count }
        }
    }
}
