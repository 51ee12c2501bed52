internal import Formats
internal import Foundation
internal import Journal
internal import Rendering
internal import Statistics

/// How evenly the shards of a run started: each against when it was asked to (`--start-at`), or against the first.
/// Later attempts of a shard are no part of it.
public struct StartSkew: Sendable, Hashable {
    /// Against `--start-at`; otherwise against the first shard.
    public var isAsked: Bool
    public var shards: Int
    /// In milliseconds, early starts counted as late ones.
    public var p50: Double
    public var p99: Double
    public var max: Double

    init?(_ rows: [MergedShard]) {
        var first: [Int: MergedShard] = [:]
        for row in rows where row.attempt < first[row.shard]?.attempt ?? .max {
            first[row.shard] = row
        }
        let starts = first.values.filter { $0.attempt == 1 }
        let skews = starts.compactMap { $0.skew.map { abs($0.milliseconds) } }.sorted()
        guard let largest = skews.last else { return nil }
        /// The nearest rank.
        func at(_ share: Double) -> Double {
            skews[Swift.max(0, Int((share * Double(skews.count)).rounded(.up)) - 1)]
        }
        isAsked = starts.allSatisfy { $0.startAtMicroseconds != nil }
        shards = skews.count
        (p50, p99, max) = (at(0.5), at(0.99), largest)
    }

    var json: JSON {
        .members([
            ("against", .string(isAsked ? "start-at" : "first shard")),
            ("shards", .integer(shards)), ("p50", .decimal(p50)), ("p99", .decimal(p99)),
            ("max", .decimal(max)),
        ])
    }

    /// `start skew of 8 shards against --start-at: p50 12 ms, p99 34 ms, max 34 ms`.
    var sentence: String {
        "start skew of \(Figures.counted(shards, "shard")) against "
            + "\(isAsked ? "--start-at" : "the first one"): p50 \(time(p50)), p99 \(time(p99)), "
            + "max \(time(max))"
    }

    private func time(_ milliseconds: Double) -> String {
        milliseconds == 0 ? "0 ms" : Figures.time(milliseconds: milliseconds)
    }

    /// `merged from 8 of 8 shards; start skew ...; 14 households lost`.
    static func sentence(_ summary: Summary) -> String {
        let rows = summary.shards
        let numbers = Set(rows.map(\.shard)).count
        let count = rows.map(\.count).max() ?? numbers
        let more = rows.count - numbers
        let attempts = more == 0 ? "" : " in \(Figures.count(rows.count)) attempts"
        let lost = rows.reduce(0) { $0 + $1.lost }
        let losses = lost == 0 ? "" : "; \(Figures.counted(lost, "household")) lost"
        let skew = summary.startSkew.map { "; \($0.sentence)" } ?? ""
        return "merged from \(Figures.count(numbers)) of \(Figures.counted(count, "shard"))"
            + attempts + skew + losses
    }
}

extension MergedShard {
    /// Something of it is worth a look.
    var isNotable: Bool { !isValid || lost > 0 || ended == nil || attempt > 1 }

    /// `07:00:00.012`: the day stands at the top of the page.
    private var startTime: String {
        let text = UTCTime.rfc3339(microseconds: startedMicroseconds, decimals: 3)
        return String(text.dropFirst(11).dropLast())
    }

    static let columns: [Column<MergedShard>] = [
        count("shard", "Shard", "number of the shard, from 0", rank: 0) { $0.shard },
        count("attempt", "Attempt", "1, and one more for each restart by the engine", rank: 4) {
            $0.attempt
        },
        Column(
            "host", json: "host", page: "Host", terminal: "host", rank: 3, isText: true,
            about: "name of the machine that ran the shard; empty in virtual time",
            explained: .like("shard"),
            drawn: { $0.host.isEmpty ? "–" : "\(Sanitizer.line($0.host, limit: 80))" },
            value: { .text(Sanitizer.line($0.host, limit: 80)) }
        ),
        Column(
            "started", json: "started", page: "Start", isText: true,
            about: "when it started, UTC, by its machine's clock", explained: .like("start skew"),
            drawn: { "\($0.startTime)" },
            value: { .text(UTCTime.rfc3339(microseconds: $0.startedMicroseconds, decimals: 3)) }
        ),
        Column(
            "skew_ms", json: "skewMs", page: "Skew", terminal: "skew ms", rank: 5, unit: "ms",
            about:
                "how much later it started than `--start-at`, or than the first shard; negative: earlier; "
                + "empty for later attempts", explained: .like("start skew")
        ) { .number($0.skew?.milliseconds) },
        count(
            "planned", "Planned", "households that it was to run; empty where that is not known",
            rank: 6
        ) { $0.planned },
        count(
            "started_households", json: "startedHouseholds", "Began", "households that began",
            rank: 1
        ) { $0.started },
        count(
            "lost", "Lost",
            "households that began and never ended: their process was killed, and nobody runs them again",
            rank: 2, like: "lost household"
        ) { $0.lost },
        count("exchanges", "Exchanges", "requests and their responses", rank: 7) { $0.exchanges },
        Column(
            "lateness_p99_ms", json: "latenessP99Ms", page: "Late, p99", terminal: "late p99",
            rank: 8, unit: "ms",
            about: "how late the shard sent its requests: the 99th percentile",
            explained: .like("lateness")
        ) { .number($0.lateness?.milliseconds) },
        Column(
            "valid", page: "Valid", terminal: "valid", rank: 2, isText: true,
            about:
                "`no` if the shard itself was the bottleneck (validity): then the whole run is not valid",
            explained: .like("shard"),
            drawn: {
                $0.isValid
                    ? "<span class=\"good\">✓ yes</span>" : "<span class=\"bad\">✗ no</span>"
            },
            value: { .text($0.isValid ? "yes" : "no") }
        ),
        Column(json: "valid") { .json(.bool($0.isValid)) },
        Column(json: "reasons") { .json(.array($0.reasons.map(JSON.string))) },
        Column(
            "clock_error_ms", json: "clockErrorMs", page: "Clock error", rank: 9, unit: "ms",
            about: "a bound of the error of its machine's clock; empty where nobody knows one",
            explained: .like("clock error")
        ) { .number($0.clockError?.milliseconds) },
        Column(
            "end", json: "end", page: "End", terminal: "end", rank: 3, isText: true,
            about:
                "`complete`, or `cut short` where it stopped early, or its record has no end",
            explained: .like("shard")
        ) { .text($0.ended == nil ? "cut short" : "complete") },
        Column("run", json: "run", isText: true, about: "name of its run directory") {
            .text(Sanitizer.line($0.run, limit: 120))
        },
    ]

    private static func count(
        _ csv: String, json: String? = nil, _ head: String, _ about: String, rank: Int,
        like term: String = "shard", _ value: @escaping @Sendable (MergedShard) -> Int?
    ) -> Column<MergedShard> {
        Column(
            csv, json: json ?? csv, page: head, terminal: head.lowercased(), rank: rank,
            about: about, explained: .like(term)
        ) { .count(value($0)) }
    }
}
