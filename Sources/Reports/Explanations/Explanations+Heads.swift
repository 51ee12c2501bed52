/// Words above columns and numbers of reports.
extension Explanation {
    private static func head(
        _ name: String, _ line: String, _ meaning: String, harmless: String = ""
    ) -> Explanation {
        Explanation(.word, name, line, meaning, harmless: harmless, send: "")
    }

    static let heads: [Explanation] = [
        head(
            "outcome", "the result of a request or of a household, in one word",
            "Of a request: \(outcomes.map(\.name).joined(separator: ", ")). Of a household (fate): "
                + "\(fates.map(\.name).joined(separator: ", ")). 'screenrig explain NAME' explains "
                + "each."),
        head(
            "fate", "the outcome of a household, in one word",
            "\(fates.map(\.name).joined(separator: ", ")). 'screenrig explain NAME' explains each."),
        head(
            "stage", "a step on a household's way to its sign-in",
            "\(stages.map(\.name).joined(separator: ", ")). Each includes those before it; reports show "
                + "the furthest stage that a household reached."),
        head(
            "percentile", "p95: 95 % of the samples are at most this value",
            "p50 is the median. Percentiles come from a histogram with an error below 0.2 %; min and max "
                + "are exact. With fewer than 10 samples for p50, 100 for p95 or 500 for p99, single "
                + "samples decide a percentile."),
        head(
            "verdict", "the result of a check",
            "Of a threshold: met or missed. Of a promise: held, violated, observed (does not fail the "
                + "run), known, suspected, undecided or not tested by this run. Of a comparison: better, worse, "
                + "noise, too few values, or poll interval."),
        head(
            "measured", "the measured value, with its unit",
            "Next to it stands the limit: a threshold, or validity: of the rig."),
        head(
            "events", "what happened to the service or the load during a run",
            "Commands of the rig's events, marks of 'screenrig mark', and changes of the load by 'screenrig "
                + "control'. before: since the event before it; during: while it lasts; after: until the next "
                + "one begins. In whole seconds: one in which the event goes on, if only in part, is of the event."
        ),
        head(
            "recovery", "the time from the begin of an event until the service was as before",
            "From the second in which the event begins. It ends with the last disturbed second that is followed by "
                + "5 calm ones after the event, or by the end of the run. Disturbed is a second with more errors than chance makes of the share "
                + "before (and more than 1 %), with a median above twice the p95 before, or with requests "
                + "and no response. An operation with at least twice its median once all of that is over, and three of four responses slower "
                + "than three of four before, has not recovered (of 10 to 19 responses before or afterwards: all slower than all before). An event that goes on until the run ends is read like one without a length. Without "
                + "a response before it, or in a whole second after its begin, the recovery is unknown. 'rollout recovery < 30s' is a threshold.",
            harmless: "An event that changes nothing has no recovery: 'not disturbed'."),
        head(
            "kind", "a type of household",
            "Defined under kinds: in the rig, each with its share of all households."),
        head(
            "cause", "why a household stopped",
            "The first failure that kept it from going on, or 'the run was stopped'."),
        head(
            "path", "the way in which a device gets its token",
            "code (on a TV, typed into a phone), web-view (on the device itself), platform (the device's "
                + "TV provider account) or temp-pass. A kind with platform-sign-on asks for platform, "
                + "unless its script leads elsewhere."),
        head(
            "diverted", "signed in by another path than its kind asks for",
            "The sign-in left the platform's path at a step that the rig's script passes, and was completed "
                + "by code or in a web view. The household is signed in, but measures nothing of "
                + "platform sign-on. The threshold 'households diverted == 0' makes it fail the run.",
            harmless:
                "The service has not enabled platform sign-on for the provider, or does not "
                + "trust the rig's platform key (platform-sign-on: key, command)."),
        head(
            "steps", "the path through the platform's decision graph",
            "1 token check, 2 silent question, 3 configuration, 4 picker, 5 its result, 6 profile "
                + "request, 7 the platform's signature, 8 and 9 token exchange, 10 regular sign-in, 11 "
                + "signed in."),
        head(
            "silent relogin", "a sign-in by the account that is still on the device",
            "A logout leaves the platform's account in place; only the device's settings remove it. "
                + "Expected behaviour."),
        head(
            "cut off", "households still without a token when the run was interrupted",
            "Ctrl-C, SIGTERM, SIGHUP or kill -9 ended the run. Such households count as abandoned, not "
                + "as failed."
        ),
        head(
            "staleness",
            "how long a TV still got \"not yet\" after the phone's sign-in was confirmed",
            "Lower bound: from the phone's confirmation to the last poll that returned \"not yet\". Upper "
                + "bound: to the first poll that returned the token. The true value lies in between."
        ),
        head(
            "Turnbull", "an estimate from times of which only bounds are known",
            "The maximum-likelihood distribution of staleness from the lower and upper bound of each "
                + "sign-in (Turnbull, JRSS B 38, 1976). Where the bounds leave a percentile open, it "
                + "is a range."
        ),
        head(
            "Delta", "the smallest visibility delay with which every response would be consistent",
            "One number for the whole run: 0 if every response was consistent without a delay."),
        head(
            "level", "the consistency that the service showed",
            "\(levels.map(\.name).joined(separator: ", ")); weakest first."),
        head(
            "95 % interval", "the range that contains the true value in 95 % of cases",
            "For shares: Wilson score. For violated promises and k of n replays: Clopper-Pearson. For "
                + "differences between two runs: block bootstrap."),
        head(
            "Clopper-Pearson", "a conservative confidence interval for k of n",
            "Exact, from the binomial distribution. Example: 0 of 50 is compatible with up to 7 %."),
        head(
            "window",
            "the time after a sign-in or a logout in which a service still answers as before it",
            "A window is seen only if a request falls into it. The report gives the probability that such a "
                + "run sees a window of a given length, if there is one after each sign-in: from the delay between "
                + "the sign-in and the answer to the first request after it (docs/worth.md). '95 % from' is the "
                + "shortest window that it sees with 95 %. Of all windows that there could be, 'looked at' counts "
                + "those that were followed by such a request. A window at the service is as long as the delay, so "
                + "one shorter than a round trip cannot be seen.",
            harmless:
                "Real polls are seconds apart: short windows are the business of 'screenrig race'."),
        head(
            "Fisher's p", "the probability of so large a difference by chance alone",
            "Fisher's exact test of two shares: the hits of a case against those of its control."),
        head(
            "sure", "the confidence that a difference is more than chance",
            "Corrected for the number of values compared (Holm). It says that two runs differ. If their "
                + "set-ups differ, the service may not be the cause."),
        head(
            "noise", "a difference that is within chance, or too small to matter",
            "Differences below 5 % or 0.5 ms are ignored, even if significant (--floor)."),
        head(
            "poll interval", "the time between two polls of a TV",
            "polling.every of the rig with its jitter. A token-visibility below it depends on when the "
                + "next poll is due, not on the service, so it is not compared."),
        head(
            "series", "one metric from night to night",
            "nightly.series of the rig lists the metrics. A level needs five nights, a change three more; "
                + "both start again after the rig has changed."),
        head(
            "digest", "what somebody has to know of the nights in the morning",
            "Red: a promise violated, a threshold missed, or a lasting change for the worse. Amber: an unusual "
                + "night, one without values, one that never ran, or a changed rig. Green: all else. It names the "
                + "first night of each, with its mark and new events, and blames none of them.",
            harmless: "Amber nights: the next one or two decide."),
        head(
            "base", "the run or level that another is compared with",
            "compare BASE RUN shows the value before and the value now, each with its number of samples."
        ),
        head(
            "better, worse", "a difference that is more than noise",
            "For durations, errors and failed households less is better; for rates more is better."),
        head(
            "state of the TV", "what can be true of the TV's sign-in, given all responses so far",
            "After each response the judge keeps every state that explains all of them: no token, the "
                + "token of a user, or either. While a sign-in is in flight, or its response was lost, "
                + "both are possible. If no state is left, the responses contradict each other.",
            harmless:
                "Two possible states are normal; the next response of the service decides."),
        head(
            "paused", "the time since the previous response to the same device",
            "On the page of a household. A TV pauses between polls, a phone while the viewer types. "
                + "'overlaps': sent before the previous response had come."),
        head(
            "step by step", "the page of one household, households/N.html",
            "Every request and response of both screens on one time axis, with the state of the TV after "
                + "each. 'screenrig show RUN --household N' makes it."),
        head(
            "earlier run", "the last comparable run beside this one",
            "A pale line in charts over time and of sign-ins: the newest run of the same rig, load, target and "
                + "protocol that was neither interrupted nor limited by the rig."),
        head(
            "links", "addresses of an exchange in your own tools",
            "links: in the rig sets them, with placeholders such as {trace-id} and {request-id}."),
        head(
            "load on the service",
            "the largest second of requests, polls, sign-ins, 429s and living codes",
            "Peak is the largest value of one second, 'in second' the first that had it, since the run began. A sign-in "
                + "counts when the TV has seen its token; a code is alive while the TV shows it and waits."
        ),
        head(
            "duration", "the time from the first arrival to the last response",
            "It includes load.settle and clean-up."),
    ]

    /// Column headings and labels as reports spell them, with the word that explains each, in the spelling
    /// of `plain`.
    static let otherNames: [String: String] = [
        "service-time": "service",
        "late": "lateness",
        "responses-per-second": "answers/s", "requests-answered": "ok",
        "p99-over-time": "percentile", "sign-in,-p95": "sign-in",
        "token-visibility,-p95": "token-visibility", "households": "household",
        "without-the-viewer": "sign-in", "time": "sign-in",
        "furthest-stage": "stage",
        "time-from-the-confirmed-sign-in-to-its-token": "staleness", "promise": "violations",
        "violated-in": "level", "of": "level", "meaning": "level",
        "share,-95-%": "95 % interval", "clopper": "Clopper-Pearson", "wilson": "95 % interval",
        "turnbull’s-method": "Turnbull", "measure": "measured", "allowed": "measured",
        "value": "percentile", "run": "base", "before": "base", "now": "base", "after": "base",
        "change": "base", "rate": "answers/s",
        "interval": "95 % interval", "better": "better, worse", "worse": "better, worse",
        "last-night": "series", "newest-night": "series", "nights": "series",
        "night": "series", "first-night": "series", "detected": "series",
        "size-(95-%)": "95 % interval", "violation": "violations", "error": "errors",
        "thresholds": "threshold", "kinds": "kind",
        "signed-in-by": "path", "95-%-from": "window", "window-after": "window",
        "windows": "window", "looked-at": "window", "1-ms": "window",
        "what": "load on the service", "peak": "load on the service",
        "in-second": "load on the service", "over-time": "load on the service",
        "10-ms": "window", "30-ms": "window", "100-ms": "window",
        "1-s": "window", "detectable-windows": "window",
    ]
}
