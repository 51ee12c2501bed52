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
