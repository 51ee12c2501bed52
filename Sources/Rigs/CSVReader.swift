/// Comma-separated values as RFC 4180 has them: quoted cells may hold commas, line ends and doubled
/// quotes. Lines end with CRLF, LF or CR; a byte order mark and empty lines are passed over. Read by
/// bytes: a letter that joins the one before it (U+0301) hides neither comma nor quote.
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

    private static let comma = UInt8(ascii: ",")
    private static let quote = UInt8(ascii: "\"")

    private let bytes: [UInt8]
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
        bytes = Array(text.utf8)
        if bytes.starts(with: "\u{feff}".utf8) { position = 3 }
    }

    private mutating func row() throws(Problem) -> Row? {
        guard position < bytes.count else { return nil }
        var row = Row(cells: [], line: line)
        while true {
            row.cells.append(try cell())
            guard position < bytes.count else { return row }
            if bytes[position] == Self.comma {
                position += 1
            } else {
                takeLineEnd()
                return row
            }
        }
    }

    private var isAtLineEnd: Bool {
        bytes[position] == UInt8(ascii: "\n") || bytes[position] == UInt8(ascii: "\r")
    }

    /// CRLF is one line end.
    private mutating func takeLineEnd() {
        let isPair =
            bytes[position] == UInt8(ascii: "\r") && position + 1 < bytes.count
            && bytes[position + 1] == UInt8(ascii: "\n")
        position += isPair ? 2 : 1
        line += 1
    }

    /// To the comma or line end after it.
    private mutating func cell() throws(Problem) -> String {
        let start = position
        if position < bytes.count, bytes[position] == Self.quote { return try quoted() }
        while position < bytes.count, bytes[position] != Self.comma, !isAtLineEnd {
            if bytes[position] == Self.quote {
                throw Problem(
                    line: line,
                    reason: "a quote stands inside a cell; put the whole cell in quotes and "
                        + "double the quote")
            }
            position += 1
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func quoted() throws(Problem) -> String {
        let first = line
        var cell: [UInt8] = []
        position += 1
        while position < bytes.count {
            if isAtLineEnd {
                let start = position
                takeLineEnd()
                cell += bytes[start..<position]
                continue
            }
            let byte = bytes[position]
            position += 1
            if byte == Self.quote {
                guard position < bytes.count, bytes[position] == Self.quote else {
                    guard position == bytes.count || bytes[position] == Self.comma || isAtLineEnd
                    else {
                        throw Problem(
                            line: line,
                            reason: "something stands behind a cell's closing quote; double a "
                                + "quote that is meant")
                    }
                    return String(decoding: cell, as: UTF8.self)
                }
                position += 1
            }
            cell.append(byte)
        }
        throw Problem(line: first, reason: "a quote is never closed")
    }
}
