internal import Devices
internal import Dialects
internal import Dispatch
internal import Foundation
internal import Journal
internal import Lanes
internal import Reports
internal import Rigs
internal import Signing
internal import Standin
internal import Statistics
internal import Wire

/// One run, from a rig file to its report.
struct Session {
    let rig: Rig
    let stage: Stage
    let traffic: TrafficOptions
    let directory: RunDirectory

    /// Reads the rig, runs it, reports; throws a `Failure` for every exit code but 0.
    static func run(_ traffic: TrafficOptions, isVirtual: Bool) async throws {
        let rig = try RigFile.read(traffic, isVirtual: isVirtual)
        _ = WireLimits.raiseDescriptorLimit()
        let stage = try await Stage(rig, isVirtual: isVirtual, allowed: traffic.allowed)
        let session = Session(
            rig: rig, stage: stage, traffic: traffic,
            directory: try directory(for: rig, startedAt: Date(), out: traffic.out))
        try await session.measure()
        await stage.strike()
        try Outcome.report(session.directory, thresholds: rig.thresholds)
    }

    private static func directory(
        for rig: Rig, startedAt date: Date, out: String?
    ) throws -> RunDirectory {
        do {
            let microseconds = Int64(date.timeIntervalSince1970 * 1_000_000)
            return try RunDirectory.create(
                rig: rig.name, startedMicroseconds: microseconds, out: out)
        } catch {
            throw Failure.couldNotRun("\(error)")
        }
    }

    /// Carries the run out and leaves its history in the run directory.
    private func measure() async throws {
        let plan = Plan(rig, seed: rig.seed, run: identityRun)
        let writer = try writer(planned: plan.households)
        let lanes = try stage.lanes(of: directory.name, recordingTo: writer)
        let statement = Secret(Signing.demoSoftwareStatement())
        let terms = Terms(rig, dialect: stage.dialect, statement: statement)
        let coordinator = Coordinator(plan, terms: terms, lanes: lanes)
        let watch = RunWatch(
            coordinator: coordinator, writer: writer, planned: plannedTime(plan),
            isQuiet: traffic.quiet, isVirtual: stage.isVirtual)
        let interrupts = Interrupts { watch.interrupted($0) }
        let usage = Usage.now()
        await Self.onOwnThread { coordinator.run() }
        let ended = lanes.map(\.now).max() ?? .start
        let cpu = stage.isVirtual ? 0 : Usage.now().percent(since: usage)
        watch.end()
        _ = writer.finish(
            HistoryEnd(
                ended: ended, interrupted: interrupts.hasInterrupted, failure: watch.failure ?? "",
                cpuPercent: cpu, historyHash: ""))
    }

    /// How long the run will take, as far as the plan tells.
    private func plannedTime(_ plan: Plan) -> Duration {
        PlanEstimate(plan, on: ValidateCommand.limits()).duration
    }

    private func writer(planned: Int?) throws -> HistoryWriter {
        let header = HistoryHeader(
            run: directory.name, rigName: rig.name, rigSource: rig.source, seed: rig.seed.value,
            startedMicroseconds: stage.epochMicroseconds, target: stage.targetName,
            protocolName: stage.dialect.name, version: Screenrig.version,
            isVirtual: stage.isVirtual,
            lanes: stage.laneCount, kinds: rig.kinds.map(\.name), plannedHouseholds: planned,
            load: rig.load.description, thresholds: rig.thresholds.map(\.text),
            validLatenessNanoseconds: rig.validity.latenessP99.nanoseconds,
            validBusy: rig.validity.busy, breachFails: rig.validity.failsOnBreach)
        do {
            return try HistoryWriter(
                path: directory.history, header: header,
                recording: Assembly.recording(rig.record, seed: rig.seed),
                waits: stage.isVirtual)
        } catch {
            throw Failure.couldNotRun("\(error)")
        }
    }

    /// Device ids and accounts carry the run where tokens may outlive it (rig-format.md).
    private var identityRun: String {
        rig.identities == .perRun && !stage.isVirtual ? directory.name : "seed-\(rig.seed)"
    }

    /// Lanes block their thread: never one of the concurrency pool.
    private static func onOwnThread(_ work: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { done in
            DispatchQueue(label: "screenrig.coordinator", qos: .userInteractive).async {
                work()
                done.resume()
            }
        }
    }
}

/// Processor time of this process.
struct Usage {
    var processor: Double
    var wall: Double

    static func now() -> Usage {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let times = [usage.ru_utime, usage.ru_stime]
        let processor = times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
        return Usage(processor: processor, wall: Double(LiveLoop.monotonic()) / 1e9)
    }

    /// Percent of one core since `start`.
    func percent(since start: Usage) -> Double {
        wall > start.wall ? 100 * (processor - start.processor) / (wall - start.wall) : 0
    }
}
