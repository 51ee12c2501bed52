/// One attempt of one shard in a merged run: a row of the table `shards`, in the report and in shards.csv.
public struct MergedShard: Sendable, Hashable {
    /// Number of the shard, from 0, of `count`.
    public var shard: Int
    public var count: Int
    /// From 1.
    public var attempt: Int
    /// Name of its run directory.
    public var run: String
    /// Name of the machine.
    public var host: String
    public var target: String
    /// Wall clock at its start, microseconds since 1970.
    public var startedMicroseconds: Int64
    /// The common start (`--start-at`), microseconds since 1970; nil: there was none.
    public var startAtMicroseconds: Int64?
    /// How much later it began than the common start, or than the first shard where there was none; negative:
    /// earlier. Nil for later attempts, which begin when their engine starts them.
    public var skew: Duration?
    /// Households that this attempt was to run; nil under closed load, where the number depends on their pace.
    public var planned: Int?
    /// Households that began.
    public var started: Int
    /// Households that never ended: begun and not recorded to their end.
    public var lost: Int
    /// Number of its exchanges.
    public var exchanges: Int
    /// The 99th percentile of how late its requests were; nil where it sent none.
    public var lateness: Duration?
    /// Whether its times can be trusted.
    public var isValid: Bool
    /// Why its times cannot be trusted, a sentence each.
    public var reasons: [String]
    /// When it ended, in the time of the merged run; nil where it was cut short.
    public var ended: Instant?
    /// A bound of the error of its machine's clock; nil where it is unknown.
    public var clockError: Duration?

    public init(
        shard: Int, count: Int, attempt: Int, run: String, host: String, target: String,
        startedMicroseconds: Int64, startAtMicroseconds: Int64?, skew: Duration?, planned: Int?,
        started: Int, lost: Int,
        exchanges: Int, lateness: Duration?, isValid: Bool, reasons: [String], ended: Instant?,
        clockError: Duration?
    ) {
        (self.shard, self.count, self.attempt) = (shard, count, attempt)
        (self.run, self.host, self.target) = (run, host, target)
        (self.startedMicroseconds, self.skew) = (startedMicroseconds, skew)
        self.startAtMicroseconds = startAtMicroseconds
        (self.planned, self.started, self.lost) = (planned, started, lost)
        (self.exchanges, self.lateness) = (exchanges, lateness)
        (self.isValid, self.reasons) = (isValid, reasons)
        (self.ended, self.clockError) = (ended, clockError)
    }

    /// `shard 3`, and of a later attempt `shard 3, attempt 2`.
    public var name: String {
        attempt == 1 ? "shard \(shard)" : "shard \(shard), attempt \(attempt)"
    }
}

/// What was missing or notable in a merge of shards.
public struct MergeRecord: Sendable, Hashable {
    /// Parts of the plan that were not seen, or seen twice, a sentence each; a run with gaps does not pass.
    public var gaps: [String]
    /// Other remarks for the reader, a sentence each.
    public var notes: [String]

    public init(gaps: [String] = [], notes: [String] = []) {
        (self.gaps, self.notes) = (gaps, notes)
    }
}

extension Facts {
    init(_ merge: MergeRecord) {
        values = [
            "merge_gaps": FlatJSON.texts(merge.gaps), "merge_notes": FlatJSON.texts(merge.notes),
        ]
    }

    /// Nil where the history was not merged.
    var merge: MergeRecord? {
        guard let gaps = self["merge_gaps"].flatMap(FlatJSON.readTexts) else { return nil }
        return MergeRecord(
            gaps: gaps, notes: self["merge_notes"].flatMap(FlatJSON.readTexts) ?? [])
    }
}

extension HistorySchema {
    static let shards = SchemaTable(
        name: "shards",
        note:
            "one attempt of one shard of a merged run ('screenrig merge'); empty in all other histories",
        columns: [
            SchemaColumn("shard", "INTEGER NOT NULL", "number of the shard, from 0"),
            SchemaColumn("count", "INTEGER NOT NULL", "number of shards of the run"),
            SchemaColumn("attempt", "INTEGER NOT NULL", "from 1: an engine may start it again"),
            SchemaColumn("run", "TEXT NOT NULL", "name of its run directory"),
            SchemaColumn("host", "TEXT NOT NULL", "name of the machine"),
            SchemaColumn("target", "TEXT NOT NULL", "its target"),
            SchemaColumn(
                "started_us", "INTEGER NOT NULL", "wall clock at its start, microseconds since 1970"
            ),
            SchemaColumn(
                "start_at_us", "INTEGER",
                "when all shards were asked to start, microseconds since 1970; NULL: at once"),
            SchemaColumn(
                "skew_ns", "INTEGER",
                "how much later it began than it was asked to, or than the first of them; NULL: a later attempt"
            ),
            SchemaColumn("planned", "INTEGER", "households that it was to run"),
            SchemaColumn("households", "INTEGER NOT NULL", "households that began"),
            SchemaColumn("lost", "INTEGER NOT NULL", "of these, households that never ended"),
            SchemaColumn("exchanges", "INTEGER NOT NULL", "number of its exchanges"),
            SchemaColumn("lateness_p99_ns", "INTEGER", "99th percentile of begun - planned"),
            SchemaColumn("valid", "INTEGER NOT NULL", "0 if the shard itself was the bottleneck"),
            SchemaColumn("reasons", "TEXT NOT NULL", "JSON: why it was"),
            SchemaColumn("ended_ns", "INTEGER", "when it ended; NULL: it was cut short"),
            SchemaColumn(
                "clock_error_ns", "INTEGER", "bound of its clock's error; NULL: unknown"),
        ], constraint: "PRIMARY KEY (shard, attempt)")
}

extension MergedShard {
    var row: [ColumnValue] {
        [
            ColumnValue(shard), ColumnValue(count), ColumnValue(attempt), ColumnValue(run),
            ColumnValue(host), ColumnValue(target), ColumnValue(startedMicroseconds),
            ColumnValue(startAtMicroseconds), ColumnValue(skew), ColumnValue(planned),
            ColumnValue(started), ColumnValue(lost),
            ColumnValue(exchanges), ColumnValue(lateness), ColumnValue(isValid),
            .text(FlatJSON.texts(reasons)), ColumnValue(ended), ColumnValue(clockError),
        ]
    }

    /// The year 2200, in microseconds since 1970.
    private static let latest = 7_258_118_400_000_000

    init?(_ columns: inout Columns) {
        guard let shard = columns.int(), let count = columns.int(), let attempt = columns.int(),
            let run = columns.text(), let host = columns.text(), let target = columns.text(),
            let started = columns.identifier(), started <= Self.latest
        else { return nil }
        let asked = columns.identifier()
        guard asked ?? 0 <= Self.latest else { return nil }
        let skew = columns.duration()
        let planned = columns.int()
        guard let households = columns.int(), let lost = columns.int(),
            let exchanges = columns.int()
        else { return nil }
        let lateness = columns.duration()
        guard let isValid = columns.bool(),
            let reasons = columns.text().flatMap(FlatJSON.readTexts)
        else { return nil }
        self.init(
            shard: shard, count: count, attempt: attempt, run: run, host: host, target: target,
            startedMicroseconds: Int64(started), startAtMicroseconds: asked.map { Int64($0) },
            skew: skew, planned: planned,
            started: households, lost: lost, exchanges: exchanges, lateness: lateness,
            isValid: isValid,
            reasons: reasons, ended: columns.instant(), clockError: columns.duration())
    }
}
