internal import Formats
internal import Journal
internal import Rendering

/// Which part of a plan a run was, for its reports.
public struct ShardRow: Sendable, Hashable {
    /// From 0.
    public var number: Int
    public var count: Int
    /// From 1.
    public var attempt: Int
    public var host: String
    /// Share of the whole plan, 0 to 1.
    public var share: Double
    /// Households of the shard's part and of the whole plan; nil where that depends on how fast they live.
    public var households: Int?
    public var householdsOfPlan: Int?
    /// When all shards were to start, UTC; nil: at once.
    public var startAt: String?
    /// How much later this one started.
    public var startLatenessMs: Double?
    /// Nil where the machine does not tell.
    public var clockIsSynchronised: Bool?
    /// Bound of the clock's error; nil where it is not synchronised.
    public var clockErrorMs: Double?
    /// Run directories of earlier attempts.
    public var earlier: [String]
    /// Households that those began and did not end.
    public var lost: [Int]
    /// Second of the plan with which this attempt began.
    public var beginsSeconds: Double
    /// It began and ended in virtual time, where all clocks are one.
    private var isVirtual: Bool

    init?(_ header: HistoryHeader) {
        guard let shard = header.shard else { return nil }
        (number, count, attempt) = (shard.number, shard.count, shard.attempt)
        host = Sanitizer.line(shard.host, limit: 100)
        (households, householdsOfPlan) = (shard.households, shard.householdsOfPlan)
        if let part = shard.households, let whole = shard.householdsOfPlan, whole > 0 {
            share = Double(part) / Double(whole)
        } else {
            share = 1 / Double(shard.count)
        }
        startAt = shard.startAtMicroseconds.map {
            UTCTime.rfc3339(microseconds: $0, decimals: $0 % 1_000_000 == 0 ? 0 : 3)
        }
        startLatenessMs = shard.startLatenessMicroseconds.map { Double($0) / 1000 }
        clockIsSynchronised = shard.clock?.isSynchronised
        if let clock = shard.clock, clock.isSynchronised {
            clockErrorMs = Double(clock.errorMicroseconds) / 1000
        }
        earlier = shard.earlier.map { Sanitizer.line($0, limit: 100) }
        lost = shard.lost
        beginsSeconds = Double(shard.begins.nanoseconds) / 1e9
        isVirtual = header.isVirtual
    }

    /// `Shard 3 of 8 (12.5 % of the plan)`.
    public var sentence: String {
        "Shard \(Figures.count(number)) of \(Figures.count(count)) (\(Figures.percent(share)) of the plan)"
    }

    /// The same with attempt, machine and start: for the facts of a run.
    var details: String {
        var parts = ["\(Figures.count(number)) of \(Figures.count(count)), counted from 0"]
        if attempt > 1 { parts.append("attempt \(attempt)") }
        if !host.isEmpty { parts.append("on \(host)") }
        if let startAt, let startLatenessMs {
            parts.append(
                "started \(Figures.time(milliseconds: startLatenessMs)) after the common start at \(startAt)"
            )
        }
        if let clockErrorMs {
            parts.append("clock within \(Figures.time(milliseconds: clockErrorMs)) of UTC")
        }
        return parts.joined(separator: ", ")
    }

    /// A late start is worth a word from here on.
    package static let lateMs = 100.0
    private static let namesShown = 20

    /// What a reader must know about the part.
    var notes: [String] {
        var notes: [String] = []
        if let startLatenessMs, startLatenessMs >= Self.lateMs, let startAt {
            notes.append(
                "this shard started \(Figures.time(milliseconds: startLatenessMs)) after the common start at \(startAt); "
                    + "its part of the load came that much later")
        }
        if !isVirtual, count > 1, clockIsSynchronised == false {
            notes.append(
                "the clock of this machine is not synchronised, so its times cannot be compared with those of other "
                    + "machines; start chrony or systemd-timesyncd")
        }
        if !earlier.isEmpty {
            notes.append(
                "attempt \(attempt) goes on at \(Figures.time(milliseconds: beginsSeconds * 1000)) of the plan, where "
                    + "\(earlier.joined(separator: ", ")) ended, with the households that no earlier attempt began"
            )
        }
        if !lost.isEmpty {
            let shown = lost.prefix(Self.namesShown).map(String.init).joined(separator: ", ")
            let more = lost.count - min(lost.count, Self.namesShown)
            notes.append(
                "lost: \(Figures.counted(lost.count, "household")) that an earlier attempt began did not end and "
                    + "\(lost.count == 1 ? "is" : "are") not run again (\(shown)\(more > 0 ? " and \(Figures.count(more)) more" : ""))"
            )
        }
        if count > 1 {
            notes.append(
                "this verdict covers this shard only; 'screenrig merge' combines all \(Figures.count(count)) shards"
            )
        }
        return notes
    }

    /// For `run.shard` of summary.json.
    var json: JSON {
        .members([
            ("number", .integer(number)), ("count", .integer(count)),
            ("attempt", .integer(attempt)), ("host", .string(host)), ("share", .decimal(share, 6)),
            ("households", households.map(JSON.integer) ?? .null),
            ("householdsOfPlan", householdsOfPlan.map(JSON.integer) ?? .null),
            ("startAt", startAt.map(JSON.string) ?? .null),
            ("startLatenessMs", startLatenessMs.map { .decimal($0) } ?? .null),
            ("clockSynchronised", clockIsSynchronised.map(JSON.bool) ?? .null),
            ("clockErrorMs", clockErrorMs.map { .decimal($0) } ?? .null),
            ("beginsSeconds", .decimal(beginsSeconds)),
            ("earlier", .array(earlier.map(JSON.string))),
            ("lost", .array(lost.map(JSON.integer))),
        ])
    }
}
