internal import Glibc

/// Looking for a text in a text by its bytes. A search by characters costs a hundred times as much, and
/// misses what stands right before a combining mark.
extension String {
    /// False where there is nothing to look for.
    func holdsBytes(of sought: String) -> Bool {
        guard !sought.isEmpty else { return false }
        var (text, sought) = (self, sought)
        return text.withUTF8 { text in
            sought.withUTF8 { sought in Self.place(of: sought, in: text, from: 0) != nil }
        }
    }

    /// With `other` wherever the bytes of `sought` stand; itself where they do not, or where there are
    /// none.
    func replacingBytes(of sought: String, with other: @autoclosure () -> String) -> String {
        guard !sought.isEmpty else { return self }
        var (text, sought) = (self, sought)
        let replaced: [UInt8]? = text.withUTF8 { text in
            sought.withUTF8 { sought in
                guard var place = Self.place(of: sought, in: text, from: 0) else { return nil }
                let other = Array(other().utf8)
                var bytes: [UInt8] = []
                var from = 0
                while true {
                    bytes.append(contentsOf: text[from..<place])
                    bytes.append(contentsOf: other)
                    from = place + sought.count
                    guard let next = Self.place(of: sought, in: text, from: from) else { break }
                    place = next
                }
                bytes.append(contentsOf: text[from...])
                return bytes
            }
        }
        return replaced.map { String(decoding: $0, as: UTF8.self) } ?? self
    }

    private static func place(
        of sought: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>, from: Int
    ) -> Int? {
        guard let start = text.baseAddress, let first = sought.baseAddress else { return nil }
        var at = from
        while text.count - at >= sought.count {
            let last = text.count - sought.count
            guard let found = memchr(start + at, Int32(first[0]), last - at + 1) else { return nil }
            at = UnsafeRawPointer(start).distance(to: UnsafeRawPointer(found))
            if memcmp(start + at, first, sought.count) == 0 { return at }
            at += 1
        }
        return nil
    }
}
