import Foundation
import TestSupport
import Testing

/// What is shown on a terminal, of which `script` of bsdutils gives one.
@Suite("On a terminal", .ownThread)
struct TerminalTests {
    private static let script = "/usr/bin/script"

    @Test(
        "progress is drawn over what was there, with nothing that the terminal cannot show",
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: script), "needs script, of bsdutils"),
        arguments: ["race", "run"])
    func redrawn(command: String) async throws {
        let folder = TestFolder()
        let words =
            command == "race"
            ? "race '\(Command.rig("races/poll-authenticate.yaml"))' --virtual --trials 200"
            : "run '\(Command.rig("smoke.yaml"))' --set validity.on-breach=warn"
        let ended = try await Command(
            [
                "-qec", "stty cols 80 rows 24; exec '\(Command.binary)' \(words) --out out",
                "/dev/null",
            ], in: folder, environment: ["TERM": "xterm"], program: Self.script
        ).ended()
        #expect(ended.output.contains("\u{1b}[J"), "\(ended.output)")
        #expect(!ended.output.contains("\u{fffd}"), "\(ended.output)")
    }
}
