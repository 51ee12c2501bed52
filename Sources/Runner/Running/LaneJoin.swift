package import Journal
internal import Lanes
internal import Synchronization

/// Puts what virtual lanes hand over into one order, and hands it on as if one lane had done all of it: history,
/// judge and report are the same for one lane and for several. Lanes hand over step by step (`Lane.step`); when
/// all have passed a step, it is joined:
///
/// ```text
/// lane 0   e1 e4 | e5 ...          step 1: e1 e2 e3 e4, sorted by
/// lane 1   e2 e3 |                 (ended, household, sequence)
/// ```
///
/// The lane that was last to pass a step joins it; others that pass the next meanwhile leave that to it, as it is
/// behind. It waits only when journal and judge are many steps behind.
///
/// What changes is in a `Mutex`; one lane at a time joins steps, in their order.
package final class LaneJoin: HistorySink {
    private let next: any HistorySink
    private let state: Mutex<State>

    fileprivate struct State {
        /// By lane: everything before has been handed over.
        var through: [Instant]
        /// By lane, in order.
        var pending: [[Part]]
        /// Everything before is joined, or a lane is about to.
        var joined = Instant.start
        var isJoining = false
    }

    /// A batch, and the step that it belongs to.
    fileprivate struct Part {
        var step: Instant
        var batch: Batch
    }

    /// All that was done in a step, by lane.
    fileprivate struct Step {
        var begin: Instant
        var batches: [Batch]
    }

    /// `begins`: when the clocks of the lanes do.
    package init(lanes: Int, from begins: Instant = .start, before next: any HistorySink) {
        self.next = next
        state = Mutex(
            State(
                through: Array(repeating: begins, count: lanes),
                pending: Array(repeating: [], count: lanes)))
    }

    package func append(_ batch: Batch) {
        state.withLock { state in
            let begin = Lane.step(before: state.through[batch.lane])
            state.through[batch.lane] = batch.through
            state.pending[batch.lane].append(Part(step: begin, batch: batch))
        }
        join()
    }

    /// Once all lanes have ended, everything that was handed over has been handed on.
    package func end(lane: Int) {
        state.withLock { $0.through[lane] = .distantFuture }
        join()
    }

    private func join() {
        var steps = state.withLock { $0.isJoining ? [] : $0.takeSteps() }
        while !steps.isEmpty {
            for step in steps { next.append(step.joined()) }
            steps = state.withLock { $0.takeSteps() }
        }
    }
}

extension LaneJoin.State {
    /// The steps that all lanes have passed, earliest first; those in which nothing was handed over are left out.
    /// The caller that gets steps joins them, and asks again.
    fileprivate mutating func takeSteps() -> [LaneJoin.Step] {
        isJoining = false
        let passed = Lane.step(before: through.min() ?? .start)
        guard passed > joined else { return [] }
        joined = passed
        var steps: [LaneJoin.Step] = []
        var taken = pending.map { $0.prefix { $0.step < passed }[...] }
        for lane in pending.indices { pending[lane].removeFirst(taken[lane].count) }
        while let begin = taken.compactMap({ $0.first?.step }).min() {
            var batches: [Batch] = []
            for lane in taken.indices {
                while let part = taken[lane].first, part.step == begin {
                    batches.append(part.batch)
                    taken[lane].removeFirst()
                }
            }
            steps.append(LaneJoin.Step(begin: begin, batches: batches))
        }
        isJoining = !steps.isEmpty
        return steps
    }
}

extension LaneJoin.Step {
    /// As one batch of lane 0.
    fileprivate consuming func joined() -> Batch {
        let end = begin + Lane.batchEvery
        var whole = Batch(lane: 0, through: end)
        for batch in batches {
            whole.households += batch.households
            whole.events += batch.events
            whole.messages += batch.messages
            whole.heldBack.count += batch.heldBack.count
            whole.heldBack.longest = max(whole.heldBack.longest, batch.heldBack.longest)
        }
        for lane in Set(batches.map(\.lane)) {
            guard let last = batches.last(where: { $0.lane == lane }) else { continue }
            whole.heldBack.waiting += last.heldBack.waiting
            whole.underWay =
                whole.underWay.isEmpty
                ? last.underWay : zip(whole.underWay, last.underWay).map { $0 + $1 }
        }
        whole.exchanges = sortedExchanges
        whole.households = Self.sorted(whole.households) { $0.household < $1.household }
        for position in whole.households.indices { whole.households[position].lane = 0 }
        whole.events = Self.sorted(whole.events) {
            ($0.at, $0.device.household, $0.sequence) < ($1.at, $1.device.household, $1.sequence)
        }
        whole.messages = Self.sorted(whole.messages) {
            ($0.household, $0.sequence) < ($1.household, $1.sequence)
        }
        // Virtual time has no turns to measure.
        whole.health = LaneHealth(
            lane: 0, from: begin, through: end, turns: 0, busy: .zero, longestTurn: .zero)
        return whole
    }

    /// Where an exchange stands among those of its step.
    private struct Place: Comparable {
        var ended: Int64
        var household: Int
        var sequence: Int
        var batch: Int
        var position: Int

        static func < (left: Self, right: Self) -> Bool {
            if left.ended != right.ended { return left.ended < right.ended }
            if left.household != right.household { return left.household < right.household }
            return left.sequence < right.sequence
        }
    }

    /// Those of all batches, as exchanges of lane 0. By numbers beside them: an exchange is large, and is copied once.
    private var sortedExchanges: [Exchange] {
        var places: [Place] = []
        places.reserveCapacity(batches.reduce(0) { $0 + $1.exchanges.count })
        for (number, batch) in batches.enumerated() {
            for position in batch.exchanges.indices {
                places.append(
                    Place(
                        ended: batch.exchanges[position].ended.nanoseconds,
                        household: batch.exchanges[position].device.household,
                        sequence: batch.exchanges[position].sequence, batch: number,
                        position: position))
            }
        }
        places.sort()
        return places.map { place in
            var exchange = batches[place.batch].exchanges[place.position]
            exchange.lane = 0
            return exchange
        }
    }

    /// In this order, and equal ones as they came.
    private static func sorted<Element>(
        _ elements: [Element], by isBefore: (Element, Element) -> Bool
    ) -> [Element] {
        guard elements.count > 1 else { return elements }
        return elements.indices.sorted { left, right in
            if isBefore(elements[left], elements[right]) { return true }
            return !isBefore(elements[right], elements[left]) && left < right
        }.map { elements[$0] }
    }
}
