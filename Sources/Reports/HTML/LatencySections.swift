internal import Rendering

/// Latency by operation: table, curves and details.
enum LatencySections {
    static func table(_ summary: Summary) -> HTML {
        guard !summary.operations.isEmpty else { return .none }
        let trend = Column<OperationRow>(
            page: "p99 over time", isText: true, explained: .like("percentile"),
            drawn: {
                Sparkline.html(
                    $0.trend, width: summary.trendWidth, seconds: summary.run.seconds,
                    title: "p99 of \($0.name) over time")
            }, value: { _ in .text("") })
        let columns = OperationRow.columns + [trend]
        return """
            <p class="lead">The time from when a request was due to the end of its response, in \
            milliseconds. It includes any delay before sending, so a stalled service cannot hide requests \
            that had to wait. The small curves show p99 over the run, all on the same time axis.\(few(summary.operations))</p>
            \(columns.page("Latency by operation in milliseconds", summary.operations))
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
        OperationRow.details.page(
            "Outcomes, statuses, service time and lateness by operation", rows, isSortable: false)
    }
}
