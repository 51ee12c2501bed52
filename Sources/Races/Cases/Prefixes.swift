internal import Statistics
internal import Vocabulary

/// Where along a schedule it is decided: the first ops keep their times, those after them come at
/// any time, and the rate says what that costs (the idea of a bug's likelihood over time is
/// Antithesis').
///
/// ```text
///   kept: none             4 of 20   ████
///   authenticate, check    5 of 20   █████
///   poll                  20 of 20   ████████████████████   <- here it is decided
/// ```
struct Prefixes {
    let schedule: Schedule
    let invariant: Invariant
    /// How far from its anchor an op may come.
    let reach: Duration
    let seed: Seed
    var source: PromiseSource?

    /// Ops that hang on another, in the order in which they come: only their times can be others.
    var movable: [String] {
        schedule.ops.filter { $0.anchor != nil && $0.anchor?.event != .absolute }
            .map { ($0.id, time(of: $0)) }
            .sorted { ($0.1, position($0.0)) < ($1.1, position($1.0)) }
            .map { $0.0 }
    }

    /// One point for none of them, and one more for each; nothing where nothing can be moved.
    func play(
        in arena: any Arena, company: Isolation = .crowd, trials: Int = 20
    ) async -> [Case.Prefix] {
        let movable = movable
        guard !movable.isEmpty else { return [] }
        var points: [Case.Prefix] = []
        for kept in 0...movable.count {
            var dice = seed.child("prefix", kept).generator()
            let loose = movable.dropFirst(kept)
            let schedules = (0..<trials).map { _ in shaken(loose, &dice) }
            var rate = HitRate()
            for result in await arena.play(schedules, in: company) where result.discarded == nil {
                rate.add(result.breaks(invariant, of: source))
            }
            // Cut short.
            guard rate.trials > 0 else { return [] }
            points.append(Case.Prefix(op: kept == 0 ? "" : movable[kept - 1], rate: rate))
        }
        return points
    }

    /// Each of `loose` anywhere within reach; after an answer nothing can come before it.
    private func shaken(_ loose: ArraySlice<String>, _ dice: inout Dice) -> Schedule {
        var schedule = schedule
        let width = Int(reach / .microseconds(1))
        for id in loose {
            let isAfter = schedule[op: id]?.anchor?.event == .firstReplyByte
            let offset = isAfter ? dice.below(width + 1) : dice.below(2 * width + 1) - width
            schedule[op: id]?.offset = .microseconds(offset)
        }
        return schedule
    }

    private func position(_ id: String) -> Int {
        schedule.ops.firstIndex { $0.id == id } ?? schedule.ops.count
    }

    /// From the first op of its cluster on; an answer is taken to come at once.
    private func time(of op: Schedule.Op) -> Duration {
        var (time, current) = (op.offset, op)
        for _ in schedule.ops {
            guard let anchor = current.anchor, let next = schedule[op: anchor.op] else { break }
            current = next
            if current.anchor != nil { time += current.offset }
        }
        return time
    }
}

extension Case {
    /// One point of the curve: that op and all before it keep their times.
    public struct Prefix: Codable, Sendable, Hashable {
        /// Empty where none does.
        public var op: String
        public var rate: HitRate
    }

    /// The op with which the rate rises most; nil where it never does by a quarter.
    public var decisive: String? {
        let steps = zip(prefixes, prefixes.dropFirst()).map { before, after in
            (op: after.op, rise: after.rate.share - before.rate.share)
        }
        guard let best = steps.max(by: { $0.rise < $1.rise }), best.rise >= 0.25 else { return nil }
        return best.op
    }
}
