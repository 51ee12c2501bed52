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
                "\(row.name): the slowest of \(Figures.count(row.latency?.count ?? 0)) took "
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

/// How long sign-ins took, with marks at p50, p95 and thresholds. The slowest have a bar of their own at the end.
struct SignInChart {
    var bins: Bins
    var spread: Spread
    var limits: [ThresholdResult] = []
    /// Of the earlier run, as an outline.
    var earlier: Bins?

    private var end: Double { bins.from + bins.width * Double(bins.counts.count) }

    /// How many of the earlier run fall into a bin of this run's width, by the middle of each of its own.
    private var outline: [(ms: Double, count: Double)] {
        guard let earlier else { return [] }
        return earlier.counts.enumerated().map { index, count in
            (
                earlier.from + earlier.width * (Double(index) + 0.5),
                Double(count) * bins.width / earlier.width
            )
        }.filter { $0.ms >= bins.from && $0.ms <= end }
    }

    var html: HTML {
        let outline = outline
        let counts = (bins.counts + [bins.beyond]).map(Double.init) + outline.map(\.count)
        var plot = Plot(
            x: .between(bins.from, end, wanted: 12, label: Axis.time),
            y: .upward(to: counts.max() ?? 1) { DecimalText.trimmed($0, 1) })
        (plot.height, plot.top) = (240, limits.isEmpty ? 34 : 50)
        if bins.beyond > 0 { plot.right = 128 }
        let bars = bins.counts.enumerated().filter { $0.element > 0 }.map { index, count -> HTML in
            let from = bins.from + bins.width * Double(index)
            let (left, right) = (plot.across(from), plot.across(from + bins.width))
            let range = "\(Axis.time(from)) to \(Axis.time(from + bins.width))"
            return bar(plot, left + 0.75, max(1, right - left - 1.5), count, range)
        }
        let marks = [("p50", spread.p50), ("p95", spread.p95)].filter { $0.1 <= end }
            .map { mark(plot, $0.0, $0.1) }
        let before =
            outline.isEmpty
            ? HTML.none : plot.line(outline.map { ($0.ms, $0.count) }, class: "before")
        return plot.drawing(
            title: "Distribution of sign-in times",
            description:
                "Half of the sign-ins took at most \(Figures.time(milliseconds: spread.p50)), "
                + "95 % at most \(Figures.time(milliseconds: spread.p95)), "
                + "all at most \(Figures.time(milliseconds: spread.max)).",
            id: "signins",
            marks: bars + tail(plot) + [before] + bounds(plot) + marks)
    }

    private func bar(
        _ plot: Plot, _ x: Double, _ width: Double, _ count: Int, _ range: String,
        _ style: HTML = ""
    ) -> HTML {
        let y = plot.down(Double(count))
        return """
            <rect class="bar\(style)" x="\(px: x)" y="\(px: y)" \
            width="\(px: width)" height="\(px: plot.height - plot.bottom - y)">\
            <title>\(range): \(Figures.counted(count, "household"))</title></rect>
            """
    }

    /// What lies beyond the axis, to the right of a break in it.
    private func tail(_ plot: Plot) -> [HTML] {
        guard bins.beyond > 0 else { return [] }
        let (left, floor) = (plot.width - plot.right, plot.height - plot.bottom)
        let (middle, y) = (left + 68, plot.down(Double(bins.beyond)))
        let range = "\(Axis.time(end)) to \(Figures.time(milliseconds: spread.max))"
        return [
            """
            <path class="mark axis-break" d="M\(px: left + 12),\(px: floor + 6)l5,-12m3,12l5,-12"/>
            """,
            bar(plot, left + 44, 48, bins.beyond, range, " tail"),
            """
            <text class="tick" x="\(px: middle)" y="\(px: y - 6)" text-anchor="middle">\(bins.beyond)</text>\
            <text class="tick" x="\(px: middle)" y="\(px: floor + 19)" text-anchor="middle">up to \
            \(Figures.time(milliseconds: spread.max))</text>
            """,
        ]
    }

    private func bounds(_ plot: Plot) -> [HTML] {
        limits.enumerated().map { index, result in
            let value = result.mark?.value ?? 0
            let (style, y): (HTML, Double) = (result.met ? "" : " bad", 40 + Double(index % 2) * 13)
            let words = result.expression + (result.met ? "" : ", missed")
            guard value <= end else {
                return """
                    <text class="label limit-name\(style)" x="\(px: plot.width - plot.right)" y="\(px: y)" \
                    text-anchor="end">\(words), further right</text>
                    """
            }
            let at = plot.across(max(value, bins.from))
            let anchor = at > plot.width - plot.right - 200 ? "end" : "start"
            return """
                <line class="limit\(style)" x1="\(px: at)" x2="\(px: at)" y1="\(px: y - 8)" \
                y2="\(px: plot.height - plot.bottom)"/><text class="label limit-name\(style)" \
                x="\(px: anchor == "end" ? at - 7 : at + 7)" y="\(px: y)" text-anchor="\(anchor)">\(words)</text>
                """
        }
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

/// One time of several groups of households: a bar from its median to p95 for each.
struct SpreadChart {
    private let title: String
    private let id: String
    private let rows: [(name: String, spread: Spread)]

    private static let rowHeight = 24.0
    private static let shown = 20

    init(_ title: String, id: String, _ rows: [(String, Spread?)]) {
        self.title = title
        self.id = id
        self.rows = rows.compactMap { name, spread in
            spread.flatMap { $0.count > 0 ? (name, $0) : nil }
        }
    }

    /// Nothing where there is nothing to tell apart.
    var html: HTML {
        guard rows.count > 1 else { return .none }
        let rows = self.rows.prefix(Self.shown)
        var plot = Plot(
            x: .upward(to: rows.map(\.spread.p95).max() ?? 1, wanted: 8, label: Axis.time),
            y: Axis(shape: .linear, low: 0, high: 1, ticks: []))
        (plot.left, plot.right, plot.top) = (190, 150, 6)
        plot.height = plot.top + Double(rows.count) * Self.rowHeight + plot.bottom
        let bars = rows.enumerated().map { position, row -> HTML in
            let y = plot.top + Double(position) * Self.rowHeight
            let (from, through) = (plot.across(row.spread.p50), plot.across(row.spread.p95))
            let times = [row.spread.p50, row.spread.p95].map { Figures.time(milliseconds: $0) }
            let count = Figures.counted(row.spread.count, "sign-in")
            return """
                <text class="label" x="\(px: plot.left - 10)" y="\(px: y + 16)" text-anchor="end">\
                \(Self.short(row.name))</text><rect class="bar" x="\(px: from)" y="\(px: y + 6)" \
                width="\(px: max(2, through - from))" height="12" rx="2"><title>\(row.name): p50 \(times[0]), \
                p95 \(times[1]), \(count)</title></rect><line class="median" x1="\(px: from)" x2="\(px: from)" \
                y1="\(px: y + 3)" y2="\(px: y + 21)"/><text class="tick" x="\(px: through + 8)" y="\(px: y + 16)">\
                \(times[0]) to \(times[1])</text>
                """
        }
        let words = rows.map { row in
            "\(row.name) \(Figures.time(milliseconds: row.spread.p95))"
        }
        return Figure.html(
            "\(title): p50 to p95",
            plot.drawing(
                title: title, description: "p95: \(words.joined(separator: ", ")).", id: id,
                marks: bars))
    }

    private static func short(_ name: String) -> String {
        name.count > 26 ? "\(name.prefix(25))…" : name
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
