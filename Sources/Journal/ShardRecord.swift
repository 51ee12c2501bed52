/// Which part of a plan a history holds: shard `number` of `count`, on which machine, and by which clock. A run
/// that was not split has none.
public struct ShardRecord: Sendable, Hashable {
    /// From 0.
    public var number: Int
    public var count: Int
    /// 1, and one more each time that an engine restarted the shard.
    public var attempt: Int
    /// Name of the machine.
    public var host: String
    /// When all shards were to start together, microseconds since 1970; nil: at once. Instant zero of the run is
    /// `HistoryHeader.startedMicroseconds`, which is this time unless it had passed.
    public var startAtMicroseconds: Int64?
    /// When the lanes did begin to run, by this machine's wall clock; nil: they never did, or not in time to say so.
    public var beganMicroseconds: Int64?
    /// What the machine knew of its clock when the shard started; nil in virtual time.
    public var clock: ClockReading?
    /// Households of the shard's part of the plan, whatever its attempt; nil where that depends on how fast they
    /// live. `HistoryHeader.plannedHouseholds` are those that this attempt was to run.
    public var households: Int?
    /// Households of the whole plan, over all shards; nil likewise.
    public var householdsOfPlan: Int?
    /// Names of the run directories of earlier attempts that this one continues, the first attempt first.
    public var earlier: [String]
    /// Households that an earlier attempt began and did not end. Nobody runs them again. In ascending order.
    public var lost: [Int]
    /// Where in the plan this attempt began: zero for the first. The run's instants count from the plan's zero in
    /// every attempt.
    public var begins: Instant

    public init(
        number: Int, count: Int, attempt: Int = 1, host: String = "",
        startAtMicroseconds: Int64? = nil, beganMicroseconds: Int64? = nil,
        clock: ClockReading? = nil, households: Int? = nil,
        householdsOfPlan: Int? = nil, earlier: [String] = [], lost: [Int] = [],
        begins: Instant = .start
    ) {
        self.number = number
        self.count = count
        self.attempt = attempt
        self.host = host
        self.startAtMicroseconds = startAtMicroseconds
        self.beganMicroseconds = beganMicroseconds
        self.clock = clock
        self.households = households
        self.householdsOfPlan = householdsOfPlan
        self.earlier = earlier
        self.lost = lost
        self.begins = begins
    }

    /// How much later than asked the lanes began to run, in microseconds, by this machine's clock; nil where no start
    /// was asked for, and where they never did.
    public var startLatenessMicroseconds: Int64? {
        guard let startAtMicroseconds, let beganMicroseconds else { return nil }
        return beganMicroseconds - startAtMicroseconds
    }
}

/// What a machine knows of its wall clock (adjtimex(2)).
public struct ClockReading: Sendable, Hashable {
    /// Something keeps the clock: the kernel has not marked it as unsynchronised.
    public var isSynchronised: Bool
    /// Bound of its error against UTC, as whoever keeps the clock has told the kernel (`maxerror`). The kernel
    /// adds 500 µs for each second since then, so it is a bound and no estimate. Without meaning where the clock
    /// is not synchronised.
    public var errorMicroseconds: Int64
    /// Where the reading is from: `adjtimex`.
    public var source: String
    /// The kernel's id of its boot: shards with the same one, such as containers of one machine, have the same
    /// clock, whatever its error. Nil where the system does not tell.
    public var bootID: String?

    public init(
        isSynchronised: Bool, errorMicroseconds: Int64, source: String = "adjtimex",
        bootID: String? = nil
    ) {
        self.isSynchronised = isSynchronised
        self.errorMicroseconds = errorMicroseconds
        self.source = source
        self.bootID = bootID
    }
}

extension Facts {
    /// Those of a shard, under keys that begin with `shard_`.
    init(_ shard: ShardRecord) {
        values = [
            "shard_number": String(shard.number), "shard_count": String(shard.count),
            "shard_attempt": String(shard.attempt), "shard_host": shard.host,
        ]
        values["shard_start_at_us"] = shard.startAtMicroseconds.map(String.init)
        values["shard_began_us"] = shard.beganMicroseconds.map(String.init)
        values["shard_households"] = shard.households.map(String.init)
        values["shard_households_of_plan"] = shard.householdsOfPlan.map(String.init)
        if !shard.earlier.isEmpty { values["shard_earlier"] = FlatJSON.texts(shard.earlier) }
        if !shard.lost.isEmpty {
            values["shard_lost"] = shard.lost.map(String.init).joined(separator: ",")
        }
        if shard.begins != .start { values["shard_begins_ns"] = String(shard.begins.nanoseconds) }
        guard let clock = shard.clock else { return }
        values["shard_clock_synchronised"] = String(clock.isSynchronised)
        values["shard_clock_error_us"] = String(clock.errorMicroseconds)
        values["shard_clock_source"] = clock.source
        values["shard_clock_boot_id"] = clock.bootID
    }

    /// Nil where the run was not split. What is damaged is found by `shardDamage` first.
    var shard: ShardRecord? {
        guard let number = self["shard_number"].flatMap({ Int($0) }),
            let count = self["shard_count"].flatMap({ Int($0) })
        else { return nil }
        return ShardRecord(
            number: number, count: count,
            attempt: self["shard_attempt"].flatMap { Int($0) } ?? 1,
            host: self["shard_host"] ?? "",
            startAtMicroseconds: self["shard_start_at_us"].flatMap { Int64($0) },
            beganMicroseconds: self["shard_began_us"].flatMap { Int64($0) },
            clock: clock, households: self["shard_households"].flatMap { Int($0) },
            householdsOfPlan: self["shard_households_of_plan"].flatMap { Int($0) },
            earlier: self["shard_earlier"].flatMap(FlatJSON.readTexts) ?? [],
            lost: self["shard_lost"].flatMap(Self.numbers) ?? [],
            begins: Instant(nanoseconds: self["shard_begins_ns"].flatMap { Int64($0) } ?? 0))
    }

    private var clock: ClockReading? {
        guard let isSynchronised = self["shard_clock_synchronised"].flatMap(Bool.init),
            let error = self["shard_clock_error_us"].flatMap({ Int64($0) })
        else { return nil }
        return ClockReading(
            isSynchronised: isSynchronised, errorMicroseconds: error,
            source: self["shard_clock_source"] ?? "", bootID: self["shard_clock_boot_id"])
    }

    /// What of a shard cannot be: merged, its households would count for another part of the plan.
    var shardDamage: String? {
        guard values.keys.contains(where: { $0.hasPrefix("shard_") }) else { return nil }
        guard let shard, shard.count > 0, (0..<shard.count).contains(shard.number) else {
            return "its shard is \(self["shard_number"]?.prefix(60) ?? "not named") of "
                + "\(self["shard_count"]?.prefix(60) ?? "an unknown number"), which is not possible"
        }
        if shard.attempt < 1 { return "'shard_attempt' is \(shard.attempt)" }
        if let text = self["shard_lost"], Self.numbers(text) == nil {
            return "its lost households ('shard_lost') cannot be read"
        }
        return nil
    }

    /// `3,17`: whole numbers that ascend; nil where they are not.
    private static func numbers(_ text: String) -> [Int]? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int($0) }.filter { $0 >= 0 }
        guard numbers.count == parts.count, zip(numbers, numbers.dropFirst()).allSatisfy(<) else {
            return nil
        }
        return numbers
    }
}
