public import Dialects
public import Statistics
public import Vocabulary

/// What a rig file says, already checked and with every default filled in: nothing in it means "not
/// validated yet". The keys and their defaults are those of rigs/reference.yaml.
public struct Rig: Sendable, Hashable {
    /// The name in reports.
    public var name: String
    public var seed = Seed(1)
    public var identities: Identities = .perRun
    public var target: Target
    public var load: Load
    public var kinds = [HouseholdKind.blank]
    public var polling: Polling = Polling()
    public var code: CodeTerms = CodeTerms()
    public var afterSignIn: [Activity] = []
    public var accounts: Accounts = .generated
    public var login: Login = .auto
    /// Households log out and delete their codes before they end.
    public var cleansUp: Bool = false
    public var connections: TransportOptions.Connections = .perDevice
    /// Local addresses to send from; empty: the system chooses.
    public var sources: [AddressRange] = []
    public var forwardedFor: ForwardedFor = .perHousehold
    /// Nil: one for each core, less one when the target is embedded.
    public var lanes: Int?
    /// Lanes spin up to 100 us for exact sending.
    public var isPrecise: Bool = false
    public var record: Recording = .all
    public var validity: Validity = Validity()
    /// What the service is held to.
    public var policies: Policies = Policies()
    /// Which violations may fail the run; nil: strict for the embedded target, else documented.
    public var promiseLevel: Promises.Level?
    /// The level of single invariants.
    public var promiseLevels: [Invariant: Promises.Level] = [:]
    /// Breaches accepted for now.
    public var known: [KnownViolation] = []
    /// Addresses in the tools of the server's team, for each exchange of a page.
    public var links: [LinkTemplate] = []
    public var standin: StandinTerms = StandinTerms()
    /// Misbehaviour of the embedded stand-in.
    public var faults: [FaultTerms] = []
    public var thresholds = Threshold.defaults
    /// What happens to the service meanwhile.
    public var events: [EventTerms] = []
    /// What its history must hold, or the run fails.
    public var shows: [HistoryCheck] = []
    /// What `screenrig race` does with it.
    public var race: RaceTerms = RaceTerms()
    public var nightly: Nightly = Nightly()
    /// The file as it was read, with `--set` applied and secrets left as `${NAME}`; for reports.
    public var source: String = ""
    /// Every secret that the file names, passwords of accounts apart: whatever a peer repeats of them
    /// is not shown.
    public var secrets: [Secret] = []

    public enum Identities: String, Sendable, CaseIterable {
        case perRun = "per-run"
        case bySeed = "by-seed"
    }

    /// What the TV does once it is signed in.
    public enum Activity: Sendable, Hashable {
        /// Asks for it: once, or for each of `target.resources`, one after another. What is about a
        /// code the phone asks, once its sign-in was confirmed.
        case ask(OperationName)
        /// Authorized and played: all of `target.resources` at once.
        case playAtOnce
        case watch(Distribution)
        /// One program after another, for hours.
        case plays(ProgramTerms)
        /// Share of households that log out at this point.
        case logout(Double)
        /// Share of households that sign in once more, from the start; ends the list when taken.
        case again(Double)
        /// Share of households whose app is closed and opened again; it signs in where it has to.
        case relaunch(Double)
        /// Share of households that sign in at another provider as well.
        case secondProvider(Double)
    }
}

extension Rig: RigSection {
    static let blank = Rig(name: "", target: .blank, load: .once(households: 1, settle: .zero))
    static let keys: [Key<Rig>] = [
        Key(
            "rig", .scalar(.shownText), into: \.name, required: true, example: "staging load",
            "Name in reports and of the run directory."
        ).changingNoRequest,
        Key(
            "seed", .scalar(.seed), into: \.seed,
            "Seed of all random choices; the same seed gives the same households."
        ).changingNoRequest,
        Key(
            "identities", .words(), set: { $0.identities = $1 }, example: "by-seed",
            "Whether device ids, accounts and forwarded addresses change with every run. "
                + "per-run: yes, from the run's random id. by-seed: no, from the seed. "
                + "Default: by-seed for the embedded target, else per-run, because tokens "
                + "outlive a run and the same devices would already be signed in."),
        Key(
            "target", section: \.target, required: true, example: "{base: embedded}",
            "The service under test."),
        Key(
            "load",
            .from(.section) { (keys: LoadKeys, marks, reader) in keys.load(marks, &reader) },
            into: \.load, required: true,
            example: "{arrivals: [{ramp-to: 20/s, over: 0s}, {hold: 1m}]}",
            "When households start: open load (arrivals) or closed load (a fixed number at a time)."
        ),
        Key(
            "kinds", .list(.section), into: \.kinds, default: "[{name: household}]",
            "Kinds of households and their weights."),
        Key(
            "polling", section: \.polling, "How first screens poll."),
        Key(
            "code", section: \.code, "How a TV handles registration codes."),
        Key(
            "after-sign-in", .list(.activity), into: \.afterSignIn,
            example: "[user-metadata, preauthorize, authorize, media-token, {watch: 30s}, "
                + "{logout: 20%}, {again: 10%}]",
            "What the TV does after the sign-in, in this order. authorize, authorization-token and "
                + "media-token request each of target.resources, one after another; play-at-once "
                + "does all three for all resources concurrently, each over its own connection. "
                + "{plays: {for: 4h, every: 30m}} plays one program after another for hours."),
        Key(
            "accounts", .either(.words(("generated", .generated)), .from(.section) { .listed($0) }),
            into: \.accounts,
            "Accounts that viewers sign in with. generated: viewer-<run>-<n>, so that a token "
                + "names its sign-in. Or {file: accounts.csv}, with the columns mvpd, user, "
                + "password and optionally user-id."),
        Key(
            "login",
            .either(.words(("auto", .auto)), .from(.section) { (keys: LoginKeys) in keys.login }),
            into: \.login,
            "How the login page is filled in. auto: the only form with a password field. Or "
                + "{form: 1, user: NAME, password: NAME, failed-when: TEXT}, or {command: "
                + "PROGRAM} for pages that need a script or a one-time code."),
        Key(
            "clean-up", .scalar(.flag), set: { $0.cleansUp = $1 }, example: "true",
            "Log out and delete codes at the end, also after Ctrl-C. Default: true off loopback."
        ),
        Key(
            "connections", .words(), into: \.connections,
            "per-device: each device keeps its own connections, as real devices do. pooled: a "
                + "request uses any idle connection. fresh: a new connection for each request "
                + "(the ports of one source address last for about 470/s)."),
        Key(
            "source-addresses", .list(.scalar(.addressRange)), set: { $0.sources = $1 },
            example: "[127.1.0.0/16]",
            "Local IPv4 addresses to send from; each device gets its own while there are enough. "
                + "Default: the system chooses."),
        Key(
            "forwarded-for",
            .either(
                .words(
                    ("per-household", .perHousehold), ("per-device", .perDevice), ("none", .none)),
                .from(.list(.scalar(.forwardedRange)), ForwardedFor.listed),
                .from(.section) { (keys: AddressFile) in .listed(AddressPool([], file: keys.file)) }
            ),
            into: \.forwardedFor,
            "X-Forwarded-For of each request; services throttle by it. per-household: TV and phones "
                + "of a home share one address, and so one limit, as behind a home's router; "
                + "addresses are of 198.18.0.0/15 (131,072 homes), beyond them of 2001:db8::/32. "
                + "per-device: each device has one; for viewers with shortened times, who would meet "
                + "a limit that real ones do not; try, race and replay do so in place of per-household. "
                + "[203.0.113.0/24, 2001:db8:1::/48] or {file: ips.txt}: homes have these. A range of "
                + "IPv6 wider than a /64 has one home for each /64. none: no such header."),
        Key(
            "lanes", .scalar(.count(1...256)), ifGiven: \.lanes, example: "1",
            "Threads that run households. Default: one per core, minus one when the target is "
                + "embedded."
        ).changingNoRequest,
        Key(
            "precise", .scalar(.flag), into: \.isPrecise,
            "Busy-wait during the last 100 us before a request is due, for exact sending; costs "
                + "up to one core per lane."),
        Key(
            "record", .scalar(.recording), into: \.record, default: "all",
            "Which single exchanges are recorded. Aggregates are always complete. With sample(1%) one in "
                + "100 households is recorded in full, and beside them all that failed, met a violation or were "
                + "left by the service or the run, and the first 100 for each kind of error or whose viewer left."
        ).changingNoRequest,
        Key(
            "validity", section: \.validity,
            "When the rig itself counts as the bottleneck, so that the run is invalid. Besides: if the process did not run "
                + "(SIGSTOP, or a machine without time for it) for 2 s or more and for more than 1 % of the run; "
                + "and if every missed threshold on the times of requests or sign-ins would be met without that lateness, and none on other times was missed. A threshold that more than half of "
                + "them miss is the service's although the rig was late, if it sent most requests in time."
        ).changingNoRequest,
        Key(
            "promises", .either(.from(.words()) { PromiseKeys(level: $0) }, .section),
            set: { ($0.promiseLevel, $0.promiseLevels) = ($1.level, $1.overrides) },
            example: "documented",
            "Which violations fail the run. strict: all. documented: those of the vendor's "
                + "documentation, and safety that depends on no policy; the rest is reported as "
                + "observed. observe: none. A map sets single invariants: {level: documented, "
                + "sign-in-visible: strict}. Default: strict for the embedded target, else "
                + "documented."
        ).changingNoRequest,
        Key(
            "policies", .section, set: { ($0.policies, $0.standin.policies) = ($1, $1) },
            default: "{}",
            "What the service is checked against where the protocol leaves a choice; printed in "
                + "each report. The embedded stand-in behaves the same way."),
        Key(
            "known", .list(.section), into: \.known,
            example:
                "[{invariant: sign-in-visible, operation: poll-token, ticket: AUTH-123, "
                + "until: 2026-12-15}]",
            "Violations accepted for now: listed in each report; they do not fail the run until "
                + "the date."
        ).changingNoRequest,
        Key(
            "links", .links, set: { $0.links = $1 }, default: "{}",
            example: "{trace: \"https://tempo.example/trace/{trace-id}\", "
                + "logs: \"https://kibana.example/?q={request-id}\"}",
            "Links from each exchange and violation of a page to the tools of the server's team; any "
                + "name. Placeholders, filled in URL-encoded: \(LinkTemplate.known). trace-id and "
                + "span-id are those of the request's traceparent (target.correlate), request-id is "
                + "the service's Adobe-Request-Id, X-Request-Id or the like. A link whose value is "
                + "not known is left out."
        ).changingNoRequest,
        Key(
            "standin", section: \.standin, "Settings of the embedded target."),
        Key(
            "faults", .faults, set: { $0.faults = $1 }, default: "[]", example: "[noisy]",
            "Faults of the embedded target, by name and with parameters: [noisy, {token-flap: "
                + "{window: 30ms, probability: 10%}}]; 'screenrig list' shows the names."),
        Key(
            "thresholds", .list(.threshold),
            set: { $0.thresholds = Threshold.withDefaults($1) }, default: "[]",
            example: "[poll-token p99 < 250ms, sign-in-service p95 < 8s, errors < 0.1%]",
            "Limits that the run must meet; a line is " + Threshold.grammar
                + ". {limit: LINE, abort: "
                + "true, after: 30s} ends a run early in which it was missed for so long, by all that was measured since "
                + "the start, and not by the rig's own lateness alone. These hold "
                + "unless a line on the same subject replaces them: "
                + Threshold.defaults.map(\.text).joined(separator: ", ")
                + ". households abandoned counts only those caused by the service: the viewer "
                + "was in time, and the code ended before the lifetime that the service gave it."
        ).changingNoRequest,
        Key(
            "events", .list(.section), into: \.events,
            example:
                "[{name: rollout, at: 5m, run: kubectl rollout restart deploy/auth, shell: false, "
                + "until: 6m, timeout: 10m}]",
            "What happens to the service meanwhile: commands that are run, or moments to mark. "
                + "Charts show them, and the report tells before, during and after apart; "
                + "'screenrig mark NAME' adds one from another shell."
        ).changingNoRequest,
        Key(
            "shows", .list(.scalar(.historyCheck)), into: \.shows,
            example: "[poll-token pending, media-token 200, households signed-in == 8]",
            "What the run must contain, or it fails; a line is " + HistoryCheck.grammar
                + ". FATE: " + HistoryCheck.ends.joined(separator: ", ") + "."
        ).changingNoRequest,
        Key(
            "race", section: \.race, example: "{plans: [poll-authenticate]}",
            "What 'screenrig race' searches, and its limits."
        ).changingNoRequest,
        Key(
            "nightly", section: \.nightly,
            "Which values 'screenrig nightly' follows, and how many run directories it keeps."
        ).changingNoRequest,
    ]
}

extension Rig {
    /// Keys of the top level in which two runs may differ and still be compared.
    public static let keysThatChangeNoRequest = Set(
        keys.filter { !$0.row.changesRequests }.map(\.row.name))

    /// A program of the user's logs in or signs for a platform: whom it names to the service is its own affair.
    package var leavesUsersToPrograms: Bool {
        login.command != nil
            || kinds.contains { kind in
                if case .command? = kind.platform?.signer { true } else { false }
            }
    }
}

extension Syntax<Rig.Activity> {
    static var activity: Syntax {
        .either(
            .words(
                OperationName.activities.map { ($0.name, .ask($0)) }
                    + [("play-at-once", .playAtOnce)]),
            .one(of: [
                Key(
                    "watch", .scalar(.distribution), set: { $0.value = .watch($1) }, example: "30s",
                    "Play for this long."),
                Key(
                    "plays", .section, set: { $0.value = .plays($1) },
                    example: "{for: 4h, every: 30m}",
                    "Stay on, and play one program after another: each begins with a media token (in "
                        + "adobe-pass-v2 with a decision), and with an authorization where the last has expired. "
                        + "A TV whose sign-in has expired signs in again."),
                Key(
                    "logout", .scalar(.share), set: { $0.value = .logout($1) }, example: "20%",
                    "Share of TVs that log out here."),
                Key(
                    "again", .scalar(.share), set: { $0.value = .again($1) }, example: "10%",
                    "Share of households that sign in again."),
                Key(
                    "relaunch", .scalar(.share), set: { $0.value = .relaunch($1) }, example: "10%",
                    "Share of TVs whose app is closed and opened again here; a TV that is not signed "
                        + "in then signs in."),
                Key(
                    "second-provider", .scalar(.share),
                    set: { $0.value = .secondProvider($1) }, example: "30%",
                    "Share of TVs that sign in at another provider as well and go on with it; a "
                        + "logout ends the newest sign-in only. adobe-pass-v2 only."),
            ]))
    }
}
