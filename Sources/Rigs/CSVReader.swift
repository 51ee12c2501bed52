/// Comma-separated values as RFC 4180 has them: quoted cells may hold commas, line ends and doubled
/// quotes. Lines end with CRLF, LF or CR; a byte order mark and empty lines are passed over. Rows come
/// one at a time, so that a file takes no more memory than what is kept of it.
struct CSVReader {
    struct CSVRow: Hashable {
        var cells: [String]
        /// The line on which it begins, from 1.
        var line: Int
    }

    struct Problem: Error, Hashable {
        var line: Int
        var reason: String
    }

    /// Cells of a row.
    private static let cellsAtMost = 100

    private let text: [UInt8]
    private var position = 0
    private var line = 1

    init(_ text: String) {
        self.text = Array(text.utf8)
        if self.text.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
    }

    /// The next row that is not empty, the one with the names first; nil at the end.
    mutating func next() throws(Problem) -> CSVRow? {
        while let row = try row() {
            if row.cells != [""] { return row }
        }
        return nil
    }

    private mutating func row() throws(Problem) -> CSVRow? {
        guard position < text.count else { return nil }
        var row = CSVRow(cells: [], line: line)
        while true {
            guard row.cells.count < Self.cellsAtMost else {
                throw Problem(line: line, reason: "more than \(Self.cellsAtMost) cells")
            }
            row.cells.append(try cell())
            guard position < text.count else { return row }
            if text[position] == UInt8(ascii: ",") {
                position += 1
                continue
            }
            passLineEnd()
            return row
        }
    }

    private func isLineEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }

    private mutating func passLineEnd() {
        let isPair =
            text[position] == UInt8(ascii: "\r") && position + 1 < text.count
            && text[position + 1] == UInt8(ascii: "\n")
        position += isPair ? 2 : 1
        line += 1
    }

    /// To the comma or line end after it.
    private mutating func cell() throws(Problem) -> String {
        let quote = UInt8(ascii: "\"")
        guard position < text.count, text[position] == quote else {
            let start = position
            while position < text.count, text[position] != UInt8(ascii: ","),
                !isLineEnd(text[position])
            {
                if text[position] == quote {
                    throw Problem(
                        line: line,
                        reason: "unescaped quote inside a cell; put the whole cell in quotes and "
                            + "double the quote")
                }
                position += 1
            }
            return try cell(text[start..<position])
        }
        return try quoted()
    }

    private mutating func quoted() throws(Problem) -> String {
        let first = line
        var cell: [UInt8] = []
        position += 1
        while position < text.count {
            let byte = text[position]
            if isLineEnd(byte) {
                let start = position
                passLineEnd()
                cell += text[start..<position]
                continue
            }
            position += 1
            if byte == UInt8(ascii: "\"") {
                guard position < text.count, text[position] == byte else {
                    guard
                        position == text.count || text[position] == UInt8(ascii: ",")
                            || isLineEnd(text[position])
                    else {
                        throw Problem(
                            line: line,
                            reason: "text after a cell's closing quote; double a quote that "
                                + "belongs to the cell")
                    }
                    return try self.cell(cell[...])
                }
                position += 1
            }
            cell.append(byte)
        }
        throw Problem(line: first, reason: "missing closing quote")
    }

    private func cell(_ bytes: ArraySlice<UInt8>) throws(Problem) -> String {
        guard !bytes.contains(0) else {
            throw Problem(
                line: line,
                reason: "a cell contains a NUL character; save the file as UTF-8 text")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
