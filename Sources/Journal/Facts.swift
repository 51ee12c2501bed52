internal import Dialects
internal import Statistics
internal import Vocabulary

/// The header and the end of a history as facts of `meta`.
struct Facts {
    var values: [String: String]

    init(_ values: [String: String] = [:]) { self.values = values }

    init(_ header: HistoryHeader, recording: Recording) {
        values = [
            "schema": HistorySchema.version, "recording": recording.name, "run": header.run,
            "rig_name": header.rigName, "rig_source": header.rigSource,
            "seed": String(header.seed), "started_us": String(header.startedMicroseconds),
            "target": header.target, "protocol": header.protocolName, "version": header.version,
            "virtual": String(header.isVirtual), "lanes": String(header.lanes),
            "kinds": FlatJSON.texts(header.kinds), "load": header.load,
            "thresholds": FlatJSON.texts(header.thresholds),
            "shows": FlatJSON.texts(header.shows),
            "policies": FlatJSON.texts(header.policies),
            "judging": FlatJSON.texts(header.judging),
            "valid_lateness_ns": String(header.validLatenessNanoseconds),
            "valid_busy": String(header.validBusy), "breach_fails": String(header.breachFails),
        ]
        values["run_id"] = header.runID?.description
        values["throttled_by"] = header.throttledBy?.rawValue
        if header.sendsTraceContext { values["trace_context"] = "run_id" }
        values["planned_households"] = header.plannedHouseholds.map(String.init)
        if let shard = header.shard {
            values.merge(Facts(shard).values) { _, new in new }
        }
    }

    init(_ end: HistoryEnd) {
        values = [
            "ended_ns": String(end.ended.nanoseconds), "interrupted": String(end.interrupted),
            "failure": end.failure, "cpu_percent": String(end.cpuPercent),
            "history_hash": end.historyHash, "breaker": end.breaker,
            "standstills": FlatJSON.texts(end.standstills.map(\.text)),
        ]
        if !end.stalls.isEmpty { values["stalls"] = FlatJSON.texts(end.stalls.map(\.text)) }
        if !end.longTurns.isEmpty { values["long_turns"] = FlatJSON.texts(end.longTurns) }
        if !end.verdicts.isEmpty { values["verdicts"] = end.verdicts }
        if !end.verdictCounts.isEmpty { values["verdict_counts"] = end.verdictCounts }
    }

    init(_ kept: KeptExchanges) {
        values = [
            "recorded_exchanges": String(kept.recorded), "lost_exchanges": String(kept.lost),
            "total_exchanges": String(kept.total), "counted_only": String(kept.countedOnly),
        ]
    }

    init(_ restraint: Restraint) {
        values = [
            "held_back": String(restraint.heldBack),
            "longest_hold_ns": String(Instant(restraint.longestHold).nanoseconds),
            "refusals": FlatJSON.texts(restraint.refusals),
        ]
        if restraint.accountWaits > 0 {
            values["account_waits"] = String(restraint.accountWaits)
            values["longest_account_wait_ns"] = String(
                Instant(restraint.longestAccountWait).nanoseconds)
        }
    }

    subscript(key: String) -> String? { values[key] }

    var header: HistoryHeader? {
        guard let run = self["run"], let rigName = self["rig_name"],
            let rigSource = self["rig_source"], let seed = self["seed"].flatMap({ UInt64($0) }),
            let started = self["started_us"].flatMap({ Int64($0) }), let target = self["target"],
            let protocolName = self["protocol"], let version = self["version"],
            let isVirtual = self["virtual"].flatMap(Bool.init),
            let lanes = self["lanes"].flatMap({ Int($0) }),
            let kinds = self["kinds"].flatMap(FlatJSON.readTexts), let load = self["load"],
            let thresholds = self["thresholds"].flatMap(FlatJSON.readTexts),
            let lateness = self["valid_lateness_ns"].flatMap({ Int64($0) }),
            let busy = self["valid_busy"].flatMap({ Double($0) }),
            let breachFails = self["breach_fails"].flatMap(Bool.init)
        else { return nil }
        return HistoryHeader(
            run: run, runID: self["run_id"].flatMap { RunID($0) }, rigName: rigName,
            rigSource: rigSource, seed: seed,
            startedMicroseconds: started, target: target, protocolName: protocolName,
            version: version, isVirtual: isVirtual, lanes: lanes, kinds: kinds,
            plannedHouseholds: self["planned_households"].flatMap { Int($0) }, load: load,
            thresholds: thresholds, shows: self["shows"].flatMap(FlatJSON.readTexts) ?? [],
            policies: self["policies"].flatMap(FlatJSON.readTexts) ?? [],
            judging: self["judging"].flatMap(FlatJSON.readTexts) ?? [],
            validLatenessNanoseconds: lateness, validBusy: busy,
            breachFails: breachFails,
            throttledBy: self["throttled_by"].flatMap(ThrottleKey.init),
            sendsTraceContext: self["trace_context"] == "run_id", shard: shard)
    }

    var end: HistoryEnd? {
        guard let ended = self["ended_ns"].flatMap({ Int64($0) }),
            let interrupted = self["interrupted"].flatMap(Bool.init),
            let failure = self["failure"], let cpu = self["cpu_percent"].flatMap({ Double($0) }),
            let hash = self["history_hash"]
        else { return nil }
        return HistoryEnd(
            ended: Instant(nanoseconds: ended), interrupted: interrupted, failure: failure,
            cpuPercent: cpu, historyHash: hash, breaker: self["breaker"] ?? "",
            verdicts: self["verdicts"] ?? "", verdictCounts: self["verdict_counts"] ?? "",
            standstills: standstills("standstills"), stalls: standstills("stalls"),
            longTurns: self["long_turns"].flatMap(FlatJSON.readTexts) ?? [])
    }

    /// What judging hangs on and cannot be read: a default in its place would be another verdict. Nil
    /// where all of it can.
    var damage: String? {
        if let key = Self.ranges.keys.sorted().first(where: { isBeyond($0) }) {
            return "'\(key)' is \(self[key]?.prefix(60) ?? "")"
        }
        if let text = self["judging"], FlatJSON.readTexts(text) == nil {
            return "its rules ('judging') cannot be read"
        }
        if let key = self["throttled_by"], ThrottleKey(rawValue: key) == nil {
            return "'throttled_by' is '\(key.prefix(60))', which is not a known key"
        }
        if let text = self["standstills"],
            FlatJSON.readTexts(text)?.allSatisfy({ Self.isStandstill($0) }) != true
        {
            return "its standstills cannot be read"
        }
        return shardDamage
    }

    /// Those that a key has; none where it is absent.
    private func standstills(_ key: String) -> [Standstill] {
        (self[key].flatMap(FlatJSON.readTexts) ?? []).compactMap(Standstill.init(text:))
    }

    private static func isStandstill(_ text: String) -> Bool {
        Standstill(text: text).map {
            Columns.ColumnLimit.time.contains($0.noticed.nanoseconds)
                && Columns.ColumnLimit.time.contains(Instant($0.length).nanoseconds)
        } ?? false
    }

    /// Between what a fact that is a number may be; it may be left out.
    private static let ranges: [String: ClosedRange<Double>] = {
        let time =
            Double(
                Columns.ColumnLimit.time.lowerBound)...Double(Columns.ColumnLimit.time.upperBound)
        let count = 0...Double(Columns.ColumnLimit.count.upperBound)
        let shards = 0...Double(ShardLimits.countAtMost)
        let households = 0...Double(ShardRecord.householdsAtMost)
        return [
            "started_us": 0...Double(Columns.ColumnLimit.epoch.upperBound) * 1_000,
            "lanes": 0...100_000,
            "planned_households": count, "valid_lateness_ns": time, "valid_busy": 0...1_000,
            "ended_ns": time, "cpu_percent": 0...1e9, "recorded_exchanges": count,
            "lost_exchanges": count, "total_exchanges": count, "counted_only": count,
            "held_back": count, "longest_hold_ns": time,
            "account_waits": count, "longest_account_wait_ns": time,
            "shard_number": shards, "shard_count": shards, "shard_attempt": 1...1_000_000,
            "shard_households": households, "shard_households_of_plan": households,
            "shard_start_at_us": 0...Double(Columns.ColumnLimit.epoch.upperBound) * 1_000,
            "shard_began_us": 0...Double(Columns.ColumnLimit.epoch.upperBound) * 1_000,
            "shard_clock_error_us": count, "shard_begins_ns": time,
        ]
    }()

    private func isBeyond(_ key: String) -> Bool {
        guard let text = self[key] else { return false }
        guard let number = Double(text) else { return true }
        return Self.ranges[key]?.contains(number) != true
    }

    /// Nothing, in a history from before this was kept.
    var restraint: Restraint {
        func number(_ key: String) -> Int64 { self[key].flatMap { Int64($0) } ?? 0 }
        return Restraint(
            heldBack: Int(number("held_back")),
            longestHold: .nanoseconds(number("longest_hold_ns")),
            accountWaits: Int(number("account_waits")),
            longestAccountWait: .nanoseconds(number("longest_account_wait_ns")),
            refusals: self["refusals"].flatMap(FlatJSON.readTexts) ?? [])
    }

    var kept: KeptExchanges {
        func number(_ key: String) -> Int { self[key].flatMap { Int($0) } ?? 0 }
        return KeptExchanges(
            recorded: number("recorded_exchanges"), lost: number("lost_exchanges"),
            total: number("total_exchanges"), countedOnly: number("counted_only"))
    }
}

/// How many exchanges a history holds one by one.
public struct KeptExchanges: Sendable, Hashable {
    /// In the table `exchanges`.
    public var recorded: Int = 0
    /// To be kept, but the disk was full.
    public var lost: Int = 0
    /// Counted in the cells.
    public var total: Int = 0
    /// To be kept, but the disk was slower than the load: counted, and let go.
    public var countedOnly: Int = 0

    /// Whether every exchange can be judged again.
    public var isComplete: Bool { recorded == total }
}
