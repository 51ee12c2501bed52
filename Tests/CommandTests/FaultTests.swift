import Foundation
import Standin
import TestSupport
import Testing

/// Faults in rigs and on the command line. Each runs here once with a real rig through the
/// in-process transport, and some over sockets.
@Suite("Faults from outside", .ownThread)
struct FaultCommandTests {
    /// A few households on the test bench.
    private static let few = [
        "--set", "load.arrivals.1.hold=2s", "--set", "polling.after-success=300ms", "--quiet",
    ]

    private func truth(
        _ command: String, _ fault: String, _ more: [String] = []
    ) async throws -> [String] {
        let folder = TestFolder()
        let ended = try await Command(
            [command, Command.rig("detection.yaml"), "--fault", fault, "--out", "run"]
                + Self.few + more, in: folder
        ).ended()
        #expect(ended.code == 0 || ended.code == 1, "\(ended.output)\(ended.errors)")
        let run = folder.url.appending(path: "run")
        let report = try String(contentsOf: run.appending(path: "summary.md"), encoding: .utf8)
        #expect(report.contains("faults: \(fault)"))
        let text = try String(contentsOf: run.appending(path: "truth.jsonl"), encoding: .utf8)
        return text.split(separator: "\n").map(String.init)
    }

    /// With what its bench of detection needs; where a few households gave it no occasion, with more.
    @Test(
        "each is activated by a real rig in virtual time",
        arguments: FaultKind.all.filter { $0.protocols.contains(.adobePassV1) })
    func virtual(kind: FaultKind) async throws {
        let fault = kind.text(with: kind.detection.parameters)
        let sets = kind.detection.sets.flatMap { ["--set", "\($0)=\($1)"] }
        var lines = try await truth("simulate", fault, sets)
        if !kind.isControl, !lines.contains(where: { $0.contains("activated") }) {
            lines = try await truth(
                "simulate", fault, sets + ["--set", "load.arrivals.1.hold=8s"])
        }
        guard !kind.isControl else {
            #expect(lines.isEmpty)
            return
        }
        #expect(lines.contains { $0.hasPrefix(#"{"event":"activated","id":1,"#) }, "\(lines)")
        #expect(lines.allSatisfy { $0.contains(#""fault":"\#(kind.name)""#) })
    }

    @Test(
        "and over sockets",
        arguments: ["token-flap", "ack-before-apply", "error-but-applied", "logout-resurrection"])
    func sockets(fault: String) async throws {
        #expect(try await truth("run", fault, unhurried).contains { $0.contains("\"activated\"") })
    }

    @Test(
        "what is not right is refused, with what would be",
        arguments: [
            (["--fault", "token-flop"], "did you mean 'token-flap'?"),
            (["--fault", "token-flap:widow=3s"], "did you mean 'window'?"),
            (
                ["--set", "faults=[{token-flap: {window: 3}}]"],
                "window of token-flap is '3'; it must be a duration such as 30ms or 2s"
            ),
            (
                ["--fault", "noisy", "--target", "http://127.0.0.1:9"],
                "or run a stand-in with the fault (screenrig serve --fault NAME)"
            ),
        ])
    func refused(arguments: [String], sentence: String) async throws {
        let folder = TestFolder()
        let ended = try await Command(
            ["run", Command.rig("smoke.yaml")] + arguments, in: folder
        ).ended()
        #expect(ended.code == 2)
        #expect(ended.errors.contains(sentence), "\(ended.errors)")
    }
}
