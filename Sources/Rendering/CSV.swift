/// Tables as RFC 4180 has them: a header, CRLF, quotes where needed. The columns of a file and their
/// order are a promise; new ones go to the end.
package enum CSV {
    package static func line(_ fields: [String]) -> String {
        fields.map(field).joined(separator: ",") + "\r\n"
    }

    private static func field(_ text: String) -> String {
        let text = isFormula(text) ? "'" + text : text
        let isPlain = text.utf8.allSatisfy { byte in
            byte != UInt8(ascii: ",") && byte != UInt8(ascii: "\"") && byte >= 0x20
        }
        return isPlain ? text : "\"\(text.replacing("\"", with: "\"\""))\""
    }

    /// What a spreadsheet would carry out when it opens the file; numbers stay numbers (OWASP, CSV
    /// Injection).
    private static func isFormula(_ text: some StringProtocol) -> Bool {
        guard let first = text.unicodeScalars.first, openings.contains(first) else { return false }
        return Double(text) == nil
    }

    /// As they are, and as full-width forms have them.
    private static let openings: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\t", "\r", "\n", "\u{ff1d}", "\u{ff0b}", "\u{ff0d}", "\u{ff20}",
    ]

    /// The fields of a text, row by row (RFC 4180, 2).
    package static func rows(_ text: String) -> [[String]] {
        var rows: [[String]] = []
        var row: [String] = []
        var field: [UInt8] = []
        var isQuoted = false
        var rest = text.utf8[...]
        func closed() -> String {
            let text = String(decoding: field, as: UTF8.self)
            return text.hasPrefix("'") && isFormula(text.dropFirst())
                ? String(text.dropFirst()) : text
        }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\"") where isQuoted && rest.first == byte:
                field.append(byte)
                rest = rest.dropFirst()
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted:
                row.append(closed())
                field = []
            case UInt8(ascii: "\n") where !isQuoted:
                rows.append(row + [closed()])
                (row, field) = ([], [])
            case UInt8(ascii: "\r") where !isQuoted: break
            default: field.append(byte)
            }
        }
        return field.isEmpty && row.isEmpty ? rows : rows + [row + [closed()]]
    }
}
