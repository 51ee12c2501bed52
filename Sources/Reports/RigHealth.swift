internal import Journal
internal import Rendering
internal import Statistics

/// What the rig measured of itself, and whether its numbers can be trusted (rigs/reference.yaml,
/// `validity`).
public struct RigHealth: Sendable, Hashable {
    /// Share of one core that the process used, in percent.
    public var cpuPercent: Double
    /// Of all requests, in milliseconds.
    public var lateness: Spread?
    /// Share of time that the busiest lane spent in turns, over the loaded part; nil if unmeasured.
    public var busiestLane: Double?
    /// In milliseconds; nil if unmeasured.
    public var longestTurnMs: Double?
    /// What `validity` allows.
    public var allowedLatenessMs: Double
    public var allowedBusy: Double
    /// False when the rig was the bottleneck, whether or not that fails the run.
    public var valid: Bool
    /// Whether a rig that was the bottleneck makes the run invalid (`validity.on-breach`).
    public var breachFails: Bool
    /// Why not, one sentence each.
    public var reasons: [String]
    /// It was late or busy only when the service had gone: that decides nothing.
    public var isLateInSilence: Bool

    package init(_ fold: RunFold) {
        let header = fold.header
        cpuPercent = fold.end?.cpuPercent ?? 0
        lateness = Spread(fold.sum().lateness)
        busiestLane = LaneLoad(fold.health, within: fold.timeline.loaded).busiest
        longestTurnMs = fold.health.map(\.longestTurn).max()?.milliseconds
        allowedLatenessMs = Double(header.validLatenessNanoseconds) / 1e6
        allowedBusy = header.validBusy
        breachFails = header.breachFails
        reasons = []
        valid = true
        isLateInSilence = false
        if header.isVirtual { return }
        let whole = breaches(fold.sum().lateness, busiestLane)
        reasons = whole
        if let gone = fold.silence?.second {
            // Connections that nobody takes cost the rig more than requests, and what is late after
            // the end says nothing about the time before.
            let before = fold.health.filter { $0.middle.second < gone }
            let loaded = fold.timeline.loaded.flatMap { range in
                range.lowerBound < gone ? range.clamped(to: 0...(gone - 1)) : nil
            }
            reasons = breaches(
                fold.latenessBeforeSilence ?? Histogram(),
                LaneLoad(before, within: loaded).busiest)
            isLateInSilence = reasons.isEmpty && !whole.isEmpty
        }
        if let sentence = Self.stalls(fold) {
            reasons.append(sentence)
            isLateInSilence = false
        }
        // A shard that was late spoils what it measured, however many others there were.
        for shard in fold.shards where !shard.isValid {
            hasLateShard = true
            let host = shard.host.isEmpty ? "" : " on \(Sanitizer.line(shard.host, limit: 80))"
            reasons += shard.reasons.map {
                "\(shard.name)\(host): \(Sanitizer.line($0, limit: 300))"
            }
            if shard.reasons.isEmpty { reasons.append("\(shard.name)\(host)") }
        }
        valid = reasons.isEmpty
    }

    /// It was late, and no lane of it, or other machine, had more to do than it can.
    var isOnlyLate: Bool { !valid && !isBusy && !hasLateShard }
    /// A lane of it had more to do than it can.
    package var isBusy: Bool { busiestLane.map { $0 > allowedBusy } ?? false }
    private var hasLateShard = false

    /// Too few requests were late for `validity`, but they made a threshold be missed.
    public private(set) var isLateForThresholds = false

    /// A threshold that only late requests miss is reason enough, however few they are.
    mutating func add(_ late: LateThresholds) {
        guard valid, !isLateInSilence, !late.sentences.isEmpty else { return }
        reasons = late.sentences
        (valid, isLateForThresholds) = (false, true)
    }

    /// A process that did not run for one hundredth of a run may have made its 99th percentiles.
    private static let mostStalled = 0.01

    private static func stalls(_ fold: RunFold) -> String? {
        let stalled = (fold.end?.stalls ?? []).reduce(0) { $0 + $1.length.seconds }
        guard stalled > mostStalled * fold.seconds else { return nil }
        return
            "its process did not run for \(Figures.span(seconds: stalled)) of \(Figures.span(seconds: fold.seconds)), stopped or "
            + "starved by its machine; 1 % of a run is allowed"
    }

    /// From so many requests on their 99th percentile decides: ten lie beyond it.
    private static let enoughForP99 = 1_000
    /// Of fewer requests so many must have been late, and that share of them: the one request in 80 that
    /// another program held up says nothing about the other 79.
    private static let (fewestLate, leastShareLate) = (10, 0.05)

    /// What of that is beyond `validity`, one sentence each.
    private func breaches(_ lateness: Histogram, _ busy: Double?) -> [String] {
        var sentences: [String] = []
        if let sentence = Self.breach(lateness, allowedMs: allowedLatenessMs) {
            sentences.append(sentence)
        }
        if let busy, busy > allowedBusy {
            sentences.append(
                "its busiest lane was busy for \(Figures.percent(busy)) of the loaded time; "
                    + "\(Figures.percent(allowedBusy)) is allowed (validity.busy)")
        }
        return sentences
    }

    /// What of a run's lateness so far is beyond `allowedMs`, as a sentence; nil where nothing is.
    static func breach(_ lateness: Histogram, allowedMs: Double) -> String? {
        let allowed =
            "\(Figures.time(milliseconds: allowedMs)) is allowed (validity.lateness-p99)"
        if lateness.count >= enoughForP99 {
            guard let late = Spread(lateness)?.p99, late > allowedMs else { return nil }
            return
                "it sent 1 % of requests at least \(Figures.time(milliseconds: late)) late; \(allowed)"
        }
        let late = lateness.count(above: Int64(allowedMs * 1e6))
        guard late >= fewestLate,
            Double(late) >= leastShareLate * Double(lateness.count)
        else { return nil }
        return
            "it sent \(Figures.count(late)) of \(Figures.counted(lateness.count, "request")) too late; "
            + allowed
    }
}

/// How busy each lane was over a stretch of the run.
struct LaneLoad {
    private var busy: [Int: Duration] = [:]
    private var span: [Int: Duration] = [:]

    /// Counts the intervals whose middle lies within `seconds`; all of them when none does (a run
    /// shorter than one interval).
    init(_ health: [LaneHealth], within seconds: ClosedRange<Int>?) {
        let inside = health.filter { seconds?.contains($0.middle.second) ?? true }
        for part in inside.isEmpty ? health : inside {
            busy[part.lane, default: .zero] += part.busy
            span[part.lane, default: .zero] += part.through - part.from
        }
    }

    /// Share of its time that the busiest lane spent in turns, 0 to 1; nil if nothing was measured.
    var busiest: Double? {
        span.compactMap { lane, time in
            time > .zero ? min(1, (busy[lane] ?? .zero).seconds / time.seconds) : nil
        }.max()
    }
}

extension LaneHealth {
    var middle: Instant {
        Instant(nanoseconds: from.nanoseconds + (through - from).nanoseconds / 2)
    }
}
