/// Numbers as readers see them.
func milliseconds(_ nanoseconds: Int64) -> String {
    let sign = nanoseconds < 0 ? "-" : ""
    let size = nanoseconds.magnitude
    // Rounded to a tenth, below a second to a hundredth.
    if size >= 10_000_000_000 {
        return "\(sign)\(decimal((size + 50_000_000) / 100_000_000 * 10)) s"
    }
    if size >= 1_000_000_000 {
        return "\(sign)\(decimal((size + 50_000) / 100_000 * 10)) ms"
    }
    return "\(sign)\(decimal((size + 5_000) / 10_000)) ms"
}

/// A bound from below, which is rounded down: "at least 54.9 s".
func atLeast(_ nanoseconds: Int64) -> String {
    let digit: Int64 =
        if nanoseconds >= 10_000_000_000 {
            100_000_000
        } else {
            nanoseconds >= 1_000_000_000 ? 100_000 : 10_000
        }
    return "at least \(milliseconds(nanoseconds - nanoseconds % digit))"
}

/// Hundredths as a number without needless zeros.
private func decimal(_ hundredths: UInt64) -> String {
    let rest = hundredths % 100
    if rest == 0 { return "\(hundredths / 100)" }
    let digits = rest < 10 ? "0\(rest)" : rest % 10 == 0 ? "\(rest / 10)" : "\(rest)"
    return "\(hundredths / 100).\(digits)"
}

/// How far two times of a service's clock, in ms, are apart, in ns: whatever it says of them.
func distance(_ first: Int64, _ second: Int64) -> Int64 {
    Int64(clamping: (first &- second).magnitude) &* 1_000_000
}

func milliseconds(_ duration: Duration) -> String { milliseconds(duration.inNanoseconds) }

extension Duration {
    /// Rounded toward zero; durations here are far below the range.
    var inNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
    }
}

extension Int64 {
    /// A sum that stays within the range: times of "never" are added to.
    func plus(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}

/// A fingerprint of a text for tables that only ask whether two are equal: FNV-1a with a last mix.
/// Never zero, which stands for "none".
func mark(_ text: String, _ start: UInt64 = 0xcbf2_9ce4_8422_2325) -> UInt64 {
    var hash = start
    let bytes = text.utf8Span.span
    for position in bytes.indices {
        hash = (hash ^ UInt64(bytes[position])) &* 0x100_0000_01b3
    }
    hash ^= hash >> 32
    hash = hash &* 0x9e37_79b9_7f4a_7c15
    hash ^= hash >> 29
    return hash == 0 ? 1 : hash
}
