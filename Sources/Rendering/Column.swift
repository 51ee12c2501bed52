package import Formats

/// One column of a table, declared once. From the declaration come its place in a CSV file and its line in
/// docs/reports.md, its key in summary.json, its heads on a page, in summary.md and in a terminal, and what
/// `screenrig explain` says about these heads. An output for which it has no name does not have it.
package struct Column<Row>: Sendable {
    /// What `screenrig explain` says about the heads.
    package enum Explained: Sendable {
        /// What docs/reports.md says.
        case byAbout
        /// What it says about another term.
        case like(String)
        case own(_ line: String, _ meaning: String)
    }

    /// Column of the CSV file: never renamed.
    package var csv: String
    /// New columns of a CSV file go to its end: those with a higher number come later.
    package var added: Int
    /// Key in summary.json: never renamed.
    package var json: String
    package var page: String
    package var summary: String
    package var terminal: String
    /// Columns with a higher rank give way first where a terminal is narrow; 0: never.
    package var rank: Int
    /// Behind the heads of page and summary.
    package var unit: String
    /// Numbers stand to the right.
    package var isText: Bool
    package var about: String
    package var explained: Explained
    package var value: @Sendable (Row) -> CellValue
    /// As the page has it, where that is not just the value.
    package var drawn: (@Sendable (Row) -> HTML)?

    package init(
        _ csv: String = "", added: Int = 0, json: String = "", page: String = "",
        summary: String = "", terminal: String = "", rank: Int = 0, unit: String = "",
        isText: Bool = false, about: String = "", explained: Explained = .byAbout,
        drawn: (@Sendable (Row) -> HTML)? = nil,
        value: @escaping @Sendable (Row) -> CellValue
    ) {
        self.csv = csv
        self.added = added
        self.json = json
        self.page = page
        self.summary = summary
        self.terminal = terminal
        self.rank = rank
        self.unit = unit
        self.isText = isText
        self.about = about
        self.explained = explained
        self.value = value
        self.drawn = drawn
    }
}

/// A value in a table, as each output writes it.
package enum CellValue: Sendable {
    case text(String)
    case count(Int?)
    /// Three decimals in files, three digits for readers; nil where nothing was measured.
    case number(Double?)
    /// A number that readers see as a text of its own.
    case figure(Double, String)
    /// For summary.json alone.
    case json(JSON)

    package var csv: String {
        switch self {
        case .text(let text): text
        case .count(let count): count.map { String($0) } ?? ""
        case .number(let number): number.map { DecimalText.trimmed($0) } ?? ""
        case .figure(let number, _): DecimalText.trimmed(number)
        case .json: ""
        }
    }

    package var json: JSON {
        switch self {
        case .text(let text): .string(text)
        case .count(let count): count.map(JSON.integer) ?? .null
        case .number(let number): number.map { .decimal($0) } ?? .null
        case .figure(let number, _): .decimal(number)
        case .json(let json): json
        }
    }

    /// In a terminal.
    package var shown: String {
        switch self {
        case .text(let text): text
        case .count(let count): count.map(Figures.count) ?? "–"
        case .number(let number): number.map { Figures.significant($0) } ?? "–"
        case .figure(_, let text): text
        case .json: ""
        }
    }

    package var html: HTML {
        switch self {
        case .text, .json, .count(nil), .number(nil): "\(shown)"
        case .count(let count?): .number(Double(count), shown: shown)
        case .number(let number?), .figure(let number, _): .number(number, shown: shown)
        }
    }
}

extension Array {
    /// Those that a CSV file has, in its order.
    package func ofCSV<Row>() -> [Column<Row>] where Element == Column<Row> {
        let named = filter { !$0.csv.isEmpty }
        return Set(named.map(\.added)).sorted().flatMap { added in
            named.filter { $0.added == added }
        }
    }

    /// A CSV file.
    package func csv<Row>(_ rows: some Sequence<Row>) -> String where Element == Column<Row> {
        let columns = ofCSV()
        return rows.reduce(into: CSV.line(columns.map(\.csv))) { text, row in
            text += CSV.line(columns.map { $0.value(row).csv })
        }
    }

    /// A row as an object.
    package func json<Row>(_ row: Row) -> JSON where Element == Column<Row> {
        .members(filter { !$0.json.isEmpty }.map { ($0.json, $0.value(row).json) })
    }

    /// A table of a page.
    package func page<Row>(
        _ caption: String, _ rows: [Row], isSortable: Bool = true, isCards: Bool = false
    ) -> HTML where Element == Column<Row> {
        let columns = filter { !$0.page.isEmpty }
        return Table(
            caption: caption,
            columns: columns.map { column in
                let unit: HTML =
                    column.unit.isEmpty ? .none : " <span class=\"unit\">\(column.unit)</span>"
                let head: HTML = "\(column.page)\(unit)"
                return column.isText ? .text(head) : .number(head)
            },
            rows: rows.map { row in columns.map { $0.drawn?(row) ?? $0.value(row).html } },
            isSortable: isSortable, isCards: isCards
        ).html
    }

    /// Lines of a terminal, the heads first: as many columns as its width has room for.
    package func terminal<Row>(_ rows: [Row], width: Int) -> [String]
    where Element == Column<Row> {
        var columns = filter { !$0.terminal.isEmpty }
        func widths() -> [Int] {
            columns.map { column in
                rows.map { column.value($0).shown.count }.reduce(column.terminal.count, Swift.max)
            }
        }
        while widths().reduce(-2, { $0 + $1 + 2 }) > width {
            let last = columns.map(\.rank).max() ?? 0
            guard last > 0, let drop = columns.lastIndex(where: { $0.rank == last }) else { break }
            columns.remove(at: drop)
        }
        let wide = widths()
        func line(_ cells: [String]) -> String {
            zip(cells, zip(columns, wide)).map { $0.padded(to: $1.1, right: !$1.0.isText) }
                .joined(separator: "  ").trimmedEnd
        }
        return [line(columns.map(\.terminal))]
            + rows.map { row in
                line(columns.map { $0.value(row).shown })
            }
    }

    /// The table of a CSV file's columns in docs/reports.md; neighbours that mean the same share a line.
    package func documentation<Row>() -> String where Element == Column<Row> {
        var lines: [(names: String, about: String)] = []
        for column in ofCSV() {
            if let last = lines.last, last.about == column.about {
                lines[lines.count - 1].names += " `\(column.csv)`"
            } else {
                lines.append(("`\(column.csv)`", column.about))
            }
        }
        return "| column | what |\n|---|---|\n"
            + lines.map { "| \($0.names) | \($0.about) |\n" }.joined()
    }
}
