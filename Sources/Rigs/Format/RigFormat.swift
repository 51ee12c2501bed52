internal import Dialects
internal import Vocabulary

/// The format of a rig file, as data: the reader, the JSON Schema and
/// rigs/reference.yaml are made of these rows. A key that is refused as not supported yet is a row
/// too, so that an editor and the reader say the same about it.
enum RigFormat {
    /// The keys of the top level, in the order in which people write them.
    static let keys: [Key] =
        [
            Key(
                "rig", .scalar(.shownText), required: true, example: "staging load",
                "Name in reports and of the run directory."),
            Key(
                "seed", .scalar(.seed), default: "1",
                "Seed of all random choices; the same seed gives the same households."),
            Key(
                "identities", .words("per-run", "by-seed"), example: "by-seed",
                "Whether device ids, accounts and forwarded addresses change with every run. "
                    + "per-run: yes, from the run's random id. by-seed: no, from the seed. "
                    + "Default: by-seed for the embedded target, else per-run, because tokens "
                    + "outlive a run and the same devices would already be signed in."),
            Key(
                "target", .map(target), required: true, example: "{base: embedded}",
                "The service under test."),
            Key(
                "load", .map(load), required: true,
                example: "{arrivals: [{ramp-to: 20/s, over: 0s}, {hold: 1m}]}",
                "When households start: open load (arrivals) or closed load (a fixed number at a "
                    + "time)."),
            Key(
                "kinds", .list(.map(kind)), default: "[{name: household}]",
                "Kinds of households and their weights."),
            Key("polling", .map(polling), default: "{}", "How first screens poll."),
            Key("code", .map(code), default: "{}", "How a TV handles registration codes."),
            Key(
                "after-sign-in", .list(activity), default: "[]",
                example: "[user-metadata, preauthorize, authorize, media-token, {watch: 30s}, "
                    + "{logout: 20%}, {again: 10%}]",
                "What the TV does after the sign-in, in this order. authorize, "
                    + "authorization-token and media-token request each of target.resources, one "
                    + "after another; play-at-once does all three for all resources "
                    + "concurrently, each over its own connection."),
        ] + accounts + connections + judging + extras

    private static let connections: [Key] = [
        Key(
            "connections", .words("per-device", "pooled", "fresh"), default: "per-device",
            "per-device: each device keeps its own connections, as real devices do. pooled: a "
                + "request uses any idle connection. fresh: a new connection for each request "
                + "(the ports of one source address last for about 470/s)."),
        Key(
            "source-addresses", .list(.scalar(.addressRange)), example: "[127.1.0.0/16]",
            "Local IPv4 addresses to send from; each device gets its own while there are enough. "
                + "Default: the system chooses."),
        Key(
            "forwarded-for",
            .either([
                .words("per-device", "none"), .later("[RANGE]"), .later("{file: ips.txt}"),
            ]),
            default: "per-device",
            "X-Forwarded-For of each request. per-device: a different address for each device, "
                + "because the service throttles by it."),
        Key(
            "lanes", .scalar(.count(1...256)), example: "1",
            "Threads that run households. Default: one per core, minus one when the target is "
                + "embedded."),
        Key(
            "precise", .scalar(.flag), default: "false",
            "Busy-wait during the last 100 us before a request is due, for exact sending; costs "
                + "up to one core per lane."),
    ]

    private static let judging: [Key] = [
        Key(
            "record", .scalar(.recording), default: "all",
            "Which single exchanges are recorded. Aggregates are always complete, and households "
                + "with a failure are always recorded in full."),
        Key(
            "validity", .map(validity), default: "{}",
            "When the rig itself counts as the bottleneck, so that the run is invalid."),
        Key(
            "promises", .either([.words("strict", "documented", "observe"), .map(promises)]),
            example: "documented",
            "Which violations fail the run. strict: all. documented: those of the vendor's "
                + "documentation, and safety that depends on no policy; the rest is reported as "
                + "observed. observe: none. A map sets single invariants: {level: documented, "
                + "sign-in-visible: strict}. Default: strict for the embedded target, else "
                + "documented."),
        Key(
            "policies", .map(policies), default: "{}",
            "What the service is checked against where the protocol leaves a choice; printed in "
                + "each report. The embedded stand-in behaves the same way."),
        Key(
            "known", .list(.map(known)), default: "[]",
            example:
                "[{invariant: sign-in-visible, operation: poll-token, ticket: AUTH-123, "
                + "until: 2026-12-15}]",
            "Violations accepted for now: listed in each report; they do not fail the run until "
                + "the "
                + "date."),
    ]

    private static let promises: [Key] =
        [
            Key(
                "level", .words("strict", "documented", "observe"), example: "documented",
                "Level of all invariants that are not listed here.")
        ]
        + Invariant.allCases.map {
            Key(
                $0.name, .words("strict", "documented", "observe"), example: "observe",
                "Level of this invariant.")
        }

    private static let known: [Key] = [
        Key(
            "invariant", .choice(Invariant.allCases.map { Shape.Choice($0.name) }), required: true,
            example: "sign-in-visible", "The violated invariant."),
        Key(
            "operation", .choice(OperationName.allCases.map { Shape.Choice($0.name) }),
            example: "poll-token", "Accept only violations shown by this operation."),
        Key(
            "ticket", .scalar(.shownText), required: true, example: "AUTH-123",
            "The ticket that tracks it."),
        Key(
            "until", .scalar(.date), example: "2026-12-15",
            "The last day on which it is accepted. Default: no end."),
    ]

    private static let extras: [Key] = [
        Key("standin", .map(standin), default: "{}", "Settings of the embedded target."),
        Key(
            "faults",
            .list(.either([.scalar(.text), .named(.either([.named(.scalar(.text))]))])),
            default: "[]", example: "[noisy]",
            "Faults of the embedded target, by name and with parameters: [noisy, {token-flap: "
                + "{window: 30ms, probability: 10%}}]; 'screenrig list' shows the names."
        ),
        Key(
            "thresholds", .list(threshold), default: "[]",
            example: "[poll-token p99 < 250ms, sign-in-service p95 < 8s, errors < 0.1%]",
            "Limits that the run must meet; a line is " + Threshold.grammar + ". These hold "
                + "unless a line on the same subject replaces them: "
                + Threshold.defaults.map(\.text).joined(separator: ", ")
                + ". households abandoned counts only those caused by the service: the viewer "
                + "was in time, and the code ended before the lifetime that the rig asked for."),
        Key(
            "shows", .list(.scalar(.historyCheck)), default: "[]",
            example: "[poll-token pending, media-token 200, households signed-in == 8]",
            "What the run must contain, or it fails; a line is " + HistoryCheck.grammar
                + ". FATE: " + HistoryCheck.ends.joined(separator: ", ") + "."),
        Key(
            "race", .map(race), default: "{}", example: "{plans: [poll-authenticate]}",
            "What 'screenrig race' searches, and its limits."),
        Key(
            "nightly", .map(nightly), default: "{}",
            "Which values 'screenrig nightly' follows, and how many run directories it keeps."),
    ]

    private static let validity: [Key] = [
        Key(
            "lateness-p99", .scalar(.duration), default: "10ms",
            "Limit of the p99 lateness of sending. With fewer than 1,000 requests, the run is "
                + "invalid if at least 10 and 5 % of them are later than this."),
        Key(
            "busy", .scalar(.share), default: "90%",
            "Limit of the share of time that a lane is "
                + "busy."),
        Key(
            "on-breach", .words("fail", "warn"), default: "fail",
            "fail: the run is invalid (exit code 4), unless a promise or a threshold on counts "
                + "failed it (1). warn: only a warning in the report."),
    ]
}
