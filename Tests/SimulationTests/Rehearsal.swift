import Devices
import Dialects
import Foundation
import Journal
import Lanes
import Reports
import Rigs
import Runner
import Signing
import Standin
import Statistics

/// A whole run in virtual time, in this process: put together as the executable does it for
/// `simulate`, and recorded into a directory that goes away with this value.
final class Rehearsal: Sendable {
    let rig: Rig
    let history: History
    let end: HistoryEnd
    /// What each lane's stand-in counted.
    let counted: [ServiceCounters]
    let directory: URL

    /// The day on which every simulated run begins, in microseconds.
    private static let epoch: Int64 = 1_767_225_600_000_000

    /// Runs `rig` to its end. `stop` ends it from within, as Ctrl-C would from outside; `through`
    /// puts something between devices and the stand-in.
    init(
        _ rig: Rig, lanes laneCount: Int = 1, statement: Secret? = nil,
        stop: (at: Instant, grace: Duration)? = nil,
        through: (InProcess) -> any Transport = { $0 }
    ) throws {
        self.rig = rig
        directory = FileManager.default.temporaryDirectory
            .appending(path: "screenrig-rehearsal-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let path = directory.appending(path: "history.sqlite").path
        let dialect = V1(
            origin: Origin(scheme: .http, host: "127.0.0.1", port: 80),
            requestor: rig.target.requestor, domain: rig.target.domain,
            redirectURL: rig.target.redirectURL, format: rig.target.format == .json ? .json : .xml)
        let plan = Plan(rig, seed: rig.seed)
        let writer = try HistoryWriter(
            path: path, header: Self.header(rig, plan, lanes: laneCount), waits: true)
        let exchangeBuilder = ExchangeBuilder(
            headers: rig.target.headers, correlates: rig.target.correlates,
            run: "rehearsal",
            fingerprinter: Fingerprinter(key: rig.seed.child("fingerprints").value))
        var settings = Assembly.service(rig)
        settings.platformKey = try Assembly.platformKey(rig)
        var lanes: [Lane] = []
        var transports: [InProcess] = []
        for index in 0..<laneCount {
            let lane = Lane(
                index: index, loop: VirtualLoop(), exchangeBuilder: exchangeBuilder, sink: writer)
            let transport = InProcess(
                lane: lane,
                service: Service(
                    settings, faults: try Assembly.faults(rig),
                    seed: rig.seed.child("standin", index),
                    epochMilliseconds: Self.epoch / 1000),
                network: Network(latency: rig.standin.latency, loss: rig.standin.loss),
                seed: rig.seed.child("network"), timeout: rig.target.timeout)
            lane.use(through(transport))
            lanes.append(lane)
            transports.append(transport)
        }
        var terms = RunConfiguration(
            rig, statement: statement ?? Secret(Signing.demoSoftwareStatement())
        ) { _ in dialect }
        terms.platforms = try Assembly.platforms(rig, program: nil)
        terms.startedMicroseconds = Self.epoch
        let coordinator = Coordinator(plan, terms: terms, lanes: lanes)
        if let stop {
            for lane in lanes {
                lane.at(stop.at) { coordinator.stop(within: stop.grace) }
            }
        }
        coordinator.run()
        end = writer.finish(
            HistoryEnd(
                ended: lanes.map(\.now).max() ?? .start, interrupted: stop != nil, failure: "",
                cpuPercent: 0, historyHash: ""))
        counted = transports.map { $0.service.counted() }
        history = try History(path: path)
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

    private static func header(_ rig: Rig, _ plan: Plan, lanes: Int) -> HistoryHeader {
        HistoryHeader(
            run: "rehearsal", runID: RunID(of: rig.seed), rigName: rig.name, rigSource: rig.source,
            seed: rig.seed.value,
            startedMicroseconds: epoch, target: "embedded (in process)",
            protocolName: "adobe-pass-v1", version: "0", isVirtual: true, lanes: lanes,
            kinds: rig.kinds.map(\.name), plannedHouseholds: plan.households,
            load: rig.load.description, thresholds: rig.thresholds.map(\.text),
            shows: rig.shows.map(\.text),
            policies: rig.policies.lines,
            validLatenessNanoseconds: 10_000_000, validBusy: rig.validity.busy,
            breachFails: rig.validity.failsOnBreach)
    }
}
