internal import Dialects
internal import Statistics
internal import Vocabulary

/// What is wrong with a text beyond its spelling: a clause that begins with "which" or "whose", or nil
/// when the spelling says it all.
struct Refusal: Error {
    var remark: String?
}

/// A kind of text with a meaning, as documents and messages describe it.
struct ScalarForm: Sendable {
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
    var types: [String]
    /// Smallest and largest number, for whole numbers.
    var range: ClosedRange<Int>?
    /// Whether a bare number lacks something.
    var hasUnit: Bool
    var secrecy: Secrecy
    /// Whether it may begin with `kind "NAME":`, which makes it a map with one key to YAML.
    var mayNameKind: Bool
}

/// A kind of text with a meaning: how it is spelled, and what it comes to.
struct Scalar<Value>: Sendable {
    var form: ScalarForm
    /// A value as a rig spells it, for documents; nil where nobody needs it.
    var spelled: @Sendable (Value) -> String?
    var parse: @Sendable (String) throws(Refusal) -> Value

    init(
        name: String? = nil, wanted: String, pattern: String, types: [String] = [],
        range: ClosedRange<Int>? = nil, hasUnit: Bool = false,
        secrecy: ScalarForm.Secrecy = .open, mayNameKind: Bool = false,
        spelled: @escaping @Sendable (Value) -> String? = { _ in nil },
        parse: @escaping @Sendable (String) throws(Refusal) -> Value
    ) {
        form = ScalarForm(
            name: name, wanted: wanted, pattern: pattern, types: types, range: range,
            hasUnit: hasUnit, secrecy: secrecy, mayNameKind: mayNameKind)
        self.spelled = spelled
        self.parse = parse
    }
}

extension Scalar<String> {
    static var text: Scalar {
        Scalar(
            name: "text", wanted: "a text", pattern: "[\\s\\S]+",
            types: ["number", "boolean", "null"], secrecy: .variables,
            spelled: Spelling.quotedWhereNeeded
        ) { text throws(Refusal) in
            guard !text.isEmpty else { throw Refusal(remark: nil) }
            return text
        }
    }

    /// A text that is told to everybody: answers are compared by it, and reports speak of it.
    static var shownText: Scalar {
        var scalar = text
        scalar.form.secrecy = .open
        return scalar
    }

    /// A day of the calendar: `2026-12-15`.
    static var date: Scalar {
        Scalar(
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
    }
}

extension Scalar<Secret> {
    static var secret: Scalar {
        Scalar(
            name: "secret", wanted: "a secret", pattern: "[\\s\\S]*\\$\\{[^}]+\\}[\\s\\S]*",
            secrecy: .whole
        ) { text throws(Refusal) in
            guard !text.isEmpty else { throw Refusal(remark: nil) }
            return Secret(text)
        }
    }
}

extension Scalar<Bool> {
    static var flag: Scalar {
        Scalar(
            name: "flag", wanted: "true or false", pattern: "true|false", types: ["boolean"],
            spelled: { String($0) },
            parse: { text throws(Refusal) in
                guard let flag = Bool(text) else { throw Refusal(remark: nil) }
                return flag
            })
    }
}

extension Scalar<Int> {
    static func count(_ range: ClosedRange<Int>, _ what: String = "a whole number") -> Scalar {
        let last = range.upperBound == Int.max ? "" : " to \(range.upperBound)"
        let bounds = last.isEmpty ? "from \(range.lowerBound) up" : "\(range.lowerBound)\(last)"
        return Scalar(
            wanted: "\(what), \(bounds)", pattern: "[0-9]+", types: ["integer"], range: range,
            spelled: { String($0) },
            parse: { text throws(Refusal) in
                guard let number = Int(text), text.allSatisfy({ $0.isASCII && $0.isNumber }),
                    range.contains(number)
                else { throw Refusal(remark: nil) }
                return number
            })
    }

    /// Bytes.
    static var size: Scalar {
        let units: [(name: String, bytes: Double)] = [
            ("KiB", 1_024), ("MiB", 1_048_576), ("GiB", 1_073_741_824), ("kB", 1e3), ("MB", 1e6),
            ("GB", 1e9), ("B", 1),
        ]
        return Scalar(
            name: "size",
            wanted: "a size with its unit (B, kB, MB, GB, KiB, MiB, GiB), such as 1MB",
            pattern: "[0-9]+(\\.[0-9]+)? *(B|kB|MB|GB|KiB|MiB|GiB)", hasUnit: true,
            spelled: { $0 % 1_000_000 == 0 ? "\($0 / 1_000_000)MB" : "\($0)B" },
            parse: { text throws(Refusal) in
                guard let unit = units.first(where: { text.hasSuffix($0.name) }),
                    let number = Spelling.decimal(text.dropLast(unit.name.count).trimmingSpaces())
                else { throw Refusal(remark: nil) }
                let size = (number * unit.bytes).rounded()
                guard size >= 1 else { throw Refusal(remark: "which is less than a byte") }
                guard size <= 1e12 else { throw Refusal(remark: "which is over 1000GB") }
                return Int(size)
            })
    }
}

extension Scalar<Seed> {
    static var seed: Scalar {
        Scalar(
            wanted: "a whole number, 0 to 18446744073709551615", pattern: "[0-9]+",
            types: ["integer"], range: 0...Int.max, spelled: { String($0.value) },
            parse: { text throws(Refusal) in
                guard let number = UInt64(text), text.first != "+" else {
                    throw Refusal(remark: nil)
                }
                return Seed(number)
            })
    }
}

extension Scalar<Duration> {
    static var duration: Scalar {
        Scalar(
            name: "duration",
            wanted: "a duration with its unit (us, ms, s, m, h, d), such as 5s or 1m30s",
            pattern: Spelling.timePattern, hasUnit: true, spelled: Spelling.spelled
        ) { text throws(Refusal) in try Spelling.time(text) }
    }
}

extension Scalar<Rate> {
    static var rate: Scalar {
        Scalar(
            name: "rate", wanted: "a rate per second, minute or hour, such as 20/s",
            pattern: "[0-9]+(\\.[0-9]+)? *\\/ *(s|m|h)", hasUnit: true,
            spelled: { Spelling.spelled($0.perSecond) + "/s" },
            parse: { text throws(Refusal) in
                let parts = text.split(separator: "/", omittingEmptySubsequences: false)
                    .map { $0.trimmingSpaces() }
                let seconds: [String: Double] = ["s": 1, "m": 60, "h": 3_600]
                guard parts.count == 2, let number = Spelling.decimal(parts[0]),
                    let unit = seconds[parts[1]]
                else { throw Refusal(remark: nil) }
                guard number / unit <= 1e6 else { throw Refusal(remark: "which is over 1000000/s") }
                return Rate(perSecond: number / unit)
            })
    }
}

extension Scalar<Double> {
    /// 0 to 1.
    static var share: Scalar {
        Scalar(
            name: "share", wanted: "a share of 0% to 100%, such as 3%",
            pattern: "[0-9]+(\\.[0-9]+)? *%", hasUnit: true,
            spelled: { Spelling.spelled(($0 * 1e8).rounded() / 1e6) + "%" },
            parse: { text throws(Refusal) in
                guard text.hasSuffix("%"),
                    let number = Spelling.decimal(text.dropLast().trimmingSpaces())
                else { throw Refusal(remark: nil) }
                guard number <= 100 else { throw Refusal(remark: "which is over 100%") }
                return number / 100
            })
    }
}
