internal import Rigs
internal import Statistics

/// What is tried when offsets have shown nothing: other connections, then other orders.
extension RaceSearcher {
    func explore() async {
        await stress()
        // Orders can be drawn for ever.
        guard !search.terms.isUnlimited else { return }
        let bases = tracks.filter { !$0.isUnplayable }.map(\.variant)
        guard !bases.isEmpty else { return }
        // A batch at a time: hits are looked into at once.
        let explorer = OrderExplorer(bases, seed: search.seed, offsets: search.terms.offsets)
        var numbers = 0..<batch(after: 0)
        var drawn = explorer.draw(numbers)
        while !isOver, outcome.findings.isEmpty {
            // While a batch is played, the next is drawn.
            let following =
                numbers.upperBound..<numbers.upperBound + batch(after: numbers.count)
            async let next = explorer.draw(following)
            let first = tracks.count
            tracks += drawn
            let aims = drawn.enumerated().map { position, track in
                let variant = track.variant
                return (first + position, variant.schedule[op: variant.swept]?.offset ?? .zero)
            }
            search.news(.phase("random orders from the seed, \(numbers.upperBound) so far"))
            await play(aims)
            await lookInto(Array(first..<tracks.count), isLast: true)
            // `reportUnfollowed` still needs the tracks that the limit kept from being looked into.
            if isOver, outcome.findings.isEmpty { return }
            removeTracks(from: first)
            (numbers, drawn) = (following, await next)
        }
    }

    /// How many orders are played together, once so many more trials have been played.
    private func batch(after trials: Int) -> Int {
        let left = trialLimit - outcome.trials - trials
        return min(max(left / 4, search.ordersAtOnce.lowerBound), search.ordersAtOnce.upperBound)
    }

    /// The same offsets under other circumstances.
    private func stress() async {
        guard outcome.findings.isEmpty else { return }
        let bases = tracks.filter { !$0.isUnplayable }.map(\.variant)
        let grid = Curve.grid(search.terms.offsets)
        for (number, stress) in Stress.allCases.enumerated() {
            for base in bases where !isOver && outcome.findings.isEmpty {
                guard let variant = stress.applied(to: base) else { continue }
                tracks.append(Candidate(variant: variant, method: "sweep, \(stress.rawValue)"))
                search.news(.phase("\(base.title): sweep \(number + 1), \(stress.rawValue)"))
                await play(grid.map { (tracks.count - 1, $0) })
                await lookInto([tracks.count - 1], isLast: true)
            }
        }
    }
}

/// Draws the order of a plan's raced operations, and how far they are apart.
struct OrderExplorer: Sendable {
    private let bases: [RacePlan.Variant]
    private let seed: Seed
    private let offsets: ClosedRange<Duration>

    init(_ bases: [RacePlan.Variant], seed: Seed, offsets: ClosedRange<Duration>) {
        (self.bases, self.seed, self.offsets) = (bases, seed, offsets)
    }

    /// Those of these numbers, of one base after the other.
    func draw(_ numbers: Range<Int>) -> [RaceSearcher.Candidate] {
        numbers.map { number in
            let (variant, method) = Self.draw(
                bases[number % bases.count], seed: seed.child("order", number), offsets: offsets)
            return RaceSearcher.Candidate(variant: variant, method: method)
        }
    }

    /// By chance, or by priorities with change points (PCT, Burckhardt et al., ASPLOS 2010): each actor
    /// has a priority, the highest that has something to do goes first, and at d-1 points the one
    /// whose turn it is falls behind all others. One time in ten an actor is starved besides (as rr's
    /// chaos mode does): all that it does comes one to eight times the reach after everything else.
    static func draw(
        _ base: RacePlan.Variant, seed: Seed, offsets: ClosedRange<Duration>
    ) -> (variant: RacePlan.Variant, method: String) {
        var dice = seed.generator()
        var variant = base
        let movable = variant.schedule.ops.filter { $0.anchor?.event == .lastByteSent }.map(\.id)
        guard let head = variant.schedule.ops.first(where: { $0.gate != .none }),
            !movable.isEmpty
        else { return (base, "order") }
        let usesPriorities = dice.chance(0.5)
        let depth = 2 + dice.below(2)
        let order =
            usesPriorities
            ? prioritized([head.id] + movable, variant.schedule, depth: depth, &dice)
            : shuffled([head.id] + movable, &dice)
        // The distance between two neighbours, anywhere on a logarithmic scale.
        var at: [String: Duration] = [:]
        var time = Duration.zero
        let steps = steps(to: offsets.reach)
        for id in order {
            at[id] = time
            time += gap(steps, &dice)
        }
        var hunger = seed.child("starved").generator()
        let starved =
            hunger.chance(0.1) ? variant.schedule[op: order[hunger.below(order.count)]]?.actor : nil
        if starved != nil {
            let delay = time + offsets.reach * (1 << hunger.below(4))
            for id in order where variant.schedule[op: id]?.actor == starved {
                at[id]? += delay
            }
        }
        let zero = at[head.id] ?? .zero
        for id in movable {
            guard let anchor = variant.schedule[op: id]?.anchor else { continue }
            let from = at[anchor.op] ?? zero
            variant.schedule[op: id]?.offset = (at[id] ?? .zero) - from
        }
        let method =
            usesPriorities
            ? "priorities, \(depth - 1) change point\(depth == 2 ? "" : "s")" : "random order"
        return (variant, starved.map { "\(method), \($0) starved" } ?? method)
    }

    private static func shuffled(_ ids: [String], _ dice: inout Dice) -> [String] {
        var ids = ids
        for position in ids.indices.dropFirst().reversed() {
            ids.swapAt(position, dice.below(position + 1))
        }
        return ids
    }

    private static func prioritized(
        _ ids: [String], _ schedule: Schedule, depth: Int, _ dice: inout Dice
    ) -> [String] {
        var queues: [(actor: String, ops: [String])] = []
        for id in ids {
            let actor = schedule[op: id]?.actor ?? ""
            if let known = queues.firstIndex(where: { $0.actor == actor }) {
                queues[known].ops.append(id)
            } else {
                queues.append((actor, [id]))
            }
        }
        let ranks = shuffled(queues.map(\.actor), &dice)
        queues.sort { left, right in
            (ranks.firstIndex(of: left.actor) ?? 0) < (ranks.firstIndex(of: right.actor) ?? 0)
        }
        let changes = Set((1..<depth).map { _ in dice.below(ids.count) })
        var order: [String] = []
        while let first = queues.firstIndex(where: { !$0.ops.isEmpty }) {
            var turn = first
            let other = queues.indices.first { $0 > first && !queues[$0].ops.isEmpty }
            if changes.contains(order.count), let other {
                queues.append(queues.remove(at: first))
                turn = other - 1
            }
            order.append(queues[turn].ops.removeFirst())
        }
        return order
    }

    /// How often 50 us are doubled until they reach the longest offset, and once more.
    private static func steps(to reach: Duration) -> Int {
        let reach = reach.nanoseconds
        var steps = 1
        var distance = Curve.step.nanoseconds
        while distance < reach {
            distance *= 2
            steps += 1
        }
        return steps
    }

    /// 50 us * 2^j, j anywhere up to the longest offset.
    private static func gap(_ steps: Int, _ dice: inout Dice) -> Duration {
        let step = Curve.step.nanoseconds << dice.below(steps)
        return .nanoseconds(step + Int64(dice.unit() * Double(step)))
    }
}
