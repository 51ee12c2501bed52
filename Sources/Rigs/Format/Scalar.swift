internal import Dialects
internal import Statistics
internal import Vocabulary

/// A kind of text with a meaning: how it is spelled, and what it comes to.
struct Scalar: Sendable {
    /// What is wrong with a text beyond its spelling: a clause that begins with "which" or "whose",
    /// or nil when the spelling says it all.
    struct Refusal: Error {
        var remark: String?
    }

    /// What of its text is secret: such values are known to the gate, whoever repeats them.
    enum Secrecy: Sendable {
        /// Nothing: a number, a choice, an address, a name of which reports speak.
        case open
        /// What `${NAME}` and `${file:PATH}` stand for.
        case variables
        /// User and password of an address; no password stands in the file.
        case credentials
        /// All of it; none of it stands in the file.
        case whole
    }

    /// Its name among the definitions of the JSON Schema; nil where it is spelled out in place.
    var name: String?
    /// The end of "it must be ...".
    var wanted: String
    /// A regular expression (ECMA 262) that every right spelling matches as a whole.
    var pattern: String
    /// YAML types beside strings that an editor's validator may see in its place.
    var types: [String] = []
    /// Smallest and largest number, for whole numbers.
    var range: ClosedRange<Int>?
    /// Whether a bare number lacks something.
    var hasUnit = false
    var secrecy = Secrecy.open
    /// Whether it may begin with `kind "NAME":`, which makes it a map with one key to YAML.
    var mayNameKind = false
    var parse: @Sendable (String) throws(Refusal) -> any Sendable
}

extension Scalar {
    static let text = Scalar(
        name: "text", wanted: "a text", pattern: "[\\s\\S]+",
        types: ["number", "boolean", "null"], secrecy: .variables
    ) { text throws(Refusal) in
        guard !text.isEmpty else { throw Refusal(remark: nil) }
        return text
    }

    /// A text that is told to everybody: answers are compared by it, and reports speak of it.
    static let shownText: Scalar = {
        var scalar = text
        scalar.secrecy = .open
        return scalar
    }()

    static let secret = Scalar(
        name: "secret", wanted: "a secret", pattern: "[\\s\\S]*\\$\\{[^}]+\\}[\\s\\S]*",
        secrecy: .whole
    ) { text throws(Refusal) in
        guard !text.isEmpty else { throw Refusal(remark: nil) }
        return Secret(text)
    }

    static let flag = Scalar(
        name: "flag", wanted: "true or false", pattern: "true|false", types: ["boolean"]
    ) { text throws(Refusal) in
        switch text {
        case "true": return true
        case "false": return false
        default: throw Refusal(remark: nil)
        }
    }

    /// A day of the calendar: `2026-12-15`.
    static let date = Scalar(
        wanted: "a day such as 2026-12-15",
        pattern: "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    ) { text throws(Refusal) in
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.map(\.count) == [4, 2, 2],
            parts.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } }),
            let month = Int(parts[1]), (1...12).contains(month), let day = Int(parts[2]),
            (1...31).contains(day)
        else { throw Refusal(remark: nil) }
        return text
    }

    static func count(_ range: ClosedRange<Int>, _ what: String = "a whole number") -> Scalar {
        let last = range.upperBound == Int.max ? "" : " to \(range.upperBound)"
        let bounds = last.isEmpty ? "from \(range.lowerBound) up" : "\(range.lowerBound)\(last)"
        return Scalar(
            wanted: "\(what), \(bounds)", pattern: "[0-9]+", types: ["integer"], range: range
        ) { text throws(Refusal) in
            guard let number = Int(text), text.allSatisfy({ $0.isASCII && $0.isNumber }),
                range.contains(number)
            else { throw Refusal(remark: nil) }
            return number
        }
    }

    static let seed = Scalar(
        wanted: "a whole number, 0 to 18446744073709551615", pattern: "[0-9]+",
        types: ["integer"], range: 0...Int.max
    ) { text throws(Refusal) in
        guard let number = UInt64(text), text.first != "+" else { throw Refusal(remark: nil) }
        return Seed(number)
    }

    /// Units of time from long to short; a duration may join several, each once.
    private static let timeUnits: [(name: String, nanoseconds: Double)] = [
        ("d", 86_400e9), ("h", 3_600e9), ("m", 60e9), ("s", 1e9), ("ms", 1e6), ("us", 1e3),
    ]
    static let timePattern = "([0-9]+(\\.[0-9]+)?(us|ms|s|m|h|d))+"

    static let duration = Scalar(
        name: "duration",
        wanted: "a duration with its unit (us, ms, s, m, h, d), such as 5s or 1m30s",
        pattern: timePattern, hasUnit: true
    ) { text throws(Refusal) in try time(text) }

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
            throw Refusal(
                remark: "which is more than 1000 "
                    + "days")
        }
        return .nanoseconds(Int64(total.rounded()))
    }

    /// Digits with at most one point inside; no sign, no exponent.
    static func decimal(_ text: some StringProtocol) -> Double? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count),
            parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isNumber } })
        else { return nil }
        return Double(String(text))
    }

    static let rate = Scalar(
        name: "rate", wanted: "a rate per second, minute or hour, such as 20/s",
        pattern: "[0-9]+(\\.[0-9]+)? *\\/ *(s|m|h)", hasUnit: true
    ) { text throws(Refusal) in
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.trimmingSpaces() }
        let seconds: [String: Double] = ["s": 1, "m": 60, "h": 3_600]
        guard parts.count == 2, let number = decimal(parts[0]), let unit = seconds[parts[1]] else {
            throw Refusal(remark: nil)
        }
        guard number / unit <= 1e6 else { throw Refusal(remark: "which is over 1000000/s") }
        return Rate(perSecond: number / unit)
    }

    static let share = Scalar(
        name: "share", wanted: "a share of 0% to 100%, such as 3%",
        pattern: "[0-9]+(\\.[0-9]+)? *%", hasUnit: true
    ) { text throws(Refusal) in
        guard text.hasSuffix("%"), let number = decimal(text.dropLast().trimmingSpaces()) else {
            throw Refusal(remark: nil)
        }
        guard number <= 100 else { throw Refusal(remark: "which is over 100%") }
        return number / 100
    }

    static let size = Scalar(
        name: "size", wanted: "a size with its unit (B, kB, MB, GB, KiB, MiB, GiB), such as 1MB",
        pattern: "[0-9]+(\\.[0-9]+)? *(B|kB|MB|GB|KiB|MiB|GiB)", hasUnit: true
    ) { text throws(Refusal) in
        let units: [(String, Double)] = [
            ("KiB", 1_024), ("MiB", 1_048_576), ("GiB", 1_073_741_824), ("kB", 1e3), ("MB", 1e6),
            ("GB", 1e9), ("B", 1),
        ]
        guard let (unit, bytes) = units.first(where: { text.hasSuffix($0.0) }),
            let number = decimal(text.dropLast(unit.count).trimmingSpaces())
        else { throw Refusal(remark: nil) }
        let size = (number * bytes).rounded()
        guard size >= 1 else { throw Refusal(remark: "which is less than a byte") }
        guard size <= 1e12 else { throw Refusal(remark: "which is over 1000GB") }
        return Int(size)
    }
}
