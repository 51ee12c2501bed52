internal import Checker
internal import Statistics

/// How long sign-ins took, how soon a TV saw its token, and how stale answers were.
enum FreshnessSection {
    static func html(_ summary: Summary) -> HTML {
        "\(signIn(summary))\(summary.findings.map { staleness($0.staleness) } ?? .none)"
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

    private static func staleness(_ staleness: Staleness) -> HTML {
        guard staleness.count > 0 else { return .none }
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
                .text("After the phone was told, the TV was still told \u{201c}not yet\u{201d}"),
                .number("p50"), .number("p90"), .number("p99"), .number("Max"),
            ],
            rows: [
                row("for at least", staleness.atLeast),
                row("for at most (the poll interval is in it)", staleness.atMost),
            ]
        ).html
        return """
            <h3>How stale a TV\u{2019}s answers were</h3>
            \(times)
            <p class="empty">Over \(Figures.counted(staleness.count, "sign-in")); proven stale: \
            \(HTML.number(Double(staleness.proven), shown: Figures.count(staleness.proven))).</p>
            """
    }
}
