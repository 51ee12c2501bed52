internal import ArgumentParser
internal import Dialects
internal import Foundation
internal import Races
internal import Rigs
internal import Runner
internal import Statistics
internal import Synchronization

/// How well the race lab finds what the stand-in does wrong: `make races`.
struct RacesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "races",
        abstract: "Measure how well 'race' finds the stand-in's timing faults.",
        discussion: """
            Example:
                evaluation races --seeds 20 --socket-seeds 5 --page docs/races.md
            Races every timing fault with a window of 30 ms, and the controls in all plans, in each protocol, \
            and writes each row between the markers of the page as soon as it is measured.
            """)

    @Option(help: "Folder of the race rigs.")
    var rigs = "rigs/races"

    @Option(help: "Number of seeds in virtual time.")
    var seeds = 20

    @Option(help: "Number of seeds over sockets.")
    var socketSeeds = 0

    @Option(
        name: .customLong("protocol"), help: "Only the tables of this protocol; default: of all.")
    var protocolName: String?

    @Option(help: "Only these rows, separated by commas: names of faults, or 'controls'.")
    var only: String?

    @Option(help: "Number of seeds of each fault whose case is shrunk and replayed.")
    var shrunk = 20

    @Option(
        help:
            "Page to write the table into, row by row; rows that are not measured stay. Default: only print the table."
    )
    var page: String?

    func run() async throws {
        let names = ProtocolName.allCases.map(\.rawValue)
        if let protocolName, !names.contains(protocolName) {
            throw RunError.badInput(
                "--protocol is '\(protocolName)'; it must be \(names.joined(separator: " or "))")
        }
        for spoken in ProtocolName.allCases
        where protocolName == nil || protocolName == spoken.rawValue {
            if seeds > 0 {
                try await table(
                    spoken, isVirtual: true, seeds: seeds, mark: "virtual" + spoken.markSuffix)
            }
            if socketSeeds > 0 {
                try await table(
                    spoken, isVirtual: false, seeds: socketSeeds,
                    mark: "sockets" + spoken.markSuffix)
            }
        }
    }

    private func table(
        _ spoken: ProtocolName, isVirtual: Bool, seeds: Int, mark: String
    ) async throws {
        let bench = RaceBench(folder: rigs, spoken: spoken, isVirtual: isVirtual)
        let names = only?.split(separator: ",").map(String.init)
        let exhibits = RaceExhibit.timing(in: spoken)
        var table = try RaceTable(page: page, mark: mark, of: exhibits)
        tell(RaceTrialRow.head)
        for exhibit in exhibits where names?.contains(exhibit.fault.name) ?? true {
            var row = RaceTrialRow(exhibit: exhibit)
            for seed in 1...seeds {
                row.scores.append(
                    try await bench.race(exhibit, seed: UInt64(seed), shrinks: seed <= shrunk))
            }
            row.unaimed = try await RaceBench(folder: rigs, spoken: spoken, isVirtual: true)
                .unaimed(exhibit)
            tell(row.markdown)
            try table.set(row.markdown, of: exhibit.text)
        }
        for control in RaceTable.controls where names?.contains("controls") ?? true {
            let line = try await bench.control(control)
            tell(line)
            try table.set(line, of: control)
        }
    }
}

/// Races one fault at a time.
struct RaceBench {
    let folder: String
    let spoken: ProtocolName
    let isVirtual: Bool

    func race(_ exhibit: RaceExhibit, seed: UInt64, shrinks: Bool) async throws -> RaceScore {
        let stage = try await stage(exhibit.race.plan, faults: [exhibit.text], seed: seed)
        let flag = StopFlag()
        let wanted = exhibit.invariants
        var search = stage.search(
            clock: Self.clock(), isInterrupted: { flag.isRaised },
            { news in
                if case .found(let finding) = news, wanted.contains(finding.invariant) {
                    flag.raise()
                }
            })
        search.exploresOrders = false
        let outcome = await search.run(in: stage.arena)
        var score = RaceScore(
            finding: outcome.findings.first { wanted.contains($0.invariant) },
            seconds: outcome.elapsed / .seconds(1), trials: outcome.trials)
        if shrinks, let finding = score.finding {
            let work = CaseWork(
                CaseWork.SearchOrigin(
                    version: Release.version,
                    rig: .init(name: stage.rig.name, source: stage.rig.source), seed: seed,
                    target: .init(
                        name: stage.venue.targetName, protocolName: stage.rig.protocolNames),
                    startedMicroseconds: Venue.virtualEpoch),
                on: stage.arena)
            score.made = await work.make(finding, madeAt: Venue.virtualEpoch)
        }
        await stage.shutdown()
        score.replayed = try await replay(score.made, exhibit, seed: seed + 1000)
        return score
    }

    /// 50 times, from its text alone, and on a stand-in that knows nothing of the search.
    private func replay(
        _ made: Case?, _ exhibit: RaceExhibit, seed: UInt64
    ) async throws -> HitRate? {
        guard let made else { return nil }
        let read = try Case(Array(made.json.utf8), file: made.name)
        let stage = try await stage(exhibit.race.plan, faults: [exhibit.text], seed: seed)
        let outcome = await stage.replay(read, times: 50, batch: 10)
        await stage.shutdown()
        return outcome.rate
    }

    /// How often it would be hit by polls every 5 s: at any offset within 2.5 s, 1,000 times.
    func unaimed(_ exhibit: RaceExhibit) async throws -> HitRate {
        let stage = try await stage(exhibit.race.plan, faults: [exhibit.text], seed: 1)
        var dice = Seed(1).child("un-aimed").generator()
        var rate = HitRate()
        let variants = stage.plans[0].variants
        let schedules = (0..<1000).map { number in
            variants[number % variants.count].at(
                .microseconds(dice.below(5_000_000) - 2_500_000))
        }
        for result in await stage.arena.play(schedules) where result.discarded == nil {
            rate.add(exhibit.invariants.contains { result.breaks($0) })
        }
        await stage.shutdown()
        return rate
    }

    /// All plans against a service that breaks no promise.
    func control(_ name: String) async throws -> String {
        let stage = try await stage("all", faults: [name], seed: 1)
        var search = stage.search(clock: Self.clock())
        search.exploresOrders = false
        let outcome = await search.run(in: stage.arena)
        await stage.shutdown()
        let found =
            outcome.findings.isEmpty
            ? "no violation found"
            : "FOUND "
                + outcome.findings.map { "\($0.invariant) in \($0.plan)" }
                .joined(separator: ", ")
        return
            "Control `\(name)`: \(found) in \(outcome.trials) trials of \(stage.plans.count) plans "
            + "(\(outcome.sweptWhole) of \(outcome.variants) sweeps complete), \(outcome.discards) of them "
            + "discarded, in \(Int(outcome.elapsed / .seconds(1))) s."
    }

    private static func clock() -> @Sendable () -> Duration {
        let began = ContinuousClock.now
        return { ContinuousClock.now - began }
    }

    private func stage(_ plan: String, faults: [String], seed: UInt64) async throws -> RaceStage {
        var overrides: [(path: String, value: String)] = [
            ("seed", String(seed)), ("target.protocol", spoken.rawValue),
        ]
        if let faults = FaultOptions.override(faults) { overrides.append(faults) }
        let isGrant = spoken == .oauthDeviceGrant
        let file = isGrant ? "device-grant" : plan == "all" ? "poll-authenticate" : plan
        var rig: Rig
        do {
            rig = try Rig.read(
                contentsOf: "\(folder)/\(file).yaml", with: RigSurroundings(overrides: overrides)
            ).rig
        } catch {
            throw RunError.badInput("\(error)")
        }
        if isGrant || plan == "all" { rig.race.plans = [.named(plan)] }
        return try await RaceStage(rig, isVirtual: isVirtual, allowed: [])
    }
}
