internal import Checker
internal import Journal

/// The targets and clocks of a run's shards, and which promises between households of different shards can be checked
/// with them.
struct ClockBound {
    let map: ShardMap
    /// By the position of the run, a bound of its clock's error in nanoseconds; nil where it is unknown.
    let errors: [Int64?]
    /// Sentences about what is not checked between shards.
    let notes: [String]

    /// `offsets`: how much later each run began than the first, in nanoseconds. `homeSize`: households of a home.
    /// `assumed`: bound of the error of unsynchronised clocks (`--clock-bound`), in nanoseconds; nil: unknown.
    init(_ runs: [ShardRuns.ShardRun], offsets: [Int64], homeSize: Int, assumed: Int64?) {
        var clocks: [String: Int] = [:]
        var known: [Int64?] = []
        var hosts: [String] = []
        var targets: [String: Int] = [:]
        var parts: [ShardMap.Part] = []
        for (position, run) in runs.enumerated() {
            let clock = Self.clock(run)
            let number = clocks[clock] ?? clocks.count
            let error = Self.error(run) ?? assumed
            if clocks[clock] == nil {
                clocks[clock] = number
                known.append(error)
                hosts.append(run.shard.host)
            } else if let before = known[number], let error {
                known[number] = max(before, error)
            } else {
                known[number] = nil
            }
            let target = Self.target(run, position)
            let place = targets[target] ?? targets.count
            targets[target] = place
            parts.append(
                ShardMap.Part(
                    shard: run.shard.number, from: offsets[position] + run.shard.begins.nanoseconds,
                    target: place, clock: number))
        }
        let map = ShardMap(
            count: runs.first?.shard.count ?? 1, homeSize: homeSize, parts: parts, clocks: known)
        self.map = map
        errors = parts.map { known[$0.clock] }
        notes = Self.notes(runs, map, hosts, isAssumed: assumed)
    }

    /// Identity of a run's clock. Runs of one boot of one kernel share a clock; where the boot is unknown, runs
    /// of one host name.
    private static func clock(_ run: ShardRuns.ShardRun) -> String {
        if run.header.isVirtual { return "virtual" }
        return run.shard.clock?.bootID.map { "boot \($0)" } ?? "host \(run.shard.host)"
    }

    /// The bound that the machine had when the run began, in nanoseconds. The time daemon also steers the
    /// monotonic clock of the run, so the bound holds for as long as the daemon runs.
    private static func error(_ run: ShardRuns.ShardRun) -> Int64? {
        if run.header.isVirtual { return 0 }
        guard let clock = run.shard.clock, clock.isSynchronised else { return nil }
        return clock.errorMicroseconds * 1_000
    }

    /// An embedded stand-in is a target of its own, and each attempt starts a new one.
    private static func target(_ run: ShardRuns.ShardRun, _ position: Int) -> String {
        run.header.target.hasPrefix("embedded") ? "embedded \(position)" : run.header.target
    }

    private static func notes(
        _ runs: [ShardRuns.ShardRun], _ map: ShardMap, _ hosts: [String], isAssumed: Int64?
    ) -> [String] {
        guard runs.count > 1 else { return [] }
        var notes: [String] = []
        if map.targets > 1 {
            let what =
                runs.allSatisfy { $0.header.target.hasPrefix("embedded") }
                ? "each shard had a stand-in of its own" : "the shards had \(map.targets) targets"
            notes.append(
                "\(what): promises between households, such as code-unique, are checked within each target only"
            )
        }
        let unknown = map.clocks.indices.filter { map.clocks[$0] == nil }.map { hosts[$0] }
        if map.clocks.count > 1, let first = unknown.first, map.targets < runs.count {
            let who =
                unknown.count == 1
                ? first.isEmpty ? "one machine" : first
                : "\(unknown.count) machines, such as \(first.isEmpty ? "one without a name" : first),"
            notes.append(
                "no bound is known of the error of the clock of \(who) (it is not synchronised, or does not tell): "
                    + "what needs an order of events on two machines is not checked. If you know a bound, merge again "
                    + "with --clock-bound 5ms")
        } else if map.clocks.count > 1, map.targets < runs.count {
            let errors = map.clocks.compactMap(\.self).sorted().suffix(2)
            let widest = errors.reduce(0, +)
            notes.append(
                "the clocks of \(map.clocks.count) machines may be up to \(text(widest)) apart "
                    + "(adjtimex\(isAssumed == nil ? "" : " or --clock-bound"), the sum of both errors): events on "
                    + "two machines that are closer are not ordered")
        }
        return notes
    }

    /// `4.2 ms`.
    private static func text(_ nanoseconds: Int64) -> String {
        let tenths = (nanoseconds + 50_000) / 100_000
        return tenths % 10 == 0 ? "\(tenths / 10) ms" : "\(tenths / 10).\(tenths % 10) ms"
    }
}
