import Foundation
import TestSupport
import Testing

@Suite("What CI services show", .ownThread)
struct StepSummaryTests {
    @Test("summary.md is appended to the file that GITHUB_STEP_SUMMARY names")
    func appended() async throws {
        let folder = TestFolder()
        let page = try folder.write("# before\n", to: "step.md")
        let command = try Command(
            ["simulate", Command.rig("smoke.yaml"), "--out", "run", "--quiet"], in: folder,
            environment: ["GITHUB_STEP_SUMMARY": page])
        #expect(try await command.ended().code == 0)
        #expect(try folder.read("step.md") == "# before\n" + folder.read("run/summary.md"))
        // Rendering again is no run.
        let again = try Command(
            ["report", "run"], in: folder, environment: ["GITHUB_STEP_SUMMARY": page])
        #expect(try await again.ended().code == 0)
        #expect(try folder.read("step.md").matches(of: /✅/).count == 1)
    }

    @Test("a file that cannot be written costs a note, not the run")
    func unwritable() async throws {
        let folder = TestFolder()
        let command = try Command(
            ["simulate", Command.rig("smoke.yaml"), "--out", "run", "--quiet"], in: folder,
            environment: ["GITHUB_STEP_SUMMARY": folder.path("missing/step.md")])
        let ended = try await command.ended()
        #expect(ended.code == 0)
        #expect(ended.errors.contains("missing/step.md: no such file or directory; let GITHUB_"))
    }
}
