internal import Formats
public import Journal
public import Rigs
public import Statistics
public import Vocabulary

/// Looks for the offsets and orders at which a service breaks a promise.
///
/// ```text
///   coarse sweep      0, +-50 us * 2^j ... +-w, a few trials each     ....|..||||||....
///   edges             probes between a miss and a hit, halved            ^|      |^
///   rate              n trials in the middle                                 ^
///   stress, orders    where the sweep found nothing
/// ```
public struct RaceSearch: Sendable {
    public var plans: [RacePlan]
    public var terms: RaceTerms
    public var seed: Seed
    /// Time since the search began; in virtual time a limit of trials alone makes it repeatable.
    public var clock: @Sendable () -> Duration
    /// Whether somebody wants it to end.
    public var isInterrupted: @Sendable () -> Bool
    /// How far off the gate is, as measured before; what lies nearer together is simultaneous.
    public var gateError: Duration
    /// Told what happens, as it happens.
    public var news: @Sendable (RaceNews) -> Void
    /// Trials of the rate at the best offset.
    public var rateTrials = 30
    /// Whether it goes on to stress and orders when all offsets have been tried.
    public var exploresOrders = true
    /// How many orders are played before their hits are looked into: a quarter of the trials that are left, in this range.
    public var ordersAtOnce = 32...32

    public init(
        plans: [RacePlan], terms: RaceTerms, seed: Seed, gateError: Duration = .microseconds(50),
        clock: @escaping @Sendable () -> Duration,
        isInterrupted: @escaping @Sendable () -> Bool = { false },
        news: @escaping @Sendable (RaceNews) -> Void = { _ in }
    ) {
        self.plans = plans
        self.terms = terms
        self.seed = seed
        self.gateError = gateError
        self.clock = clock
        self.isInterrupted = isInterrupted
        self.news = news
    }

    /// Searches until it has been through everything, or until time or trials are used up.
    public func run(in arena: any Arena) async -> RaceOutcome {
        let searcher = RaceSearcher(self, arena)
        await searcher.run()
        return searcher.outcome
    }
}

/// What a search tells while it goes on.
public enum RaceNews: Sendable {
    /// Trials so far, and how many of them said nothing.
    case trials(Int, discarded: Int)
    /// What is being done: `poll-authenticate: coarse sweep, round 2 of 5`.
    case phase(String)
    /// Hits over the offset of one promise in one plan, with the window as far as it is known.
    case curve(
        plan: String, invariant: Invariant, [RaceFinding.CurvePoint], RaceFinding.Window?)
    case found(RaceFinding)
    /// Two arms were played: as far as they are, or to their end.
    case compared(ArmComparison)
}

/// What a search has to show.
public struct RaceOutcome: Sendable {
    public enum End: String, Sendable {
        /// Everything there is was tried.
        case complete
        case trials, time, interrupted
        /// The service does not answer any more.
        case noAnswer
    }

    /// One way to play a plan, and how far it was swept.
    public struct Sweep: Sendable, Hashable {
        public var plan: String
        public var title: String
        public var rounds: Int
        /// It had all its rounds.
        public var isWhole: Bool
        public var trials: Int
        public var discarded: Int
        /// Why it cannot be played here at all, or to no purpose; empty where it can.
        public var obstacle: String

        /// It was played, to no purpose.
        var isIdle: Bool { !obstacle.isEmpty && discarded < trials }
        /// The obstacle, after the name of what has it.
        var lack: String {
            "\(isIdle ? "shows nothing" : "cannot run") on this target: \(obstacle)"
        }
    }

    public var findings: [RaceFinding] = []
    /// For each, the first trial that broke its promise.
    public var examples: [TrialResult?] = []
    /// Promises that broke in a trial, by plan, and that the search had no time to look into, or to try again often enough.
    var unfollowed: Set<RaceBaseline.Known> = []
    /// Every promise that broke in a trial, by plan, looked into or not: what was seen is not gone.
    var seen: Set<RaceBaseline.Known> = []
    /// What was swept, in the order of plans.
    public var sweeps: [Sweep] = []
    /// What plans of two arms came to.
    public var comparisons: [ArmComparison] = []
    /// Promises that were found broken in other plans as well, by plan.
    public var alsoIn: [(plan: String, promise: Promise)] = []
    public var trials = 0
    /// Of the discarded ones, those that the end of the search stopped.
    public var cutShort = 0
    /// Inconclusive trials after the last conclusive one, with the reason of the last; without those of what cannot
    /// be played here at all, and those that the end of the search stopped.
    var lostAtEnd: (count: Int, reason: String)?
    /// Trials since the service last answered a request.
    public var silentTrials = 0
    /// When it last did, where any request of a trial was answered.
    public var lastAnswer = Instant.start
    /// Microseconds since 1970 at instant zero.
    public var startedMicroseconds: Int64 = 0
    /// Trials that said nothing, by reason, in the order of their first.
    public var discarded: [(reason: String, count: Int)] = []
    /// Variants that were swept whole.
    public var sweptWhole: Int { sweeps.count(where: \.isWhole) }
    public var variants: Int { sweeps.count }
    /// How far what was achieved was from what was aimed at, without its sign.
    public var gate: RaceFinding.Quantiles?
    public var end = End.complete
    /// Its limit ended it a quarter earlier than given, for something was found that a case is made of.
    public var isShortened = false
    public var elapsed: Duration = .zero
    /// In virtual time, where how fast schedules are played is a measure of this program alone.
    public var isVirtual = false
    /// Whose sign-ins TVs showed.
    var users = ShownUsers()
    /// Trials were played one at a time because households that are near in time disturb each other.
    public var isAlone = false

    /// By which it is told what a breach would mean for a run; a search reports every one.
    public var promises = Promises()
    /// What the stand-in's faults did; nil where it had none.
    public var faults: String?
    /// What follows the name of a case where it is replayed (`ReplayPermission`).
    public var replayOption = ""
    /// Why fewer trials were played at a time than the rig asks for; nil where nothing kept them.
    public var concurrencyLimit: String?
    /// Commands of the rig's `events`, and marks from outside; instants since the search began.
    public var events: [RunEvent] = []
    /// What is known from an earlier race; nil where nobody named one.
    public var baseline: RaceBaseline?

    public init() {}

    public var discards: Int { discarded.reduce(0) { $0 + $1.count } }
}

extension RaceOutcome.Sweep {
    init(_ track: RaceSearcher.Candidate, isWhole: Bool) {
        self.init(
            plan: track.variant.schedule.plan, title: track.variant.title, rounds: track.rounds,
            isWhole: isWhole, trials: track.trials, discarded: track.discarded,
            obstacle: track.obstacle)
    }
}

extension RaceOutcome {
    /// So many inconclusive trials in a row are no bad luck: the service is gone.
    static let gone = 20

    /// Why there is nothing to go by: no trial could be completed, or nothing new was found and most could not be, which is
    /// no pass. Nil where enough told something, or none was wanted.
    public var whyNothingCameAbout: String? {
        isAccusing ? nil : whyMostWereLost ?? whyUndecided ?? users.whyMixed
    }

    /// `sign-in-visible broke in a trial of poll-authenticate, and ...`, where no baseline has it; nil where nothing was left open.
    var whyUndecided: String? {
        let open = unfollowed.filter { baseline?.knows($0) != true }
            .sorted { ($0.plan, $0.invariant) < ($1.plan, $1.invariant) }
        guard let first = open.first else { return nil }
        let others = open.count > 1 ? " (and \(open.count - 1) more)" : ""
        return
            "\(first.invariant) broke in a trial of \(first.plan)\(others), and the search ended before it was clear "
            + "whether that comes back; give it more time or trials"
    }

    /// Why most trials, or all, could not be completed, whatever the others found; nil where enough could, or none was wanted.
    var whyMostWereLost: String? { mostLost.map { "\($0.what): \($0.reason)" } }

    /// The same in two: what came of the trials, and why.
    var mostLost: (what: String, reason: String)? {
        let played = trials + comparisons.reduce(0) { $0 + $1.played }
        let told = trials - discards + comparisons.reduce(0) { $0 + $1.played - $1.discarded }
        guard played > 0 else { return nil }
        // That it was stopped is the reason only where there was none before.
        let stopped = "\(TrialResult.Discard.stopped)"
        let reasons = discarded.filter { $0.reason != stopped }
        let reason =
            reasons.max { $0.count < $1.count }?.reason ?? discarded.first?.reason
            ?? comparisons.first?.reason ?? ""
        guard told > 0 else { return ("no trial could be completed", reason) }
        if silentTrials >= Self.gone {
            let last = startedMicroseconds + (lastAnswer - .start).wholeMicroseconds
            let since = UTCTime(microseconds: last).rfc3339
            return (
                "the service has not answered since \(since); the \(silentTrials) trials after that count for nothing",
                lostAtEnd?.reason ?? reason
            )
        }
        if trials == 0, !sweeps.isEmpty {
            return (
                "no schedule was tried",
                reason.isEmpty ? "the search ended first; give it more time or trials" : reason
            )
        }
        // Trials of what cannot be played here say nothing about the rest.
        let aside = sweeps.filter { !$0.obstacle.isEmpty }
        let (own, blind) = (
            trials - cutShort - aside.reduce(0) { $0 + $1.trials },
            discards - cutShort - aside.reduce(0) { $0 + $1.discarded }
        )
        if aside.count == sweeps.count, comparisons.isEmpty, let idle = aside.first(where: \.isIdle)
        {
            return ("no trial shows anything", idle.obstacle)
        }
        let left = trials - own
        let all =
            left > 0 ? "\(own) (besides \(left) that were stopped or cannot run here)" : "\(own)"
        if 2 * blind > own { return ("\(blind) of \(all) trials could not be completed", reason) }
        guard let lostAtEnd, lostAtEnd.count >= Self.gone else { return nil }
        return (
            "not one of the last \(lostAtEnd.count) trials could be completed", lostAtEnd.reason
        )
    }
}
