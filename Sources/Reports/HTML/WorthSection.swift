internal import Checker
internal import Rendering
internal import Statistics

/// What the promises that held are worth: the windows that the run would have seen, and what it did not test.
enum WorthSection {
    /// Windows that have a column, in milliseconds.
    private static let windows: [(milliseconds: Int64, title: HTML)] = [
        (1, "1 ms"), (10, "10 ms"), (30, "30 ms"),
        (100, "100 ms"), (1_000, "1 s"),
    ]

    static func html(_ findings: Findings) -> HTML {
        let untested: HTML =
            findings.untestedNames.map {
                "<p class=\"note\">Not tested by this run: \($0).</p>"
            } ?? .none
        let rows = findings.worth.compactMap(row)
        guard !rows.isEmpty else { return untested }
        let columns: [Table.Heading] =
            [
                .text("Promise"), .text("Window after"), .number("95 % from"),
            ] + windows.map { Table.Heading.number($0.title) }
            + [.number("Windows"), .number("Looked at")]
        let table = Table(
            caption: "Windows that such a run sees", columns: columns, rows: rows, isCards: true
        ).html
        return """
            <h3>What a pass is worth</h3><p class="lead">A promise that held may be violated in too few households \
            to show in this run: the share is below the bound in the table above (95 %). Or it may be violated for \
            a time (window) after each sign-in, logout and so on, in which no request of this run fell. The table \
            below gives the probability that such a run sees a window of 1 ms to 1 s, if there is one each time. \
            “screenrig race” finds shorter ones.</p>\(table)\(untested)
            """
    }

    private static func row(_ worth: PassWorth) -> [HTML]? {
        guard let (words, exposure) = worth.window, exposure.events > 0 else { return nil }
        var cells: [HTML] = ["<code>\(worth.invariant.name)</code>", "each \(words.event)"]
        if let shortest = exposure.shortestWindow(seenWith: PassWorth.confidence) {
            cells.append(.number(Double(shortest), shown: PassWorth.time(shortest)))
        } else {
            cells.append("–")
        }
        for window in windows {
            let seen = exposure.probability(ofSeeing: window.milliseconds * 1_000_000)
            cells.append(.number(seen, shown: PassWorth.probability(seen)))
        }
        return cells + [count(exposure.events), count(exposure.delays.count)]
    }

    private static func count(_ number: Int) -> HTML {
        .number(Double(number), shown: Figures.count(number))
    }
}
