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
            "trials", .scalar(.count(1...10_000_000)), example: "2000",
            "It ends after so many, the cases of what it found included. Without trials and for: 2000 and "
                + "60s, but with all plans when each has been swept."),
        Key(
            "for", .scalar(.duration), example: "60s",
            "It ends after so long, the cases of what it found included."),
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
        Key("name", .scalar(.shownText), required: true, example: "mine", "The name in reports."),
        Key(
            "actors",
            .named(.either([.list(.either([steps, .map(operation)]))])),
            required: true,
            example: "{tv: [registration-code, poll-token], phone: [authenticate]}",
            "Who does what, in order: tv, tv-2 (the same TV over another connection), phone, phone-2; "
                + "other-tv and other-phone are of another living room. An operation is its name, or a map "
                + "with step and what it takes: {step: authorize, resource: 2}."),
        Key(
            "sweep", .list(.scalar(.text)), required: true,
            example: "[phone.authenticate, tv.poll-token]",
            "The two that are raced: the first keeps its time, the second is moved."),
    ]
}

extension RigFormat {
    private static let steps: Shape = .choice(RaceTerms.steps.map { Shape.Choice($0) })

    private static let operation: [Key] = [
        Key("step", steps, required: true, example: "authenticate", "What is done."),
        Key(
            "as", .scalar(.text), example: "second",
            "What the plan calls it, where an actor does the same twice."),
        Key(
            "account", .scalar(.count(1...9)), example: "2",
            "Which of its living room's accounts signs in; each sign-in has its own otherwise."),
        Key(
            "provider", .scalar(.count(1...99)), example: "2",
            "Which of target.mvpds, or of those on offer."),
        Key("resource", .scalar(.count(1...99)), example: "2", "Which of target.resources."),
        Key(
            "code", .scalar(.text), example: "tv.registration-code",
            "The operation that made its code; the newest of its living room otherwise."),
        Key(
            "repeats", .scalar(.text), example: "phone.authenticate",
            "The sign-in whose assertion is sent once more."),
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
    public static let steps = [
        "registration-code", "registration-record", "delete-registration", "login-start",
        "authenticate", "check-code", "poll-token", "check-authentication", "token-exchange",
        "free-preview", "preauthorize", "preauthorize-code", "authorize",
        "authorization-token", "media-token",
        "user-metadata", "logout", "configuration", "register-client", "access-token",
        "profile-request",
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
