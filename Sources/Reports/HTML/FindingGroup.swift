internal import Checker
internal import Rendering
internal import Rigs

/// Similar violations as one finding: which promise, a diagram, and what to do next. Violations that follow
/// from another one are listed with their first cause.
struct FindingGroup {
    /// In the order in which they were found.
    var violations: [Violation]
    /// The row of violations.csv, counted from 1, of the violation that is shown.
    var row: Int

    /// The number of findings on the page.
    static let shown = 40
    /// So many of its households are named.
    private static let namedLimit = 6

    /// Its first violations, each of another household.
    var named: [Violation] {
        var seen: Set<Int> = []
        let first = violations.filter { seen.insert($0.household).inserted }
        return Array(first.prefix(Self.namedLimit))
    }

    static func html(_ findings: Findings, _ summary: Summary) -> HTML {
        let groups = ranked(findings.violations)
        guard !groups.isEmpty else { return .none }
        let bodies = groups.prefix(shown).enumerated().map { position, group in
            group.html(summary, isPictured: position < PromiseSection.pictures, number: position)
        }
        let rest = groups.count - bodies.count
        let more: HTML =
            rest > 0
            ? "<p class=\"empty\">and \(Figures.counted(rest, "more finding")), see violations.csv</p>"
            : .none
        return """
            <h3>\(Figures.counted(groups.count, "finding")) by first cause</h3>
            <p class="lead">Similar violations are grouped into one finding. In a diagram each screen has a \
            line, and a box spans a request and its response. The blue and red responses cannot both be \
            right; nothing in between explains the change. The bottom line lists the possible states after \
            each response.</p>
            \(bodies)\(more)
            """
    }

    /// Findings that fail the run first, then by number of violations.
    static func ranked(_ violations: [Violation]) -> [FindingGroup] {
        var groups: [String: FindingGroup] = [:]
        for (position, violation) in violations.enumerated() {
            groups[violation.signature, default: FindingGroup(violations: [], row: position + 1)]
                .add(violation, at: position)
        }
        return groups.sorted { left, right in
            let (one, two) = (left.value, right.value)
            if one.fails != two.fails { return one.fails }
            if one.violations.count != two.violations.count {
                return one.violations.count > two.violations.count
            }
            return left.key < right.key
        }.map(\.value)
    }

    /// The first violation with a diagram is shown.
    private mutating func add(_ violation: Violation, at position: Int) {
        if told?.scene.isEmpty ?? true, !violation.scene.isEmpty, !violations.isEmpty {
            violations.insert(violation, at: 0)
            row = position + 1
        } else {
            violations.append(violation)
        }
    }

    private var told: Violation? { violations.first }
    private var fails: Bool { violations.contains { $0.standing == .fails } }

    private func html(_ summary: Summary, isPictured: Bool, number: Int) -> HTML {
        guard let told else { return .none }
        let picture: HTML = isPictured ? ViolationPicture.html(told, number: number) : .none
        return """
            <div class="error"><h3>\(title(told, summary))</h3>
            <p><code>\(Sanitizer.line(told.signature))</code>. \(Sanitizer.line(facts(told, summary).joined(separator: ". "), limit: 600)).</p>
            <p>\(summary.linked(Sanitizer.line(told.sentence, limit: 600)))</p>\(picture)
            \(next(told, summary))</div>
            """
    }

    /// `6 of 6 TVs got 'pending' from a poll after their sign-in had been confirmed`: for readers who do not know the
    /// names of promises.
    private func title(_ told: Violation, _ summary: Summary) -> String {
        let verdict = summary.findings?.verdicts.first { $0.invariant == told.invariant }
        let listed = summary.findings?.violations.count { $0.invariant == told.invariant } ?? 0
        let all = verdict.map { $0.violations + $0.observed + $0.known + $0.suspected } ?? 0
        // Beyond the judge's list violations are only counted.
        let least = all > listed ? "at least " : ""
        let households = Figures.count(Set(violations.map(\.household)).count)
        let judged = Figures.count(summary.findings?.households ?? 0)
        return "\(least)\(households) of \(judged) \(told.invariant.observed)"
    }

    private func facts(_ told: Violation, _ summary: Summary) -> [String] {
        let certainty =
            switch told.certainty {
            case .certain: "Certain"
            case .given(let bound): "Certain if this holds: \(bound)"
            case .suspicion(let reason): "Suspected only: \(reason)"
            }
        var facts = [
            Figures.counted(violations.count, "household"), certainty,
            "Source: \(told.source.words)", told.standing.words,
        ]
        if !told.companions.isEmpty {
            facts.append("Also violates \(told.companions.map(\.name).joined(separator: ", "))")
        }
        let others = summary.findings?.violations.filter {
            $0.companions.contains(told.invariant) && $0.invariant != told.invariant
        }
        if let others, !others.isEmpty {
            let names = Set(others.map(\.invariant.name)).sorted().joined(separator: ", ")
            facts.append(
                "Also in \(Figures.counted(Set(others.map(\.household)).count, "household")) under \(names)"
            )
        }
        let near = violations.count { $0.nearChange != nil }
        if near > 0 {
            facts.append("\(near) of \(violations.count) close to a change of the service")
        }
        return facts
    }

    // MARK: What to do next

    private func next(_ told: Violation, _ summary: Summary) -> HTML {
        var rows: [(String, HTML)] = [
            ("What it means", "\(told.invariant.meaning)"),
            ("Harmless causes", "\(told.invariant.harmless)"),
        ]
        if let cases = summary.cases {
            if let name = cases[told.signature] {
                let option = ReplayPermission.option(
                    forRig: summary.run.source, target: summary.run.target)
                rows.append(
                    (
                        "Replay",
                        """
                        <code class="command">screenrig replay cases/\(name).json\(option) --times 50</code> \
                        (<a href="cases/\(name).html">case page</a>)
                        """
                    ))
            }
            rows.append(
                (
                    "All requests",
                    "<code class=\"command\">screenrig export . --violation \(row) --format har</code>"
                ))
        }
        if summary.traces != nil { rows.append(("Step by step", households(summary))) }
        rows.append(("For the server\u{2019}s team", "\(evidence(summary))\(links(summary))"))
        let list = rows.map { name, body in "<dt>\(name)</dt><dd>\(body)</dd>" as HTML }
        return "<dl class=\"pairs next\">\(list)</dl>"
    }

    /// Pages of the first households in which it was found.
    private func households(_ summary: Summary) -> HTML {
        let named = named
        let each = named.enumerated().map { position, violation -> HTML in
            "\(position == 0 ? "" : ", ")\(summary.household(violation.household))"
        }
        let rest = Set(violations.map(\.household)).count - named.count
        return "\(each)\(rest > 0 ? " and \(Figures.count(rest)) more, see violations.csv" : "")"
    }

    private func links(_ summary: Summary) -> HTML {
        row <= summary.violations.count ? PageLink.html(summary.violations[row - 1].links) : .none
    }

    /// The ids by which the server's team finds it in its logs.
    private func evidence(_ summary: Summary) -> String {
        let known = row <= summary.violations.count ? summary.violations[row - 1] : nil
        let ids = known?.requestIDs ?? []
        let remotes = known?.remotes ?? []
        let parts = [
            ids.isEmpty ? "" : "request ids \(ids.joined(separator: ", "))",
            remotes.isEmpty ? "" : "answered by \(remotes.joined(separator: ", "))",
        ].filter { !$0.isEmpty }
        return (parts + ["row \(row) of violations.csv"]).joined(separator: "; ")
    }
}
