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
            "no-token-before-sign-in", "a TV sees no token before its sign-in",
            "A poll or check returned a token although no sign-in of that device had been sent.",
            harmless:
                "An earlier run used the same device id (identities: by-seed on a service that keeps "
                + "tokens); use identities: per-run."),
        invariant(
            "token-isolation", "a TV sees only the token of its own household's sign-in",
            "A response named a user who signed in in another household.",
            harmless:
                "Households share accounts: then a user name does not identify a household."),
        invariant(
            "sign-in-visible",
            "a poll sent after the phone's sign-in was confirmed sees the token",
            "Read-your-writes across the two screens: the phone's sign-in was confirmed, and a poll "
                + "sent more than policies.visibility later still returned \"not yet\".",
            harmless: "Replication lag. The protocol does not forbid it; policies.visibility sets "
                + "the delay you accept."),
        invariant(
            "sign-in-delivered",
            "a poll sent one poll interval after the phone's sign-in was confirmed sees the token",
            "The phone's sign-in was confirmed, and a poll sent one poll interval later (polling.every "
                + "plus jitter, at least 5 s) still returned \"not yet\" (rest-v1.md, 16). After a 429, "
                + "a 5xx or a lost poll the next poll is checked instead; a TV that has stopped polling "
                + "is not checked.",
            harmless: "A longer replication lag that the server's team has announced: set "
                + "policies.visibility."),
        invariant(
            "token-monotonic",
            "once seen, a token stays until logout, a newer sign-in or its own expiry",
            "A later response said \"not signed in\": a poll's \"not yet\", or a refusal of "
                + "user-metadata, preauthorize, authorize, authorization-token or media-token (412, or "
                + "403 with \"User not authenticated\").",
            harmless: "The token expired between two responses, or the provider ended the session."
        ),
        invariant(
            "one-owner", "a code is consumed by at most one sign-in; ended states stay ended",
            "One code signed in two users, or worked again after its end.",
            harmless: "The service allows it: set policies.code-reuse."),
        invariant(
            "one-token", "all responses about one sign-in carry the same token",
            "Two reads of one sign-in differed in user, provider or expiry.",
            harmless: "A sliding expiry, if the service has one."),
        invariant(
            "code-unique", "two live registration records never share a code",
            "The same code was given to two devices while both were live.",
            harmless: "None known."),
        invariant(
            "expiry-respected",
            "tokens and codes work until their expiry, and not after it",
            "A token or code worked after its own expiry, or stopped working before it.",
            harmless: "Clock skew or late clean-up: set policies.clock-tolerance and "
                + "policies.sweep-lag."),
        invariant(
            "logout-final", "after logout a token no longer works",
            "A poll, authorization or media-token request still succeeded after the logout.",
            harmless: "None known. Requests in flight during the logout are not counted."),
        invariant(
            "delete-final", "a deleted code stays deleted",
            "A code still worked after its deletion.", harmless: "None known."),
        invariant(
            "errors-have-no-effect",
            "a request answered with 4xx has no effect; a request whose response was lost has at most one",
            "A request that was rejected took effect all the same.",
            harmless: "None known: a firewall's response counts as blocked, not as 4xx."),
        invariant(
            "retry-once", "a retried request takes effect once",
            "A request that was retried after a lost response took effect twice.",
            harmless: "None known: only requests marked as retries are checked."),
        invariant(
            "authorization-gates",
            "a media token needs a valid authentication and authorization of that device and resource",
            "A media token was issued without one of them, or an authorization ended before its expiry "
                + "without a sign-out or a new sign-in (rest-v1.md, 11).",
            harmless: "A temporary pass, if the service offers one."),
        invariant(
            "clock-agreement", "all server timestamps fit one clock",
            "The timestamps in responses cannot come from one clock.",
            harmless: "Clock skew of milliseconds between nodes: set policies.clock-tolerance."),
        invariant(
            "throttle-contract", "429 only above the documented rate, and recovery after it",
            "A device was throttled although it stayed below its documented rate.",
            harmless: "The service throttles by peer address: then all devices share one limit."),
        invariant(
            "poll-is-pure", "how often a TV polls does not change the outcome",
            "Two variants of a schedule that differ only in their polls ended differently. Only "
                + "'screenrig race' checks this.",
            harmless: "None known."),
        invariant(
            "path-independence",
            "the outcome does not depend on which node or connection served a request",
            "Two variants of a schedule that differ only in their connections ended differently. Only "
                + "'screenrig race' checks this.",
            harmless: "Replication lag within policies.visibility."),
        invariant(
            "polling-ends", "every poll loop ends",
            "A TV went on polling after its code had expired.",
            harmless: "None known."),
        invariant(
            "linearizable",
            "some order of the operations explains all responses (checked per device)",
            "No order of a device's operations explains the responses it received.",
            harmless: "None known. Often another promise is violated with it: look at that one "
                + "first."),
        invariant(
            "conforms", "statuses, fields and types match the protocol's documentation",
            "A response had a status, field or type that the documentation does not allow, or an SDK's "
                + "callbacks came in the wrong order.",
            harmless: "None known. Additional fields are allowed."),
    ]
}
