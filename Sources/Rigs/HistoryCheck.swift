public import Dialects
public import Vocabulary

/// A line of `shows:`: something that the history of a run must hold, and how often
/// (rigs/reference.yaml, `shows`). A rig says with these what it is there to show, so that one that
/// no longer shows it fails.
public struct HistoryCheck: Sendable, Hashable {
    public enum Subject: Sendable, Hashable {
        /// Exchanges of an operation; of those only the ones with all that is given. A status and
        /// an outcome are never given together.
        case exchange(OperationName, status: Int?, outcome: Outcome?, reason: String?)
        /// Events of devices with this name; a detail is the whole of the event's or one word of it.
        case event(String, detail: String?)
        /// Households that ended so, or that got so far (`HistoryCheck.ends`).
        case households(String)
        /// Breaches of an invariant, whether they fail the run or not.
        case violation(Invariant)
    }

    /// Only households of the kind with this name.
    public var kind: String?
    public var subject: Subject
    public var comparison: Threshold.Relation
    public var bound: Int
    /// As it was written.
    public var text: String

    public func holds(for count: Int) -> Bool {
        switch comparison {
        case .below: count < bound
        case .atMost: count <= bound
        case .above: count > bound
        case .atLeast: count >= bound
        case .equal: count == bound
        }
    }

    /// Whether it asks for what only single records tell: aggregates count operations, statuses and
    /// outcomes, and households.
    var needsRecords: Bool {
        switch subject {
        case .exchange(_, _, _, let reason): reason != nil
        case .event: true
        case .households, .violation: false
        }
    }
}

extension HistoryCheck {
    /// Understands a line of a recorded rig; nil where it is of a version that knows more words.
    public init?(text: String) {
        guard let read = try? Self.read(text) else { return nil }
        self = read
    }

    /// The grammar in full, for the documentation of the format.
    static let grammar =
        "[kind \"NAME\":] SUBJECT [OP N], with SUBJECT one of: OPERATION [STATUS or OUTCOME] "
        + "[reason WORD]; event NAME [DETAIL]; households FATE; violation INVARIANT; and OP one of "
        + "< <= > >= ==, by default >= 1"

    /// Fates of households, another path than their kind asks for, and stages on their way.
    public static let ends = [
        "signed-in", "pre-signed-in", "failed", "abandoned", "diverted", "code-shown", "code-typed",
        "playing", "logged-out",
    ]

    /// Events of first screens, by their names in the history (docs/history.md).
    public static let events =
        [
            "setRequestor", "checkAuthentication", "getAuthentication", "setSelectedProvider",
            "handleExternalURL", "checkAuthorization", "getAuthorization",
            "checkPreauthorizedResources", "getMetadata", "getSelectedProvider", "logout",
        ].map { "call \($0)" } + [
            "setRequestorComplete", "setAuthenticationStatus", "displayProviderDialog",
            "navigateToUrl", "presentTVProviderDialog", "dismissTVProviderDialog", "setToken",
            "tokenRequestFailed", "setMetadataStatus", "preauthorizedResources",
            "selectedProvider", "sendTrackingData", "status", "sign-on path", "platform prompt",
            "platform picker", "platform error", "silent relogin", "settings change",
            "sign out in settings", "sign-in restarted", "not entitled", "return",
            "signed in before", "not signed in before", "habit", "login ended on a page",
            "decision not confirmed",
        ]

    /// Understands a line such as `poll-token 410 >= 3`.
    static func read(_ line: String) throws(Refusal) -> HistoryCheck {
        let text = line.trimmingSpaces()
        var rest = text[...]
        let kind = try Threshold.kind(&rest)
        var words = rest.split(separator: " ").map(String.init)
        var (comparison, bound) = (Threshold.Relation.atLeast, 1)
        if let place = words.firstIndex(where: { Threshold.Relation(rawValue: $0) != nil }) {
            let number = words[(place + 1)...].joined(separator: " ")
            guard let count = Int(number), number.allSatisfy(\.isWholeNumber) else {
                throw Refusal(remark: "whose bound '\(number)' is not a whole number")
            }
            comparison = Threshold.Relation(rawValue: words[place]) ?? comparison
            bound = count
            words.removeSubrange(place...)
        }
        return HistoryCheck(
            kind: kind, subject: try subject(words), comparison: comparison, bound: bound,
            text: text)
    }

    private static func subject(_ words: [String]) throws(Refusal) -> Subject {
        guard let first = words.first else { throw Refusal(remark: "which has no subject") }
        let rest = words.dropFirst()
        switch first {
        case "event": return try event(rest.joined(separator: " "))
        case "households":
            return .households(try word(rest, of: ends, \.self, called: "fate of households"))
        case "violation":
            return .violation(try word(rest, of: Invariant.allCases, \.name, called: "invariant"))
        default: break
        }
        guard let operation = OperationName(name: first) else {
            let known = OperationName.allCases.map(\.name) + ["event", "households", "violation"]
            throw Refusal(
                remark: "whose subject '\(first)' is unknown\(hint(first, among: known))")
        }
        return try exchange(operation, rest)
    }

    /// What follows an operation: each at most once, in any order.
    private static func exchange(
        _ operation: OperationName, _ words: ArraySlice<String>
    ) throws(Refusal) -> Subject {
        var (status, outcome, reason): (Int?, Outcome?, String?)
        var rest = words
        while let word = rest.popFirst() {
            if word == "reason" {
                guard reason == nil, let next = rest.popFirst() else {
                    throw Refusal(remark: "whose 'reason' lacks a value")
                }
                reason = next
            } else if let number = Int(word), (100...599).contains(number), status == nil {
                status = number
            } else if let named = Outcome(name: word), outcome == nil {
                outcome = named
            } else {
                let known = Outcome.allCases.map(\.name) + ["reason"]
                throw Refusal(
                    remark: "whose '\(word)' is not a status, outcome or reason"
                        + hint(word, among: known))
            }
        }
        if let status, let outcome {
            throw Refusal(
                remark: "which has both a status, \(status), and an outcome, \(outcome); keep one")
        }
        return .exchange(operation, status: status, outcome: outcome, reason: reason)
    }

    /// Some names are of several words: the longest that fits, then the detail.
    private static func event(_ text: String) throws(Refusal) -> Subject {
        let fitting = events.filter { text == $0 || text.hasPrefix($0 + " ") }
        guard let name = fitting.max(by: { $0.count < $1.count }) else {
            guard let first = text.split(separator: " ").first.map(String.init) else {
                throw Refusal(remark: "which names no event")
            }
            let near = text.nearest(among: events) ?? first.nearest(among: events)
            throw Refusal(
                remark: "whose event '\(text)' is unknown"
                    + (near.map { " (did you mean \($0)?)" } ?? ""))
        }
        let detail = String(text.dropFirst(name.count)).trimmingSpaces()
        return .event(name, detail: detail.isEmpty ? nil : detail)
    }

    private static func word<Known>(
        _ words: ArraySlice<String>, of known: [Known], _ name: (Known) -> String,
        called what: String
    ) throws(Refusal) -> Known {
        let text = words.joined(separator: " ")
        guard let found = known.first(where: { name($0) == text }) else {
            throw Refusal(
                remark: text.isEmpty
                    ? "which names no \(what)"
                    : "whose '\(text)' is not a known \(what)\(hint(text, among: known.map(name)))")
        }
        return found
    }

    private static func hint(_ word: String, among known: [String]) -> String {
        word.nearest(among: known).map { " (did you mean \($0)?)" } ?? ""
    }
}

extension Scalar<HistoryCheck> {
    /// A line of `shows:`.
    static var historyCheck: Scalar<HistoryCheck> {
        Scalar(
            name: "history-check",
            wanted:
                "[kind \"NAME\":] SUBJECT [OP N], such as 'poll-token 410', 'event status VSA203', "
                + "'households signed-in == 12' or 'violation sign-in-visible'",
            pattern: ".*\\S.*", mayNameKind: true
        ) { text throws(Refusal) in
            try HistoryCheck.read(text)
        }
    }
}
