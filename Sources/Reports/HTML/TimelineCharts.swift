internal import Formats
internal import Rendering

/// The charts over time, one below the other with the same time axis.
struct TimelineCharts {
    /// Seconds for each point.
    var width: Int
    var seconds: Double
    var stages: [LoadStage] = []
    var events: [EventMark] = []

    /// An event as charts mark it, in seconds since the run began.
    struct EventMark {
        var name: String
        var from: Double
        /// Nil: a moment.
        var through: Double?
    }

    private struct ChartSeries {
        /// One word: the page's data has it under that name.
        var name: String
        var style: String
        var isArea = false
        var values: [Double?]
    }

    /// Load, answers, latency and errors.
    func service(_ points: [Course.Point]) -> [HTML] {
        var panels = [
            panel(
                "Households arriving per second", id: "arrivals", height: 132, names: true,
                [
                    ChartSeries(
                        name: "arriving", style: "s5", isArea: true, values: points.map(\.arrivals))
                ]
            ) { "\(Figures.grouped(DecimalText.trimmed($0, 2)))/s" },
            panel(
                "TVs waiting with a code on screen", id: "waiting", height: 116,
                [
                    ChartSeries(
                        name: "waiting", style: "s6", isArea: true,
                        values: points.map { Double($0.level.waiting) })
                ]
            ) { DecimalText.trimmed($0, 1) },
            panel(
                "Requests answered per second", id: "rate", height: 190,
                [
                    ChartSeries(
                        name: "answered", style: "s1", isArea: true, values: points.map(\.completed)
                    )
                ]
            ) { "\(Figures.grouped(DecimalText.trimmed($0, 2)))/s" },
            panel(
                "Latency of all operations", id: "latencies", height: 220, isLog: true,
                [
                    ChartSeries(name: "p99", style: "s3", values: points.map(\.p99)),
                    ChartSeries(name: "p50", style: "s2", values: points.map(\.p50)),
                ], label: Axis.time),
        ]
        if points.contains(where: { $0.errors > 0 }) {
            panels.append(
                panel(
                    "Errors per second", id: "errors-over-time", height: 116,
                    [
                        ChartSeries(
                            name: "errors", style: "bad", isArea: true, values: points.map(\.errors)
                        )
                    ]
                ) { "\(Figures.grouped(DecimalText.trimmed($0, 2)))/s" })
        }
        return panels
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

    /// `names`: the stages of the load are named above it. `isLive`: its caption says the latest values.
    private func panel(
        _ title: String, id: String, height: Double, isLog: Bool = false, names: Bool = false,
        isLive: Bool = false, _ series: [ChartSeries], label: (Double) -> String
    ) -> HTML {
        let values = series.flatMap { $0.values.compactMap(\.self) }
        var plot = Plot(
            x: .time(through: seconds),
            y: isLog
                ? .milliseconds(around: values)
                : .upward(to: values.max() ?? 1, wanted: height > 150 ? 4 : 2, label: label))
        plot.height = height
        plot.top = names && !stages.isEmpty ? 28 : 12
        plot.isOverTime = true
        plot.series = series.map(\.name).joined(separator: " ")
        let marks = series.map { one -> HTML in
            let points = placed(one.values)
            let area: HTML = one.isArea ? plot.area(points, class: one.style) : .none
            return "\(area)\(plot.line(points, class: one.style))"
        }
        let legend: HTML =
            series.count < 2
            ? .none
            : "<span class=\"legend\">\(series.map { "<i class=\"\($0.style)\"></i>\($0.name) " as HTML })</span>"
        let top = values.max().map { ", at most \(label($0))" } ?? ""
        let latest: HTML =
            isLive
            ? "<span class=\"at\">\(series.map { one in one.values.last.flatMap(\.self).map(label) ?? "–" }.joined(separator: " · "))</span>"
            : .none
        return Figure.html(
            title, legend: "\(legend)\(latest)",
            plot.drawing(
                title: title,
                description: "\(title) over \(Figures.span(seconds: seconds))\(top).", id: id,
                marks: boundaries(plot) + eventMarks(plot) + marks,
                labels: (names ? stageNames(plot) : []) + eventNames(plot)))
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
    private func placed(_ values: [Double?]) -> [(Double, Double?)] {
        let width = Double(width)
        return values.enumerated().map { index, value in
            (min(seconds, (Double(index) + 0.5) * width), value)
        }
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
