internal import Formats
internal import Rendering

/// Errors grouped by cause, each with the first one as an example.
enum ErrorSection {
    static let shown = 25
    /// The number of examples that are open at first.
    private static let open = 2

    static func html(_ summary: Summary) -> HTML {
        guard !summary.errors.isEmpty else { return .none }
        let rest = summary.errors.dropFirst(shown).map(\.count).reduce(0, +)
        let more: HTML =
            rest == 0
            ? .none
            : "<p class=\"empty\">and \(Figures.counted(rest, "error")) with other causes, see summary.json</p>"
        let groups = summary.errors.prefix(shown).enumerated().map { position, row in
            group(row, summary, isOpen: position < open)
        }
        return """
            <p class="lead">\(Figures.counted(summary.exchanges.errors, "error")) in \
            \(Figures.counted(summary.exchanges.sent, "request")). A pending poll (404, 410) and \
            a throttled request (429) are not errors; they are counted separately. Secrets are replaced by \
            fingerprints: equal secrets have equal fingerprints within this run.</p>
            \(ErrorRow.columns.page("Errors by cause", Array(summary.errors.prefix(shown))))
            <h3>Examples</h3>
            \(groups)\(more)
            """
    }

    private static func group(_ row: ErrorRow, _ summary: Summary, isOpen: Bool) -> HTML {
        let hint: HTML = row.hint.isEmpty ? .none : "<p>\(row.hint)</p>"
        return """
            <details class="error"\(isOpen ? " open=\"open\"" : "" as HTML)><summary><b>\(row.operation)</b> \
            <span class="bad">\(row.what)</span> <span class="soft">\
            \(Figures.counted(row.count, "time")) in \(Figures.counted(row.total, "request"))</span></summary>
            \(hint)\(row.example.map { example($0, summary) } ?? .none)</details>

            """
    }

    private static func example(_ example: ErrorRow.Example, _ summary: Summary) -> HTML {
        var pairs: [(String, HTML)] = [
            (
                "Example",
                """
                \(summary.household(example.household)), \(example.device), request \
                \(example.sequence)\(PageLink.html(example.links))
                """
            ),
            (
                "Sent",
                """
                \(DecimalText.fixed(example.sent, 3)) s after the start\
                \(example.sentUTC.map { ", \($0) UTC" as HTML } ?? .none)
                """
            ),
            ("Took", "\(Figures.time(milliseconds: example.tookMs))"),
        ]
        if !example.remote.isEmpty {
            pairs.append(("Peer", "\(example.remote), connection \(example.connection)"))
        }
        pairs += example.deviations.map { ("Protocol deviation", "\($0)") }
        if example.talk == nil { pairs += example.evidence.map { ("Header", "\($0)") } }
        let rows = pairs.map { "<dt>\($0.0)</dt><dd>\($0.1)</dd>" as HTML }
        return """
            <dl class="pairs">\(rows)</dl>
            \(example.talk?.html("request \(example.sequence) of household \(example.household)") ?? .none)
            """
    }
}
