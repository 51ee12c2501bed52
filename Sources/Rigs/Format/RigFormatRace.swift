internal import Dialects

/// The rows about the race lab.
extension RigFormat {
    static let race: [Key] = [
        Key(
            "plans",
            .list(
                .either([
                    .choice(
                        (["all"] + RaceTerms.planNames + RaceTerms.armPlanNames)
                            .map { Shape.Choice($0) }),
                    .map(racePlan),
                ])), default: "[all]", example: "[poll-authenticate, poll-poll]",
            "Race plans: names of predefined plans, all, or your own plans. path-independence "
                + "and poll-is-pure compare two arms."),
        Key(
            "offsets", .scalar(.offsets), default: "-200ms..200ms",
            "Range of offsets to search."),
        Key(
            "anchor", .words("last-byte", "first-reply"), default: "last-byte",
            "What offsets count from: the last byte of the other request, or the first byte of "
                + "its response (offsets of at least 0 only)."),
        Key(
            "per-offset", .scalar(.count(1...100)), default: "5",
            "Trials at each offset of the coarse sweep."),
        Key(
            "trials", .scalar(.count(1...10_000_000)), example: "2000",
            "Limit of trials, including the work on cases. Without 'trials' and 'for': 2000 "
                + "trials and 60s; with all plans, the end of all sweeps."),
        Key(
            "for", .scalar(.duration), example: "60s",
            "Time limit, including the work on cases."),
        Key(
            "gate", .words("auto", "last-byte", "group", "none"), default: "auto",
            "How raced requests are sent. last-byte: all but the last byte is sent ahead, each "
                + "over its own connection. group: together over one HTTP/2 connection. none: "
                + "whole. auto: the most exact way that target.http and target.proxy allow."),
        Key(
            "connection", .words("kept", "fresh"), default: "kept",
            "fresh: a new connection for each raced request, opened before the race."),
        Key(
            "cookies", .words("keep", "drop"), default: "keep",
            "drop: raced requests carry no cookies, so that load balancers choose again."),
    ]

    private static let racePlan: [Key] = [
        Key("name", .scalar(.shownText), required: true, example: "mine", "The name in reports."),
        Key(
            "actors",
            .named(.either([.list(.either([steps, .map(operation)]))])),
            required: true,
            example: "{tv: [registration-code, poll-token], phone: [authenticate]}",
            "Operations of each actor, in order. Actors: tv, tv-2 (the same TV over another "
                + "connection), phone, phone-2; other-tv and other-phone belong to another "
                + "household. An operation is a name, or a map with its arguments: {step: "
                + "authorize, resource: 2}."),
        Key(
            "sweep", .list(.scalar(.text)), required: true,
            example: "[phone.authenticate, tv.poll-token]",
            "The two raced operations: the first keeps its time, the second is swept."),
    ]
}

extension RigFormat {
    private static let steps: Shape = .choice(RaceTerms.steps.map { Shape.Choice($0) })

    private static let operation: [Key] = [
        Key("step", steps, required: true, example: "authenticate", "The operation."),
        Key(
            "as", .scalar(.text), example: "second",
            "Its name in the plan, needed if an actor does the same operation twice."),
        Key(
            "account", .scalar(.count(1...9)), example: "2",
            "Which of the household's accounts signs in. Default: a different one for each "
                + "sign-in."),
        Key(
            "provider", .scalar(.count(1...99)), example: "2",
            "Number of the provider in target.mvpds, or in the service's configuration."),
        Key(
            "resource", .scalar(.count(1...99)), example: "2",
            "Number of the resource in "
                + "target.resources."),
        Key(
            "code", .scalar(.text), example: "tv.registration-code",
            "The operation that created its code. Default: the newest code of the household."),
        Key(
            "repeats", .scalar(.text), example: "phone.authenticate",
            "The sign-in whose assertion is sent again."),
    ]
}

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

    /// Plans of two arms, each named after the promise that it decides.
    public static let armPlanNames = ["path-independence", "poll-is-pure"]

    /// What an actor of a plan can do.
    public static let steps =
        ["login-start", "authenticate"]
        + OperationName.allCases.filter { $0.has(.raced) }.map(\.name)
}

extension Scalar {
    /// Two durations with signs: `-200ms..200ms`.
    static let offsets = Scalar(
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

    private static func signed(_ text: Substring) throws(Refusal) -> Duration {
        let text = text.trimmingSpaces()
        let isNegative = text.hasPrefix("-")
        guard
            let value = try duration.parse(String(isNegative ? text.dropFirst() : text[...]))
                as? Duration
        else { throw Refusal(remark: nil) }
        return isNegative ? .zero - value : value
    }
}
