internal import Checker
internal import Foundation
internal import Journal
internal import Reports
internal import Rigs
internal import Runner
internal import Vocabulary

/// Runs one campaign with one seed, and scores the judge against what the stand-in says it did.
struct DetectionBench: Sendable {
    /// Where the service is.
    enum ServicePlace: Sendable {
        /// In this process, in virtual time.
        case virtual
        /// Behind sockets of this process: the embedded target.
        case sockets
        /// In another process, judged as anybody's (`ForeignRun`).
        case foreign
    }

    let rigPath: String
    let place: ServicePlace
    /// For every run, besides the campaign's own.
    let sets: [(String, String)]
    /// So many households of each run are traced: missed ones, and ones accused for no reason.
    var traces = 0

    /// One run for each seed, from 1. Over sockets a run mostly waits: they go on at the same time.
    func runs(_ campaign: Campaign, seeds: Int) async throws -> [DetectionRun] {
        if place == .virtual {
            var runs: [DetectionRun] = []
            for seed in 1...seeds { runs.append(try await run(campaign, seed: UInt64(seed))) }
            return runs
        }
        return try await withThrowingTaskGroup(of: (Int, DetectionRun).self) { group in
            for seed in 1...seeds {
                group.addTask { (seed, try await run(campaign, seed: UInt64(seed))) }
            }
            var runs: [Int: DetectionRun] = [:]
            for try await (seed, run) in group { runs[seed] = run }
            return (1...seeds).compactMap { runs[$0] }
        }
    }

    private func run(_ campaign: Campaign, seed: UInt64) async throws -> DetectionRun {
        let isVirtual = place == .virtual
        if place == .foreign { return try await foreignRun(campaign, seed: seed) }
        let rig = try rig(campaign, seed: seed)
        let venue = try await Venue(rig, isVirtual: isVirtual, allowed: [])
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "screenrig-detection-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let directory = try RunDirectory.create(
            rig: rig.name, startedMicroseconds: 0, out: folder.path)
        var options = RunOptions()
        options.retries = 1
        options.keepsMessages = false
        let result = try await RunSession(rig, on: venue, into: directory, options).run()
        await venue.shutdown()
        let history = try History(path: directory.history)
        var hurry = Hurry()
        try history.exchanges { hurry.note([$0]) }
        guard let findings = try result.findings ?? Findings(rejudging: history) else {
            throw RunError.couldNotRun("the run left nothing that could be checked")
        }
        let strikes = venue.truths.map { Strike($0) }.filter {
            isVirtual || !$0.isObservable || hurry.bears(out: $0)
        }
        var run = score(findings, strikes, campaign)
        var households: [Int] = []
        for household in run.accusedWrongly + run.missed
        where households.count < traces && !households.contains(household) {
            households.append(household)
        }
        let trace = try HouseholdTrace(Set(households), of: history, venue.truths)
        for household in households {
            let what = run.accusedWrongly.contains(household) ? "accused wrongly" : "missed"
            run.traces.append("household \(household), \(what):")
            run.traces += trace.text(household).map { "  " + $0 }
        }
        return run
    }

    /// The processes are waited for on a thread of their own.
    private func foreignRun(_ campaign: Campaign, seed: UInt64) async throws -> DetectionRun {
        let foreign = ForeignRun(
            rigPath: rigPath, fault: campaign.fault, seed: seed,
            sets: sets + campaign.sets + campaign.foreignSets,
            setsUpServer: campaign.spoken != .usual)
        let result = try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try foreign.result() }) }
        }
        let strikes = result.strikes.filter { !$0.isObservable || result.hurry.bears(out: $0) }
        var run = score(result.findings, strikes, campaign)
        // Its exit codes are in README.md, Commands.
        run.failed = result.exitStatus == 1
        return run
    }

    private func rig(_ campaign: Campaign, seed: UInt64) throws -> Rig {
        var overrides: [(path: String, value: String)] = [("seed", String(seed))]
        if let faults = FaultOptions.override([campaign.fault]) { overrides.append(faults) }
        for (path, value) in sets + campaign.sets { overrides.append((path, value)) }
        do {
            return try Rig.read(
                contentsOf: rigPath, with: RigSurroundings(overrides: overrides)
            ).rig
        } catch {
            throw RunError.badInput("\(error)")
        }
    }

    private func score(
        _ findings: Findings, _ strikes: [Strike], _ campaign: Campaign
    ) -> DetectionRun {
        let expected = campaign.invariants.compactMap { Invariant(name: $0) }
        let allowed = expected.flatMap(\.companions)
        var run = DetectionRun()
        var struck: Set<Int> = []
        var activated: Set<Int> = []
        // By the household that was struck at. Where two are concerned, the breach may be told at
        // either.
        var shown: [Int: Set<Int>] = [:]
        for strike in strikes {
            let both = [strike.household, strike.otherHousehold].compactMap { $0 }
            guard let household = both.first else { continue }
            if strike.isObservable {
                shown[household, default: []].formUnion(both)
            } else {
                struck.formUnion(both)
                activated.insert(household)
            }
        }
        run.activated = activated.count
        run.observable = shown.count
        var hits: Set<Int> = []
        var accused: Set<Int> = []
        var seen: Set<String> = []
        for violation in findings.violations {
            let isExpected =
                expected.contains(violation.invariant)
                || expected.contains(where: violation.companions.contains)
            guard violation.standing != .suspected else {
                if isExpected { run.suspected += 1 }
                continue
            }
            accused.insert(violation.household)
            if isExpected {
                hits.insert(violation.household)
                run.expected[violation.invariant.name, default: 0] += 1
            } else if !allowed.contains(violation.invariant)
                // The proof that something is wrong, without a name for it.
                && !(violation.invariant == .linearizable && struck.contains(violation.household))
            {
                run.wrong[violation.invariant.name, default: 0] += 1
                run.accusedWrongly.append(violation.household)
                run.doubts.append("\(violation.invariant.name): \(violation.sentence)")
            }
            if !struck.contains(violation.household) {
                run.accusedWrongly.append(violation.household)
                run.doubts.append("not struck: \(violation.invariant.name): \(violation.sentence)")
            }
            if seen.insert(violation.signature).inserted {
                run.samples.append("\(violation.invariant.name): \(violation.sentence)")
            }
        }
        run.missed = shown.filter { hits.isDisjoint(with: $0.value) }.map(\.key).sorted()
        run.flagged = shown.count - run.missed.count
        run.falseAccusations = accused.subtracting(struck).count
        return run
    }
}
