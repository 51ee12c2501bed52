internal import Formats
internal import Rendering
package import Reports
internal import Vocabulary

/// Two runs side by side: what differs, by how much, and how sure that is.
///
/// A difference counts when chance is unlikely to have made it, with all comparisons of the two runs
/// taken together (Holm), and when it is large enough to matter (`Floor`).
public struct Comparison: Sendable, Hashable {
    public var base: Side
    public var run: Side
    /// What the two set-ups have not in common, a sentence each.
    public var setups: [String]
    /// What makes one of the two say little, in words that begin with "the base" or "the run".
    public var doubts: [String]
    public var warnings: [String] { setups + doubts }
    public var floor: Floor
    /// Sign-ins first, then operations in the order of `screenrig list`: three times each, then errors.
    public var rows: [Row]
    /// Kinds of errors that only the run has, the most frequent first.
    public var newErrors: [ErrorKind]
    /// Kinds of errors that only the base has.
    public var goneErrors: [ErrorKind]
    /// Promises that are broken on either side; nil where one of the two was not judged.
    public var promises: [Promise]?
    /// What a sign-in costs in each of two protocols: then `rows` are of steps, not of operations. Nil
    /// where both runs speak the same.
    public var protocols: ProtocolComparison?
    /// The base, for the charts of the run's report.
    package var earlier: EarlierRun

    public enum Verdict: String, Sendable, CaseIterable {
        case better, worse
        /// No more than chance, or too little to matter.
        case noise
        /// Not enough values for a verdict.
        case tooFew = "too few"
    }

    /// The facts of one of the two runs.
    public struct Side: Sendable, Hashable {
        public var id: String
        public var rig: String
        /// UTC, ISO 8601.
        public var started: String
        public var seconds: Double
        public var target: String
        public var load: String
        public var version: String
        public var answers: Int
        public var households: Int
        /// Outages and stalls, in words: percentiles of a whole run may hide them.
        public var interruptions: [String]
    }

    /// What is too little to matter, however sure.
    public struct Floor: Sendable, Hashable {
        /// Of the base's time.
        public var relative: Double
        public var milliseconds: Double
        /// Of shares: errors, households failed.
        public var share: Double

        public init(relative: Double = 0.05, milliseconds: Double = 0.5, share: Double = 0.001) {
            self.relative = relative
            self.milliseconds = milliseconds
            self.share = share
        }

        /// `5 % and 0.5 ms`.
        public var text: String {
            "\(Figures.percent(relative)) and \(DecimalText.trimmed(milliseconds, 3)) ms"
        }
    }

    /// One value of both runs.
    public struct Row: Sendable, Hashable {
        public enum Unit: Sendable { case milliseconds, share }

        /// `poll-token`, `sign-in`, `households`.
        public var subject: String
        /// `p95`, `errors`, `failed`.
        public var statistic: String
        public var unit: Unit
        public var base: Double
        public var run: Double
        /// How many values each stands on.
        public var baseCount: Int
        public var runCount: Int
        /// `run - base`, with 95 % confidence.
        public var low: Double
        public var high: Double
        /// How sure a difference is, 0 to 1, one comparison among all of these two runs.
        public var sure: Double
        public var verdict: Verdict
        /// It is surely there, but below the floor.
        public var isSmall: Bool
        /// Both values lie within one interval of polls: the grid of polls decides them, so that they
        /// are not judged.
        public var isOnGrid = false
        /// Sure if each value stood for itself, and not by whole stretches of the runs: one incident may be all of it.
        public var isInBursts = false

        public var difference: Double { run - base }
        /// Of the base; nil of nothing.
        public var relative: Double? { base > 0 ? difference / base : nil }
        public var name: String { "\(subject) \(statistic)" }
        /// It is the time of the load machine and the network, so that it is shown and decides nothing.
        var isOfMachine: Bool { subject == OperationName.connect.name }
    }

    /// Errors that look the same.
    public struct ErrorKind: Sendable, Hashable {
        public var operation: String
        /// `answered 503 overloaded`.
        public var what: String
        public var count: Int
        /// Exchanges of that operation in all.
        public var total: Int
        /// As many would hardly have stayed unseen on the other side.
        public var isSure: Bool

        /// `12 of 8,100 poll-token requests got 503 overloaded`.
        public var sentence: String {
            "\(Figures.count(count)) of \(Figures.counted(total, "\(operation) request")) \(what)"
        }
    }

    /// Breaches of one promise that fails at least one of the two runs, or was kept in one of them.
    public struct Promise: Sendable, Hashable {
        public var name: String
        public var base: Breaches
        public var run: Breaches
        public var isNew: Bool { Self.isNew(since: base, run) }
        public var isMended: Bool { Self.isNew(since: run, base) }

        /// Breaches that fail where none did, beside those that did not fail: of breaches that only fail now, most of
        /// those would be gone.
        private static func isNew(since one: Breaches, _ other: Breaches) -> Bool {
            one.failing == 0 && other.failing > 0 && 2 * (other.all - other.failing) >= one.all
        }

        /// What became of it, without its name.
        var change: String {
            if base.failing + run.failing == 0 {
                return run.all > 0 ? "newly observed, which fails no run" : "no longer observed"
            }
            return isNew ? "newly violated" : isMended ? "holds again" : "still violated"
        }

        /// `28 before, which did not fail the run; 28 now`: the same breaches may be known or observed in one of the runs.
        var counts: String {
            func text(_ breaches: Breaches, _ when: String) -> String {
                let count = "\(Figures.count(breaches.all)) \(when)"
                guard breaches.failing < breaches.all, base.failing + run.failing > 0 else {
                    return count
                }
                return breaches.failing == 0
                    ? "\(count), which did not fail the run"
                    : "\(count), of which \(Figures.count(breaches.failing)) failed the run"
            }
            let isPlain = base.failing == base.all || base.failing + run.failing == 0
            return text(base, "before") + (isPlain ? ", " : "; ") + text(run, "now")
        }
    }

    /// How often a promise was broken in a run.
    public struct Breaches: Sendable, Hashable {
        /// Those that fail it.
        public var failing = 0
        /// With those that are known, or of a promise that fails no run.
        public var all = 0

        init(failing: Int = 0, others: Int = 0) {
            self.failing = failing
            all = failing + others
        }
    }

    /// What got worse: first what failed, then what people wait for, then what costs most time.
    public var worse: [Row] { gravest(.worse) }
    /// What got better, in the same order.
    public var better: [Row] { gravest(.better) }
    public var brokenNow: [Promise] { promises?.filter(\.isNew) ?? [] }
    public var sureNewErrors: [ErrorKind] { newErrors.filter(\.isSure) }

    private func gravest(_ verdict: Verdict) -> [Row] {
        rows.enumerated().filter {
            $0.element.verdict == verdict && !$0.element.isOfMachine
        }.sorted { left, right in
            let (one, other) = (left.element.gravity, right.element.gravity)
            return one == other ? left.offset < right.offset : one > other
        }.map(\.element)
    }

    /// Worse if anything got worse, else better if anything did.
    public var verdict: Verdict {
        if !worse.isEmpty || !brokenNow.isEmpty || !sureNewErrors.isEmpty { return .worse }
        if !better.isEmpty || promises?.contains(where: \.isMended) ?? false { return .better }
        return rows.contains { $0.verdict == .noise } ? .noise : .tooFew
    }
}
