/// The part of a plan that a history holds: shard `number` of `count`, with its machine and clock. A run that was not
/// split has no record.
public struct ShardRecord: Sendable, Hashable {
    /// From 0.
    public var number: Int
    public var count: Int
    /// 1 for the first attempt, one more for each restart by an engine.
    public var attempt: Int
    /// Name of the machine.
    public var host: String
    /// The common start, microseconds since 1970; nil: at once. Instant zero of the run is
    /// `HistoryHeader.startedMicroseconds`, which equals this time unless it had already passed.
    public var startAtMicroseconds: Int64?
    /// When the lanes began to run by this machine's wall clock, microseconds since 1970; nil: not recorded.
    public var beganMicroseconds: Int64?
    /// The machine's reading of its clock when the shard started; nil in virtual time.
    public var clock: ClockReading?
    /// Households of the shard's part of the plan over all attempts; nil under closed load, where the number
    /// depends on their pace. `HistoryHeader.plannedHouseholds` are those that this attempt was to run.
    public var households: Int?
    /// Households of the whole plan, over all shards; nil under closed load.
    public var householdsOfPlan: Int?
    /// Names of the run directories of earlier attempts that this one continues, the first attempt first.
    public var earlier: [String]
    /// Households that an earlier attempt began and did not end, in ascending order. They are not run again.
    public var lost: [Int]
    /// `AccountList.fingerprint` of the file of accounts, of which each shard has a part; nil: no such file.
    public var accounts: UInt64?
    /// Where in the plan this attempt began; zero for the first attempt. The instants of every attempt count from the
    /// plan's zero.
    public var begins: Instant

    /// Far more households than a rig can plan. A history that names more is damaged.
    static let householdsAtMost = 100_000_000

    public init(
        number: Int, count: Int, attempt: Int = 1, host: String = "",
        startAtMicroseconds: Int64? = nil, beganMicroseconds: Int64? = nil,
        clock: ClockReading? = nil, households: Int? = nil,
        householdsOfPlan: Int? = nil, earlier: [String] = [], lost: [Int] = [],
        accounts: UInt64? = nil, begins: Instant = .start
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
        self.accounts = accounts
        self.begins = begins
    }

    /// How much later than the common start the lanes began to run, in microseconds, by this machine's clock;
    /// nil without a common start, and where the lanes never began.
    public var startLatenessMicroseconds: Int64? {
        guard let startAtMicroseconds, let beganMicroseconds else { return nil }
        return beganMicroseconds - startAtMicroseconds
    }
}

/// A machine's own knowledge of its wall clock (adjtimex(2)).
public struct ClockReading: Sendable, Hashable {
    /// Whether the clock is synchronised: the kernel has not marked it as unsynchronised.
    public var isSynchronised: Bool
    /// Bound of its error against UTC in microseconds, which the time daemon gives to the kernel (`maxerror`).
    /// The kernel adds 500 µs for each second since then, so it is a bound, not an estimate. Meaningless where
    /// the clock is not synchronised.
    public var errorMicroseconds: Int64
    /// Source of the reading: `adjtimex`.
    public var source: String
    /// The kernel's id of its boot. Shards with the same id, such as containers of one machine, have the same clock,
    /// however wrong it is. Nil where the system does not give it.
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
    /// The facts of a shard, under keys that begin with `shard_`.
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
        values["shard_accounts"] = shard.accounts.map { String($0) }
        if shard.begins != .start { values["shard_begins_ns"] = String(shard.begins.nanoseconds) }
        guard let clock = shard.clock else { return }
        values["shard_clock_synchronised"] = String(clock.isSynchronised)
        values["shard_clock_error_us"] = String(clock.errorMicroseconds)
        values["shard_clock_source"] = clock.source
        values["shard_clock_boot_id"] = clock.bootID
    }

    /// Nil where the run was not split. `shardDamage` finds damaged values first.
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
            accounts: self["shard_accounts"].flatMap { UInt64($0) },
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

    /// Impossible values of a shard, as a sentence; nil where there are none. A merge would count its households for
    /// another part of the plan.
    var shardDamage: String? {
        guard values.keys.contains(where: { $0.hasPrefix("shard_") }) else { return nil }
        guard let shard, shard.count > 0, (0..<shard.count).contains(shard.number) else {
            return "its shard is \(self["shard_number"]?.prefix(60) ?? "not named") of "
                + "\(self["shard_count"]?.prefix(60) ?? "an unknown number"), which is not possible"
        }
        // `ranges` lets 1.5 and 1e3 pass as numbers; `shard` would leave them out.
        let broken = Self.wholeNumbers.first { key in
            if let text = self[key] { Int64(text) == nil } else { false }
        }
        if let broken { return "'\(broken)' is \(self[broken]?.prefix(60) ?? "")" }
        if let text = self["shard_lost"], Self.numbers(text) == nil {
            return "its lost households ('shard_lost') cannot be read"
        }
        return nil
    }

    /// Facts of a shard that are whole numbers where they are present.
    private static let wholeNumbers = [
        "shard_attempt", "shard_households", "shard_households_of_plan", "shard_start_at_us",
        "shard_began_us", "shard_clock_error_us", "shard_begins_ns",
    ]

    /// `3,17`: whole numbers in ascending order; nil for any other text.
    private static func numbers(_ text: String) -> [Int]? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int($0) }.filter { $0 >= 0 }
        guard numbers.count == parts.count, zip(numbers, numbers.dropFirst()).allSatisfy(<) else {
            return nil
        }
        return numbers
    }
}
