internal import Dashboard
internal import Dispatch
internal import Journal
internal import Races
internal import Reports
internal import Runner
internal import Synchronization

/// A search on the pages of `--dashboard` and `--metrics`: its trials as they go on, what it finds, and
/// what the requests of all trials together cost.
///
/// Safe because the timer is made in `init` and only cancelled after; the rest is constant or in a
/// `Mutex`.
final class RaceWatch: @unchecked Sendable {
    private let dashboard: Dashboard
    private let counts: ProgressSink
    private let title: String
    private let limit: Duration?
    private let began = ContinuousClock.now
    private let queue = DispatchQueue(label: "screenrig.race.watch", qos: .utility)
    private let timer: any DispatchSourceTimer
    private let search = Mutex(LiveSearch())

    /// Nil where nobody asked for pages. `counts` is told what the stage's lanes do.
    static func open(
        _ options: PageOptions, on stage: RaceStage, counting counts: ProgressSink?, run: String,
        limit: Duration?
    ) async throws -> RaceWatch? {
        guard let counts,
            let dashboard = try await LivePages.open(options, of: stage.rig, at: stage.venue)
        else { return nil }
        dashboard.enter(run: run)
        return RaceWatch(
            dashboard, counts, title: "\(stage.rig.name) → \(stage.venue.targetName)", limit: limit)
    }

    private init(
        _ dashboard: Dashboard, _ counts: ProgressSink, title: String, limit: Duration?
    ) {
        self.dashboard = dashboard
        self.counts = counts
        self.title = title
        self.limit = limit
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: 1)
        timer.setEventHandler { [unowned self] in dashboard.show(state) }
        timer.activate()
    }

    deinit {
        timer.cancel()
    }

    /// From the search's thread.
    func tell(_ news: RaceNews) {
        search.withLock { search in
            switch news {
            case .phase(let phase): search.phase = phase
            case .trials(let trials, let discarded):
                (search.trials, search.discarded) = (trials, discarded)
            case .curve(let plan, let invariant, let points, _):
                search.curve = LiveSearch.Curve(
                    plan: plan, invariant: invariant.name,
                    points: points.map(LiveSearch.Curve.Point.init))
            case .found(let finding):
                search.found.append(LiveSearch.Found(finding))
                search.curve = nil
            // Two arms draw no curve; what they came to is in the headline of the end.
            case .compared: search.curve = nil
            }
        }
    }

    /// The search is over, and its cases are written to `path`.
    func end(_ outcome: RaceOutcome, _ report: RaceReport, at path: String) async {
        timer.cancel()
        queue.sync {}
        search.withLock { search in
            search.trials = outcome.trials
            search.discarded = outcome.discards
            search.found = outcome.findings.map(LiveSearch.Found.init)
            (search.phase, search.curve) = ("", nil)
        }
        dashboard.show(state)
        await dashboard.end(
            LiveBoard.Ending(
                path: path, outcome: report.verdict.rawValue, headline: report.headline))
    }

    /// In virtual time, too, what is told is the time of this machine: a search has no other.
    private var state: LiveState {
        var progress = counts.progress()
        progress.elapsed = .start + (ContinuousClock.now - began)
        return LiveState(
            title: title, progress: progress, planned: limit, search: search.withLock { $0 })
    }
}

extension LiveSearch.Curve.Point {
    fileprivate init(_ point: RaceFinding.CurvePoint) {
        self.init(
            offsetMs: point.offset / .milliseconds(1), hits: point.rate.hits,
            trials: point.rate.trials)
    }
}

extension LiveSearch.Found {
    fileprivate init(_ finding: RaceFinding) {
        self.init(
            plan: finding.plan, invariant: finding.invariant.name,
            rate: RaceText.text(finding.rate), sentence: finding.sentence)
    }
}
