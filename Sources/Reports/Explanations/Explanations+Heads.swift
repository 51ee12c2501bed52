/// Words above columns and numbers of reports.
extension Explanation {
    private static func head(
        _ name: String, _ line: String, _ meaning: String, harmless: String = ""
    ) -> Explanation {
        Explanation(.word, name, line, meaning, harmless: harmless, send: "")
    }

    static let heads: [Explanation] = [
        head(
            "operation", "a sort of request",
            "'screenrig list' has them, in the order of a sign-in."),
        head(
            "outcome", "what came of an exchange, in one word",
            "\(outcomes.map(\.name).joined(separator: ", ")). Each is explained by its name."),
        head(
            "fate", "what became of a household, in one word",
            "\(fates.map(\.name).joined(separator: ", ")). Each is explained by its name."),
        head(
            "stage", "how far a household came",
            "\(stages.map(\.name).joined(separator: ", ")); each includes those before it."),
        head(
            "errors", "exchanges that failed",
            "rejected, server-error, timeout, transport, malformed and blocked ones that the rig did not "
                + "provoke on purpose. A poll that finds nothing yet and a throttled request are none."
        ),
        head(
            "count", "how many there were",
            "Of operations: exchanges that came to an end, whichever. Of times: those that were measured."
        ),
        head(
            "percentile", "p95: 95 in 100 took no longer",
            "p50 is the median. From a histogram that is within 0.2 %; min and max are exact. Below 10 "
                + "values for p50, 100 for p95 or 500 for p99 a percentile hangs on single values."),
        head(
            "verdict", "what was made of it",
            "Of a threshold: met or missed. Of a promise: kept, broken, seen (fails no run) or not exercised. "
                + "Of a comparison: better, worse, noise, too few values, or poll interval."),
        head(
            "measured", "what it was, with its unit",
            "Beside what was allowed: a threshold, or validity: of the rig."),
        head("kind", "a sort of household", "kinds: in the rig, with its share of all households."),
        head(
            "cause", "what stopped a household, in words",
            "The first thing that kept it from going on; 'the run was stopped' where nothing did."),
        head(
            "cut off", "under way without a token when the run was ended from outside",
            "By Ctrl-C, SIGTERM, SIGHUP or kill -9: such households are abandoned, and no failures."
        ),
        head(
            "staleness", "for how long a TV was told less than the phone",
            "From the phone's last answer to the last poll that missed the sign-in (at least), and to the "
                + "first that saw it (at most): the truth lies in between."),
        head(
            "Turnbull", "estimates times that are known as from-to only",
            "The likeliest distribution of how stale answers were, from both bounds of each sign-in "
                + "(Turnbull, JRSS B 38, 1976). Where the bounds say no more of a share, it is a range."
        ),
        head(
            "Delta", "how much later sign-ins would have to count for every answer to be right",
            "One number for a whole run: 0 where each answer was right at its time."),
        head(
            "level", "how consistent the service showed itself",
            "\(levels.map(\.name).joined(separator: ", ")), the weakest first."),
        head(
            "95 % interval", "where the true value lies 95 times in 100",
            "Of shares by Wilson's score, of k of n replays by Clopper and Pearson, of differences of two runs "
                + "by runs that were drawn again (block bootstrap)."),
        head(
            "Clopper-Pearson", "the interval behind k of n that never promises too much",
            "Exact, from the binomial distribution: 0 of 50 still allows for 7 in 100."),
        head(
            "Fisher's p", "by chance alone a control would differ as much so often",
            "The exact test of two shares: a case's hits against those of its control."),
        head(
            "sure", "how likely it is more than chance",
            "With all values that were compared at once taken together (Holm). It says that two runs differ; "
                + "where they are not alike, not that the service is why."),
        head(
            "noise", "no more than chance, or too little to matter",
            "Below 5 % or 0.5 ms a difference is none, however sure (--floor)."),
        head(
            "poll interval", "the time between two polls of a TV",
            "polling.every of the rig with its jitter. token-visibility below it says when the next poll was "
                + "due, not what the service did, and is judged neither better nor worse."),
        head(
            "series", "one value from night to night",
            "nightly.series of the rig names those that are followed. A level takes five nights, a change "
                + "three more; both begin anew where the rig was another one."),
        head(
            "base", "the run, or the level, that another is held against",
            "compare BASE RUN: what was before, and what is now, each with how many values it stands on."
        ),
        head(
            "better, worse", "a difference that is more than noise",
            "Times, errors and failed households: less is better. Rates: more is."),
        head(
            "duration", "from the first arrival to the last answer",
            "Settling and clean-up are in it."),
    ]

    /// Heads of tables and labels of numbers as reports spell them, with the word that explains each. In
    /// `plain` spelling.
    static let otherNames: [String: String] = [
        "service-time": "service", "service-p50-/-p99": "service",
        "sent-late-p50-/-p99": "lateness", "late-p99": "lateness", "late": "lateness",
        "per-s": "answers/s", "answers-per-second": "answers/s", "requests-answered": "ok",
        "p50": "percentile", "p75": "percentile", "p90": "percentile", "p95": "percentile",
        "p99": "percentile", "p99.9": "percentile", "min": "percentile", "mean": "percentile",
        "max": "percentile", "p99-over-time": "percentile", "sign-in,-p95": "sign-in",
        "token-visibility,-p95": "token-visibility", "households": "household",
        "without-the-viewer": "sign-in", "time": "sign-in", "outcomes": "outcome",
        "http-statuses": "outcome", "what-came-of-it": "outcome", "what-became-of-them": "fate",
        "came-as-far-as": "stage", "example": "cause", "first": "errors", "last": "errors",
        "share": "errors", "the-phone-was-told-“done”,-the-tv-still-“not-yet”": "staleness",
        "promise": "violations", "broken-in": "level", "of": "level", "what-it-says": "level",
        "share,-95-%": "95 % interval", "clopper": "Clopper-Pearson", "wilson": "95 % interval",
        "turnbull’s-method": "Turnbull", "measure": "measured", "allowed": "measured",
        "value": "percentile", "run": "base", "before": "base", "now": "base", "after": "base",
        "change": "base", "rate": "answers/s",
        "interval": "95 % interval", "better": "better, worse", "worse": "better, worse",
        "night": "series", "first-night": "series", "told-on": "series",
        "size-(95-%)": "95 % interval", "violation": "violations", "error": "errors",
        "thresholds": "threshold", "kinds": "kind",
    ]
}
