/// A set of heads that may hold some that were never put into it.
struct HeadFilter: Sendable {
    private(set) var words = InlineArray<8, UInt64>(repeating: 0)

    @inline(__always)
    private static func place(_ head: UInt32) -> (word: Int, bit: UInt64) {
        let hash = (head &* 0x9e37_79b1) >> 23
        return (Int(hash >> 6), 1 << UInt64(hash & 63))
    }

    mutating func insert(_ head: UInt32) {
        let (word, bit) = Self.place(head)
        words[word] |= bit
    }

    /// `words` are those of the set, held once for a text.
    @inline(__always)
    static func mayHold(_ head: UInt32, in words: Span<UInt64>) -> Bool {
        let (word, bit) = place(head)
        // Nine bits of the hash: six of them choose the bit, three the word.
        return words[unchecked: word] & bit != 0
    }

    func union(_ other: HeadFilter) -> HeadFilter {
        var union = self
        for word in union.words.indices { union.words[word] |= other.words[word] }
        return union
    }
}

/// What a search for secrets asks of each byte, found by one look.
struct ByteSorts: Sendable {
    static let shared = ByteSorts()

    /// It is a digit of Base64.
    static let digit: UInt16 = 0x100
    /// It may stand for something else.
    static let opens: UInt16 = 0x200
    /// The byte itself, as `KnownSecrets.fold` has it.
    static let folded: UInt16 = 0xff

    /// By byte.
    let sorts = (0...255).map { (byte: UInt8) -> UInt16 in
        UInt16(KnownSecrets.fold(byte)) | (Packed.isDigit(byte) ? digit : 0)
            | (Decoded.opens(byte) ? opens : 0)
    }
}
