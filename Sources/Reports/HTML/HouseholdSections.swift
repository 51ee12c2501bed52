internal import Rendering

/// The funnel of households, by kind, and those without a sign-in by cause.
enum HouseholdSections {
    static func funnels(_ summary: Summary) -> HTML {
        guard let all = summary.funnels.first, summary.households.started > 0 else {
            return .none
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
            \(Figures.count(counts.failed)) failed, \(Figures.count(counts.abandoned)) abandoned\
            \(running(counts)).\(already)\(denied(counts)) Not every rig plays or logs out.</p>
            \(bars(all, name: "Households by furthest stage"))
            \(byKind(Array(summary.funnels.dropFirst()), summary.kinds))
            \(byProvider(summary.providers))
            \(throttled(summary.throttling))
            \(losses(summary))
            """
    }

    private static func running(_ counts: Summary.Households) -> HTML {
        let signedIn: HTML =
            counts.runningSignedIn == 0
            ? .none : ", of which \(Figures.count(counts.runningSignedIn)) had signed in"
        return counts.running == 0
            ? .none : ", \(Figures.count(counts.running)) still in progress\(signedIn)"
    }

    private static func denied(_ counts: Summary.Households) -> HTML {
        counts.notEntitled == 0
            ? .none
            : " In \(Figures.counted(counts.notEntitled, "household")) the service denied a resource at least once (not-entitled; not a failure)."
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
    private static func byKind(_ funnels: [Funnel], _ kinds: [KindRow]) -> HTML {
        if funnels.isEmpty { return .none }
        let each = funnels.map { funnel -> HTML in
            let lost = [
                (funnel.failed, "failed"), (funnel.abandoned, "abandoned"),
                (funnel.running, "in progress"),
            ].filter { $0.0 > 0 }.map { "\(Figures.count($0.0)) \($0.1)" }
            let words = lost.isEmpty ? "none lost" : lost.joined(separator: ", ")
            return """
                <div class="kind"><h4>\(funnel.kind) <span class="soft">\(words)</span></h4>
                \(bars(funnel, name: "Households of kind \(funnel.kind) by furthest stage"))</div>

                """
        }
        let table = KindRow.columns.page("Households by kind", kinds)
        let spreads = SpreadChart(
            "Sign-in without the viewer's own time, by kind of household",
            id: "sign-in-by-kind", kinds.map { ($0.kind, $0.service) }
        ).html
        return "<h3>By kind</h3>\(table)<div class=\"kinds\">\(each)</div>\(spreads)"
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
            \(more)\(SpreadChart(
                "Sign-in without the viewer's own time, by provider", id: "sign-in-by-provider",
                shown.map { ($0.mvpd.isEmpty ? "none" : $0.mvpd, $0.service) }).html)
            """
    }

    /// Who was throttled, and what that did to sign-ins, where anybody was.
    private static func throttled(_ found: ThrottlingSummary?) -> HTML {
        guard let found, found.requests > 0 else { return .none }
        func row(_ name: HTML, _ value: HTML, _ note: HTML) -> [HTML] { [name, value, note] }
        func number(_ value: Int) -> HTML { .number(Double(value), shown: Figures.count(value)) }
        func time(_ spread: Spread?, _ value: (Spread) -> Double) -> HTML {
            guard let spread else { return "–" }
            return .number(value(spread), shown: Figures.time(milliseconds: value(spread)))
        }
        let whole: HTML = found.limits.map { "of \(Figures.count($0))" } ?? .none
        return """
            <h3>Throttled by limit</h3>
            \(Table(
                caption: "Throttled requests (429) by \(found.limit), and their effect on sign-ins",
                columns: [.text("What"), .number("Value"), .text("Note")],
                rows: [
                    row("limits with throttled requests (one for each \(found.limit))", number(found.throttled), whole),
                    row("throttled requests", number(found.requests), "each try counted"),
                    row("of one limit, median", number(found.p50), "of those with any"),
                    row("of one limit, p95", number(found.p95), .none),
                    row("of one limit, most", number(found.max), .none),
                    row("first sign-ins that had to wait", number(found.delayed), "of \(Figures.count(found.signIns))"),
                    row("sign-in p50, those", time(found.delayedTime) { $0.p50 }, "without the viewer's own time"),
                    row("sign-in p50, the others", time(found.otherTime) { $0.p50 }, .none),
                    row("sign-in p95, those", time(found.delayedTime) { $0.p95 }, .none),
                    row("sign-in p95, the others", time(found.otherTime) { $0.p95 }, .none),
                ]
            ).html)
            """
    }

    static let lossesShown = 40

    private static func losses(_ summary: Summary) -> HTML {
        if summary.losses.isEmpty { return .none }
        let shown = summary.losses.prefix(lossesShown)
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
                        summary.linked("household \(loss.example)"),
                    ]
                }, isSortable: true
            ).html)\(more)
            """
    }
}
