internal import Dialects
internal import Journal
public import Statistics
internal import Vocabulary

/// A metric of a run that goes on, whoever it is for: a scraper of Prometheus reads it, a collector of OpenTelemetry
/// is sent it. docs/live.md lists them; their names are kept.
public struct LiveMetric: Sendable {
    public enum Kind: Sendable {
        /// Only grows.
        case counter
        case gauge
        /// Times, in buckets up to these bounds, in seconds.
        case histogram(bounds: [Double])
    }

    /// A label, such as `operation` and `poll-token`.
    public struct Label: Sendable, Hashable {
        public var name: String
        public var value: String
    }

    public enum Value: Sendable {
        case number(Double)
        case times(Histogram)
    }

    public struct Point: Sendable {
        public var labels: [Label]
        public var value: Value
    }

    /// As Prometheus names it, unit and `_total` included.
    public let name: String
    public let kind: Kind
    public let help: String
    public private(set) var points: [Point] = []

    init(_ name: String, _ kind: Kind, help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }

    /// With one value, which needs no label.
    fileprivate init(_ name: String, _ kind: Kind, help: String, _ value: Value) {
        self.init(name, kind, help: help)
        add(value)
    }

    fileprivate init(_ name: String, _ kind: Kind, help: String, _ count: Int) {
        self.init(name, kind, help: help, .number(Double(count)))
    }

    fileprivate mutating func add(_ value: Value, _ labels: KeyValuePairs<String, String> = [:]) {
        points.append(
            Point(labels: labels.map { Label(name: $0.key, value: $0.value) }, value: value))
    }

    fileprivate mutating func add(_ count: Int, _ labels: KeyValuePairs<String, String> = [:]) {
        add(.number(Double(count)), labels)
    }
}

/// All metrics of a run, in the order in which they are written.
public enum LiveMetrics {
    /// Upper bounds of the buckets of latencies and of the rig's lateness, in seconds. Counted from
    /// histograms of 256 buckets to an octave: a value within 0.4 % of a bound may stand on its
    /// other side.
    public static let bounds: [Double] = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
    ]
    /// The same of sign-ins, which wait for people.
    public static let slowBounds: [Double] = [
        0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1800,
    ]

    /// Those of this state.
    public static func all(_ state: LiveState) -> [LiveMetric] {
        [elapsed(state)] + exchanges(state.progress) + times(state.progress)
            + (state.search.map(trials) ?? households(state))
            + (state.findings.map(promises) ?? [])
    }

    /// How many values lie at or below each bound.
    public static func cumulative(_ histogram: Histogram, _ bounds: [Double]) -> [Int] {
        let filled = histogram.filled
        var (position, seen) = (0, 0)
        return bounds.map { bound in
            let limit = Int64((bound * 1e9).rounded())
            while position < filled.count,
                filled[position].low + filled[position].width / 2 <= limit
            {
                seen += filled[position].count
                position += 1
            }
            return seen
        }
    }

    private static func elapsed(_ state: LiveState) -> LiveMetric {
        LiveMetric(
            "screenrig_elapsed_seconds", .gauge, help: "Elapsed time of the run.",
            .number(state.progress.elapsed.milliseconds / 1000))
    }

    private static func exchanges(_ progress: Progress) -> [LiveMetric] {
        var sent = LiveMetric(
            "screenrig_requests_sent_total", .counter,
            help: "Requests sent, by operation, including connection attempts (connect, tls).")
        var ended = LiveMetric(
            "screenrig_exchanges_total", .counter,
            help: "Completed requests, by operation and outcome.")
        var errors = LiveMetric(
            "screenrig_errors_total", .counter, help: "Requests that failed, by operation.")
        for work in progress.works {
            let name = work.operation.name
            sent.add(work.sent + work.underWay, ["operation": name])
            errors.add(work.errors, ["operation": name])
            for outcome in Outcome.allCases where work.outcomes[Int(outcome.rawValue)] > 0 {
                ended.add(
                    work.outcomes[Int(outcome.rawValue)],
                    ["operation": name, "outcome": outcome.name])
            }
        }
        let held = LiveMetric(
            "screenrig_requests_held_back_total", .counter,
            help: "Requests delayed by a rate limit of the rig.", progress.heldBack)
        return [sent, ended, errors, held]
    }

    private static func times(_ progress: Progress) -> [LiveMetric] {
        var latency = LiveMetric(
            "screenrig_latency_seconds", .histogram(bounds: bounds),
            help: "Time from when a request was due to the end of its response.")
        for work in progress.works {
            latency.add(.times(work.latency), ["operation": work.operation.name])
        }
        let lateness = LiveMetric(
            "screenrig_lateness_seconds", .histogram(bounds: bounds),
            help: "Delay with which the rig sent a request.", .times(progress.lateness))
        let signIn = LiveMetric(
            "screenrig_sign_in_seconds", .histogram(bounds: slowBounds),
            help: "Time from the code to the token on the TV, including the viewer's own time.",
            .times(progress.signIn))
        return [latency, lateness, signIn]
    }

    private static func households(_ state: LiveState) -> [LiveMetric] {
        let households = state.progress.households
        let started = LiveMetric(
            "screenrig_households_started_total", .counter, help: "Households that have arrived.",
            households.started)
        var planned = LiveMetric(
            "screenrig_households_planned", .gauge, help: "Planned households.")
        if let count = state.plannedHouseholds { planned.add(count) }
        var all = LiveMetric(
            "screenrig_households", .gauge,
            help: "Households by outcome; signed-in ones may still be in progress.")
        let known = [
            ("signed-in", households.signedIn - households.preSignedIn),
            ("pre-signed-in", households.preSignedIn),
            ("failed", households.failed), ("abandoned", households.abandoned),
        ]
        let open = households.started - known.reduce(0) { $0 + $1.1 }
        for (state, count) in [("running", open)] + known { all.add(count, ["state": state]) }
        var places = LiveMetric(
            "screenrig_households_at", .gauge,
            help: "Households in progress, by furthest stage.")
        for stage in Stage.allCases {
            places.add(households.runningAt[Int(stage.rawValue)], ["stage": stage.name])
        }
        return [started] + (planned.points.isEmpty ? [] : [planned]) + [all, places]
    }

    private static func trials(_ search: LiveSearch) -> [LiveMetric] {
        let trials = LiveMetric(
            "screenrig_race_trials_total", .counter, help: "Trials of the search.", search.trials)
        let discarded = LiveMetric(
            "screenrig_race_discarded_total", .counter, help: "Inconclusive trials.",
            search.discarded)
        var findings = LiveMetric(
            "screenrig_race_findings", .gauge,
            help: "Promises found violated so far, by plan; always 1.")
        for found in search.found {
            findings.add(1, ["plan": found.plan, "invariant": found.invariant])
        }
        return [trials, discarded, findings]
    }

    private static func promises(_ findings: LiveFindings) -> [LiveMetric] {
        let judged = LiveMetric(
            "screenrig_judged_exchanges_total", .counter, help: "Requests checked so far.",
            findings.judged)
        var violations = LiveMetric(
            "screenrig_violations", .gauge,
            help: "Violations that fail the run, by promise, so far.")
        for invariant in Invariant.allCases {
            let found = findings.counts.first { $0.invariant == invariant }
            violations.add(found?.violations ?? 0, ["invariant": invariant.name])
        }
        return [judged, violations]
    }
}
