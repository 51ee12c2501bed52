internal import Dialects
internal import Vocabulary

extension RaceTerms {
    /// What changes the state that others see.
    private static let mutators = [
        "sso", "authenticate", "delete", "create", "logout", "authorize", "preview",
    ]

    /// Conflicts of reads, of time, and triples, then every ordered pair of mutators (docs/races.md, What
    /// is raced).
    public static let planNames =
        [
            "poll-authenticate", "authenticate-expire", "poll-poll", "poll-logout", "poll-delete",
            "logout-media", "authorize-media", "poll-authenticate-logout",
            "authenticate-timeout-retry",
        ] + mutators.flatMap { first in mutators.map { "\(first)-\($0)" } }
        + grantPlanNames.filter { $0 != "poll-poll" }

    /// What changes the state of an OAuth device grant; `expire` is not raced with itself and with tokens.
    private static let grantMutators = [
        "enter", "approve", "refuse", "poll", "refresh", "revoke", "expire",
    ]

    /// Each pair of them once, and triples.
    static let grantPlanNames =
        grantMutators.enumerated().flatMap { number, first in
            grantMutators[number...].map { "\(first)-\($0)" }
        }.filter { !["refresh-expire", "revoke-expire", "expire-expire"].contains($0) }
        + ["approve-approve-poll"]

    /// Plans of two arms, each named after the promise that it decides.
    public static let armPlanNames = ["path-independence", "poll-is-pure"]

    /// What an actor of a plan can do.
    public static let steps =
        ["login-start", "authenticate"]
        + OperationName.allCases.filter { $0.has(.raced) }.map(\.name)
}

extension Scalar<ClosedRange<Duration>> {
    /// Two durations with signs: `-200ms..200ms`.
    static var offsets: Scalar<ClosedRange<Duration>> {
        Scalar(
            wanted: "two offsets such as -200ms..200ms, the earlier first",
            pattern: "-?[0-9a-z. ]+\\.\\.-?[0-9a-z. ]+"
        ) { text throws(Refusal) in
            guard let middle = text.ranges(of: "..").first else { throw Refusal(remark: nil) }
            let low = try signed(text[..<middle.lowerBound])
            let high = try signed(text[middle.upperBound...])
            guard low < high else { throw Refusal(remark: "whose end is before its start") }
            guard low >= .seconds(-60), high <= .seconds(60) else {
                throw Refusal(remark: "which goes beyond a minute")
            }
            return low...high
        }
    }

    private static func signed(_ text: Substring) throws(Refusal) -> Duration {
        let text = text.trimmingSpaces()
        let isNegative = text.hasPrefix("-")
        let value = try Spelling.time(isNegative ? text.dropFirst() : text[...])
        return isNegative ? .zero - value : value
    }
}
