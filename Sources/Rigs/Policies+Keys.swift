public import Vocabulary

extension Policies: RigSection {
    static let blank = Policies()
    static let keys =
        behaviour + [
            Key(
                "visibility", .scalar(.duration), into: \.visibility, default: "0ms",
                "How long after a completed sign-in a poll may still miss it."),
            Key(
                "sweep-lag", .scalar(.duration), into: \.sweepLag, default: "0ms",
                "How long something may still exist after its expiry."),
            Key(
                "clock-tolerance", .scalar(.duration), into: \.clockTolerance, default: "0ms",
                "How far the service's clocks may differ, and the expiry of one token from response to response."
            ),
            Key(
                "unknown-deadline", .scalar(.duration), into: \.unknownDeadline,
                "How long an unanswered request may still take effect."),
            Key(
                "throttle",
                .either(
                    .words(("none", nil)), .from(.section) { (limit: Policies.Throttle) in limit }),
                into: \.throttle, default: "{rate: 1/s, burst: 10}",
                "Rate limit per device; none: unlimited."),
        ]

    /// What a service does where the protocol is silent.
    private static let behaviour: [Key<Policies>] = [
        Key(
            "code-reuse", .words(), into: \.codeReuse,
            "single: a code works for one sign-in. until-expiry: it works again until it expires."),
        Key(
            "new-code", .words(), into: \.newCode,
            "replace: a new code of a device invalidates its former one. keep: both work."),
        Key(
            "second-sign-in", .words(), into: \.secondSignIn,
            "replace: the newest sign-in of a device counts. reject: the first stays."),
        Key(
            "media-reuse", .words(), into: \.mediaReuse,
            "never: each media request has a token of its own. until-expiry: the same one again."),
        Key(
            "code-after-expiry", .words(), into: \.codeAfterExpiry,
            "REST V2. profile: polls by an expired code still return the profile that it led to. "
                + "refuse: they are rejected."),
        Key(
            "gone-decays", .scalar(.flag), into: \.goneDecays,
            "Whether the response for an expired code may change from 410 to 404 later."),
    ]

    /// The same keys without a default: what is not given is as in `policies`.
    static let differing = behaviour.map { key in
        var key = key
        key.row.fallback = nil
        return key
    }

    /// What each policy of a rig settles, in the order of the format: for `screenrig explain`.
    public static var words: [(name: String, text: String, fallback: String)] {
        keys.map { ($0.row.name, $0.row.text, $0.row.fallback ?? "") }
    }
}

extension Policies.Throttle: RigSection {
    static let blank = Policies.Throttle()
    static let keys: [Key<Policies.Throttle>] = [
        Key(
            "rate", .scalar(.rate), into: \.rate, "Sustained rate."),
        Key(
            "burst", .scalar(.count(0...100_000)), into: \.burst,
            "Requests allowed in a burst beyond the rate."),
    ]
}
