internal import Foundation
internal import Races

/// The cases that lie beside a race rig, in `cases/`: what was found once is tried first, before
/// anything new is looked for.
struct KeptCases {
    private let folder: String
    /// Replays of each.
    private static let times = 5

    init(rigFile: String) {
        let parent = (rigFile as NSString).deletingLastPathComponent
        folder = (parent as NSString).appendingPathComponent("cases")
    }

    /// Their files, by name.
    private var files: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".json") }.sorted()
            .map { (folder as NSString).appendingPathComponent($0) }
    }

    /// Replays each and says what came of it; how many still reproduce. What is no case is told and
    /// passed over.
    func replay(in arena: LaneArena, show: RaceShow) async -> Int {
        var again = 0
        for file in files {
            let kept: Case
            do {
                kept = try Case(contentsOf: file)
            } catch {
                Terminal.complain("\(error)")
                continue
            }
            let outcome = await Replay(kept, on: arena).play(times: Self.times)
            if outcome.wasStopped { return again }
            let words =
                "kept case \(kept.name): \(kept.expected.invariant) broken "
                + RaceText.text(outcome.rate)
            show.tell(.phase(words))
            guard outcome.rate.hits > 0 else { continue }
            again += 1
            Terminal.complain("still there: \(words)")
        }
        return again
    }
}
