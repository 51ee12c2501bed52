internal import Reports
internal import Statistics
internal import Vocabulary

extension Comparison {
    /// Holds `run` against `base`. The same two runs give the same answer, every time.
    public init(_ base: ComparedRun, _ run: ComparedRun, floor: Floor = Floor(), draws: Int = 600) {
        self.base = base.side
        self.run = run.side
        earlier = base.charts
        self.floor = floor
        setups = Self.setups(base, run)
        doubts = Self.doubts(base, run)
        protocols = ProtocolComparison(base, run)
        var (base, run) = (base, run)
        var operations = OperationName.allCases.map(\.name)
        if protocols != nil, let before = base.steps, let after = run.steps {
            operations = ProtocolComparison.subjects(before, after)
            (base, run) = (base.bySteps(before), run.bySteps(after))
        }
        var candidates: [ChangeCandidate] = []
        let subjects = ComparedRun.signIns + operations
        for (index, subject) in subjects.enumerated() {
            candidates += Self.times(
                subject, base, run, seed: Seed(8).child("subject", index), draws)
            candidates += Self.errors(subject, base, run)
        }
        candidates += Self.shares("all", "errors", base.allErrors, run.allErrors)
        candidates += Self.failed(base, run)
        let isByStep = protocols != nil
        let unseen = Self.unseen(run.kinds, where: base, isByStep: isByStep)
        let adjusted = Significance.holm(
            candidates.compactMap(\.probability) + unseen.map(\.probability))
        let judged = candidates.filter { $0.probability != nil }.count
        var next = adjusted[...]
        rows = candidates.map { candidate in
            candidate.row(candidate.probability == nil ? nil : next.removeFirst(), floor)
        }
        newErrors = zip(unseen, adjusted[judged...]).map { pair, chance in
            var kind = pair.kind
            kind.isSure = chance < 0.05 && Double(kind.count) >= floor.share * Double(kind.total)
            return kind
        }
        goneErrors = Self.unseen(base.kinds, where: run, isByStep: isByStep).map(\.kind)
        promises = Self.promises(base.breaches, run.breaches)
    }

    /// A row before it is known how many others there are.
    private struct ChangeCandidate {
        var row: Row
        /// By chance alone; nil where there are too few values.
        var probability: Double?
        /// The same, if each value stood for itself.
        var plainProbability: Double?

        func row(_ adjusted: Double?, _ floor: Floor) -> Row {
            var row = row
            if row.isOnGrid { row.verdict = .noise }
            guard let adjusted else { return row }
            row.sure = 1 - adjusted
            let isLarge: Bool =
                switch row.unit {
                case .milliseconds:
                    row.difference.magnitude >= floor.milliseconds
                        && row.difference.magnitude >= floor.relative * row.base
                case .share: row.difference.magnitude >= floor.share
                }
            row.isSmall = adjusted < 0.05 && !isLarge
            row.verdict =
                adjusted >= 0.05 || !isLarge ? .noise : row.difference > 0 ? .worse : .better
            row.isInBursts = row.verdict == .noise && isLarge && plainProbability ?? 1 < 0.001
            return row
        }
    }

    private static let statistics: [(name: String, share: Double)] = [
        ("p50", 0.5), ("p95", 0.95), ("p99", 0.99),
    ]

    private static func times(
        _ subject: String, _ base: ComparedRun, _ run: ComparedRun, seed: Seed, _ draws: Int
    ) -> [ChangeCandidate] {
        guard let before = base.times[subject], let after = run.times[subject] else { return [] }
        let differences = Difference.quantiles(
            before, after, atShares: statistics.map(\.share), seed: seed, draws: draws)
        let fewest = min(before.count, after.count)
        return zip(statistics, differences).map { statistic, difference in
            let isEnough = fewest >= PercentileNeed.values(atShare: statistic.share)
            // Both within one interval of polls: nothing that a service did.
            let isOnGrid =
                isEnough && subject == PollGrid.subject
                && (base.grid?.decides(difference.base / 1e6) ?? false)
                && (run.grid?.decides(difference.run / 1e6) ?? false)
            return ChangeCandidate(
                row: Row(
                    subject: subject, statistic: statistic.name, unit: .milliseconds,
                    base: difference.base / 1e6, run: difference.run / 1e6,
                    baseCount: before.count, runCount: after.count,
                    // The interval is of a difference: no time is shorter than none.
                    low: max(-difference.base, difference.interval.low) / 1e6,
                    high: difference.interval.high / 1e6,
                    sure: 0, verdict: .tooFew, isSmall: false, isOnGrid: isOnGrid),
                probability: isEnough && !isOnGrid ? difference.probability : nil)
        }
    }

    private static func errors(
        _ subject: String, _ base: ComparedRun, _ run: ComparedRun
    ) -> [ChangeCandidate] {
        guard let before = base.errors[subject], let after = run.errors[subject] else { return [] }
        return shares(subject, "errors", before, after)
    }

    private static func failed(_ base: ComparedRun, _ run: ComparedRun) -> [ChangeCandidate] {
        shares("households", "failed", base.failed, run.failed)
    }

    /// Where something went wrong on either side: two shares, with the larger of the variances by
    /// stretches and by single trials.
    private static func shares(
        _ subject: String, _ statistic: String, _ before: SharesInTime, _ after: SharesInTime
    ) -> [ChangeCandidate] {
        guard before.hits + after.hits > 0, before.trials > 0, after.trials > 0 else { return [] }
        let pooled =
            Double(before.hits + after.hits) / Double(before.trials + after.trials)
        let single =
            pooled * (1 - pooled) * (1 / Double(before.trials) + 1 / Double(after.trials))
        let error = max(before.variance + after.variance, single).squareRoot()
        let difference = after.share - before.share
        let reach = 1.96 * error
        return [
            ChangeCandidate(
                row: Row(
                    subject: subject, statistic: statistic, unit: .share, base: before.share,
                    run: after.share, baseCount: before.trials, runCount: after.trials,
                    low: max(-1, difference - reach), high: min(1, difference + reach), sure: 0,
                    verdict: .tooFew,
                    isSmall: false),
                probability: error > 0 ? Significance.twoSided(difference / error) : 1,
                plainProbability: single > 0
                    ? Significance.twoSided(difference / single.squareRoot()) : 1)
        ]
    }

    /// Kinds of errors that the other side has none of, with the probability that all of them fell
    /// on one side by chance: each as if thrown among the exchanges of both.
    private static func unseen(
        _ kinds: [ErrorRow], where other: ComparedRun, isByStep: Bool
    ) -> [(kind: ErrorKind, probability: Double)] {
        func subject(_ row: ErrorRow) -> String {
            isByStep ? ProtocolComparison.subject(of: row.operation) : row.operation
        }
        func key(_ row: ErrorRow) -> [String] {
            [subject(row), row.outcome, row.status.map(String.init) ?? "", row.reason]
        }
        let known = Set(other.kinds.map(key))
        return kinds.filter { !known.contains(key($0)) }.map { row in
            let own = Double(max(1, row.total))
            let share = own / (own + Double(other.errors[subject(row)]?.trials ?? 0))
            var probability = 1.0
            for _ in 0..<min(row.count, 200) { probability *= share }
            return (
                ErrorKind(
                    operation: row.operation, what: row.what, count: row.count,
                    total: max(row.count, row.total), isSure: false),
                probability
            )
        }
    }

    private static func promises(
        _ base: [String: Breaches]?, _ run: [String: Breaches]?
    ) -> [Promise]? {
        guard let base, let run else { return nil }
        return Set(base.keys).union(run.keys).sorted()
            .map {
                Promise(name: $0, base: base[$0] ?? Breaches(), run: run[$0] ?? Breaches())
            }
            .filter {
                $0.base.failing + $0.run.failing > 0 || ($0.base.all == 0) != ($0.run.all == 0)
            }
    }

    private static func setups(_ base: ComparedRun, _ run: ComparedRun) -> [String] {
        // Two protocols are compared on purpose, and need rigs that differ.
        let isMove = base.steps != nil && run.steps != nil
        var told = run.comparability.differences(from: base.comparability, besidesRig: isMove)
        if base.comparability.version != run.comparability.version {
            told.append(
                "different screenrig version: \(base.comparability.version) (base), "
                    + "\(run.comparability.version) (run)"
            )
        }
        return told
    }

    private static func doubts(_ base: ComparedRun, _ run: ComparedRun) -> [String] {
        [("the base", base), ("the run", run)].flatMap { name, side in
            side.comparability.doubts.map { "\(name) \($0)" }
        }
    }
}
