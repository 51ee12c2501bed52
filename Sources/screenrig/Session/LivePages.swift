internal import Dashboard
internal import Journal
internal import Reports
internal import Rigs
internal import Runner
internal import Statistics

/// The pages of a run that goes on: opened before it begins, so that a port that is taken ends the
/// command and not the run.
enum LivePages {
    /// Nil where nobody asked for one.
    static func open(
        _ options: PageOptions?, of rig: Rig, at venue: Venue
    ) async throws -> Dashboard? {
        guard let options, options.areWanted else { return nil }
        let state = LiveState(title: "\(rig.name) → \(venue.targetName)", progress: Progress())
        do {
            let pages = try await Dashboard.start(
                page: options.page, metrics: options.metrics?.page,
                metricsHost: options.metricsHost, of: state,
                as: ShownRun(
                    rig: rig.name, run: "", target: venue.targetName, version: Screenrig.version,
                    shard: venue.shard.map {
                        .init(number: $0.shard.number, count: $0.shard.count)
                    }),
                token: options.control ? "\(RunID.random())" : nil)
            if let url = pages.pageURL { Terminal.complain("dashboard: \(url)") }
            if let url = pages.metricsURL { Terminal.complain("metrics: \(url)") }
            return pages
        } catch {
            await venue.shutdown()
            throw CommandFailure.couldNotRun("\(error)")
        }
    }
}

extension LiveBoard.Ending {
    init(_ summary: Summary, path: String) {
        self.init(
            path: path, outcome: summary.outcome.rawValue, tone: summary.tone,
            headline: summary.headline)
    }
}
