/// Errors grouped by what they were, each with the first of them as an example.
enum ErrorSection {
    static func html(_ summary: Summary) -> HTML {
        guard !summary.errors.isEmpty else {
            return """
                <p class="empty">No errors. Polls that found nothing yet and throttled requests are \
                none.</p>
                """
        }
        let shown = summary.errors.prefix(25)
        let rest = summary.errors.dropFirst(shown.count).map(\.count).reduce(0, +)
        let more: HTML =
            rest == 0
            ? .none
            : "<p class=\"empty\">and \(Figures.counted(rest, "error")) of other sorts, in summary.json</p>"
        return """
            <p class="lead">\(Figures.counted(summary.exchanges.errors, "error")) in \
            \(Figures.counted(summary.exchanges.sent, "request")). Polls that found nothing yet and \
            throttled requests are none.</p>
            \(shown.map(group))\(more)
            """
    }

    private static func group(_ row: ErrorRow) -> HTML {
        let hint: HTML = row.hint.isEmpty ? .none : "<p>\(row.hint)</p>"
        let time =
            row.first == row.last
            ? "at \(at(row.first))" : "from \(at(row.first)) to \(at(row.last))"
        return """
            <div class="error"><h3>\(row.operation) <span class="bad">\(row.what)</span></h3>
            <p>\(Figures.counted(row.count, "time")) in \(Figures.counted(row.total, "request")), \(time)</p>\(hint)
            \(row.example.map(example) ?? .none)</div>

            """
    }

    private static func at(_ second: Double) -> String {
        "\(Figures.fixed(second, 1)) s"
    }

    private static func example(_ example: ErrorRow.Example) -> HTML {
        var pairs: [(String, String)] = [
            (
                "Example",
                "household \(example.household), \(example.device), request \(example.sequence)"
            ),
            ("Sent", "\(Figures.fixed(example.sent, 3)) s after the start"),
            ("Took", Figures.time(milliseconds: example.tookMs)),
        ]
        if !example.remote.isEmpty {
            pairs.append(("Peer", "\(example.remote), connection \(example.connection)"))
        }
        pairs += example.deviations.map { ("Not as the protocol says", $0) }
        pairs += example.evidence.map { ("Header", $0) }
        let rows = pairs.map { "<dt>\($0.0)</dt><dd>\($0.1)</dd>" as HTML }
        return "<dl class=\"pairs\">\(rows)</dl>"
    }
}
