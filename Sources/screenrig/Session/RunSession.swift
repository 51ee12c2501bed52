internal import Checker
internal import Dashboard
internal import Devices
internal import Dialects
internal import Dispatch
internal import Foundation
internal import Journal
internal import Lanes
internal import Reports
internal import Rigs
internal import Runner
internal import Signing
internal import Standin
internal import Statistics

/// One run, from a rig file to its report.
struct RunSession {
    let rig: Rig
    let venue: Venue
    let traffic: TrafficOptions
    let directory: RunDirectory
    let trial: Trial?
    /// What a preflight found that the service throttles by; nil where there was none.
    let throttledBy: ThrottleKey?
    /// How long the run will take, as far as the plan tells.
    let expected: Duration
    /// Pages that show it; nil where nobody asked for one.
    let dashboard: Dashboard?

    /// Reads the rig, runs it, reports; throws a `CommandFailure` for every exit code but 0. A trial runs
    /// one household of it, and has the last word.
    static func run(
        _ traffic: TrafficOptions, isVirtual: Bool, pages: PageOptions? = nil, trial: Trial? = nil
    ) async throws {
        do {
            do {
                try await start(traffic, isVirtual: isVirtual, pages: pages, trial: trial)
            } catch let error as RunError {
                throw CommandFailure(error)
            }
        } catch let failure as CommandFailure where traffic.play.json && !failure.message.isEmpty {
            Terminal.print(
                ProgressJSON.failure(failure.message, exitCode: failure.code.rawValue))
            throw failure
        }
    }

    private static func start(
        _ traffic: TrafficOptions, isVirtual: Bool, pages: PageOptions?, trial: Trial?
    ) async throws {
        var rig = try RigFile.read(traffic, isVirtual: isVirtual)
        if let trial { rig = try trial.rig(of: rig) }
        let machine = ValidateCommand.limits(for: rig)
        let estimate = PlanEstimate(Plan(rig, seed: rig.seed), on: machine)
        if !isVirtual, trial == nil { try check(estimate, on: machine, traffic) }
        let venue = try await Venue(
            rig, isVirtual: isVirtual, allowed: traffic.play.allowed, asksLeave: trial == nil)
        let dashboard = try await LivePages.open(pages, of: rig, at: venue)
        // A household of a trial meets no limit, and shows what it meets by itself.
        let throttledBy =
            trial == nil
            ? try await Preflight.throttle(
                of: rig, on: venue, isQuiet: traffic.play.quiet || traffic.play.json) : nil
        let session = RunSession(
            rig: rig, venue: venue, traffic: traffic,
            directory: try directory(for: rig, out: traffic.out), trial: trial,
            throttledBy: throttledBy, expected: estimate.duration, dashboard: dashboard)
        dashboard?.enter(run: session.directory.name)
        let (findings, interrupts) = try await session.measure()
        // A second Ctrl-C that comes while reports are written must not cost them.
        defer { withExtendedLifetime(interrupts) {} }
        await venue.strike()
        guard let trial else {
            let summary = try RunCompletion.write(
                session.directory, thresholds: rig.thresholds, findings: findings)
            await dashboard?.end(LiveBoard.Ending(summary, path: session.directory.path))
            StepSummary.append(session.directory)
            return try RunCompletion.tell(
                summary, at: session.directory.path, asJSON: traffic.play.json)
        }
        await dashboard?.stop()
        try trial.conclude(
            session.directory, rig: rig, findings: findings, target: venue.origin,
            words: traffic.rig.words)
    }

    /// Holds the plan against this machine before anything is sent: what cannot work is refused, what
    /// may not work is said.
    private static func check(
        _ estimate: PlanEstimate, on machine: MachineLimits, _ traffic: TrafficOptions
    ) throws {
        if let refusal = estimate.refusal(on: machine) {
            throw CommandFailure.couldNotRun("this plan \(refusal)")
        }
        try ProcessLimits.check(memoryMB: estimate.memoryMB)
        guard !traffic.play.quiet, !traffic.play.json else { return }
        for warning in estimate.warnings {
            Terminal.complain(inWords: "warning: this plan \(warning)", hanging: 9)
        }
    }

    private static func directory(for rig: Rig, out: String?) throws -> RunDirectory {
        do {
            return try RunDirectory.create(
                rig: rig.name, startedMicroseconds: WallClock.microseconds, out: out)
        } catch {
            throw CommandFailure.couldNotRun("\(error)")
        }
    }

    /// Carries the run out and leaves its history in the run directory. No findings where the judge
    /// fell behind, or had nothing to do. Who holds the interrupts is not ended by one; only the third
    /// Ctrl-C ends everything.
    private func measure() async throws -> (Findings?, Interrupts) {
        let plan = Plan(rig, seed: rig.seed, run: venue.run)
        // As near to the lanes' time zero as can be: evidence of exchanges is told in UTC by it.
        let started = venue.isVirtual ? Venue.virtualEpoch : WallClock.microseconds
        let rules = Rules(
            rig, isEmbedded: venue.isEmbedded, startedMicroseconds: started,
            throttledBy: throttledBy)
        let header = header(
            planned: plan.households, started: started, judging: judges ? rules.texts : [])
        let writer = try writer(header)
        let judge = judges ? judge(by: rules, before: writer, header) : nil
        let lanes = try venue.lanes(recordingTo: judge ?? writer)
        if trial == nil, rig.record != .none, !traffic.skipsBodies {
            writer.keepMessages(through: lanes[0].gate)
            for lane in lanes { lane.handsOverMessages = true }
        }
        let statement = Secret(Signing.demoSoftwareStatement())
        var terms = RunConfiguration(rig, statement: statement, dialect: venue.dialect(of:))
        if let trial {
            for lane in lanes { trial.watch(lane, of: rig, at: venue.origin) }
            // Nobody waits 15 s to be told that a port is closed.
            terms.retries = 1
        }
        let isVirtual = venue.isVirtual
        terms.platforms = try Assembly.platforms(
            rig, program: isVirtual ? nil : { ProgramProcess(path: $0, limit: $1) })
        terms.startedMicroseconds = started
        let pages = PageFolder(in: directory.path)
        terms.pages = pages
        // In virtual time there is one login page, and nothing to wait for a process with.
        if let program = rig.login.command, !venue.isVirtual {
            terms.loginProgram = ProgramProcess(path: program, limit: rig.login.limit)
        }
        let coordinator = Coordinator(plan, terms: terms, lanes: lanes)
        let breaker = Politeness.breaker(rig.target.courtesy, isNear: venue.isNear)
        let record = TurnRecord(lanes: lanes.count, path: directory.file(LaneTurn.file))
        for lane in lanes { lane.keepTurns(in: record) }
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let watch = RunWatch(
            coordinator: coordinator, writer: writer, judge: judge,
            show: Show(
                title: "\(rig.name) → \(venue.targetName)", planned: expected,
                plannedHouseholds: plan.households, settle: rig.load.settle,
                thresholds: rig.thresholds,
                allowedLateness: venue.isVirtual ? nil : rig.validity.latenessP99, form: form,
                dashboard: dashboard,
                findings: { judge?.soFar }),
            breaker: breaker, isVirtual: venue.isVirtual, abandon: { end.finish() })
        if venue.isVirtual, let breaker {
            VirtualBreaker(breaker, on: lanes[0]) { watch.trip($0) }.begin()
        }
        let interrupts = Interrupts { number in
            if number > 2 { _exit(ExitCode.interrupted.rawValue) }
            watch.interrupted(number)
        }
        let usage = Usage.now()
        Task {
            await LaneThread.run { coordinator.run() }
            end.finish()
        }
        // Over when the lanes are, or when they are given up.
        for await _ in ends {}
        let ended = lanes.map(\.now).max() ?? .start
        let spent = Usage.now()
        let cpu = venue.isVirtual ? 0 : spent.percent(since: usage)
        watch.end()
        if venue.isVirtual, !traffic.play.quiet, !traffic.play.json {
            let events = lanes.reduce(0) { $0 + $1.events }
            Terminal.complain(Self.pace(ended, events: events, in: spent.wall - usage.wall))
        }
        // It may have been removed meanwhile.
        directory.restore()
        if !rig.faults.isEmpty {
            PrivateFile.make(directory.file("truth.jsonl"))
            let truth = try TruthFile(directory.file("truth.jsonl"))
            truth.enable(try Assembly.faults(rig))
            truth.append(venue.truths)
        }
        for sentence in terms.accounts?.givenUp ?? [] { Terminal.complain("note: \(sentence)") }
        if pages.finish() > 0 {
            Terminal.complain(
                "note: login pages where a login stopped are in \(directory.file("pages"))")
        }
        let findings = judge?.finish()
        _ = writer.finish(
            HistoryEnd(
                ended: ended, interrupted: interrupts.hasInterrupted, failure: watch.failure ?? "",
                cpuPercent: cpu, historyHash: "", breaker: watch.tripped ?? "",
                verdicts: findings.map { TerminalReport.verdicts($0) } ?? "",
                standstills: watch.standstills, longTurns: watch.longTurns))
        record.remove()
        watch.settle()
        return (findings, interrupts)
    }

    private var judges: Bool { !traffic.skipsChecks }

    /// How progress is shown.
    private var form: Show.Form {
        if traffic.play.json { return .json }
        if traffic.play.quiet || trial != nil { return .nothing }
        return Terminal.redraws ? .block : .lines
    }

    private func header(planned: Int?, started: Int64, judging: [String]) -> HistoryHeader {
        HistoryHeader(
            run: directory.name, runID: venue.run, rigName: rig.name, rigSource: rig.source,
            seed: rig.seed.value,
            startedMicroseconds: started,
            target: venue.targetName,
            protocolName: rig.protocolNames, version: Screenrig.version,
            isVirtual: venue.isVirtual,
            lanes: venue.laneCount, kinds: rig.kinds.map(\.name), plannedHouseholds: planned,
            load: rig.load.description, thresholds: rig.thresholds.map(\.text),
            shows: rig.shows.map(\.text),
            policies: rig.policies.lines, judging: judging,
            validLatenessNanoseconds: rig.validity.latenessP99.nanoseconds,
            validBusy: rig.validity.busy, breachFails: rig.validity.failsOnBreach,
            throttledBy: throttledBy)
    }

    private func writer(_ header: HistoryHeader) throws -> HistoryWriter {
        do {
            return try HistoryWriter(
                path: directory.history, header: header,
                recording: Assembly.recording(rig.record, seed: rig.seed),
                waits: venue.isVirtual)
        } catch {
            throw CommandFailure.couldNotRun("\(error)")
        }
    }

    private func judge(
        by rules: Rules, before writer: HistoryWriter, _ header: HistoryHeader
    ) -> JudgeQueue {
        // What a history holds whole is judged again from there.
        let spill =
            rig.record == .all
            ? nil
            : SpillFile(
                path: directory.file("spill.sqlite"), header: header, waits: venue.isVirtual)
        return JudgeQueue(
            rules, lanes: venue.laneCount, before: writer, waits: venue.isVirtual, spill: spill,
            backlogLimit: traffic.judgeBacklog)
    }

    /// `55.1 s of virtual time in 0.82 s: 95,000 events, 116,000 events/s`.
    private static func pace(_ ended: Instant, events: Int, in seconds: Double) -> String {
        let rate = Int(Double(events) / max(seconds, 1e-6))
        let virtual = String(format: "%.1f", ended.milliseconds / 1000)
        let real = String(format: "%.3f", seconds)
        return "\(virtual) s of virtual time in \(real) s: \(events) events, \(rate) events/s"
    }
}
