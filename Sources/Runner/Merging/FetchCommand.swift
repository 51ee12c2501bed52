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
        let watch = ProcessWatch(process)
        do {
            try leftovers.start(process)
        } catch {
            throw .couldNotRun(
                "\(name) could not be fetched: /bin/sh cannot be started: \(error.localizedDescription)"
            )
        }
        defer { leftovers.fetched() }
        // Beside the wait: a program that writes more than a pipe holds would never end.
        let said = ProcessRun.PipeReader(errors.fileHandleForReading)
        let ending = watch.ending()
        guard ending == .exit(0) else {
            let how =
                switch ending {
                case .exit(let status): "ended with \(status)"
                case .signal(let number): "was ended by signal \(number)"
                }
            let last = said.text().split(whereSeparator: \.isNewline).last.map {
                ": \($0.prefix(200))"
            }
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
