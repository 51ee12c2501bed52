internal import Formats
internal import Rendering

/// Errors grouped by cause, each with the first one as an example.
enum ErrorSection {
    private static let shown = 25
    /// The number of examples that are open at first.
    private static let open = 2

    static func html(_ summary: Summary) -> HTML {
        guard !summary.errors.isEmpty else {
            return """
                <p class="empty">No errors. Pending polls (404, 410) and throttled requests (429) are \
                counted separately.</p>
                """
        }
        let rest = summary.errors.dropFirst(shown).map(\.count).reduce(0, +)
        let more: HTML =
            rest == 0
            ? .none
            : "<p class=\"empty\">and \(Figures.counted(rest, "error")) with other causes, see summary.json</p>"
        let groups = summary.errors.prefix(shown).enumerated().map { position, row in
            group(row, isOpen: position < open)
        }
        return """
            <p class="lead">\(Figures.counted(summary.exchanges.errors, "error")) in \
            \(Figures.counted(summary.exchanges.sent, "request")). A pending poll (404, 410) and \
            a throttled request (429) are not errors; they are counted separately. Secrets are replaced by \
            fingerprints: equal secrets have equal fingerprints within this run.</p>
            \(table(summary))
            <h3>Examples</h3>
            \(groups)\(more)
            """
    }

    private static func table(_ summary: Summary) -> HTML {
        Table(
            caption: "Errors by cause",
            columns: [
                .text("Operation"), .text("Result"), .number("Errors"), .number("Share"),
                .number("First"), .number("Last"),
            ],
            rows: summary.errors.prefix(shown).map { row in
                let share = Double(row.count) / Double(max(1, row.total))
                return [
                    "<span class=\"name\">\(row.operation)</span>",
                    "<span class=\"wrap\">\(row.what)</span>",
                    .number(Double(row.count), shown: Figures.count(row.count)),
                    .number(share, shown: Figures.percent(row.count, of: row.total)),
                    .number(row.first, shown: at(row.first)),
                    .number(row.last, shown: at(row.last)),
                ]
            }, isSortable: true
        ).html
    }

    private static func group(_ row: ErrorRow, isOpen: Bool) -> HTML {
        let hint: HTML = row.hint.isEmpty ? .none : "<p>\(row.hint)</p>"
        return """
            <details class="error"\(isOpen ? " open=\"open\"" : "" as HTML)><summary><b>\(row.operation)</b> \
            <span class="bad">\(row.what)</span> <span class="soft">\
            \(Figures.counted(row.count, "time")) in \(Figures.counted(row.total, "request"))</span></summary>
            \(hint)\(row.example.map(example) ?? .none)</details>

            """
    }

    private static func at(_ second: Double) -> String {
        "\(DecimalText.fixed(second, 1)) s"
    }

    private static func example(_ example: ErrorRow.Example) -> HTML {
        var pairs: [(String, String)] = [
            (
                "Example",
                "household \(example.household), \(example.device), request \(example.sequence)"
            ),
            ("Sent", "\(DecimalText.fixed(example.sent, 3)) s after the start"),
            ("Took", Figures.time(milliseconds: example.tookMs)),
        ]
        if !example.remote.isEmpty {
            pairs.append(("Peer", "\(example.remote), connection \(example.connection)"))
        }
        pairs += example.deviations.map { ("Protocol deviation", $0) }
        if example.talk == nil { pairs += example.evidence.map { ("Header", $0) } }
        let rows = pairs.map { "<dt>\($0.0)</dt><dd>\($0.1)</dd>" as HTML }
        return """
            <dl class="pairs">\(rows)</dl>
            \(example.talk.map { talk($0, example) } ?? .none)
            """
    }

    /// Request and response, and a command that repeats the request.
    private static func talk(_ talk: ErrorRow.RecordedMessages, _ example: ErrorRow.Example) -> HTML
    {
        let name = "request \(example.sequence) of household \(example.household)"
        let reply =
            talk.reply.isEmpty ? "(no response)" : talk.reply.joined(separator: "\n")
        return """
            <div class="talk"><div><h4>Request</h4><pre tabindex="0" aria-label="Request: \(name)">\
            \(talk.request.joined(separator: "\n"))</pre></div>\
            <div><h4>Response</h4><pre tabindex="0" aria-label="Response: \(name)">\(reply)</pre></div></div>
            <h4 class="curl-h">curl command</h4><pre class="curl" tabindex="0" \
            aria-label="curl command for \(name)">\(talk.curl)</pre>
            """
    }
}
