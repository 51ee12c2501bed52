internal import Checker
internal import Statistics

/// How long sign-ins took, how soon a TV saw its token, and how stale answers were.
enum FreshnessSection {
    static func html(_ summary: Summary) -> HTML {
        "\(signIn(summary))\(summary.findings.map { staleness($0.staleness, felt: summary.tokenVisibility) } ?? .none)"
    }

    private static func signIn(_ summary: Summary) -> HTML {
        guard let signIn = summary.signIn, let bins = summary.signInBins else {
            return "<p class=\"empty\">No sign-in was completed.</p>"
        }
        let spreads: [(String, Spread?)] = [
            ("Sign-in: code shown → token seen by the TV", signIn),
            ("The same without the viewer's own time", summary.signInService),
            (
                "Token visibility: phone done → first poll that saw the token",
                summary.tokenVisibility
            ),
        ]
        let beyond: HTML =
            bins.beyond == 0
            ? .none
            : "<p class=\"empty\">\(Figures.counted(bins.beyond, "slower sign-in")) not drawn.</p>"
        return """
            \(Figure.html(
                "How long sign-ins took: households by time from code to token",
                SignInChart(bins: bins, spread: signIn).html))\(beyond)
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
                }
            ).html)
            """
    }

    /// What the service did, and beside it what a user felt of it: two different numbers.
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
            caption: "How stale a TV's answers were",
            columns: [
                .text(
                    "The phone was told \u{201c}done\u{201d}, the TV still \u{201c}not yet\u{201d}"),
                .number("p50"), .number("p90"), .number("p99"), .number("Max"),
            ],
            rows: [
                row("for at least", staleness.atLeast),
                row("for at most (the poll interval is in it)", staleness.atMost),
                ["estimated by Turnbull\u{2019}s method, from both"]
                    + [0.5, 0.9, 0.99, 1].map { between(estimate.quantile($0)) },
                ["felt by a user: until the first poll that saw the token"]
                    + [felt?.p50, felt?.p90, felt?.p99, felt?.max].map { time in
                        time.map { .number($0, shown: Figures.time(milliseconds: $0)) } ?? "–"
                    },
            ]
        ).html
        return """
            <h3>How stale a TV\u{2019}s answers were</h3>
            \(times)
            <p class="empty">Over \(Figures.counted(staleness.count, "sign-in")); proven stale: \
            \(HTML.number(Double(staleness.proven), shown: Figures.count(staleness.proven))).\(delta(staleness)) \
            Where the answers do not tell more of a share, the estimate is a range.</p>
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

    /// The one number: how late every answer would have to be allowed to be for all of them to be
    /// right.
    private static func delta(_ staleness: Staleness) -> String {
        guard staleness.delta > 0 else { return "" }
        return " Every answer would be right if sign-ins counted from "
            + Figures.time(milliseconds: Double(staleness.delta) / 1e6)
            + " after their own, at least (Delta)."
    }
}
