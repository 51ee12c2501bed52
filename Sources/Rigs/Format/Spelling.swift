internal import Dialects
internal import Statistics

/// Parts of texts that several kinds of scalars have in common.
enum Spelling {
    /// Units of time from long to short; a duration may join several, each once.
    private static let timeUnits: [(name: String, nanoseconds: Double)] = [
        ("d", 86_400e9), ("h", 3_600e9), ("m", 60e9), ("s", 1e9), ("ms", 1e6), ("us", 1e3),
    ]
    static let timePattern = "([0-9]+(\\.[0-9]+)?(us|ms|s|m|h|d))+"

    static func time(_ text: some StringProtocol) throws(Refusal) -> Duration {
        var rest = text[...]
        var total = 0.0
        var used = -1
        repeat {
            let number = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            rest = rest.dropFirst(number.count)
            let unit = rest.prefix { $0.isASCII && $0.isLetter }
            rest = rest.dropFirst(unit.count)
            guard let value = decimal(number),
                let position = timeUnits.firstIndex(where: { $0.name == unit })
            else { throw Refusal(remark: nil) }
            guard position > used else {
                throw Refusal(remark: "whose units are not in order from long to short")
            }
            used = position
            total += value * timeUnits[position].nanoseconds
        } while !rest.isEmpty
        guard total <= 1_000 * 86_400e9 else {
            throw Refusal(remark: "which is more than 1000 days")
        }
        return .nanoseconds(Int64(total.rounded()))
    }

    /// In the longest unit of which it has a whole number, and more than one.
    static func spelled(_ time: Duration) -> String? {
        for unit in timeUnits {
            let count = Double(time.nanoseconds) / unit.nanoseconds
            if count >= 2, count == count.rounded() { return "\(Int(count))\(unit.name)" }
        }
        return time == .zero ? "0s" : nil
    }

    /// Without a fraction where there is none.
    static func spelled(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? "\(number)"
    }

    /// Digits with at most one point inside; no sign, no exponent.
    static func decimal(_ text: some StringProtocol) -> Double? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count),
            parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isNumber } })
        else { return nil }
        return Double(String(text))
    }

    /// In quotes where YAML would take it for a number, or split it at its comma.
    static func quotedWhereNeeded(_ text: String) -> String {
        decimal(text) != nil || text.contains(",") ? "\"\(text)\"" : text
    }

    /// A text as a message may repeat it: of an address without user name, password and query, in which keys may stand.
    static func shown(_ text: String) -> String {
        guard text.contains("://") || text.contains("@") && text.contains(":") else { return text }
        let bare = WebAddress.withoutUser(text)
        return bare.firstIndex(of: "?").map { bare[..<$0] + "?..." } ?? bare
    }

    /// An http or https address without a user name or a fragment.
    static func webAddress(_ text: String) throws(Refusal) -> WebAddress {
        guard let address = WebAddress(text), !text.contains(where: \.isWhitespace) else {
            throw Refusal(remark: nil)
        }
        let authority = text.drop { $0 != ":" }.dropFirst(3).prefix { !"/?#".contains($0) }
        guard !authority.contains("@") else {
            throw Refusal(remark: "which has a user name in it")
        }
        guard !text.contains("#") else { throw Refusal(remark: "which has a fragment") }
        return address
    }
}
