import Foundation
import TestSupport
import Testing

/// Other tests share this machine: what they do to the rig's punctuality is no verdict.
let unhurried = ["--set", "validity.on-breach=warn"]

/// Arrivals for longer than any test waits; viewers take half a second.
let long = unhurried + ["--set", "load.arrivals=[{ramp-to: 8/s, over: 0s}, {hold: 5m}]"]

@Suite("A run", .ownThread)
struct RunTests {
    @Test("the smoke rig passes against the embedded stand-in and leaves every file")
    func smoke() async throws {
        let folder = TestFolder()
        let ended = try await Command(
            ["run", Command.rig("smoke.yaml"), "--out", "run"] + unhurried, in: folder
        ).ended()
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
        #expect(ended.output.hasPrefix("Passed: all 8 households signed in"))
        #expect(ended.output.contains("report: run/report.html"))
        #expect(ended.errors.contains("households"), "a progress line: \(ended.errors)")
        try expectComplete(folder, "run")
        let run = try Run(folder, "run")
        #expect(run["schema"] as? String == "screenrig/summary/1")
        #expect(run["outcome"] as? String == "pass")
        #expect(run.number("households", "signedIn") == 8)
        #expect(run.number("exchanges", "errors") == 0)
        #expect(run["run", "interrupted"] as? Bool == false)
        #expect(run["run", "protocol"] as? String == "adobe-pass-v1")
    }

    @Test("without --out a run goes to reports/, under its name, and latest leads to it")
    func reports() async throws {
        let folder = TestFolder()
        let ended = try await Command.run(
            "simulate", Command.rig("twenty.yaml"), "--quiet", in: folder)
        #expect(ended.code == 0 && ended.errors.isEmpty, "\(ended.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("reports"))
        #expect(names.count == 2)
        #expect(names.contains { $0.wholeMatch(of: /twenty-\d{8}T\d{6}Z/) != nil }, "\(names)")
        try expectComplete(folder, "reports/latest")
        let again = try await Command.run("report", "latest", in: folder)
        #expect(again.code == 0)
    }

    @Test("a threshold that was missed is exit code 1")
    func missed() async throws {
        let folder = TestFolder()
        let ended = try await Command.run(
            "simulate", Command.rig("twenty.yaml"), "--out", "run", "--set",
            "thresholds=[sign-in p50 < 1ms]", in: folder)
        #expect(ended.code == 1)
        #expect(ended.output.hasPrefix("Failed: 1 of "), "\(ended.output)")
        #expect(ended.output.contains("MISSED  sign-in p50 < 1ms"))
        #expect(try Run(folder, "run")["outcome"] as? String == "fail")
        let junit = try folder.read("run/junit.xml")
        #expect(junit.contains("<failure"))
    }

    @Test("a rig that was late itself is exit code 4, unless it only warns")
    func untrusted() async throws {
        let folder = TestFolder()
        // Nothing is that punctual.
        let late = ["--set", "validity.lateness-p99=0.001ms"]
        let ended = try await Command(
            ["run", Command.rig("smoke.yaml"), "--out", "run"] + late, in: folder
        ).ended()
        #expect(ended.code == 4, "\(ended.output)")
        #expect(try Run(folder, "run")["outcome"] as? String == "invalid")
    }

    @Test("report writes again what run wrote")
    func report() async throws {
        let folder = TestFolder()
        _ = try await Command.run(
            "simulate", Command.rig("twenty.yaml"), "--out", "run", in: folder)
        let files = [
            "summary.json", "latencies.csv", "timeline.csv", "households.csv", "report.html",
            "junit.xml", "summary.md", "violations.csv",
        ]
        let before = try files.map { try folder.read("run/\($0)") }
        for file in files { try FileManager.default.removeItem(atPath: folder.path("run/\(file)")) }
        let ended = try await Command.run("report", "run", in: folder)
        #expect(ended.code == 0, "\(ended.errors)")
        for (file, text) in zip(files, before) {
            #expect(try folder.read("run/\(file)") == text, "\(file)")
        }
    }

    @Test("validate prints the plan, and sends nothing")
    func validate() async throws {
        let ended = try await Command.run(
            "validate", Command.rig("second-screen.yaml"), in: TestFolder())
        #expect(ended.code == 0 && ended.errors.isEmpty)
        // What follows depends on the machine: warnings about its limits.
        let plan = ended.output.components(separatedBy: "\n\n").prefix(3)
            .map {
                $0.replacing(Command.rig("second-screen.yaml"), with: "rigs/second-screen.yaml")
            }
        try Golden.expect(plan.joined(separator: "\n\n"), is: "validate/second-screen.txt")
    }

    @Test("schema prints the schema that Rigs holds")
    func schema() async throws {
        let ended = try await Command.run("schema", in: TestFolder())
        let golden = try String(
            contentsOf: Repository.root.appending(path: "rigs/screenrig.schema.json"),
            encoding: .utf8)
        #expect(ended.code == 0)
        #expect(
            ended.output.trimmingCharacters(in: .newlines)
                == golden.trimmingCharacters(in: .newlines))
    }
}
