internal import Dialects
internal import Vocabulary

/// A value that is followed from night to night: what stands left of the operator in a threshold
/// (rigs/reference.yaml, `nightly:`).
public struct Series: Sendable, Hashable {
    /// Only households of the kind with this name.
    public var kind: String?
    public var subject: Threshold.Subject
    public var measure: Threshold.Measure
    /// As it was written: `sign-in-service p95`.
    public var text: String

    public init(
        kind: String? = nil, subject: Threshold.Subject, measure: Threshold.Measure, text: String
    ) {
        self.kind = kind
        self.subject = subject
        self.measure = measure
        self.text = text
    }

    /// Followed where a rig names none.
    static let defaults = [
        "sign-in-service p95", "token-visibility p95", "poll-token p99", "registration-code p95",
        "errors",
    ].compactMap { try? read($0) }

    /// The same where operations have other names: the poll and the request for a code of each protocol.
    static func defaults(of protocols: [ProtocolName]) -> [Series] {
        defaults.flatMap { series -> [Series] in
            guard case .operation(let operation) = series.subject else { return [series] }
            let own = protocols.flatMap { spoken -> [OperationName] in
                spoken.operations.contains(operation)
                    ? [operation] : Array(spoken.counterparts(of: operation).prefix(1))
            }
            return own.map { name in
                let text =
                    ([name.name] + series.text.split(separator: " ").dropFirst().map(String.init))
                    .joined(separator: " ")
                return Series(
                    kind: series.kind, subject: .operation(name), measure: series.measure,
                    text: text)
            }
        }
    }

    /// Understands `poll-token service p99`, `errors`, `kind "trial": sign-in p95`.
    static func read(_ line: String) throws(Refusal) -> Series {
        let text = line.trimmingSpaces()
        var words = text[...]
        let kind = try Threshold.kind(&words)
        // Households are followed as a share, so that another number of them changes nothing.
        let (subject, measure) = try Threshold.meaning(
            words.split(separator: " ").map(String.init), isShare: true)
        switch subject {
        case .violations, .undecided, .invariant:
            throw Refusal(
                remark: "whose '\(words)' is checked in each run and cannot be a series")
        default: return Series(kind: kind, subject: subject, measure: measure, text: text)
        }
    }
}

extension Rig {
    /// What 'screenrig nightly' follows and keeps.
    public struct Nightly: Sendable, Hashable {
        public var series = Series.defaults
        /// Nights whose run directories are kept.
        public var keep = 90
        /// A single night that is so many times worse than its level is an alarm; nil: none is.
        public var alarm: Double?
    }
}

extension Rig.Nightly: RigSection {
    static let blank = Rig.Nightly()
    static let keys: [Key<Rig.Nightly>] = [
        Key(
            "series", .list(.scalar(.series)), into: \.series,
            "The values to follow from night to night, each written as in a threshold without "
                + "operator and bound."),
        Key(
            "keep", .scalar(.count(1...100_000)), into: \.keep,
            "Number of nights whose run directories are kept; values stay in the series."),
        Key(
            "alarm", .scalar(.factor), ifGiven: \.alarm, example: "3x",
            "A single night on which a series is this many times worse than its level ends with "
                + "exit code 1. Default: such a night is reported as unusual, and the next ones "
                + "decide."),
    ]
}

extension Scalar<Double> {
    /// So many times something.
    static var factor: Scalar<Double> {
        Scalar(
            wanted: "a factor above 1, such as 3x", pattern: "[0-9]+(\\.[0-9]+)? *x", hasUnit: true
        ) { text throws(Refusal) in
            guard text.hasSuffix("x"),
                let number = Spelling.decimal(text.dropLast().trimmingSpaces())
            else {
                throw Refusal(remark: nil)
            }
            guard number > 1 else { throw Refusal(remark: "which is not above 1") }
            guard number <= 1e6 else { throw Refusal(remark: "which is over 1000000x") }
            return number
        }
    }
}

extension Scalar<Series> {
    /// A line of `nightly.series`.
    static var series: Scalar<Series> {
        Scalar(
            wanted: "[kind \"NAME\":] SUBJECT [service|lateness] STAT, such as "
                + "'sign-in-service p95', 'poll-token p99' or 'errors'",
            pattern: ".*\\S.*", spelled: { $0.text },
            parse: { text throws(Refusal) in
                try Series.read(text)
            })
    }
}
