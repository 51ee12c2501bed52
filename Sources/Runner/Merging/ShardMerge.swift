internal import Checker
internal import Foundation
package import Journal
internal import Rendering
package import Reports
internal import Rigs
internal import Statistics

/// Merges the run directories of a run's shards into one, as if one machine had run it (docs/scale.md).
package struct ShardMerge {
    /// Settings of a merge.
    package struct MergeOptions {
        /// The run directory to write; nil: a new one under `reports`.
        package var out: String?
        /// Fetches runs that are not on this machine; nil: such names are refused.
        package var fetch: FetchCommand?
        /// Bound of the error of unsynchronised clocks; nil: promises that depend on them are not checked.
        package var clockBound: Duration?

        package init(
            out: String? = nil, fetch: FetchCommand? = nil, clockBound: Duration? = nil
        ) {
            (self.out, self.fetch, self.clockBound) = (out, fetch, clockBound)
        }
    }

    private var shards: ShardRuns
    private let options: MergeOptions
    private let leftovers: MergeLeftovers

    /// Merges the runs that `names` mean. `complain` gets the errors that do not end the merge. `leftovers` lists
    /// what to remove if the process ends early. Throws
    /// `RunError.badInput` where they are not shards of one run, `RunError.couldNotRun` where nothing can be
    /// merged or written.
    package static func run(
        _ names: [String], _ options: MergeOptions, leftovers: MergeLeftovers = MergeLeftovers(),
        complain: (String) -> Void
    ) throws(RunError) -> (directory: RunDirectory, summary: Summary) {
        defer { leftovers.remove() }
        let inputs = try MergeInputs(names, fetch: options.fetch, leftovers)
        var merge = ShardMerge(
            shards: try ShardRuns(inputs), options: options, leftovers: leftovers)
        let directory = try merge.write(complain)
        let thresholds: [Threshold]
        do {
            let header = try History(path: directory.history).header
            thresholds = try Rig.read(
                header.rigSource, file: "the rig of \(header.run)", with: .recorded
            ).rig.thresholds
        } catch {
            throw .couldNotRun("\(error)")
        }
        let summary = try RunReports.write(
            directory, thresholds: thresholds, complain: complain)
        return (directory, summary)
    }

    // MARK: The history

    /// Writes the merged history into its directory. A history that turns out to be damaged is left out, and
    /// the merge starts over.
    private mutating func write(_ complain: (String) -> Void) throws(RunError) -> RunDirectory {
        var directory: RunDirectory?
        while true {
            guard let first = shards.runs.first else {
                throw .couldNotRun(
                    "nothing can be merged: \(shards.damaged.prefix(3).joined(separator: "; "))")
            }
            let started = shards.runs.map(\.header.startedMicroseconds).min() ?? 0
            do {
                let place =
                    try directory
                    ?? RunDirectory.create(
                        rig: "\(first.header.rigName) merged", startedMicroseconds: started,
                        out: options.out)
                directory = place
                try write(to: place, started: started)
                leftovers.keep(place.history)
                keepTruth(in: place, complain)
                return place
            } catch let failure as HistoryMerge.Failure {
                shards.remove(failure.part, failure.reason)
            } catch {
                throw RunError.couldNotRun("\(error)")
            }
        }
    }

    private func write(to directory: RunDirectory, started: Int64) throws {
        let runs = shards.runs
        let offsets = runs.map { ($0.header.startedMicroseconds - started) * 1_000 }
        let rig = try? Rig.read(
            runs[0].header.rigSource, file: runs[0].header.rigName, with: .recorded
        ).rig
        let bound = ClockBound(
            runs, offsets: offsets, homeSize: rig?.householdsOfHome ?? 1,
            assumed: options.clockBound.map { Instant($0).nanoseconds })
        let header = try header(directory, started: started, offsets, bound)
        leftovers.add(directory.history)
        let merge = try HistoryMerge(
            path: directory.history, header: header,
            parts: zip(runs, offsets).map { run, offset in
                MergePart(run.history, offset: .nanoseconds(offset))
            })
        do {
            try merge.run()
            try addUnseen(to: merge, of: rig)
            let census = ShardCensus(shards, merge)
            let rows = try rows(census, bound, started: started)
            var record = MergeRecord(
                gaps: census.gaps,
                notes: shards.notes + Self.startNotes(rows) + census.notes + bound.notes)
            let verdicts = try verdicts(header, offsets, merge.isComplete, &record)
            try merge.finish(end(offsets, verdicts), shards: rows, record: record)
        } catch {
            merge.discard()
            throw error
        }
    }

    /// Adds the households that a shard began just before it was cut short, so that no record of them was written: the next
    /// attempt names them as lost; without a next attempt its lanes' counts tell.
    private func addUnseen(to merge: HistoryMerge, of rig: Rig?) throws {
        let runs = shards.runs
        let plan = rig.map { Plan($0, seed: Seed(runs[0].header.seed), run: runs[0].header.runID) }
        var known: Set<Int> = []
        for (position, run) in runs.enumerated() {
            let next = runs.indices.contains(position + 1) ? runs[position + 1].shard : nil
            var gone =
                next?.number == run.shard.number
                ? Set(next?.lost ?? []) : Self.begun(run, of: plan)
            guard !gone.isEmpty else { continue }
            // Also who was cut off when the attempt was stopped has a record.
            try run.history.households { gone.remove($0.household) }
            let lost = gone.sorted().filter { known.insert($0).inserted }.map { household in
                let planned = plan?.household(household)
                return HouseholdRecord(
                    household: household, kind: planned?.kind.name ?? run.header.kinds.first ?? "",
                    lane: 0, arrived: min(run.history.until, .start + (planned?.arrival ?? .zero)))
            }
            if !lost.isEmpty { try merge.add(lost: lost, of: position) }
        }
    }

    /// What the lanes of a first attempt had begun, by the file that its killed process left on this machine.
    private static func begun(_ run: ShardRuns.ShardRun, of plan: Plan?) -> Set<Int> {
        guard !run.hasEnd, run.shard.attempt == 1,
            let file = run.input.directory?.file(LaneTurn.file),
            let lanes = LaneTurn.begun(at: file)
        else { return [] }
        return plan?.part(run.shard.number, of: run.shard.count).begun(by: lanes) ?? []
    }

    private func header(
        _ directory: RunDirectory, started: Int64, _ offsets: [Int64], _ bound: ClockBound
    ) throws -> HistoryHeader {
        let runs = shards.runs
        var header = runs[0].header
        header.run = directory.name
        header.startedMicroseconds = started
        header.target = Self.target(runs)
        header.lanes = runs.reduce(0) { $0 + max(1, $1.header.lanes) }
        header.plannedHouseholds = runs[0].shard.householdsOfPlan
        header.shard = nil
        guard !header.judging.isEmpty else { return header }
        var rules = try Rules(texts: header.judging)
        rules.startedMicroseconds = started
        rules.part = nil
        rules.shards = runs.count > 1 ? bound.map : nil
        // Degradations are timed from the start of their stand-in, so they do not fit one that started much later.
        if offsets.contains(where: { $0 > Self.sameStart }) { rules.degradations = [] }
        header.judging = rules.texts
        return header
    }

    /// Shards that start at most this far apart count as started together, in nanoseconds.
    private static let sameStart: Int64 = 500_000_000

    private static func isEmbedded(_ run: ShardRuns.ShardRun) -> Bool {
        run.header.target.hasPrefix("embedded")
    }

    private static func target(_ runs: [ShardRuns.ShardRun]) -> String {
        let names = Set(runs.map(\.header.target))
        guard names.count > 1 else { return runs[0].header.target }
        guard runs.allSatisfy(isEmbedded) else {
            return "\(names.count) targets: \(names.sorted().prefix(3).joined(separator: ", "))"
        }
        let faults = runs[0].header.target.firstIndex(of: ")").map {
            runs[0].header.target[runs[0].header.target.index(after: $0)...]
        }
        return "embedded (one for each shard)\(faults ?? "")"
    }

    private func end(_ offsets: [Int64], _ verdicts: Findings?) -> HistoryEnd {
        let runs = shards.runs
        let last = ShardCensus.last(runs)
        let ended = zip(runs, offsets).map { $0.history.until + .nanoseconds($1) }.max() ?? .start
        var end = HistoryEnd(
            // What a shard did not run because it was stopped is a gap, as if it had been killed.
            ended: ended, interrupted: false, failure: "",
            cpuPercent: last.reduce(0) { $0 + ($1.history.end?.cpuPercent ?? 0) },
            historyHash: HistoryMerge.hash(runs.map { $0.history.end?.historyHash ?? "" }))
        if let broken = last.first(where: { $0.history.end?.breaker.isEmpty == false }) {
            let reason = broken.history.end?.breaker ?? ""
            end.breaker =
                reason.hasPrefix("the threshold") ? reason : "\(broken.name): \(reason)"
        }
        for (run, offset) in zip(runs, offsets) {
            for standstill in run.history.end?.standstills ?? [] {
                let moved = Standstill(
                    noticed: standstill.noticed + .nanoseconds(offset), length: standstill.length)
                // Shards of one machine report the same suspension.
                let isKnown = end.standstills.contains {
                    abs($0.noticed.nanoseconds - moved.noticed.nanoseconds) < 2_000_000_000
                        && abs(Instant($0.length - moved.length).nanoseconds) < 1_000_000_000
                }
                if !isKnown { end.standstills.append(moved) }
            }
            let said = (run.history.end?.stallTexts ?? []) + (run.history.end?.longTurns ?? [])
            end.longTurns += said.map { "\(run.name): \($0)" }
        }
        end.standstills.sort { $0.noticed < $1.noticed }
        if let verdicts {
            end.verdicts = TerminalReport.verdicts(verdicts)
            end.verdictCounts = verdicts.kept
        }
        return end
    }

    // MARK: Verdicts

    /// The sum of the findings of the shards' own judges; nil where everything can be judged again. `record`
    /// gets a note on promises that were not checked over all shards.
    private func verdicts(
        _ header: HistoryHeader, _ offsets: [Int64], _ isComplete: Bool, _ record: inout MergeRecord
    ) throws -> Findings? {
        guard !header.judging.isEmpty, !isComplete else { return nil }
        let rules = try Rules(texts: header.judging)
        var sum: Findings?
        var missing: [String] = []
        for (run, offset) in zip(shards.runs, offsets) {
            let kept = run.history.end?.verdictCounts ?? ""
            guard let found = Findings(kept: kept, rules: rules, shift: offset) else {
                missing.append(run.name)
                continue
            }
            if sum == nil { sum = found } else { sum?.add(found) }
        }
        if shards.runs.count > 1 {
            if !Self.isEmbedded(shards.runs[0]) { sum?.limitToShards() }
            record.notes.append(
                "not every exchange was recorded (record: \(shards.runs[0].history.recording)), so the verdicts of the "
                    + "shards are added: promises between households of different shards, such as code-unique, were "
                    + "not checked; 'record: all' checks them over all")
        }
        if !missing.isEmpty {
            record.notes.append(
                "what \(missing.prefix(5).joined(separator: ", "))\(missing.count > 5 ? " and others" : "") found "
                    + "is not known: it was cut short before its verdicts were written")
        }
        return sum
    }

    // MARK: Shards

    private func rows(
        _ census: ShardCensus, _ bound: ClockBound, started: Int64
    ) throws -> [MergedShard] {
        let first = shards.runs.map(Self.began).min() ?? started
        return try shards.runs.indices.map { position in
            let run = shards.runs[position]
            let health: RigHealth
            do {
                health = RigHealth(try RunFold(healthOf: run.history))
            } catch let error as JournalError {
                throw HistoryMerge.Failure(part: position, reason: error)
            }
            let offset = run.header.startedMicroseconds - started
            let began = Self.began(run)
            let skew = run.shard.startLatenessMicroseconds ?? (began - first)
            return MergedShard(
                shard: run.shard.number, count: run.shard.count, attempt: run.shard.attempt,
                run: run.header.run, host: run.shard.host, target: run.header.target,
                startedMicroseconds: began,
                startAtMicroseconds: run.shard.startAtMicroseconds,
                skew: run.shard.attempt == 1 ? .microseconds(skew) : nil,
                planned: run.header.plannedHouseholds,
                started: census.began[position], lost: census.lost[position].count,
                exchanges: run.history.kept.total,
                lateness: health.lateness.map { .nanoseconds(Int64($0.p99 * 1e6)) },
                isValid: health.valid, reasons: health.reasons,
                ended: ShardCensus.endOfPlan(run).map { $0.ended + .microseconds(offset) },
                clockError: bound.errors[position].map { .nanoseconds($0) })
        }
    }

    /// Notes on shards that began apart from each other, or all of them late.
    private static func startNotes(_ rows: [MergedShard]) -> [String] {
        let firsts = rows.filter { $0.attempt == 1 }
        guard let early = firsts.min(by: { $0.startedMicroseconds < $1.startedMicroseconds }),
            let late = firsts.max(by: { $0.startedMicroseconds < $1.startedMicroseconds })
        else { return [] }
        /// Nil below what is worth a word.
        func time(_ microseconds: Int64) -> String? {
            let milliseconds = Double(microseconds) / 1_000
            return milliseconds < ShardRow.lateMs
                ? nil : Figures.time(milliseconds: milliseconds)
        }
        var notes: [String] = []
        if let asked = early.startAtMicroseconds,
            let time = time(early.startedMicroseconds - asked)
        {
            notes.append(
                "all shards started at least \(time) after the common start at \(StartTime.text(asked))"
            )
        }
        if let time = time(late.startedMicroseconds - early.startedMicroseconds) {
            let remedy = late.startAtMicroseconds == nil ? "; --start-at starts them together" : ""
            notes.append(
                "shard \(late.shard) started \(time) after shard \(early.shard): the shards' loads did not overlap as "
                    + "planned\(remedy)")
        }
        return notes
    }

    /// When its lanes began to run, or were to begin where that is unknown: by its machine's wall clock, microseconds
    /// since 1970.
    private static func began(_ run: ShardRuns.ShardRun) -> Int64 {
        run.shard.beganMicroseconds
            ?? run.header.startedMicroseconds + run.shard.begins.nanoseconds / 1_000
    }

    /// Joins the truth files of the shards' stand-ins, one after the other.
    private func keepTruth(in directory: RunDirectory, _ complain: (String) -> Void) {
        let truths = shards.runs.compactMap { $0.input.directory?.file(Self.truth) }
            .filter { FileManager.default.fileExists(atPath: $0) }
        guard !truths.isEmpty else { return }
        let path = directory.file(Self.truth)
        leftovers.add(path)
        do {
            try PrivateFile.write(Data(), to: path)
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            defer { try? file.close() }
            for truth in truths {
                let part = try FileHandle(forReadingFrom: URL(filePath: truth))
                defer { try? part.close() }
                while let piece = try part.read(upToCount: 1 << 20), !piece.isEmpty {
                    try file.write(contentsOf: piece)
                }
            }
            leftovers.release(path)
        } catch {
            complain("\(path) cannot be written: \(PrivateFile.reason(of: error))")
        }
    }

    /// Name of the file in which a stand-in says what its faults did.
    private static let truth = "truth.jsonl"
}
