/// Comma-separated values as RFC 4180 has them: quoted cells may hold commas, line ends and doubled
/// quotes. Lines end with CRLF, LF or CR; a byte order mark and empty lines are passed over.
struct CSVReader {
    struct Row: Hashable {
        var cells: [String]
        /// The line on which it begins, from 1.
        var line: Int
    }

    struct Problem: Error, Hashable {
        var line: Int
        var reason: String
    }

    private let text: [Character]
    private var position = 0
    private var line = 1

    /// All rows, the first one with the names included.
    static func rows(_ text: String) throws(Problem) -> [Row] {
        var reader = CSVReader(text)
        var rows: [Row] = []
        while let row = try reader.row() {
            if row.cells != [""] { rows.append(row) }
        }
        return rows
    }

    private init(_ text: String) {
        let text = Array(text)
        self.text = text.first == "\u{feff}" ? Array(text.dropFirst()) : text
    }

    private mutating func row() throws(Problem) -> Row? {
        guard position < text.count else { return nil }
        var row = Row(cells: [], line: line)
        while true {
            row.cells.append(try cell())
            guard position < text.count else { return row }
            let end = text[position]
            position += 1
            if end == "," { continue }
            line += 1
            return row
        }
    }

    /// To the comma or line end after it.
    private mutating func cell() throws(Problem) -> String {
        guard position < text.count, text[position] == "\"" else {
            let start = position
            while position < text.count, text[position] != ",", !text[position].isNewline {
                if text[position] == "\"" {
                    throw Problem(
                        line: line,
                        reason: "a quote stands inside a cell; put the whole cell in quotes and "
                            + "double the quote")
                }
                position += 1
            }
            return String(text[start..<position])
        }
        return try quoted()
    }

    private mutating func quoted() throws(Problem) -> String {
        let first = line
        var cell = ""
        position += 1
        while position < text.count {
            let character = text[position]
            position += 1
            if character == "\"" {
                guard position < text.count, text[position] == "\"" else {
                    guard
                        position == text.count || text[position] == ","
                            || text[position].isNewline
                    else {
                        throw Problem(
                            line: line,
                            reason: "something stands behind a cell's closing quote; double a "
                                + "quote that is meant")
                    }
                    return cell
                }
                position += 1
            }
            if character.isNewline { line += 1 }
            cell.append(character)
        }
        throw Problem(line: first, reason: "a quote is never closed")
    }
}
