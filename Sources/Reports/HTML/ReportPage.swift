internal import Formats
internal import Rendering

/// report.html: one file, no network. Its sections answer a reader's questions in this order: did the run
/// pass, what got worse, which promises were violated, how far did households get, what was slow and
/// when, which errors occurred, can I trust the numbers, how was the run configured. The script adds
/// sorting, tooltips and the brush; the page is complete without it.
enum ReportPage {
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
            \(head(summary).html)
            <body>
            <a class="skip" href="#\(sections[0].id)">Skip to the numbers</a>
            <header>
            \(opening(summary))
            <nav aria-label="Sections"><ul>\(links)</ul></nav>
            </header>
            <main>
            \(bodies)</main>
            \(data(summary))
            <footer>Made by screenrig \(summary.run.version) from \(summary.run.id). Everything on \
            this page is computed from history.sqlite in the same directory.</footer>
            <script nonce="\(nonce(summary))">
            //<![CDATA[
            \(HTML(stringLiteral: PageScript.text))//]]>
            </script>
            </body>
            </html>

            """
        return page.text
    }

    private static func head(_ summary: Summary) -> PageHead {
        PageHead(
            title:
                "\(summary.outcome.rawValue): \(summary.run.rig) \(place(summary.run)) · screenrig",
            version: summary.run.version, scripts: .marked(nonce: nonce(summary)))
    }

    /// For tabs and search results: against what, and on which day.
    private static func place(_ run: Summary.Run) -> String {
        run.isVirtual ? "simulated" : "on \(run.target), \(run.started.prefix(10))"
    }

    struct PageSection {
        var id: String
        var title: String
        var body: HTML
    }

    /// What there is something to say about.
    private static func sections(_ summary: Summary) -> [PageSection] {
        func section(_ id: String, _ title: String, _ body: HTML?) -> PageSection? {
            guard let body, body != .none else { return nil }
            return PageSection(id: id, title: title, body: body)
        }
        return [
            section("changes", "Changes since the last comparable run", summary.changes),
            section("thresholds", "Thresholds", thresholds(summary.thresholds)),
            section("shows", "Expected results (shows)", shows(summary.shows)),
            section(
                "promises", "Promises", summary.findings.map { PromiseSection.html($0, summary) }),
            section("households", "Households", HouseholdSections.funnels(summary)),
            section(
                "sign-on", "Sign-in by path",
                summary.signOns.isOrdinary ? nil : SignOnSection.html(summary.signOns)),
            section("latency", "Latency by operation", LatencySections.table(summary)),
            section(
                "events", "Events",
                summary.events.isEmpty ? nil : EventSection.html(summary.events)),
            section("timeline", "Timeline", timeline(summary)),
            section(
                "load", "Load on the service",
                summary.serviceLoad.map { ServiceLoadSection.html($0, summary.run.seconds) }),
            section(
                "sign-in", "Sign-in, token visibility and staleness",
                FreshnessSection.html(summary)),
            section("errors", "Errors by cause", ErrorSection.html(summary)),
            section("slowest", "Slowest households", WaterfallSection.html(summary)),
            section("shards", "Shards", ShardSection.html(summary)),
            section("rig", "Load generator health", RigSections.health(summary)),
            section("run", "Run configuration", RigSections.run(summary)),
        ].compactMap(\.self)
    }

    private static func opening(_ summary: Summary) -> HTML {
        let run = summary.run
        let missed = summary.thresholds.filter { !$0.met }.map(\.sentence)
        let lines = (summary.explanations + missed).prefix(8)
        let reasons: HTML =
            lines.isEmpty
            ? .none : "<ul>\(lines.map { "<li>\(summary.linked($0))</li>" as HTML })</ul>"
        let notes = summary.notes.map { "<p class=\"note\">\($0)</p>" as HTML }
        let when =
            run.isVirtual
            ? "simulated in virtual time"
            : "\(run.started.replacing("T", with: " ").replacing("Z", with: " UTC")) · against \(run.target)"
        return """
            <p class="over">screenrig · \(when)</p>
            <h1>\(run.rig)</h1>
            <div class="verdict \(summary.tone)" role="status"><p>\(summary.linked(summary.headline))</p>\(reasons)</div>
            \(notes)\(facts(summary))
            """
    }

    private static func facts(_ summary: Summary) -> HTML {
        func fact(
            _ name: String, _ number: Double?, _ value: String, _ aside: String = ""
        ) -> HTML {
            let shown: HTML = number.map { .number($0, shown: value) } ?? "\(value)"
            return "<div><dt>\(name)</dt><dd>\(shown) <small>\(aside)</small></dd></div>"
        }
        let (households, exchanges) = (summary.households, summary.exchanges)
        return """
            <dl class="facts">
            \(fact(
                "Signed in", Double(households.signedIn), Figures.count(households.signedIn),
                "of \(Figures.count(households.started))"))
            \(fact("Sign-in, p95", summary.signIn?.p95, summary.signIn.map { Figures.time(milliseconds: $0.p95) } ?? "–"))
            \(fact("Requests answered", Double(exchanges.completed), Figures.count(exchanges.completed)))
            \(fact("Responses per second", exchanges.perSecond, Figures.significant(exchanges.perSecond)))
            \(fact(
                "Errors", Double(exchanges.errors), Figures.count(exchanges.errors),
                Figures.percent(exchanges.errors, of: exchanges.sent)))
            \(fact("Duration", summary.run.seconds, Figures.span(seconds: summary.run.seconds)))
            </dl>
            """
    }

    private static func thresholds(_ results: [ThresholdResult]) -> HTML {
        guard !results.isEmpty else { return .none }
        return Table(
            caption: "Thresholds",
            columns: [.text("Threshold"), .number("Measured"), .verdict("Verdict")],
            rows: results.map { result in
                [
                    "<code>\(result.expression)</code>", "\(result.actual)",
                    result.met
                        ? "<span class=\"good\">✓ met</span>"
                        : "<span class=\"bad\">✗ missed</span>",
                ]
            }, isCards: true
        ).html
    }

    private static func shows(_ results: [HistoryCheckResult]) -> HTML {
        guard !results.isEmpty else { return .none }
        return Table(
            caption: "Expected results",
            columns: [.text("Line of 'shows'"), .number("Found"), .verdict("Verdict")],
            rows: results.map { result in
                [
                    "<code>\(result.expression)</code>", "\(result.actual)",
                    result.held
                        ? "<span class=\"good\">✓ found</span>"
                        : "<span class=\"bad\">✗ not found</span>",
                ]
            }, isCards: true
        ).html
    }

    private static func timeline(_ summary: Summary) -> HTML {
        guard summary.course.points.count > 1 else { return .none }
        let charts = TimelineCharts(
            width: summary.course.width, seconds: summary.run.seconds, stages: summary.stages,
            earlierWidth: summary.earlier?.course.width ?? 1,
            events: summary.events.map { .init(name: $0.name, from: $0.from, through: $0.through) })
        let step = Figures.span(seconds: Double(summary.course.width))
        let load: HTML = summary.run.load.isEmpty ? .none : "Load: \(summary.run.load). "
        return """
            <p class="lead">\(load)Each point covers \(step)\(coarse(summary)). Dotted lines mark where a stage of \
            the load begins\(bounds(summary)).\(earlier(summary))</p>
            \(brush)
            \(charts.service(summary))
            """
    }

    /// What a point covers in charts with several of a kind.
    private static func coarse(_ summary: Summary) -> String {
        let width = summary.course.operations.width
        return width == summary.course.width
            ? "" : ", in charts by operation \(Figures.span(seconds: Double(width)))"
    }

    private static func bounds(_ summary: Summary) -> String {
        summary.thresholds.contains { $0.mark != nil }
            ? "; dashed lines are thresholds, which apply to the run as a whole" : ""
    }

    private static func earlier(_ summary: Summary) -> String {
        guard let earlier = summary.earlier else { return "" }
        let when = earlier.started.replacing("T", with: " ").replacing("Z", with: " UTC")
        return " Pale lines are \(earlier.name)"
            + (summary.run.isVirtual ? "" : " of \(when)") + ", the last comparable run."
    }

    /// Selects the time range of all charts; shown by the script, which it needs.
    private static let brush: HTML = """
        <fieldset class="brush" id="brush" hidden="hidden"><legend>Time range of all timeline \
        charts</legend>
        <label>from <input type="range" id="brush-from" min="0" max="1000" value="0"/></label>
        <label>to <input type="range" id="brush-to" min="0" max="1000" value="1000"/></label>
        <button type="button" id="brush-all">Whole run</button>
        <output id="brush-out" for="brush-from brush-to"></output>
        <p class="hint">You can also drag across a chart. Escape resets the range.</p></fieldset>
        """

    private static func nonce(_ summary: Summary) -> String { nonce(summary.run.historyHash) }

    /// A text in the page cannot know it, so no injected script can carry it.
    static func nonce(_ historyHash: String) -> String {
        "r" + (historyHash.isEmpty ? "un" : historyHash)
    }

    /// The data of tooltips and brush.
    private static func data(_ summary: Summary) -> HTML {
        let points = summary.course.points
        func series(_ values: [Double?]) -> JSON {
            .array(values.map { $0.map { .decimal($0) } ?? .null })
        }
        func set(_ width: Int, _ unit: String, _ lines: [(String, [Double?])]) -> JSON {
            .members([
                ("width", .integer(width)), ("unit", .string(unit)),
                (
                    "lines",
                    .array(
                        lines.map {
                            .members([("name", .string($0.0)), ("values", series($0.1))])
                        })
                ),
            ])
        }
        let course = summary.course
        let named = PercentileChart.ranked(summary.operations).prefix(PercentileChart.named)
        let json = JSON.members([
            ("width", .integer(summary.course.width)), ("seconds", .decimal(summary.run.seconds)),
            (
                "series",
                .members([
                    ("arriving", series(points.map(\.arrivals))),
                    ("waiting", series(points.map { Double($0.level.waiting) })),
                    ("answered", series(points.map(\.completed))),
                    ("p50", series(points.map(\.p50))), ("p99", series(points.map(\.p99))),
                    ("errors", series(points.map(\.errors))),
                    ("late", series(points.map(\.latenessP99))),
                    ("busy", series(points.map { $0.busy.map { $0 * 100 } })),
                ])
            ),
            (
                "sets",
                .members([
                    (
                        "statuses",
                        set(
                            course.width, "/s",
                            StatusLine.lines(course.statuses).map { ($0.name, $0.values) })
                    ),
                    (
                        "errors",
                        set(
                            course.errorShares.width, "%",
                            course.errorShares.lines.map { ($0.name, $0.values) })
                    ),
                    (
                        "operations",
                        set(
                            course.operations.width, "ms",
                            TimelineCharts.operations(summary).map { ($0.name, $0.values) })
                    ),
                    (
                        "kinds",
                        set(
                            course.kinds.width, "ms",
                            TimelineCharts.kinds(summary).map { ($0.name, $0.values) })
                    ),
                ])
            ),
            ("before", summary.earlier.map { before($0.course) } ?? .null),
            (
                "curves",
                .array(
                    named.map { row in
                        .members([
                            ("name", .string(row.name)),
                            ("count", .integer(row.latency?.count ?? 0)),
                            ("share", .array(row.curve.map { .decimal($0.share, 7) })),
                            ("ms", series(row.curve.map(\.ms))),
                        ])
                    })
            ),
        ]).text(.page)
        // The only way out of such an element is its end tag.
        let safe = json.replacing("<", with: "\\u003c").replacing("&", with: "\\u0026")
        return "<script type=\"application/json\" id=\"data\">\(HTML(stringLiteral: safe))</script>"
    }

    /// What tooltips say of the earlier run.
    private static func before(_ course: Course) -> JSON {
        func series(_ value: (Course.Point) -> Double?) -> JSON {
            .array(course.points.map { value($0).map { .decimal($0) } ?? .null })
        }
        return .members([
            ("width", .integer(course.width)),
            (
                "series",
                .members([
                    ("waiting", series { Double($0.level.waiting) }),
                    ("answered", series(\.completed)), ("p50", series(\.p50)),
                    ("p99", series(\.p99)),
                ])
            ),
        ])
    }
}
