@testable import Rigs

extension Rig {
    /// A rig from the lines under the three required keys.
    static func sample(
        _ lines: String = "", load: String = "{closed: {households: 20}}",
        target: String = "{base: embedded}", with surroundings: RigSurroundings = RigSurroundings()
    ) throws -> Rig {
        let text = "rig: sample\ntarget: \(target)\nload: \(load)\n\(lines)\n"
        return try Rig.read(text, file: "rigs/sample.yaml", with: surroundings).rig
    }
}
