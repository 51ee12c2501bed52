internal import Formats
internal import Rendering

/// What the service had to bear at worst, in whole seconds: how many requests, polls and sign-ins came in one, how many
/// requests were throttled, and how many codes were alive at once. Requests to which a connection
/// was refused in a second without any response are left out: they never came.
public struct ServiceLoad: Sendable, Hashable {
    /// One of them over the run.
    public struct Measure: Sendable, Hashable {
        /// `peakPollsPerSecond`: its key in summary.json.
        public var key: String
        /// `polls per second`
        public var name: String
        /// The largest value of a second.
        public var peak: Int
        /// The first second that had it, since the run began.
        public var second: Int
        /// The largest value of each step of `width` seconds.
        public var steps: [Int]
    }

    /// Requests, polls, sign-ins, throttled requests, codes alive.
    public var measures: [Measure]
    /// Seconds in a step.
    public var width: Int

    /// Steps at most: enough for a curve.
    private static let stepsAtMost = 60

    /// Nil where nothing reached the service.
    init?(_ fold: RunFold) {
        let timeline = fold.timeline
        let seconds = timeline.sent.count
        guard seconds > 0 else { return nil }
        width = (seconds + Self.stepsAtMost - 1) / Self.stepsAtMost
        let signIns = fold.population.signIns(through: seconds - 1)
        let codes = fold.population.waiting(through: seconds - 1)
        let width = width
        measures = [
            (
                "peakRequestsPerSecond", "requests per second",
                zip(timeline.sent, timeline.health).map { Self.reached($0, $1, $1.unreached) }
            ),
            (
                "peakPollsPerSecond", "polls per second",
                zip(timeline.polls, timeline.health).map { Self.reached($0, $1, $1.unreachedPolls) }
            ),
            ("peakSignInsPerSecond", "sign-ins per second", signIns),
            ("peakThrottledPerSecond", "throttled per second (429)", timeline.throttled),
            ("peakCodesAlive", "codes alive at once", codes),
        ].map { key, name, values in
            let peak = values.max() ?? 0
            return Measure(
                key: key, name: name, peak: peak,
                second: peak > 0 ? values.firstIndex(of: peak) ?? 0 : 0,
                steps: stride(from: 0, to: seconds, by: width).map { from in
                    values[min(from, values.count)..<min(from + width, values.count)].max() ?? 0
                })
        }
        guard measures.contains(where: { $0.peak > 0 }) else { return nil }
    }

    private static func reached(
        _ sent: Int, _ health: Timeline.Health, _ unreached: Int
    ) -> Int {
        health.responses > 0 ? sent : max(0, sent - unreached)
    }

    var json: JSON {
        .members(
            measures.flatMap { measure in
                [
                    (measure.key, JSON.integer(measure.peak)),
                    (measure.key + "AtSecond", .integer(measure.second)),
                ]
            } + [
                ("stepSeconds", .integer(width)),
                (
                    "steps",
                    .members(
                        measures.map { ($0.key, .array($0.steps.map(JSON.integer))) })
                ),
            ])
    }

    /// For a terminal; measures that stayed at nothing are left out.
    var lines: [String] {
        let those = measures.filter { $0.peak > 0 }
        let wide = those.map(\.name.count).max() ?? 0
        return ["peak load on the service"]
            + those.map { measure in
                "  \(measure.name.padded(to: wide))  \(Figures.count(measure.peak)) in second "
                    + Figures.count(measure.second)
            }
    }
}
