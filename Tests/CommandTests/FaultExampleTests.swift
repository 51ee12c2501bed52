import Foundation
import TestSupport
import Testing

/// The help and the README show faults by commands to copy: each of them must show its fault.
@Suite("Examples with faults", .ownThread)
struct FaultExampleTests {

    /// Commands with `--fault`, as they stand in the help of each command and in the README.
    private static let examples: [String] = {
        let help = Repository.root.appending(path: "Tests/CommandTests/Golden/help")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: help.path)) ?? []
        let files =
            [Repository.root.appending(path: "README.md")] + names.map { help.appending(path: $0) }
        let lines = files.flatMap { file in
            ((try? String(contentsOf: file, encoding: .utf8)) ?? "")
                .replacing(/\\\n\s*/, with: "").split(separator: "\n")
        }
        let commands = lines.map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { $0.hasPrefix("screenrig ") && $0.contains(" --fault ") }
        return Set(commands).sorted()
    }()

    @Test("there are some of each command that takes faults")
    func found() {
        for command in ["run", "simulate", "serve", "race"] {
            #expect(Self.examples.contains { $0.hasPrefix("screenrig \(command) ") }, "\(command)")
        }
    }

    @Test("each activates its fault, and finds a promise broken", arguments: Self.examples)
    func shows(example: String) async throws {
        let folder = TestFolder()
        var words = example.split(separator: " ").dropFirst().map(String.init)
        if words[0] == "serve" {
            // What 'serve' does is seen by whoever is signed in by it: the usual rig, in virtual time.
            let fault = try #require(words.firstIndex(of: "--fault"))
            words = ["simulate", "rigs/smoke.yaml", "--fault", words[fault + 1]]
        }
        if words[0] == "run" { words[0] = "simulate" }
        if words[0] == "race" { words += ["--virtual", "--trials", "400"] }
        // A path, or the name of one of the rigs.
        let rig = words.firstIndex { $0.hasPrefix("rigs/") } ?? 1
        let file = words[rig].hasPrefix("rigs/") ? words[rig] : "rigs/\(words[rig]).yaml"
        words[rig] = Repository.root.appending(path: file).path
        let ended = try await Command(words + ["--out", "out"], in: folder).ended()
        #expect(ended.code == 1, "\(ended.output)\(ended.errors)")
        let output = ended.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(output.contains(/injected fault [a-z-]+: activated [1-9]/), "\(output)")
        #expect(!output.contains("never activated"))
    }

    @Test("a fault that a rig gives no occasion is reported as never activated, in every output")
    func never() async throws {
        let folder = TestFolder()
        let rig = Repository.root.appending(path: "rigs/smoke.yaml").path
        let ended = try await Command.run(
            "simulate", rig, "--fault", "logout-resurrection", "--out", "run", in: folder)
        let said = "injected fault logout-resurrection: never activated"
        #expect(ended.output.contains(said), "\(ended.output)")
        #expect(try folder.read("run/summary.md").replacing("\\", with: "").contains(said))
        #expect(try folder.read("run/report.html").contains(said))
        #expect(try folder.read("run/summary.json").contains(said))
    }

    @Test("levels of promises on the command line decide the exit code, and the words")
    func levels() async throws {
        let folder = TestFolder()
        let rig = Repository.root.appending(path: "rigs/smoke.yaml").path
        // Long enough for each TV to see its sign-in in the end.
        let run = [
            "simulate", rig, "--fault", "ack-before-apply:window=3s", "--set", "load.settle=10s",
        ]
        let strict = try await Command(run + ["--out", "strict"], in: folder).ended()
        #expect(strict.code == 1 && strict.output.hasPrefix("Failed: "))
        let options = ["--promises", "documented", "--out", "documented"]
        let documented = try await Command(run + options, in: folder).ended()
        #expect(documented.code == 0, "\(documented.output)")
        #expect(documented.output.hasPrefix("Passed, with observations: "))
        let again = try await Command.run(
            "judge", "documented", "--promises", "strict", in: folder)
        #expect(again.code == 1 && again.output.hasPrefix("Failed: "), "\(again.output)")
        let wrong = try await Command(run + ["--promises", "loose"], in: folder).ended()
        #expect(wrong.code == 2)
        #expect(wrong.errors.contains("--promises is 'loose'"), "\(wrong.errors)")
    }
}
