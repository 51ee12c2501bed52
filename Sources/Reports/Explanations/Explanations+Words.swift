extension Explanation {
    private static func word(
        _ name: String, _ line: String, _ meaning: String, harmless: String = "", send: String = ""
    ) -> Explanation {
        Explanation(.word, name, line, meaning, harmless: harmless, send: send)
    }

    /// Terms of the reports: measurements, verdicts and the parts of a run.
    static let words: [Explanation] = judgingWords + timeWords + runWords + reasonWords

    /// Why a request got no response (`TransportError.Kind`), as headlines and tables name it.
    private static let reasonWords: [Explanation] = [
        word(
            "host-not-allowed", "the rig may not send to this host",
            "Requests go to the host of target.base and to loopback. List others under target.allow, or pass --allow."
        ),
        word(
            "name-not-resolved", "the host has no address",
            "The name service knows no address of the host. Correct target.base, or give one with target.resolve."
        ),
        word(
            "connection-refused", "nothing listens at this address",
            "The connection was turned down at once. Start the service, or correct target.base."),
        word(
            "connect-failed", "no connection could be made",
            "The host was not reached: a wrong address, a firewall, or a network that is down."),
        word(
            "proxy", "the proxy does not lead to the service",
            "The proxy was not reached, wants credentials, or refused. Correct target.proxy."),
        word(
            "connection-lost", "the connection broke within the exchange",
            "The request was sent, at least in part, and the connection or the stream of HTTP/2 ended before the response was complete. "
                + "The service may have acted, unless it had refused the stream.",
            send: "operation, UTC time, local and remote address"),
        word(
            "stale-connection", "a kept connection was closed under the request",
            "The connection had carried requests before, and not a byte of a response came. An idempotent request is sent again "
                + "(outcome resent); a POST is an error, because the service may have acted.",
            harmless:
                "The keep-alive timeout of the service or its load balancer ended just as the device sent the request. Make it "
                + "longer than the pauses between requests of a device (polling.every).",
            send: "both keep-alive timeouts, local and remote address, UTC time"),
        word(
            "not-http", "the answer is no HTTP",
            "Something else listens there, or TLS is spoken on one side only."),
        word(
            "too-large", "the response is longer than allowed",
            "Bodies are limited by target.response-limit, header lines and headers by fixed limits."
        ),
        word(
            "stopped", "the run was stopped, or the device switched off",
            "The request was not sent, or its response was not waited for."),
        word(
            "local-limit", "this machine ran out of descriptors, ports or memory",
            "Raise 'ulimit -n', keep connections, or use more source addresses."),
    ]

    private static let judgingWords: [Explanation] = [
        word(
            "violations", "violated promises that fail the run",
            "The checker compares every response with the promises of a sign-in service. Each violation "
                + "names household, requests and gap, and is a row of violations.csv. 'violations == 0' "
                + "is a default threshold.",
            harmless:
                "A known problem: list it under known: in the rig. A promise that your service does "
                + "not make: set promises: in the rig.",
            send: "violations.csv, and the diagrams under Promises in report.html"),
        word(
            "checked", "the number of checks of a promise",
            "Counts responses, codes or households, depending on the promise. 0 means that the run did "
                + "not exercise the promise, not that it held."),
        word(
            "undecided", "checks without a result",
            "Too many orders of the operations were possible, or the response that would have decided "
                + "was lost. Counted separately from violations; 'undecided < 0.1%' is a default "
                + "threshold.",
            harmless: "Many responses were lost, or responses carry no usable timestamps."),
        word(
            "observed", "a violation of a promise that the protocol does not make",
            "It is counted and does not fail the run; such a run passes \"with observations\". To make it "
                + "fail the run, set promises: strict in the rig or use --promises strict.",
            harmless: "Your applications do not rely on this promise."),
        word(
            "known", "a violation that the rig accepts for now",
            "Listed under known: in the rig with its ticket. It is counted and does not fail the run."
        ),
        word(
            "suspected", "a probable violation with another possible explanation",
            "The requests and responses do not prove it; the finding names the other explanation. It does "
                + "not fail the run."
        ),
        word(
            "first cause", "the violation that other violations follow from",
            "Example: a token that disappears also violates visibility and linearizability. Tables count "
                + "the first cause and list the others next to it."),
        word(
            "certain", "no order of the requests explains the responses",
            "The strongest of three degrees: certain, given a bound (certain if that bound holds, such as "
                + "one poll interval), and suspicion."),
        word(
            "fault", "a misbehaviour injected into the stand-in, switched on by name",
            "'screenrig list' names the faults. truth.jsonl of a run records when each was activated and "
                + "whether it was visible in a response."),
    ]

    private static let timeWords: [Explanation] = [
        word(
            "latency", "the time from when a request was due to the end of its response",
            "It starts when the request was due, not when it was sent, so requests that had to wait behind "
                + "a stalled service count in full (no coordinated omission)."),
        word(
            "service", "the time from sending a request to the end of its response",
            "serviceMs in summary.json: the same as latency if the rig sent on time."),
        word(
            "lateness", "the delay with which the rig sent a request",
            "If its p99 exceeds validity.lateness-p99 (10 ms), the latencies describe this machine rather "
                + "than the service, and the exit code is 4.",
            harmless: "Other work on this machine, or the embedded stand-in under a heavy load."),
        word(
            "sign-in", "the time from the code on the TV to the token on the TV",
            "signInMs includes the viewer's own time; 'without the viewer' (signInServiceMs) does not. "
                + "Both include the poll interval. Of a household that signs in several times the first counts."
        ),
        word(
            "sign-in-service", "the time of a sign-in without the viewer's own time",
            "signInServiceMs, 'without the viewer': from the code on the TV to the token on the TV, less the time that the "
                + "viewer took to notice the code, to type and to decide. It includes the wait for the next poll."
        ),
        word(
            "token-visibility",
            "the time from the phone's last response to the first poll that returned the token",
            "tokenVisibilityMs: how long a viewer waits after finishing on the phone. It includes the "
                + "wait for the next poll. Of a household that signs in several times the first counts.",
            harmless: "A poll interval of 5 s alone adds up to 5 s."),
        word(
            "answers/s", "responses per second over the whole run",
            "Requests without a response are not included. The live display shows the last second."),
        word(
            "settle", "how long TVs keep polling after the last viewer",
            "load.settle: tokens that arrive by then still count. A household whose TV has not seen its "
                + "completed sign-in by then has failed."),
        word(
            "held back", "requests delayed by max-rate or by the ramp of new connections",
            "They were sent later than the rig asks for, so the load was lower. Their latency starts when "
                + "they were allowed to leave.",
            harmless: "Off loopback the limit is 20 requests/s unless the rig sets another."),
    ]

    private static let runWords: [Explanation] = [
        word(
            "household", "a virtual living room: a TV, phones and a viewer",
            "households.csv has a row for each: its furthest stage, its outcome and the cause."),
        word(
            "viewer", "the person who reads the code off the TV and types it into the phone",
            "viewer: in a rig sets how fast, careful and patient viewers are."),
        word(
            "lane", "a thread that runs a share of the households",
            "One per core by default; set it with --lanes. If a lane is busy for a larger share of its "
                + "time than validity.busy allows, the exit code is 4."),
        word(
            "shard", "one of several processes that run a plan together, each its part",
            "run --shard 3/8 runs the fourth of eight parts, since shards are counted from 0. Its report is about its "
                + "own households. 'merge' makes one run of all, and lists them: where each ran, how many households it had, "
                + "whether its times can be trusted (valid), and whether its record is complete; docs/scale.md."
        ),
        word(
            "start skew", "how much later a shard started than it should have",
            "Counted from --start-at, or from the first shard; empty for later attempts. With --start-at it is a few "
                + "milliseconds; more says that the machine was late or its clock is off."),
        word(
            "clock error", "how far a machine's clock may be off at most",
            "The kernel's own bound (adjtimex), kept by chrony or ntpd. 'merge' widens intervals between two machines by "
                + "the sum of both; where it is not known, what needs an order between machines is not checked.",
            harmless:
                "Containers and small virtual machines often do not synchronise their clock: --clock-bound gives a bound."
        ),
        word(
            "lost household",
            "a household that an earlier attempt of a shard began and did not end",
            "run --resume does not run it again, because its second sign-in would count as the service's doing. The "
                + "report and run.shard.lost of summary.json name it.",
            harmless: "A process that is killed loses the households that were in progress."),
        word(
            "gap", "a night without values; of a violation, the time between its two responses",
            "The run of the night failed, was stopped or killed, was limited by the load generator, or had its arrivals changed by "
                + "'screenrig control', so that its times say nothing of the service. The night stays in the series with its "
                + "reason, and no level or change is made of it. In violations.csv a gap is the time between the responses "
                + "that contradict each other.",
            harmless: "The load machine was busy, or somebody stopped the run."),
        word(
            "unusual", "a value that is far from the level of its series on a single night",
            "One night proves no lasting change: the digest is amber, and the next one or two nights decide whether "
                + "it is a regression. nightly.alarm of the rig says from which factor on a single night fails.",
            harmless: "A busy machine, a backup or a deploy in that night."),
        word(
            "threshold", "a condition that a run must meet to pass",
            "Example: 'poll-token p99 < 250ms'. The defaults are errors < 1%, households "
                + "failed < 5%, households abandoned < 5%, violations == 0 and undecided < 0.1%."),
        word(
            "breaker", "a safety limit that stops a run while the service is failing",
            "Off loopback it stops the run after half of the requests have failed for 10 s "
                + "(target.breaker); exit code 1.",
            harmless: "The service was being restarted."),
        word(
            "stopped responding",
            "an outage: from some moment on no more responses came",
            "If the service stops responding, the run continues until the last arrival plus load.settle "
                + "(at least 10 s), since the service may come back. Households without a token by "
                + "then have failed. 'Within target.timeout' means that every request waited for it: whether the service "
                + "was gone or slower than that cannot be seen. An operation that timed out while others were answered, "
                + "or that never was answered in time, is no outage.",
            harmless:
                "The service was being deployed, target.timeout is short, or this machine lost its network.",
            send: "UTC time of the last response, from history.sqlite"),
        word(
            "historyHash", "a checksum of everything that happened in a run",
            "With simulate, the same rig, seed and version give the same hash on every machine."),
        word(
            "case", "a file with a minimal reproduction of a violation",
            "'screenrig replay CASE' runs it again."),
    ]
}
