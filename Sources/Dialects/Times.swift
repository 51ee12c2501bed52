internal import Formats

/// The times that a service may write: instants from 1970 to 2200, durations up to 10 years. What lies
/// outside is malformed, and no arithmetic with what lies inside can overflow, in nanoseconds either.
enum Times {
    /// Ten years, in milliseconds: no code and no token lives longer.
    static let longestLife: Int64 = 315_576_000_000

    /// How long something lives between two of a service's own instants; nil: not at all, or longer than
    /// anything does.
    static func life(from start: Int64, to end: Int64) -> Duration? {
        (1...longestLife).contains(end - start) ? .milliseconds(end - start) : nil
    }
}

extension JSONDocument.Value {
    /// Epoch milliseconds.
    var epoch: Int64? {
        integer.flatMap { (0...7_258_118_400_000).contains($0) && !isInSeconds ? $0 : nil }
    }

    /// A number of seconds from 2001 on, where milliseconds would be the spring of 1970.
    private var isInSeconds: Bool {
        integer.map { (1_000_000_000..<10_000_000_000).contains($0) } ?? false
    }

    /// A duration in seconds, as a number or as a string of one, cut to milliseconds.
    var seconds: Duration? {
        guard let number = text.flatMap(Double.init), number >= 0 else { return nil }
        let milliseconds = number * 1000
        return milliseconds <= Double(Times.longestLife) ? .milliseconds(Int64(milliseconds)) : nil
    }

    /// What becomes of an answer in which one of these fields is a number, and no instant. `page`: where
    /// the protocol has them.
    func impossibleInstant(of names: [String], _ page: String) -> Reading? {
        let wrong = names.first { name in
            guard let value = self[name] else { return false }
            return value.isNumeric && value.epoch == nil
        }
        return wrong.map {
            Reading.impossible(
                "\(page): \($0) is an instant from 1970 to 2200 in epoch milliseconds"
                    + (self[$0]?.isInSeconds == true ? ", not in seconds" : ""))
        }
    }

    /// A number, or a string of digits.
    private var isNumeric: Bool {
        if kind == .number { return true }
        return withText { !$0.isEmpty && Self.numeric.containsAll($0) } ?? false
    }

    private static let numeric = ByteSet {
        (48...57).contains($0) || $0 == UInt8(ascii: "-")
    }
}

extension Duration {
    /// Rounded toward zero.
    public var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
