public import Checker
internal import Statistics

/// Makes a schedule smaller while it goes on breaking the same promise nearly as often
/// (correctness.md § 4.5). A race is flaky by nature, so a candidate is not judged by one run: a
/// sequential test decides whether it hits at least half as often as the original. One that breaks
/// another promise instead is no success.
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
    public struct Outcome: Sendable, Hashable {
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
    /// Ids that must stay.
    let pinned: Set<String>
    let peak: Double
    let window: RaceFinding.Window?
    /// The op whose offset `window` is about.
    let swept: String?
    let budget: Budget
    private let began: Duration
    private var spent = 0
    private var removed: [String] = []
    private var others: [Other] = []
    /// Candidates that were turned down since the schedule last changed, by the op left out.
    private var refused: [String: Case.Almost] = [:]

    /// How many trials an arena is given at once: enough for most rejections.
    private static let batch = 3

    /// `peak` is the rate at the best offset, above 0.
    public init(
        of invariant: Invariant, on arena: any Arena, peak: Double,
        window: RaceFinding.Window? = nil, swept: String? = nil, pinned: Set<String> = [],
        budget: Budget = Budget()
    ) {
        self.arena = arena
        self.invariant = invariant
        self.peak = min(max(peak, 0.01), 1)
        self.window = window
        self.swept = swept
        self.pinned = pinned
        self.budget = budget
        began = budget.clock()
    }

    /// Shrinks it. The order is that of § 4.5: what removes most comes first.
    public mutating func shrink(_ original: Schedule) async -> Outcome {
        var schedule = original
        await dropHouseholds(&schedule)
        await dropOps(&schedule)
        await mergeActors(&schedule)
        await simplifyArguments(&schedule)
        await roundOffsets(&schedule)
        await freshConnections(&schedule)
        let isMinimal = await proveMinimal(&schedule)
        schedule = schedule.withoutIdleActors
        return Outcome(
            schedule: schedule, isMinimal: isMinimal, removed: removed,
            almost: schedule.ops.compactMap { refused[$0.id] }, replays: spent, others: others)
    }

    // MARK: Steps

    /// Background first: a whole living room with all that it does.
    private mutating func dropHouseholds(_ schedule: inout Schedule) async {
        for household in Set(schedule.actors.map(\.household)).sorted() {
            let own = schedule.ops(of: household).map(\.id)
            guard !own.isEmpty, own.count < schedule.ops.count,
                let candidate = schedule.without(Set(own)), pinned.isDisjoint(with: own),
                await accepts(candidate)
            else { continue }
            schedule = candidate
            note("household \(household)")
        }
    }

    /// Zeller and Hildebrandt's ddmin over the ops that are not pinned (IEEE TSE 28, 2002): halves
    /// go before quarters, down to single ops, until no single one can go.
    private mutating func dropOps(_ schedule: inout Schedule) async {
        var size = max(1, free(schedule).count / 2)
        while true {
            let ids = free(schedule)
            var hasChanged = false
            // From the end: what comes last hangs on what comes first.
            for start in stride(from: (ids.count - 1) / size * size, through: 0, by: -size)
            where start < ids.count {
                let chunk = Set(ids[start..<min(start + size, ids.count)])
                guard chunk.isSubset(of: schedule.ops.map(\.id)),
                    let candidate = schedule.without(chunk)
                else { continue }
                if size == 1, let id = chunk.first, refused[id] != nil { continue }
                guard await accepts(candidate, without: size == 1 ? chunk.first : nil) else {
                    continue
                }
                schedule = candidate
                for id in ids where chunk.contains(id) { note("op \(id)") }
                hasChanged = true
            }
            if size > 1 {
                size = max(1, min(size / 2, free(schedule).count))
            } else if !hasChanged {
                return
            }
        }
    }

    private func free(_ schedule: Schedule) -> [String] {
        schedule.ops.map(\.id).filter { !pinned.contains($0) }
    }

    /// Several connections of one screen become one.
    private mutating func mergeActors(_ schedule: inout Schedule) async {
        schedule = schedule.withoutIdleActors
        for actor in schedule.actors.dropFirst().reversed() {
            guard
                let other = schedule.actors.first(where: {
                    $0.screen == actor.screen && $0.household == actor.household
                        && $0.name != actor.name
                })
            else { continue }
            var candidate = schedule
            for position in candidate.ops.indices where candidate.ops[position].actor == actor.name
            {
                candidate.ops[position].actor = other.name
            }
            candidate = candidate.withoutIdleActors
            guard await accepts(candidate) else { continue }
            schedule = candidate
            note("actor \(actor.name), now \(other.name)")
        }
    }

    /// All arguments at once, then one by one.
    private mutating func simplifyArguments(_ schedule: inout Schedule) async {
        var plain = schedule
        plain.codeLifetime = nil
        for position in plain.ops.indices {
            plain.ops[position].args.removeAll { !Self.keeps($0) }
        }
        guard plain != schedule else { return }
        let all = schedule
        if await accepts(plain) {
            schedule = plain
            for op in all.ops {
                for arg in op.args where !Self.keeps(arg) { note("arg \(arg.name) of \(op.id)") }
            }
            if all.codeLifetime != nil { note("code lifetime") }
            return
        }
        for op in all.ops {
            for arg in op.args where !Self.keeps(arg) {
                var candidate = schedule
                candidate[op: op.id]?.args.removeAll { $0 == arg }
                guard await accepts(candidate) else { continue }
                schedule = candidate
                note("arg \(arg.name) of \(op.id)")
            }
        }
    }

    /// Which code an op is about is no detail.
    private static func keeps(_ arg: Schedule.Arg) -> Bool { arg.name == "code" }

    /// The swept offset goes to the middle of its window, rounded; the others to 0, or rounded.
    private mutating func roundOffsets(_ schedule: inout Schedule) async {
        for op in schedule.ops where op.anchor != nil {
            let wanted: [Duration] =
                if op.id == swept {
                    [Offsets.center(of: window, near: op.offset)]
                } else {
                    [.zero, Offsets.rounded(op.offset)]
                }
            for offset in wanted where offset != op.offset {
                var candidate = schedule
                candidate[op: op.id]?.offset = offset
                guard await accepts(candidate) else { continue }
                schedule = candidate
                note("offset of \(op.id), now \(Offsets.text(offset))")
                break
            }
        }
    }

    /// Kept connections hide which of them mattered.
    private mutating func freshConnections(_ schedule: inout Schedule) async {
        var candidate = schedule
        for position in candidate.ops.indices {
            candidate.ops[position].connection = .fresh
            candidate.ops[position].cookies = .keep
        }
        guard candidate != schedule, await accepts(candidate) else { return }
        schedule = candidate
        note("kept connections")
    }

    /// Every op once more without, where that has not been tried since the last change.
    private mutating func proveMinimal(_ schedule: inout Schedule) async -> Bool {
        var isMinimal = true
        for op in schedule.ops where refused[op.id] == nil {
            guard let candidate = schedule.without([op.id]) else {
                refused[op.id] = Case.Almost(
                    without: op.id, rate: HitRate(), note: "others hang on it")
                continue
            }
            if await accepts(candidate, without: op.id), !pinned.contains(op.id) {
                schedule = candidate
                note("op \(op.id)")
                return await proveMinimal(&schedule)
            }
            if refused[op.id] == nil { isMinimal = false }
        }
        return isMinimal && !isSpent
    }

    private mutating func note(_ what: String) {
        removed.append(what)
        // What could not go before may go now.
        refused = [:]
    }

    // MARK: Judging a candidate

    private var isSpent: Bool {
        spent >= budget.replays || budget.clock() - began >= budget.time
    }

    /// Whether it still hits at least half as often as at its peak. Without a budget nothing is
    /// accepted any more.
    private mutating func accepts(
        _ candidate: Schedule, without id: String? = nil
    ) async -> Bool {
        var test = SequentialTest(low: peak / 8, high: peak / 2)
        var unplayable = ""
        while test.decision == nil, !isSpent {
            let results = await arena.play(Array(repeating: candidate, count: Self.batch))
            spent += results.count
            var counted = 0
            for result in results where test.decision == nil {
                if let discard = result.discarded {
                    unplayable = "\(discard)"
                    continue
                }
                counted += 1
                test.add(result.breaks(invariant))
                if let other = result.breaches.first, !result.breaks(invariant),
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

/// Offsets as people write them.
enum Offsets {
    /// The middle of a window, as round as still lies within its inner half; without one, the offset
    /// itself, rounded.
    static func center(of window: RaceFinding.Window?, near offset: Duration) -> Duration {
        guard let window, !window.isLowOpen, !window.isHighOpen, window.width > .zero else {
            return rounded(offset)
        }
        let middle = window.middle.inMicroseconds
        let reach = window.width.inMicroseconds / 8
        for step in [100_000, 50_000, 10_000, 5_000, 1_000, 500, 100, 50, 10, 1] {
            let round = Int((Double(middle) / Double(step)).rounded()) * step
            if abs(round - middle) <= reach { return .microseconds(round) }
        }
        return .microseconds(middle)
    }

    /// To two significant digits.
    static func rounded(_ offset: Duration) -> Duration {
        let value = offset.inMicroseconds
        var step = 1
        while abs(value) / step >= 100 { step *= 10 }
        return .microseconds(Int((Double(value) / Double(step)).rounded()) * step)
    }

    /// `+0.3 ms`, `-12 ms`, `0`.
    static func text(_ offset: Duration) -> String {
        let value = offset.inMicroseconds
        let sign = value < 0 ? "-" : value > 0 ? "+" : ""
        let size = abs(value)
        if size == 0 { return "0" }
        if size < 1_000 { return "\(sign)\(trimmed(size, 1)) us" }
        if size < 10_000_000 { return "\(sign)\(trimmed(size, 1_000)) ms" }
        return "\(sign)\(trimmed(size, 1_000_000)) s"
    }

    /// `value / unit` with three significant digits.
    private static func trimmed(_ value: Int, _ unit: Int) -> String {
        var keep = unit
        while keep > 1, value / keep < 100, unit / keep < 1_000 { keep /= 10 }
        let rounded = (value + keep / 2) / max(keep, 1) * max(keep, 1)
        let (whole, rest) = rounded.quotientAndRemainder(dividingBy: unit)
        guard rest > 0 else { return "\(whole)" }
        let digits = String(String(rest + unit).dropFirst())
        return "\(whole)." + digits.trimmingEnd("0")
    }
}

extension String {
    fileprivate func trimmingEnd(_ character: Character) -> String {
        var text = self
        while text.last == character { text.removeLast() }
        return text
    }
}
