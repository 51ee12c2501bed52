/// How far households came, how long sign-ins took, and where households were lost.
enum HouseholdSections {
    static func funnels(_ summary: Summary) -> HTML {
        guard let all = summary.funnels.first, summary.households.started > 0 else {
            return "<p class=\"empty\">No household started.</p>"
        }
        let counts = summary.households
        let already: HTML =
            counts.preSignedIn == 0
            ? .none
            : " \(Figures.counted(counts.preSignedIn, "household")) had been signed in before."
        let started: HTML =
            counts.planned.map { planned in
                "\(Figures.count(counts.started)) of \(Figures.count(planned)) planned households"
            } ?? "\(Figures.counted(counts.started, "household"))"
        return """
            <p class="lead">\(started) started; \
            \(Figures.count(counts.failed)) failed, \(Figures.count(counts.abandoned)) gave up\
            \(running(counts)).\(already) Playing and logging out are steps that not every rig asks for.</p>
            \(bars(all))
            \(byKind(Array(summary.funnels.dropFirst())))
            """
    }

    private static func running(_ counts: Summary.Households) -> HTML {
        counts.running == 0 ? .none : ", \(Figures.count(counts.running)) were still under way"
    }

    private static func bars(_ funnel: Funnel) -> HTML {
        let rows = funnel.steps.map { step -> HTML in
            """
            <div role="row" style="display:contents"><span role="rowheader">\(step.name)</span>\
            <span class="track" role="presentation"><span class="fill" \
            style="width:\(px: step.share * 100)%"></span></span>\
            <span class="n" role="cell">\(Figures.count(step.households))</span>\
            <span class="n soft" role="cell">\(Figures.percent(step.share))</span></div>

            """
        }
        return
            "<div class=\"funnel\" role=\"table\" aria-label=\"How far households came\">\(rows)</div>"
    }

    private static func byKind(_ funnels: [Funnel]) -> HTML {
        guard let first = funnels.first else { return .none }
        let columns = first.steps.map { Table.Column.number("\($0.name)") }
        return """
            <h3>By kind</h3>
            \(Table(
                caption: "How far households of each kind came",
                columns: [.text("Kind")] + columns + [.number("lost")],
                rows: funnels.map { funnel in
                    let cells = funnel.steps.enumerated().map { index, step -> HTML in
                        let share: HTML =
                            index == 0 ? .none : " <span class=\"soft\">\(Figures.percent(step.share))</span>"
                        return "\(Figures.count(step.households))\(share)"
                    }
                    return ["\(funnel.kind)"] + cells
                        + ["\(Figures.count(funnel.failed + funnel.abandoned))"]
                }
            ).html)
            """
    }

    static func signIn(_ summary: Summary) -> HTML {
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
            <figure><figcaption>How long sign-ins took: households by time from code to token</figcaption>\
            <div class="scroll" role="region" tabindex="0" aria-label="Distribution of sign-in times">
            \(SignInChart(bins: bins, spread: signIn).html)
            </div></figure>\(beyond)
            \(Table(
                caption: "Sign-in times",
                columns: [
                    .text("Time"), .number("Count"), .number("p50"), .number("p90"), .number("p95"),
                    .number("p99"), .number("Max"),
                ],
                rows: spreads.compactMap { name, spread in
                    spread.map { spread in
                        ["\(name)", "\(Figures.count(spread.count))"]
                            + [spread.p50, spread.p90, spread.p95, spread.p99, spread.max]
                            .map { "\(Figures.time(milliseconds: $0))" as HTML }
                    }
                }
            ).html)
            """
    }

    static func losses(_ summary: Summary) -> HTML {
        guard !summary.losses.isEmpty else { return "<p class=\"empty\">None was lost.</p>" }
        let shown = summary.losses.prefix(40)
        let rest = summary.losses.dropFirst(shown.count)
        let more: HTML =
            rest.isEmpty
            ? .none
            : "<p class=\"empty\">and \(Figures.count(rest.map(\.households).reduce(0, +))) more, in households.csv</p>"
        return """
            \(Table(
                caption: "Households lost, by where and why",
                columns: [
                    .text("What became of them"), .number("Households"), .text("Kind"),
                    .text("Came as far as"), .text("Cause"), .number("Example"),
                ],
                rows: shown.map { loss in
                    [
                        "\(loss.fate)", "\(Figures.count(loss.households))", "\(loss.kind)",
                        "\(loss.stage)", "<span class=\"wrap\">\(loss.cause.isEmpty ? "–" : loss.cause)</span>",
                        "household \(loss.example)",
                    ]
                }
            ).html)\(more)
            """
    }
}
