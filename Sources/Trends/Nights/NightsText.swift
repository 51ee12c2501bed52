internal import Rendering

/// The night history of a rig in a terminal: verdict, a line per series, the last nights.
public enum NightsText {
    /// `page` is where nights.html is. Colour is never the only bearer of a meaning.
    public static func text(
        _ views: [NightsView], width: Int, color: Bool, page: String? = nil
    ) -> String {
        let ink = Ink(isOn: color)
        guard !views.isEmpty else { return "No night yet.\n" }
        let blocks = views.map { rig($0, width: width, ink) }
        return (blocks + (page.map { ["nights: \($0)"] } ?? [])).joined(separator: "\n\n") + "\n"
    }

    private static func rig(_ view: NightsView, width: Int, _ ink: Ink) -> String {
        let paint: Ink.Paint? =
            switch view.verdict {
            case .worse: .red
            case .unusual, .gap: .yellow
            case .quiet: nil
            }
        let counts =
            "\(view.rig): \(Figures.counted(view.nights.count, "night"))"
            + (view.gaps == 0 ? "" : ", \(Figures.count(view.gaps)) without values")
        var lines = Wrapping.lines(view.headline, width: width, hanging: 0)
            .map { line in paint.map { ink(line, $0, bold: true) } ?? line }
        lines.append(counts)
        if let failure = view.newestFailure {
            lines += Wrapping.lines(failure, width: width, hanging: 2).map { ink($0, .red) }
        }
        lines += [""] + table(view, width: width, ink)
        for series in view.series {
            guard let note = series.note else { continue }
            lines += Wrapping.lines("\(series.name): \(note)", width: width, hanging: 2)
        }
        let told = changes(view, width: width, ink)
        if !told.isEmpty { lines += [""] + told }
        if let words = view.restartWords, !view.headline.contains(words) {
            lines += [""]
            lines += Wrapping.lines(
                "note: \(words); levels before and after that are not compared", width: width,
                hanging: 2)
        }
        let gaps = gaps(view, width: width)
        if !gaps.isEmpty { lines += [""] + gaps }
        return lines.joined(separator: "\n")
    }

    /// Series, its newest value, its level, and its course; the course takes what room there is.
    private static func table(_ view: NightsView, width: Int, _ ink: Ink) -> [String] {
        let names = view.series.map(\.name.count).max() ?? 0
        let now = view.series.map(\.newestText)
        let level = view.series.map { view.levelText(of: $0) }
        let wide = (
            max(names, 6), max(4, now.map(\.count).max() ?? 0),
            max(5, level.map(\.count).max() ?? 0)
        )
        let room = min(120, max(0, width - wide.0 - wide.1 - wide.2 - 6))
        let head =
            "series".padded(to: wide.0) + "  " + "now".padded(to: wide.1, right: true) + "  "
            + "level".padded(to: wide.2, right: true)
            + (room >= 8
                ? "  last nights" : "")
        return [ink(head, .dim)]
            + view.series.indices.map { index in
                (view.series[index].name.padded(to: wide.0) + "  "
                    + now[index].padded(to: wide.1, right: true) + "  "
                    + level[index].padded(to: wide.2, right: true) + "  "
                    + (room >= 8 ? course(view.series[index], view.restarts, room) : "")).trimmedEnd
            }
    }

    /// One character for a night: its height, `×` where there are no values, `|` before a new level, `¦`
    /// where the rig was another one from there on.
    private static func course(
        _ series: NightSeries, _ restarts: [Int], _ room: Int
    ) -> String {
        let steps = Array("▁▂▃▄▅▆▇█")
        let present = series.values.compactMap(\.self)
        guard let low = present.min(), let high = present.max() else { return "" }
        let middle = (low + high) / 2
        let half = max((high - low) / 2, middle * 0.12, 1e-9)
        var cells: [Character] = []
        let starts = Set(series.changes.map(\.first))
        for (index, value) in series.values.enumerated() {
            if starts.contains(index) { cells.append("|") }
            if index > 0, restarts.contains(index) { cells.append("¦") }
            guard let value else {
                cells.append("×")
                continue
            }
            if high == 0 {
                cells.append(steps[0])
                continue
            }
            let share = (value - (middle - half)) / (2 * half)
            cells.append(steps[min(7, max(0, Int(share * 8)))])
        }
        return String(cells.suffix(room))
    }

    private static func changes(_ view: NightsView, width: Int, _ ink: Ink) -> [String] {
        let all = view.series.flatMap { series in series.changes.map { (series, $0) } }
            .sorted { ($0.1.noticed, $1.0.name) > ($1.1.noticed, $0.0.name) }
        var lines = all.prefix(12).flatMap { series, change -> [String] in
            let mark = change.isWorse ? ink("WORSE ", .red, bold: true) : ink("better", .green)
            let isPresent = change.isWorse && change.first >= view.restarts.last ?? 0
            let what =
                (isPresent ? view.rise(of: series) : nil)?.sentence(series)
                ?? "\(series.name) \(series.text(change.before)) → \(series.text(change.after)), "
                + "\(series.sizeText(change)), since \(view.nights[change.first].name)"
            let text =
                "       \(what) (detected \(view.nights[change.noticed].day)\(accepted(change)))"
            let wrapped = Wrapping.lines(text, width: width, hanging: 7)
            return [mark + wrapped[0].dropFirst(6)] + wrapped.dropFirst()
        }
        if all.count > 12 {
            lines.append("       and \(all.count - 12) older changes, see the HTML page")
        }
        return lines
    }

    private static func accepted(_ change: NightSeries.Change) -> String {
        change.acceptance.map { $0.isEmpty ? "; accepted" : "; accepted: \($0)" } ?? ""
    }

    private static func gaps(_ view: NightsView, width: Int) -> [String] {
        let all = view.nights.filter(\.isGap)
        let newest = all.suffix(3)
        var lines = newest.map { "no values on \($0.day): \($0.gap)" }
        if all.count > newest.count {
            let older = Figures.counted(all.count - newest.count, "older night")
            lines.append("and \(older) without values, see the HTML page")
        }
        return lines.flatMap { Wrapping.lines($0, width: width, hanging: 2) }
    }
}
