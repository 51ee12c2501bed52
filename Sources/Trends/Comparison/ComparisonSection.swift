package import Rendering

/// What changed between two runs, as a part of a page.
enum ComparisonSection {
    /// Rows that report.html has room for.
    private static let shown = 15

    fileprivate static func html(_ comparison: Comparison) -> HTML {
        let base = comparison.base
        let rows = comparison.worse + comparison.better
        let rest = rows.count - shown
        let more: HTML =
            rest > 0
            ? "<p class=\"empty\">and \(Figures.counted(rest, "more value")); screenrig compare shows all.</p>"
            : .none
        let table: HTML =
            rows.isEmpty
            ? .none
            : "\(ComparisonSection.table(Array(rows.prefix(shown)), caption: "Changes"))\(more)"
        return """
            <p class="lead">Compared with \(base.id) of \(Moments.minute(base.started)).</p>
            <p><strong class="\(mood(comparison.verdict))">\(comparison.headline)</strong></p>
            \(warnings(comparison))\(table)\(promises(comparison))\(errors(comparison))
            """
    }

    static func mood(_ verdict: Comparison.Verdict) -> String {
        switch verdict {
        case .worse: "bad"
        case .better: "good"
        case .noise, .tooFew: "soft"
        }
    }

    static func warnings(_ comparison: Comparison) -> HTML {
        let told =
            comparison.setups.map { "<p class=\"note\">Set-ups differ: \($0).</p>" as HTML }
            + comparison.doubts.map {
                "<p class=\"note\">\($0.prefix(1).uppercased() + $0.dropFirst()).</p>" as HTML
            }
        let worth: HTML =
            comparison.reservation.map { "<p class=\"note\">\($0).</p>" as HTML } ?? .none
        return "\(told)\(worth)"
    }

    /// Rows with their intervals drawn: the dot is what was measured, the line where the truth lies 95
    /// times in 100.
    static func table(_ rows: [Comparison.Row], caption: String) -> HTML {
        let scale = IntervalMark.Scale(rows)
        return Table(
            caption: caption,
            columns: [
                .text("Value"), .number("Before"), .number("Now"), .number("Change"),
                .number("95 % interval"), .text(IntervalMark.heading(scale)), .verdict("Verdict"),
                .number("Sure"),
            ],
            rows: rows.map { row in
                [
                    "<span class=\"name\">\(row.name)</span>", "\(row.text(row.base))",
                    "\(row.text(row.run))", "\(row.changeText)", "\(row.intervalText)",
                    IntervalMark(row: row, scale: scale).html, verdict(row),
                    row.verdict == .tooFew || row.isOnGrid ? "–" : "\(row.sureText)",
                ]
            }, isCards: true
        ).html
    }

    private static func verdict(_ row: Comparison.Row) -> HTML {
        switch row.verdict {
        case .worse: "<span class=\"bad\">▲ worse</span>"
        case .better: "<span class=\"good\">▼ better</span>"
        case .noise where row.isOnGrid: "<span class=\"soft\">poll interval</span>"
        case .noise where row.isSmall: "<span class=\"soft\">below floor</span>"
        case .noise where row.isInBursts: "<span class=\"soft\">one incident?</span>"
        case .noise: "<span class=\"soft\">may be chance</span>"
        case .tooFew: "<span class=\"soft\">too few</span>"
        }
    }

    /// What the move from one protocol to the other changes, in sentences; nothing where both runs
    /// speak the same.
    static func move(_ comparison: Comparison) -> HTML {
        guard let protocols = comparison.protocols else { return .none }
        let items = comparison.moveLines.map { "<li>\($0)</li>" as HTML }
        let notes = protocols.notes.map { "<p class=\"note\">Note: \($0).</p>" as HTML }
        return """
            <h2>From \(protocols.base) to \(protocols.run)</h2>
            <ul>\(items)</ul>
            \(notes)
            """
    }

    /// Requests per sign-in by step of the abstract machine.
    static func requests(_ comparison: Comparison) -> HTML {
        guard let protocols = comparison.protocols else { return .none }
        let rows = protocols.lines.map { line -> [HTML] in
            let cells = [
                ProtocolComparison.number(line.base), ProtocolComparison.number(line.run),
                line.difference,
            ]
            let names: HTML =
                line.isSum
                ? "<strong>\(line.name)</strong>" : "<span class=\"name\">\(line.name)</span>"
            return [names] + cells.map { line.isSum ? "<strong>\($0)</strong>" : "\($0)" }
                + ["<span class=\"wrap\">\(line.operations)</span>"]
        }
        let table = Table(
            caption: "Requests per sign-in, by step",
            columns: [
                .text("Step"), .number("Before"), .number("Now"), .number("Change"),
                .text("Operations"),
            ], rows: rows, isCards: true
        ).html
        return HTML.section(
            "requests", "Requests per sign-in",
            """
            <p class="lead">All requests of all households, divided by the households that signed in: \
            \(Figures.count(protocols.baseSignIns)) before, \(Figures.count(protocols.runSignIns)) now. \
            Operations of both protocols are joined by what they are for; each step is one row.</p>
            \(table)
            """)
    }

    static func promises(_ comparison: Comparison) -> HTML {
        guard let promises = comparison.promises, !promises.isEmpty else { return .none }
        let items = promises.map { promise -> HTML in
            let mark: HTML = promise.isNew ? "bad" : promise.isMended ? "good" : "soft"
            return """
                <li><code>\(promise.name)</code> <span class="\(mark)">\(promise.change)</span>: \
                \(promise.counts)</li>
                """
        }
        return "<h3>Promises</h3><ul>\(items)</ul>"
    }

    static func errors(_ comparison: Comparison) -> HTML {
        func list(_ title: String, _ kinds: [Comparison.ErrorKind]) -> HTML {
            guard !kinds.isEmpty else { return .none }
            let items = kinds.prefix(10).map { kind -> HTML in
                let aside: HTML =
                    kind.isSure ? .none : " <span class=\"soft\">(may be chance)</span>"
                return "<li class=\"wrap\">\(kind.sentence)\(aside)</li>"
            }
            let rest = kinds.count - items.count
            let more: HTML =
                rest > 0 ? "<li>and \(Figures.counted(rest, "more error"))</li>" : .none
            return "<h3>\(title)</h3><ul>\(items)\(more)</ul>"
        }
        return """
            \(list("New errors", comparison.newErrors))\
            \(list("Errors that no longer occur", comparison.goneErrors))
            """
    }
}

extension Comparison {
    /// For `report.html`: a sentence, and a table of what got better or worse.
    package var section: HTML { ComparisonSection.html(self) }
}

extension Comparison.Row {
    /// Of a time in percent of the base, of a share in points.
    var changeText: String {
        switch unit {
        case .milliseconds: relativeText ?? "–"
        case .share: Self.points(difference)
        }
    }
}

/// The interval of a row, drawn on a scale that its table shares.
struct IntervalMark {
    var row: Comparison.Row
    var scale: Scale

    /// From `-reach` to `reach`, relative to the base.
    struct Scale {
        var reach: Double

        init(_ rows: [Comparison.Row]) {
            let ends = rows.filter { $0.unit == .milliseconds && $0.verdict != .tooFew }.flatMap {
                row in row.base > 0 ? [row.low / row.base, row.high / row.base] : []
            }
            let widest = ends.map(\.magnitude).max() ?? 0
            reach = min(2, max(0.1, Rendering.Scale.roundStep(widest)))
        }
    }

    static func heading(_ scale: Scale) -> HTML {
        "<span class=\"unit\">−\(Figures.percent(scale.reach)) … 0 … +\(Figures.percent(scale.reach))</span>"
    }

    private static let width = 150.0

    private func across(_ share: Double) -> Double {
        let inside = min(scale.reach, max(-scale.reach, share))
        return 4 + (inside + scale.reach) / (2 * scale.reach) * (Self.width - 8)
    }

    var html: HTML {
        guard row.unit == .milliseconds, row.base > 0, row.verdict != .tooFew,
            let relative = row.relative
        else { return "<span class=\"absent\">–</span>" }
        let style = row.verdict == .worse ? "bad" : row.verdict == .better ? "s2" : "other"
        let middle = across(0)
        return """
            <svg class="interval" viewBox="0 0 150 18" style="width:150px;min-width:150px" role="img" \
            aria-label="\(row.changeText), \(row.intervalText)">\
            <line class="mark" x1="\(px: middle)" x2="\(px: middle)" y1="0" y2="18"/>\
            <line class="line \(style)" x1="\(px: across(row.low / row.base))" \
            x2="\(px: across(row.high / row.base))" y1="9" y2="9"/>\
            \(relative.magnitude > scale.reach ? .none : dot(relative, style))\(clipped(style))</svg>
            """
    }

    private func dot(_ relative: Double, _ style: String) -> HTML {
        "<circle class=\"dot \(style)\" cx=\"\(px: across(relative))\" cy=\"9\" r=\"3.5\"/>"
    }

    /// An arrow at each end beyond which the interval goes on.
    private func clipped(_ style: String) -> HTML {
        let right: HTML =
            row.high / row.base > scale.reach * 1.000_001
            ? "<path class=\"dot \(style)\" d=\"M149,9l-7,-5v10z\"/>" : .none
        let left: HTML =
            row.low / row.base < -scale.reach * 1.000_001
            ? "<path class=\"dot \(style)\" d=\"M1,9l7,-5v10z\"/>" : .none
        return "\(left)\(right)"
    }
}
