internal import Checker
internal import Rendering
internal import Statistics

/// Sign-in times, token visibility and staleness.
enum FreshnessSection {
    static func html(_ summary: Summary) -> HTML {
        "\(signIn(summary))\(summary.findings.map { staleness($0.staleness, felt: summary.tokenVisibility) } ?? .none)"
    }

    private static func signIn(_ summary: Summary) -> HTML {
        guard let signIn = summary.signIn, let bins = summary.signInBins else {
            return .none
        }
        let spreads: [(String, Spread?)] = [
            ("Sign-in: from the code to the token on the TV", signIn),
            ("Sign-in without the viewer's own time", summary.signInService),
            (
                "Token visibility: from the phone's last response to the first poll with the token",
                summary.tokenVisibility
            ),
        ]
        return """
            \(Figure.html(
                "Distribution of sign-in times: households by time from code to token",
                legend: summary.earlier?.signInBins == nil
                    ? .none : "<span class=\"legend\"><i class=\"before\"></i>earlier run</span>",
                SignInChart(
                    bins: bins, spread: signIn, limits: summary.thresholds.drawn(in: .signIn),
                    earlier: summary.earlier?.signInBins).html))
            \(Table(
                caption: "Sign-in times",
                columns: [
                    .text("Time"), .number("Count"), .number("p50"), .number("p90"), .number("p95"),
                    .number("p99"), .number("Max"),
                ],
                rows: spreads.compactMap { name, spread in
                    spread.map { spread in
                        ["\(name)", .number(Double(spread.count), shown: Figures.count(spread.count))]
                            + [spread.p50, spread.p90, spread.p95, spread.p99, spread.max]
                            .map { .number($0, shown: Figures.time(milliseconds: $0)) }
                    }
                }, isCards: true
            ).html)
            """
    }

    /// The staleness of the service's responses, and the delay that a viewer sees: two different numbers.
    private static func staleness(_ staleness: Staleness, felt: Spread?) -> HTML {
        guard staleness.count > 0 else { return .none }
        let estimate = staleness.estimate
        func row(_ name: HTML, _ histogram: Histogram) -> [HTML] {
            [name]
                + [0.5, 0.9, 0.99, 1].map { share in
                    histogram.milliseconds(atShare: share).map {
                        .number($0, shown: Figures.time(milliseconds: $0))
                    } ?? "–"
                }
        }
        let times = Table(
            caption: "Staleness of a TV's responses",
            columns: [
                .text("Time from the confirmed sign-in to its token"),
                .number("p50"), .number("p90"), .number("p99"), .number("Max"),
            ],
            rows: [
                row("lower bound: last poll that returned not yet", staleness.atLeast),
                row("upper bound: first poll that returned the token", staleness.atMost),
                ["estimate from both bounds (Turnbull)"]
                    + [0.5, 0.9, 0.99, 1].map { between(estimate.quantile($0)) },
                ["token visibility: what the viewer waits"]
                    + [felt?.p50, felt?.p90, felt?.p99, felt?.max].map { time in
                        time.map { .number($0, shown: Figures.time(milliseconds: $0)) } ?? "–"
                    },
            ], isCards: true
        ).html
        return """
            <h3>Staleness of a TV\u{2019}s responses</h3>
            \(times)
            <p class="empty">\(HTML.number(Double(staleness.proven), shown: Figures.count(staleness.proven))) \
            of \(Figures.counted(staleness.count, "sign-in")) had a stale response for certain.\(delta(staleness)) \
            Where the bounds leave a percentile open, the estimate is a range.</p>
            """
    }

    private static func between(_ range: Interval?) -> HTML {
        guard let range else { return "–" }
        let ends = [range.low, range.high].map { Figures.time(milliseconds: $0 / 1e6) }
        if ends[0] == ends[1] { return "\(ends[0])" }
        // `25.2–30.4 ms`: columns of ranges are wide enough.
        let units = ends.map { $0.split(separator: " ").last }
        let low =
            units[0] == units[1]
            ? ends[0].split(separator: " ").dropLast().joined(separator: " ") : ends[0]
        return "\(low)–\(ends[1])"
    }

    /// The smallest visibility delay with which every response would be consistent.
    private static func delta(_ staleness: Staleness) -> String {
        guard staleness.delta > 0 else { return "" }
        return " The smallest visibility delay with which every response would be consistent is "
            + Figures.time(milliseconds: Double(staleness.delta) / 1e6) + " (Delta)."
    }
}
