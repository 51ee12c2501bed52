internal import Rendering

/// What the service had to bear at worst, and when.
enum ServiceLoadSection {
    static func html(_ load: ServiceLoad, _ seconds: Double) -> HTML {
        let step = Figures.span(seconds: Double(load.width))
        let table = Table(
            caption: "Peaks of the load on the service",
            columns: [
                .text("What"), .number("Peak"), .number("In second"), .text("Over time"),
            ],
            rows: load.measures.map { measure in
                [
                    "\(measure.name)",
                    .number(Double(measure.peak), shown: Figures.count(measure.peak)),
                    measure.peak == 0
                        ? "–"
                        : .number(Double(measure.second), shown: Figures.count(measure.second)),
                    Sparkline.html(
                        measure.steps.map { Double($0) }, width: load.width, seconds: seconds,
                        title: "\(measure.name) over time"),
                ]
            }, isCards: true
        ).html
        return """
            <p class="lead">The largest values of one second. A sign-in counts when the TV has seen its token; a code \
            is alive while the TV shows it and waits. The small curves show the largest value of every \(step).</p>
            \(table)
            """
    }
}
