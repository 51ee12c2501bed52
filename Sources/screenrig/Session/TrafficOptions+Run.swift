internal import Dashboard
internal import Devices
internal import Glibc
internal import Journal
internal import Rendering
internal import Reports
internal import Rigs
internal import Runner

extension TrafficOptions {
    /// Reads the rig, runs it, reports; throws a `CommandFailure` for every exit code but 0. A trial runs
    /// one household of it, and has the last word.
    func run(
        isVirtual: Bool, pages: PageOptions? = nil, trial: Trial? = nil,
        shards: ShardOptions? = nil, start: StartOptions? = nil, telemetry: TelemetryOptions? = nil
    ) async throws {
        do {
            do {
                try await carryOut(
                    isVirtual: isVirtual, pages: pages, trial: trial, shards: shards, start: start,
                    telemetry: telemetry)
            } catch let error as RunError {
                throw CommandFailure(error)
            }
        } catch let failure as CommandFailure where play.json && !failure.message.isEmpty {
            Terminal.print(
                ProgressJSON.failure(failure.message, exitCode: failure.code.rawValue))
            throw failure
        }
    }

    var isQuiet: Bool { play.quiet || play.json }

    private func carryOut(
        isVirtual: Bool, pages: PageOptions?, trial: Trial?, shards: ShardOptions?,
        start: StartOptions?, telemetry: TelemetryOptions?
    ) async throws {
        try start?.check(isVirtual: isVirtual, hasShard: shards?.shard != nil)
        if isVirtual, pages?.control == true {
            throw CommandFailure.badInput(
                "--control is for runs over sockets: a run in virtual time repeats from its seed, so nobody may change "
                    + "it; leave --control out")
        }
        let exporter = try telemetry?.exporter(isVirtual: isVirtual)
        var rig = try RigFile.read(self, isVirtual: isVirtual)
        if let trial { rig = try trial.rig(of: rig) }
        let place = try shards?.place(isVirtual: isVirtual, seed: rig.seed)
        if let place { rig = try rig.part(of: place.shard) }
        let shard = try place.map { try terms(of: $0, rig, start) } ?? nil
        if place != nil, shard == nil { return }
        let machine = MachineLimits.here(for: rig)
        var plan = Plan(rig, seed: rig.seed)
        if let place { plan = plan.part(place.shard) }
        let estimate = PlanEstimate(plan, on: machine)
        if !isVirtual, trial == nil { try check(estimate, on: machine) }
        let venue = try await Venue(
            rig, isVirtual: isVirtual, allowed: play.allowed, asksLeave: trial == nil, as: shard)
        let dashboard = try await LivePages.open(pages, of: rig, at: venue)
        var options = RunOptions()
        if isVirtual { options.virtualLanes = try rig.virtualLanes(asked: lanes) }
        options.judges = !skipsChecks
        options.telemetry = exporter
        options.judgeBacklog = judgeBacklog
        options.keepsMessages = !skipsBodies
        if trial == nil {
            options.throttledBy = try await throttle(of: rig, on: venue)
        } else {
            // A household of a trial meets no limit, and shows what it meets by itself. Nobody waits 15 s
            // to be told that a port is closed.
            options.retries = 1
        }
        let directory = try directory(for: rig, shard)
        try await waitForStart(of: shard)
        dashboard?.enter(run: directory.name)
        let session = try RunSession(
            rig, on: venue, into: directory, options, planned: estimate.duration,
            observer: RunDisplay(form(isTrial: trial != nil), dashboard, exporter))
        dashboard?.obey { words in
            guard let request = RunRequest(words: words) else {
                return
                    "'\(words.joined(separator: " "))' is no request: a rate is a number of households a second, "
                    + "a name has letters, digits, '-', '_' and '.'"
            }
            return session.take(request, microseconds: WallClock.microseconds)
        }
        if let trial {
            for lane in session.lanes { trial.watch(lane, at: venue.origin) }
        }
        // Only the third Ctrl-C ends everything, also while reports are written.
        let interrupts = Interrupts { number in
            if number > 2 { _exit(ExitCode.interrupted.rawValue) }
            if session.interrupt() { exporter?.giveUp() }
        }
        defer { withExtendedLifetime(interrupts) {} }
        let result = try await session.run()
        if isVirtual, !isQuiet { Terminal.complain(result.pace) }
        for note in result.notes { Terminal.complain("note: \(note)") }
        await venue.shutdown()
        let written = Result {
            try RunReports.write(
                directory, thresholds: rig.thresholds, findings: result.findings,
                complain: { Terminal.complain($0) })
        }
        // After the reports, and also where these could not be written: a collector may take its time.
        if let exporter {
            Terminal.complain(exporter.finish(wasInterrupted: result.end.interrupted))
        }
        let summary = try written.get()
        guard let trial else {
            await dashboard?.end(LiveBoard.Ending(summary, path: directory.path))
            StepSummary.append(directory)
            return try summary.tell(at: directory.path, asJSON: play.json)
        }
        await dashboard?.stop()
        try trial.conclude(
            directory, summary, rig: rig, target: venue.origin, words: changes.words(of: self.rig))
    }

    /// Holds the plan against this machine before anything is sent: what cannot work is refused, what
    /// may not work is said.
    private func check(_ estimate: PlanEstimate, on machine: MachineLimits) throws {
        if let refusal = estimate.refusal(on: machine) {
            throw CommandFailure.couldNotRun("this plan \(refusal)")
        }
        try ProcessLimits.check(memoryMB: estimate.memoryMB)
        guard !isQuiet else { return }
        for warning in estimate.warnings {
            Terminal.complain(inWords: "warning: this plan \(warning)", hanging: 9)
        }
    }

    /// What the service throttles by; nil where nobody wants to know.
    func throttle(of rig: Rig, on venue: Venue) async throws -> ThrottleKey? {
        guard let preflight = try Preflight(of: rig, on: venue) else { return nil }
        if !isQuiet {
            Terminal.complain(
                "probe: testing how the service identifies devices when it throttles ...")
        }
        let interrupts = Interrupts { number in
            if number > 1 { _exit(ExitCode.interrupted.rawValue) }
            preflight.stop()
        }
        let finding = await preflight.finding()
        if interrupts.hasInterrupted {
            throw CommandFailure(code: .interrupted, message: "interrupted before the run started")
        }
        // A limit that all devices share spoils the run, and is told in any case.
        let width = Terminal.progressWidth
        func complain(_ text: String) {
            Terminal.complain(
                Wrapping.lines(text, width: width, hanging: 2).joined(separator: "\n"))
        }
        if finding.key == .peerAddress {
            complain("warning: \(finding.key.note)")
        } else if !isQuiet {
            let detail = finding.detail.isEmpty ? "" : " (\(finding.detail))"
            complain("probe: \(finding.key.note)\(detail)")
        }
        return finding.key
    }

    private func directory(for rig: Rig, _ shard: ShardTerms?) throws -> RunDirectory {
        try CommandFailure.catching(as: .couldNotRun) {
            let now = WallClock.microseconds
            return try RunDirectory.create(
                rig: rig.name, shard: shard.map { ($0.shard.number, $0.shard.count) },
                startedMicroseconds: max(now, shard?.startAt ?? now),
                out: out.map { shard?.rest == nil ? $0 : EarlierAttempts.next(after: $0) })
        }
    }

    /// How progress is shown.
    private func form(isTrial: Bool) -> RunDisplay.Form {
        if play.json { return .json }
        if play.quiet || isTrial { return .nothing }
        return Terminal.redraws ? .block : .lines
    }
}
