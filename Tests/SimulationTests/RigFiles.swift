import Foundation
import Rigs
import TestSupport

/// The clone's `rigs/`, small enough for a test: a big one keeps its shape and loses households.
enum RigFiles {

    /// The project's own rigs by the table of contents, but target files and races. Others in the
    /// folder are a user's (`screenrig init rigs/mine.yaml`), and no concern of a test.
    static let names: [String] = {
        let file = Repository.rigs.appending(path: "README.md")
        let contents = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return contents.matches(of: /\]\(([^)\/]+\.yaml)\)/).map { String($0.1) }.sorted()
    }()

    /// As `simulate` would read it, with `--set` and `--seed`.
    static func read(
        _ name: String, seed: UInt64? = nil, _ overrides: KeyValuePairs<String, String> = [:],
        limit: Int = householdLimit
    ) throws -> Rig {
        var all = overrides.map { (path: $0.key, value: $0.value) }
        if let seed { all.append(("seed", String(seed))) }
        let reading = try Rig.read(
            contentsOf: Repository.rigs.appending(path: name).path,
            with: RigSurroundings(overrides: all, target: .embedded))
        return cut(reading.rig, to: limit)
    }

    static let householdLimit = 60

    private static func cut(_ rig: Rig, to householdLimit: Int) -> Rig {
        var rig = rig
        guard let planned = Plan(rig, seed: rig.seed).households,
            planned > householdLimit
        else { return rig }
        switch rig.load {
        case .open(var arrivals):
            let share = Double(householdLimit) / Double(planned)
            arrivals.stages = arrivals.stages.map { stage in
                switch stage {
                case .ramp(let rate, let time): .ramp(to: rate, over: time * share)
                case .hold(let time): .hold(time * share)
                }
            }
            rig.load = .open(arrivals)
        case .once(_, let settle):
            rig.load = .once(households: householdLimit, settle: settle)
        case .closed: break
        }
        return rig
    }
}
