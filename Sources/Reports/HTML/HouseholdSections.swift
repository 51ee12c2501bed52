internal import Rendering

/// The funnel of households, by kind, and those without a sign-in by cause.
enum HouseholdSections {
    static func funnels(_ summary: Summary) -> HTML {
        guard let all = summary.funnels.first, summary.households.started > 0 else {
            return "<p class=\"empty\">No household started.</p>"
        }
        let counts = summary.households
        let already: HTML =
            counts.preSignedIn == 0
            ? .none
            : " \(Figures.counted(counts.preSignedIn, "household")) \(counts.preSignedIn == 1 ? "was" : "were") already signed in on arrival."
        let started: HTML =
            counts.planned.map { planned in
                "\(Figures.count(counts.started)) of \(Figures.count(planned)) planned households"
            } ?? "\(Figures.counted(counts.started, "household"))"
        return """
            <p class="lead">\(started) started; \
            \(Figures.count(counts.failed)) failed, \(Figures.count(counts.abandoned)) gave up\
            \(running(counts)).\(already)\(denied(counts)) Not every rig plays or logs out.</p>
            \(bars(all, name: "Households by furthest stage"))
            \(byKind(Array(summary.funnels.dropFirst())))
            \(byProvider(summary.providers))
            \(losses(summary))
            """
    }

    private static func running(_ counts: Summary.Households) -> HTML {
        counts.running == 0 ? .none : ", \(Figures.count(counts.running)) still in progress"
    }

    private static func denied(_ counts: Summary.Households) -> HTML {
        counts.notEntitled == 0
            ? .none
            : " \(Figures.counted(counts.notEntitled, "household")) signed in with an account that is not entitled to watch (not-entitled; not a failure)."
    }

    private static func bars(_ funnel: Funnel, name: String) -> HTML {
        let rows = funnel.steps.map { step -> HTML in
            """
            <div role="row" style="display:contents"><span role="rowheader">\(step.name)</span>\
            <span class="track" role="presentation"><span class="fill" \
            style="width:\(px: step.share * 100)%"></span></span>\
            <span class="n" role="cell">\(HTML.number(Double(step.households), shown: Figures.count(step.households)))</span>\
            <span class="n soft" role="cell">\(Figures.percent(step.share))</span></div>

            """
        }
        return "<div class=\"funnel\" role=\"table\" aria-label=\"\(name)\">\(rows)</div>"
    }

    /// A funnel of each kind, where there are several.
    private static func byKind(_ funnels: [Funnel]) -> HTML {
        if funnels.isEmpty { return .none }
        let each = funnels.map { funnel -> HTML in
            let lost = [
                (funnel.failed, "failed"), (funnel.abandoned, "gave up"),
                (funnel.running, "in progress"),
            ].filter { $0.0 > 0 }.map { "\(Figures.count($0.0)) \($0.1)" }
            let words = lost.isEmpty ? "none lost" : lost.joined(separator: ", ")
            return """
                <div class="kind"><h4>\(funnel.kind) <span class="soft">\(words)</span></h4>
                \(bars(funnel, name: "Households of kind \(funnel.kind) by furthest stage"))</div>

                """
        }
        return "<h3>By kind</h3><div class=\"kinds\">\(each)</div>"
    }

    private static func byProvider(_ providers: [ProviderRow]) -> HTML {
        guard !providers.isEmpty else { return .none }
        let shown = providers.prefix(40)
        let more: HTML =
            providers.count == shown.count
            ? .none
            : "<p class=\"empty\">and \(Figures.count(providers.count - shown.count)) more, in providers.csv</p>"
        return """
            <h3>By provider</h3>
            \(ProviderRow.columns.page("Households by provider", Array(shown)))
            \(more)
            """
    }

    private static func losses(_ summary: Summary) -> HTML {
        if summary.losses.isEmpty { return .none }
        let shown = summary.losses.prefix(40)
        let rest = summary.losses.dropFirst(shown.count)
        let more: HTML =
            rest.isEmpty
            ? .none
            : "<p class=\"empty\">and \(Figures.count(rest.map(\.households).reduce(0, +))) more, in households.csv</p>"
        return """
            <h3>Failed and abandoned households by cause</h3>
            \(Table(
                caption: "Failed and abandoned households by cause",
                columns: [
                    .text("Outcome"), .number("Households"), .text("Kind"),
                    .text("Furthest stage"), .text("Cause"), .number("Example"),
                ],
                rows: shown.map { loss in
                    [
                        "\(loss.fate)",
                        .number(Double(loss.households), shown: Figures.count(loss.households)), "\(loss.kind)",
                        "\(loss.stage)", "<span class=\"wrap\">\(loss.cause.isEmpty ? "–" : loss.cause)</span>",
                        "household \(loss.example)",
                    ]
                }, isSortable: true
            ).html)\(more)
            """
    }
}
