internal import Dialects
internal import Foundation
package import Races

/// The cases that somebody keeps beside a race rig, in its folder's `cases/`: what was broken once is
/// tried first, before anything is searched.
package struct KeptCases {
    package struct KeptCase {
        package var file: String
        package var known: Case
        package var rate: HitRate
        package var line: String
    }

    private let cases: [(file: String, known: Case)]

    /// Those of the plans that this search has, in the steps of its protocol; what cannot be played in that is
    /// left out. A file there that is no case ends the command.
    init(beside rigFile: String, plans: [String], in spoken: ProtocolName) throws {
        let folder = URL(filePath: rigFile).deletingLastPathComponent().appending(path: "cases")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        var cases: [(file: String, known: Case)] = []
        for name in names.sorted() where name.hasSuffix(".json") {
            let file = folder.appending(path: name).relativePath
            do {
                let known = try Case(contentsOf: file)
                guard plans.contains(known.schedule.plan) else { continue }
                if let played = try? known.translated(to: spoken) { cases.append((file, played)) }
            } catch {
                throw RunError.badInput("\(error)")
            }
        }
        self.cases = cases
    }

    /// Five times each: what hits half of the time or more is seen with 97 %.
    func replay(on arena: AllowedArena, of stage: RaceStage) async -> [KeptCase] {
        var rows: [KeptCase] = []
        for (file, known) in cases {
            let outcome = await Replay(known, on: arena).play(times: 5)
            rows.append(
                KeptCase(
                    file: file, known: known, rate: outcome.rate,
                    line: outcome.line(known, target: stage.venue.targetName)))
            if outcome.wasStopped { break }
        }
        return rows
    }
}
