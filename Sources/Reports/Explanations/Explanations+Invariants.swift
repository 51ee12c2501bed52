extension Explanation {
    private static let story =
        "the row of violations.csv with its request ids, and the household's exchanges (sqlite3 "
        + "RUN/history.sqlite 'SELECT * FROM exchanges WHERE household = N')"

    private static func invariant(
        _ name: String, _ line: String, _ meaning: String, harmless: String, send: String = story
    ) -> Explanation {
        Explanation(.invariant, name, line, meaning, harmless: harmless, send: send)
    }

    /// In the order of `screenrig list`.
    static let invariants: [Explanation] = [
        invariant(
            "no-token-before-sign-in", "a TV sees no token that nobody signed in for yet",
            "A poll or check answered yes although no sign-in of that device can have happened.",
            harmless: "A device id used by an earlier run (identities: by-seed on a kept service)."),
        invariant(
            "token-isolation", "a TV sees only the token of its own household's sign-in",
            "A token named a user who signed in for another household.",
            harmless: "Accounts shared between households: then a name proves nothing."),
        invariant(
            "sign-in-visible",
            "a poll sent after the phone was told \"done\" sees the token",
            "The phone had its success, and a poll sent later was told \"not yet\" for longer than "
                + "policies.visibility.",
            harmless: "Replicas that lag: a promise nobody made unless the rig sets the bound."),
        invariant(
            "sign-in-delivered",
            "a poll sent one poll interval after the phone was told \"done\" sees the token",
            "The phone had its success, and a poll sent polling.every with its jitter later, at least 5 s, "
                + "was still told \"not yet\" (rest-v1.md, 16). A 429, a 5xx and a lost poll leave it to "
                + "the next one; a TV that polls no more is not judged.",
            harmless: "A longer lag that the server's team has announced: set policies.visibility."),
        invariant(
            "token-monotonic",
            "once seen, a token stays until logout, a newer sign-in or its own expiry",
            "A later answer said that nobody is signed in: a poll's \"not yet\", or a refusal of "
                + "user-metadata, preauthorize, authorize, authorization-token or media-token (412, or "
                + "403 with \"User not authenticated\").",
            harmless: "A token that ran out between two answers; a session that the provider ended."
        ),
        invariant(
            "one-owner", "a code is consumed by at most one sign-in; ended states stay ended",
            "One code served two users, or came back after its end.",
            harmless: "policies.code-reuse set otherwise."),
        invariant(
            "one-token", "all answers about one sign-in carry one token",
            "Two reads of one sign-in differed in user, provider or expiry.",
            harmless: "A sliding expiry, if the service has one."),
        invariant(
            "code-unique", "two live registration records never share a code",
            "The same code was given to two devices while both were live.",
            harmless: "None known."),
        invariant(
            "expiry-respected",
            "nothing works surely after its expiry, nothing is refused as expired surely before it",
            "A token or code outlived its own date, or died before it.",
            harmless: "Clocks: policies.clock-tolerance and sweep-lag give room."),
        invariant(
            "logout-final", "after logout nothing of that token answers",
            "A poll, authorization or media token still answered yes.",
            harmless: "A request that was under way during the logout is not counted."),
        invariant(
            "delete-final", "a deleted code stays dead",
            "A code answered after its deletion.", harmless: "None known."),
        invariant(
            "errors-have-no-effect",
            "what was answered 4xx had no effect; what was lost had at most one",
            "An effect was seen of a request that had been turned down.",
            harmless: "None known: an answer of a firewall counts as blocked, not as 4xx."),
        invariant(
            "retry-once", "an intent retried takes effect once",
            "A request repeated after a lost answer took effect twice.",
            harmless: "None known: only retries that were marked are judged."),
        invariant(
            "authorization-gates",
            "media tokens exactly with live authentication and authorization of that device and resource",
            "A media token came without one of them, or an authorization was gone before its expiry "
                + "although nobody signed out or in (rest-v1.md, 11).",
            harmless: "A temporary pass, where the service gives one."),
        invariant(
            "clock-agreement", "all server timestamps fit one clock",
            "The dates of answers cannot come from one clock.",
            harmless: "Milliseconds between nodes: policies.clock-tolerance."),
        invariant(
            "throttle-contract", "429 exactly as documented, and recovery after it",
            "A device was throttled below its rate, or not above it.",
            harmless: "A service that throttles by peer address: then all devices are one."),
        invariant(
            "poll-is-pure", "how often a TV polls never changes the outcome",
            "Two arms that differ in polls only ended differently; decided by race.",
            harmless: "None known."),
        invariant(
            "path-independence",
            "the outcome does not depend on which node or connection served it",
            "Two arms that differ in connections only ended differently; decided by race.",
            harmless: "Replicas that lag, if the rig allows for it."),
        invariant(
            "polling-ends", "every poll loop ends",
            "A TV was still polling when its code and the run were over.",
            harmless: "None known."),
        invariant(
            "linearizable",
            "some order of the operations explains all answers (checked per device)",
            "No order of a device's operations explains what it was told.",
            harmless: "Often the companion of another violation: look at that one first."),
        invariant(
            "conforms", "statuses, fields and types are those of the protocol page",
            "An answer left the page: a status, a field or a type; or an SDK's callbacks left their order.",
            harmless: "Fields that the service added: they are no deviation."),
    ]
}
