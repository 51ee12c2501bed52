internal import Checker
internal import Rendering

/// summary.md: a page that fits a comment on a pull request.
enum MarkdownPage {
    static func text(_ summary: Summary) -> String {
        var parts = [
            "## \(badge(summary)) \(cell(summary.run.rig))", cell(summary.headline),
        ]
        if !summary.explanations.isEmpty {
            parts.append(
                summary.explanations.prefix(8).map { "- \(cell($0))" }.joined(separator: "\n"))
        }
        if !summary.thresholds.isEmpty { parts.append(thresholds(summary.thresholds)) }
        if !summary.shows.isEmpty { parts.append(shows(summary.shows)) }
        if let findings = summary.findings { parts += promises(findings, summary.judgedScope) }
        if !summary.operations.isEmpty {
            parts.append(table(OperationRow.columns, summary.operations))
        }
        parts.append(signIns(summary))
        if !summary.events.isEmpty {
            parts.append(
                summary.events.prefix(noteLimit).map { "- \(cell($0.line))" }
                    .joined(separator: "\n"))
        }
        if !summary.shards.isEmpty { parts.append("- \(cell(StartSkew.sentence(summary)))") }
        if !summary.errors.isEmpty { parts.append(errors(summary.errors)) }
        parts += summary.notes.prefix(noteLimit).map { "> \(cell(Sanitizer.line($0, limit: 500)))" }
        parts.append(footer(summary.run))
        return parts.joined(separator: "\n\n") + "\n"
    }

    // GitHub takes 65,536 characters in a comment; what is longest here is bounded, so that every
    // page fits (a test makes the largest).
    private static let noteLimit = 12
    private static let thresholdLimit = 40

    /// Those that were missed first.
    private static func thresholds(_ all: [ThresholdResult]) -> String {
        let ranked = all.filter { !$0.met } + all.filter(\.met)
        let rest = ranked.count - min(ranked.count, thresholdLimit)
        return table(
            ["threshold", ">measured", "met"],
            ranked.prefix(thresholdLimit).map {
                [code($0.expression), cell($0.actual), $0.met ? "yes" : "**no**"]
            }) + (rest == 0 ? "" : "\n\nand \(Figures.counted(rest, "threshold")) more")
    }

    /// How many lines of `shows:` held, and those that did not.
    private static func shows(_ all: [HistoryCheckResult]) -> String {
        let missing = all.filter { !$0.held }
        let first =
            "**Expected results (shows):** \(all.count - missing.count) of \(all.count) found."
        guard !missing.isEmpty else { return first }
        let rows = missing.prefix(thresholdLimit).map { [code($0.expression), cell($0.actual)] }
        return first + "\n\n" + table(["missing", ">found"], rows)
    }

    /// The number of promises that held, and the results of the others.
    private static func promises(_ findings: Findings, _ scope: String) -> [String] {
        let results = findings.verdicts.map { ($0, findings.result(of: $0.invariant)) }
        let checked = results.filter { $0.0.checked > 0 }
        guard !checked.isEmpty else { return [] }
        let first =
            "**Promises** (\(findings.rules.promises.level.rawValue))**:** "
            + "\(checked.count { $0.1 == .kept }) of \(checked.count) held\(scope)."
            + (findings.strongestLevel.map {
                " Strongest consistency level that held: \($0.name)."
            } ?? "")
        let worth = findings.worthSentences.map { "- \(cell($0))" }.joined(separator: "\n")
        let others = results.filter { !$0.1.isQuiet }
        guard !others.isEmpty else { return [first, worth].filter { !$0.isEmpty } }
        let rows = others.map { verdict, result in
            let breaches =
                verdict.violations + verdict.observed + verdict.known + verdict.suspected
            return [
                code(verdict.invariant.name), cell(result.words), Figures.count(breaches),
                Figures.count(verdict.checked),
            ]
        }
        return [first, table(["promise", "result", ">violations", ">checks"], rows), worth]
            .filter { !$0.isEmpty }
    }

    private static func badge(_ summary: Summary) -> String {
        switch summary.outcome {
        case .pass: summary.isObserved ? "🟡 pass, with observations:" : "✅ pass:"
        case .fail: "❌ fail:"
        case .invalid: "⚠️ invalid:"
        case .aborted: "🛑 aborted:"
        }
    }

    private static func signIns(_ summary: Summary) -> String {
        let households = summary.households
        let counts =
            "**Households:** \(Figures.count(households.started)) started, "
            + "\(Figures.count(households.signedIn)) signed in, "
            + "\(Figures.count(households.failed)) failed, "
            + "\(Figures.count(households.abandoned)) abandoned"
            + (households.notEntitled == 0
                ? "."
                : ", \(Figures.count(households.notEntitled)) were denied a resource.")
        let paths = summary.signOns
        let byPath =
            paths.isOrdinary
            ? ""
            : " **By path:** "
                + paths.paths.map { path in
                    "\(Figures.count(path.households)) \(path.name)"
                        + (path.time.map { " (p95 \(Figures.time(milliseconds: $0.p95)))" } ?? "")
                }.joined(separator: ", ") + "."
        guard let signIn = summary.signIn else {
            return counts + (byPath.isEmpty ? " No sign-in was completed." : byPath)
        }
        return counts + byPath + " **Sign-in:** p50 \(Figures.time(milliseconds: signIn.p50)), "
            + "p95 \(Figures.time(milliseconds: signIn.p95))"
            + (summary.signInService.map {
                "; without the viewer's own time p95 \(Figures.time(milliseconds: $0.p95))"
            } ?? "") + "."
    }

    private static func errors(_ errors: [ErrorRow]) -> String {
        let rest = errors.dropFirst(10).map(\.count).reduce(0, +)
        return table(ErrorRow.columns, Array(errors.prefix(10)))
            + (rest == 0 ? "" : "\n\nand \(Figures.count(rest)) errors with other causes")
    }

    private static func footer(_ run: Summary.Run) -> String {
        let policies = run.policies.map(cell).joined(separator: ", ")
        return "<sub>\(cell(run.id)) · seed \(run.seed) · \(Figures.span(seconds: run.seconds)) · "
            + "\(cell(run.target)) · screenrig \(cell(run.version))"
            + (policies.isEmpty ? "" : " · policies: \(policies)") + "</sub>"
    }

    /// The first column names the row.
    private static func table<Row>(_ columns: [Column<Row>], _ rows: [Row]) -> String {
        let columns = columns.filter { !$0.summary.isEmpty }
        let heads = columns.map { column in
            let head = column.unit.isEmpty ? column.summary : "\(column.summary) \(column.unit)"
            return column.isText ? head : ">\(head)"
        }
        return table(
            heads,
            rows.map { row in
                columns.enumerated().map { position, column in
                    let text = column.value(row).shown
                    return position == 0 ? code(text) : column.isText ? cell(text) : text
                }
            })
    }

    /// Columns whose title begins with `>` are set to the right.
    private static func table(_ columns: [String], _ rows: [[String]]) -> String {
        let titles = columns.map { $0.hasPrefix(">") ? String($0.dropFirst()) : $0 }
        let rule = columns.map { $0.hasPrefix(">") ? "---:" : "---" }
        return ([titles, rule] + rows).map { "| " + $0.joined(separator: " | ") + " |" }
            .joined(separator: "\n")
    }

    /// Text without anything that Markdown or the HTML in it would act on.
    static func cell(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "|", "\\", "`", "*", "_", "[", "]", "#", "~", "@", "!": result += "\\\(character)"
            case "\n": result += " "
            default: result.append(character)
            }
        }
        return result
    }

    private static func code(_ text: String) -> String {
        "`" + text.replacing("`", with: "'").replacing("|", with: "\\|") + "`"
    }
}
