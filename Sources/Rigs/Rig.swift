public import Dialects
public import Statistics

/// What a rig file says, already checked and with every default filled in: nothing in it means "not
/// validated yet". The keys and their defaults are those of rigs/reference.yaml.
public struct Rig: Sendable, Hashable {
    /// The name in reports.
    public var name: String
    public var seed: Seed
    public var identities: Identities
    public var target: Target
    public var load: Load
    public var kinds: [HouseholdKind]
    public var polling: Polling
    public var code: CodeTerms
    public var afterSignIn: [Activity]
    public var accounts: Accounts
    public var login: Login
    /// Households log out and delete their codes before they end.
    public var cleansUp: Bool
    public var connections: Connections
    /// Local addresses to send from; empty: the system chooses.
    public var sources: [AddressRange]
    public var forwardedFor: ForwardedFor
    /// Nil: one for each core, less one when the target is embedded.
    public var lanes: Int?
    /// Lanes spin up to 100 us for exact sending.
    public var isPrecise: Bool
    public var record: Recording
    public var validity: Validity
    /// What the service is held to.
    public var policies: Policies
    /// Which breaches may fail the run.
    public var promises: Promises
    /// Breaches accepted for now.
    public var known: [Known]
    public var standin: StandinTerms
    /// Misbehaviour of the embedded stand-in.
    public var faults: [FaultTerms]
    public var thresholds: [Threshold]
    /// What its history must hold, or the run fails.
    public var shows: [HistoryCheck]
    /// What `screenrig race` does with it.
    public var race: RaceTerms
    public var nightly: Nightly
    /// The file as it was read, with `--set` applied and secrets left as `${NAME}`; for reports.
    public var source: String
    /// Every secret that the file names, passwords of accounts apart: whatever a peer repeats of them
    /// is not shown.
    public var secrets: [Secret] = []

    public enum Identities: String, Sendable, CaseIterable {
        case perRun = "per-run"
        case bySeed = "by-seed"
    }

    public enum Connections: String, Sendable, CaseIterable {
        case perDevice = "per-device"
        case pooled, fresh
    }

    public enum ForwardedFor: Sendable, Hashable {
        case perDevice
        case none
    }

    /// What is kept of single exchanges. Aggregates are always kept in full.
    public enum Recording: Sendable, Hashable {
        case all
        /// This share (0 to 1) of the households that nothing went wrong in, and all others.
        case sample(Double)
        case aggregates
        case none
    }

    /// When the rig was the bottleneck (exit code 4).
    public struct Validity: Sendable, Hashable {
        public var latenessP99: Duration
        /// Share of time that a lane may spend in turns, 0 to 1.
        public var busy: Double
        public var failsOnBreach: Bool

        public init(
            latenessP99: Duration = .milliseconds(10), busy: Double = 0.9,
            failsOnBreach: Bool = true
        ) {
            self.latenessP99 = latenessP99
            self.busy = busy
            self.failsOnBreach = failsOnBreach
        }
    }

    /// How a first screen polls (rest-v1.md § 15).
    public struct Polling: Sendable, Hashable {
        public var every: Duration
        /// Share of `every` by which an interval varies both ways, 0 to 1.
        public var jitter: Double
        public var target: PollTarget
        /// Spread: each device has a phase of its own. Aligned: all poll on the same beat.
        public var isAligned: Bool
        /// Code shown → first poll; nil: one interval.
        public var firstAfter: Duration?
        /// What makes a first screen ask.
        public var mode: Mode
        /// Poll loops of one TV, evenly apart; more than one is for test benches.
        public var pollers: Int
        /// How long they go on after each success and each logout, for test benches.
        public var afterSuccess: Duration

        /// The vendor recommends a "Continue" button over polling (rest-v1.md § 15).
        public enum Mode: Sendable, Hashable {
            case timer
            /// The viewer presses it after so long, and again after as long, until it works.
            case button(Distribution)
        }

        public init(
            every: Duration = .seconds(5), jitter: Double = 0.1, target: PollTarget = .token,
            isAligned: Bool = false, pollers: Int = 1, afterSuccess: Duration = .zero,
            mode: Mode = .timer
        ) {
            self.pollers = pollers
            self.afterSuccess = afterSuccess
            self.every = every
            self.jitter = jitter
            self.target = target
            self.isAligned = isAligned
            self.mode = mode
        }
    }

    public struct CodeTerms: Sendable, Hashable {
        /// Asked for when the rig says so; nil leaves it to the service.
        public var lifetime: Duration?
        /// Life of a code when the rig asks for none (rest-v1.md § 6).
        static let usualLifetime: Duration = .seconds(1_800)
        /// How long a code should live.
        public var expectedLifetime: Duration { lifetime ?? Self.usualLifetime }
        /// The TV deletes its code once it has its token.
        public var deletesAfter: Bool
        /// Share of households that ask for a new code instead of using the first, 0 to 1.
        public var newCode: Double

        public init(lifetime: Duration? = nil, deletesAfter: Bool = false, newCode: Double = 0) {
            self.lifetime = lifetime
            self.deletesAfter = deletesAfter
            self.newCode = newCode
        }
    }

    /// What the TV does once it is signed in.
    public enum Activity: Sendable, Hashable {
        /// Asks for it: once, or for each of `target.resources`, one after another. What is about a
        /// code the phone asks, once its sign-in was confirmed.
        case ask(OperationName)
        /// Authorized and played: all of `target.resources` at once.
        case playAtOnce
        case watch(Distribution)
        /// Share of households that log out at this point.
        case logout(Double)
        /// Share of households that sign in once more, from the start; ends the list when taken.
        case again(Double)
        /// Share of households whose app is closed and opened again; it signs in where it has to.
        case relaunch(Double)
    }

    public init(
        name: String, seed: Seed, identities: Identities, target: Target, load: Load,
        kinds: [HouseholdKind], polling: Polling = Polling(), code: CodeTerms = CodeTerms(),
        afterSignIn: [Activity] = [], accounts: Accounts = .generated, login: Login = .auto,
        cleansUp: Bool = false, connections: Connections = .perDevice,
        sources: [AddressRange] = [], forwardedFor: ForwardedFor = .perDevice, lanes: Int? = nil,
        isPrecise: Bool = false, record: Recording = .all,
        validity: Validity = Validity(), policies: Policies = Policies(),
        promises: Promises = Promises(), known: [Known] = [],
        standin: StandinTerms = StandinTerms(), faults: [FaultTerms] = [],
        thresholds: [Threshold] = [], shows: [HistoryCheck] = [], race: RaceTerms = RaceTerms(),
        nightly: Nightly = Nightly(), source: String = ""
    ) {
        self.name = name
        self.seed = seed
        self.identities = identities
        self.target = target
        self.load = load
        self.kinds = kinds
        self.polling = polling
        self.code = code
        self.afterSignIn = afterSignIn
        self.accounts = accounts
        self.login = login
        self.cleansUp = cleansUp
        self.connections = connections
        self.sources = sources
        self.forwardedFor = forwardedFor
        self.lanes = lanes
        self.isPrecise = isPrecise
        self.record = record
        self.validity = validity
        self.policies = policies
        self.promises = promises
        self.known = known
        self.standin = standin
        self.faults = faults
        self.thresholds = thresholds
        self.shows = shows
        self.race = race
        self.nightly = nightly
        self.source = source
    }
}
