internal import Rendering

/// A comparison in a terminal: verdict, what changed, all times, errors, promises.
public enum ComparisonText {
    /// `width` columns are used where there is something to fill them with. Colour is never the only
    /// bearer of a meaning.
    public static func text(_ comparison: Comparison, width: Int, color: Bool) -> String {
        let ink = Ink(isOn: color)
        var blocks: [String] = []
        if let protocols = comparison.protocols {
            blocks.append(move(comparison, protocols, width: width, ink))
            blocks.append(requests(protocols, width: width, ink))
        }
        blocks.append(head(comparison, width: width, ink))
        let changed = comparison.worse + comparison.better
        if !changed.isEmpty { blocks.append(changes(changed, width: width, ink)) }
        if !comparison.rows.isEmpty { blocks.append(times(comparison, width: width, ink)) }
        let errors = errors(comparison, width: width, ink)
        if !errors.isEmpty { blocks.append(errors) }
        blocks.append(footer(comparison, width: width, ink))
        return blocks.joined(separator: "\n\n") + "\n"
    }

    private static func head(_ comparison: Comparison, width: Int, _ ink: Ink) -> String {
        let paint: Ink.Paint =
            switch comparison.verdict {
            case .worse: .red
            case .better: .green
            case .noise, .tooFew: .dim
            }
        let warnings = comparison.warnings.flatMap {
            Wrapping.lines("warning: \($0)", width: width, hanging: 9)
        }
        let lines = Wrapping.lines(comparison.headline, width: width, hanging: 0)
        let sides = [("base", comparison.base), ("run ", comparison.run)].map { name, side in
            let all =
                "\(name)  \(side.id)  \(Moments.minute(side.started)), "
                + "\(Figures.counted(side.households, "household")), "
                + "\(Figures.counted(side.answers, "response"))"
            return all.count <= width ? all : "\(name)  \(side.id)"
        }
        let reservation = comparison.reservation.map {
            Wrapping.lines("         \($0)", width: width, hanging: 9)
        }
        return
            (lines.map { paint == .dim ? $0 : ink($0, paint, bold: true) }
            + (warnings + (reservation ?? [])).map { ink($0, .yellow) } + sides).joined(
                separator: "\n")
    }

    /// What the move from one protocol to the other changes, in sentences.
    private static func move(
        _ comparison: Comparison, _ protocols: ProtocolComparison, width: Int, _ ink: Ink
    ) -> String {
        let title = "From \(protocols.base) to \(protocols.run)"
        let lines = comparison.moveLines.flatMap {
            Wrapping.lines("- \($0)", width: width, hanging: 2)
        }
        let notes = protocols.notes.flatMap {
            Wrapping.lines("note: \($0)", width: width, hanging: 6)
        }
        return ([ink(title, .green, bold: true)] + lines + notes.map { ink($0, .yellow) })
            .joined(separator: "\n")
    }

    /// Requests per sign-in, a line for each step.
    private static func requests(
        _ protocols: ProtocolComparison, width: Int, _ ink: Ink
    ) -> String {
        let lines = protocols.lines
        let head = ["requests per sign-in", "before", "now", "change", ""]
        let cells = lines.map { line in
            [
                line.name, ProtocolComparison.number(line.base),
                ProtocolComparison.number(line.run),
                line.difference, line.operations,
            ]
        }
        let widths = head.indices.map { column in
            ([head] + cells).map { $0[column].count }.max() ?? 0
        }
        func row(_ cells: [String]) -> String {
            let figures = zip(cells, widths).dropFirst().prefix(3).map {
                "   " + $0.padded(to: $1, right: true)
            }
            let short = cells[0].padded(to: widths[0]) + figures.joined()
            guard !cells[4].isEmpty else { return short }
            let indent = short.count + 3
            let names = Wrapping.lines(cells[4], width: width - indent, hanging: 0)
            return short + "   "
                + names.joined(separator: "\n" + String(repeating: " ", count: indent))
        }
        return
            ([ink(row(head), .dim)]
            + zip(lines, cells).map { $0.isSum ? ink(row($1), .green) : row($1) })
            .joined(separator: "\n")
    }

    /// Changed values that have a line of their own.
    private static let shown = 12

    /// One line for each value that got better or worse.
    private static func changes(_ all: [Comparison.Row], width: Int, _ ink: Ink) -> String {
        let rows = all.prefix(shown)
        let names = rows.map(\.name.count).max() ?? 0
        let spans = rows.map { "\($0.text($0.base)) → \($0.text($0.run))" }
        let spanWidth = spans.map(\.count).max() ?? 0
        return zip(rows, spans).map { row, span in
            let mark =
                row.verdict == .worse ? ink("  WORSE ", .red, bold: true) : ink("  better", .green)
            let short =
                "  \(row.name.padded(to: names))  \(span.padded(to: spanWidth))  \(row.changeText)"
            let long = "\(short)  (\(row.intervalText))"
            let full = "\(long)  sure to \(row.sureText)"
            let fitting = [full, long].first { $0.count + 8 <= width } ?? short
            return mark + fitting
        }.joined(separator: "\n")
            + (all.count > shown ? "\n          and \(all.count - shown) more, in the table" : "")
    }

    private static func times(_ comparison: Comparison, width: Int, _ ink: Ink) -> String {
        let rows = comparison.rows.filter { $0.unit == .milliseconds }
        var subjects: [String] = []
        for row in rows where subjects.last != row.subject { subjects.append(row.subject) }
        guard !subjects.isEmpty else { return ink("no durations in common", .dim) }
        let statistics = ["p50", "p95", "p99"]
        func cell(_ subject: String, _ statistic: String, wide: Bool) -> String {
            guard
                let row = rows.first(where: { $0.subject == subject && $0.statistic == statistic })
            else { return "–" }
            let now = Figures.significant(row.run)
            if row.verdict == .tooFew { return "\(now) ?" }
            let value = wide ? "\(Figures.significant(row.base)) → \(now)" : now
            return "\(value)  \(row.changeText.padded(to: 7, right: true)) \(sign(row))"
        }
        let first = subjects.map(\.count).max() ?? 0
        func table(wide: Bool) -> [String] {
            let cells = subjects.map { subject in
                statistics.map { cell(subject, $0, wide: wide) }
            }
            let widths = statistics.indices.map { index in
                cells.map(\.[index].count).max() ?? 0
            }
            let head =
                "time in ms".padded(to: first)
                + zip(statistics, widths).map { "   " + $0.padded(to: $1, right: true) }.joined()
            return [head]
                + zip(subjects, cells).map { subject, cells in
                    subject.padded(to: first)
                        + zip(cells, widths).map { "   " + $0.padded(to: $1, right: true) }.joined()
                }
        }
        let wide = table(wide: true)
        let lines = wide.allSatisfy { $0.count <= width } ? wide : table(wide: false)
        return
            ([ink(lines[0], .dim)] + lines.dropFirst()
            + [
                ink(
                    Wrapping.lines(
                        "▲ worse, ▼ better, · within chance or below the floor, ? too few values"
                            + (comparison.gridNote.map { ", # \($0)" } ?? ""),
                        width: width, hanging: 0
                    ).joined(separator: "\n"), .dim)
            ]).joined(separator: "\n")
    }

    private static func sign(_ row: Comparison.Row) -> String {
        switch row.verdict {
        case .worse: "▲"
        case .better: "▼"
        case .noise: row.isOnGrid ? "#" : "·"
        case .tooFew: "?"
        }
    }

    private static func errors(_ comparison: Comparison, width: Int, _ ink: Ink) -> String {
        var lines: [String] = []
        func add(_ text: String, _ paint: Ink.Paint? = nil) {
            let wrapped = Wrapping.lines(text, width: width, hanging: 2)
            lines += wrapped.map { line in paint.map { ink(line, $0) } ?? line }
        }
        for row in comparison.rows where row.unit == .share && row.verdict == .noise {
            add(
                "\(row.name): \(row.text(row.base)) before, \(row.text(row.run)) now; "
                    + (row.isInBursts
                        ? "not evenly over the run, so it may be one incident" : "may be chance"))
        }
        for kind in comparison.newErrors.prefix(8) {
            let aside = kind.isSure ? "" : " (may be chance)"
            add("new error: \(kind.sentence)\(aside)", kind.isSure ? .red : nil)
        }
        for kind in comparison.goneErrors.prefix(4) { add("error gone: \(kind.sentence)") }
        for promise in comparison.promises ?? [] {
            add(
                "promise \(promise.name) \(promise.change): \(promise.counts)",
                promise.isNew ? .red : nil)
        }
        return lines.joined(separator: "\n")
    }

    private static func footer(_ comparison: Comparison, width: Int, _ ink: Ink) -> String {
        let judged =
            comparison.promises == nil
            ? " Promises are not compared: one of the two runs was not checked." : ""
        let text =
            "\(Figures.counted(comparison.compared, "value")) compared. Differences below "
            + "\(comparison.floor.text) are ignored, even if significant. Intervals are 95 % (block "
            + "bootstrap); 'sure' is corrected for the number of values compared (Holm).\(judged)"
        return Wrapping.lines(text, width: min(width, 110), hanging: 0)
            .map { ink($0, .dim) }.joined(separator: "\n")
    }
}
