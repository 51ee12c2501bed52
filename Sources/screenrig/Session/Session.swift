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
    let seed: Seed
    let isVirtual: Bool
    let traffic: TrafficOptions
    let directory: RunDirectory
    /// Tells this run's devices and requests from other runs'.
    let run: String

    /// Reads the rig, runs it, reports; throws a `Failure` for every exit code but 0.
    static func run(_ traffic: TrafficOptions, isVirtual: Bool) async throws {
        let rig = try RigFile.read(traffic)
        let directory = try Self.directory(for: rig, out: traffic.out)
        let session = Session(
            rig: rig, seed: rig.seed, isVirtual: isVirtual, traffic: traffic, directory: directory,
            run: directory.name)
        let history: String
        do {
            history = try await session.measure()
        } catch let failure as Failure {
            directory.removeIfEmpty()
            throw failure
        }
        try Outcome.report(history, thresholds: rig.thresholds, in: directory.path, quiet: traffic.quiet)
    }

    private static func directory(for rig: Rig, out: String?) throws -> RunDirectory {
        do {
            return try RunDirectory.create(rig: rig.name, in: "reports", out: out)
        } catch {
            throw Failure.couldNotRun("\(error)")
        }
    }

    /// Carries the run out; gives the path of its history.
    private func measure() async throws -> String {
        let stage = try await Stage(self)
        let writer = try writer(stage)
        let plan = Plan(rig, seed: seed, run: identityRun)
        let lanes = try stage.lanes(recordingTo: writer)
        let terms = Terms(rig, dialect: stage.dialect, statement: Secret(demoStatement()))
        let coordinator = Coordinator(plan, terms: terms, lanes: lanes)
        let watch = RunWatch(
            coordinator: coordinator, writer: writer, planned: plan.households,
            isQuiet: traffic.quiet, isVirtual: isVirtual)
        let interrupts = Interrupts { watch.interrupted($0) }
        let usage = Usage.now()
        await Self.onOwnThread { coordinator.run() }
        let ended = lanes.map(\.now).max() ?? .start
        let cpu = isVirtual ? 0 : Usage.now().percent(since: usage)
        watch.end()
        _ = writer.finish(
            HistoryEnd(
                ended: ended, interrupted: interrupts.hasInterrupted, failure: watch.failure ?? "",
                cpuPercent: cpu, historyHash: ""))
        await stage.strike()
        return directory.historyPath
    }

    private func writer(_ stage: Stage) throws -> HistoryWriter {
        let plan = Plan(rig, seed: seed, run: identityRun)
        let header = HistoryHeader(
            run: directory.name, rigName: rig.name, rigSource: rig.source, seed: seed.value,
            startedMicroseconds: stage.epochMicroseconds, target: stage.targetName,
            protocolName: stage.dialect.name, version: Screenrig.version, isVirtual: isVirtual,
            lanes: stage.laneCount, kinds: rig.kinds.map(\.name), plannedHouseholds: plan.households,
            load: rig.load.description, thresholds: rig.thresholds.map(\.text),
            validLatenessNanoseconds: rig.validity.latenessP99.nanoseconds,
            validBusy: rig.validity.busy, breachFails: rig.validity.failsOnBreach)
        do {
            return try HistoryWriter(
                path: directory.historyPath, header: header,
                recording: Assembly.recording(rig.record, seed: seed), waits: isVirtual)
        } catch {
            throw Failure.couldNotRun("\(error)")
        }
    }

    /// Device ids and accounts carry the run where tokens may outlive it (rig-format.md).
    private var identityRun: String {
        rig.identities == .perRun && !isVirtual ? run : "seed-\(seed)"
    }

    private func demoStatement() -> String {
        Signing.demoSoftwareStatement()
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
        getrusage(RUSAGE_SELF, &usage)
        let times = [usage.ru_utime, usage.ru_stime]
        let processor = times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
        return Usage(processor: processor, wall: Double(LiveLoop.monotonic()) / 1e9)
    }

    /// Percent of one core since `start`.
    func percent(since start: Usage) -> Double {
        wall > start.wall ? 100 * (processor - start.processor) / (wall - start.wall) : 0
    }
}
