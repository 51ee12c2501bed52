public import Checker
internal import Journal
internal import Rendering
internal import Rigs

/// The report of a run in a terminal: verdict, thresholds, table, errors, path of the report.
public enum TerminalReport {
    /// Parameters of the escapes that make colours (ECMA-48, 8.3.117).
    public static let colours =
        ["0"] + Ink.Paint.allCases.flatMap { ["\($0.rawValue)", "1;\($0.rawValue)"] }

    /// At most `width` columns wide; `path` is the run directory. No meaning is in the colour alone.
    public static func text(
        _ summary: Summary, width: Int, color: Bool, path: String? = nil
    ) -> String {
        let ink = Ink(isOn: color)
        var blocks = [verdict(summary, width: width, ink)]
        if !summary.thresholds.isEmpty { blocks.append(thresholds(summary.thresholds, ink)) }
        if !summary.shows.isEmpty { blocks.append(shows(summary.shows, ink)) }
        if let findings = summary.findings {
            blocks.append(
                promises(findings, scope: summary.judgedScope, width: width, ink))
        }
        if !summary.operations.isEmpty { blocks.append(operations(summary, width: width, ink)) }
        if let signIns = signIns(summary) { blocks.append(signIns) }
        if let load = summary.serviceLoad { blocks.append(serviceLoad(load, ink)) }
        if !summary.events.isEmpty {
            blocks.append(
                summary.events.flatMap { Wrapping.lines($0.line, width: width, hanging: 2) }
                    .joined(separator: "\n"))
        }
        if !summary.signOns.isOrdinary {
            blocks.append(signOns(summary.signOns, width: width, ink))
        }
        if !summary.shards.isEmpty { blocks.append(shards(summary, width: width, ink)) }
        if !summary.errors.isEmpty { blocks.append(errors(summary.errors, width: width, ink)) }
        if !summary.notes.isEmpty {
            blocks.append(
                summary.notes.flatMap { Wrapping.lines("note: \($0)", width: width, hanging: 6) }
                    .joined(separator: "\n"))
        }
        blocks.append(totals(summary))
        if let path, !summary.unwritten.contains("report.html") {
            blocks.append(
                (["report: \(path)/report.html"] + again(summary, path)).joined(separator: "\n"))
        }
        return blocks.joined(separator: "\n\n") + "\n"
    }

    private static func verdict(_ summary: Summary, width: Int, _ ink: Ink) -> String {
        let paint =
            switch summary.outcome {
            case .pass: summary.isObserved ? Ink.Paint.yellow : .green
            case .fail: Ink.Paint.red
            case .invalid, .aborted: Ink.Paint.yellow
            }
        let headline = Wrapping.lines(summary.headline, width: width, hanging: 0)
            .map { ink($0, paint, bold: true) }
        let lines = summary.explanations.prefix(8)
            .flatMap { Wrapping.lines("  \($0)", width: width, hanging: 4) }
        return (headline + lines).joined(separator: "\n")
    }

    private static func thresholds(_ results: [ThresholdResult], _ ink: Ink) -> String {
        let wide = results.map(\.expression.count).max() ?? 0
        return results.map { result in
            let mark = result.met ? ink("  met   ", .green) : ink("  MISSED", .red, bold: true)
            return "\(mark)  \(result.expression.padded(to: wide))  \(result.actual)"
        }.joined(separator: "\n")
    }

    /// What the rig expects its runs to show: each line, and how often it was found.
    private static func shows(_ results: [HistoryCheckResult], _ ink: Ink) -> String {
        let wide = results.map(\.expression.count).max() ?? 0
        return results.map { result in
            let mark = result.held ? ink("  found ", .green) : ink("  ABSENT", .red, bold: true)
            return "\(mark)  \(result.expression.padded(to: wide))  \(result.actual)"
        }.joined(separator: "\n")
    }

    /// The findings alone, for `screenrig check`.
    public static func verdicts(_ findings: Findings, width: Int = 100) -> String {
        promises(findings, width: width, Ink(isOn: false))
    }

    /// How much was checked, and what was found beside what fails the run: one line if all is well.
    private static func promises(
        _ findings: Findings, scope: String = "", width: Int, _ ink: Ink
    ) -> String {
        let checked = findings.verdicts.filter { $0.checked > 0 }
        let checks = checked.reduce(0) { $0 + $1.checked }
        var first =
            "\(Figures.counted(checks, "check")) of \(Figures.counted(checked.count, "promise")) in "
            + "\(Figures.counted(findings.households, "household"))\(scope): "
            + Figures.counted(findings.failing, "violation")
        for (name, count) in [
            ("observed", \.observed), ("known", \.known), ("suspected", \.suspected),
        ] as [(String, KeyPath<Verdict, Int>)] {
            let sum = findings.verdicts.reduce(0) { $0 + $1[keyPath: count] }
            if sum > 0 { first += ", \(Figures.count(sum)) \(name)" }
        }
        if findings.undecided > 0 { first += ", \(Figures.count(findings.undecided)) undecided" }
        first += "."
        if let level = findings.strongestLevel {
            first += " Strongest consistency level that held: \(level.name)."
        }
        if let callbacks = findings.callbackSentence { first += " \(callbacks)." }
        if let gap = findings.gapSentence { first += " \(gap)." }
        first += " promises: \(findings.rules.promises.level.rawValue)"
        var lines = Wrapping.lines(first, width: width, hanging: 2)
        for verdict in findings.verdicts {
            let counts = [
                (verdict.violations == 1 ? "violation" : "violations", verdict.violations),
                ("observed", verdict.observed),
                ("known", verdict.known), ("suspected", verdict.suspected),
            ].filter { $0.1 > 0 }
            let result = findings.result(of: verdict.invariant)
            guard !result.isQuiet else { continue }
            let checks = Figures.counted(verdict.checked, "check")
            var found = counts.map { "\(Figures.count($0.1)) \($0.0)" }
            let along = findings.householdsAlong(verdict.invariant) ?? 0
            if result.cause != nil {
                found.insert(result.words, at: 0)
            } else if along > 0 {
                found.append("\(Figures.count(along)) along with another promise")
            }
            let text =
                counts.isEmpty
                ? "\(result.words) (\(checks))"
                : "\(found.joined(separator: ", ")) in \(checks)"
            // The mark may have colours, which take no columns.
            let entry = Wrapping.entry(
                "  \(verdict.invariant.name.padded(to: 24))  ", text, width: width - markWidth)
            lines.append(mark(result, ink) + entry[0])
            lines += entry.dropFirst().map { String(repeating: " ", count: markWidth) + $0 }
        }
        for sentence in findings.worthSentences {
            lines += Wrapping.lines("  \(sentence)", width: width, hanging: 4)
        }
        return lines.joined(separator: "\n")
    }

    private static let markWidth = 11

    private static func mark(_ result: PromiseResult, _ ink: Ink) -> String {
        switch result {
        case .broken: ink("  VIOLATED ", .red, bold: true)
        case .observed: ink("  observed ", .yellow)
        case .known: "  known    "
        case .suspected: "  suspected"
        case .undecided: "  undecided"
        case .kept, .notExercised: ""
        }
    }

    private static func operations(_ summary: Summary, width: Int, _ ink: Ink) -> String {
        let lines = OperationRow.columns.terminal(summary.operations, width: width)
        return ([ink(lines[0], .dim)] + lines.dropFirst()).joined(separator: "\n") + "\n"
            + ink("times in ms, from when a request was due to the end of its response", .dim)
    }

    private static func signIns(_ summary: Summary) -> String? {
        let times = [
            ("sign-in", summary.signIn), ("without the viewer", summary.signInService),
            ("token visibility", summary.tokenVisibility),
        ].compactMap { name, spread in
            spread.map { spread in
                "\(name.padded(to: 18))  p50 \(time(spread.p50))  p95 \(time(spread.p95))  "
                    + "p99 \(time(spread.p99))  max \(time(spread.max))"
            }
        }
        let households = summary.households
        let denied =
            households.notEntitled == 0
            ? []
            : [
                "\("denied a resource".padded(to: 18))  \(Figures.count(households.notEntitled)) of "
                    + Figures.counted(households.started, "household")
            ]
        let rows = times + denied
        return rows.isEmpty ? nil : rows.map(\.trimmedEnd).joined(separator: "\n")
    }

    /// What the service had to bear at worst, a line each.
    private static func serviceLoad(_ load: ServiceLoad, _ ink: Ink) -> String {
        let lines = load.lines
        return ([ink(lines[0], .dim)] + lines.dropFirst()).joined(separator: "\n")
    }

    /// One line for each path, and what platform and SDK said.
    private static func signOns(_ signOns: SignOns, width: Int, _ ink: Ink) -> String {
        var lines = [ink("sign-in by path", .dim)]
        lines += signOns.paths.map { path in
            let times =
                path.time.map { "p50 \(time($0.p50))  p95 \(time($0.p95))  max \(time($0.max))" }
                ?? ""
            let again = path.signIns - path.households
            let more = again > 0 ? "  and \(Figures.counted(again, "later sign-in"))" : ""
            return "  \(path.name.padded(to: 16))  "
                + "\(Figures.counted(path.households, "household").padded(to: 16))  \(times)\(more)"
                .trimmedEnd
        }
        let counts = [
            (signOns.prompts, "permission prompt"), (signOns.pickers, "platform picker"),
            (signOns.silentRelogins, "silent relogin"),
        ].filter { $0.0 > 0 }.map { Figures.counted($0.0, $0.1) }
        if !counts.isEmpty { lines.append("  \(counts.joined(separator: ", "))") }
        let codes = signOns.codes.map { code in
            code.times == 1 ? code.name : "\(code.name) \(Figures.count(code.times))x"
        }
        if !codes.isEmpty {
            lines += Wrapping.lines(
                "  codes: \(codes.joined(separator: ", "))", width: width, hanging: 9)
        }
        return lines.map(\.trimmedEnd).joined(separator: "\n")
    }

    private static let shardsShown = 16

    /// How many shards there were and how evenly they started; those with something to say, where there are many.
    private static func shards(_ summary: Summary, width: Int, _ ink: Ink) -> String {
        let all = summary.shards
        let shown =
            all.count <= shardsShown
            ? all : Array(all.filter(\.isNotable).prefix(shardsShown))
        var lines = Wrapping.lines(StartSkew.sentence(summary), width: width, hanging: 2)
        guard !shown.isEmpty else { return lines.joined(separator: "\n") }
        let table = MergedShard.columns.terminal(shown, width: width)
        lines += [ink(table[0], .dim)] + table.dropFirst()
        if shown.count < all.count {
            lines.append(
                ink("and \(Figures.count(all.count - shown.count)) more, in shards.csv", .dim))
        }
        return lines.joined(separator: "\n")
    }

    private static func time(_ milliseconds: Double) -> String {
        Figures.time(milliseconds: milliseconds).padded(to: 8)
    }

    private static func errors(_ rows: [ErrorRow], width: Int, _ ink: Ink) -> String {
        var lines: [String] = []
        let groups = ErrorRow.grouped(rows)
        for group in groups.prefix(5) {
            let sentence = Wrapping.lines(
                "error: \(ErrorRow.sentence(group))", width: width, hanging: 7)
            lines += [ink("error:", .red) + sentence[0].dropFirst(6)] + sentence.dropFirst()
            for line in [ErrorRow.whereabouts(of: group), group.first?.hint ?? ""]
            where !line.isEmpty {
                lines += Wrapping.lines("       \(line)", width: width, hanging: 7)
            }
        }
        if groups.count > 5 {
            let rest = groups.dropFirst(5).joined().map(\.count).reduce(0, +)
            lines.append(
                "       and \(Figures.counted(rest, "error")) with other causes, see report.html")
        }
        return lines.joined(separator: "\n")
    }

    /// `totals: 12,345 requests in 61.2 s (201/s), 37 errors (0.3 %)`.
    private static func totals(_ summary: Summary) -> String {
        let exchanges = summary.exchanges
        let share =
            exchanges.errors > 0 && exchanges.sent > 0
            ? " (\(Figures.percent(Double(exchanges.errors) / Double(exchanges.sent))))" : ""
        return "totals: \(Figures.counted(exchanges.sent, "request")) in "
            + "\(Figures.span(seconds: summary.run.seconds - Double(summary.preparation?.seconds ?? 0))) "
            + "(\(Figures.rate(exchanges.perSecond)) answered), "
            + "\(Figures.counted(exchanges.errors, "error"))\(share)"
    }

    private static let replays = 3

    /// The commands that replay the most serious findings, and the page of a household with the first.
    private static func again(_ summary: Summary, _ path: String) -> [String] {
        let groups = FindingGroup.ranked(summary.findings?.violations ?? [])
        let names = groups.compactMap { group in
            group.violations.first.flatMap { summary.cases?[$0.signature] }
        }
        let page = groups.lazy.compactMap { $0.named.first?.household }
            .first { summary.traces?.contains($0) ?? false }
        let option = ReplayPermission.option(forRig: summary.run.source, target: summary.run.target)
        return names.prefix(replays).map {
            "replay: screenrig replay \(path)/cases/\($0).json\(option)"
        }
            + (page.map { ["steps:  \(path)/\(TraceFolder.file($0))"] } ?? [])
    }
}
