import Foundation
import Synchronization
import TestSupport
import Testing

extension TestFolder {
    /// Makes the program that is tested one of this folder: a hard link is; a symbolic one would be followed to the build.
    func install(to name: String) throws {
        let files = FileManager.default
        try files.createDirectory(
            at: url.appending(path: name).deletingLastPathComponent(),
            withIntermediateDirectories: true)
        if (try? files.linkItem(atPath: Command.binary, toPath: path(name))) == nil {
            try files.copyItem(atPath: Command.binary, toPath: path(name))
        }
    }

    func holds(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    /// Ends the processes whose numbers the file `name` has, one to a line, if there is such a file.
    func endProcesses(in name: String) {
        for number in ((try? read(name)) ?? "").split(separator: "\n") {
            if let number = Int32(number) { kill(number, SIGKILL) }
        }
    }
}

/// The binary, started as a user starts it, in a folder of its own.
final class Command {
    struct Ended {
        var code: Int32
        /// It crashed or was killed.
        var wasSignalled: Bool
        var output: String
        var errors: String
        var after: Duration
        /// When it had ended.
        var at: ContinuousClock.Instant
    }

    enum Trouble: Error {
        case tooSlow(String)
        case endedEarly(String)
    }

    let folder: TestFolder
    private let process = Process()
    private let began: ContinuousClock.Instant
    private let ending = Ending()
    private let outputFile: URL
    private let errorFile: URL

    /// What is tested: beside the test bundle, built with it.
    static let binary: String = {
        let tests =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(filePath: tests).deletingLastPathComponent().appending(path: "screenrig").path
    }()

    static func rig(_ name: String) -> String { Repository.rigs.appending(path: name).path }

    /// Starts `binary` (or `program`) with `arguments`; `environment` is added to what it inherits.
    init(
        _ arguments: [String], in folder: TestFolder, environment: [String: String] = [:],
        inheriting inherited: [String: String] = ProcessInfo.processInfo.environment,
        program: String = Command.binary
    ) throws {
        self.folder = folder
        let name = UUID().uuidString
        let logs = folder.url.appending(path: "logs")
        try FileManager.default.createDirectory(at: logs, withIntermediateDirectories: true)
        outputFile = logs.appending(path: "\(name).out")
        errorFile = logs.appending(path: "\(name).err")
        for file in [outputFile, errorFile] { try Data().write(to: file) }
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        process.environment =
            inherited.merging([
                "COLUMNS": "80", "TMPDIR": folder.url.path, "XDG_STATE_HOME": folder.url.path,
            ]) { $1 }
            .merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: outputFile)
        process.standardError = try FileHandle(forWritingTo: errorFile)
        began = .now
        process.terminationHandler = { [ending] _ in ending.note() }
        try process.run()
    }

    /// Noted as it happens, however long the test itself has to wait for its turn.
    private final class Ending: Sendable {
        private let held = Mutex<ContinuousClock.Instant?>(nil)
        func note() { held.withLock { $0 = .now } }
        var at: ContinuousClock.Instant? { held.withLock { $0 } }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    var output: String { (try? String(contentsOf: outputFile, encoding: .utf8)) ?? "" }
    var errors: String { (try? String(contentsOf: errorFile, encoding: .utf8)) ?? "" }

    var processIdentifier: Int32 { process.processIdentifier }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// How many times longer a command may take: a build with a sanitizer is slow.
    static let patience =
        ProcessInfo.processInfo.environment["SCREENRIG_PATIENCE"].flatMap { Int($0) } ?? 1

    /// To the process and all that it started: Foundation makes each process the leader of a group.
    func sendToGroup(_ signal: Int32) { kill(-process.processIdentifier, signal) }

    /// Waits for its end; a command that outlasts `limit` is killed, and the test fails.
    func ended(within limit: Duration = .seconds(180)) async throws -> Ended {
        while true {
            if let (code, wasSignalled) = process.ending {
                let at = ending.at ?? .now
                return Ended(
                    code: code, wasSignalled: wasSignalled, output: output, errors: errors,
                    after: at - began, at: at)
            }
            if ContinuousClock.now - began > limit * Self.patience {
                send(SIGKILL)
                throw Trouble.tooSlow("still there after \(limit): \(output)\(errors)")
            }
            await OwnThread.shared.pause()
        }
    }

    /// Waits until `condition` holds of the running command.
    func wait(
        _ what: String, within limit: Duration = .seconds(180), until condition: () -> Bool
    ) async throws {
        let start = ContinuousClock.now
        while !condition() {
            guard process.ending == nil else {
                throw Trouble.endedEarly("before \(what): \(output)\(errors)")
            }
            guard ContinuousClock.now - start < limit * Self.patience else {
                throw Trouble.tooSlow("no \(what) within \(limit): \(output)\(errors)")
            }
            await OwnThread.shared.pause()
        }
    }

    /// Starts it, and waits for its end.
    static func run(
        _ arguments: String..., in folder: TestFolder, environment: [String: String] = [:]
    ) async throws -> Ended {
        try await Command(arguments, in: folder, environment: environment).ended()
    }

    /// What a script of `Tests` prints that plays a user's part with the binary; the test is cancelled where it was skipped.
    static func check(
        _ script: String, _ more: [String] = [], within limit: Duration
    ) async throws -> String {
        let folder = TestFolder()
        let ended = try await Command(
            [
                "python3", Repository.root.appending(path: "Tests/\(script)").path, "--screenrig",
                binary,
                "--work", folder.path("work"),
            ] + more, in: folder,
            // What pip installs is kept for the next time.
            environment: ["TMPDIR": FileManager.default.temporaryDirectory.path],
            program: "/usr/bin/env"
        ).ended(within: limit)
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
        if let reason = ended.output.split(separator: "\n").first(where: {
            $0.hasPrefix("SKIPPED ")
        }) {
            try Test.cancel("\(reason)")
        }
        return ended.output
    }
}
