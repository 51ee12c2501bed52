import Dialects
import Foundation
import Journal
import Lanes
import Reports
import Rigs
import Runner
import Standin

/// A whole run in virtual time, in this process: what `simulate` carries out, recorded into a directory
/// that goes away with this value.
final class Rehearsal: Sendable {
    let rig: Rig
    let history: History
    let end: HistoryEnd
    /// What each lane's stand-in counted.
    let counted: [ServiceCounters]
    let directory: URL

    /// Runs `rig` to its end. `stop` ends it from within, as Ctrl-C would from outside; `through`
    /// puts something between devices and the stand-in.
    init(
        _ rig: Rig, lanes laneCount: Int = 1, statement: Secret? = nil,
        stop: (at: Instant, grace: Duration)? = nil,
        through: @escaping (InProcess) -> any Transport = { $0 }
    ) throws {
        // Tests look at each exchange.
        var rig = rig
        rig.record = .all
        self.rig = rig
        directory = FileManager.default.temporaryDirectory
            .appending(path: "screenrig-rehearsal-\(UUID().uuidString)")
        var services: [InProcess] = []
        var options = RunOptions()
        // What judges is tested on what was recorded.
        options.judges = false
        options.virtualLanes = laneCount
        options.statement = statement
        options.through = { service in
            services.append(service)
            return through(service)
        }
        let session = try RunSession(
            rig, on: Venue(virtual: rig),
            into: RunDirectory.create(rig: rig.name, startedMicroseconds: 0, out: directory.path),
            options)
        if let stop {
            for lane in session.lanes {
                lane.at(stop.at) { session.interrupt(within: stop.grace) }
            }
        }
        end = try session.play().end
        counted = services.map { $0.service.counted() }
        history = try History(path: session.directory.history)
    }

    deinit { removeFiles() }

    func removeFiles() { try? FileManager.default.removeItem(at: directory) }

    var hash: String { end.historyHash }

    func summary() throws -> Summary { try Summary(history, thresholds: rig.thresholds) }

    func exchanges() throws -> [Exchange] {
        var all: [Exchange] = []
        try history.exchanges { all.append($0) }
        return all
    }

    func events() throws -> [DeviceEvent] {
        var all: [DeviceEvent] = []
        try history.events { all.append($0) }
        return all
    }

    func households() throws -> [HouseholdRecord] {
        var all: [HouseholdRecord] = []
        try history.households { all.append($0) }
        return all
    }
}
