internal import Formats
internal import Signing
internal import Statistics

/// Every identifier the service invents, from its seed: the same seed and the same requests give the
/// same ids. One child of the seed for each purpose, so that they do not reshuffle each other. Where requests
/// have keys, what is drawn for one hangs on its key alone.
struct IDs: Sendable {
    /// Each begins where it is first drawn from: a request draws from one or two of them.
    private struct Streams {
        private let seed: Seed
        lazy var records = seed.child("records").generator()
        lazy var codes = seed.child("codes").generator()
        lazy var secrets = seed.child("secrets").generator()
        lazy var responses = seed.child("responses").generator()

        init(_ seed: Seed) { self.seed = seed }
    }

    private let seed: Seed
    /// Of the request at hand, or of all.
    private var streams: Streams
    /// Of requests without a key, while another is at hand.
    private var common: Streams?
    /// Whom the request at hand is drawn for.
    private(set) var key: DrawKey?
    /// The request at hand has not drawn a code yet.
    private var isFirstCode = true
    /// Which code a household's request draws first: no two draw the same.
    private let registrationCodes: Permutation
    private let userCodes: Permutation
    /// For faults: how many different codes there are.
    var codeSpace: Int?
    /// For faults: the next code.
    var nextCode: String?

    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)
    /// Without vowels, so that no words come about (RFC 8628, 6.1).
    static let consonants = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)

    /// 36^7 codes, 20^8 user codes: the powers of two below.
    private static let registrationBits = 36
    private static let userBits = 34
    /// Of a code's number, for the request: a household may ask so often before its numbers come again,
    /// long after its first codes have expired.
    private static let requestBits = 13

    init(_ seed: Seed) {
        self.seed = seed
        streams = Streams(seed)
        registrationCodes = Permutation(
            bits: Self.registrationBits, seed: seed.child("registration codes"))
        userCodes = Permutation(bits: Self.userBits, seed: seed.child("user codes"))
    }

    /// What is drawn from now on is drawn for `key`.
    mutating func begin(_ key: DrawKey?) {
        guard let key else {
            self.key = nil
            if let common { streams = common }
            common = nil
            return
        }
        if common == nil { common = streams }
        self.key = key
        isFirstCode = true
        streams = Streams(key.seed(seed))
    }

    /// A version 4 UUID for a record.
    mutating func record() -> String { Self.uuid(&streams.records) }
    /// A version 4 UUID for a response (`Adobe-Request-Id`).
    mutating func response() -> String { Self.uuid(&streams.responses) }
    /// 64 hexadecimal digits: tokens, secrets, cookies.
    mutating func secret() -> String { Self.hex(&streams.secrets, words: 4) }
    /// 32 hexadecimal digits.
    mutating func shortSecret() -> String { Self.hex(&streams.secrets, words: 2) }
    /// As many bytes as an RSA signature of 2,048 bits has.
    mutating func signature() -> [UInt8] {
        Array(unsafeUninitializedCapacity: 256) { bytes, count in
            let raw = UnsafeMutableRawBufferPointer(bytes)
            for place in 0..<32 {
                raw.storeBytes(
                    of: streams.secrets.next().bigEndian, toByteOffset: place * 8, as: UInt64.self)
            }
            count = 256
        }
    }

    mutating func code(_ spelling: CodeSpelling = .registration) -> String {
        if let text = nextCode {
            nextCode = nil
            return text
        }
        switch spelling {
        case .registration: return registrationCode()
        case .user: return userCode()
        }
    }

    private mutating func registrationCode() -> String {
        if let codeSpace {
            let digits = String(streams.codes.below(codeSpace))
            return "X" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
        }
        if let number = unsharedCode(registrationCodes, bits: Self.registrationBits) {
            return Self.spell(number, in: Self.letters, count: 7)
        }
        return Self.draw(from: Self.letters, count: 7, streams.codes.next())
    }

    private mutating func userCode() -> String {
        var letters: String
        if let codeSpace {
            var number = streams.codes.below(codeSpace)
            letters = ""
            for _ in 0..<8 {
                letters.append(Character(Unicode.Scalar(Self.consonants[number % 20])))
                number /= 20
            }
        } else if let number = unsharedCode(userCodes, bits: Self.userBits) {
            letters = Self.spell(number, in: Self.consonants, count: 8)
        } else {
            letters = Self.draw(from: Self.consonants, count: 8, streams.codes.next())
        }
        letters.insert("-", at: letters.index(letters.startIndex, offsetBy: 4))
        return letters
    }

    /// The first code of the request at hand: no other household's, of some millions. Nil for requests
    /// without a key, and for what is drawn again because the code is alive all the same.
    private mutating func unsharedCode(_ codes: Permutation, bits: Int) -> UInt64? {
        guard let key, isFirstCode else { return nil }
        isFirstCode = false
        let requests: UInt64 = 1 << UInt64(Self.requestBits)
        let request = UInt64(truncatingIfNeeded: key.request &+ key.deed) & (requests - 1)
        let household = UInt64(truncatingIfNeeded: key.household)
        return codes((household &* requests | request) & (1 << UInt64(bits) - 1))
    }

    private static func spell(_ number: UInt64, in letters: [UInt8], count: Int) -> String {
        var number = number
        return String(unsafeUninitializedCapacity: count) { buffer in
            for position in 0..<count {
                let (rest, letter) = number.quotientAndRemainder(
                    dividingBy: UInt64(letters.count))
                buffer[position] = letters[Int(letter)]
                number = rest
            }
            return count
        }
    }

    private static func draw(from letters: [UInt8], count: Int, _ word: UInt64) -> String {
        var word = word
        return String(unsafeUninitializedCapacity: count) { buffer in
            for position in 0..<count {
                let (high, low) = word.multipliedFullWidth(by: UInt64(letters.count))
                buffer[position] = letters[Int(high)]
                word = low
            }
            return count
        }
    }

    private static func uuid(_ dice: inout Dice) -> String {
        let high = dice.next() & 0xffff_ffff_ffff_0fff | 0x4000
        let low = dice.next() & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000
        return String(utf8Capacity: 36) { text in
            let (first, second) = (HexDigits(high >> 32), HexDigits(high))
            let (third, fourth) = (HexDigits(low >> 32), HexDigits(low))
            first.append(0..<8, to: &text)
            text.append(UInt8(ascii: "-"))
            second.append(0..<4, to: &text)
            text.append(UInt8(ascii: "-"))
            second.append(4..<8, to: &text)
            text.append(UInt8(ascii: "-"))
            third.append(0..<4, to: &text)
            text.append(UInt8(ascii: "-"))
            third.append(4..<8, to: &text)
            fourth.append(0..<8, to: &text)
        }
    }

    private static func hex(_ dice: inout Dice, words: Int) -> String {
        String(utf8Capacity: words * 16) { text in
            for _ in 0..<words {
                let word = dice.next()
                HexDigits(word >> 32).append(0..<8, to: &text)
                HexDigits(word).append(0..<8, to: &text)
            }
        }
    }
}

/// Eight hexadecimal digits, the first in the highest byte.
private struct HexDigits {
    private let letters: UInt64

    /// Of the lower half of a number: each digit into a byte, and from its value to its letter.
    init(_ number: UInt64) {
        var digits = number & 0xffff_ffff
        digits = (digits << 16 | digits) & 0x0000_ffff_0000_ffff
        digits = (digits << 8 | digits) & 0x00ff_00ff_00ff_00ff
        digits = (digits << 4 | digits) & 0x0f0f_0f0f_0f0f_0f0f
        let above = (digits + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        letters = digits + 0x3030_3030_3030_3030 + above * 0x27
    }

    @inline(__always)
    func append(_ places: Range<Int>, to text: inout OutputSpan<UInt8>) {
        for place in places {
            text.append(UInt8(truncatingIfNeeded: letters >> UInt64(56 - place * 8)))
        }
    }
}

/// An identifier that the service invented, as a key: its last bytes are random, and hash enough (an access
/// token begins as all others do, and ends with its signature). A part of a text does to look one up.
struct InventedID: Hashable, Sendable {
    let text: Substring

    init(_ text: String) { self.text = Substring(text) }

    init(_ text: Substring) { self.text = text }

    func hash(into hasher: inout Hasher) {
        let bytes = text.utf8Span.span
        var tail: UInt64 = 0
        for position in max(0, bytes.count - 8)..<bytes.count {
            tail = tail << 8 | UInt64(bytes[position])
        }
        hasher.combine(tail)
    }
}
