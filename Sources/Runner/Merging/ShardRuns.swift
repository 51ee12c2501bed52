internal import Foundation
internal import Journal
internal import Rendering
internal import Rigs

/// The recorded shards of one run, and what is damaged or repeated among them.
struct ShardRuns {
    struct ShardRun {
        var input: MergeInputs.Input
        var history: History
        var shard: ShardRecord

        var header: HistoryHeader { history.header }
        /// `shard 3`, and of a later attempt `shard 3, attempt 2`.
        var name: String {
            shard.attempt == 1
                ? "shard \(shard.number)" : "shard \(shard.number), attempt \(shard.attempt)"
        }
        /// Whether its process recorded an end.
        var hasEnd: Bool { history.end != nil }
    }

    /// In the order of shard numbers, then attempts.
    private(set) var runs: [ShardRun] = []
    /// Damaged, unreadable or unfetched histories, a sentence each.
    private(set) var damaged: [String] = []
    /// Remarks for the reader on runs of which nothing is missing, a sentence each.
    private(set) var notes: [String] = []
    /// Two different runs of one shard and attempt, a sentence each.
    private(set) var repeated: [String] = []

    /// Opens all histories. Throws `RunError.badInput` where one is not a shard, or they are not of one run.
    init(_ inputs: MergeInputs) throws(RunError) {
        damaged = inputs.failures
        for input in inputs.inputs {
            let history: History
            do {
                history = try History(path: input.path)
            } catch {
                damaged.append(Self.told(input, error))
                continue
            }
            runs.append(try Self.run(input, history))
        }
        try checkOneRun()
        dropStrayClocks()
        runs.sort { ($0.shard.number, $0.shard.attempt) < ($1.shard.number, $1.shard.attempt) }
        dropRepeated()
    }

    /// Leaves out the run at `position`, whose history turned out to be damaged.
    mutating func remove(_ position: Int, _ reason: JournalError) {
        damaged.append(Self.told(runs[position].input, reason))
        runs.remove(at: position)
    }

    private static func told(_ input: MergeInputs.Input, _ error: JournalError) -> String {
        let text = "\(error)"
        return text.contains(input.name) ? text : "\(input.name): \(text)"
    }

    private static func run(_ input: MergeInputs.Input, _ history: History) throws(RunError)
        -> ShardRun
    {
        guard let shard = history.header.shard else {
            let why =
                history.merge == nil
                ? "it was run whole, without --shard, and needs no merge"
                : "it is the result of a merge; name its shards"
            throw .badInput("\(input.name) is not a shard: \(why)")
        }
        return ShardRun(input: input, history: history, shard: shard)
    }

    /// Leaves out runs whose machine had a clock that cannot be right: instants of such a run have no place among the
    /// others'.
    private mutating func dropStrayClocks() {
        let starts = runs.map(\.header.startedMicroseconds).sorted()
        runs.removeAll { run in
            // Of two, the later is right: clocks that were never set stand in the past.
            let distance = run.header.startedMicroseconds - starts[starts.count / 2]
            let days = abs(distance) / 86_400_000_000
            guard days > StartTime.daysAtMost else { return false }
            damaged.append(
                "\(run.input.name): by the clock of \(run.shard.host.isEmpty ? "its machine" : run.shard.host) it began "
                    + "\(days) days \(distance < 0 ? "before" : "after") the other shards; set that clock, and run the "
                    + "shard again")
            return true
        }
    }

    // MARK: One run

    private func checkOneRun() throws(RunError) {
        guard let first = runs.first else { return }
        for run in runs.dropFirst() {
            if let difference = Self.difference(first, run) {
                throw .badInput(
                    "\(first.input.name) and \(run.input.name) are not shards of one run: \(difference)"
                )
            }
        }
    }

    /// The first sign that two histories are not of one run; nil where they are.
    private static func difference(_ first: ShardRun, _ other: ShardRun) -> String? {
        let (left, right) = (first.header, other.header)
        func differ(_ what: String, _ one: String, _ two: String) -> String? {
            one == two ? nil : "\(what) \(one) and \(two)"
        }
        if left.rigName != right.rigName {
            return "they ran the rigs '\(left.rigName)' and '\(right.rigName)'"
        }
        if let one = first.shard.accounts, let two = other.shard.accounts, one != two {
            return
                "their files of accounts have other users, or in another order, so that two shards may have had the same "
                + "account at once"
        }
        // The seed that counts is the header's.
        if left.rigSource != right.rigSource,
            let differing = setting(settings(of: first), settings(of: other), besides: ["seed"])
        {
            return "their rigs of the name '\(left.rigName)' differ in \(differing)"
        }
        let count = "\(first.shard.count)"
        return differ("they have the seeds", "\(left.seed)", "\(right.seed)")
            ?? differ(
                "they have the run ids", left.runID?.description ?? "(none)",
                right.runID?.description ?? "(none)")
            ?? differ("they were written by screenrig", left.version, right.version)
            ?? differ("the plan was split into", "\(count) shards", "\(other.shard.count) shards")
            ?? differ("they speak", left.protocolName, right.protocolName)
            ?? (left.isVirtual == right.isVirtual ? nil : "one of them ran in virtual time")
            ?? (rules(left) == rules(right)
                ? nil : "they were held to different promises or policies")
            ?? differ("they recorded", first.history.recording, other.history.recording)
    }

    /// The rules by which a run was judged, without its start.
    private static func rules(_ header: HistoryHeader) -> [String] {
        header.judging.filter { !$0.hasPrefix("started_us=") }
    }

    /// The effective settings of a rig, without the place of a file of accounts that is known by its fingerprint.
    private static func settings(of run: ShardRun) -> [String: String] {
        var settings = Rig.settings(of: run.header.rigSource)
        guard run.shard.accounts != nil else { return settings }
        settings["accounts"] = settings["accounts"]?.split(separator: "\n")
            .filter { !$0.hasPrefix("file:") }.joined(separator: "\n")
        return settings
    }

    /// `load: 'arrivals: [...]' and 'arrivals: [...]'`: the first key at the top level whose effective setting differs;
    /// how the two are written says nothing.
    private static func setting(
        _ one: [String: String], _ other: [String: String], besides ignored: Set<String>
    ) -> String? {
        let settings = [one, other]
        let key = Set(settings[0].keys).union(settings[1].keys).subtracting(ignored).sorted()
            .first { settings[0][$0] != settings[1][$0] }
        guard let key else { return nil }
        let texts = settings.map { settings in
            settings[key].map { text in
                let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                return "'\(Sanitizer.line(line, limit: 80))'"
            } ?? "nothing"
        }
        return "\(key): \(texts[0]) and \(texts[1])"
    }

    /// Of several histories of one shard and attempt, keeps one with an end, then the one with the most exchanges.
    private mutating func dropRepeated() {
        var kept: [ShardRun] = []
        for run in runs {
            guard let last = kept.last, last.shard.number == run.shard.number,
                last.shard.attempt == run.shard.attempt
            else {
                kept.append(run)
                continue
            }
            let isSame =
                last.header.startedMicroseconds == run.header.startedMicroseconds
                && last.shard.host == run.shard.host
            // The fuller one, then the earlier: whichever was named first.
            let weights = [last, run].map {
                ($0.hasEnd ? 1 : 0, $0.history.kept.total, -$0.header.startedMicroseconds)
            }
            let better = weights[1] > weights[0] ? run : last
            let other = weights[1] > weights[0] ? last : run
            kept[kept.count - 1] = better
            if isSame {
                notes.append(
                    "\(run.name) was given twice (\(last.input.name), \(run.input.name)); it counts once"
                )
            } else {
                repeated.append(
                    "\(run.name) ran twice: \(last.input.name) and \(run.input.name) are different runs of it; "
                        + "\(better.input.name) counts, \(other.input.name) does not")
            }
        }
        runs = kept
    }
}
