internal import Rendering

/// Latency by operation: table, curves and details.
enum LatencySections {
    static func table(_ summary: Summary) -> HTML {
        guard !summary.operations.isEmpty else {
            return "<p class=\"empty\">No request was sent.</p>"
        }
        let unit: HTML = " <span class=\"unit\">ms</span>"
        return """
            <p class="lead">The time from when a request was due to the end of its response, in \
            milliseconds. It includes any delay before sending, so a stalled service cannot hide requests \
            that had to wait. The small curves show p99 over the run, all on the same time axis.\(few(summary.operations))</p>
            \(Table(
                caption: "Latency by operation in milliseconds",
                columns: [
                    .text("Operation"), .number("Count"), .number("Errors"), .number("Per s"),
                    .number("p50\(unit)"), .number("p90\(unit)"), .number("p95\(unit)"),
                    .number("p99\(unit)"), .number("p99.9\(unit)"), .number("Max\(unit)"),
                    .text("p99 over time"),
                ],
                rows: summary.operations.map { row($0, summary) }, isSortable: true
            ).html)
            \(Figure.html(
                "Latency by percentile, each curve up to its slowest response",
                PercentileChart(operations: summary.operations).html))
            \(heat(summary))
            <details class="always"><summary>Outcomes, statuses, service time and lateness by operation</summary>
            \(detail(summary.operations))
            </details>
            """
    }

    /// What a percentile of few answers is.
    private static func few(_ rows: [OperationRow]) -> HTML {
        guard rows.contains(where: { $0.latency != nil && $0.count < 100 }) else { return .none }
        return " With fewer than 100 samples p99 is the maximum; with fewer than 20, p95 too."
    }

    private static func row(_ row: OperationRow, _ summary: Summary) -> [HTML] {
        let times = row.latency.map { [$0.p50, $0.p90, $0.p95, $0.p99, $0.p999, $0.max] }
        let cells = times.map {
            $0.map { .number($0, shown: Figures.significant($0)) as HTML }
        }
        let errors: HTML = .number(Double(row.errors), shown: Figures.count(row.errors))
        return [
            "<span class=\"name\">\(row.name)</span>",
            .number(Double(row.count), shown: Figures.count(row.count)),
            row.errors == 0 ? errors : "<span class=\"bad\">\(errors)</span>",
            .number(row.perSecond, shown: Figures.significant(row.perSecond)),
        ] + (cells ?? Array(repeating: "–", count: 6))
            + [
                Sparkline.html(
                    row.trend, width: summary.trendWidth, seconds: summary.run.seconds,
                    title: "p99 of \(row.name) over time")
            ]
    }

    /// Of all requests, and folded away of each operation.
    private static func heat(_ summary: Summary) -> HTML {
        guard let heat = summary.heat, heat.counts.count > 1 else { return .none }
        let (seconds, title) = (summary.run.seconds, "Latency over time, all operations")
        let each = summary.operations.enumerated().compactMap { position, row -> HTML? in
            row.heat.map { heat in
                Figure.html(
                    row.name,
                    HeatChart(
                        heat: heat, seconds: seconds, title: "Latency of \(row.name) over time",
                        id: "heat-\(position)", height: 150
                    ).html)
            }
        }
        return """
            \(Figure.html(
                title, legend: HeatChart.legend,
                HeatChart(heat: heat, seconds: seconds, title: title, id: "heat").html))
            <details class="screen-only"><summary>Latency over time by operation</summary>
            \(each)</details>
            """
    }

    private static func detail(_ rows: [OperationRow]) -> HTML {
        func spread(_ spread: Spread?) -> HTML {
            guard let spread else { return "–" }
            return "\(Figures.significant(spread.p50)) / \(Figures.significant(spread.p99))"
        }
        func list(_ counts: [OperationRow.Count]) -> HTML {
            let present = counts.filter { $0.count > 0 }
            return
                "\(present.map { "\($0.name) \(Figures.count($0.count))" }.joined(separator: ", "))"
        }
        return Table(
            caption: "Outcomes, statuses, service time and lateness by operation",
            columns: [
                .text("Operation"), .text("Outcomes"), .text("HTTP statuses"),
                .number("Service p50 / p99 <span class=\"unit\">ms</span>"),
                .number("Sent late p50 / p99 <span class=\"unit\">ms</span>"),
            ],
            rows: rows.map { row in
                [
                    "<span class=\"name\">\(row.name)</span>", list(row.outcomes),
                    list(row.statuses), spread(row.service),
                    spread(row.lateness),
                ]
            }
        ).html
    }
}
