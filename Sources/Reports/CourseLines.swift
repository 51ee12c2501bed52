internal import Rendering
internal import Statistics

/// A value over time of several things that are alike, in buckets of equal length: a line for each.
public struct CourseLines: Sendable, Hashable {
    public struct Line: Sendable, Hashable {
        public var name: String
        /// Of times milliseconds; nil where there was nothing.
        public var values: [Double?]
    }

    /// Seconds for each value.
    public var width: Int
    public var lines: [Line]

    init(width: Int, lines: [Line]) {
        self.width = width
        self.lines = lines
    }

    /// p95 of each.
    init(_ columns: [(name: String, histograms: [Histogram])], width: Int) {
        self.width = width
        lines = columns.map { column in
            Line(
                name: column.name,
                values: column.histograms.map { $0.milliseconds(atShare: 0.95) })
        }
    }
}

extension RunFold {
    var operationLines: CourseLines {
        let columns = operations.filter { !$0.isOfConnection }.map { operation in
            (operation.name, timeline.latencies(of: operation, through: seconds))
        }
        return CourseLines(columns, width: timeline.trendWidth)
    }

    /// In the rig's order.
    var kindLines: CourseLines {
        let (columns, width) = timeline.kinds
        guard columns.count > 1 else { return CourseLines([], width: width) }
        return CourseLines(
            columns.keys.sorted().filter(header.kinds.indices.contains).map { kind in
                (Sanitizer.line(header.kinds[kind], limit: 40), columns[kind] ?? [])
            }, width: width)
    }
}

/// The last comparable run, for charts to show beside this one.
public struct EarlierRun: Sendable, Hashable {
    /// Of its directory.
    public var name: String
    /// UTC, ISO 8601.
    public var started: String
    public var course: Course
    public var signInBins: Bins?

    package init(_ summary: Summary) {
        name = summary.run.id
        started = summary.run.started
        course = summary.course
        signInBins = summary.signInBins
    }
}
