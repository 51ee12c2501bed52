/// Texts from bytes and to bytes, in one piece.
extension String {
    /// A text of at most `capacity` bytes of UTF-8, as they are written.
    public init(utf8Capacity capacity: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
        self.init(unsafeUninitializedCapacity: capacity) { buffer in
            var bytes = OutputSpan(buffer: buffer, initializedCount: 0)
            write(&bytes)
            return bytes.finalize(for: buffer)
        }
    }

    /// Texts one behind the other, in one piece of memory.
    public init(joining parts: String...) {
        self.init(utf8Capacity: parts.reduce(0) { $0 + $1.utf8.count }) { bytes in
            for part in parts where !part.isEmpty { bytes.append(part.utf8Span.span) }
        }
    }

    /// What stands in these bytes, which begin and end at an end of the text or beside a character of ASCII.
    public func slice(_ bytes: Range<Int>) -> Substring {
        let start = utf8.index(startIndex, offsetBy: bytes.lowerBound)
        return self[start..<utf8.index(start, offsetBy: bytes.count)]
    }
}

extension UInt8 {
    /// A letter of ASCII in lower case; any other byte as it is.
    public var inLowerCase: UInt8 { (0x41...0x5a).contains(self) ? self | 0x20 : self }
}

extension [UInt8] {
    /// Appends the bytes of a text.
    public mutating func append(text: String) {
        // Native strings are contiguous; the other way is for bridged ones, which nobody makes here.
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable { append(contentsOf: $0) }
        if isDone == nil { append(contentsOf: text.utf8) }
    }
}

extension OutputSpan<UInt8> {
    /// Appends bytes, eight at a time.
    public mutating func append(_ bytes: Span<UInt8>) {
        let (start, last) = (count, bytes.count - 8)
        guard last >= 0 else {
            for position in bytes.indices { append(bytes[position]) }
            return
        }
        append(repeating: 0, count: bytes.count)
        var written = mutableSpan
        var room = written.mutableBytes
        var position = 0
        while position < last {
            room.store(bytes.word(at: position), at: start + position)
            position += 8
        }
        // Some of the last eight may stand there already.
        room.store(bytes.word(at: last), at: start + last)
    }

    /// Appends the lowest bytes of a number, at most eight, the lowest first.
    @inline(__always)
    mutating func append(_ word: UInt64, bytes count: Int) {
        guard count == 8 else {
            for place in 0..<count { append(UInt8(truncatingIfNeeded: word &>> UInt64(8 * place))) }
            return
        }
        append(repeating: 0, count: 8)
        var written = mutableSpan
        var room = written.mutableBytes
        room.store(word, at: room.byteCount - 8)
    }
}

extension MutableRawSpan {
    /// Eight bytes, the lowest first. The span is checked.
    @inline(__always)
    fileprivate mutating func store(_ word: UInt64, at position: Int) {
        storeBytes(of: word.littleEndian, toByteOffset: position, as: UInt64.self)
    }
}
