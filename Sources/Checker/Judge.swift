public import Journal
public import Vocabulary

/// Judges a run while it goes on: takes exchanges and households' ends, in any interleaving of
/// lanes that keeps the order of each, and says what was found so far and, in the end, in all. Used
/// on one queue.
public final class Judge {
    private let registry: SharedState
    private var folders = Households()
    /// Those whose TV has ended, in that order, with the time from which they may be closed.
    private var leaving: [(household: Int, ended: Int64)] = []
    private var leavingFirst = 0
    private var callbacks = CallbackLog()
    private var through: [Int64] = []
    private var hasFinished = false
    /// Exchanges taken.
    public private(set) var operations = 0

    /// A household is closed so long after its TV has ended: clean-up comes after.
    private static let quickGrace: Int64 = 30_000_000_000
    /// As long as its phone may still be at something.
    private static let longGrace: Int64 = 900_000_000_000

    /// `lanes`: how many there are to wait for before a household may be let go. `household`: the one whose
    /// `beliefs` are noted.
    public init(_ rules: Rules, lanes: Int = 1, following household: Int? = nil) {
        registry = SharedState(rules, beliefs: household.map(BeliefLog.init))
        through = Array(repeating: .min, count: max(1, lanes))
    }

    /// Households that are being watched now.
    public var living: Int { folders.count }

    public func take(_ exchange: Exchange) {
        operations += 1
        withUnsafePointer(to: exchange) { take($0) }
    }

    /// Where its batch keeps it, for a copy would count each of its texts.
    private func take(_ exchange: UnsafePointer<Exchange>) {
        let isFirst = exchange.pointee.device.role == .firstScreen
        if exchange.pointee.operation.formsHerds(onFirstScreen: isFirst) {
            registry.bursts.note(exchange)
        }
        let household = exchange.pointee.device.household
        turn(to: household, at: exchange.pointee.begun.nanoseconds)
        let folder = folders[household] ?? folders.add(household, registry)
        folder.pointee.take(exchange)
    }

    /// The household that is judged from now on; in a merged run its machine has a clock of its own.
    @inline(__always)
    private func turn(to household: Int, at time: Int64) {
        guard registry.clocks.count > 1 else { return }
        registry.clockAtHand = registry.bounds.clock(of: household, at: time)
    }

    /// A household's latest record.
    public func take(_ record: HouseholdRecord) {
        callbacks.take(record)
        guard let ended = record.ended, let folder = folders[record.household],
            folder.pointee.ended == .max
        else { return }
        folder.pointee.end(at: ended.nanoseconds)
        leaving.append((record.household, ended.nanoseconds))
    }

    /// What happened on a device besides exchanges, before the last record of its household.
    public func take(_ event: DeviceEvent) { callbacks.take(event) }

    /// All events of a household at once, where a history has them so; `hasEnded` as its record's
    /// `hasToldAll`.
    public func take(events: [DeviceEvent], of household: Int, hasEnded: Bool) {
        registry.judge(callbacks: events, of: household, hasEnded: hasEnded)
    }

    /// Everything that ended before `instant` on that lane has been taken.
    public func pass(_ instant: Instant, lane: Int) {
        while through.count <= lane { through.append(.min) }
        through[lane] = max(through[lane], instant.nanoseconds)
        closeLeaving(by: through.min() ?? .min)
    }

    /// The same of every lane.
    public func pass(_ instant: Instant) {
        for lane in through.indices { through[lane] = max(through[lane], instant.nanoseconds) }
        closeLeaving(by: through.min() ?? .min)
    }

    /// `pause` is called after every 32 exchanges, some tens of microseconds: for those who share a core
    /// with somebody more urgent.
    public func take(_ batch: Batch, pause: () -> Void = {}) {
        operations += batch.exchanges.count
        batch.exchanges.withUnsafeBufferPointer { exchanges in
            guard let first = exchanges.baseAddress else { return }
            for position in exchanges.indices {
                take(first + position)
                if position % 32 == 31 { pause() }
            }
        }
        for event in batch.events { take(event) }
        for record in batch.households { take(record) }
        pass(batch.through, lane: batch.lane)
    }

    /// Our own clock stood still for so long (the machine slept), and that was noticed `at` an instant
    /// of the run.
    public func clockStoodStill(for time: Duration, at noticed: Instant = .start) {
        registry.changes.note(
            "this machine's clock stopped for \(milliseconds(time))", at: noticed.nanoseconds)
        // Of a merged run nobody says whose it was: none of them knows the service's time for sure.
        for position in registry.clocks.indices {
            registry.clocks[position].stoodStill(
                for: time.inNanoseconds, noticed: noticed.nanoseconds)
        }
        for household in folders.numbers {
            folders[household]?.pointee.stoodStill(for: time.inNanoseconds)
        }
    }

    private func closeLeaving(by time: Int64) {
        var left: [(household: Int, ended: Int64)] = []
        while leavingFirst < leaving.count, leaving[leavingFirst].ended + Self.quickGrace < time {
            let (household, ended) = leaving[leavingFirst]
            leavingFirst += 1
            guard let folder = folders[household] else { continue }
            if folder.pointee.isPhoneBusy, ended + Self.longGrace >= time {
                left.append((household, ended))
                continue
            }
            turn(to: household, at: ended)
            folder.pointee.close()
            folders.remove(household)
            callbacks.close(household, registry)
        }
        if leavingFirst > 1_024 || !left.isEmpty {
            leaving = left + leaving[leavingFirst...]
            leavingFirst = 0
        }
    }

    /// Households accused since this was asked last: everything of them is worth keeping.
    public func takeAccused() -> [Int] {
        defer { registry.accused = [] }
        return registry.accused
    }

    // MARK: What was found

    /// What was held possible of the household that is followed after each of its exchanges, in the order of their
    /// ends. An exchange that says nothing of the device has no entry.
    public var beliefs: [Belief] { registry.beliefs?.entries ?? [] }

    /// What is known so far.
    public var findings: Findings { Findings(registry, operations: operations) }

    /// The run is over: judges what is left.
    public func finish() -> Findings {
        conclude()
        return findings
    }

    /// The same where nothing but the violations is wanted: by who judges thousands of short stories.
    public func finishedViolations() -> [Violation] {
        conclude()
        return registry.upheld
    }

    private func conclude() {
        guard !hasFinished else { return }
        hasFinished = true
        for household in folders.numbers {
            guard let folder = folders[household] else { continue }
            turn(to: household, at: folder.pointee.now)
            folder.pointee.close()
        }
        folders = Households()
        for household in callbacks.households { callbacks.close(household, registry) }
        registry.settleUsers()
        registry.settleIdentities()
        registry.settleAddresses()
        registry.settlePermits()
        registry.judgeTwins()
        registry.judgeClocks()
        registry.judgeHerds()
        registry.settle()
    }
}

/// What the judge found in a run, or in what there is of it.
public struct Findings: Sendable, Hashable {
    public var rules: Rules
    /// All invariants that the run's protocols have, in the order in which reports name them.
    public var verdicts: [Verdict]
    /// At most 20,000, in the order in which they were found.
    public var violations: [Violation]
    public var levels: [LevelVerdict]
    public var staleness: Staleness
    /// Changes of the service under the run, in words.
    public var changes: [String]
    /// Why the accounts file's `user-id` column was not believed; nil where it was, or is none.
    public var columnNote: String?
    /// Exchanges judged.
    public var operations: Int
    /// Households that are done with.
    public var households: Int
    /// Households that held a sign-in before this run.
    public var preSignedIn: Int
    /// Households over the AccessEnabler whose callbacks were held against their order.
    public var sdkHouseholds: Int
    /// What ended from then on was not judged: it came faster than it could be, and nothing kept it.
    /// Nil: everything was.
    public var unjudgedFrom: Instant?

    package init(
        rules: Rules, verdicts: [Verdict], violations: [Violation], levels: [LevelVerdict],
        staleness: Staleness, changes: [String], columnNote: String?, operations: Int,
        households: Int, preSignedIn: Int, sdkHouseholds: Int, unjudgedFrom: Instant? = nil
    ) {
        self.rules = rules
        self.verdicts = verdicts
        self.violations = violations
        self.levels = levels
        self.staleness = staleness
        self.changes = changes
        self.columnNote = columnNote
        self.operations = operations
        self.households = households
        self.preSignedIn = preSignedIn
        self.sdkHouseholds = sdkHouseholds
        self.unjudgedFrom = unjudgedFrom
    }

    init(_ registry: SharedState, operations: Int) {
        rules = registry.rules
        verdicts = registry.verdicts()
        violations = registry.upheld
        levels = registry.levels.verdicts
        staleness = registry.staleness
        changes = registry.changes.texts
        columnNote = registry.columnNote
        self.operations = operations
        households = registry.households
        preSignedIn = registry.preSignedIn
        sdkHouseholds = registry.sdkHouseholds
    }

    public subscript(invariant: Invariant) -> Verdict {
        // In their order, without those that this run has nothing to check by.
        let position = Int(invariant.rawValue)
        if position < verdicts.count, verdicts[position].invariant == invariant {
            return verdicts[position]
        }
        return verdicts.first { $0.invariant == invariant } ?? Verdict(invariant)
    }

    /// Breaches that fail the run.
    public var failing: Int { verdicts.reduce(0) { $0 + $1.violations } }
    public var undecided: Int { verdicts.reduce(0) { $0 + $1.undecided } }

    /// The gravest first cause that broke `invariant` along with itself. Nil if there is none.
    func cause(ofCompanion invariant: Invariant) -> Violation? {
        var gravest: Violation?
        for violation in violations where violation.companions.contains(invariant) {
            if violation.standing.rank < gravest?.standing.rank ?? .max { gravest = violation }
        }
        return gravest
    }

    /// The strongest level that holds, with all below it; nil when not even safety does, or when no
    /// answer put it to the test.
    public var strongestLevel: ConsistencyLevel? {
        let isTested = verdicts.contains {
            ![.conforms, .linearizable].contains($0.invariant) && $0.checked > 0
        }
        guard isTested else { return nil }
        return levels.prefix { $0.holds }.last?.level
    }
}
