internal import Foundation
internal import Journal
internal import Rigs
internal import Runner
internal import Statistics

/// A run that is one of several: what it is to do, and when it starts.
extension TrafficOptions {
    /// What this process is to run of its shard's part; nil where earlier attempts have left nothing, and their
    /// report was told.
    func terms(
        of place: ShardOptions.Place, _ rig: Rig, _ start: StartOptions?
    ) throws -> ShardTerms? {
        guard let start else { return ShardTerms(place.shard, of: place.run) }
        let startAt = try start.start()
        let now = WallClock.microseconds
        let attempt = place.placement.attempt
        let plan = Plan(rig, seed: rig.seed, run: place.run).part(place.shard)
        let earlier = try EarlierAttempts(
            of: place.shard, place.run, rig: rig, plan: plan, out: out, anew: start.anew)
        if let last = earlier.attempts.last, !start.resume {
            throw CommandFailure.couldNotRun(
                "an earlier attempt of shard \(place.shard) of this run is in \(last.directory.path); add --resume to run "
                    + "what it did not begin, or give this run another --run-id")
        }
        switch try earlier.remainder(now: now, attempt: attempt) {
        case .rest(let rest):
            if !isQuiet { Terminal.complain(inWords: words(rest, plan, place), hanging: 2) }
            return ShardTerms(place.shard, of: place.run, startAt: startAt, rest: rest)
        case .nothing(let directory, let lost, let isComplete):
            return try conclude(directory, rig, lost: lost, isComplete: isComplete, place)
        case nil:
            // Before the common start nobody can have begun anything.
            let mayHaveBegun = startAt.map { $0 <= now } ?? true
            if let attempt, attempt > 1, mayHaveBegun, !start.anew {
                throw CommandFailure.couldNotRun(withoutHistory(attempt, plan, place, rig))
            }
            return ShardTerms(
                place.shard, of: place.run, startAt: startAt, attempt: max(1, attempt ?? 1))
        }
    }

    private func withoutHistory(
        _ attempt: Int, _ plan: Plan, _ place: ShardOptions.Place, _ rig: Rig
    ) -> String {
        let stem = RunDirectory.stem(rig: rig.name, shard: (place.shard.number, place.shard.count))
        let folder = out ?? "\(RunDirectory.root)/\(stem)-*"
        let number = plan.households.map { "all \($0) households" } ?? "all households"
        return
            "\(place.placement.engine ?? "the engine") says that this is attempt \(attempt) of shard \(place.shard), and "
            + "there is no history of an earlier one (\(folder)), so the households that it began are not known; keep "
            + "run directories on a volume that outlives the process, or add --anew to run \(number) of the shard again"
    }

    private func words(_ rest: ShardRest, _ plan: Plan, _ place: ShardOptions.Place) -> String {
        let left = plan.without(begun: rest.begun).householdsLeft
        let households = left.map { $0 == 1 ? "1 household" : "\($0) households" } ?? "households"
        let lost =
            rest.lost.isEmpty
            ? ""
            : "; \(rest.lost.count) that an earlier attempt began did not end, and are not run again"
        let seconds = String(format: "%g", rest.begins / .seconds(1))
        return
            "shard \(place.shard), attempt \(rest.attempt): runs \(households) that no earlier attempt began, from "
            + "\(seconds) s of the plan on\(lost)"
    }

    /// Nothing is left. The verdict of an attempt that came to its end is this one's: gives nil, or throws its exit
    /// code. Of one that did not, the lost are named, and the engine need not try once more.
    private func conclude(
        _ directory: RunDirectory, _ rig: Rig, lost: [Int], isComplete: Bool,
        _ place: ShardOptions.Place
    ) throws -> ShardTerms? {
        if !isQuiet || !isComplete {
            let ended = lost.isEmpty ? "" : "; lost, because they did not end: \(numbers(lost))"
            Terminal.complain(
                inWords:
                    "shard \(place.shard): nothing is left to run, every household was begun\(ended)",
                hanging: 2)
        }
        guard isComplete else { return nil }
        let summary = try RunReports.write(
            directory, thresholds: rig.thresholds, complain: { Terminal.complain($0) })
        try summary.tell(at: directory.path, asJSON: play.json)
        return nil
    }

    /// `3, 17, 40 and 12 more`.
    private func numbers(_ all: [Int]) -> String {
        let first = all.prefix(10).map(String.init).joined(separator: ", ")
        return all.count > 10 ? "\(first) and \(all.count - 10) more" : first
    }

    /// Waits until shortly before the common start, when the run is put together.
    func waitForStart(of shard: ShardTerms?) async throws {
        guard let shard, let startAt = shard.startAt, shard.rest?.begins ?? .zero == .zero else {
            return
        }
        let begin = startAt - ShardTerms.lead.wholeMicroseconds
        guard begin > WallClock.microseconds else { return }
        // Before the line that names Ctrl-C: a user may press it at once.
        let interrupts = Interrupts { number in
            if number > 1 { _exit(ExitCode.interrupted.rawValue) }
        }
        if !isQuiet {
            let left = Double(startAt - WallClock.microseconds) / 1e6
            Terminal.complain(
                "waiting for the common start at \(StartTime.text(startAt)), in \(String(format: "%.0f", left)) s"
                    + (Terminal.hasReader ? "; Ctrl-C ends it" : ""))
        }
        // Looked at again and again: clocks are set, and machines sleep.
        while true {
            let left = begin - WallClock.microseconds
            guard left > 0 else { return }
            try? await Task.sleep(for: .microseconds(min(left, 100_000)))
            if interrupts.hasInterrupted {
                throw CommandFailure(
                    code: .interrupted, message: "interrupted before the run started")
            }
        }
    }
}
