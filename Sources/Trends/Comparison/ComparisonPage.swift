internal import Rendering

/// Two runs side by side on a page of its own: one file, no network, no script.
public enum ComparisonPage {
    public static func text(_ comparison: Comparison) -> String {
        let head = PageHead(
            title:
                "\(comparison.headline) \(comparison.run.rig) on \(comparison.run.target) · screenrig",
            scripts: .none, sheet: sheet)
        let page: HTML = """
            \(head.html)
            <body>
            <a class="skip" href="#runs">Skip to the numbers</a>
            <header>
            <p class="over">screenrig · \(comparison.run.id) compared with \(comparison.base.id)</p>
            <h1>\(comparison.run.rig)</h1>
            \(ComparisonSection.move(comparison))
            <div class="verdict \(look(comparison.verdict))" role="status"><p>\(comparison.headline)</p></div>
            \(ComparisonSection.warnings(comparison))
            </header>
            <main>
            \(ComparisonSection.requests(comparison))
            \(changed(comparison))
            \(rest(comparison))
            \(HTML.section("runs", "Compared runs", sides(comparison)))
            </main>
            <footer>Made by screenrig from \(comparison.base.id) and \(comparison.run.id). \
            Everything on this page is computed from their histories.</footer>
            </body>
            </html>

            """
        return page.text
    }

    /// What report.html has no need of.
    static let sheet = String(decoding: PackageResources.comparison_css, as: UTF8.self)

    private static func look(_ verdict: Comparison.Verdict) -> String {
        switch verdict {
        case .worse: "fail"
        case .better: "pass"
        case .noise: ""
        case .tooFew: "invalid"
        }
    }

    private static func changed(_ comparison: Comparison) -> HTML {
        let rows = comparison.worse + comparison.better
        let table: HTML =
            rows.isEmpty
            ? .none
            : "\(lead(comparison))\(ComparisonSection.table(rows, caption: "Values that got better or worse"))"
        let body: HTML = """
            \(table)\(ComparisonSection.promises(comparison))\(ComparisonSection.errors(comparison))
            """
        let isEmpty = body.text.allSatisfy(\.isWhitespace)
        return isEmpty ? .none : HTML.section("changed", "What got better or worse", body)
    }

    /// Each value once: those that changed stand above.
    private static func rest(_ comparison: Comparison) -> HTML {
        let rows = comparison.rows.filter {
            $0.verdict == .noise || $0.verdict == .tooFew || $0.isOfMachine
        }
        guard !rows.isEmpty else { return .none }
        let hasChanges = rows.count < comparison.rows.count
        return HTML.section(
            "times",
            hasChanges ? "Values without a change" : "All values; none is shown to have changed",
            """
            \(hasChanges ? .none : lead(comparison))
            \(ComparisonSection.table(rows, caption: "Values without a change"))
            """)
    }

    private static func lead(_ comparison: Comparison) -> HTML {
        """
        <p class="lead">The dot is the measured change, the line its 95 % confidence interval (block \
        bootstrap); an arrow marks an interval that goes on beyond the scale. “Sure” is the confidence that a \
        difference is more than chance, corrected for the \(Figures.counted(comparison.compared, "value")) \
        compared. Differences below \(comparison.floor.text) are ignored, even if significant.\
        \(comparison.gridNote.map { " \($0)." as HTML } ?? .none)</p>
        """
    }

    private static func sides(_ comparison: Comparison) -> HTML {
        let (base, run) = (comparison.base, comparison.run)
        let rows: [(String, String, String)] = [
            ("Run", base.id, run.id),
            ("Started", Moments.minute(base.started), Moments.minute(run.started)),
            ("Rig", base.rig, run.rig), ("Target", base.target, run.target),
            ("Load", base.load, run.load),
            ("Duration", Figures.span(seconds: base.seconds), Figures.span(seconds: run.seconds)),
            ("Households", Figures.count(base.households), Figures.count(run.households)),
            ("Responses", Figures.count(base.answers), Figures.count(run.answers)),
            ("screenrig", base.version, run.version),
        ]
        let unjudged: HTML =
            comparison.promises == nil
            ? "<p class=\"empty\">Promises are not compared: one of the two runs was not checked.</p>"
            : .none
        return """
            \(Table(
                caption: "Compared runs",
                columns: [.text(""), .text("Before"), .text("Now")],
                rows: rows.map { name, before, after in
                    ["\(name)", "<span class=\"wrap\">\(before)</span>", "<span class=\"wrap\">\(after)</span>"]
                }, isCards: true
            ).html)\(unjudged)
            """
    }
}
