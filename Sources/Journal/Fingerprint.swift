public import Dialects
internal import Statistics

/// What is left of a secret in a history: equal for equal secrets within one run, and nothing more.
public struct Fingerprint: Hashable, Sendable, CustomStringConvertible {
    /// At least 64 bits.
    public let value: UInt64
    public init(value: UInt64) { self.value = value }
    public var description: String { hexadecimal(value) }

    /// Reads `description`.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == 16, let value = UInt64(text, radix: 16) else { return nil }
        self.value = value
    }
}

/// Turns secrets into fingerprints: a keyed digest, so that nobody can try candidates against a
/// report. The key is random in a live run and never stored; in virtual time it comes from the seed.
public struct Fingerprinter: Sendable {
    private let key: SipHash.HashKey

    /// Derives the 128-bit key from a seed: for virtual time and tests.
    public init(key: UInt64) {
        var dice = Seed(key).child("fingerprints").generator()
        self.key = SipHash.HashKey(low: dice.next(), high: dice.next())
    }

    /// With a key of 128 random bits.
    public init(low: UInt64, high: UInt64) {
        key = SipHash.HashKey(low: low, high: high)
    }

    public func fingerprint(of secret: Secret) -> Fingerprint {
        var hash = SipHash(key: key)
        hash.update(secret.reveal())
        return Fingerprint(value: hash.finish64())
    }
}

/// Sixteen hexadecimal digits.
func hexadecimal(_ value: UInt64) -> String {
    String(unsafeUninitializedCapacity: 16) { text in
        for position in 0..<16 {
            let digit = UInt8(truncatingIfNeeded: value >> UInt64(60 - 4 * position) & 15)
            text[position] = digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
        }
        return 16
    }
}
