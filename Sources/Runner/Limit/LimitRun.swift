internal import Checker
internal import Formats
internal import Foundation
package import Journal
package import Reports
package import Rigs
package import Statistics
internal import Synchronization

/// `find-limit`: plays the steps that a `LimitSearch` asks for, each as a run of its own, until the search has
/// its answer or something else ends it.
///
/// Safe because mutable state is in a `Mutex`, and `run` is called once.
package final class LimitRun: @unchecked Sendable {
    /// Settings of the search and of each step.
    package struct Terms {
        package var search: LimitSearch.Terms
        /// Length of the steady part, in seconds.
        package var stepSeconds: Int
        /// Length of the warm-up before it, in seconds.
        package var warmUpSeconds: Int
        /// Time between two steps for the service to recover; none in virtual time.
        package var pause: Duration
        package var isVirtual: Bool
        /// Hosts of `--allow`.
        package var allowed: [String]

        package init(
            search: LimitSearch.Terms, stepSeconds: Int, warmUpSeconds: Int, pause: Duration,
            isVirtual: Bool, allowed: [String]
        ) {
            self.search = search
            self.stepSeconds = stepSeconds
            self.warmUpSeconds = warmUpSeconds
            self.pause = pause
            self.isVirtual = isVirtual
            self.allowed = allowed
        }
    }

    /// Progress of the search.
    package enum News {
        /// A step begins: its number from 1, its rate in households per second, its expected duration.
        case begins(Int, rate: Double, lasting: Duration)
        /// The rig was late in this step, for that reason: it is not counted, and repeated.
        case late(Int, rate: Double, reason: String)
        case ended(LimitReport.Step)
    }

    private let terms: Terms
    private let rig: Rig
    private let directory: RunDirectory
    /// The rig of a step at `rate` households per second, with that seed.
    private let rigOfStep: (_ rate: Double, _ seed: UInt64) throws -> Rig
    private let options: (Rig, Venue) async throws -> RunOptions
    private let observer: () -> any RunObserver
    private let state = Mutex(State())

    private struct State {
        var isInterrupted = false
        var session: RunSession?
        var pause: Task<Void, Never>?
    }

    /// `options` is called once, before the first step, with its rig and venue. `observer` is called for each step.
    package init(
        _ rig: Rig, _ terms: Terms, into directory: RunDirectory,
        rigOfStep: @escaping (_ rate: Double, _ seed: UInt64) throws -> Rig,
        options: @escaping (Rig, Venue) async throws -> RunOptions = { _, _ in RunOptions() },
        observer: @escaping () -> any RunObserver = { NoObserver() }
    ) {
        (self.rig, self.terms, self.directory) = (rig, terms, directory)
        (self.rigOfStep, self.options, self.observer) = (rigOfStep, options, observer)
    }

    /// The user asks for the end; of a step at once where they have asked before. From any thread.
    package func interrupt() {
        let (session, pause) = state.withLock { state in
            state.isInterrupted = true
            return (state.session, state.pause)
        }
        pause?.cancel()
        session?.interrupt()
    }

    private var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

    /// Plays steps to the end of the search; `tell` gets their progress. Throws where the first step cannot be
    /// prepared, recorded or read; where a later one cannot, the report has those before it.
    package func run(_ tell: (News) -> Void) async throws -> LimitReport {
        let started = UTCTime(microseconds: WallClock.microseconds).rfc3339
        var search = LimitSteps(terms.search)
        var preparation: Preparation?
        while let (number, rate) = search.begin() {
            if number > 1 { await recover() }
            if isInterrupted { break }
            do {
                let played = try await step(number, rate: rate, &preparation, tell)
                search.take(played, at: rate)
                switch played {
                case .late(let reason) where search.ending == nil:
                    tell(.late(number, rate: rate, reason: reason))
                case .step: search.steps.last.map { tell(.ended($0)) }
                case .late, .ended: break
                }
            } catch  where number > 1 {
                search.take(
                    .ended(
                        isInterrupted
                            ? .interrupted
                            : .couldNotRun("step \(number): \(Self.withoutEnd("\(error)"))")),
                    at: rate)
            }
        }
        return LimitReport(
            LimitReport.About(
                rig: rig.name, target: preparation?.target ?? "", version: Release.version,
                started: started, seed: rig.seed.value, isVirtual: terms.isVirtual,
                thresholds: rig.thresholds, stepSeconds: terms.stepSeconds,
                warmUpSeconds: terms.warmUpSeconds), search.search, steps: search.steps,
            ending: search.ending ?? .interrupted)
    }

    /// What the first step finds out for all.
    private struct Preparation {
        var target: String
        var options: RunOptions
    }

    /// Waits until the service has recovered, or the user wants the end.
    private func recover() async {
        guard !terms.isVirtual else { return }
        let pause = Task { [terms] in _ = try? await Task.sleep(for: terms.pause) }
        let isLate = state.withLock { state in
            state.pause = pause
            return state.isInterrupted
        }
        if isLate { pause.cancel() }
        await pause.value
        state.withLock { $0.pause = nil }
    }

    private func step(
        _ number: Int, rate: Double, _ preparation: inout Preparation?, _ tell: (News) -> Void
    ) async throws -> LimitSteps.Played {
        let stepRig = try rigOfStep(rate, rig.seed.child("limit step", number).value)
        let plan = PlanEstimate(Plan(stepRig, seed: stepRig.seed), on: .here(for: stepRig))
        if let reason = beforehand(plan, stepRig) {
            // Where not even the first step is possible, the rig or the command line is wrong: not a finding.
            if number == 1 { throw RunError.couldNotRun("this plan \(reason)") }
            return .ended(.rigWasLimit(rate: rate, reason: "the plan \(reason)"))
        }
        tell(.begins(number, rate: rate, lasting: plan.duration))
        let venue = try await Venue(stepRig, isVirtual: terms.isVirtual, allowed: terms.allowed)
        let ready: Preparation
        if let preparation {
            ready = preparation
        } else {
            ready = Preparation(
                target: venue.targetName, options: try await options(stepRig, venue))
            preparation = ready
        }
        return try await play(stepRig, on: venue, number: number, rate: rate, ready.options)
    }

    /// Why this machine cannot play a step as planned; nil where it can.
    private func beforehand(_ plan: PlanEstimate, _ rig: Rig) -> String? {
        terms.isVirtual ? nil : plan.refusal(on: .here(for: rig))
    }

    private func play(
        _ rig: Rig, on venue: Venue, number: Int, rate: Double, _ options: RunOptions
    ) async throws -> LimitSteps.Played {
        let run = (directory.path as NSString).appendingPathComponent(
            "step-" + (number < 10 ? "0" : "") + "\(number)")
        let folder: RunDirectory
        do {
            folder = try RunDirectory.create(
                rig: rig.name, startedMicroseconds: WallClock.microseconds, out: run)
        } catch {
            throw RunError.couldNotRun("\(error)")
        }
        let session = try RunSession(rig, on: venue, into: folder, options, observer: observer())
        let isLate = state.withLock { state in
            state.session = session
            return state.isInterrupted
        }
        if isLate { session.interrupt() }
        let result = try await session.run()
        state.withLock { $0.session = nil }
        await venue.shutdown()
        var complaints: [String] = []
        let summary = try RunReports.write(
            folder, thresholds: rig.thresholds, findings: result.findings,
            complain: { complaints.append($0) })
        if isInterrupted { return .ended(.interrupted) }
        switch summary.exitStatus {
        case .couldNotRun: return .ended(.couldNotRun(Self.withoutEnd(summary.headline)))
        case .interrupted: return .ended(.interrupted)
        default: break
        }
        return try judge(rig, folder, summary, result.findings, number: number, rate: rate)
    }

    private func judge(
        _ rig: Rig, _ folder: RunDirectory, _ summary: Summary, _ findings: Findings?,
        number: Int, rate: Double
    ) throws -> LimitSteps.Played {
        let history: History
        let part: SteadyPart
        let begin = Int(Instant(rig.preparation).milliseconds / 1000) + terms.warmUpSeconds
        do {
            history = try History(path: folder.history)
            part = try SteadyPart(
                history, seconds: begin..<begin + terms.stepSeconds, findings: findings)
        } catch {
            throw RunError.couldNotRun("\(error)")
        }
        let held = history.restraint.heldBack
        if Double(held) > Self.heldBackAtMost * Double(summary.exchanges.sent) {
            return .ended(
                .rigWasLimit(
                    rate: rate,
                    reason: "a limit of the rig (max-rate) held back \(held) of "
                        + "\(summary.exchanges.sent) requests, so that the service did not get this rate"
                ))
        }
        let breaker = history.end?.breaker ?? ""
        let whyEnded = summary.outage ?? (breaker.isEmpty ? nil : breaker)
        if whyEnded == nil, let reason = summary.rigHealth.whyNoStep(part, rig.thresholds) {
            return summary.rigHealth.isBusy
                ? .ended(.rigWasLimit(rate: rate, reason: reason)) : .late(reason)
        }
        let waits = history.restraint.accountWaits
        if whyEnded == nil,
            Double(waits) > Self.heldBackAtMost * Double(summary.households.started)
        {
            return .ended(
                .rigWasLimit(
                    rate: rate,
                    reason:
                        "\(waits) of \(summary.households.started) households waited for an account, so "
                        + "that the service did not get this rate; add accounts to accounts.file, or let several "
                        + "households use one (accounts.sharing, accounts.at-once)"
                ))
        }
        let readings = rig.thresholds.map { part.reading($0) }
        if whyEnded == nil,
            let silent = zip(rig.thresholds, readings).first(where: { threshold, reading in
                threshold.isOfTime && reading.value == nil
            })
        {
            return .ended(
                .couldNotRun(
                    "nothing was measured for '\(silent.1.expression)' in the steady part of step \(number): "
                        + "raise --step-for or --from, or name an operation that this rig's households use"
                ))
        }
        let seed = rig.seed.value
        // Random arrivals are more or fewer than planned, and what came is what the service had to carry.
        let arrived = Double(part.households) / Double(terms.stepSeconds)
        return .step(
            LimitReport.Step(
                number: number, rate: rig.load.isRandom && arrived > 0 ? arrived : rate, seed: seed,
                run: folder.name, part,
                violations: findings?.verdicts.reduce(0) { $0 + $1.violations } ?? 0,
                readings: readings, held: whyEnded == nil && readings.allSatisfy(\.met),
                remark: whyEnded ?? ""))
    }

    /// Largest share of requests that may wait for `max-rate`, and of households for an account, in a step that counts.
    private static let heldBackAtMost = 0.01

    private static func withoutEnd(_ sentence: String) -> String {
        sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    }
}

extension Threshold {
    /// Whether it limits a duration.
    fileprivate var isOfTime: Bool {
        switch measure {
        case .percentile, .min, .mean, .max, .time: true
        case .errors, .throttled, .rate, .count, .share: false
        }
    }
}
