internal import Checker
internal import Rendering

/// The promises of a sign-in service, and the result of each.
enum PromiseSection {
    /// Diagrams are for the first violation of each signature, at most this many.
    static let pictures = 12

    static func html(_ findings: Findings, _ summary: Summary) -> HTML {
        let found = FindingGroup.html(findings, summary)
        let title: HTML = found == .none ? .none : "<h3>All promises</h3>"
        return
            "\(lead(findings, summary.judgedScope))\(found)\(title)\(table(findings))\(WorthSection.html(findings))\(levels(findings))"
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
                .text("Promise"), .verdict("Verdict"), .number("Checked"), .number("Households"),
                .number("Violations"), .number("Undecided"), .number("Observed"),
                .number("Share, 95 %"),
            ],
            rows: ranked(findings).map { verdict in
                let others = verdict.observed + verdict.known + verdict.suspected
                let result = findings.result(of: verdict.invariant)
                let word: HTML =
                    switch result {
                    case .broken: "<span class=\"bad\">✗ \(result.words)</span>"
                    case .observed: "<span class=\"warn\">◐ \(result.words)</span>"
                    case .kept: "<span class=\"good\">✓ \(result.words)</span>"
                    default: "<span class=\"soft untested\">\(result.words)</span>"
                    }
                return [
                    "<code>\(verdict.invariant.name)</code>", word, count(verdict.checked),
                    count(verdict.households), count(verdict.violations),
                    count(verdict.undecided), count(others), share(verdict, findings),
                ]
            }, isCards: true
        ).html
    }

    /// Violated ones first, then those that held, then those that the run did not test.
    private static func ranked(_ findings: Findings) -> [Verdict] {
        let ranks = findings.verdicts.map { verdict -> Int in
            switch findings.result(of: verdict.invariant) {
            case .broken: 0
            case .observed: 1
            case .kept: 2
            default: 3
            }
        }
        return findings.verdicts.indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }
            .map { findings.verdicts[$0] }
    }

    /// The share of households that violate it.
    private static func share(_ verdict: Verdict, _ findings: Findings) -> HTML {
        guard let share = findings.worth(of: verdict)?.share else { return "–" }
        return share.low == 0
            ? "< \(Figures.upperBound(share.high))"
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
            }, isCards: true
        ).html
        return "<h3>Consistency, weakest level first</h3>\(table)"
    }
}
