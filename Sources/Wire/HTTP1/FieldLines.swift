internal import Dialects

/// The header fields of a message as bytes: no `String` is made before somebody wants one.
struct FieldLines {
    /// Where one field lies in `bytes`: its name directly followed by its value.
    private struct FieldMark {
        var name: Int
        var value: Int
        var end: Int
    }

    private var bytes: [UInt8] = []
    private var marks: [FieldMark] = []

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        marks.removeAll(keepingCapacity: true)
    }

    /// Takes up a line without its line end. Whitespace before the colon is dropped: only servers
    /// must refuse it (RFC 9112, 5.1).
    mutating func append(_ line: UnsafeRawBufferPointer) throws(ResponseFault) {
        guard let colon = Octets.first(Octets.colon, in: line) else { throw .fieldName }
        var end = colon
        while end > 0, Octets.isBlank(line[end - 1]) { end -= 1 }
        guard end > 0 else { throw .fieldName }
        for position in 0..<end where !Octets.isToken(line[position]) { throw .fieldName }
        let name = bytes.count
        bytes.append(contentsOf: Octets.part(line, 0..<end))
        let value = bytes.count
        bytes.append(contentsOf: Octets.trimmed(Octets.part(line, (colon + 1)..<line.count)))
        marks.append(FieldMark(name: name, value: value, end: bytes.count))
    }

    /// Takes up a folded line: a user agent joins it to the one before by a space (RFC 9112, 5.2).
    mutating func fold(_ line: UnsafeRawBufferPointer) throws(ResponseFault) {
        guard !marks.isEmpty else { throw .spaceBeforeFields }
        bytes.append(Octets.space)
        bytes.append(contentsOf: Octets.trimmed(line))
        marks[marks.count - 1].end = bytes.count
    }

    /// A NUL is refused, a CR that ends no line becomes a space (RFC 9110, 5.5; RFC 9112, 2.2).
    mutating func settle() throws(ResponseFault) {
        let (hasNUL, hasCR) = bytes.withUnsafeBytes { bytes in
            (
                Octets.first(0, in: bytes) != nil,
                Octets.first(Octets.carriageReturn, in: bytes) != nil
            )
        }
        if hasNUL { throw .nul }
        guard hasCR else { return }
        for position in bytes.indices where bytes[position] == Octets.carriageReturn {
            bytes[position] = Octets.space
        }
    }

    /// Calls `use` with the value of each field of that name, which is lower case.
    @inline(__always)
    func forEach(_ name: StaticString, _ use: (UnsafeRawBufferPointer) -> Void) {
        for mark in marks where mark.value - mark.name == name.utf8CodeUnitCount {
            bytes.withUnsafeBytes { bytes in
                guard Octets.equal(Octets.part(bytes, mark.name..<mark.value), name) else { return }
                use(Octets.part(bytes, mark.value..<mark.end))
            }
        }
    }

    /// As texts, in the order they came; broken UTF-8 replaced.
    var headers: Headers {
        bytes.withUnsafeBytes { bytes in
            Headers(
                marks.map { mark in
                    Headers.Field(
                        String(decoding: bytes[mark.name..<mark.value], as: UTF8.self),
                        String(decoding: bytes[mark.value..<mark.end], as: UTF8.self))
                })
        }
    }
}
