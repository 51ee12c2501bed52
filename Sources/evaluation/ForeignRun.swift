internal import Checker
internal import Foundation
internal import Journal
internal import Reports
internal import Runner

/// One run of the test bench against somebody else's server, as a user would do it: `screenrig serve`
/// in one process, `screenrig run --target` in another, which knows nothing of the first but its URL.
struct ForeignRun {
    let rigPath: String
    let fault: String
    let seed: UInt64
    /// `path.to.key` and value. What is about the embedded stand-in is the server's.
    let sets: [(String, String)]
    /// Whether the server is set up as the rig's `standin` says: what nobody but a server can be given, such as
    /// the life of codes in REST V2.
    let setsUpServer: Bool

    /// What came of it.
    struct ForeignResult {
        var findings: Findings
        var hurry: Hurry
        var strikes: [Strike]
        var exitStatus: Int32
    }

    func result() throws -> ForeignResult {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "screenrig-detection-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let truth = directory.appending(path: "truth.jsonl").path
        let isThrottled = sets.contains { $0 == ("standin.throttle", "contract") }
        let (server, url) = try serve(
            ["--truth", truth] + (isThrottled ? [] : ["--no-throttle"]) + serverSettings)
        defer { server.terminate() }
        let out = directory.appending(path: "run").path
        let recorded = out + "/history.sqlite"
        let client = try start(arguments(url, out), printingTo: nil)
        client.waitUntilExit()
        server.interrupt()
        server.waitUntilExit()
        guard FileManager.default.fileExists(atPath: recorded) else {
            throw RunError.couldNotRun(
                "run --target ended with exit code \(client.terminationStatus) and left no history")
        }
        let history = try History(path: recorded)
        guard let findings = try Findings(rejudging: history) else {
            throw RunError.couldNotRun("run --target left a history that cannot be checked")
        }
        var hurry = Hurry()
        try history.exchanges { hurry.note([$0]) }
        let lines = try String(contentsOfFile: truth, encoding: .utf8).split(separator: "\n")
        return ForeignResult(
            findings: findings, hurry: hurry, strikes: lines.compactMap { Strike(json: $0) },
            exitStatus: client.terminationStatus)
    }

    private var serverSettings: [String] {
        guard setsUpServer else { return [] }
        let own = sets.filter { $0.0.hasPrefix("standin.") || $0.0.hasPrefix("policies.") }
        return ["--rig", rigPath]
            + own.flatMap { ["--policy", "\($0.0)=\($0.1)"] }
    }

    /// Users have names of the service's own, as with every real service.
    private func serve(_ more: [String]) throws -> (Process, String) {
        let output = Pipe()
        let server = try start(
            ["serve", "--port", "0", "--seed", "\(seed)", "--policy", "user-ids=opaque"]
                + (fault == "none" ? [] : ["--fault", fault]) + more, printingTo: output)
        var line: [UInt8] = []
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 10 {
            line.append(byte)
        }
        guard !line.isEmpty else {
            server.waitUntilExit()
            throw RunError.couldNotRun("serve ended with exit code \(server.terminationStatus)")
        }
        return (server, String(decoding: line, as: UTF8.self))
    }

    private func arguments(_ url: String, _ out: String) -> [String] {
        var arguments = [
            "run", rigPath, "--target", url, "--out", out, "--seed", "\(seed)", "--quiet",
        ]
        for (path, value) in sets where !path.hasPrefix("standin.") {
            arguments += ["--set", "\(path)=\(value)"]
        }
        return arguments
    }

    /// Built beside this program.
    private static let screenrig = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "screenrig")

    private func start(_ arguments: [String], printingTo output: Pipe?) throws -> Process {
        let process = Process()
        process.executableURL = Self.screenrig
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output ?? FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            throw RunError.couldNotRun("\(Self.screenrig.path) cannot be started: \(error)")
        }
        return process
    }
}
