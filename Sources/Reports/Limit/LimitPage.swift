internal import Formats
internal import Foundation
internal import Rendering
internal import Rigs

/// limit.html: the result, each threshold against the rate, the steps.
enum LimitPage {
    static func text(_ report: LimitReport) -> String {
        let head = PageHead(
            title:
                "\(report.about.rig): \(report.limit.map { LimitReport.rate($0) } ?? "no limit found") · screenrig find-limit",
            version: report.about.version, scripts: .none, sheet: sheet)
        let page: HTML = """
            \(head.html)
            <body>
            <header>
            <p class="over">screenrig find-limit · \(report.about.started.replacing("T", with: " ").replacing("Z", with: " UTC")) · \(report.about.target)</p>
            <h1>\(report.about.rig)</h1>
            <div class="verdict \(tone(report))" role="status"><p>\(report.headline)</p></div>
            </header>
            <main>
            \(charts(report))\(table(report))\(method(report))</main>
            <footer>Made by screenrig \(report.about.version). The same numbers are in limit.json and steps.csv beside this page; \
            each step has its own run directory.</footer>
            </body>
            </html>

            """
        return page.text
    }

    private static let sheet = String(decoding: PackageResources.limit_css, as: UTF8.self)

    private static func tone(_ report: LimitReport) -> HTML {
        switch report.ending {
        case .found, .holdsThrough: "pass"
        case .stepsUsed: report.nothingHeld ? "fail" : "pass"
        case .missesFrom: "fail"
        case .rigWasLimit, .interrupted, .couldNotRun: "invalid"
        }
    }

    // MARK: Charts

    private static func charts(_ report: LimitReport) -> HTML {
        let drawings = drawn(report).map { chart(report, $0) }
        guard drawings.contains(where: { $0 != .none }) else { return .none }
        return .section(
            "rates", "Thresholds by rate",
            """
            <p class="lead">A point is a step: green where every threshold held, red where one was missed. The dashed line is the \
            threshold, the band the 95 % interval of the limit. Thresholds that every step met are in the table only.</p>\(drawings)
            """)
    }

    /// Thresholds that some step missed, else those about times: a flat line of those that always held says nothing.
    private static func drawn(_ report: LimitReport) -> [Int] {
        let all = report.about.thresholds.indices
        let missed = all.filter { position in
            report.steps.contains {
                $0.readings.indices.contains(position) && !$0.readings[position].met
            }
        }
        guard missed.isEmpty else { return missed }
        return all.filter { ChartScale(report.about.thresholds[$0]).isTime }
    }

    private static func chart(_ report: LimitReport, _ position: Int) -> HTML {
        let points = report.steps.compactMap { step -> (step: LimitReport.Step, value: Double)? in
            guard step.readings.indices.contains(position),
                let value = step.readings[position].value, value.isFinite
            else { return nil }
            return (step, value)
        }
        guard !points.isEmpty else { return .none }
        let expression = report.expressions[position]
        // A telephone has a drawing of its own width: scrolled sideways, the other would hide the limit.
        return """
            <figure><figcaption>\(expression)<span class="legend">by households per second</span></figcaption>\
            <div class="scroll wide">\(drawing(report, position, points, isNarrow: false))</div>\
            <div class="narrow">\(drawing(report, position, points, isNarrow: true))</div></figure>
            """
    }

    private static func drawing(
        _ report: LimitReport, _ position: Int, _ points: [(step: LimitReport.Step, value: Double)],
        isNarrow: Bool
    ) -> HTML {
        let threshold = report.about.thresholds[position]
        let scale = ChartScale(threshold)
        let bound = threshold.bound * scale.factor
        var plot = Plot(
            x: rates(report.steps.map(\.rate) + (report.interval.map { [$0.low, $0.high] } ?? [])),
            y: scale.axis(points.map { $0.value * scale.factor } + [bound]))
        (plot.height, plot.top) = (300, 26)
        if isNarrow { (plot.width, plot.height, plot.left, plot.right) = (340, 250, 54, 8) }
        plot.x = spaced(plot)
        let floor = plot.height - plot.bottom
        var marks: [HTML] = []
        if let interval = report.interval, let limit = report.limit {
            let (from, to) = (plot.across(interval.low), plot.across(interval.high))
            // In the middle of it, as far as it has room there.
            let label = min(
                max(plot.across(limit), plot.left + halfLabel), plot.width - plot.right - halfLabel)
            marks.append(
                """
                <rect class="within" x="\(px: from)" y="\(px: plot.top)" width="\(px: max(1, to - from))" height="\(px: floor - plot.top)"/>\
                <line class="median" x1="\(px: plot.across(limit))" x2="\(px: plot.across(limit))" y1="\(px: plot.top)" y2="\(px: floor)"/>\
                <text class="label" x="\(px: label)" y="\(px: plot.top - 9)" text-anchor="middle">\(LimitReport.rate(limit))</text>
                """)
        }
        let line = plot.down(bound)
        marks.append(
            "<line class=\"limit\" x1=\"\(px: plot.left)\" x2=\"\(px: plot.width - plot.right)\" y1=\"\(px: line)\" y2=\"\(px: line)\"/>"
        )
        for (step, value) in points {
            let reading = step.readings[position]
            marks.append(
                """
                <circle class="\(step.held ? "held" : "missed")" cx="\(px: plot.across(step.rate))" cy="\(px: plot.down(value * scale.factor))" \
                r="\(isNarrow ? "3.5" : "4.5")"><title>step \(step.number), \(LimitReport.rate(step.rate)): \(reading.actual)</title></circle>
                """)
        }
        return plot.drawing(
            title: "\(report.expressions[position]) by rate",
            description: "\(points.count) steps; horizontal: households per second",
            id: "chart-\(position + 1)\(isNarrow ? "-narrow" : "")",
            marks: marks)
    }

    /// Half the width of `12.9 households/s`.
    private static let halfLabel = 52.0

    /// A logarithmic axis from the lowest rate to the highest, with 1, 2 and 5 of each decade, or more where that is few:
    /// the limit is rarely near one of them.
    private static func rates(_ rates: [Double]) -> Axis {
        let low = (rates.min() ?? 1) / 1.15
        let high = (rates.max() ?? 10) * 1.15
        func ticks(_ steps: [Double]) -> [Double] {
            (-6...7).flatMap { power in steps.map { $0 * pow(10, Double(power)) } }
                .filter { $0 >= low && $0 <= high }
        }
        let choices = [ticks([1, 2, 5]), ticks([1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8])]
        let values =
            choices.first { $0.count >= 4 }
            ?? Axis.between(low, high, wanted: 5) { "\($0)" }.ticks.map(\.value)
        return Axis(
            shape: .log, low: low, high: high,
            ticks: values.map { Axis.Tick(value: $0, label: DecimalText.trimmed($0, 6) + "/s") })
    }

    /// The horizontal axis without ticks whose labels would touch the one before.
    private static func spaced(_ plot: Plot) -> Axis {
        var ticks: [Axis.Tick] = []
        for tick in plot.x.ticks {
            if let last = ticks.last, plot.across(tick.value) - plot.across(last.value) < labelWidth
            {
                continue
            }
            ticks.append(tick)
        }
        return Axis(shape: plot.x.shape, low: plot.x.low, high: plot.x.high, ticks: ticks)
    }

    private static let labelWidth = 40.0

    /// From the unit of a bound to that of an axis.
    private struct ChartScale {
        let factor: Double
        let isTime: Bool
        private let isShare: Bool

        init(_ threshold: Threshold) {
            switch threshold.measure {
            case .percentile, .min, .mean, .max, .time:
                (factor, isTime, isShare) = (1e-6, true, false)
            case .errors, .throttled, .share: (factor, isTime, isShare) = (100, false, true)
            case .rate, .count: (factor, isTime, isShare) = (1, false, false)
            }
        }

        func axis(_ values: [Double]) -> Axis {
            if isTime { return .milliseconds(around: values) }
            return .upward(to: values.max() ?? 1) {
                DecimalText.trimmed($0, 4) + (isShare ? " %" : "")
            }
        }
    }

    // MARK: Tables

    /// What a step shows beside the thresholds.
    private struct CountColumn: Sendable {
        let name: String
        /// As in "No errors in any step".
        let plural: String
        let value: @Sendable (LimitReport.Step) -> Double
        let cell: @Sendable (LimitReport.Step) -> String
    }

    private static let counts: [CountColumn] = [
        CountColumn(
            name: "Errors", plural: "errors", value: { $0.errorShare },
            cell: { Figures.percent($0.errorShare) }),
        CountColumn(
            name: "Throttled", plural: "throttled requests", value: { $0.throttledShare },
            cell: { Figures.percent($0.throttledShare) }),
        CountColumn(
            name: "Violations", plural: "violations", value: { Double($0.violations) },
            cell: { Figures.count($0.violations) }),
    ]

    /// Columns that are zero in every step are one sentence, so that the table fits the page.
    private static func table(_ report: LimitReport) -> HTML {
        guard !report.steps.isEmpty else { return .none }
        let beside = counts.filter { count in report.steps.contains { count.value($0) > 0 } }
        let absent = counts.map(\.plural).filter { name in !beside.contains { $0.plural == name } }
        let list =
            absent.dropLast().joined(separator: ", no ") + (absent.count > 1 ? " and no " : "")
            + (absent.last ?? "")
        let sentence: HTML =
            absent.isEmpty ? .none : "<p class=\"lead\">No \(list) in any step.</p>"
        // In virtual time nothing is late.
        let isTimed = !report.about.isVirtual
        let columns: [Table.Heading] =
            [.text("Step"), .verdict("Result"), .number("Households/s"), .number("Requests/s")]
            + report.expressions.map { .number("\($0)") }
            + beside.map { .number("\($0.name)") } + (isTimed ? [.number("Lateness p99")] : [])
        let rows = report.steps.map { step -> [HTML] in
            let remark: HTML =
                step.notes.isEmpty ? .none : "<br/><span class=\"soft\">\(step.notes)</span>"
            let word: HTML =
                step.held
                ? "<span class=\"good\">held</span>\(remark)"
                : "<span class=\"bad\">missed</span>\(remark)"
            let lateness = step.latenessP99Ms.map { Figures.time(milliseconds: $0) } ?? "–"
            return [
                "<a href=\"\(step.run)/report.html\">\(step.number)</a>", word,
                "\(LimitReport.number(step.rate))",
                "\(Figures.significant(step.requestsPerSecond))",
            ] + step.readings.map { "\($0.actual)" } + beside.map { "\($0.cell(step))" }
                + (isTimed ? ["\(lateness)"] : [])
        }
        return .section(
            "steps", "Steps",
            "\(sentence)\(Table(caption: "Steps", columns: columns, rows: rows, isCards: true).html)"
        )
    }

    private static func method(_ report: LimitReport) -> HTML {
        .section(
            "method", "Method",
            """
            <p>Each step is a run at a steady rate: \(report.about.warmUpSeconds) s of warm-up, which nothing is read from, then \
            \(report.about.stepSeconds) s that decide. The rate doubles until a threshold is missed; then each step goes where its answer says most. \
            Near the limit a rate holds in one step and misses in the next, so the limit is the rate at which half of the steps hold; it is estimated, \
            with its interval, from all steps together (docs/scale.md, Planning). A request that was never answered counts with the time-out of the rig. \
            Violated promises are counted beside each step and decide nothing here unless a threshold names them.</p>
            """)
    }
}
