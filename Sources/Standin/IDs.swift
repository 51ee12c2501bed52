internal import Signing
internal import Statistics

/// Every identifier the service invents, from its seed: the same seed and the same requests give the
/// same ids. One child of the seed for each purpose, so that they do not reshuffle each other.
struct IDs: Sendable {
    private var records: Dice
    private var codes: Dice
    private var secrets: Dice
    private var responses: Dice
    /// For faults: how many different codes there are.
    var codeSpace: Int?
    /// For faults: the next code.
    var nextCode: String?

    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)
    private static let digits = Array("0123456789abcdef".utf8)

    init(_ seed: Seed) {
        records = seed.child("records").generator()
        codes = seed.child("codes").generator()
        secrets = seed.child("secrets").generator()
        responses = seed.child("responses").generator()
    }

    /// A version 4 UUID for a record.
    mutating func record() -> String { Self.uuid(&records) }
    /// A version 4 UUID for a response (`Adobe-Request-Id`).
    mutating func response() -> String { Self.uuid(&responses) }
    /// 64 hexadecimal digits: tokens, secrets, cookies.
    mutating func secret() -> String { Self.hex(&secrets, words: 4) }
    /// 32 hexadecimal digits.
    mutating func shortSecret() -> String { Self.hex(&secrets, words: 2) }

    /// Seven of `[A-Z0-9]` (rest-v1.md, A7).
    mutating func code() -> String {
        if let text = nextCode {
            nextCode = nil
            return text
        }
        if let codeSpace {
            let digits = String(codes.below(codeSpace))
            return "X" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
        }
        var word = codes.next()
        return String(unsafeUninitializedCapacity: 7) { buffer in
            for position in 0..<7 {
                let (high, low) = word.multipliedFullWidth(by: 36)
                buffer[position] = Self.letters[Int(high)]
                word = low
            }
            return 7
        }
    }

    private static func uuid(_ dice: inout Dice) -> String {
        let high = dice.next() & 0xffff_ffff_ffff_0fff | 0x4000
        let low = dice.next() & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000
        return String(unsafeUninitializedCapacity: 36) { buffer in
            var position = 0
            for digit in 0..<32 {
                if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
                    buffer[position] = UInt8(ascii: "-")
                    position += 1
                }
                let word = digit < 16 ? high : low
                buffer[position] = digits[Int(word >> UInt64(60 - digit % 16 * 4) & 15)]
                position += 1
            }
            return 36
        }
    }

    private static func hex(_ dice: inout Dice, words: Int) -> String {
        String(unsafeUninitializedCapacity: words * 16) { buffer in
            for word in 0..<words {
                let value = dice.next()
                for digit in 0..<16 {
                    buffer[word * 16 + digit] = digits[Int(value >> UInt64(60 - digit * 4) & 15)]
                }
            }
            return words * 16
        }
    }
}

/// An identifier that the service invented, as a key: its first bytes are random, and hash enough. A
/// part of a text does to look one up.
struct InventedID: Hashable, Sendable {
    let text: Substring

    init(_ text: String) { self.text = Substring(text) }

    init(_ text: Substring) { self.text = text }

    func hash(into hasher: inout Hasher) {
        let bytes = text.utf8
        // Native strings are contiguous; the other way is for bridged ones, which nobody makes here.
        hasher.combine(
            bytes.withContiguousStorageIfAvailable(Self.head)
                ?? Array(bytes.prefix(8)).withUnsafeBufferPointer(Self.head))
    }

    private static func head(of bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var head: UInt64 = 0
        for position in 0..<min(8, bytes.count) { head = head << 8 | UInt64(bytes[position]) }
        return head
    }
}
