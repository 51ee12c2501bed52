internal import Formats
internal import Journal
internal import Rendering
internal import Statistics

/// Everything that the dashboard shows, as of now: one JSON object, sent whole each second. A page
/// that missed some of them needs none of them.
public struct LiveBoard: Sendable {
    /// How a run came out.
    public struct Ending: Sendable, Hashable {
        /// Of the run directory.
        public var path: String
        /// `pass`, `fail`, `invalid` or `aborted`.
        public var outcome: String
        /// The outcome as colours have it: `observed` is a pass with observations.
        public var tone: String
        public var headline: String

        /// Without a tone of its own it has that of its outcome.
        public init(path: String, outcome: String, tone: String? = nil, headline: String) {
            self.path = path
            self.outcome = outcome
            self.tone = tone ?? outcome
            self.headline = headline
        }
    }

    public private(set) var state: LiveState
    public private(set) var course = LiveCourse()
    public private(set) var ending: Ending?

    public init(_ state: LiveState) {
        self.state = state
    }

    /// The run has got so far.
    public mutating func take(_ state: LiveState) {
        self.state = state
        course.add(state.progress)
    }

    /// The run is over, and its report is written.
    public mutating func end(_ ending: Ending) {
        self.ending = ending
    }

    /// On one line, as server-sent events want it.
    public var json: String {
        JSON.members([
            ("title", .string(Sanitizer.line(state.title))),
            ("progress", ProgressJSON.object(state)),
            ("operations", .array(state.progress.works.map(operation))),
            ("signInMs", Self.times(state.progress.signIn)),
            ("findings", findings), ("search", state.search?.json ?? .null),
            ("course", series),
            ("ended", ended),
        ]).text(.compact)
    }

    /// The charts over time, drawn as report.html draws them: HTML, as a JSON string on one line.
    public var charts: String {
        // So that the first seconds of a long run do not fill the whole width.
        let least = min(Double(state.planned?.components.seconds ?? 0), 30)
        let seconds = max(state.progress.elapsed.milliseconds / 1000, least)
        let events = state.events.map { event in
            TimelineCharts.EventMark(
                name: event.name, from: Double(event.began.nanoseconds) / 1e9,
                through: event.ended.map { Double($0.nanoseconds) / 1e9 })
        }
        let charts = TimelineCharts(width: course.width, seconds: seconds, events: events)
            .live(points, isSearch: state.search != nil)
        return JSON.string(charts.map(\.text).joined()).text(.compact)
    }

    private func operation(_ work: Progress.Work) -> JSON {
        let seconds = Double(state.progress.elapsed.nanoseconds) / 1e9
        return .members([
            ("name", .string(work.operation.name)), ("count", .integer(work.count)),
            ("errors", .integer(work.errors)),
            // Of a first moment no more than its answers.
            ("perSecond", .decimal(Double(work.completed) / max(1, seconds))),
            ("latencyMs", Self.times(work.latency)),
        ])
    }

    private static func times(_ histogram: Histogram) -> JSON {
        func value(_ share: Double) -> JSON {
            histogram.milliseconds(atShare: share).map { .decimal($0) } ?? .null
        }
        return .members([
            ("p50", value(0.5)), ("p95", value(0.95)), ("p99", value(0.99)), ("max", value(1)),
        ])
    }

    private var findings: JSON {
        guard let found = state.findings else { return .null }
        return .members([
            ("judged", .integer(found.judged)), ("checked", .integer(found.checked)),
            ("violations", .integer(found.failing)),
            (
                "broken",
                .array(
                    found.counts.map {
                        .members([
                            ("name", .string($0.invariant.name)),
                            ("count", .integer($0.violations)),
                        ])
                    })
            ),
            (
                "latest",
                .array(
                    found.latest.map {
                        .members([
                            ("name", .string($0.invariant.name)),
                            ("household", .integer($0.household)),
                            ("seconds", .decimal($0.seconds)),
                            ("standing", .string($0.standing)), ("sentence", .string($0.sentence)),
                        ])
                    })
            ),
        ])
    }

    /// After the end also the last stretch, which is never whole: charts and figures are of the same run.
    private var points: [Course.Point] { ending == nil ? Array(course.shown) : course.points }

    /// Columns instead of points: a third of the length.
    private var series: JSON {
        let points = points
        func column(_ value: (Course.Point) -> Double?) -> JSON {
            .array(points.map { value($0).map { .decimal($0) } ?? .null })
        }
        return .members([
            ("width", .integer(course.width)),
            ("arrivals", column(\.arrivals)), ("completed", column(\.completed)),
            ("errors", column(\.errors)), ("p50", column(\.p50)), ("p99", column(\.p99)),
            ("latenessP99", column(\.latenessP99)),
            ("waiting", column { Double($0.level.waiting) }),
            ("signedIn", column { Double($0.level.signedIn) }),
            ("lost", column { Double($0.level.lost) }),
        ])
    }

    private var ended: JSON {
        guard let ending else { return .null }
        return .members([
            ("path", .string(ending.path)), ("outcome", .string(ending.outcome)),
            ("tone", .string(ending.tone)),
            ("headline", .string(Sanitizer.line(ending.headline, limit: 600))),
        ])
    }
}
