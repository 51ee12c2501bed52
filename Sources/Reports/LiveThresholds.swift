internal import Checker
internal import Journal
public import Rigs
internal import Vocabulary

extension LiveState {
    /// Holds what is known so far against the rig's thresholds, and its lateness against
    /// `validity.lateness-p99`. `allowed`: that; nil in virtual time, where nothing is late.
    public mutating func hold(against thresholds: [Threshold], allowed: Duration?) {
        let measured = LiveMeasurements(progress: progress, verdicts: findings?.verdicts)
        self.thresholds = thresholds.filter(\.isKnownLive).compactMap { threshold in
            let result = ThresholdResult(threshold, measured)
            return result.actual == ThresholdResult.nothing ? nil : result
        }
        undecidedThresholds = thresholds.count - self.thresholds.count
        invalidity = allowed.flatMap {
            RigHealth.breach(progress.lateness, allowedMs: Instant($0).milliseconds)
        }
    }
}

/// What `Progress` tells of a run that goes on (`Threshold.isKnownLive`).
private struct LiveMeasurements: Measurements {
    var progress: Progress
    var verdicts: [Verdict]?

    var loadSeconds: Double { Double(progress.elapsed.nanoseconds) / 1e9 }

    func sum(_ operation: OperationName?, kind: String?) -> Cell {
        var total = Cell(
            key: Cell.CellKey(second: 0, operation: operation ?? .connect, kind: 0))
        for work in progress.works
        where operation.map({ $0 == work.operation }) ?? !work.operation.isOfConnection {
            total.merge(Cell(work))
        }
        return total
    }

    func tally(kind: String?) -> Population.PopulationTally {
        var tally = Population.PopulationTally()
        tally.started = progress.households.started
        tally.fates[Int(HouseholdRecord.Fate.failed.rawValue)] = progress.households.failed
        tally.abandonedByService = progress.households.abandonedByService
        (tally.signIn, tally.punctual.signIn) = (progress.signIn, progress.punctualSignIn)
        return tally
    }
}

extension Cell {
    fileprivate init(_ work: Progress.Work) {
        self.init(key: CellKey(second: 0, operation: work.operation, kind: 0))
        (sent, completed, errors) = (work.sent, work.completed, work.errors)
        outcomes = work.outcomes
        (latency, punctual) = (work.latency, work.punctual)
        (service, lateness) = (work.service, work.lateness)
    }
}
