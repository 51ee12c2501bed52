internal import Dialects
internal import Races
internal import Standin
internal import Statistics
internal import Vocabulary

/// A fault of the race table: what it is raced by, and what is to come of it.
struct RaceExhibit {
    let fault: FaultKind
    let race: FaultKind.Race
    let spoken: ProtocolName

    /// As `--fault` takes it.
    var text: String { fault.text(with: race.parameters) }

    /// The timing faults of a protocol.
    static func timing(in spoken: ProtocolName) -> [RaceExhibit] {
        FaultKind.all.flatMap { kind in
            kind.races(in: spoken).map { RaceExhibit(fault: kind, race: $0, spoken: spoken) }
        }
    }

    var invariants: [Invariant] {
        fault.invariants(in: spoken).compactMap { Invariant(name: $0) }
    }

    /// How far an estimate is from what was planted, at the worse edge, in milliseconds.
    func error(of window: RaceFinding.Window) -> Double? {
        func distance(_ low: Double?, _ high: Double?) -> Double {
            max(
                low.map { abs(window.low.inPlainMilliseconds - $0) } ?? 0,
                high.map { abs(window.high.inPlainMilliseconds - $0) } ?? 0)
        }
        let straight = distance(race.low, race.high)
        guard race.isSymmetric else { return straight }
        return min(straight, distance(race.high.map { -$0 }, race.low.map { -$0 }))
    }
}

/// What came of one search for one fault with one seed.
struct RaceScore {
    var finding: RaceFinding?
    var seconds: Double
    var trials: Int
    /// The shrunk case, where one was made.
    var made: Case?
    /// How often it was broken by that case alone.
    var replayed: HitRate?
}

/// One row of the race table.
struct RaceTrialRow {
    let exhibit: RaceExhibit
    var scores: [RaceScore] = []
    /// One-sided, 95 %, of trials at any offset within 5 s; nil: not measured.
    var unaimed: HitRate?

    static let head = """
        | fault | plan | found | named | seconds (median, most) | window in ms | off by | rate | un-aimed, \
        at most | gain | ops (least) | replays |
        |---|---|---|---|---|---|---|---|---|---|---|---|
        """

    private var found: [RaceFinding] { scores.compactMap(\.finding) }

    var markdown: String {
        let cells = [
            "`\(exhibit.text)`", exhibit.race.plan, "\(found.count)/\(scores.count)", named, times,
            window, off, rate, unaimedText, gain, operations, replays,
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private var named: String {
        var names: [String] = []
        for finding in found where !names.contains(finding.invariant.name) {
            names.append(finding.invariant.name)
        }
        return names.joined(separator: ", ")
    }

    private var times: String {
        let seconds = scores.map(\.seconds).sorted()
        guard let most = seconds.last else { return "-" }
        return "\(one(seconds[seconds.count / 2])), \(one(most))"
    }

    /// Of the middle one by its width.
    private var window: String {
        let windows = found.compactMap(\.window).sorted { $0.width < $1.width }
        guard !windows.isEmpty else { return "-" }
        let window = windows[windows.count / 2]
        let low = window.isLowOpen ? "…" : window.low.tenths
        let high = window.isHighOpen ? "…" : window.high.tenths
        return "\(low) to \(high)"
    }

    /// The worst of all seeds.
    private var off: String {
        let errors = found.compactMap(\.window).compactMap { exhibit.error(of: $0) }
        return errors.max().map { "\(one($0)) ms" } ?? "-"
    }

    private var total: HitRate {
        found.reduce(into: HitRate()) { sum, finding in
            sum.hits += finding.rate.hits
            sum.trials += finding.rate.trials
        }
    }

    private var rate: String {
        total.trials > 0 ? "\(Int((total.share * 100).rounded())) %" : "-"
    }

    private var bound: Double? {
        unaimed.map { Interval.upperBound(of: $0.hits, in: $0.trials) }
    }

    private var unaimedText: String {
        guard let bound, let unaimed else { return "-" }
        return "\(one(bound * 100)) % (\(unaimed.hits) of \(unaimed.trials))"
    }

    private var gain: String {
        guard let bound, total.trials > 0 else { return "-" }
        return bound < 0.05 ? "\(Int(total.share / bound))x" : "not rare"
    }

    private var operations: String {
        let counts = scores.compactMap { $0.made?.schedule.ops.count }
        guard let least = counts.min(), let most = counts.max() else { return "-" }
        return (least == most ? "\(least)" : "\(least)-\(most)") + " (\(exhibit.race.least))"
    }

    /// The lower bound of the worst case that was replayed.
    private var replays: String {
        let bounds = scores.compactMap(\.replayed).map {
            Interval.lowerBound(of: $0.hits, in: $0.trials)
        }
        return bounds.min().map { "≥ \(Int(($0 * 100).rounded(.down))) %" } ?? "-"
    }

    private func one(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

extension Duration {
    fileprivate var inPlainMilliseconds: Double { self / .milliseconds(1) }

    /// `-0.3`.
    fileprivate var tenths: String {
        let tenths = Int((self / .microseconds(100)).rounded())
        return (tenths < 0 ? "-" : "") + "\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }
}
