internal import Formats
internal import Rendering

/// Latency by percentile, one curve for each operation: the slowest in colour and named, the others
/// in grey.
struct PercentileChart {
    static let named = 6

    var operations: [OperationRow]

    /// Those that have a curve, the slowest first.
    static func ranked(_ operations: [OperationRow]) -> [OperationRow] {
        operations.filter { $0.curve.count > 1 }.sorted {
            ($0.latency?.p99 ?? 0, $1.name) > ($1.latency?.p99 ?? 0, $0.name)
        }
    }

    var html: HTML {
        let drawn = operations.filter { $0.curve.count > 1 }
        guard !drawn.isEmpty else {
            return "<p class=\"empty\">Too few responses for a curve.</p>"
        }
        let ranked = Self.ranked(operations)
        let (slow, rest) = (ranked.prefix(Self.named), ranked.dropFirst(Self.named))
        var plot = Plot(
            x: .percentiles(through: drawn.compactMap(\.curve.last?.share).max() ?? 0.9),
            y: .milliseconds(around: drawn.flatMap { $0.curve.map(\.ms) }))
        (plot.height, plot.right) = (400, 176)
        plot.series = "curves"
        let grey = rest.map { plot.line(points($0), class: "other", title: $0.name) }
        let coloured = slow.enumerated().map { index, row in
            plot.line(points(row), class: "s\(index + 1)", title: row.name)
        }
        let words: String = slow.map { row -> String in
            "\(row.name) p99 \(Figures.time(milliseconds: row.latency?.p99 ?? 0))"
        }.joined(separator: ", ")
        return plot.drawing(
            title: "Latency by percentile and operation",
            description: "Both scales are logarithmic. The slowest: \(words).", id: "curve",
            marks: grey + coloured + ends(Array(slow), plot) + labels(Array(slow), plot))
    }

    private func points(_ row: OperationRow) -> [(Double, Double?)] {
        row.curve.map { ($0.share, $0.ms) }
    }

    /// A dot where a curve ends: at the slowest answer of all.
    private func ends(_ rows: [OperationRow], _ plot: Plot) -> [HTML] {
        zip(rows, rows.compactMap(\.curve.last)).enumerated().map { index, item in
            let (row, end) = item
            let words =
                "\(row.name): the slowest of \(Figures.count(row.completed)) took "
                + Figures.time(milliseconds: end.ms)
            return """
                <circle class="dot s\(index + 1)" cx="\(px: plot.across(end.share))" \
                cy="\(px: plot.down(end.ms))" r="3.5"><title>\(words)</title></circle>
                """
        }
    }

    private func labels(_ rows: [OperationRow], _ plot: Plot) -> [HTML] {
        let ends = rows.compactMap(\.curve.last)
        let places = Plot.spread(
            ends.map { plot.down($0.ms) }, gap: 18, within: plot.top...(plot.height - plot.bottom))
        let column = plot.width - plot.right
        return zip(zip(rows, ends), places).enumerated().map { index, item in
            let ((row, end), place) = item
            return """
                <path class="leader s\(index + 1)" d="M\(px: plot.across(end.share)),\
                \(px: plot.down(end.ms))L\(px: column + 4),\(px: place)H\(px: column + 12)"/>\
                <text class="label s\(index + 1)" x="\(px: column + 17)" y="\(px: place + 4)">\
                \(row.name)</text>
                """
        }
    }
}

/// How long sign-ins took, with marks at p50 and p95.
struct SignInChart {
    var bins: Bins
    var spread: Spread

    var html: HTML {
        let end = bins.from + bins.width * Double(bins.counts.count)
        var plot = Plot(
            x: .between(bins.from, end, wanted: 12, label: Axis.time),
            y: .upward(to: Double(bins.counts.max() ?? 1)) { DecimalText.trimmed($0, 1) })
        (plot.height, plot.top) = (240, 34)
        let bars = bins.counts.enumerated().filter { $0.element > 0 }.map { index, count -> HTML in
            let from = bins.from + bins.width * Double(index)
            let (left, right) = (plot.across(from), plot.across(from + bins.width))
            let y = plot.down(Double(count))
            let range = "\(Axis.time(from)) to \(Axis.time(from + bins.width))"
            return """
                <rect class="bar" x="\(px: left + 0.75)" y="\(px: y)" \
                width="\(px: max(1, right - left - 1.5))" height="\(px: plot.height - plot.bottom - y)">\
                <title>\(range): \(Figures.counted(count, "household"))</title></rect>
                """
        }
        let marks = [("p50", spread.p50), ("p95", spread.p95)].filter { $0.1 <= end }
            .map { mark(plot, $0.0, $0.1) }
        return plot.drawing(
            title: "Distribution of sign-in times",
            description:
                "Half of the sign-ins took at most \(Figures.time(milliseconds: spread.p50)), "
                + "95 % at most \(Figures.time(milliseconds: spread.p95)).",
            id: "signins", marks: bars + marks)
    }

    private func mark(_ plot: Plot, _ name: String, _ value: Double) -> HTML {
        let at = plot.across(value)
        let anchor = at > plot.width - 130 ? "end" : "start"
        return """
            <line class="pin" x1="\(px: at)" x2="\(px: at)" y1="\(px: 14)" \
            y2="\(px: plot.height - plot.bottom)"/><text class="label" \
            x="\(px: anchor == "end" ? at - 7 : at + 7)" y="24" text-anchor="\(anchor)">\
            \(name) \(Figures.time(milliseconds: value))</text>
            """
    }
}

/// The course of one number in the space of a word.
enum Sparkline {
    /// `seconds`: how long the run was; `width`: how long each value stands for. So that all have one
    /// axis of time, whenever an operation began and ended.
    static func html(
        _ values: [Double?], width: Int, seconds: Double, title: String
    ) -> HTML {
        let present = values.compactMap(\.self)
        guard present.count > 1, let top = present.max(), top > 0 else { return .none }
        let axis = Axis(shape: .linear, low: 0, high: max(1, seconds), ticks: [])
        var plot = Plot(x: axis, y: Axis(shape: .linear, low: 0, high: top, ticks: []))
        (plot.width, plot.height) = (96, 22)
        (plot.left, plot.right, plot.top, plot.bottom) = (2, 2, 3, 2)
        let points = values.enumerated().map {
            (min(seconds, (Double($0.offset) + 0.5) * Double(width)), $0.element)
        }
        return """
            <svg class="spark" viewBox="0 0 96 22" role="img" aria-label="\(title)">\
            \(plot.area(points, class: "s1"))\(plot.line(points, class: "s1"))</svg>
            """
    }
}
