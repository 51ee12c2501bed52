/// Answers that cannot be what a page says. `rule` is the page's, with its place:
/// `rest-v1.md 10, N4: expires is present`.
extension Reading {
    /// The reason of an answer whose times lie outside of what a service can mean.
    private static let impossibleTime = "a time out of range"

    init(_ outcome: Outcome, _ answer: Answer, reason: String, missing rule: String) {
        self.init(
            outcome, answer, deviations: [Deviation(rule: rule, found: reason)],
            reason: "\(ours: reason)")
    }

    /// A success whose body lacks what the page promises.
    static func incomplete(_ rule: String) -> Reading {
        Reading(.malformed, .fault, reason: "a body without its fields", missing: rule)
    }

    /// A number that is no time of a service that works, where the page has a time.
    static func impossible(_ rule: String) -> Reading {
        Reading(.malformed, .fault, reason: impossibleTime, missing: rule)
    }

    /// A success without a document. `rule`: what the body is.
    static func unread(_ document: ReplyDocument, _ kinds: String, _ rule: String) -> Reading {
        let reason =
            document.reply.body.isEmpty
            ? "an empty body"
            : document.limit.map { "a body with \($0)" } ?? "a body that is \(kinds)"
        return Reading(.malformed, .fault, reason: reason, missing: rule)
    }

    /// Takes up what a table of conformance found. It says the same as the codec, and more exactly; but
    /// it knows no ranges.
    mutating func take(_ found: [Deviation]) {
        guard !found.isEmpty else { return }
        let isImpossible = reason == "\(ours: Self.impossibleTime)"
        let impossible = isImpossible ? deviations : []
        deviations =
            found + impossible.filter { own in !found.contains { $0.subject == own.subject } }
    }
}

extension Deviation {
    /// The field that a rule is about: `expires` of `rest-v1.md 10, N4: expires is a number`.
    fileprivate var subject: Substring {
        let said = rule.firstRange(of: ": ").map { rule[$0.upperBound...] } ?? rule[...]
        return said.prefix { $0 != " " }
    }
}
