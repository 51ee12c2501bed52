/// report.html: one file, no network, no script. The order of the sections is that of the questions
/// a reader has: is it good, can I trust it, what was slow, what broke, how was it made.
enum HTMLPage {
    static func text(_ summary: Summary) -> String {
        let sections = Self.sections(summary)
        let links = sections.map { "<li><a href=\"#\($0.id)\">\($0.title)</a></li>" as HTML }
        let bodies = sections.map { section -> HTML in
            """
            <section id="\(section.id)" aria-labelledby="\(section.id)-h">
            <h2 id="\(section.id)-h">\(section.title)</h2>
            \(section.body)
            </section>

            """
        }
        let page: HTML = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8"/>
            <meta name="viewport" content="width=device-width,initial-scale=1"/>
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
            <meta name="generator" content="screenrig \(summary.run.version)"/>
            <title>\(summary.outcome.rawValue): \(summary.run.rig) · screenrig</title>
            <style>
            \(HTML(stringLiteral: Style.sheet))
            </style>
            </head>
            <body>
            <a class="skip" href="#latency">Skip to the numbers</a>
            <header>
            \(opening(summary))
            <nav aria-label="Sections"><ul>\(links)</ul></nav>
            </header>
            <main>
            \(bodies)</main>
            <footer>Made by screenrig \(summary.run.version) from \(summary.run.id). Everything on \
            this page is computed from history.sqlite beside it.</footer>
            </body>
            </html>

            """
        return page.text
    }

    struct Section {
        var id: String
        var title: String
        var body: HTML
    }

    private static func sections(_ summary: Summary) -> [Section] {
        [
            Section(id: "thresholds", title: "Thresholds", body: thresholds(summary.thresholds)),
            summary.findings.map {
                Section(
                    id: "promises", title: "Promises", body: PromiseSection.html($0, summary))
            },
            Section(
                id: "households", title: "Households", body: HouseholdSections.funnels(summary)),
            Section(
                id: "latency", title: "Latency by operation", body: LatencySections.table(summary)),
            Section(id: "timeline", title: "Over time", body: timeline(summary)),
            Section(id: "sign-in", title: "Sign-in", body: HouseholdSections.signIn(summary)),
            Section(id: "errors", title: "Errors", body: ErrorSection.html(summary)),
            Section(id: "lost", title: "Households lost", body: HouseholdSections.losses(summary)),
            Section(id: "rig", title: "The rig itself", body: RigSections.health(summary)),
            Section(id: "run", title: "The run", body: RigSections.run(summary.run)),
        ].compactMap(\.self)
    }

    private static func opening(_ summary: Summary) -> HTML {
        let run = summary.run
        let missed = summary.thresholds.filter { !$0.met }.map(\.sentence)
        let lines = (summary.explanations + missed).prefix(8)
        let reasons: HTML =
            lines.isEmpty ? .none : "<ul>\(lines.map { "<li>\($0)</li>" as HTML })</ul>"
        let notes = summary.notes.map { "<p class=\"note\">\($0)</p>" as HTML }
        let place = run.isVirtual ? "simulated in virtual time" : "against \(run.target)"
        return """
            <p class="over">screenrig · \(run.started.replacing("T", with: " ").replacing("Z", with: " UTC")) · \(place)</p>
            <h1>\(run.rig)</h1>
            <div class="verdict \(summary.outcome.rawValue)" role="status"><p>\(summary.headline)</p>\(reasons)</div>
            \(notes)\(facts(summary))
            """
    }

    private static func facts(_ summary: Summary) -> HTML {
        func fact(_ name: String, _ value: String, _ aside: String = "") -> HTML {
            "<div><dt>\(name)</dt><dd>\(value) <small>\(aside)</small></dd></div>"
        }
        let (households, exchanges) = (summary.households, summary.exchanges)
        return """
            <dl class="facts">
            \(fact(
                "Signed in", Figures.count(households.signedIn),
                "of \(Figures.count(households.started))"))
            \(fact("Sign-in, p95", summary.signIn.map { Figures.time(milliseconds: $0.p95) } ?? "–"))
            \(fact("Requests answered", Figures.count(exchanges.completed)))
            \(fact("Answers per second", Figures.significant(exchanges.perSecond)))
            \(fact(
                "Errors", Figures.count(exchanges.errors),
                Figures.percent(exchanges.errors, of: exchanges.sent)))
            \(fact("Duration", Figures.span(seconds: summary.run.seconds)))
            </dl>
            """
    }

    private static func thresholds(_ results: [ThresholdResult]) -> HTML {
        guard !results.isEmpty else { return "<p class=\"empty\">The rig sets no thresholds.</p>" }
        return Table(
            caption: "Thresholds",
            columns: [.text("Threshold"), .number("Measured"), .text("Verdict")],
            rows: results.map { result in
                [
                    "<code>\(result.expression)</code>", "\(result.actual)",
                    result.met
                        ? "<span class=\"good\">✓ met</span>"
                        : "<span class=\"bad\">✗ missed</span>",
                ]
            }
        ).html
    }

    private static func timeline(_ summary: Summary) -> HTML {
        let charts = TimelineCharts(course: summary.course, seconds: summary.run.seconds)
        guard !charts.isEmpty else {
            return "<p class=\"empty\">The run was too short for a course over time.</p>"
        }
        let step = Figures.span(seconds: Double(summary.course.width))
        let load: HTML = summary.run.load.isEmpty ? .none : "Load: \(summary.run.load). "
        return """
            <p class="lead">\(load)Each point stands for \(step).</p>
            \(charts.service)
            """
    }
}
