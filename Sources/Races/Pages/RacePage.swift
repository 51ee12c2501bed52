internal import Rendering

/// report.html of a race: is a promise broken, when, how often; then what was tried, and what it rests on.
enum RacePage {
    static func text(_ picture: RacePicture) -> String {
        let head = PageHead(
            title: "\(picture.verdict.rawValue): \(picture.rig) · screenrig race",
            version: picture.version, scripts: .none, sheet: CasePage.sheet)
        let page: HTML = """
            \(head.html)
            <body>
            <header>
            <p class="over">screenrig race · \(Sanitizer.line(picture.started.replacing("T", with: " ").replacing("Z", with: " UTC"))) · \(Sanitizer.line(picture.target))</p>
            <h1>\(Sanitizer.line(picture.rig))</h1>
            <div class="verdict \(picture.verdict == .pass ? "pass" : "fail")" role="status"><p>\(Sanitizer.line(picture.headline, limit: 600))</p></div>
            </header>
            <main>
            \(picture.findings.enumerated().map { finding($1, number: $0 + 1) })\
            \(arms(picture))\(sweeps(picture))\(facts(picture))</main>
            <footer>Made by screenrig \(picture.version). The same numbers are in summary.json and in the CSV \
            files beside this page.</footer>
            </body>
            </html>

            """
        return page.text
    }

    private static func section(_ id: String, _ title: String, _ body: HTML) -> HTML {
        """
        <section id="\(id)" aria-labelledby="\(id)-h">
        <h2 id="\(id)-h">\(title)</h2>
        \(body)
        </section>

        """
    }

    private static func finding(_ finding: RacePicture.Finding, number: Int) -> HTML {
        let picture = finding.picture
        let again: HTML =
            finding.file.map { file in
                """
                <p class="lead">Case: <a href="\(page(of: file))">\(picture.name)</a>. Replay it with:</p>
                <pre class="command">\(picture.command)</pre>
                """
            } ?? .none
        return section(
            "finding-\(number)", "\(picture.invariant) violated in \(finding.plan)",
            """
            <p class="lead">\(Sanitizer.line(finding.when, limit: 600)): \(finding.rate). Found by: \(finding.method).</p>
            <p>\(Sanitizer.line(picture.sentence, limit: 600))</p>
            \(CaseCurve(picture, id: "hits-\(number)").html)
            \(again)
            """)
    }

    /// The page beside a case's JSON.
    private static func page(of file: String) -> String {
        file.hasSuffix(".json") ? file.dropLast(5) + ".html" : file
    }

    private static func arms(_ picture: RacePicture) -> HTML {
        guard !picture.arms.isEmpty else { return .none }
        return section(
            "arms", "Two arms",
            Table(
                caption: "Two arms",
                columns: [.text("Promise"), .text("Verdict"), .text("Result")],
                rows: picture.arms.map { arm in
                    let word =
                        arm.isBroken ? "violated" : arm.isDecided ? "no difference" : "not decided"
                    return [
                        "\(arm.plan)", "\(word)", "\(Sanitizer.line(arm.sentence, limit: 600))",
                    ]
                }
            ).html)
    }

    private static func sweeps(_ picture: RacePicture) -> HTML {
        guard !picture.sweeps.isEmpty else { return .none }
        return section(
            "sweeps", "Sweeps",
            Table(
                caption: "Sweeps",
                columns: [
                    .text("Plan"), .number("Rounds"), .number("Trials"), .number("Discarded"),
                    .text("Broken"),
                ],
                rows: picture.sweeps.map { sweep in
                    let broken =
                        sweep.obstacle.isEmpty
                        ? sweep.broken.joined(separator: ", ")
                        : "not possible here: \(sweep.obstacle)"
                    return [
                        "\(sweep.title)", "\(sweep.rounds)", "\(sweep.trials)",
                        "\(sweep.discarded)", "\(broken.isEmpty ? "–" : Sanitizer.line(broken))",
                    ]
                }
            ).html)
    }

    private static func facts(_ picture: RacePicture) -> HTML {
        let rows = picture.facts.map { fact -> HTML in
            "<dt>\(fact.name)</dt><dd>\(Sanitizer.line(fact.value, limit: 800))</dd>"
        }
        return section("facts", "Settings", "<dl class=\"pairs\">\(rows)</dl>")
    }
}
