internal import Dialects

/// The format of a rig file, as data: the reader, the JSON Schema and
/// rigs/reference.yaml are made of these rows. A key that is refused as not supported yet is a row
/// too, so that an editor and the reader say the same about it.
enum RigFormat {
    /// The keys of the top level, in the order in which people write them.
    static let keys: [Key] =
        [
            Key(
                "rig", .scalar(.shownText), required: true, example: "staging load",
                "The name in reports; a slug of it names the run directory."),
            Key(
                "seed", .scalar(.seed), default: "1",
                "Decides everything random; the same seed gives the same households."),
            Key(
                "identities", .words("per-run", "by-seed"), example: "by-seed",
                "Whether device ids, accounts and forwarded addresses change with every run: per-run, by "
                    + "its random id, whatever --out says. Default: by-seed for the embedded target, "
                    + "else per-run, because tokens outlive a run: the same devices would find "
                    + "themselves signed in."),
            Key(
                "target", .map(target), required: true, example: "{base: embedded}",
                "The service under test."),
            Key(
                "load", .map(load), required: true,
                example: "{arrivals: [{ramp-to: 20/s, over: 0s}, {hold: 1m}]}",
                "How households come: open, by arrivals, or closed, so many at a time."),
            Key(
                "kinds", .list(.map(kind)), default: "[{name: household}]",
                "The sorts of households and their shares of all."),
            Key("polling", .map(polling), default: "{}", "How first screens poll."),
            Key("code", .map(code), default: "{}", "What a TV does with registration codes."),
            Key(
                "after-sign-in", .list(activity), default: "[]",
                example: "[user-metadata, preauthorize, authorize, media-token, {watch: 30s}, "
                    + "{logout: 20%}, {again: 10%}]",
                "What the TV does once it is signed in, in this order. authorize, "
                    + "authorization-token and media-token ask for each of target.resources, one "
                    + "after another; play-at-once does all three for all of them at the same time, "
                    + "each over a connection of its own."),
        ] + accounts + connections + judging + extras

    private static let connections: [Key] = [
        Key(
            "connections", .words("per-device", "pooled", "fresh"), default: "per-device",
            "per-device: each keeps its own, as real devices do. pooled: any idle one. fresh: one "
                + "for each request (ports of a source address run out at about 470/s)."),
        Key(
            "source-addresses", .list(.scalar(.addressRange)), example: "[127.1.0.0/16]",
            "Local addresses to send from, IPv4: each device has one of its own as far as they go. By "
                + "default the system chooses."),
        Key(
            "forwarded-for",
            .either([
                .words("per-device", "none"), .later("[RANGE]"), .later("{file: ips.txt}"),
            ]),
            default: "per-device",
            "X-Forwarded-For of each request. per-device: an address of its own for each, because "
                + "the service throttles by it."),
        Key(
            "lanes", .scalar(.count(1...256)), example: "1",
            "Threads that run households. One for each core, less one when the target is embedded."),
        Key(
            "precise", .scalar(.flag), default: "false",
            "Spin over the last 100 us before a request is due, for exact sending: up to a core for "
                + "each lane."),
    ]

    private static let judging: [Key] = [
        Key(
            "record", .scalar(.recording), default: "all",
            "What is kept of single exchanges; aggregates are always kept in full, and households "
                + "that something went wrong in always whole."),
        Key(
            "validity", .map(validity), default: "{}",
            "When the rig itself was the bottleneck and the run proves nothing."),
        Key(
            "promises", .either([.words("strict", "documented", "observe"), .map(promises)]),
            example: "documented",
            "Which breaches may fail the run. strict: all. documented: what the vendor's pages "
                + "promise, and safety that hangs on no policy; the rest is reported as observed. "
                + "observe: none. As a map, {level: documented, sign-in-visible: strict}, single "
                + "invariants differ. strict for the embedded target, else documented."),
        Key(
            "policies", .map(policies), default: "{}",
            "What the service is held to where the protocol leaves it open; printed in each report, "
                + "and how the embedded stand-in behaves."),
        Key(
            "known", .list(.map(known)), default: "[]",
            example:
                "[{invariant: sign-in-visible, operation: poll-token, ticket: AUTH-123, "
                + "until: 2026-12-15}]",
            "Violations accepted for now: listed in each report, and no reason to fail until the "
                + "date."),
    ]

    private static let promises: [Key] =
        [
            Key(
                "level", .words("strict", "documented", "observe"), example: "documented",
                "For all invariants that are not named here.")
        ]
        + Threshold.invariants.map {
            Key(
                $0, .words("strict", "documented", "observe"), example: "observe",
                "For this invariant.")
        }

    private static let known: [Key] = [
        Key(
            "invariant", .choice(Threshold.invariants.map { Shape.Choice($0) }), required: true,
            example: "sign-in-visible", "What is broken."),
        Key(
            "operation", .choice(OperationName.allCases.map { Shape.Choice($0.name) }),
            example: "poll-token", "Only where this operation shows it."),
        Key(
            "ticket", .scalar(.shownText), required: true, example: "AUTH-123",
            "Where it is being dealt with."),
        Key(
            "until", .scalar(.date), example: "2026-12-15",
            "The last day on which it is accepted; without one, for ever."),
    ]

    private static let extras: [Key] = [
        Key("standin", .map(standin), default: "{}", "Settings of the embedded target."),
        Key(
            "faults",
            .list(.either([.scalar(.text), .named(.either([.named(.scalar(.text))]))])),
            default: "[]", example: "[noisy]",
            "Misbehaviour of the embedded target, by name and with parameters: [noisy, "
                + "{token-flap: {window: 30ms, probability: 10%}}]; 'screenrig list' has the names."
        ),
        Key(
            "thresholds", .list(threshold), default: "[]",
            example: "[poll-token p99 < 250ms, sign-in-service p95 < 8s, errors < 0.1%]",
            "What the run must keep; a line is " + Threshold.grammar + ". Hold unless a line on "
                + "the same subject replaces them: "
                + Threshold.defaults.map(\.text).joined(separator: ", ")
                + ". households abandoned counts those that the rig did not draw: the viewer was in time "
                + "for the code that the rig asks for, and the code ended first."),
        Key(
            "shows", .list(.scalar(.historyCheck)), default: "[]",
            example: "[poll-token pending, media-token 200, households signed-in == 8]",
            "What the run must show, or it fails; a line is " + HistoryCheck.grammar
                + ". FATE: " + HistoryCheck.ends.joined(separator: ", ") + "."),
        Key(
            "race", .map(race), default: "{}", example: "{plans: [poll-authenticate]}",
            "What 'screenrig race' searches, and for how long."),
        Key(
            "nightly", .map(nightly), default: "{}",
            "What 'screenrig nightly' follows from night to night, and what it keeps."),
    ]

    private static let validity: [Key] = [
        Key(
            "lateness-p99", .scalar(.duration), default: "10ms",
            "How late the rig may send, 99 times in 100. Of fewer than 1,000 requests: at least 10, and "
                + "5 % of them, must be later than that."),
        Key("busy", .scalar(.share), default: "90%", "Share of time a lane may be busy."),
        Key(
            "on-breach", .words("fail", "warn"), default: "fail",
            "fail: the run is invalid (exit code 4), unless a promise or a threshold on counts failed it "
                + "(1). warn: the report says so."),
    ]
}
