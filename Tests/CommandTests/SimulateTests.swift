import Foundation
import Testing

@Suite("Simulation from outside", .serialized, .ownThread)
struct SimulateTests {
    /// `--set` for a second-screen rig of 200 households.
    private static let small = ["--set", "load.arrivals=[{ramp-to: 50/s, over: 0s}, {hold: 4s}]"]

    /// A network that loses something, and thresholds that forgive it.
    private static let lossy = [
        "--set", "standin.network.loss=2%",
        "--set", "thresholds=[errors < 50%, households failed < 50%]",
    ]

    private func simulate(
        _ rig: String, seed: Int = 1, _ more: [String] = [], program: String = Command.binary
    ) async throws -> Run {
        let folder = try Folder()
        let ended = try await Command(
            ["simulate", Command.rig(rig), "--seed", String(seed), "--out", "run"] + more,
            in: folder, program: program
        ).ended()
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
        return try Run(folder, "run")
    }

    @Test(
        "twice gives the same hash, another seed another one",
        arguments: ["twenty.yaml", "xml.yaml"])
    func twice(rig: String) async throws {
        let first = try await simulate(rig)
        let second = try await simulate(rig)
        #expect(first.hash.wholeMatch(of: /[0-9a-f]{32}/) != nil)
        #expect(first.hash == second.hash)
        #expect(first.hash != (try await simulate(rig, seed: 2)).hash)
        for file in ["latencies.csv", "timeline.csv", "households.csv"] {
            #expect(try first.table(file) == second.table(file), "\(file)")
        }
    }

    @Test("run --virtual is simulate")
    func virtual() async throws {
        let folder = try Folder()
        let ended = try await Command.run(
            "run", Command.rig("twenty.yaml"), "--virtual", "--out", "run", in: folder)
        #expect(ended.code == 0)
        #expect(try Run(folder, "run").hash == (try await simulate("twenty.yaml")).hash)
    }

    @Test("a thousand times faster than life, for twenty households")
    func speed() async throws {
        let folder = try Folder()
        let ended = try await Command.run(
            "simulate", Command.rig("twenty.yaml"), "--out", "run", in: folder)
        let seconds = try #require(try Run(folder, "run")["run", "seconds"] as? Double)
        // The optimised build's bar is 1,000; this one is for gross mistakes.
        let took = Double(ended.after.components.seconds) + 1
        #expect(seconds / took > 5)
    }

    /// The optimised build belongs to the same sources, or the comparison says nothing.
    private static let release = Command.root.appending(path: ".build/release/screenrig")
    private static let isCI = ProcessInfo.processInfo.environment["CI"] == "true"

    private static func releaseTrouble() -> String? {
        let remedy =
            "'swift build -c release --product screenrig' makes it, and so does 'make test'"
        guard let built = Self.date(release) else {
            return "there is no optimised build to compare with; \(remedy)"
        }
        let sources = Command.root.appending(path: "Sources")
        let files = FileManager.default.enumerator(atPath: sources.path)?.compactMap {
            $0 as? String
        }
        let newer = (files ?? []).first { file in
            file.hasSuffix(".swift")
                && Self.date(sources.appending(path: file)).map { $0 > built } ?? false
        }
        return newer.map { "the optimised build is older than Sources/\($0); \(remedy)" }
    }

    private static func date(_ file: URL) -> Date? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        return attributes?[.modificationDate] as? Date
    }

    @Test("debug and optimised builds give the same hash")
    func builds() async throws {
        if let trouble = Self.releaseTrouble() {
            if Self.isCI {
                Issue.record("\(trouble)")
            } else {
                print("not compared: \(trouble)")
            }
            return
        }
        for (rig, more) in [
            ("twenty.yaml", []), ("second-screen.yaml", Self.small), ("poisson.yaml", []),
            ("slow-viewer.yaml", Self.lossy),
        ] {
            let debug = try await simulate(rig, more, program: Command.debugBuild)
            let release = try await simulate(rig, more, program: Self.release.path)
            #expect(debug.hash == release.hash, "\(rig)")
        }
    }
}
