/// What tells a run from every other, wherever and whenever it began: 128 random bits. Never a name
/// and never a clock: a directory's name may come back, and two machines may start in one second.
public struct RunID: Hashable, Sendable {
    public let high: UInt64
    public let low: UInt64

    /// Of a run over sockets.
    public static func random() -> RunID {
        RunID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    }

    /// Of a run in virtual time, which is a pure function of its seed.
    public init(of seed: Seed) {
        self.init(
            high: seed.child("run id").value, low: seed.child("run id, second half").value)
    }

    /// Of a text that several processes of one run were given, so that all of them have the same id: an id's own
    /// `description`, or any other words.
    public init(named text: String) {
        if let id = RunID(text) {
            self = id
            return
        }
        var halves = (high: Seed(0).child("run name"), low: Seed(0).child("run name, second half"))
        for byte in text.utf8 {
            halves.high = halves.high.child("byte", Int(byte))
            halves.low = halves.low.child("byte, second half", Int(byte))
        }
        self.init(high: halves.high.value, low: halves.low.value)
    }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads its own `description`.
    public init?(_ text: String) {
        // A sign would be read as part of a number.
        guard text.utf8.count == 32, text.allSatisfy(\.isHexDigit),
            let high = UInt64(text.prefix(16), radix: 16),
            let low = UInt64(text.suffix(16), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
    }
}

extension RunID: CustomStringConvertible {
    /// 32 hexadecimal digits.
    public var description: String { RunID.digits(high) + RunID.digits(low) }

    /// 16 hexadecimal digits.
    private static func digits(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
