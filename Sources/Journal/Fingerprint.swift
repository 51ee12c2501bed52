public import Dialects

/// What is left of a secret in a history: equal for equal secrets within one run, and nothing more.
public struct Fingerprint: Hashable, Sendable, CustomStringConvertible {
    /// At least 64 bits (decisions.md, 18).
    public let value: UInt64
    public init(value: UInt64) { self.value = value }
    public var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// Turns secrets into fingerprints: a keyed digest, so that nobody can try candidates against a
/// report.
public struct Fingerprinter: Sendable {
    private let key: UInt64
    public init(key: UInt64) { self.key = key }

    public func fingerprint(of secret: Secret) -> Fingerprint {
        var hash = key ^ 0xcbf2_9ce4_8422_2325
        for byte in secret.reveal().utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Fingerprint(value: hash)
    }
}
