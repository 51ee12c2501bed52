internal import Journal
internal import Vocabulary

/// Whether a service kept up through a stretch of steady load, whatever the thresholds say: where more is due than it
/// answers, what waits grows from second to second, and a short step ends before a threshold is missed.
///
/// ```text
/// in flight   3  5  7 | 10  9 13 | 14 15 16 | 17 20 19     each quarter waits longer than the one before
///             2  6  3 |  5  6  2 |  5  5  6 |  5  6  5     busy, and stable
///             1  0  4 |  3  5  6 |  4  6  5 |  9  3  8     a wave of arrivals: less waits than at first
/// ```
///
/// Requests in flight alone are not enough: while a run's households become more, so do their requests. So the responses must
/// have become slower as well, operation by operation, since their mix may change. Nor is the average: as much as waited at
/// worst in the first quarter must wait all through the last, or the service had caught up in between.
package struct BacklogTrend {
    /// Requests in flight in the first and in the last quarter, on average.
    package struct Growth: Sendable, Hashable {
        package var from: Int
        package var to: Int
    }

    private static let parts = 4
    /// The last quarter's responses take so many times as long as the first's.
    private static let times = 2.0
    /// So many requests more or less are chance: a few, or of those that were answered meanwhile one in 50, or, where
    /// that is less, as many as random arrivals differ by.
    private static func chance(_ answered: Int) -> Double {
        max(5, min(0.02 * Double(answered), Double(answered).squareRoot()))
    }

    private let seconds: Range<Int>
    /// Sent less ended, by second.
    private var change: [Int: Int] = [:]
    private struct Sum {
        var count = 0
        var nanoseconds = 0.0
    }
    /// For each quarter, by operation.
    private var sums = [[OperationName: Sum]](repeating: [:], count: parts)

    init(seconds: Range<Int>) { self.seconds = seconds }

    mutating func add(_ cell: Cell) {
        guard !cell.key.operation.isOfConnection, cell.key.second < seconds.upperBound else {
            return
        }
        change[cell.key.second, default: 0] += cell.sent - cell.ended
        guard seconds.contains(cell.key.second), let mean = cell.latency.mean else { return }
        let part = (cell.key.second - seconds.lowerBound) * Self.parts / seconds.count
        sums[part][cell.key.operation, default: Sum()].count += cell.latency.count
        sums[part][cell.key.operation, default: Sum()].nanoseconds +=
            mean * Double(cell.latency.count)
    }

    var growth: Growth? {
        let quarter = max(1, seconds.count / Self.parts)
        let earliest = inFlight(in: seconds.prefix(quarter))
        let latest = inFlight(in: seconds.suffix(quarter))
        // But for one second in four, which a pause of the service's may have made.
        let most = earliest.sorted()[earliest.count * 3 / 4]
        let least = latest.sorted()[latest.count / 4]
        guard least > most else { return nil }
        let from = earliest.reduce(0, +) / earliest.count
        let to = latest.reduce(0, +) / latest.count
        let times = times
        let answered = sums.dropLast().reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } }
        guard Double(to - from) >= Self.chance(answered), let first = times.first,
            let last = times.last,
            zip(times, times.dropFirst()).allSatisfy({ $0 < $1 }), last >= first * Self.times
        else { return nil }
        return Growth(from: max(0, from), to: to)
    }

    /// At the end of each second.
    private func inFlight(in seconds: Range<Int>) -> [Int] {
        seconds.map { second in
            change.reduce(0) { $0 + ($1.key <= second ? $1.value : 0) }
        }
    }

    /// Mean response time of each quarter, of the operations that each has, in one mix; empty where there are none.
    private var times: [Double] {
        let common = sums[0].keys.filter { operation in
            sums.allSatisfy { $0[operation] != nil }
        }.sorted { $0.rawValue < $1.rawValue }
        guard !common.isEmpty else { return [] }
        let weights = common.map { operation in
            Double(sums.reduce(0) { $0 + ($1[operation]?.count ?? 0) })
        }
        return sums.map { part in
            zip(common, weights).reduce(0.0) { total, one in
                let sum = part[one.0] ?? Sum()
                return total + one.1 * sum.nanoseconds / Double(max(1, sum.count))
            }
        }
    }
}
