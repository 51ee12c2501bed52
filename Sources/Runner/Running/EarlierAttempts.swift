internal import Foundation
package import Journal
internal import Lanes
package import Rigs
package import Statistics

/// What earlier attempts of a shard left behind, and what of its part is left to do. An engine starts a process again
/// that it lost; of what that one had begun, nothing may happen twice.
///
/// Which households an attempt has begun is known in one of three ways:
///
///     it came to its end                      all of them
///     lanes.bin is there, and of this boot    by its counts, which a killed process leaves exactly
///     else (the machine was lost)             those recorded, and all that were planned until now
package struct EarlierAttempts {
    /// One of them.
    package struct Attempt {
        package let directory: RunDirectory
        package let history: History

        /// It came to its end: nothing is left.
        var isComplete: Bool {
            history.end.map { !$0.interrupted && $0.failure.isEmpty && $0.breaker.isEmpty } ?? false
        }
    }

    /// In their order.
    package let attempts: [Attempt]
    private let plan: Plan

    /// What is left.
    package enum Remainder {
        case rest(ShardRest)
        /// The last attempt came to its end (`isComplete`), or nobody is left to begin; these households began and
        /// did not end.
        case nothing(RunDirectory, lost: [Int], isComplete: Bool)
    }

    /// Looks for them: at `out`, `out-2`, `out-3` ..., or among the runs under `root` that have the shard's name.
    /// `plan` is the shard's part of it. Refuses while one of them is still running, and where one cannot be read
    /// unless `anew`.
    package init(
        of shard: Shard, _ run: RunID, rig: Rig, plan: Plan, out: String?, anew: Bool = false,
        under root: String = RunDirectory.root
    ) throws(RunError) {
        self.plan = plan
        var found: [Attempt] = []
        for directory in Self.directories(of: shard, rig: rig, out: out, under: root) {
            guard let history = try Self.history(directory, anew: anew) else { continue }
            guard let record = history.header.shard, record.number == shard.number,
                record.count == shard.count, history.header.runID == run
            else { continue }
            guard history.header.seed == rig.seed.value, history.header.rigName == rig.name else {
                throw .badInput(
                    "\(directory.path) is of the same run and shard, and of another rig or seed "
                        + "(\(history.header.rigName), \(history.header.seed)); give this run another --run-id"
                )
            }
            if LaneTurn.isHeld(directory.file(LaneTurn.file)) {
                throw .couldNotRun(
                    "an earlier attempt of this shard is still running (\(directory.path)); wait for its end, or end it"
                )
            }
            found.append(Attempt(directory: directory, history: history))
        }
        attempts = found.sorted {
            ($0.history.header.shard?.attempt ?? 1) < ($1.history.header.shard?.attempt ?? 1)
        }
    }

    private static func directories(
        of shard: Shard, rig: Rig, out: String?, under root: String
    ) -> [RunDirectory] {
        let files = FileManager.default
        if let out {
            let further = (2...).lazy.map { "\(out)-\($0)" }.prefix { files.fileExists(atPath: $0) }
            return ([out] + further).map(RunDirectory.init(path:))
        }
        let stem =
            RunDirectory.stem(rig: rig.name, shard: (shard.number, shard.count)) + "-"
        let names = (try? files.contentsOfDirectory(atPath: root)) ?? []
        return names.filter { $0.hasPrefix(stem) }.sorted().map {
            RunDirectory(path: (root as NSString).appendingPathComponent($0))
        }
    }

    /// Nil where there is none, or where its process ended before it began anybody.
    private static func history(
        _ directory: RunDirectory, anew: Bool
    ) throws(RunError) -> History? {
        let files = FileManager.default
        guard files.fileExists(atPath: directory.history) else { return nil }
        do {
            return try History(path: directory.history)
        } catch {
            // The lanes' file is made after the history, and before anybody begins.
            guard files.fileExists(atPath: directory.file(LaneTurn.file)), !anew else { return nil }
            throw .couldNotRun(
                "what an earlier attempt of this shard has begun is not known, because \(error); add --anew to run all "
                    + "of the shard again, or move \(directory.path) away")
        }
    }

    /// Where the next attempt writes, where the first was told to write to `out`.
    package static func next(after out: String) -> String {
        let free = (2...).lazy.map { "\(out)-\($0)" }
            .first { !FileManager.default.fileExists(atPath: $0) }
        return free ?? out
    }

    // MARK: What is left

    /// `now`: microseconds since 1970. `attempt`: number of the attempt to come as the engine counts; nil: it does
    /// not. Nil where there was no attempt.
    package func remainder(now: Int64, attempt: Int? = nil) throws -> Remainder? {
        guard let last = attempts.last else { return nil }
        var left = plan
        var all = Households()
        for attempt in attempts {
            try add(attempt, of: left, now: now, to: &all)
            left = plan.without(begun: all.begun.union(all.skipped))
        }
        let lost = all.begun.subtracting(all.ended).sorted()
        guard !last.isComplete, let begins = try begins(left, last) else {
            return .nothing(last.directory, lost: lost, isComplete: last.isComplete)
        }
        let next = (last.history.header.shard?.attempt ?? attempts.count) + 1
        return .rest(
            ShardRest(
                attempt: max(next, attempt ?? 0), earlier: attempts.map(\.directory.name),
                begun: all.begun.union(all.skipped), lost: lost, begins: begins))
    }

    /// Where in the plan the next attempt goes on: with the first household that is left, so that the rest follows as
    /// planned, later by the length of the outage. Nil where nothing is left.
    private func begins(_ left: Plan, _ last: Attempt) throws -> Duration? {
        guard left.households == nil else { return left.firstLeft }
        let through = try Self.end(of: last.history)
        return through < left.arrivalsEnd ? through : nil
    }

    /// How far an attempt came.
    private static func end(of history: History) throws -> Duration {
        if let end = history.end { return end.ended - .start }
        var last = history.watermark
        try history.households { last = max(last, $0.ended ?? $0.tokenSeen ?? $0.arrived) }
        return last - .start
    }
}

extension EarlierAttempts {
    private struct Households {
        /// Begun, or perhaps begun.
        var begun: Set<Int> = []
        /// Came to their ends.
        var ended: Set<Int> = []
        /// Numbers that are left out to be sure, under closed load: nobody had planned those households.
        var skipped: Set<Int> = []
    }

    /// Adds those of an attempt; `part` is what it was to run.
    private func add(
        _ attempt: Attempt, of part: Plan, now: Int64, to all: inout Households
    ) throws {
        try attempt.history.households { record in
            all.begun.insert(record.household)
            if record.ended != nil, !record.wasCutOff {
                all.ended.insert(record.household)
            }
        }
        if attempt.isComplete {
            if let count = part.households {
                for position in 0..<count where !part.isBegun(position) {
                    all.begun.insert(part.index(of: position))
                }
            }
            return
        }
        let header = attempt.history.header
        let counts = LaneTurn.begun(at: attempt.directory.file(LaneTurn.file))
        let isOfThisBoot =
            header.shard?.clock?.bootID != nil
            && header.shard?.clock?.bootID == ClockReading.here()?.bootID
        if let counts, isOfThisBoot || attempt.history.end != nil {
            all.begun.formUnion(part.begun(by: counts))
        } else {
            try addAllThatMayHaveBegun(in: attempt, of: part, now: now, to: &all)
        }
    }

    /// The machine was lost, and with it what it had not written to its disk. Whoever was planned for a later time
    /// than now has not begun; nothing is known of the others.
    private func addAllThatMayHaveBegun(
        in attempt: Attempt, of part: Plan, now: Int64, to all: inout Households
    ) throws {
        let header = attempt.history.header
        // By a clock of another machine, perhaps.
        let doubt = Self.slack + (header.shard?.clock?.errorMicroseconds ?? 0)
        let elapsed: Duration = .microseconds(now - header.startedMicroseconds + doubt)
        guard let count = part.households else {
            // Numbers never end: some are left out.
            let last = (all.begun.max() ?? 0) + Self.numbersLeftOut
            for position in 0... {
                let index = part.index(of: position)
                guard index <= last else { return }
                if !all.begun.contains(index) { all.skipped.insert(index) }
            }
            return
        }
        // Somebody has set another rate than the plan's.
        let wasPaced = try attempt.history.runEvents().contains {
            $0.origin == .control && $0.name.hasPrefix("arrivals-at-")
        }
        for position in 0..<count where !part.isBegun(position) {
            guard let household = part.household(position) else { break }
            let begins = household.preparation ?? household.arrival ?? .zero
            if wasPaced || begins <= elapsed { all.begun.insert(household.index) }
        }
    }

    private static let slack: Int64 = 2_000_000
    private static let numbersLeftOut = 100_000
}

extension Plan {
    /// The households of this part that its lanes had begun when their process ended.
    func begun(by lanes: [LaneTurn.BegunHouseholds]) -> Set<Int> {
        var begun: Set<Int> = []
        for counts in lanes {
            let own = part(counts.lane, of: lanes.count)
            for (count, areReady) in [(counts.arrived, false), (counts.prepared, true)] {
                for position in 0..<min(count, own.households ?? .max)
                where !own.isBegun(position) && own.prepares(position) == areReady {
                    begun.insert(own.index(of: position))
                }
            }
        }
        return begun
    }
}
