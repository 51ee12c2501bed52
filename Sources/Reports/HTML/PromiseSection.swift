internal import Checker
internal import Rendering

/// The promises of a sign-in service, and the result of each.
enum PromiseSection {
    /// Diagrams are for the first violation of each signature, at most this many.
    static let pictures = 12

    static func html(_ findings: Findings, _ summary: Summary) -> HTML {
        "\(lead(findings, summary.judgedScope))\(table(findings))\(WorthSection.html(findings))\(FindingGroup.html(findings, summary))\(levels(findings))"
    }

    private static func lead(_ findings: Findings, _ scope: String) -> HTML {
        let level =
            findings.strongestLevel.map {
                "Strongest consistency level that held\(scope): \($0.name) (\($0.promise)). "
            }
            ?? ""
        let gap: HTML =
            findings.gapSentence.map { "<p class=\"note bad\">\($0).</p>" } ?? .none
        let changes = findings.changes.map {
            "<p class=\"note\">\(Sanitizer.line($0)).</p>" as HTML
        }
        let callbacks = findings.callbackSentence.map { "; \($0)" } ?? ""
        return """
            <p class="lead">\(level)\(Figures.counted(findings.operations, "request")) of \
            \(Figures.counted(findings.households, "household")) checked\(callbacks); policies: \
            \(findings.rules.policies.lines.joined(separator: ", ")); promises: \
            \(findings.rules.promises.level.rawValue).</p>\(gap)\(changes)
            """
    }

    private static func table(_ findings: Findings) -> HTML {
        Table(
            caption: "Promises",
            columns: [
                .text("Promise"), .text("Verdict"), .number("Checked"), .number("Households"),
                .number("Violations"), .number("Undecided"), .number("Observed"),
                .number("Share, 95 %"),
            ],
            rows: findings.verdicts.map { verdict in
                let others = verdict.observed + verdict.known + verdict.suspected
                let result = findings.result(of: verdict.invariant)
                let word: HTML =
                    switch result {
                    case .broken: "<span class=\"bad\">✗ \(result.words)</span>"
                    case .observed: "<span class=\"warn\">◐ \(result.words)</span>"
                    case .kept: "<span class=\"good\">✓ \(result.words)</span>"
                    default: "<span class=\"soft\">\(result.words)</span>"
                    }
                return [
                    "<code>\(verdict.invariant.name)</code>", word, count(verdict.checked),
                    count(verdict.households), count(verdict.violations),
                    count(verdict.undecided), count(others), share(verdict, findings),
                ]
            }
        ).html
    }

    /// The share of households that violate it.
    private static func share(_ verdict: Verdict, _ findings: Findings) -> HTML {
        guard let share = findings.worth(of: verdict)?.share else { return "–" }
        return share.low == 0
            ? "< \(Figures.percent(share.high))"
            : "\(Figures.percent(share.low)) to \(Figures.percent(share.high))"
    }

    private static func count(_ number: Int) -> HTML {
        .number(Double(number), shown: Figures.count(number))
    }

    private static func levels(_ findings: Findings) -> HTML {
        let table = Table(
            caption: "Consistency",
            columns: [
                .text("Level"), .number("Violated in"), .number("Of"), .text("Share, 95 %"),
                .text("Meaning"),
            ],
            rows: findings.levels.map { level in
                let share = level.share
                return [
                    "\(level.level.rawValue) \(level.level.name)", "\(Figures.count(level.broken))",
                    "\(Figures.count(level.households))",
                    "\(Figures.percent(share.low)) to \(Figures.percent(share.high))",
                    "\(level.level.promise)",
                ]
            }
        ).html
        return "<h3>Consistency, weakest level first</h3>\(table)"
    }
}
