/// Looking through texts by bytes, eight at a time where most of them are plain.
extension Span<UInt8> {
    /// Eight bytes as a number whose lowest byte is the first of them. The span is checked; any eight
    /// bytes are a number.
    @inline(__always)
    func word(at position: Int) -> UInt64 {
        UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    /// The fewer than eight bytes from `position` on as such a number; zeros stand behind the last. Never inlined:
    /// in a loop over words it would be unrolled for each of them.
    @inline(never)
    func rest(from position: Int) -> UInt64 {
        let left = count - position
        var (word, place) = (UInt64(0), count)
        // From the last to the first, so that each part moves those behind it up.
        if left & 1 != 0 {
            place -= 1
            word = UInt64(self[place])
        }
        if left & 2 != 0 {
            place -= 2
            let two = bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt16.self)
            word = word << 16 | UInt64(UInt16(littleEndian: two))
        }
        if left & 4 != 0 {
            place -= 4
            let four = bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt32.self)
            word = word << 32 | UInt64(UInt32(littleEndian: four))
        }
        return word
    }

    /// Where, from `start` on, the first marked byte stands, or the end. Of eight bytes in
    /// a number, `marks` sets the top bit of those that it means; above the lowest mark it need not be right.
    @inline(__always)
    func first(from start: Int, _ marks: (UInt64) -> UInt64) -> Int {
        var position = start
        while position <= count - 8 {
            let found = marks(word(at: position))
            guard found == 0 else { return position + found.trailingZeroBitCount >> 3 }
            position += 8
        }
        guard position < count else { return position }
        return Swift.min(position + marks(rest(from: position)).trailingZeroBitCount >> 3, count)
    }

    /// Where, from `start` on, the first byte of `stops` stands; the end where there is none.
    @inline(__always)
    public func first(of stops: ByteStops, from start: Int = 0) -> Int {
        first(from: start) { stops.found(in: $0) }
    }

    /// Where, from `start` on, `byte` first stands; the end where it does not.
    public func first(_ byte: UInt8, from start: Int = 0) -> Int {
        let wanted = ByteStops.all(byte)
        return first(from: start) { ByteStops.zeros($0 ^ wanted) }
    }

    /// Whether the bytes from `start` on are those of `part`.
    public func holds(_ part: Span<UInt8>, at start: Int) -> Bool {
        guard start >= 0, part.count <= count - start else { return false }
        let last = part.count - 8
        guard last >= 0 else {
            for offset in part.indices where self[start + offset] != part[offset] { return false }
            return true
        }
        var offset = 0
        while offset < last {
            guard word(at: start + offset) == part.word(at: offset) else { return false }
            offset += 8
        }
        return word(at: start + last) == part.word(at: last)
    }

    /// Where, from `start` on, `part` first stands; nil where it does not.
    public func first(_ part: Span<UInt8>, from start: Int = 0) -> Int? {
        guard !part.isEmpty else { return start }
        var position = first(part[0], from: start)
        while position < count {
            if holds(part, at: position) { return position }
            position = first(part[0], from: position + 1)
        }
        return nil
    }

    /// Whether a word of ASCII stands anywhere in it, in any case. The word is in lower case; an empty one stands
    /// nowhere.
    public func holdsIgnoringCase(_ word: Span<UInt8>) -> Bool {
        guard !word.isEmpty, count >= word.count else { return false }
        let first = word[0]
        for start in 0...(count - word.count) where self[start].inLowerCase == first {
            var length = 1
            while length < word.count, self[start + length].inLowerCase == word[length] {
                length += 1
            }
            if length == word.count { return true }
        }
        return false
    }

    /// Whether they are the bytes of `text`.
    public func isEqual(to text: String) -> Bool {
        count == text.utf8.count && holds(text.utf8Span.span, at: 0)
    }
}

/// Bytes at which a text is more than plain. Asked of eight at once: the lowest bit of what is found is
/// right; those above it may not be, for a subtraction borrows upwards.
public struct ByteStops: Sendable {
    private let below: UInt64
    private let one: UInt64
    private let other: UInt64
    private let beyondASCII: UInt64
    private let ignored: UInt64

    /// All below `below`, which is at most 127, two more that are not 127, and, if wanted, all from 128 on.
    /// `ignoresCase`: the two are lower-case letters, and stand for their upper case, too.
    @inline(__always)
    public init(
        below: UInt8 = 0, _ one: Unicode.Scalar, _ other: Unicode.Scalar, beyondASCII: Bool = false,
        ignoresCase: Bool = false
    ) {
        self.below = Self.all(below)
        self.one = Self.all(UInt8(ascii: one))
        self.other = Self.all(UInt8(ascii: other))
        self.beyondASCII = beyondASCII ? Self.tops : 0
        ignored = ignoresCase ? Self.all(0x20) : 0
    }

    /// What is not as it is in a JSON string, or no ASCII.
    static var json: ByteStops { ByteStops(below: 0x20, "\"", "\\", beyondASCII: true) }

    private static let tops: UInt64 = 0x8080_8080_8080_8080

    @inline(__always)
    fileprivate static func all(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

    /// The top bit of each byte that is 0.
    @inline(__always)
    fileprivate static func zeros(_ word: UInt64) -> UInt64 { (word &- all(1)) & ~word & tops }

    @inline(__always)
    fileprivate func found(in word: UInt64) -> UInt64 {
        let letters = word | ignored
        return (word &- below) & ~word & Self.tops | word & beyondASCII
            | Self.zeros(letters ^ one) | Self.zeros(letters ^ other)
    }
}

/// A set of bytes, asked in a few instructions.
public struct ByteSet: Sendable {
    /// The figures of ASCII.
    public static let digits = ByteSet { (48...57).contains($0) }

    private let members: [Bool]

    public init(_ isMember: (UInt8) -> Bool) {
        members = (UInt8.min...UInt8.max).map(isMember)
    }

    public func contains(_ byte: UInt8) -> Bool { members[Int(byte)] }

    public func containsAll(_ text: Span<UInt8>) -> Bool {
        for position in text.indices where !contains(text[position]) { return false }
        return true
    }
}
