internal import Dialects
internal import Vocabulary

extension Threshold {
    /// The grammar in full, for the documentation of the format.
    static let grammar =
        "[kind \"NAME\":] SUBJECT [service|lateness] min|mean|p50 ... p99.9|max OP TIME (SUBJECT: "
        + "an operation, sign-in, sign-in-service, token-visibility, platform-sign-in), "
        + "[OPERATION] errors OP %, throttled OP %, rate OP N/s, EVENT recovery OP TIME, households "
        + "failed|abandoned|not-entitled|diverted OP N|%, or violations|undecided|INVARIANT OP "
        + "N|%, with OP one of < <= > >= =="

    /// Hold unless a line on the same subject replaces them (rigs/reference.yaml, `thresholds`).
    static let defaults: [Threshold] = [
        Threshold(
            subject: .everything, measure: .errors, comparison: .below, bound: 0.01,
            text: "errors < 1%"),
        Threshold(
            subject: .householdsFailed, measure: .share, comparison: .below, bound: 0.05,
            text: "households failed < 5%"),
        Threshold(
            subject: .householdsAbandoned, measure: .share, comparison: .below, bound: 0.05,
            text: "households abandoned < 5%"),
        Threshold(
            subject: .violations, measure: .count, comparison: .equal, bound: 0,
            text: "violations == 0"),
        Threshold(
            subject: .undecided, measure: .share, comparison: .below, bound: 0.001,
            text: "undecided < 0.1%"),
    ]

    /// The rig's own lines, before them the defaults that none of them replaces. A line for one
    /// kind of household replaces nothing.
    static func withDefaults(_ own: [Threshold]) -> [Threshold] {
        defaults.filter { fallback in
            !own.contains { line in
                line.kind == nil && line.subject == fallback.subject
                    && (fallback.subject != .everything || line.measure == fallback.measure)
            }
        } + own
    }

    /// Understands a line such as `poll-token service p99 < 250ms`.
    static func read(_ line: String) throws(Refusal) -> Threshold {
        let text = line.trimmingSpaces()
        var words = text[...]
        let kind = try kind(&words)
        guard
            let comparison = words.split(separator: " ").lazy.compactMap({ word in
                Relation(rawValue: String(word)).map { (word, $0) }
            }).first
        else {
            let meant = words.split(separator: " ").lazy.compactMap { Self.meantRelations[$0] }
                .first
            throw Refusal(
                remark: "which has no operator (with spaces around it)"
                    + (meant.map { "; did you mean \($0)?" } ?? ""))
        }
        let left = words[..<comparison.0.startIndex].split(separator: " ").map(String.init)
        let right = String(words[comparison.0.endIndex...]).trimmingSpaces()
        let (subject, measure) = try meaning(left, isShare: right.hasSuffix("%"))
        return Threshold(
            kind: kind, subject: subject, measure: measure, comparison: comparison.1,
            bound: try bound(right, of: measure), text: text)
    }

    private static let meantRelations: [Substring: String] = [
        "=<": "<=", "≤": "<=", "=>": ">=", "≥": ">=", "=": "==",
    ]

    /// Takes `kind "NAME":` off the front.
    static func kind(_ words: inout Substring) throws(Refusal) -> String? {
        guard words.hasPrefix("kind ") else { return nil }
        let rest = words.dropFirst(5).drop { $0 == " " }
        guard let colon = rest.firstIndex(of: ":") else {
            throw Refusal(remark: "which lacks a colon after the kind")
        }
        var name = String(rest[..<colon]).trimmingSpaces()
        if name.count >= 2, let quote = name.first, quote == name.last, "\"'".contains(quote) {
            name = String(name.dropFirst().dropLast())
        }
        words = rest[rest.index(after: colon)...].drop { $0 == " " }
        return name
    }

    static func meaning(
        _ words: [String], isShare: Bool
    ) throws(Refusal) -> (Subject, Measure) {
        let amount: Measure = isShare ? .share : .count
        switch words {
        case ["errors"]: return (.everything, .errors)
        case ["throttled"]: return (.everything, .throttled)
        case ["rate"]: return (.everything, .rate)
        case ["households", "failed"]: return (.householdsFailed, amount)
        case ["households", "abandoned"]: return (.householdsAbandoned, amount)
        case ["households", "not-entitled"]: return (.householdsNotEntitled, amount)
        case ["households", "diverted"]: return (.householdsDiverted, amount)
        case ["violations"]: return (.violations, amount)
        case ["undecided"]: return (.undecided, amount)
        default: break
        }
        guard let first = words.first else { throw Refusal(remark: "which has no subject") }
        if words.count == 1, let invariant = Invariant(name: first) {
            return (.invariant(invariant), amount)
        }
        if words.count == 2, words[1] == "recovery", EventTerms.isName(first) {
            return (.recovery(event: first), .time)
        }
        let subject = try subject(first)
        if words.count == 2, case .operation = subject, words[1] == "errors" {
            return (subject, .errors)
        }
        var rest = words.dropFirst()
        var time = Time.latency
        if let word = rest.first, let named = Time(rawValue: word), named != .latency {
            time = named
            rest = rest.dropFirst()
        }
        guard rest.count == 1, let word = rest.first, let measure = statistic(word, time) else {
            if let whole = rest.first, ["throttled", "rate"].contains(whole) {
                throw Refusal(
                    remark:
                        "whose '\(whole)' is of all requests together: write '\(whole)', a comparison and a value"
                )
            }
            throw Refusal(
                remark: rest.isEmpty
                    ? "which names no statistic"
                    : "whose '\(rest.joined(separator: " "))' is not a statistic: min, mean, p50 to p99.9, max"
            )
        }
        return (subject, measure)
    }

    private static func subject(_ word: String) throws(Refusal) -> Subject {
        switch word {
        case "households":
            throw Refusal(
                remark: "whose households can be failed, abandoned, not-entitled or diverted; "
                    + "how many sign in is a line of shows")
        case "sign-in": return .signIn
        case "sign-in-service": return .signInService
        case "token-visibility": return .tokenVisibility
        case "platform-sign-in": return .platformSignIn
        default: break
        }
        if let operation = OperationName(name: word) { return .operation(operation) }
        let known =
            OperationName.allCases.map(\.name) + Invariant.allCases.map(\.name) + [
                "sign-in", "sign-in-service", "token-visibility", "platform-sign-in", "errors",
                "throttled", "rate",
                "households", "violations", "undecided",
            ]
        if ["errors", "throttled", "rate"].contains(word) {
            throw Refusal(
                remark:
                    "whose subject '\(word)' takes no statistic: write '\(word)', a comparison and a value"
            )
        }
        let nearest = word.nearest(among: known).map { " (did you mean \($0)?)" } ?? ""
        throw Refusal(remark: "whose subject '\(word)' is unknown\(nearest)")
    }

    private static func statistic(_ word: String, _ time: Time) -> Measure? {
        switch word {
        case "min": return .min(time)
        case "mean": return .mean(time)
        case "max": return .max(time)
        default:
            guard word.hasPrefix("p"), let number = Spelling.decimal(word.dropFirst()),
                (50...99.99).contains(number)
            else { return nil }
            // Rounded, so that p99.9 is 0.999 and not its neighbour.
            return .percentile((number * 1_000).rounded() / 100_000, time)
        }
    }

    private static func bound(
        _ text: String, of measure: Measure
    ) throws(Refusal) -> Double {
        func parsed<Value>(_ scalar: Scalar<Value>, _ wanted: String) throws(Refusal) -> Value {
            do { return try scalar.parse(text) } catch {
                let joined = text.replacing(" ", with: "")
                let hint =
                    joined != text && (try? scalar.parse(joined)) != nil ? ": write \(joined)" : ""
                throw Refusal(remark: "whose bound '\(text)' is not \(wanted)\(hint)")
            }
        }
        switch measure {
        case .percentile, .min, .mean, .max, .time:
            return Double(try parsed(.duration, "a time with its unit").nanoseconds)
        case .errors, .throttled, .share: return try parsed(.share, "a share such as 1%")
        case .rate: return try parsed(.rate, "a rate such as 20/s").perSecond
        case .count: return Double(try parsed(.count(0...Int.max), "a whole number"))
        }
    }
}

extension Scalar<Threshold> {
    /// A line of `thresholds:`.
    static var threshold: Scalar<Threshold> {
        Scalar(
            name: "threshold",
            wanted: "[kind \"NAME\":] SUBJECT [service|lateness] STAT OP VALUE, such as "
                + "'poll-token p99 < 250ms', 'errors < 1%' or 'households failed < 5%'",
            pattern: ".*\\S +(<|<=|>|>=|==) +\\S.*", mayNameKind: true
        ) { text throws(Refusal) in
            try Threshold.read(text)
        }
    }
}

/// What stands in the place of a line: a limit that may end the run.
struct ThresholdKeys: RigSection {
    var limit: Threshold?
    var aborts = false
    var after: Duration = .seconds(10)

    static let blank = ThresholdKeys()
    static let keys: [Key<ThresholdKeys>] = [
        Key(
            "limit", .scalar(.threshold), set: { $0.limit = $1 }, required: true,
            example: "errors < 5%", "The line."),
        Key(
            "abort", .scalar(.flag), into: \.aborts,
            "Whether the run ends early, with exit code 1 (4 where the rig was late and the limit is one on times), when the limit was missed for 'after'; "
                + "not in virtual time."),
        Key(
            "after", .scalar(.duration), into: \.after,
            "How long it must have been missed without a break, counted over the run so far."),
    ]

    mutating func check(_ marks: Marks, _ reader: inout ValueReader) {
        guard marks.isWhole, let limit else { return }
        if marks.gives("after"), !aborts {
            reader.refuse(
                marks["after"].place, "after has an effect with 'abort: true' only; add it")
        }
        if aborts, !limit.isKnownLive {
            reader.refuse(
                marks["abort"].place,
                "'\(limit.text)' is known at the end only, so it cannot end a run early; thresholds "
                    + "about operations, errors, throttled, rate, sign-in, households "
                    + "failed or abandoned and violations can")
        }
    }

    var threshold: Threshold? {
        var threshold = limit
        threshold?.abortsAfter = aborts ? after : nil
        return threshold
    }
}

extension Syntax<Threshold> {
    /// A line, or a map with the line as its limit.
    static var threshold: Syntax {
        .either(
            .scalar(.threshold),
            .from(.section) { (keys: ThresholdKeys, _, _) -> Threshold? in keys.threshold })
    }
}
