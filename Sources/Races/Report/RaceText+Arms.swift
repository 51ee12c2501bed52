internal import Vocabulary

/// Comparisons of two arms in words.
extension RaceText {
    /// The verdict, both rates, and how sure it is.
    static func lines(_ comparison: ArmComparison, _ outcome: RaceOutcome) -> [String] {
        let promises = outcome.promises
        let invariant = comparison.plan.invariant
        let name = invariant.name
        var lines: [String] = []
        if comparison.isPartial {
            lines.append("\(name): undecided, too few trials")
        } else if comparison.isBroken {
            let isKnown = outcome.isKnown(comparison.plan.promise, in: comparison.plan.name)
            lines.append(
                "\(isKnown ? "KNOWN" : "FOUND")  \(name) violated: \(comparison.plan.line)")
            if isKnown { lines.append("  known from the baseline; does not fail this race") }
            lines.append("  \(promises.meaning(of: invariant, from: invariant.source))")
        } else {
            lines.append("\(name): no significant difference")
        }
        for arm in comparison.arms {
            var line = "  \(arm.name): "
            if arm.rate.trials > 0 {
                line += "\(text(arm.rate)) trials ended signed in"
                if arm.discarded > 0 { line += "; \(arm.discarded) more were inconclusive" }
            } else {
                line += "no conclusive trial; \(arm.discarded) were inconclusive"
            }
            lines.append(line)
        }
        if comparison.isPartial, !comparison.reason.isEmpty {
            lines.append("  \(comparison.reason)")
        }
        guard !comparison.isPartial else { return lines }
        let chance = Case.exponent(comparison.chance)
        lines.append("  Fisher's exact test: p = \(chance)")
        if comparison.isBroken {
            lines.append(
                "  statistical finding: no single trial proves it; chance alone would cause this "
                    + "difference once in \(odds(comparison.chance))")
        }
        return lines
    }

    /// For `--json`, as part of a line.
    static func fields(_ comparison: ArmComparison) -> [(String, String)] {
        let arms = comparison.arms.map { arm in
            object([
                ("name", quoted(arm.name)), ("hits", "\(arm.rate.hits)"),
                ("of", "\(arm.rate.trials)"), ("discarded", "\(arm.discarded)"),
            ])
        }
        return [
            ("plan", quoted(comparison.plan.name)),
            ("invariant", quoted(comparison.plan.invariant.name)),
            ("arms", "[" + arms.joined(separator: ", ") + "]"),
            ("fisherP", quoted(Case.exponent(comparison.chance))),
            ("broken", "\(comparison.isBroken)"), ("decided", "\(!comparison.isPartial)"),
            ("certainty", quoted("statistical")),
        ]
    }

    /// `30000`, `more than 10^9`.
    private static func odds(_ chance: Double) -> String {
        guard chance > 1e-9 else { return "more than a billion comparisons" }
        var (round, left) = (1, 1 / chance)
        while left >= 10 { (round, left) = (round * 10, left / 10) }
        return "\(Int(left) * round) comparisons"
    }
}
