/// The service's clock, as each of its answers tells it in `Date`.
public enum HTTPDate {
    private static let months: [[UInt8]] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ].map { Array($0.utf8) }

    /// Epoch milliseconds, cut to the second, of `Sun, 06 Nov 1994 08:49:37 GMT`, the one form that
    /// servers may send (RFC 9110, 5.6.7); nil for all others and for years beyond 1970 to 2199.
    public static func milliseconds(_ text: String) -> Int64? {
        let bytes = text.utf8Span.span
        guard bytes.count == 29, bytes[26] == UInt8(ascii: "G") else { return nil }
        func number(_ range: Range<Int>) -> Int64? {
            var value: Int64 = 0
            for position in range {
                guard (48...57).contains(bytes[position]) else { return nil }
                value = value * 10 + Int64(bytes[position] - 48)
            }
            return value
        }
        let month = months.firstIndex { name in
            name.indices.allSatisfy { name[$0] == bytes[8 + $0] }
        }
        guard let month, let day = number(5..<7), let year = number(12..<16),
            let hour = number(17..<19), let minute = number(20..<22), let second = number(23..<25),
            (1...31).contains(day), (1970..<2200).contains(year), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        // Days since 1970 of a year that begins in March (Hinnant, days_from_civil).
        let from = month < 2 ? year - 1 : year
        let ofYear = (153 * Int64((month + 10) % 12) + 2) / 5 + day - 1
        let days = from * 365 + from / 4 - from / 100 + from / 400 + ofYear - 719_468
        return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000
    }
}
