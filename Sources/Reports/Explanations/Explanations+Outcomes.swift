extension Explanation {
    private static let times = "operation, UTC time and request id of a few of them"

    static let exitCodes: [Explanation] = [
        Explanation(
            .exitCode, "0", "the run completed, all thresholds were met, no promise was violated",
            "With try: every step passed.", harmless: "", send: ""),
        Explanation(
            .exitCode, "1",
            "a threshold missed, a promise violated, a service outage, or the breaker stopped the run",
            "The report is complete and names the reason. With try: a step failed. With race: it found a "
                + "violation. With replay: the violation still reproduces.",
            harmless: "A threshold is too tight for this environment.",
            send: "summary.md or report.html of the run"),
        Explanation(
            .exitCode, "2", "bad command line or bad rig file",
            "Nothing was sent. Each problem is listed with file, line, column and remedy.",
            harmless: "The rig uses ${NAME}, and this shell does not set NAME.", send: ""),
        Explanation(
            .exitCode, "3", "the run was not possible",
            "No request was answered, a host is not allowed, or disk space or ports ran out.",
            harmless:
                "The service has not started yet, or a VPN or proxy is missing: check with 'screenrig try'.",
            send: ""),
        Explanation(
            .exitCode, "4", "the run completed, but the load generator was the bottleneck",
            "Requests were sent later, or lanes were busier, than validity: allows, so the latencies "
                + "describe this machine rather than the service. A violation or a missed threshold on "
                + "counts (households, errors) takes precedence: then the exit code is 1, and the "
                + "headline names both. From 1,000 requests on, the p99 of lateness decides; below "
                + "that, at least 10 requests and 5 % of all must be late. Fewer are enough if every missed "
                + "threshold on the times of requests or sign-ins would be met without that lateness, and none on other times was missed. A threshold that more than half of them "
                + "miss fails the run although the rig was late, if it sent most requests in time.",
            harmless: "Other work on this machine. What to do: \(Summary.bottleneckRemedy).",
            send: ""),
        Explanation(
            .exitCode, "130", "interrupted by Ctrl-C, SIGTERM or SIGHUP",
            "The report covers everything measured until then.", harmless: "", send: ""),
    ]

    private static func outcome(
        _ name: String, _ line: String, _ meaning: String, harmless: String, send: String
    ) -> Explanation {
        Explanation(.outcome, name, line, meaning, harmless: harmless, send: send)
    }

    static let outcomes: [Explanation] = [
        outcome(
            "ok", "a successful response", "Not an error.", harmless: "", send: ""),
        outcome(
            "pending", "not yet",
            "A poll's 404 or 410, a check's 403 before the sign-in, or \"not authenticated\" after the "
                + "sign-in's own expiry. Not an error.",
            harmless: "The normal response while viewers sign in, and after a sign-in has expired.",
            send: ""),
        outcome(
            "throttled", "429: the service limits the rate",
            "The device waits and tries again. Not an error.",
            harmless:
                "TVs poll faster than the protocol's minimum, TV and phone of a home share one limit "
                + "(forwarded-for: per-household), or all devices do (none). \"Throttled by limit\" in the "
                + "report and throttling in summary.json tell how many homes, and what it did to sign-ins.",
            send: "rate per address and per device, UTC time"),
        outcome(
            "rejected", "a 4xx other than those of pending, throttled and not-entitled",
            "The service refused the request; by the protocol it has no effect.",
            harmless:
                "The rig uses data that this environment does not know. Rejections that the rig provokes "
                + "on purpose are not counted.", send: times),
        outcome(
            "server-error", "5xx", "The service failed; the device backs off and retries.",
            harmless: "A deployment in progress.", send: times),
        outcome(
            "timeout", "no complete response within target.timeout",
            "The request may still have taken effect.",
            harmless: "target.timeout is shorter than the service's documented limit.",
            send: times + ", local and remote address"),
        outcome(
            "transport", "the connection failed or broke",
            "DNS, TCP or TLS failed, or the connection was lost during the request.",
            harmless:
                "A load balancer closes idle connections, or this machine runs out of ports or "
                + "descriptors: 'screenrig validate' names the limits.",
            send: "local and remote address, UTC time"),
        outcome(
            "malformed", "a response that the protocol does not allow",
            "Not HTTP, too long, or a body without its required fields.",
            harmless: "target.base points to another server.", send: times + ", and the body"),
        outcome(
            "blocked", "a response from something in front of the service",
            "HTML instead of JSON or XML, or a compressed body: the page of a firewall, a CDN or a captcha; with 502, 503, "
                + "504 or 400 that of a proxy or load balancer, which did not reach the service, limits requests, or did "
                + "not accept this one. Whether the request took effect is unknown.",
            harmless:
                "This machine's address is not allowed: have it allowed, or set the header that "
                + "lets it through (target.headers). The rig asks for compressed bodies (Accept-Encoding).",
            send: "this machine's public address, UTC time, CF-Ray or the like"),
        outcome(
            "not-sent", "the request was not sent",
            "The host is not allowed, or the run was stopped.",
            harmless: "The run ended before the request was due.", send: ""),
        outcome(
            "not-entitled", "the account may not watch this",
            "A 403 from authorize (V1), or a decision without a permission (V2): a regular business "
                + "response, so neither an error nor a failed household. The household stays signed in and plays nothing. households.csv counts it in "
                + "not_entitled; use the threshold 'households not-entitled < 5%' to limit it.",
            harmless: "The test accounts have no package, or none that includes target.resources.",
            send: "account, resource and UTC time"),
        outcome(
            "resent", "a kept connection was closed under the request, which was sent again",
            "An idempotent request (GET, PUT, DELETE, OPTIONS) got no byte of a response, because the "
                + "service closed the kept connection on which it was sent. The device sent it again, "
                + "once, on a new connection, as real devices do (RFC 9110, 9.2.2); that copy is an "
                + "exchange of its own, and only it counts as an error if it fails. The service may "
                + "have acted on both. A POST is sent again only where the service says that it has not begun with it: by "
                + "REFUSED_STREAM or GOAWAY of HTTP/2 (RFC 9113, 8.7), or by a 408 that closes a kept connection "
                + "(RFC 9110, 15.5.9). Otherwise it is an error of outcome transport, reason stale-connection.",
            harmless:
                "The keep-alive timeout of the service or its load balancer ended just as the device "
                + "sent the request. Make it longer than the pauses between requests of a device "
                + "(polling.every).",
            send: "both keep-alive timeouts, local and remote address, UTC time"),
        outcome(
            "cut-off", "the run was stopped, or the device switched off, before a response came",
            "The request was sent. Where the run was stopped (Ctrl-C, a threshold that stops it), it counts in the "
                + "percentiles for as long as it had waited by then.",
            harmless: "The run was stopped a moment after the request had been sent.", send: times),
    ]

    private static func fate(
        _ name: String, _ line: String, _ meaning: String, harmless: String, send: String = ""
    ) -> Explanation {
        Explanation(.fate, name, line, meaning, harmless: harmless, send: send)
    }

    /// The outcome of a household (households.csv).
    static let fates: [Explanation] = [
        fate(
            "running", "still in progress", "The household was in progress when the record ended.",
            harmless: "The run was interrupted."),
        fate(
            "signed-in", "the TV got its token",
            "It does not mean that the account may watch anything; see not_entitled.",
            harmless: ""),
        fate(
            "pre-signed-in", "the TV was already signed in on arrival",
            "Its first check returned a token of an earlier run. The household counts as signed in and "
                + "has no sign-in time.",
            harmless: "identities: by-seed and a service that keeps tokens; use per-run."),
        fate(
            "failed", "an error of the service stopped the household",
            "The cause column of households.csv has the reason, such as 'register-client answered 400 "
                + "invalid_software_statement'.",
            harmless: "Wrong data in the rig: 'screenrig try' shows the first step that fails.",
            send: "the cause and the household's requests"),
        fate(
            "abandoned", "no sign-in: the viewer gave up, the code expired, or the run ended",
            "abandoned_by in households.csv says which. viewer: the rig's random draw (gives-up, "
                + "too-late, or viewer times longer than the lifetime that the service gave the code). "
                + "service: the viewer was in time for that lifetime, but the code ended earlier or "
                + "responses took too long; the threshold 'households abandoned' counts these. run: the "
                + "run ended or was stopped first, or its rate limit (max-rate) delayed the phone until the code was over.",
            harmless:
                "Abandoned by viewer or run: load.settle or the code's lifetime is shorter than viewers "
                + "need. The cause names a lifetime shorter than code.ttl (or 30 min).",
            send:
                "for those abandoned by the service: generated and expires of registration-code, and "
                + "the polls"
        ),
    ]

    private static func stage(
        _ name: String, _ line: String, _ meaning: String, harmless: String = ""
    ) -> Explanation {
        Explanation(
            .stage, name, line, meaning, harmless: harmless,
            send: "if many households stop here: the cause in households.csv")
    }

    /// The furthest stage of a household (households.csv); each stage includes those before it.
    static let stages: [Explanation] = [
        stage(
            "arrived", "the household has started", "It has no response yet.",
            harmless: "register-client, access-token or the first check is rejected."),
        stage(
            "registered", "the TV has an access token and has checked whether it is signed in",
            "It has no code yet.", harmless: "registration-code is throttled."),
        stage(
            "code-shown", "the TV shows its code and polls", "The viewer has not typed it yet.",
            harmless: "Viewers are slow: viewer.notices-code."),
        stage(
            "code-typed", "the phone has looked the code up", "The login is in progress.",
            harmless:
                "Viewers are slow: viewer.signs-in. Or screenrig cannot fill in the login page: "
                + "'screenrig try' shows why."),
        stage("signed-in", "the TV has its token", "It continues with after-sign-in."),
        stage("playing", "the TV has its media token", "The viewer watches."),
        stage("logged-out", "the TV has signed out", "The last stage."),
    ]
}
