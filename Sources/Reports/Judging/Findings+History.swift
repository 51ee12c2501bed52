public import Checker
public import Journal
public import Vocabulary

extension Findings {
    /// Judges a recorded history again, from the file alone: the same verdicts as while it ran. Nil
    /// where it does not hold every exchange, or was never to be judged. Throws where the rules in its
    /// header cannot be read. `promises`, if given, replaces those that the run was held to.
    public init?(rejudging history: History, promises: Promises? = nil) throws {
        guard !history.header.judging.isEmpty, history.kept.isComplete else { return nil }
        var rules: Rules
        do {
            rules = try Rules(texts: history.header.judging)
        } catch {
            throw ReportError.unjudgeable(
                run: history.header.run, why: error, version: history.header.version)
        }
        if let promises { rules.promises = promises }
        let judge = JudgePanel(rules)
        var cutShort: Set<Int> = []
        try judge.take(recorded: history) { record in
            if !record.hasToldAll { cutShort.insert(record.household) }
        }
        // One story at a time: all of them would be much to remember.
        try history.stories { household, events in
            judge.take(
                events: events, of: household, hasEnded: !cutShort.contains(household))
        }
        self = judge.finish()
    }
}

extension Findings {
    /// What the judge found while the run went on, as far as its history has kept it: all counts, and the first
    /// violations. Nil where it has kept none, or where nobody judged.
    public init?(kept history: History) throws {
        guard let end = history.end, !end.verdictCounts.isEmpty, !history.header.judging.isEmpty
        else { return nil }
        do {
            self.init(
                kept: end.verdictCounts, rules: try Rules(texts: history.header.judging))
        } catch {
            throw ReportError.unjudgeable(
                run: history.header.run, why: error, version: history.header.version)
        }
    }
}

extension HistoryJudge {
    /// All exchanges that a history holds, and the ends of its households, in the order in which
    /// they happened. Households are let go as they end, so that a long run needs no more memory
    /// than it did; `body` sees the records before.
    public func take(
        recorded history: History, _ body: (HouseholdRecord) -> Void = { _ in }
    ) throws {
        var ends: [(ended: Instant, household: Int, arrived: Instant, hasToldAll: Bool)] = []
        try history.households { record in
            body(record)
            if let ended = record.ended {
                ends.append((ended, record.household, record.arrived, record.hasToldAll))
            }
        }
        ends.sort { ($0.ended, $0.household) < ($1.ended, $1.household) }
        var left = ends[...]
        func leave(until time: Instant) {
            while let end = left.first, end.ended <= time {
                left.removeFirst()
                var record = HouseholdRecord(
                    household: end.household, kind: "", lane: 0, arrived: end.arrived)
                record.ended = end.ended
                if !end.hasToldAll { record.cause = "cut short" }
                take(record)
            }
        }
        var standstills = (history.end?.standstills ?? [])[...]
        try history.exchanges { exchange in
            while let first = standstills.first, first.noticed <= exchange.ended {
                clockStoodStill(for: first.length, at: first.noticed)
                standstills.removeFirst()
            }
            leave(until: exchange.ended)
            take(exchange)
            // Lanes hand over a few times a second; a record may be that much out of order.
            if operations.isMultiple(of: 4096) { pass(exchange.ended + .seconds(-5)) }
        }
        leave(until: Instant(nanoseconds: .max))
    }
}
