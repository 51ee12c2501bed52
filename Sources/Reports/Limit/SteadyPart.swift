package import Checker
internal import Dialects
internal import Journal
package import Rigs
internal import Statistics
internal import Vocabulary

/// A stretch of a run in which the load was steady: what a step of `find-limit` is judged by. Requests count in the
/// second in which they ended, households if they arrived within.
///
/// ```text
/// arrivals  ┌──────────────────────────────┐
///           │ warm-up │       steady       │ the rest finishes
/// ──────────┴─────────┴────────────────────┴─────────────────
/// ```
package struct SteadyPart {
    /// Of the run.
    package let seconds: Range<Int>
    private let kinds: [String]
    private let findings: Findings?
    private var sums: [RunFold.FoldSlot: Cell] = [:]
    private var population = Population()
    private var trend: BacklogTrend
    /// What was waiting at the service, where it grew from the beginning of the part to its end; else nil.
    package var growth: BacklogTrend.Growth? { trend.growth }

    package init(
        _ history: some Recorded, seconds: Range<Int>, findings: Findings?
    ) throws {
        self.seconds = seconds
        self.findings = findings
        kinds = history.header.kinds
        trend = BacklogTrend(seconds: seconds)
        try history.cells { cell in
            trend.add(cell)
            guard seconds.contains(cell.key.second) else { return }
            let slot = RunFold.FoldSlot(operation: cell.key.operation, kind: cell.key.kind)
            sums[slot, default: Cell(key: cell.key)].merge(cell)
        }
        try history.households {
            if seconds.contains($0.arrived.second) { population.add($0) }
        }
    }

    /// What the threshold came to.
    package func reading(_ threshold: Threshold) -> LimitReport.Reading {
        let result = ThresholdResult(threshold, self)
        return LimitReport.Reading(
            expression: result.expression, actual: result.actual,
            value: threshold.value(of: self), met: result.met)
    }

    /// Requests that were answered each second: what a service that does not keep up was sent is no figure of it.
    package var requestsPerSecond: Double { Double(sum(nil, kind: nil).completed) / loadSeconds }
    package var households: Int { population.all.started }
    /// 0 to 1, of the requests that ended.
    package var errorShare: Double { share { $0.errors } }
    package var throttledShare: Double { share { $0[.throttled] } }
    /// How late the rig was; nil where nothing was sent.
    package var latenessP99Ms: Double? { sum(nil, kind: nil).lateness.milliseconds(atShare: 0.99) }

    private func share(_ count: (Cell) -> Int) -> Double {
        let cell = sum(nil, kind: nil)
        return cell.ended == 0 ? 0 : Double(count(cell)) / Double(cell.ended)
    }
}

extension SteadyPart: Measurements {
    var loadSeconds: Double { Double(seconds.count) }
    var verdicts: [Verdict]? { findings?.verdicts }

    func sum(_ operation: OperationName?, kind: String?) -> Cell {
        var total = Cell(
            key: Cell.CellKey(second: 0, operation: operation ?? .connect, kind: 0))
        for (slot, cell) in sums
        where (operation.map { $0 == slot.operation } ?? !slot.operation.isOfConnection)
            && (kind == nil || kinds.indices.contains(slot.kind) && kinds[slot.kind] == kind)
        {
            total.merge(cell)
        }
        return total
    }

    func tally(kind: String?) -> Population.PopulationTally {
        guard let kind else { return population.all }
        return population.byKind[kind] ?? Population.PopulationTally()
    }
}

extension RigHealth {
    /// Why a step with this steady part does not count, because the rig was late; nil where it counts. As the verdict of a run,
    /// but thresholds are held against the steady part alone.
    package func whyNoStep(_ part: SteadyPart, _ thresholds: [Threshold]) -> String? {
        let results = thresholds.map { ThresholdResult($0, part) }
        let missed = zip(thresholds, results).filter { !$0.1.met }
        // Lateness explains no counts and no broken promise.
        if missed.contains(where: { $0.1.isAboutCounts || $0.1.isAboutPromises }) { return nil }
        if breachFails, !valid, !isLateForThresholds {
            return isOnlyLate && missed.contains(where: \.1.isMissedByMost)
                ? nil : reasons.joined(separator: "; ")
        }
        if missed.allSatisfy(\.0.measure.isOfLateness) { return missed.first?.1.sentence }
        let lateness = part.sum(nil, kind: nil).lateness
        return LateThresholds(thresholds, results, lateness: lateness).sentences.first
    }
}
