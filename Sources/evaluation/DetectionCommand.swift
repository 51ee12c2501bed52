internal import ArgumentParser
internal import Foundation
internal import Rigs
internal import Standin

/// How well the judge finds what the stand-in does wrong: `make detection`.
struct DetectionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "detection",
        abstract: "Measure how well the checker detects the stand-in's faults.",
        discussion: """
            Example:
                evaluation detection --seeds 20 --socket-seeds 3 --foreign-seeds 3 --page docs/detection.md
            Runs rigs/detection.yaml with every fault and control, and writes the tables between the markers \
            of the page. For the foreign table, 'serve' runs in one process and 'run --target' in another.
            """)

    @Option(help: "The rig to run.")
    var rig = "rigs/detection.yaml"

    @Option(help: "Number of seeds in virtual time.")
    var seeds = 20

    @Option(help: "Number of seeds over sockets.")
    var socketSeeds = 0

    @Option(help: "Number of seeds against a server in another process.")
    var foreignSeeds = 0

    @Option(help: "Only these faults, separated by commas.")
    var only: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Replace one value of the rig; repeatable.", valueName: "path.to.key=value"))
    var overrides: [String] = []

    @Option(help: "Page to write the tables into; default: only print them.")
    var page: String?

    @Flag(help: "Also print the first violations of each kind and the households that were missed.")
    var verbose = false

    @Option(
        help: "Print the exchanges of N households of each run that were missed or wrongly accused."
    )
    var trace = 0

    func run() async throws {
        let sets = overrides.compactMap { text -> (String, String)? in
            let sides = text.split(separator: "=", maxSplits: 1).map(String.init)
            return sides.count == 2 ? (sides[0], sides[1]) : nil
        }
        let names = only?.split(separator: ",").map(String.init)
        let spoken = try Rig.read(contentsOf: rig).rig.protocols[0]
        let campaigns = Campaign.all(in: spoken).filter { campaign in
            names?.contains { campaign.kind.name == $0 } ?? true
        }
        if seeds > 0 {
            let bench = DetectionBench(rigPath: rig, place: .virtual, sets: sets, traces: trace)
            try await table(bench, campaigns, seeds: seeds, mark: "virtual" + spoken.markSuffix)
        }
        let fewer = [("load.arrivals.1.hold", "4s"), ("lanes", "1")]
        if socketSeeds > 0 {
            let bench = DetectionBench(rigPath: rig, place: .sockets, sets: fewer + sets)
            try await table(
                bench, campaigns, seeds: socketSeeds, mark: "sockets" + spoken.markSuffix)
        }
        if foreignSeeds > 0 {
            let bench = DetectionBench(rigPath: rig, place: .foreign, sets: fewer + sets)
            try await table(
                bench, campaigns, seeds: foreignSeeds, mark: "foreign" + spoken.markSuffix)
        }
    }

    private func explain(_ row: DetectionRow) {
        for sample in row.runs.first?.samples.prefix(12) ?? [] { tell("    \(sample)") }
        for (seed, run) in row.runs.enumerated() {
            if !row.campaign.isStatistical, !run.missed.isEmpty {
                tell("    missed with seed \(seed + 1): \(run.missed.prefix(20))")
            }
            for sentence in run.doubts.prefix(5) {
                tell("    with seed \(seed + 1) wrongly: \(sentence)")
            }
        }
    }

    private func table(
        _ bench: DetectionBench, _ campaigns: [Campaign], seeds: Int, mark: String
    ) async throws {
        let tellsRuns = bench.place == .foreign
        let head = DetectionRow.head(tellsRuns: tellsRuns)
        var lines = [head]
        tell(head)
        for campaign in campaigns {
            var row = DetectionRow(campaign: campaign)
            row.runs = try await bench.runs(campaign, seeds: seeds)
            let line = row.markdown(tellsRuns: tellsRuns)
            tell(line)
            lines.append(line)
            if verbose { explain(row) }
            for line in row.runs.flatMap(\.traces) { tell(line) }
        }
        if let page { try MarkedPage(path: page).write(lines, at: mark) }
    }
}
