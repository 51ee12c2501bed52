internal import Formats
internal import Rendering

/// The charts over time, one below the other with the same time axis.
struct TimelineCharts {
    /// Seconds for each point.
    var width: Int
    var seconds: Double
    var stages: [LoadStage] = []
    /// Seconds for each point of the earlier run.
    var earlierWidth = 1
    var events: [EventMark] = []

    /// An event as charts mark it, in seconds since the run began.
    struct EventMark {
        var name: String
        var from: Double
        /// Nil: a moment.
        var through: Double?
    }

    private struct ChartSeries {
        /// One word, under which the page's data has it; in a chart of a set (`CourseLines`) any name.
        var name: String
        var style: String
        var isArea = false
        var values: [Double?]
    }

    /// Load, answers, statuses, latency and errors.
    func service(_ summary: Summary) -> [HTML] {
        let (course, before) = (summary.course, summary.earlier?.course)
        let points = course.points
        func earlier(_ value: (Course.Point) -> Double?) -> [[Double?]] {
            before.map { [$0.points.map(value)] } ?? []
        }
        func rate(_ value: Double) -> String {
            "\(Figures.grouped(DecimalText.trimmed(value, 2)))/s"
        }
        var panels = [
            panel(
                "Households arriving per second", id: "arrivals", height: 132, names: true,
                [
                    ChartSeries(
                        name: "arriving", style: "s5", isArea: true, values: points.map(\.arrivals))
                ], label: rate),
            panel(
                "TVs waiting with a code on screen", id: "waiting", height: 116,
                [
                    ChartSeries(
                        name: "waiting", style: "s6", isArea: true,
                        values: points.map { Double($0.level.waiting) })
                ], before: earlier { Double($0.level.waiting) }
            ) { DecimalText.trimmed($0, 1) },
            panel(
                "Requests answered per second", id: "rate", height: 190,
                [
                    ChartSeries(
                        name: "answered", style: "s1", isArea: true, values: points.map(\.completed)
                    )
                ], before: earlier(\.completed), limits: summary.thresholds.drawn(in: .answered),
                label: rate),
        ]
        let statuses = StatusLine.lines(course.statuses)
        if !statuses.isEmpty {
            panels.append(
                panel(
                    "Responses per second by status code", id: "statuses", height: 190,
                    set: "statuses",
                    statuses.map { ChartSeries(name: $0.name, style: $0.style, values: $0.values) },
                    label: rate))
        }
        panels.append(
            panel(
                "Latency of all operations", id: "latencies", height: 220, isLog: true,
                [
                    ChartSeries(name: "p99", style: "s3", values: points.map(\.p99)),
                    ChartSeries(name: "p50", style: "s2", values: points.map(\.p50)),
                ], before: earlier(\.p99) + earlier(\.p50), label: Axis.time))
        panels += operations(summary) + kinds(summary)
        if points.contains(where: { $0.errors > 0 }) {
            panels.append(
                panel(
                    "Errors, share of requests", id: "errors-over-time", height: 132,
                    width: course.errorShares.width, set: "errors",
                    course.errorShares.lines.map {
                        ChartSeries(name: $0.name, style: "bad", isArea: true, values: $0.values)
                    }, before: before?.errorShares.lines.map(\.values) ?? [],
                    beforeWidth: before?.errorShares.width,
                    limits: summary.thresholds.drawn(in: .errors)
                ) { "\(DecimalText.trimmed($0, 2)) %" })
        }
        return panels
    }

    /// Those with a threshold, then the slowest.
    private func operations(_ summary: Summary) -> [HTML] {
        let lines = Self.operations(summary)
        guard !lines.isEmpty else { return [] }
        let limits = lines.flatMap { summary.thresholds.drawn(in: .operation($0.name)) }
        return [
            panel(
                "Latency by operation, p95", id: "operations-over-time", height: 260, isLog: true,
                width: summary.course.operations.width, set: "operations", numbered(lines),
                before: Self.earlier(summary.earlier?.course.operations, lines),
                beforeWidth: summary.earlier?.course.operations.width, limits: limits,
                label: Axis.time)
        ]
    }

    private func kinds(_ summary: Summary) -> [HTML] {
        let lines = Self.kinds(summary)
        guard lines.count > 1 else { return [] }
        return [
            panel(
                "Latency by kind of household, p95 of all operations", id: "kinds-over-time",
                height: 190, isLog: true, width: summary.course.kinds.width, set: "kinds",
                numbered(lines),
                before: Self.earlier(summary.earlier?.course.kinds, lines),
                beforeWidth: summary.earlier?.course.kinds.width, label: Axis.time)
        ]
    }

    private func numbered(_ lines: [CourseLines.Line]) -> [ChartSeries] {
        lines.enumerated().map { index, line in
            ChartSeries(name: line.name, style: "s\(index + 1)", values: line.values)
        }
    }

    private static func earlier(
        _ earlier: CourseLines?, _ lines: [CourseLines.Line]
    ) -> [[Double?]] {
        lines.compactMap { line in earlier?.lines.first { $0.name == line.name }?.values }
    }

    /// Operations that the chart names, as many as there are colours.
    static func operations(_ summary: Summary) -> [CourseLines.Line] {
        let order =
            summary.operations.map(\.name).filter {
                !summary.thresholds.drawn(in: .operation($0)).isEmpty
            } + PercentileChart.ranked(summary.operations).map(\.name)
        var seen: Set<String> = []
        let named = order.filter { seen.insert($0).inserted }.compactMap { name in
            summary.course.operations.lines.first { $0.name == name }
        }
        return Array(named.filter(isDrawn).prefix(PercentileChart.named))
    }

    static func kinds(_ summary: Summary) -> [CourseLines.Line] {
        Array(summary.course.kinds.lines.filter(isDrawn).prefix(PercentileChart.named))
    }

    private static func isDrawn(_ line: CourseLines.Line) -> Bool {
        line.values.count { $0 != nil } > 1
    }

    /// The rig's own lateness and load.
    func rig(_ points: [Course.Point]) -> [HTML] {
        let late = points.map(\.latenessP99)
        let busy = points.map { $0.busy.map { $0 * 100 } }
        var panels: [HTML] = []
        if late.contains(where: { ($0 ?? 0) > 0 }) {
            panels.append(
                panel(
                    "Lateness of sending, p99", id: "lateness", height: 150,
                    [ChartSeries(name: "late", style: "s4", isArea: true, values: late)],
                    label: Axis.time))
        }
        if busy.contains(where: { $0 != nil }) {
            panels.append(
                panel(
                    "Busiest lane, share of time busy", id: "busy", height: 150,
                    [ChartSeries(name: "busy", style: "s1", isArea: true, values: busy)]
                ) { "\(DecimalText.trimmed($0, 1)) %" })
        }
        return panels
    }

    /// What the dashboard shows of a run that goes on; a search has no households to show.
    func live(_ points: [Course.Point], isSearch: Bool) -> [HTML] {
        func rate(_ value: Double) -> String {
            "\(Figures.grouped(DecimalText.trimmed(value, 2)))/s"
        }
        func time(_ value: Double) -> String { Figures.time(milliseconds: value) }
        func households(_ value: Double) -> String { Figures.count(Int(value.rounded())) }
        let answered = panel(
            "Requests answered per second", id: "rate", height: 190, isLive: true,
            [
                ChartSeries(
                    name: "answered", style: "s1", isArea: true, values: points.map(\.completed))
            ], label: rate)
        let latency = panel(
            "Latency of all operations", id: "latencies", height: 220, isLog: true, isLive: true,
            [
                ChartSeries(name: "p99", style: "s3", values: points.map(\.p99)),
                ChartSeries(name: "p50", style: "s2", values: points.map(\.p50)),
            ], label: time)
        let errors = panel(
            "Errors per second", id: "errors-over-time", height: 116, isLive: true,
            [
                ChartSeries(
                    name: "errors", style: "bad", isArea: true, values: points.map(\.errors))
            ], label: rate)
        let late = panel(
            "Lateness of sending, p99", id: "lateness", height: 116, isLog: true, isLive: true,
            [
                ChartSeries(
                    name: "late", style: "s4", isArea: true, values: points.map(\.latenessP99))
            ], label: time)
        guard !isSearch else { return [answered, latency, errors, late] }
        let arrivals = panel(
            "Households arriving per second", id: "arrivals", height: 116, isLive: true,
            [
                ChartSeries(
                    name: "arriving", style: "s5", isArea: true, values: points.map(\.arrivals))
            ], label: rate)
        let states = panel(
            "Households", id: "states-over-time", height: 150, isLive: true,
            [
                ChartSeries(
                    name: "signed-in", style: "good", isArea: true,
                    values: points.map { Double($0.level.signedIn) }),
                ChartSeries(
                    name: "waiting", style: "s6", values: points.map { Double($0.level.waiting) }),
                ChartSeries(
                    name: "lost", style: "bad", values: points.map { Double($0.level.lost) }),
            ], label: households)
        return [answered, latency, arrivals, states, errors, late]
    }

    /// `names`: the stages of the load are named above it. `isLive`: its caption says the latest values. `width`:
    /// seconds for each value, if not those of all charts. `set`: the page's data has its series under that name.
    /// `before`: the earlier run's values, pale. `limits`: thresholds with a mark.
    private func panel(
        _ title: String, id: String, height: Double, isLog: Bool = false, names: Bool = false,
        isLive: Bool = false, width: Int? = nil, set: String = "", _ series: [ChartSeries],
        before: [[Double?]] = [], beforeWidth: Int? = nil, limits: [ThresholdResult] = [],
        label: (Double) -> String
    ) -> HTML {
        let values = series.flatMap { $0.values.compactMap(\.self) }
        let limits = limits.sorted { !$0.met && $1.met }.prefix(Self.limitsShown)
        let all =
            values + before.flatMap { $0.compactMap(\.self) } + limits.compactMap(\.mark?.value)
        var plot = Plot(
            x: .time(through: seconds),
            y: isLog
                ? .milliseconds(around: all, ticks: Int(height / 15))
                : .upward(to: all.max() ?? 1, wanted: height > 150 ? 4 : 2, label: label))
        plot.height = height
        plot.top = names && !stages.isEmpty ? 28 : 12
        plot.isOverTime = true
        plot.series = set.isEmpty ? series.map(\.name).joined(separator: " ") : "set:\(set)"
        let pale = before.map { values in
            plot.line(placed(values, width: beforeWidth ?? earlierWidth), class: "before")
        }
        let marks = series.map { one -> HTML in
            let points = placed(one.values, width: width ?? self.width)
            let area: HTML = one.isArea ? plot.area(points, class: one.style) : .none
            return "\(area)\(plot.line(points, class: one.style))"
        }
        let drawn = Self.limits(Array(limits), plot)
        let top = values.max().map { ", at most \(label($0))" } ?? ""
        let latest: HTML =
            isLive
            ? "<span class=\"at\">\(series.map { one in one.values.last.flatMap(\.self).map(label) ?? "–" }.joined(separator: " · "))</span>"
            : .none
        return Figure.html(
            title, legend: "\(legend(series, hasBefore: !before.isEmpty))\(latest)",
            plot.drawing(
                title: title,
                description: "\(title) over \(Figures.span(seconds: seconds))\(top).", id: id,
                marks: boundaries(plot) + eventMarks(plot) + pale + marks + drawn.marks,
                labels: (names ? stageNames(plot) : []) + eventNames(plot) + drawn.labels))
    }

    private func legend(_ series: [ChartSeries], hasBefore: Bool) -> HTML {
        var entries = series.count < 2 ? [] : series.map { ($0.style, $0.name) }
        if hasBefore { entries.append(("before", "earlier run")) }
        guard !entries.isEmpty else { return .none }
        return
            "<span class=\"legend\">\(entries.map { "<i class=\"\($0.0)\"></i>\($0.1) " as HTML })</span>"
    }

    /// Of a chart with many thresholds so many are drawn, those that were missed first.
    private static let limitsShown = 6

    /// A line at each threshold, and its text at the right end.
    private static func limits(
        _ results: [ThresholdResult], _ plot: Plot
    ) -> (marks: [HTML], labels: [HTML]) {
        let heights = results.map { plot.down($0.mark?.value ?? 0) }
        let places = Plot.spread(
            heights.map { $0 - 5 }, gap: 15,
            within: (plot.top + 9)...(plot.height - plot.bottom - 4))
        let style: (ThresholdResult) -> HTML = { $0.met ? .none : " bad" }
        let marks = zip(results, heights).map { result, at -> HTML in
            """
            <line class="limit\(style(result))" x1="\(px: plot.left)" \
            x2="\(px: plot.width - plot.right)" y1="\(px: at)" y2="\(px: at)"/>
            """
        }
        let labels = zip(results, places).map { result, at -> HTML in
            """
            <text class="label limit-name\(style(result))" x="\(px: plot.width - plot.right - 6)" \
            y="\(px: at)" text-anchor="end">\(result.expression)\(result.met ? "" : ", missed")</text>
            """
        }
        return (marks, labels)
    }

    /// Where a stage of the load begins.
    private func boundaries(_ plot: Plot) -> [HTML] {
        shown.map { stage in
            """
            <line class="stage" x1="\(px: plot.across(stage.from))" x2="\(px: plot.across(stage.from))" \
            y1="\(px: plot.top - 6)" y2="\(px: plot.height - plot.bottom)"/>
            """
        }
    }

    private func eventMarks(_ plot: Plot) -> [HTML] {
        events.filter { $0.from <= seconds }.map { event in
            let (left, bottom) = (plot.across(event.from), plot.height - plot.bottom)
            let band: HTML =
                event.through.map { through in
                    """
                    <rect class="event" x="\(px: left)" y="\(px: plot.top)" \
                    width="\(px: max(1, plot.across(min(through, seconds)) - left))" height="\(px: bottom - plot.top)"/>
                    """
                } ?? .none
            return """
                \(band)<line class="event" x1="\(px: left)" x2="\(px: left)" y1="\(px: plot.top - 6)" \
                y2="\(px: bottom)"><title>\(event.name)</title></line>
                """
        }
    }

    /// Below the names of stages, in three rows: events may be close to one another.
    private func eventNames(_ plot: Plot) -> [HTML] {
        events.filter { $0.from <= seconds }.enumerated().map { position, event in
            """
            <text class="label event-name" data-from="\(px: event.from)" x="\(px: plot.across(event.from) + 4)" \
            y="\(px: plot.top + 10 + Double(position % 3) * 13)">\(event.name)</text>
            """
        }
    }

    private func stageNames(_ plot: Plot) -> [HTML] {
        shown.map { stage in
            let room = plot.across(stage.through) - plot.across(stage.from)
            let isNarrow = room < Double(stage.name.count) * 7 + 8
            return """
                <text class="label stage-name\(isNarrow ? " narrow" : "")" data-from="\(px: stage.from)" \
                data-through="\(px: stage.through)" x="\(px: plot.across(stage.from) + 5)" y="15">\(stage.name)</text>
                """
        }
    }

    /// Those that the run reached; the end of the last is the end of all arrivals.
    private var shown: [LoadStage] {
        guard let last = stages.last else { return [] }
        let end = LoadStage(name: "no more arrivals", from: last.through, through: seconds)
        return (stages + [end]).filter { $0.from < seconds }.map { stage in
            var stage = stage
            stage.through = min(stage.through, seconds)
            return stage
        }
    }

    /// Each bucket stands at its middle; the first and the last reach to the ends of the axis.
    private func placed(_ values: [Double?], width: Int) -> [(Double, Double?)] {
        let width = Double(width)
        return values.enumerated().prefix { Double($0.offset) * width < max(seconds, 1) }.map {
            (min(seconds, (Double($0.offset) + 0.5) * width), $0.element)
        }
    }
}

/// Responses over time of one status code, or of the rarer ones of a class.
struct StatusLine {
    var name: String
    /// A class of the page's sheet.
    var style: String
    /// Per second.
    var values: [Double]

    /// Colours of each class of codes; rarer codes than there are colours are one line.
    private static let colours = [
        2: ["s2", "s6"], 3: ["s5", "other"], 4: ["s1", "s4"], 5: ["bad", "s3"],
    ]

    /// By code; requests that got no response last.
    static func lines(_ statuses: [Int: [Double]]) -> [StatusLine] {
        let classes = Dictionary(grouping: statuses.keys.filter { $0 > 0 }) { $0 / 100 }
        var lines: [StatusLine] = []
        for (group, codes) in classes.sorted(by: { $0.key < $1.key }) {
            let colours = colours[group] ?? ["other"]
            let sums = codes.map { ($0, statuses[$0]?.reduce(0, +) ?? 0) }
            let ranked = sums.sorted { ($1.1, $0.0) < ($0.1, $1.0) }.map(\.0)
            let alone = ranked.count <= colours.count ? ranked.count : colours.count - 1
            for (code, colour) in zip(ranked.prefix(alone), colours) {
                lines.append(
                    StatusLine(name: "\(code)", style: colour, values: statuses[code] ?? []))
            }
            let rest = ranked.dropFirst(alone).compactMap { statuses[$0] }
            guard let first = rest.first else { continue }
            lines.append(
                StatusLine(
                    name: alone == 0 ? "\(group)xx" : "other \(group)xx",
                    style: colours[colours.count - 1],
                    values: rest.dropFirst().reduce(first) { zip($0, $1).map(+) }))
        }
        if let none = statuses[0] {
            lines.append(StatusLine(name: "no response", style: "unanswered", values: none))
        }
        return lines
    }
}

/// A chart with its caption, which scrolls within itself where the page is narrow.
enum Figure {
    static func html(_ title: String, legend: HTML = .none, _ drawing: HTML) -> HTML {
        """
        <figure><figcaption>\(title)\(legend)</figcaption><div class="scroll" role="region" \
        tabindex="0" aria-label="\(title)">
        \(drawing)
        </div></figure>

        """
    }
}
