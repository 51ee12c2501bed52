internal import Foundation
internal import Statistics

/// How often each latency occurred in each stretch of time: columns of equal length, rows of equal
/// ratio. What a line of percentiles hides shows here: two modes, a slow minority, a stall.
public struct HeatMap: Sendable, Hashable {
    /// Seconds per column.
    public var width: Int
    /// The lower end of the lowest row, in milliseconds.
    public var low: Double
    /// By column, then by row from the lowest.
    public var counts: [[Int]]

    /// Rows in a decade of latency.
    static let rowsPerDecade = 6
    private static let rowLimit = 30

    /// The upper end of the highest row, in milliseconds.
    public var high: Double { edge(rows) }
    public var rows: Int { counts.first?.count ?? 0 }
    var most: Int { counts.map { $0.max() ?? 0 }.max() ?? 0 }

    /// The lower end of a row, in milliseconds.
    func edge(_ row: Int) -> Double {
        low * pow(10, Double(row) / Double(Self.rowsPerDecade))
    }

    /// Nil when there is nothing to show.
    init?(_ columns: [Histogram], width: Int) {
        let filled = columns.filter { $0.count > 0 }
        guard let smallest = filled.map(\.smallest).min(),
            let largest = filled.map(\.largest).max()
        else { return nil }
        let perDecade = Double(Self.rowsPerDecade)
        func step(_ nanoseconds: Int64) -> Int {
            Int((log10(Double(max(nanoseconds, 1_000)) / 1e6) * perDecade).rounded(.down))
        }
        let last = step(largest)
        let first = max(step(smallest), last - Self.rowLimit + 1)
        self.width = width
        low = pow(10, Double(first) / perDecade)
        counts = columns.map { column in
            var rows = [Int](repeating: 0, count: last - first + 1)
            for bucket in column.filled {
                let row = step(Int64(bucket.low + bucket.width / 2)) - first
                rows[min(max(row, 0), rows.count - 1)] += bucket.count
            }
            return rows
        }
    }
}
