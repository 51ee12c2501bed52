internal import Dialects

/// The header fields of a message as bytes: no `String` is made before one is needed. Most lines are those of
/// the message before, at the same place: they are not read again, and share its texts.
struct FieldLines {
    /// Where the line of one field lies in `bytes`, and where in it the name ends and the value begins.
    private struct FieldMark {
        var start: Int
        var nameEnd: Int
        var value: Int
        var end: Int
        /// The line is that of the message before, at the same place.
        var isKnown = false
        /// It is more than one line.
        var isFolded = false

        var name: Range<Int> { start..<nameEnd }

        /// Of the same line, which begins at `other`.
        func again(at other: Int) -> FieldMark {
            let way = other - start
            return FieldMark(
                start: other, nameEnd: nameEnd + way, value: value + way, end: end + way,
                isKnown: true)
        }
    }

    private var bytes: [UInt8] = []
    private var marks: [FieldMark] = []
    /// The message before, and its texts.
    private var before: (bytes: [UInt8], marks: [FieldMark], headers: Headers) = ([], [], Headers())

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        marks.removeAll(keepingCapacity: true)
    }

    /// Takes up a line without its line end. Whitespace before the colon is dropped: only servers
    /// must refuse it (RFC 9112, 5.1).
    mutating func append(_ line: UnsafeRawBufferPointer) throws(ResponseFault) {
        let start = bytes.count
        if let known = known(line) {
            marks.append(known.again(at: start))
            return bytes.append(contentsOf: line)
        }
        guard let colon = Octets.first(Octets.colon, in: line) else { throw .fieldName }
        var end = colon
        while end > 0, Octets.isBlank(line[end - 1]) { end -= 1 }
        guard end > 0 else { throw .fieldName }
        for position in 0..<end where !Octets.isToken(line[position]) { throw .fieldName }
        let value = Octets.trimmed(line, colon + 1..<line.count)
        bytes.append(contentsOf: Octets.part(line, 0..<value.upperBound))
        marks.append(
            FieldMark(
                start: start, nameEnd: start + end, value: start + value.lowerBound,
                end: bytes.count))
    }

    /// The mark of this line in the message before, where it is the next one there.
    private func known(_ line: UnsafeRawBufferPointer) -> FieldMark? {
        guard marks.count < before.marks.count else { return nil }
        let mark = before.marks[marks.count]
        if mark.isFolded { return nil }
        let isSame = before.bytes.withUnsafeBytes { bytes in
            Octets.equal(Octets.part(bytes, mark.start..<mark.end), line)
        }
        return isSame ? mark : nil
    }

    /// Takes up a folded line: a user agent joins it to the one before by a space (RFC 9112, 5.2).
    mutating func fold(_ line: UnsafeRawBufferPointer) throws(ResponseFault) {
        guard !marks.isEmpty else { throw .spaceBeforeFields }
        bytes.append(Octets.space)
        bytes.append(contentsOf: Octets.trimmed(line))
        marks[marks.count - 1].end = bytes.count
        marks[marks.count - 1].isKnown = false
        marks[marks.count - 1].isFolded = true
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
        for mark in marks where mark.name.count == name.utf8CodeUnitCount {
            bytes.withUnsafeBytes { bytes in
                guard Octets.equal(Octets.part(bytes, mark.name), name) else { return }
                use(Octets.part(bytes, mark.value..<mark.end))
            }
        }
    }

    /// As texts, in the order they came; broken UTF-8 replaced. Leaves nothing here but what the next message is
    /// compared with.
    mutating func takeHeaders() -> Headers {
        if marks.count != before.marks.count || !marks.allSatisfy(\.isKnown) {
            let fields = bytes.withUnsafeBytes { bytes in
                marks.indices.map { position in
                    let mark = marks[position]
                    if mark.isKnown { return before.headers.fields[position] }
                    return Headers.Field(
                        String(decoding: bytes[mark.name], as: UTF8.self),
                        String(decoding: bytes[mark.value..<mark.end], as: UTF8.self))
                }
            }
            before.headers = Headers(fields)
            swap(&before.bytes, &bytes)
            swap(&before.marks, &marks)
        }
        removeAll()
        return before.headers
    }
}
