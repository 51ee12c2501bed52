/// A second of UTC in the Gregorian calendar, as texts write it: RFC 3339, HTTP's `Date`, the names of run
/// directories. Whole-number arithmetic of our own, so that no locale and no system changes a text.
public struct UTCTime: Hashable, Sendable {
    public var year: Int64
    /// 1 to 12.
    public var month: Int64
    /// 1 to 31.
    public var day: Int64
    public var hour: Int64
    public var minute: Int64
    public var second: Int64

    /// Of seconds since 1970.
    public init(seconds: Int64) {
        let (days, second) = seconds.floored(by: 86_400)
        // Hinnant, civil_from_days: years are counted from March, so that the leap day is the last of its
        // year; 400 of them are 146,097 days.
        let (era, dayOfEra) = (days + 719_468).floored(by: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        month = shifted < 10 ? shifted + 3 : shifted - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
        (hour, minute, self.second) = (second / 3600, second / 60 % 60, second % 60)
    }

    /// Of microseconds since 1970, cut to the second.
    public init(microseconds: Int64) {
        self.init(seconds: microseconds.floored(by: 1_000_000).quotient)
    }

    /// Of milliseconds since 1970, cut to the second.
    public init(milliseconds: Int64) {
        self.init(seconds: milliseconds.floored(by: 1000).quotient)
    }

    /// Nil where a month, day, hour, minute or second cannot be: up to 31 days in each month, and a leap
    /// second.
    private init?(
        _ year: Int64?, _ month: Int64?, _ day: Int64?, _ hour: Int64?, _ minute: Int64?,
        _ second: Int64?
    ) {
        guard let year, let month, let day, let hour, let minute, let second,
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
    }

    /// Seconds since 1970.
    public var seconds: Int64 {
        // Hinnant, days_from_civil.
        let from = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = from.floored(by: 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let days =
            era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        return ((days * 24 + hour) * 60 + minute) * 60 + second
    }

    /// Milliseconds since 1970.
    public var milliseconds: Int64 { seconds * 1000 }

    // MARK: RFC 3339

    /// `1994-11-06`.
    public var date: String { "\(Self.padded(year, 4))-\(two(month))-\(two(day))" }

    /// `1994-11-06T08:49:37Z` (RFC 3339, 5.6).
    public var rfc3339: String {
        guard (0...9999).contains(year) else { return "\(date)T\(clock)Z" }
        return String(utf8Capacity: 20) { text in
            text.append(number: year, digits: 4)
            text.append("-", month)
            text.append("-", day)
            text.append("T", hour)
            text.append(":", minute)
            text.append(":", second)
            text.append(UInt8(ascii: "Z"))
        }
    }

    /// Microseconds since 1970 with that many decimals of the second, 0 to 6: `1994-11-06T08:49:37.250Z`.
    public static func rfc3339(microseconds: Int64, decimals: Int) -> String {
        let (seconds, rest) = microseconds.floored(by: 1_000_000)
        let fraction = decimals == 0 ? "" : ".\(padded(rest, 6).prefix(decimals))"
        return "\(UTCTime(seconds: seconds).rfc3339.dropLast())\(fraction)Z"
    }

    /// Reads `1994-11-06T08:49:37Z`; nil for every other form.
    public init?(rfc3339 text: String) {
        let bytes = text.utf8Span.span
        guard bytes.count == 20,
            bytes.holds("-", at: 4), bytes.holds("-", at: 7), bytes.holds("T", at: 10),
            bytes.holds(":", at: 13), bytes.holds(":", at: 16), bytes.holds("Z", at: 19)
        else { return nil }
        self.init(
            bytes.number(0..<4), bytes.number(5..<7), bytes.number(8..<10), bytes.number(11..<13),
            bytes.number(14..<16), bytes.number(17..<19))
    }

    // MARK: Names of directories

    /// `19941106T084937Z` (ISO 8601, basic format): it sorts as text and may stand in the name of a file.
    public var compact: String {
        "\(Self.padded(year, 4))\(two(month))\(two(day))T\(two(hour))\(two(minute))\(two(second))Z"
    }

    /// Reads `19941106T084937Z`; nil for every other form.
    public init?(compact text: some StringProtocol) {
        let text = String(text)
        let bytes = text.utf8Span.span
        guard bytes.count == 16, bytes.holds("T", at: 8), bytes.holds("Z", at: 15) else {
            return nil
        }
        self.init(
            bytes.number(0..<4), bytes.number(4..<6), bytes.number(6..<8), bytes.number(9..<11),
            bytes.number(11..<13), bytes.number(13..<15))
    }

    // MARK: HTTP

    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let monthBytes = months.map { Array($0.utf8) }

    /// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7).
    public var http: String {
        let weekday = seconds.floored(by: 86_400).quotient.floored(by: 7).remainder
        return String(
            joining: Self.weekdays[Int(weekday)], ", ", two(day), " ",
            Self.months[Int(month) - 1], " ", Self.padded(year, 4), " ", clock, " GMT")
    }

    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, the one form that servers may send (RFC 9110, 5.6.7); nil for
    /// all others and for years beyond 1970 to 2199.
    public init?(http text: String) {
        let bytes = text.utf8Span.span
        guard bytes.count == 29, bytes.holds("G", at: 26) else { return nil }
        let month = Self.monthBytes.firstIndex { name in
            name.indices.allSatisfy { name[$0] == bytes[8 + $0] }
        }
        guard let month, let year = bytes.number(12..<16), (1970..<2200).contains(year) else {
            return nil
        }
        self.init(
            year, Int64(month + 1), bytes.number(5..<7), bytes.number(17..<19),
            bytes.number(20..<22), bytes.number(23..<25))
    }

    // MARK: Digits

    /// `08:49:37`.
    public var clock: String { "\(two(hour)):\(two(minute)):\(two(second))" }

    private func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

extension Int64 {
    /// Quotient rounded down, and the remainder that is never negative.
    fileprivate func floored(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension OutputSpan<UInt8> {
    /// The last `digits` digits of a number.
    fileprivate mutating func append(number: Int64, digits: Int) {
        var scale: Int64 = 1
        for _ in 1..<digits { scale *= 10 }
        while scale > 0 {
            append(UInt8(ascii: "0") + UInt8(number / scale % 10))
            scale /= 10
        }
    }

    /// A mark and two digits.
    fileprivate mutating func append(_ mark: Unicode.Scalar, _ number: Int64) {
        append(UInt8(ascii: mark))
        append(number: number, digits: 2)
    }
}

extension Span<UInt8> {
    fileprivate func holds(_ character: Unicode.Scalar, at position: Int) -> Bool {
        self[position] == UInt8(ascii: character)
    }

    /// The digits in a range as a number; nil when there is anything else.
    fileprivate func number(_ range: Range<Int>) -> Int64? {
        var value: Int64 = 0
        for position in range {
            guard (48...57).contains(self[position]) else { return nil }
            value = value * 10 + Int64(self[position] - 48)
        }
        return value
    }
}
