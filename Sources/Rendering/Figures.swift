/// Numbers as a reader sees them: three significant digits, thousands apart, the unit always there.
/// Arithmetic of our own, so that a locale or a processor never changes a report.
package enum Figures {
    /// `value` with exactly `places` decimals; what is no number prints as 0.
    package static func fixed(_ value: Double, _ places: Int) -> String {
        guard value.isFinite else { return "0" }
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        let scaled = (abs(value) * scale).rounded()
        guard scaled < 9e15 else { return String(value) }
        let digits = String(Int64(scaled))
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        let whole = String(padded.dropLast(places))
        let sign = value < 0 && scaled > 0 ? "-" : ""
        return places == 0 ? sign + whole : "\(sign)\(whole).\(padded.suffix(places))"
    }

    /// `value` with at most `places` decimals and no trailing zeros: the form of JSON and CSV.
    package static func trimmed(_ value: Double, _ places: Int = 3) -> String {
        var text = fixed(value, places)
        guard text.contains(".") else { return text }
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }

    /// `12,345`.
    package static func count(_ number: Int) -> String {
        grouped(String(number))
    }

    /// Three significant digits (plus `extra`), thousands apart: `0.42`, `4.21`, `42.1`, `4,210`.
    package static func significant(_ value: Double, extra: Int = 0) -> String {
        let places =
            switch abs(value) {
            case ..<0.0005: 0
            case ..<0.1: 3
            case ..<10: 2
            case ..<100: 1
            default: 0
            }
        return grouped(fixed(value, places + extra))
    }

    /// `0.42 ms`, `181 ms`, `1.24 s`, `12 min 5 s`.
    package static func time(milliseconds: Double, extra: Int = 0) -> String {
        switch abs(milliseconds) {
        case ..<999.5: "\(significant(milliseconds, extra: extra)) ms"
        case ..<600_000: "\(significant(milliseconds / 1000, extra: extra)) s"
        default: span(seconds: milliseconds / 1000)
        }
    }

    /// A length of time in whole words: `0.4 s`, `48 s`, `12 min 5 s`, `2 h 3 min`.
    package static func span(seconds: Double) -> String {
        if seconds < 10 { return "\(trimmed(seconds, 1)) s" }
        let whole = Int(min(seconds, 1e12).rounded())
        switch whole {
        case ..<120: return "\(whole) s"
        case ..<7200:
            return whole % 60 == 0 ? "\(whole / 60) min" : "\(whole / 60) min \(whole % 60) s"
        default:
            let minutes = whole / 60
            return minutes % 60 == 0 ? "\(minutes / 60) h" : "\(minutes / 60) h \(minutes % 60) min"
        }
    }

    /// A share of 1 as `0.02 %`; what is not none never prints as 0, what is not all never as 100.
    package static func percent(_ share: Double, extra: Int = 0) -> String {
        let hundredfold = share * 100
        if share > 0, hundredfold < 0.001 { return "< 0.001 %" }
        if share < 1, hundredfold >= 99.95 { return "> 99.9 %" }
        if hundredfold >= 10, extra == 0 { return "\(trimmed(hundredfold, 1)) %" }
        return "\(trimmed(hundredfold, (hundredfold < 0.1 ? 3 : 2) + extra)) %"
    }

    /// `part` of `whole` as a percentage; of nothing it is nothing.
    package static func percent(_ part: Int, of whole: Int) -> String {
        whole == 0 ? "–" : percent(Double(part) / Double(whole))
    }

    /// `12.5/s`.
    package static func rate(_ perSecond: Double, extra: Int = 0) -> String {
        "\(significant(perSecond, extra: extra))/s"
    }

    /// `1 household`, `2 households`.
    package static func counted(_ number: Int, _ noun: String, plural: String? = nil) -> String {
        "\(count(number)) \(number == 1 ? noun : plural ?? noun + "s")"
    }

    /// UTC, `2026-11-21T07:00:00Z`, from microseconds since 1970.
    package static func timestamp(microseconds: Int64) -> String {
        let (days, second) = microseconds.quotientAndFloor(by: 1_000_000).0
            .quotientAndFloor(by: 86_400)
        let (year, month, day) = civil(daysSince1970: days)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(year)-\(two(month))-\(two(day))"
            + "T\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))Z"
    }

    /// The Gregorian date of a day, by Howard Hinnant's `civil_from_days` (years from 0 on).
    private static func civil(daysSince1970: Int64) -> (Int64, Int64, Int64) {
        let (era, dayOfEra) = (daysSince1970 + 719_468).quotientAndFloor(by: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    /// `12,345.6` of `12345.6`.
    package static func grouped(_ text: String) -> String {
        let sign = text.hasPrefix("-") ? "-" : ""
        let unsigned = text.dropFirst(sign.count)
        let whole = unsigned.prefix { $0 != "." }
        var result = ""
        for (position, digit) in whole.enumerated() {
            if position > 0, (whole.count - position).isMultiple(of: 3) { result.append(",") }
            result.append(digit)
        }
        return sign + result + unsigned.dropFirst(whole.count)
    }
}

extension Int64 {
    /// Quotient rounded down, and the remainder that is never negative.
    fileprivate func quotientAndFloor(by divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
