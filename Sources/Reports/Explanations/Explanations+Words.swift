extension Explanation {
    private static func word(
        _ name: String, _ line: String, _ meaning: String, harmless: String = "", send: String = ""
    ) -> Explanation {
        Explanation(.word, name, line, meaning, harmless: harmless, send: send)
    }

    /// What reports say of their own: measures, verdicts, and what stands around them.
    static let words: [Explanation] = judgingWords + timeWords + runWords

    private static let judgingWords: [Explanation] = [
        word(
            "violations", "breaches of a promise that fail the run",
            "The judge holds every answer against what a sign-in service promises; each breach names "
                + "household, exchanges and gap, and is a row of violations.csv. 'violations == 0' is "
                + "among the thresholds that every run has by default.",
            harmless:
                "What is known: list it under known: in the rig; what nobody promised: promises.",
            send: "violations.csv, and the pictures under Promises in report.html"),
        word(
            "checked", "how often a promise could have been broken",
            "Answers, codes or households, by the promise. None checked means that nothing was put to "
                + "the test, not that all is well."),
        word(
            "undecided", "where nothing could be said",
            "So many explanations fitted that the judge stopped looking, or an answer was lost that "
                + "would have told. Counted beside checked and violations; 'undecided < 0.1%' is a "
                + "default threshold.",
            harmless: "Many lost answers, or households whose clocks say nothing."),
        word(
            "observed", "a breach of what nobody promised",
            "It is counted and does not fail the run; a run that passes with it passes \"with observations\", "
                + "in every output. promises: in the rig, or --promises, decides: strict fails it.",
            harmless: "Where nobody relies on it."),
        word(
            "known", "a breach that the rig accepts for now",
            "Listed under known: in the rig with its ticket. It is counted, and fails no run."),
        word(
            "suspected", "it looks like a breach, and may be something else",
            "No order of the exchanges proves it; the sentence says what else it may be. It fails no run."
        ),
        word(
            "first cause", "the breach that others follow from",
            "A token that flaps also breaks visibility and linearizability: tables count the first "
                + "cause, and name its companions beside it."),
        word(
            "certain", "no order of the exchanges explains the answers",
            "The strongest of three: certain, given a bound (certain if that bound holds, such as one "
                + "poll interval), and suspicion."),
        word(
            "fault", "a misbehaviour of the stand-in, switched on by name",
            "'screenrig list' names them; truth.jsonl of a run says when each struck and whether an "
                + "answer showed it."),
    ]

    private static let timeWords: [Explanation] = [
        word(
            "latency", "from the moment a request was due to the end of its answer",
            "Not from when it was sent: a service that stalls cannot hide the requests that waited "
                + "behind it (coordinated omission)."),
        word(
            "service", "from sending to the end of the answer",
            "serviceMs in summary.json: the same as latency where the rig itself was on time."),
        word(
            "lateness", "how late the rig itself was in sending",
            "Beyond validity.lateness-p99 (10 ms) the numbers say more about this machine than about "
                + "the service, and the exit code is 4.",
            harmless: "Other work on this machine; the embedded stand-in beside a heavy load."),
        word(
            "sign-in", "from the code on the TV to the token on the TV",
            "signInMs: people's own time included. 'without the viewer' (signInServiceMs) leaves it out; "
                + "the poll interval is in both."),
        word(
            "token-visibility", "from the phone's last answer to the first poll that saw the token",
            "tokenVisibilityMs: what a person waits for with the phone in the hand. A poll that was "
                + "pending in between gives the upper bound.",
            harmless: "A poll interval of 5 s alone gives up to 5 s."),
        word(
            "answers/s", "answers per second of the whole run",
            "Requests that were lost are not in it. The terminal shows that of the last second."),
        word(
            "settle", "how long TVs poll on after the last viewer",
            "load.settle: late tokens still count. A household whose TV has not seen its completed sign-in "
                + "by then has failed."),
        word(
            "held back", "requests that waited for max-rate or the ramp of new connections",
            "They leave later, and times count from when they might leave: the load was gentler than "
                + "the rig asks for.",
            harmless: "Off loopback the ceiling is 20 requests/s unless the rig says otherwise."),
    ]

    private static let runWords: [Explanation] = [
        word(
            "household", "one living room: a TV, phones, and a viewer between them",
            "households.csv has a row for each: how far it came, and what stopped it."),
        word(
            "viewer", "the person who reads the code off the TV and types it into the phone",
            "viewer: in a rig says how fast, how careful and how patient people are."),
        word(
            "lane", "a thread that carries a share of the households",
            "One for each core by default; --lanes. A lane that was busy for more than validity.busy "
                + "of a second makes the run untrusted."),
        word(
            "threshold", "what must hold for a run to pass",
            "Such as 'poll-token p99 < 250ms'. A rig without its own is held to errors < 1%, households "
                + "failed < 5%, households abandoned < 5%, violations == 0 and undecided < 0.1%."),
        word(
            "breaker", "stops a run that does harm",
            "Off loopback, when half of the requests fail for 10 s (target.breaker); exit code 1.",
            harmless: "A service that was restarted meanwhile."),
        word(
            "stopped answering", "the service answered for a while, and then no more",
            "A run goes on to its last arrival, since a service may come back; from then on it waits "
                + "for load.settle, at least 10 s, and whoever has no token by then has failed.",
            harmless: "It was deployed, or this machine lost its network.",
            send: "UTC time of the last answer, from history.sqlite"),
        word(
            "historyHash", "a number that stands for everything that happened",
            "The same rig, seed and version give the same one under simulate, on every machine."),
        word(
            "case", "a file that holds a minimal reproduction of a violation",
            "'screenrig replay' runs it again."),
    ]
}
