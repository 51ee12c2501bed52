/// The first line of an answer: `HTTP/1.1 200 OK`.
struct StatusLine: Hashable {
    var status: Int
    /// The minor version: 0, or 1 for everything above (RFC 9110, 2.5).
    var isVersion10: Bool

    static let start: StaticString = "HTTP/"

    /// Reads a line without its line end. The parts may be apart by any number of spaces and tabs,
    /// and the reason may be missing with the space before it; it is not looked at (RFC 9112, 4).
    init(_ line: UnsafeRawBufferPointer) throws(ResponseFault) {
        guard Self.begins(line), line.count >= 12 else { throw .statusLine }
        guard Octets.isDigit(line[5]), line[6] == UInt8(ascii: "."), Octets.isDigit(line[7]) else {
            throw line[5] == UInt8(ascii: "2") || line[5] == UInt8(ascii: "3")
                ? .version : .statusLine
        }
        guard line[5] == UInt8(ascii: "1") else { throw .version }
        isVersion10 = line[7] == UInt8(ascii: "0")
        var position = 8
        while position < line.count, Octets.isBlank(line[position]) { position += 1 }
        guard position > 8, position + 3 <= line.count else { throw .statusLine }
        status = 0
        for digit in line[position..<position + 3] {
            guard Octets.isDigit(digit) else { throw .statusLine }
            status = status * 10 + Int(digit - 48)
        }
        let isOver = position + 3 == line.count || Octets.isBlank(line[position + 3])
        guard isOver, status >= 100 else { throw .statusLine }
        if Octets.first(0, in: line) != nil { throw .nul }
    }

    /// Whether these bytes may be the beginning of a status line, as far as they go.
    static func begins(_ bytes: UnsafeRawBufferPointer) -> Bool {
        for position in 0..<min(bytes.count, 5) where bytes[position] != start.utf8Start[position] {
            return false
        }
        return true
    }
}
