public import Checker
public import Journal

extension Findings {
    /// Judges a recorded history again, from the file alone: the same verdicts as while it ran. Nil
    /// where it does not hold every exchange, or was never to be judged (decisions.md, 12).
    public init?(rejudging history: History) throws {
        guard !history.header.judging.isEmpty, history.kept.isComplete else { return nil }
        let judge = Judge(Rules(texts: history.header.judging))
        // Households are let go as they end, so that a long run needs no more memory than it did.
        var ends: [(ended: Instant, household: Int)] = []
        var cutShort: Set<Int> = []
        try history.households { record in
            if !record.hasToldAll { cutShort.insert(record.household) }
            if let ended = record.ended { ends.append((ended, record.household)) }
        }
        ends.sort { ($0.ended, $0.household) < ($1.ended, $1.household) }
        var next = 0
        var standstills = (history.end?.standstills ?? [])[...]
        try history.exchanges { exchange in
            while let first = standstills.first, first.noticed <= exchange.ended {
                judge.clockStoodStill(for: first.length, at: first.noticed)
                standstills.removeFirst()
            }
            while next < ends.count, ends[next].ended <= exchange.ended {
                var record = HouseholdRecord(
                    household: ends[next].household, kind: "", lane: 0, arrived: .start)
                record.ended = ends[next].ended
                judge.take(record)
                next += 1
            }
            judge.take(exchange)
            // Lanes hand over a few times a second; a record may be that much out of order.
            if judge.operations.isMultiple(of: 4096) {
                judge.pass(exchange.ended + .seconds(-5), lane: 0)
            }
        }
        try history.stories { household, events in
            judge.take(
                events: events, of: household, hasEnded: !cutShort.contains(household))
        }
        self = judge.finish()
    }
}
