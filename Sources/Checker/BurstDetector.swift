internal import Dialects
internal import Journal
internal import Statistics
internal import Vocabulary

/// R20: polls that are sent together and fail, or wait, where those sent alone do not. Statistics,
/// so that it is a suspicion and no more: whatever comes with load looks the same. Polls are
/// counted by slots of time, of 10 ms at first; a long run has coarser ones, so that there are
/// never more than 65,536.
///
///     slots   ▂ ▁ █ ▁ ▁ █ ▂ ▁ █      together: the half of all polls with the most around them
///     failed  . . ▅ . . ▅ . . ▅      apart: a twentieth, with the fewest
struct BurstDetector: Sendable {
    private struct BurstSlot: Sendable {
        var polls: UInt32 = 0
        var failed: UInt32 = 0
        /// Of all of them, in nanoseconds.
        var waited: Int64 = 0
        /// The first of the failed: when it was sent, and whose it was.
        var sent = Int64.max
        var household: Int32 = 0
        var sequence: Int32 = 0

        mutating func merge(_ other: BurstSlot) {
            polls += other.polls
            failed += other.failed
            waited += other.waited
            if (other.sent, other.household) < (sent, household) {
                (sent, household, sequence) = (other.sent, other.household, other.sequence)
            }
        }
    }

    /// Polls of slots of one sort.
    private struct Sum {
        var polls = 0
        var failed = 0
        var waited: Int64 = 0
        /// Polls around the slot with the fewest and around that with the most.
        var fewest = Int.max
        var most = 0
        /// The earliest failure.
        var first: BurstSlot?

        mutating func add(_ slot: BurstSlot, in crowd: Int) {
            fewest = min(fewest, crowd)
            most = max(most, crowd)
            if slot.failed > 0, slot.sent < first?.sent ?? .max { first = slot }
            polls += Int(slot.polls)
            failed += Int(slot.failed)
            waited += slot.waited
        }

        var meanWait: Int64 { polls == 0 ? 0 : waited / Int64(polls) }
        var failures: Interval { .share(of: failed, in: polls) }
    }

    /// From the slot of the earliest poll on: who judges one household late in a run pays for its
    /// polls, not for the time before.
    private var slots: [BurstSlot] = []
    /// How many empty slots, from instant zero on, come before them.
    private var offset = 0
    private var width: Int64 = 10_000_000
    /// Nobody knows what was sent together by several machines.
    private let isBlind: Bool

    /// `bound`: by how much instants of several machines may be apart from what they say; a slot is at least as wide.
    init(slot bound: Int64 = 0) {
        isBlind = bound > Self.widest
        while !isBlind, width < bound { width *= 2 }
    }

    /// No herd lasts longer: clocks that are further apart tell nothing of it.
    private static let widest: Int64 = 1_000_000_000

    /// What the first of the polls was.
    private(set) var operation = OperationName.pollToken

    private static let limit = 65_536
    /// A herd has at least so many.
    private static let smallest = 16
    /// With fewer on either side nothing is said.
    private static let pollsNeeded = 30
    /// Who polls soon after a herd is no more alone than those in it: what was sent in so many slots counts, in its own and
    /// those before.
    private static let around = Int64(10)
    /// One in so many polls is taken for one that came alone.
    private static let apartShare = 20

    /// A poll has ended.
    mutating func note(_ poll: UnsafePointer<Exchange>) {
        let sent = poll.pointee.sent.nanoseconds
        guard sent >= 0, !isBlind else { return }
        if case .refused = poll.pointee.delivery { return }
        var place = Int(sent / width)
        if slots.isEmpty {
            offset = place
            operation = poll.pointee.operation
        }
        while max(offset + slots.count, place + 1) - min(offset, place) > Self.limit {
            coarsen()
            place = Int(sent / width)
        }
        if place < offset {
            slots.insert(
                contentsOf: repeatElement(BurstSlot(), count: offset - place), at: 0)
            offset = place
        }
        let position = place - offset
        while slots.count <= position { slots.append(BurstSlot()) }
        let isFailed = poll.pointee.outcome.isError && poll.pointee.outcome != .rejected
        slots[position].merge(
            BurstSlot(
                polls: 1, failed: isFailed ? 1 : 0,
                waited: poll.pointee.ended.nanoseconds - sent, sent: isFailed ? sent : .max,
                household: Int32(truncatingIfNeeded: poll.pointee.device.household),
                sequence: Int32(truncatingIfNeeded: poll.pointee.sequence)))
    }

    /// A slot begins at a multiple of its width: an odd one is the second half of one twice as wide.
    private mutating func coarsen() {
        width *= 2
        var coarse: [BurstSlot] = []
        for (position, slot) in slots.enumerated() {
            if position > 0, (offset + position) % 2 == 1 {
                coarse[coarse.count - 1].merge(slot)
            } else {
                coarse.append(slot)
            }
        }
        slots = coarse
        offset /= 2
    }

    /// What gives cause for suspicion.
    struct BurstFinding: Sendable {
        var text: String
        var household: Int
        var sequence: Int
        var at: Int64
    }

    /// Slots with polls, and how many polls there were around each; the fewest first.
    private var crowds: [(position: Int, polls: Int)] {
        var found: [(position: Int, polls: Int)] = []
        var recent = 0
        for position in slots.indices {
            recent += Int(slots[position].polls)
            let left = position - Int(Self.around)
            if left >= 0 { recent -= Int(slots[left].polls) }
            if slots[position].polls > 0 { found.append((position, recent)) }
        }
        return found.sorted { ($0.polls, $0.position) < ($1.polls, $1.position) }
    }

    var finding: BurstFinding? {
        let crowds = crowds
        let polls = slots.reduce(0) { $0 + Int($1.polls) }
        guard let most = crowds.last?.polls, most >= Self.smallest else { return nil }
        var (apart, together) = (Sum(), Sum())
        for crowd in crowds
        where apart.polls * Self.apartShare < polls && crowd.polls <= most / 2 {
            apart.add(slots[crowd.position], in: crowd.polls)
        }
        for crowd in crowds.reversed() where together.polls * 2 < polls {
            together.add(slots[crowd.position], in: crowd.polls)
        }
        guard together.polls >= Self.pollsNeeded, apart.polls >= Self.pollsNeeded,
            together.fewest > apart.most,
            together.failures.low > 2 * apart.failures.high, let first = together.first
        else { return nil }
        func share(_ sum: Sum) -> String {
            "\(sum.failed) of \(sum.polls) failed, with a mean wait of \(milliseconds(sum.meanWait))"
        }
        return BurstFinding(
            text:
                "simultaneous polls did worse: with \(together.fewest) or more within "
                + "\(milliseconds(width * Self.around)) \(share(together)), with \(apart.most) or fewer "
                + share(apart),
            household: Int(first.household), sequence: Int(first.sequence), at: first.sent)
    }
}

extension OperationName {
    /// Whether a first or a second screen polls by it at an interval of the rig's, so that many may poll at once. Not all
    /// that `isPoll` names: the service tells a device grant its interval (RFC 8628, 3.2), and who is told one does not
    /// poll with the others.
    func formsHerds(onFirstScreen isFirst: Bool) -> Bool {
        self == .pollToken || self == .profilesByCode && isFirst
    }
}

extension SharedState {
    /// `polling-ends`, as a suspicion: a herd of polls that the service does not bear.
    func judgeHerds() {
        guard let finding = bursts.finding else { return }
        let certainty = Certainty.suspicion("any effect of load looks the same")
        let source = PromiseSource.ours
        _ = add(
            Violation(
                invariant: .pollingEnds, certainty: certainty, source: source,
                standing: standing(.pollingEnds, certainty, source, bursts.operation),
                household: finding.household, exchanges: [finding.sequence],
                operations: [bursts.operation], signature: "polling-ends: herd of polls", gap: nil,
                at: finding.at, sentence: "household \(finding.household): \(finding.text)"))
    }
}
