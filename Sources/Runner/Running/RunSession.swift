package import Checker
package import Devices
package import Dialects
internal import Dispatch
internal import Foundation
package import Journal
package import Lanes
internal import Reports
package import Rigs
package import Standin
internal import Statistics

/// One run of a rig: households on lanes, judged as it goes on, recorded in the history of its directory.
///
/// Safe because what it holds is constant; `run` and `play` are called once, and one of them only.
package final class RunSession: @unchecked Sendable {
    package let rig: Rig
    package let venue: Venue
    package let directory: RunDirectory
    /// Their clock starts with this value: `run` is to follow at once.
    package let lanes: [Lane]
    package let coordinator: Coordinator

    private let terms: RunConfiguration
    private let pages: PageFolder
    private let writer: HistoryWriter
    private let judge: JudgeQueue?
    private let desk: EventDesk
    private let watch: RunWatch
    private let turns: TurnRecord
    /// When the lanes' clocks begin; nil: at once.
    private let start: RunStart?
    private let (ends, end) = AsyncStream.makeStream(of: Void.self)

    /// Puts a run together. `planned`: how long it will take, as far as its plan tells.
    package init(
        _ rig: Rig, on venue: Venue, into directory: RunDirectory, _ options: RunOptions = .init(),
        planned: Duration? = nil, observer: any RunObserver = NoObserver()
    ) throws(RunError) {
        (self.rig, self.venue, self.directory) = (rig, venue, directory)
        let whole = Plan(rig, seed: rig.seed, run: venue.run)
        let plan = venue.shard.map { $0.part(of: whole) } ?? whole
        let shard = venue.shard?.record(of: whole, rig, isVirtual: venue.isVirtual)
        let start = venue.shard?.start(isVirtual: venue.isVirtual)
        self.start = start
        // As near to the lanes' time zero as is known yet.
        let started =
            start?.microseconds
            ?? (venue.isVirtual ? Venue.virtualEpoch : WallClock.microseconds)
        var rules = Rules(
            rig, isEmbedded: venue.isEmbedded, startedMicroseconds: started,
            throttledBy: options.throttledBy)
        rules.part = venue.shard == nil ? nil : .shard
        let laneCount = venue.isVirtual ? options.virtualLanes : venue.laneCount
        // How many there are in virtual time shows nowhere.
        let shownLanes = venue.isVirtual ? 1 : laneCount
        let header = HistoryHeader(
            run: directory.name, runID: venue.run, rigName: rig.name, rigSource: rig.source,
            seed: rig.seed.value, startedMicroseconds: started, target: venue.targetName,
            protocolName: rig.protocolNames, version: Release.version, isVirtual: venue.isVirtual,
            lanes: shownLanes, kinds: rig.kinds.map(\.name), plannedHouseholds: plan.householdsLeft,
            load: rig.load.description, thresholds: rig.thresholds.map(\.text),
            shows: rig.shows.map(\.text), policies: rig.policies.lines,
            judging: options.judges ? rules.texts : [],
            validLatenessNanoseconds: rig.validity.latenessP99.nanoseconds,
            validBusy: rig.validity.busy, breachFails: rig.validity.failsOnBreach,
            throttledBy: options.throttledBy, sendsTraceContext: rig.target.correlates,
            shard: shard)
        let writer: HistoryWriter
        do {
            writer = try HistoryWriter(
                path: directory.history, header: header,
                recording: rig.record, waits: venue.isVirtual)
        } catch {
            throw .couldNotRun("\(error)")
        }
        self.writer = writer
        // What a history holds whole is judged again from there.
        let spill =
            rig.record == .all
            ? nil
            : SpillFile(
                path: directory.file("spill.sqlite"), header: header, waits: venue.isVirtual)
        judge =
            options.judges
            ? JudgeQueue(
                rules, lanes: shownLanes, before: writer, waits: venue.isVirtual, spill: spill,
                backlogLimit: options.judgeBacklog) : nil
        let judged: any HistorySink = judge ?? writer
        let sink = options.telemetry?.before(judged) ?? judged
        let join =
            venue.isVirtual
            ? LaneJoin(
                lanes: laneCount, from: .start + (venue.shard?.rest?.begins ?? .zero), before: sink)
            : nil
        let convoy =
            venue.isVirtual && laneCount > 1
            ? Convoy(lanes: laneCount, window: rig.laneWindow) : nil
        lanes = try venue.lanes(
            recordingTo: join ?? sink, virtual: laneCount, convoy: convoy,
            through: options.through, start: start)
        // What evidence and spans tell in UTC, a service's own log has as well.
        var anchored = header
        if !venue.isVirtual, start == nil {
            anchored.startedMicroseconds = WallClock.microseconds(ofStart: lanes[0])
            writer.note(started: anchored.startedMicroseconds)
        }
        options.telemetry?.begin(anchored)
        if rig.record != .none, options.keepsMessages {
            writer.keepMessages(through: lanes[0].gate)
            for lane in lanes { lane.handsOverMessages = true }
        }
        var terms = try venue.configuration(of: rig, statement: options.statement)
        if let retries = options.retries { terms.retries = retries }
        terms.startedMicroseconds = anchored.startedMicroseconds
        pages = PageFolder(in: directory.path)
        terms.pages = pages
        // In virtual time there is one login page, and nothing to wait for a process with.
        if let program = rig.login.command, !venue.isVirtual {
            terms.loginProgram = ProgramProcess(path: program, limit: rig.login.limit)
        }
        self.terms = terms
        coordinator = Coordinator(plan, terms: terms, lanes: lanes)
        let breaker = rig.target.courtesy.breaker(onLoopback: venue.isNear).map { limits in
            var breaker = Breaker(above: limits.errors, for: limits.lasting)
            breaker.begin(at: shard?.begins ?? .start)
            return breaker
        }
        turns = TurnRecord(lanes: lanes.count, path: directory.file(LaneTurn.file))
        for lane in lanes { lane.keepTurns(in: turns) }
        desk = EventDesk(
            rig.events, gate: lanes[0].gate, keep: { writer.note($0) },
            say: { observer.say($0) })
        watch = RunWatch(
            coordinator: coordinator, writer: writer, judge: judge,
            outline: RunOutline(
                title: venue.title, planned: planned, plannedHouseholds: plan.householdsLeft,
                settle: rig.load.settle, thresholds: rig.thresholds,
                allowedLateness: venue.isVirtual ? nil : rig.validity.latenessP99,
                startedMicroseconds: anchored.startedMicroseconds, isOpenLoad: rig.load.isOpen),
            observer: observer, breaker: breaker, isVirtual: venue.isVirtual, desk: desk,
            control: venue.isVirtual ? nil : ControlFile(in: directory),
            abandon: { [end] in end.finish() })
        if venue.isVirtual, let breaker {
            VirtualBreaker(breaker, on: lanes[0]) { [watch] in watch.trip($0) }.begin()
        }
    }

    /// Somebody asks for its end: at once where somebody has asked before, which is what it gives. From any thread.
    @discardableResult
    package func interrupt() -> Bool { watch.interrupt() }

    /// The same with another grace, and without a word.
    package func interrupt(within grace: Duration) { watch.interrupt(within: grace) }

    /// Somebody marks something or changes the load. From any thread. Gives why that is not possible, or nil.
    package func take(_ request: RunRequest, microseconds: Int64) -> String? {
        watch.take(request, microseconds: microseconds)
    }

    /// Plays the households to their end, and leaves the history in the run directory.
    package func run() async throws -> RunResult {
        let began = Usage.now()
        if !venue.isVirtual {
            desk.begin(
                from: .start + rig.preparation, since: start?.from ?? .start,
                clock: { [coordinator] in coordinator.now })
        }
        Task {
            await LaneThread.run {
                if let start = self.start {
                    start.wait()
                    self.writer.note(began: WallClock.microseconds)
                }
                self.coordinator.run()
            }
            end.finish()
        }
        // Over when the lanes are, or when they are given up.
        for await _ in ends {}
        return try conclude(since: began)
    }

    /// The same on the caller's thread, in virtual time.
    package func play() throws -> RunResult {
        let began = Usage.now()
        coordinator.run()
        return try conclude(since: began)
    }

    private func conclude(since began: Usage) throws -> RunResult {
        writer.settle()
        let ended = lanes.map(\.now).max() ?? .start
        let spent = Usage.now()
        let cpu = venue.isVirtual ? 0 : spent.percent(since: began)
        if venue.isVirtual { desk.mark(from: .start + rig.preparation, through: ended) }
        watch.end(at: ended)
        // It may have been removed meanwhile.
        directory.restore()
        if !rig.faults.isEmpty {
            PrivateFile.make(directory.file("truth.jsonl"))
            let truth = try TruthFile(directory.file("truth.jsonl"))
            truth.enable(try Assembly.faults(rig))
            truth.append(venue.truths)
        }
        var notes = terms.accounts?.givenUp ?? []
        if pages.finish() > 0 {
            notes.append(
                "pages at which a login stopped or was not confirmed are in "
                    + directory.file("pages"))
        }
        let findings = judge?.finish()
        let end = writer.finish(
            HistoryEnd(
                ended: ended, interrupted: watch.wasInterrupted, failure: watch.failure ?? "",
                cpuPercent: cpu, historyHash: "", breaker: watch.tripped ?? "",
                verdicts: findings.map { TerminalReport.verdicts($0) } ?? "",
                verdictCounts: findings?.kept ?? "",
                standstills: watch.standstills, stalls: watch.stalls, longTurns: watch.longTurns))
        // Whoever continues a shard that was stopped finds there what it has begun.
        let isComplete =
            !watch.wasInterrupted && watch.failure == nil && watch.tripped == nil
        if venue.shard == nil || isComplete { turns.remove() } else { turns.seal() }
        watch.settle()
        return RunResult(
            findings: findings, end: end, notes: notes, lanes: lanes.count,
            events: lanes.reduce(0) { $0 + $1.events },
            seconds: spent.wall - began.wall)
    }
}

/// What a caller wants of a run besides what its rig says.
package struct RunOptions {
    /// Checks it while it goes on.
    package var judges = true
    /// Exchanges that may wait for the judge before they are spilled to disk.
    package var judgeBacklog = JudgeQueue.usualBacklog
    /// Records requests and responses, where the rig records anything.
    package var keepsMessages = true
    /// How often a request is repeated that got no answer; nil: as often as devices do.
    package var retries: Int?
    /// What a preflight found that the service throttles by; nil where there was none.
    package var throttledBy: ThrottleKey?
    /// Gets what leaves for a collector of OpenTelemetry; nil: nothing does.
    package var telemetry: TelemetryExporter?
    /// Software statement of the apps; nil: the demo one.
    package var statement: Secret?
    /// Lanes in virtual time, each with a thread, a clock and a service of its own: what comes of a run does not hang
    /// on their number, where its rig may have several (`Rig.whyOneLane`).
    package var virtualLanes = 1
    /// What stands between devices and the stand-in of each lane, in virtual time.
    package var through: (InProcess) -> any Transport = { $0 }

    package init() {}
}

/// What came of a run, besides its history.
package struct RunResult: Sendable {
    /// Nil where nothing was judged. Where the judge fell behind, they say so.
    package let findings: Findings?
    package let end: HistoryEnd
    /// Sentences about what somebody should know, whatever else is shown.
    package let notes: [String]
    package let lanes: Int
    /// Of all lanes.
    package let events: Int
    /// Real ones.
    package let seconds: Double

    /// `55.1 s of virtual time in 0.82 s: 95,000 events, 116,000 events/s`.
    package var pace: String {
        let rate = Int(Double(events) / max(seconds, 1e-6))
        let virtual = String(format: "%.1f", end.ended.milliseconds / 1000)
        let real = String(format: "%.3f", seconds)
        let side = lanes == 1 ? "" : " on \(lanes) lanes"
        return
            "\(virtual) s of virtual time in \(real) s: \(events) events, \(rate) events/s\(side)"
    }
}
