internal import Rendering

/// report.html of a race: is a promise broken, when, how often; then what was tried, and what it rests on.
enum RacePage {
    static func text(_ report: RaceReport) -> String {
        let head = PageHead(
            title: "\(report.verdict.rawValue): \(report.about.rig) · screenrig race",
            version: report.about.version, scripts: .none, sheet: CasePage.sheet)
        let page: HTML = """
            \(head.html)
            <body>
            <header>
            <p class="over">screenrig race · \(Sanitizer.line(report.started.replacing("T", with: " ").replacing("Z", with: " UTC"))) · \(Sanitizer.line(report.about.target))</p>
            <h1>\(Sanitizer.line(report.about.rig))</h1>
            <div class="verdict \(report.verdict == .pass ? "pass" : "fail")" role="status"><p>\(Sanitizer.line(report.headline, limit: 600))</p></div>
            </header>
            <main>
            \(report.findings.enumerated().map { finding($1, number: $0 + 1, report) })\
            \(arms(report))\(sweeps(report))\(facts(report))</main>
            <footer>Made by screenrig \(report.about.version). The same numbers are in summary.json and in the CSV \
            files beside this page.</footer>
            </body>
            </html>

            """
        return page.text
    }

    private static func finding(
        _ found: RaceReport.Found, number: Int, _ report: RaceReport
    ) -> HTML {
        let finding = found.finding
        let level = report.outcome.promises.meaning(of: finding.invariant, from: finding.source)
        let isKnown = report.outcome.isKnown(finding.promise, in: finding.plan)
        let again: HTML =
            found.file.map { file in
                """
                <p class="lead">Case: <a href="\(page(of: file))">\(found.name)</a>. Replay it with:</p>
                <pre class="command">screenrig replay \(file)\(report.outcome.replayOption)</pre>
                """
            } ?? .none
        let rate =
            finding.isRare || finding.isUnrefined
            ? "\(RaceText.text(finding.total)) at all offsets"
            : "at \(Offsets.text(finding.best)) \(RaceText.text(finding.rate))"
        return .section(
            "finding-\(number)", "\(finding.invariant.name) violated in \(finding.plan)",
            """
            <p class="lead">\(Sanitizer.line(RaceText.whenText(finding), limit: 600)): \(rate). Found by: \(finding.method).</p>
            <p>Source: \(finding.source.words); \(level).\(isKnown ? " Known from the baseline: it does not fail this race." : "")</p>
            <p>\(Sanitizer.line(finding.sentence, limit: 600))</p>
            \(HitRateCurve(finding, id: "hits-\(number)").html)
            \(again)
            """)
    }

    /// The page beside a case's JSON.
    private static func page(of file: String) -> String {
        file.hasSuffix(".json") ? file.dropLast(5) + ".html" : file
    }

    private static func arms(_ report: RaceReport) -> HTML {
        guard !report.outcome.comparisons.isEmpty else { return .none }
        return .section(
            "arms", "Two arms",
            Table(
                caption: "Two arms",
                columns: [.text("Promise"), .verdict("Verdict"), .text("Result")],
                rows: report.outcome.comparisons.map { arm in
                    let isKnown = report.outcome.isKnown(arm.plan.promise, in: arm.plan.name)
                    let word =
                        arm.isBroken
                        ? isKnown ? "violated, known" : "violated"
                        : arm.isPartial ? "not decided" : "no difference"
                    return [
                        "\(arm.plan.name)", "\(word)",
                        "\(Sanitizer.line(report.sentence(arm), limit: 600))",
                    ]
                }, isCards: true
            ).html)
    }

    private static func sweeps(_ report: RaceReport) -> HTML {
        guard !report.outcome.sweeps.isEmpty else { return .none }
        return .section(
            "sweeps", "Sweeps",
            Table(
                caption: "Sweeps",
                columns: [
                    .text("Plan"), .number("Rounds"), .number("Trials"), .number("Discarded"),
                    .text("Broken"),
                ],
                rows: report.outcome.sweeps.map { sweep in
                    let broken =
                        sweep.obstacle.isEmpty
                        ? report.broken(sweep).joined(separator: ", ")
                        : sweep.lack
                    return [
                        "\(sweep.title)", "\(sweep.rounds)", "\(sweep.trials)",
                        "\(sweep.discarded)", "\(broken.isEmpty ? "–" : Sanitizer.line(broken))",
                    ]
                }, isCards: true
            ).html)
    }

    private static func facts(_ report: RaceReport) -> HTML {
        let rows = report.facts.map { fact -> HTML in
            "<dt>\(fact.name)</dt><dd>\(Sanitizer.line(fact.value, limit: 800))</dd>"
        }
        return .section("facts", "Settings", "<dl class=\"pairs\">\(rows)</dl>")
    }
}
