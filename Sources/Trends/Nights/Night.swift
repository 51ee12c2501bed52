internal import Dialects
internal import Formats
public import Journal
internal import Rendering
public import Reports
public import Rigs
internal import Statistics

/// One night of a rig: the values that were measured, or why there are none.
public struct Night: Sendable, Hashable {
    public var rig: String
    /// UTC, ISO 8601.
    public var started: String
    /// Name of the run; empty where not even a directory came of it.
    public var run: String
    /// Its directory: relative to the folder of the book of nights where it lies below that.
    public var path: String
    /// `nightly` made the directory, so that it may also delete it.
    public var isOurs: Bool
    /// `pass`, `fail`, `invalid` or `aborted`.
    public var outcome: String
    public var headline: String
    /// Why its values do not count; empty where they do.
    public var gap: String
    public var version: String
    /// What must be equal for two nights to be held against each other, and what it is made of: see
    /// `isAlike` and `differences`.
    public var terms: String
    /// The values that its rig follows, as it wrote them.
    public var series: [String]
    /// What the user called this night: a commit, a version; empty where nothing.
    public var mark: String
    /// `nightly.alarm` of its rig; nil: a single night is no alarm.
    public var alarm: Double?
    /// By series: those that are followed, and what may be one day.
    public var values: [String: Double]
    /// What its run found besides; empty where its summary.json was not there.
    public var facts: [NightFact]

    public init(
        rig: String, started: String, run: String, path: String, isOurs: Bool, outcome: String,
        headline: String, gap: String, version: String, terms: String, series: [String],
        values: [String: Double], mark: String = "", alarm: Double? = nil, facts: [NightFact] = []
    ) {
        self.rig = rig
        self.started = started
        self.run = run
        self.path = path
        self.isOurs = isOurs
        self.outcome = outcome
        self.headline = headline
        self.gap = gap
        self.version = version
        self.terms = terms
        self.series = series
        self.values = values
        self.mark = Sanitizer.line(mark, limit: 120)
        self.alarm = alarm
        self.facts = facts
    }

    /// So much of `started` names it among the nights of its rig: its day; its minute or its second where others began on that
    /// day, or in that minute.
    enum Naming: Int, CaseIterable {
        case day = 10
        case minute = 16
        case second = 19
    }
    var naming = Naming.day

    public var isGap: Bool { !gap.isEmpty }
    /// The gap of a night that `nightly` has begun and not ended.
    public static let unfinished = "the run is unfinished: it was killed, or is still going on"
    /// Its gap is the service's: nothing answered.
    var isUnanswered: Bool { facts.contains { $0.kind == .service } }
    /// `2026-11-16`, with its time where another night began on that day: `2026-11-16 02:15`.
    public var day: String {
        String(started.prefix(naming.rawValue).replacing("T", with: " "))
    }
    /// The same with its mark: `2026-11-16 (v2.3)`.
    public var name: String { mark.isEmpty ? day : "\(day) (\(mark))" }
}

extension Night {
    /// When a recorded run was really made, in ISO 8601: a simulated run has no date of its own.
    public static func start(of header: HistoryHeader, in directory: RunDirectory) -> String {
        header.isVirtual
            ? UTCTime(compact: directory.stamp)?.rfc3339 ?? directory.stamp
            : UTCTime(microseconds: header.startedMicroseconds).rfc3339
    }

    /// A recorded run as a night. `started` is when it was really made, in ISO 8601: a simulated run has
    /// no date of its own.
    public init(
        _ history: some Recorded, series: [Series], started: String, path: String,
        isOurs: Bool, mark: String = "", alarm: Double? = nil, stored: StoredRun? = nil
    ) throws {
        let fold = try RunFold(history)
        let summary = Summary(fold, thresholds: [])
        let comparability = Comparability(summary, fold.header)
        let dead = Self.unanswered(summary)
        self.init(
            rig: summary.run.rig, started: started,
            run: summary.run.id, path: path, isOurs: isOurs,
            outcome: stored?.outcome ?? summary.outcome.rawValue,
            headline: stored?.headline ?? summary.headline,
            gap: dead.map { "the service did not answer: \($0.text)" }
                ?? Self.gap(summary, breaker: fold.end?.breaker ?? ""),
            version: summary.run.version, terms: comparability.fingerprint,
            series: series.map(\.text),
            values: Self.values(series, fold), mark: mark, alarm: alarm,
            facts: (dead.map { [$0] } ?? []) + (stored?.facts ?? []))
    }

    /// A night that left nothing to measure.
    public init(
        failed rig: String, series: [Series], started: String, reason: String,
        version: String, mark: String = ""
    ) {
        self.init(
            rig: Sanitizer.line(rig), started: started,
            run: "", path: "", isOurs: false, outcome: "aborted", headline: "",
            gap: Sanitizer.line(reason, limit: 300), version: version, terms: "",
            series: series.map(\.text), values: [:], mark: mark)
    }

    /// How requests end that a service, or its host, leaves without a response. That a name is unknown or a network out of reach
    /// may be this machine's.
    private static let silences: [TransportError.Kind] = [
        .connectionRefused, .connectionLost, .staleConnection, .timeout,
    ]

    /// Nil where anything was answered, or where something else than the service may have kept the answers away.
    private static func unanswered(_ summary: Summary) -> NightFact? {
        let count = summary.exchanges.sent
        let reasons = summary.errors.map(\.reason)
        guard summary.exitStatus == .couldNotRun, summary.exchanges.completed == 0, count > 0,
            !reasons.isEmpty,
            reasons.allSatisfy({ TransportError.Kind(rawValue: $0).map(silences.contains) ?? false }
            )
        else { return nil }
        return NightFact(
            kind: .service, name: "the service", fails: true, count: count,
            text: "none of \(Figures.counted(count, "request")) got a response "
                + "(\(Set(reasons).sorted().joined(separator: ", ")))")
    }

    /// A broken promise or a missed threshold is a night like any other: it was measured in full.
    private static func gap(_ summary: Summary, breaker: String) -> String {
        switch summary.exitStatus {
        case .couldNotRun, .interrupted: summary.headline
        case .untrusted:
            summary.rigHealth.reasons.first.map { "the rig was the bottleneck: \($0)" }
                ?? summary.headline
        case .violated, .failed, .missed, .passed:
            breaker.isEmpty
                ? summary.isPacedByHand
                    ? "its arrivals were changed by 'screenrig control', so that its load was another one"
                    : ""
                : "stopped by the breaker: \(Sanitizer.line(breaker, limit: 200))"
        }
    }

    /// What is asked for, and beside it what a series may be made of later: it then has its past.
    private static func values(_ series: [Series], _ fold: RunFold) -> [String: Double] {
        var values: [String: Double] = [:]
        for one in series + usual(fold) where values[one.text] == nil {
            let (value, whole, count) = measured(one, fold)
            values[one.text] = value
            values[self.whole(of: one.text)] = whole
            if let count { values[self.count(of: one.text)] = count }
        }
        // What decides token-visibility below it.
        values[pollInterval] = PollGrid(fold.header)?.longestMs
        return values
    }

    /// Among the values: the longest interval between two polls.
    static let pollInterval = "poll-interval"

    /// Among the values: of how many a share is one.
    static func whole(of series: String) -> String { series + " of" }

    /// Among the values: of how many values percentiles of one time are: `poll-token values` of `poll-token p99`.
    static func count(of series: String) -> String {
        (series.lastIndex(of: " ").map { series[..<$0] } ?? series[...]) + " values"
    }

    private static func usual(_ fold: RunFold) -> [Series] {
        let subjects: [(String, Threshold.Subject)] =
            [
                ("sign-in", .signIn), ("sign-in-service", .signInService),
                ("token-visibility", .tokenVisibility),
            ] + fold.operations.map { ($0.name, .operation($0)) }
        let shares: [(String, Double)] = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)]
        let times = subjects.flatMap { name, subject in
            shares.map { word, share in
                Series(
                    subject: subject, measure: .percentile(share, .latency), text: "\(name) \(word)"
                )
            }
        }
        return times + [
            Series(subject: .everything, measure: .errors, text: "errors"),
            Series(subject: .everything, measure: .rate, text: "rate"),
            Series(subject: .householdsFailed, measure: .share, text: "households failed"),
        ]
    }

    /// Times in milliseconds, percentiles with the number of their values; shares of 1 with the number that they are a share
    /// of; rates per second.
    private static func measured(
        _ series: Series, _ fold: RunFold
    ) -> (value: Double?, whole: Double?, count: Double?) {
        let threshold = Threshold(
            kind: series.kind, subject: series.subject, measure: series.measure,
            comparison: .below, bound: 0, text: series.text)
        let (value, whole) = threshold.measured(fold)
        switch series.measure {
        case .percentile: return (value.map { $0 / 1e6 }, nil, whole.map(Double.init))
        case .min, .mean, .max, .time: return (value.map { $0 / 1e6 }, nil, nil)
        case .errors, .throttled, .rate, .share, .count: return (value, whole.map(Double.init), nil)
        }
    }
}

extension Night {
    /// Whether it may be held against another night: the first word of the terms; the others only name
    /// what differs. Of a night whose terms have another format nothing is known of its rig's keys.
    func isAlike(_ other: Night) -> Bool {
        guard format == other.format else { return differences(from: other).isEmpty }
        return terms.prefix { $0 != " " } == other.terms.prefix { $0 != " " }
    }

    func hasFormat(of other: Night) -> Bool { format == other.format }

    /// What its terms begin with, up to the point; empty in books from before they had a format.
    private var format: Substring {
        let first = terms.prefix { $0 != " " }
        return first.firstIndex(of: ".").map { first[...$0] } ?? ""
    }

    /// In what its rig differs from that of another night: `faults, load`. Empty where a book from before
    /// parts were kept does not tell.
    func differences(from other: Night) -> [String] {
        let (own, others) = (Self.parts(terms), Self.parts(other.terms))
        guard !own.isEmpty, !others.isEmpty else { return [] }
        let known: Set<String> =
            format == other.format
            ? Set(own.keys).union(others.keys) : ["protocol", "lanes"]
        return known.filter { own[$0] != others[$0] }.sorted()
    }

    private static func parts(_ terms: String) -> [String: String] {
        Dictionary(
            terms.split(separator: " ").dropFirst().compactMap { part in
                part.lastIndex(of: "=").map {
                    (String(part[..<$0]), String(part[part.index(after: $0)...]))
                }
            }, uniquingKeysWith: { first, _ in first })
    }
}

extension Comparability {
    /// What terms begin with: the way in which they are made of a rig. 3 compares values, 2 what is written of them,
    /// and those without a number the rig's text.
    static let formatPrefix = "3."

    /// Equal for runs that may be held against each other, whatever their version; then, after a space
    /// each, `part=number` of all that it is made of: `3.1f3a load=2b faults=77`.
    var fingerprint: String {
        let keys = keys
        let setting = isVirtual ? "virtual" : "live, \(lanes) lanes"
        // Of the whole plan nothing is said, as before there were shards.
        let part = part == Self.wholePlan ? [] : [part]
        let all =
            [load, target, protocolName, setting] + part
            + keys.sorted { $0.key < $1.key }.map(\.value)
        // What a target's name says of faults stands under faults, too.
        let plainTarget = target.firstRange(of: ", faults: ").map { target[..<$0.lowerBound] }
        var parts = keys
        parts["load", default: ""] += load
        parts["target", default: ""] += plainTarget ?? target[...]
        parts["protocol"] = protocolName
        parts["lanes"] = setting
        parts["shard"] = part.first
        let named = parts.sorted { $0.key < $1.key }.map { name, text in
            name.filter { !$0.isWhitespace } + "="
                + String(TextHash.of(text) & 0xffff_ffff, radix: 16)
        }
        return
            ([Self.formatPrefix + String(TextHash.of(all.joined(separator: "\n")), radix: 16)]
            + named)
            .joined(separator: " ")
    }
}
