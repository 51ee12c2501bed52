public import Journal
internal import Statistics

/// A run over time while it goes on, in buckets that widen as it gets longer: what the charts of the
/// dashboard show. Never more than 300 points, so that an hour draws as fast as a minute.
public struct LiveCourse: Sendable {
    private var buckets = TimeBuckets<Course.Bucket>(limit: 300)
    private var last = Progress()

    public init() {}

    /// Seconds per bucket.
    public var width: Int { buckets.width }

    /// Adds what happened since the progress before. One that is no news changes nothing.
    public mutating func add(_ progress: Progress) {
        let (from, through) = (
            last.elapsed.milliseconds / 1000, progress.elapsed.milliseconds / 1000
        )
        let households = progress.households
        let level = Course.Level(
            waiting: households.waiting,
            signedIn: households.signedIn,
            lost: households.failed + households.abandoned)
        let arrived = Double(households.started - last.households.started)
        let completed = Double(progress.completed - last.completed)
        let errors = Double(progress.errors - last.errors)
        guard through > from || arrived + completed + errors > 0 else { return }
        for part in parts(from, through) {
            buckets.update(second: part.second) { moment in
                moment.arrived += arrived * part.share
                moment.completed += completed * part.share
                moment.errors += errors * part.share
                moment.level = level
            }
        }
        buckets.update(second: Int((from + through) / 2)) { moment in
            moment.latency.merge(progress.recentLatency)
            moment.lateness.merge(progress.recentLateness)
        }
        last = progress
    }

    /// The seconds that a stretch of time lies in, and how much of it lies in each. A long one, as
    /// virtual time has them, is cut at the bounds of buckets.
    private func parts(_ from: Double, _ through: Double) -> [(second: Int, share: Double)] {
        let length = through - from
        guard length > 0 else { return [(Int(through), 1)] }
        // Wide enough that the loop stays short, whatever virtual time brings.
        let step = max(Double(buckets.width), (length / 600).rounded(.up))
        var parts: [(second: Int, share: Double)] = []
        var start = from
        while start < through {
            let end = min(through, (start / step).rounded(.down) * step + step)
            parts.append((Int(start), (end - start) / length))
            start = end
        }
        return parts
    }

    /// What charts draw: without the bucket under way, which would always look like a collapse.
    ///
    /// ```text
    /// 100/s  |~~~~~~~~~~~~~~~~\        3.2 s have passed: of the fourth second a fifth,
    ///   0/s  |_________________\       and so a fifth of its requests
    /// ```
    public var shown: ArraySlice<Course.Point> {
        let points = points
        let whole = Int(last.elapsed.milliseconds / 1000) / width
        return points.prefix(whole)
    }

    /// All buckets, with the one under way: they add up to the run.
    var points: [Course.Point] {
        var level = Course.Level()
        return buckets.values.enumerated().map { index, moment in
            level = moment.level ?? level
            return Course.Point(moment, at: index, width: buckets.width, level)
        }
    }
}
