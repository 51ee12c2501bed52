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
            "What is raced against what: conflict pairs and triples by name, all of them, or plans of "
                + "your own; path-independence and poll-is-pure compare two arms."),
        Key(
            "offsets", .scalar(.offsets), default: "-200ms..200ms",
            "From how early to how late one of the two is tried."),
        Key(
            "anchor", .words("last-byte", "first-reply"), default: "last-byte",
            "What offsets count from: the last byte of the other's request, or the first byte of its "
                + "answer (offsets from 0 up only)."),
        Key(
            "per-offset", .scalar(.count(1...100)), default: "5",
            "Trials at each offset of the coarse sweep."),
        Key(
            "trials", .scalar(.count(1...10_000_000)), default: "2000",
            "The search ends after so many."),
        Key("for", .scalar(.duration), default: "60s", "The search ends after so long."),
        Key(
            "gate", .words("auto", "last-byte", "group", "none"), default: "auto",
            "How raced requests leave. last-byte: all but that has left before, each over a connection "
                + "of its own. group: together over one HTTP/2 connection. none: whole. auto: as exactly "
                + "as target.http and target.proxy allow."),
        Key(
            "connection", .words("kept", "fresh"), default: "kept",
            "fresh: a connection for each raced request, made before the race."),
        Key(
            "cookies", .words("keep", "drop"), default: "keep",
            "drop: raced requests carry no cookies, so that load balancers choose anew."),
    ]

    private static let racePlan: [Key] = [
        Key("name", .scalar(.text), required: true, example: "mine", "The name in reports."),
        Key(
            "actors",
            .named(.either([.list(.choice(RaceTerms.steps.map { Shape.Choice($0) }))])),
            required: true,
            example: "{tv: [registration-code, poll-token], phone: [authenticate]}",
            "Who does what, in order: tv, tv-2 (the same TV over another connection), phone, phone-2; "
                + "other-tv and other-phone are of another living room."),
        Key(
            "sweep", .list(.scalar(.text)), required: true,
            example: "[phone.authenticate, tv.poll-token]",
            "The two that are raced: the first keeps its time, the second is moved."),
    ]
}

extension RaceTerms {
    /// The conflict pairs and triples (docs/races.md, What is raced).
    public static let planNames = [
        "poll-authenticate", "authenticate-authenticate", "authenticate-logout",
        "authenticate-delete", "authenticate-expire", "authenticate-create", "poll-poll",
        "poll-logout", "poll-delete", "logout-authorize", "logout-media", "authorize-media",
        "sso-authenticate", "create-create", "poll-authenticate-logout",
        "authenticate-timeout-retry",
    ]

    /// Plans of two arms, each named after the promise that it decides.
    public static let armPlanNames = ["path-independence", "poll-is-pure"]

    /// What an actor of a plan can do.
    public static let steps = [
        "registration-code", "registration-record", "delete-registration", "login-start",
        "authenticate", "check-code", "poll-token", "check-authentication", "token-exchange",
        "free-preview", "authorize", "media-token", "logout",
    ]
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
        guard low < high else { throw Refusal(remark: "which ends before it begins") }
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
