extension Explanation {
    private static let times = "operation, UTC time and request id of a few of them"

    static let exitCodes: [Explanation] = [
        Explanation(
            .exitCode, "0", "it ran; thresholds met; no invariant violated",
            "All that was asked held. With try: every step passed.", harmless: "", send: ""),
        Explanation(
            .exitCode, "1",
            "a threshold missed, an invariant violated, the service gone, or the breaker stopped it",
            "The run is whole and its report says which. With try: a step failed. With race: something was "
                + "found. With replay: it still reproduces.",
            harmless: "A threshold that is too tight for this environment.",
            send: "summary.md or report.html of the run"),
        Explanation(
            .exitCode, "2", "bad command line or bad rig file",
            "Nothing was sent. Each problem stands with file, line, column and remedy.",
            harmless: "A variable that this shell lacks: ${NAME} in the rig.", send: ""),
        Explanation(
            .exitCode, "3", "it could not run",
            "Not one exchange was ever answered, a host is not allowed, no disk, no ports.",
            harmless:
                "The service is not started yet, or a VPN or proxy is missing; 'screenrig try' finds out.",
            send: ""),
        Explanation(
            .exitCode, "4", "it ran, but the rig itself was the bottleneck",
            "Requests left later than planned, or lanes were busy, beyond validity: the times say more "
                + "about this machine than about the service. A missed threshold on counts (households, "
                + "errors) or a violation outranks it: then the exit code is 1, and the headline names "
                + "both. From 1,000 requests on, their p99 decides; of fewer, at least 10 requests and "
                + "5 % of them must be late.",
            harmless: "Other work on this machine. What helps: \(Summary.bottleneckRemedy).",
            send: ""),
        Explanation(
            .exitCode, "130", "interrupted by Ctrl-C, SIGTERM or SIGHUP",
            "What was measured until then is reported in full.", harmless: "", send: ""),
    ]

    private static func outcome(
        _ name: String, _ line: String, _ meaning: String, harmless: String, send: String
    ) -> Explanation {
        Explanation(.outcome, name, line, meaning, harmless: harmless, send: send)
    }

    static let outcomes: [Explanation] = [
        outcome(
            "ok", "the answer that the operation hopes for", "No error.", harmless: "", send: ""),
        outcome(
            "pending", "not yet",
            "A poll's 404 or 410, a 403 of a check before the sign-in. No error.",
            harmless: "The usual answer while viewers sign in.", send: ""),
        outcome(
            "throttled", "429: flow control",
            "The device waits and goes on. No error, and no information about the service.",
            harmless: "Polls below the protocol's floor, or all devices behind one address "
                + "(forwarded-for).", send: "rate per address and per device, UTC time"),
        outcome(
            "rejected", "another 4xx", "Turned down: by the protocol without any effect.",
            harmless:
                "Data of the rig that this environment does not know; what the rig provoked on "
                + "purpose is not counted.", send: times),
        outcome(
            "server-error", "5xx", "The service failed; the device backs off and tries again.",
            harmless: "A deployment under way.", send: times),
        outcome(
            "timeout", "no complete answer within target.timeout",
            "It may have taken effect all the same.",
            harmless: "target.timeout below what the service promises.",
            send: times + ", local and remote address"),
        outcome(
            "transport", "the connection failed or broke",
            "Name, TCP, TLS or a connection lost on the way.",
            harmless:
                "A load balancer that closes kept connections, or this machine's limits (ports, "
                + "descriptors): 'screenrig validate' names them.",
            send: "local and remote address, UTC time"),
        outcome(
            "malformed", "an answer that cannot be what the protocol says",
            "No HTTP, too long, or a body without its fields.",
            harmless: "target.base leads to something else.", send: times + ", and the body"),
        outcome(
            "blocked", "an answer of something in front of the service",
            "HTML where JSON or XML is due: a firewall, a CDN, a captcha. No information about the "
                + "service, effect unknown.",
            harmless: "This machine's address is not let through; ask for it, or for a header.",
            send: "this machine's public address, UTC time, CF-Ray or the like"),
        outcome(
            "not-sent", "never left this machine", "A host that is not allowed, or a stopped run.",
            harmless: "The end of a run cuts off what was due.", send: ""),
        outcome(
            "not-entitled", "the account may not watch this",
            "A 403 of authorize: an ordinary business answer, so no error and no failed household. The "
                + "household stays signed in, and plays nothing. households.csv counts it in not_entitled; "
                + "'households not-entitled < 5%' is a threshold.",
            harmless: "Test accounts without a package, or a resource that none of them has: "
                + "target.resources.", send: "account, resource and UTC time"),
    ]

    private static func fate(
        _ name: String, _ line: String, _ meaning: String, harmless: String, send: String = ""
    ) -> Explanation {
        Explanation(.fate, name, line, meaning, harmless: harmless, send: send)
    }

    /// How a household ended (households.csv).
    static let fates: [Explanation] = [
        fate(
            "running", "not over yet", "The household lived when the record ended.",
            harmless: "The run was interrupted."),
        fate(
            "signed-in", "the TV saw its token",
            "Whether the account may watch anything is another question: not_entitled.",
            harmless: ""),
        fate(
            "pre-signed-in", "the TV was signed in before it began",
            "The first check said yes: a token of an earlier run. It counts as signed in, and has no "
                + "sign-in time.",
            harmless: "identities: by-seed at a service that keeps tokens; use per-run."),
        fate(
            "failed", "the service kept it from going on",
            "households.csv has the cause in words, such as 'register-client answered 400 "
                + "invalid_software_statement'.",
            harmless: "Wrong data in the rig: 'screenrig try' shows the first step that fails.",
            send: "the cause and the household's exchanges"),
        fate(
            "abandoned", "no sign-in: the viewer left, the code ran out, or the run ended",
            "abandoned_by in households.csv says which. viewer: the rig drew it (gives-up, too-late, or "
                + "times longer than code.ttl). service: the viewer was in time for the code that the rig "
                + "asks for (code.ttl, or 30 min), and the code ended first; 'households abandoned' in "
                + "thresholds counts these. run: the run ended or was stopped first.",
            harmless:
                "by viewer or run: load.settle or code.ttl shorter than the viewers are slow.",
            send:
                "of those by the service: generated and expires of registration-code, and the polls"
        ),
    ]

    private static func stage(
        _ name: String, _ line: String, _ meaning: String, harmless: String = ""
    ) -> Explanation {
        Explanation(
            .stage, name, line, meaning, harmless: harmless,
            send: "where many stop here: the cause in households.csv")
    }

    /// How far a household got (households.csv); each stage includes those before it.
    static let stages: [Explanation] = [
        stage(
            "arrived", "it has begun", "Nothing was answered yet.",
            harmless: "register-client, access-token or the first check is turned down."),
        stage(
            "registered", "the TV has a token and asked whether it is signed in",
            "It has no code yet.", harmless: "registration-code is throttled."),
        stage(
            "code-shown", "the TV shows its code and polls", "The viewer has not typed it.",
            harmless: "Viewers are slow: viewer.notices-code."),
        stage(
            "code-typed", "the phone has looked the code up", "The login goes on.",
            harmless:
                "Viewers are slow: viewer.signs-in. The login page cannot be walked: 'screenrig "
                + "try' shows it."),
        stage("signed-in", "the TV has seen its token", "It goes on to after-sign-in."),
        stage("playing", "the TV has its media token", "It watches."),
        stage("logged-out", "the TV has signed out", "The end of the story."),
    ]
}
