internal import Checker
internal import Journal
internal import Races
internal import Reports
internal import Rigs
internal import Runner

/// One replay, from a case to an exit code.
struct ReplaySession {
    let known: Case
    let rig: Rig
    /// Its steps are those of another protocol than it was found over.
    let isTranslated: Bool
    let times: Int
    let fixed: FixedAt?
    let file: String
    let isVirtual: Bool
    let allowed: [String]
    let isQuiet: Bool
    let asJSON: Bool
    let saves: Bool

    func run() async throws {
        let stage: RaceStage
        let sink = ProgressSink()
        var rig = rig
        if known.expected.invariant == .signInDelivered {
            // A sign-in is lost where a run would call it lost, whatever a race waits for.
            let least = Rules.delivery(rig.polling) + .milliseconds(10)
            rig.load = .once(households: 1, settle: max(rig.load.settle, least))
        }
        do {
            stage = try await RaceStage(
                rig, isVirtual: isVirtual, allowed: allowed, recordingTo: sink)
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure.couldNotRun("\(error)")
        }
        let target = stage.venue.targetName
        if !isQuiet, !asJSON {
            let steps = isTranslated ? ", in the steps of \(known.target.protocolName)" : ""
            Terminal.complain(
                inWords: "replaying \(known.name) → \(target)\(steps), \(times) times")
            if let fixed { Terminal.complain(inWords: fixed.plan) }
        }
        let interrupts = Interrupts(stopping: stage.arena)
        let waiting = Task { await tellWaiting(sink) }
        let outcome = await stage.replay(known, times: times) { rate in
            tell(rate)
        }
        waiting.cancel()
        await stage.shutdown()
        let code = code(of: outcome, wasInterrupted: interrupts.hasInterrupted)
        try conclude(outcome, stage, code)
    }

    private func tell(_ rate: HitRate) {
        if asJSON {
            Terminal.print(
                "{\"event\": \"progress\", \"hits\": \(rate.hits), \"of\": \(rate.trials)}")
        } else if !isQuiet, rate.trials > 0, rate.trials < times {
            Terminal.complain("\(rate.hits) of \(rate.trials)")
        }
    }

    /// A round takes as long as its slowest set-up: what that waits for is told meanwhile.
    private func tellWaiting(_ sink: ProgressSink) async {
        guard !isQuiet, !asJSON, !isVirtual else { return }
        while (try? await Task.sleep(for: .seconds(10))) != nil {
            let progress = sink.progress()
            if progress.throttled > 0 {
                Terminal.complain(
                    inWords:
                        "waiting: \(progress.throttled) of \(progress.completed) responses were "
                        + "429 (throttled); set-up requests are retried until the service "
                        + "accepts them")
            } else if let worst = progress.worstError {
                Terminal.complain(
                    inWords: "waiting: \(worst.count) \(worst.operation.name) ended with "
                        + worst.outcome.name)
            }
        }
    }

    private func code(of outcome: Replay.ReplayOutcome, wasInterrupted: Bool) -> ExitCode {
        if wasInterrupted { return .interrupted }
        let isCutShort = outcome.isHeldUp && outcome.rate.hits == 0
        if outcome.rate.trials == 0 || isCutShort || outcome.whyUndecided(known) != nil {
            return .couldNotRun
        }
        return outcome.rate.hits > 0 ? .failed : .passed
    }

    private func conclude(
        _ outcome: Replay.ReplayOutcome, _ stage: RaceStage, _ code: ExitCode
    ) throws {
        let target = stage.venue.targetName
        var told = known
        let undecided = outcome.whyUndecided(known)
        let fixed = undecided == nil ? fixed : nil
        if let via = rig.proxyText { told.path = outcome.path(through: via) }
        if saves, outcome.rate.trials > 0, undecided == nil { try save(outcome, &told, stage) }
        let broken = known.expected.invariant
        let source = outcome.source(known)
        let level = stage.promises.meaning(of: broken, from: source)
        if asJSON {
            var outcome = outcome
            outcome.reason = undecided ?? outcome.reason
            Terminal.print(
                outcome.json(
                    told, target: target, level: level, fixed: fixed, exitCode: code.rawValue))
        } else {
            Terminal.print(inWords: outcome.line(told, target: target))
            let more =
                ["\(broken.name): \(level); source: \(source.words)"] + outcome.notes(told)
            for note in more + (stage.activations.map { [$0.totals] } ?? []) {
                Terminal.print(inWords: "  \(note)", hanging: 4)
            }
            if let fixed { Terminal.print(inWords: "  \(fixed.verdict(outcome.rate))", hanging: 4) }
        }
        guard code != .passed else { return }
        let incomplete =
            "no replay could be completed: "
            + "\(outcome.reason.isEmpty ? "no response arrived" : outcome.reason)"
        let message =
            code == .couldNotRun ? undecided ?? incomplete : ""
        throw CommandFailure(code: code, message: asJSON ? "" : message)
    }

    private func save(
        _ outcome: Replay.ReplayOutcome, _ told: inout Case, _ stage: RaceStage
    ) throws {
        told.measured(
            outcome, on: stage.venue.targetName, startedMicroseconds: stage.startedMicroseconds)
        try CommandFailure.catching(as: .couldNotRun) { try told.save(as: file) }
    }
}
