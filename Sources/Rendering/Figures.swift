internal import Formats

/// Numbers as a reader sees them: three significant digits, thousands apart, the unit always there.
/// Arithmetic of our own, so that a locale or a processor never changes a report.
package enum Figures {
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
        return grouped(DecimalText.fixed(value, places + extra))
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
        if seconds < 10 { return "\(DecimalText.trimmed(seconds, 1)) s" }
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
        if hundredfold >= 10, extra == 0 { return "\(DecimalText.trimmed(hundredfold, 1)) %" }
        return "\(DecimalText.trimmed(hundredfold, (hundredfold < 0.1 ? 3 : 2) + extra)) %"
    }

    /// What a share of 1 is below, as `0.001 %`: for a sentence that says "fewer than" or `<` itself.
    package static func upperBound(_ share: Double) -> String {
        percent(share > 0 ? max(share, 0.000_01) : share)
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
