internal import Journal
internal import Rendering

/// How much of the plan was seen: households that began, were lost or ran twice, and shards that are missing or
/// were cut short.
struct ShardCensus {
    /// Number of households that began, by the position of the run.
    private(set) var began: [Int] = []
    /// Households that never ended, by the position of the run, in ascending order: those with a record without
    /// an end, and those that a later attempt names as lost (`ShardMerge.addUnseen`).
    private(set) var lost: [[Int]] = []
    /// Number of households that were cut off when their run was stopped, by the position of the run.
    private var cutOff: [Int] = []
    /// Parts of the plan that were not seen, or seen twice, a sentence each; the first sentence is the summary.
    private(set) var gaps: [String] = []
    private(set) var notes: [String] = []
    private var hasDoubles = false

    init(_ shards: ShardRuns, _ merge: HistoryMerge) {
        let runs = shards.runs
        began = merge.counts.map(\.households)
        lost = merge.counts.map(\.unended)
        cutOff = merge.counts.map(\.cutOff)
        hasDoubles = merge.doubleCount > 0
        var found = shards.damaged + shards.repeated + Self.missing(runs)
        found += cutShort(runs) + Self.doubles(runs, merge)
        notes = attempts(runs)
        let planned = runs.first?.shard.householdsOfPlan
        if found.isEmpty, let planned, merge.households < planned, Self.hasEndedByItself(runs) {
            found.append(
                "\(planned - merge.households) of \(planned) planned households never began, though every shard ended by itself"
            )
        }
        guard !found.isEmpty else { return }
        let share =
            planned.map { planned in
                "\(Figures.count(merge.endedHouseholds)) of \(Figures.count(planned)) planned households "
                    + "(\(Figures.percent(merge.endedHouseholds, of: planned))) were seen to their end"
            } ?? "\(Figures.count(merge.endedHouseholds)) households were seen to their end"
        gaps = [share + ": " + found.prefix(2).joined(separator: "; ")] + found
        if found.count <= 2 { gaps = [gaps[0]] }
    }

    /// The last attempt of each shard.
    static func last(_ runs: [ShardRuns.ShardRun]) -> [ShardRuns.ShardRun] {
        runs.indices.filter { position in
            position + 1 == runs.count
                || runs[position + 1].shard.number != runs[position].shard.number
        }.map { runs[$0] }
    }

    private static func hasEndedByItself(_ runs: [ShardRuns.ShardRun]) -> Bool {
        last(runs).allSatisfy { endOfPlan($0) != nil }
    }

    /// The end of a run that came to it by itself; nil where it was cut short, stopped or interrupted.
    static func endOfPlan(_ run: ShardRuns.ShardRun) -> HistoryEnd? {
        run.history.end.flatMap {
            $0.interrupted || !$0.failure.isEmpty || !$0.breaker.isEmpty ? nil : $0
        }
    }

    private static func missing(_ runs: [ShardRuns.ShardRun]) -> [String] {
        guard let count = runs.first?.shard.count else { return [] }
        let present = Set(runs.map(\.shard.number))
        let absent = (0..<count).filter { !present.contains($0) }
        var sentences: [String] = []
        if !absent.isEmpty {
            let names = list(absent)
            sentences.append(
                absent.count == 1
                    ? "shard \(names) of \(count) is missing"
                    : "shards \(names) of \(count) are missing")
        }
        // An attempt that continues another one which is not among the runs.
        for (position, run) in runs.enumerated() {
            let before =
                position > 0 && runs[position - 1].shard.number == run.shard.number
                ? runs[position - 1].shard.attempt : 0
            let gap = run.shard.attempt - before - 1
            // Without earlier attempts of its own, it may be the second start of a process that left no history.
            guard gap > 0, run.shard.earlier.count > before else { continue }
            sentences.append(
                "of shard \(run.shard.number) the attempt before \(run.shard.attempt) is missing "
                    + "(\(run.shard.earlier.last ?? ""))")
        }
        return sentences
    }

    private func cutShort(_ runs: [ShardRuns.ShardRun]) -> [String] {
        Self.last(runs).compactMap { run in
            let after = Self.span(run.history.until)
            if let failure = run.history.end?.failure, !failure.isEmpty {
                return "\(run.name) stopped after \(after): \(failure)"
            }
            // Otherwise nothing is left that another attempt could run.
            guard let how = Self.stop(run), !hadBegunAll(run, runs) else { return nil }
            guard run.hasEnd, let own = run.shard.households else {
                return "\(run.name) \(how) after \(after)"
            }
            let underWay = sum(cutOff, of: run, runs)
            return
                "\(run.name) \(how) after \(after), when \(Figures.count(sum(began, of: run, runs))) of its "
                + "\(Figures.counted(own, "household")) had begun"
                + (underWay == 0 ? "" : " and \(Figures.count(underWay)) were under way")
        }
    }

    /// The sum of `counts`, by the position of the run, over all attempts of a run's shard.
    private func sum(
        _ counts: [Int], of run: ShardRuns.ShardRun, _ runs: [ShardRuns.ShardRun]
    ) -> Int {
        runs.indices.reduce(0) {
            runs[$1].shard.number == run.shard.number ? $0 + counts[$1] : $0
        }
    }

    /// What ended a run before its time, as `was cut short`; nil where nothing did.
    private static func stop(_ run: ShardRuns.ShardRun) -> String? {
        guard let end = run.history.end else { return "was cut short" }
        if end.interrupted { return "was stopped from outside" }
        return end.breaker.isEmpty ? nil : "was stopped by its breaker"
    }

    /// Whether a run ended before its time after its shard had begun all its households, in whatever attempts, and at
    /// least half of them had ended: of a load that arrives at once nothing but its begin may have been seen.
    private func hadBegunAll(_ run: ShardRuns.ShardRun, _ runs: [ShardRuns.ShardRun]) -> Bool {
        guard Self.stop(run) != nil, !hasDoubles, let own = run.shard.households else {
            return false
        }
        let unended = sum(cutOff, of: run, runs) + sum(lost.map(\.count), of: run, runs)
        return sum(began, of: run, runs) >= own && unended * 2 <= own
    }

    private static func doubles(_ runs: [ShardRuns.ShardRun], _ merge: HistoryMerge) -> [String] {
        guard let first = merge.doubles.first else { return [] }
        let names = first.parts.map { runs[$0].name }.joined(separator: " and ")
        let who = list(
            merge.doubles.map(\.household), isCut: merge.doubleCount > merge.doubles.count)
        return [
            (merge.doubleCount == 1
                ? "household \(who) ran twice, in \(names)"
                : "\(Figures.count(merge.doubleCount)) households ran twice (\(who)), the first in \(names)")
                + "; each counts once, and requests of both runs are in the counts"
        ]
    }

    /// Notes on shards that were started again, and on households that were lost.
    private func attempts(_ runs: [ShardRuns.ShardRun]) -> [String] {
        var notes: [String] = []
        for (position, run) in runs.enumerated() {
            let isLast =
                position + 1 == runs.count || runs[position + 1].shard.number != run.shard.number
            let gone = lost[position]
            let losses =
                gone.isEmpty
                ? ""
                : "; \(Figures.count(gone.count)) \(gone.count == 1 ? "household was" : "households were") lost "
                    + "(\(Self.list(gone)))"
            if !isLast {
                let how = run.hasEnd ? "ended" : "was cut short"
                notes.append(
                    "\(run.name) \(how) after \(Self.span(run.history.until)) and was continued by attempt "
                        + "\(runs[position + 1].shard.attempt)\(losses)")
            } else if let how = Self.stop(run), hadBegunAll(run, runs) {
                notes.append(
                    "\(run.name) \(how) after \(Self.span(run.history.until)), when all of its households had begun\(losses)"
                )
            } else if !gone.isEmpty {
                notes.append("\(run.name):\(losses.dropFirst())")
            }
            guard !run.hasEnd else { continue }
            notes += run.history.lastTurns.prefix(2).map {
                "\(run.name): when the process ended, \($0.sentence)"
            }
        }
        return notes
    }

    // MARK: Words

    /// `3, 5, 7`, at most a dozen.
    private static func list(_ numbers: [Int], isCut: Bool = false) -> String {
        let shown = numbers.prefix(12).map { "\($0)" }.joined(separator: ", ")
        return shown + (numbers.count > 12 || isCut ? " ..." : "")
    }

    /// `12.3 s`.
    private static func span(_ until: Instant) -> String {
        let tenths = until.nanoseconds / 100_000_000
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }
}
