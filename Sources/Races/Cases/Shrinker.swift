internal import Statistics
public import Vocabulary

/// Makes a schedule smaller while it goes on breaking the same promise nearly as often. A race is
/// flaky by nature, so a candidate is not judged by one run: a sequential test decides whether it
/// hits at least half as often as the original. One that breaks another promise instead is no
/// success.
///
/// Pure over `Arena`: which schedules are tried follows from what the arena answers.
public struct Shrinker: Sendable {
    /// How much may be spent.
    public struct Budget: Sendable {
        public var replays: Int
        public var time: Duration
        /// Time since some start: the machine's clock, unless a test brings its own.
        public var clock: @Sendable () -> Duration

        public init(
            replays: Int = 200, time: Duration = .seconds(120),
            clock: (@Sendable () -> Duration)? = nil
        ) {
            self.replays = replays
            self.time = time
            let start = ContinuousClock.now
            self.clock = clock ?? { ContinuousClock.now - start }
        }
    }

    /// What came of it.
    public struct ShrinkOutcome: Sendable, Hashable {
        public var schedule: Schedule
        /// Every op was tried without: none can go.
        public var isMinimal: Bool
        /// What went, in the order in which it did.
        public var removed: [String]
        public var almost: [Case.Almost]
        /// Trials spent.
        public var replays: Int
        /// Other promises that candidates broke, with the schedule that did: bugs of their own.
        public var others: [Other]
    }

    public struct Other: Sendable, Hashable {
        public var invariant: Invariant
        public var schedule: Schedule
    }

    let arena: any Arena
    let invariant: Invariant
    let source: PromiseSource?
    /// Ids that must stay.
    let pinned: Set<String>
    let peak: Double
    let window: RaceFinding.Window?
    /// The op whose offset `window` is about.
    let swept: String?
    let budget: Budget
    private let began: Duration
    private var spent = 0
    /// Somebody stopped it: nothing more can be learned.
    private var isCut = false
    private var removed: [String] = []
    private var others: [Other] = []
    /// Candidates that were turned down since the schedule last changed, by the op left out.
    var refused: [String: Case.Almost] = [:]

    /// What goes on around a trial, as in the search.
    let company: Isolation
    /// How many trials an arena is given at once: as many misses as a rejection takes at a peak of 1.
    private static let batch = 6

    /// `peak` is the rate at the best offset, above 0.
    public init(
        of invariant: Invariant, source: PromiseSource? = nil, on arena: any Arena, peak: Double,
        window: RaceFinding.Window? = nil, swept: String? = nil, pinned: Set<String> = [],
        company: Isolation = .crowd, budget: Budget = Budget()
    ) {
        self.arena = arena
        self.invariant = invariant
        self.source = source
        self.peak = min(max(peak, 0.01), 1)
        self.window = window
        self.swept = swept
        self.pinned = pinned
        self.company = company
        self.budget = budget
        began = budget.clock()
    }

    /// Shrinks it. The order is that of § 4.5: what removes most comes first.
    public mutating func shrink(_ original: Schedule) async -> ShrinkOutcome {
        var schedule = original
        await dropHouseholds(&schedule)
        await dropOps(&schedule)
        await mergeActors(&schedule)
        await simplifyArguments(&schedule)
        await roundOffsets(&schedule)
        await freshConnections(&schedule)
        let isMinimal = await proveMinimal(&schedule)
        schedule = schedule.withoutIdleActors
        return ShrinkOutcome(
            schedule: schedule, isMinimal: isMinimal, removed: removed,
            almost: schedule.ops.compactMap { refused[$0.id] }, replays: spent, others: others)
    }

    mutating func note(_ what: String) {
        removed.append(what)
        // What could not go before may go now.
        refused = [:]
    }

    // MARK: Judging a candidate

    var isSpent: Bool {
        isCut || spent >= budget.replays || budget.clock() - began >= budget.time
    }

    /// Whether it still hits at least half as often as at its peak. Without a budget nothing is
    /// accepted any more.
    mutating func accepts(
        _ candidate: Schedule, without id: String? = nil
    ) async -> Bool {
        var test = SequentialTest(low: peak / 8, high: peak / 2)
        var unplayable = ""
        while test.decision == nil, !isSpent {
            let results = await arena.play(
                Array(repeating: candidate, count: Self.batch), in: company)
            spent += results.count
            var counted = 0
            for result in results where test.decision == nil {
                if let discard = result.discarded {
                    guard discard != .stopped else {
                        isCut = true
                        continue
                    }
                    unplayable = "\(discard)"
                    continue
                }
                counted += 1
                let isHit = result.breaks(invariant, of: source)
                test.add(isHit)
                if !isHit, let other = result.breaches.first, other.invariant != invariant,
                    !others.contains(where: { $0.invariant == other.invariant })
                {
                    others.append(Other(invariant: other.invariant, schedule: candidate))
                }
            }
            // What cannot even be played breaks nothing.
            if counted == 0 { break }
        }
        if test.decision == .high { return true }
        if let id, test.decision == .low || !unplayable.isEmpty {
            refused[id] = Case.Almost(
                without: id, rate: HitRate(hits: test.hits, trials: test.trials),
                note: test.trials == 0 ? unplayable : "")
        }
        return false
    }
}
