internal import Formats
internal import Foundation
internal import Journal

/// The user's command that prints the history.sqlite of a run which is not on this machine, such as `aws s3 cp {} -`;
/// `{}` is the name of the run.
package struct FetchCommand: Sendable {
    private let command: String

    private static let place = "{}"

    /// Throws `RunError.badInput` where the command has no `{}`.
    package init(_ command: String) throws(RunError) {
        guard command.contains(Self.place) else {
            throw .badInput(
                "--fetch '\(command)' has no {} where the name of a run goes; write for example "
                    + "--fetch 'aws s3 cp {}/history.sqlite -'")
        }
        self.command = command
    }

    /// Runs the command for `name` and writes its output to a file at `path`. Throws where it fails or prints
    /// nothing.
    func fetch(_ name: String, to path: String, _ leftovers: MergeLeftovers) throws(RunError) {
        PrivateFile.make(path)
        guard let file = FileHandle(forWritingAtPath: path) else {
            throw .couldNotRun(
                "\(name) could not be fetched: \(path) cannot be written; set TMPDIR to a place with room"
            )
        }
        defer { try? file.close() }
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c", command.replacingOccurrences(of: Self.place, with: ShellText.quoted(name)),
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = file
        process.standardError = errors
        do {
            try leftovers.start(process)
        } catch {
            throw .couldNotRun(
                "\(name) could not be fetched: /bin/sh cannot be started: \(error.localizedDescription)"
            )
        }
        defer { leftovers.fetched() }
        // Read to the end before waiting: a program that writes more than a pipe holds would never end.
        let said = String(
            decoding: (try? errors.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            let how =
                process.terminationReason == .exit
                ? "ended with \(process.terminationStatus)"
                : "was ended by signal \(process.terminationStatus)"
            let last = said.split(whereSeparator: \.isNewline).last.map { ": \($0.prefix(200))" }
            throw .couldNotRun(
                "\(name) could not be fetched: the command of --fetch \(how)\(last ?? "")")
        }
        guard let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int,
            size > 0
        else {
            throw .couldNotRun(
                "\(name) could not be fetched: the command of --fetch printed nothing; it must print the "
                    + "history.sqlite")
        }
    }
}
