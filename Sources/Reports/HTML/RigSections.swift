internal import Formats
internal import Rendering

/// The load generator's own health, and the configuration of a run.
enum RigSections {
    static func health(_ summary: Summary) -> HTML {
        let health = summary.rigHealth
        // No request is sent late there, and the machine's speed does not affect the results.
        if summary.run.isVirtual { return .none }
        let verdict: HTML =
            health.valid
            ? "<p class=\"lead\">The load generator kept up with the load, so the latencies describe the service, not this machine.</p>"
            : """
            <div class="verdict invalid"><p>The rig itself was the bottleneck.</p>\
            <ul>\(health.reasons.map { "<li>\($0)</li>" as HTML })</ul></div>
            """
        let charts = TimelineCharts(width: summary.course.width, seconds: summary.run.seconds)
        return """
            \(verdict)
            \(Table(
                caption: "Load generator health",
                columns: [.text("Measure"), .number("Measured"), .number("Allowed")],
                rows: rows(health)
            ).html)
            \(summary.course.points.count < 2 ? [] : charts.rig(summary.course.points))
            """
    }

    private static func rows(_ health: RigHealth) -> [[HTML]] {
        func time(_ value: Double?) -> HTML {
            value.map { "\(Figures.time(milliseconds: $0))" } ?? "–"
        }
        return [
            [
                "Lateness of sending, p99", time(health.lateness?.p99),
                time(health.allowedLatenessMs),
            ],
            ["Lateness of sending, p50", time(health.lateness?.p50), "–"],
            ["Lateness of sending, max", time(health.lateness?.max), "–"],
            [
                "Busiest lane, share of the loaded time busy",
                health.busiestLane.map { "\(Figures.percent($0))" } ?? "–",
                "\(Figures.percent(health.allowedBusy))",
            ],
            ["Longest iteration of a lane's event loop", time(health.longestTurnMs), "–"],
            [
                "CPU time, in percent of one core",
                "\(DecimalText.trimmed(health.cpuPercent, 1)) %", "–",
            ],
        ]
    }

    static func run(_ summary: Summary) -> HTML {
        let run = summary.run
        let pairs: [(String, String)] = [
            ("Run", run.id), ("Run id", run.runID), ("Shard", run.shard?.details ?? ""),
            ("Rig", run.rig), ("Seed", String(run.seed)),
            (
                "Started",
                run.isVirtual
                    ? "virtual time, which always begins at \(run.started); the speed of the machine does "
                        + "not affect the results"
                    : run.started
            ), ("Target", run.target), ("Protocol", run.protocolName),
            ("Load", run.load), ("Lanes", String(run.lanes)),
            ("Policies", run.policies.joined(separator: ", ")), ("screenrig", run.version),
            ("History hash", run.historyHash),
            (
                "Compared with",
                summary.cases == nil
                    ? ""
                    : summary.earlier?.name ?? "no earlier comparable run beside this one"
            ),
        ]
        let rows = pairs.filter { !$0.1.isEmpty }.map { "<dt>\($0.0)</dt><dd>\($0.1)</dd>" as HTML }
        let source: HTML =
            run.source.isEmpty
            ? .none
            : "<details class=\"always\"><summary>Rig file</summary><pre tabindex=\"0\"><code>\(run.source)</code></pre></details>"
        return "<dl class=\"pairs\">\(rows)</dl>\n\(source)"
    }
}
