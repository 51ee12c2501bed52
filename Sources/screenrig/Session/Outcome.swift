internal import Checker
internal import Foundation
internal import Journal
internal import Reports
internal import Rigs

/// From a finished history to files, words and an exit code.
enum Outcome {
    /// Writes every report into `directory`, prints the verdict, and throws the exit code if it is
    /// not 0.
    static func report(
        _ directory: RunDirectory, thresholds: [Threshold], findings: Findings? = nil,
        asJSON: Bool = false
    ) throws {
        let summary = try write(directory, thresholds: thresholds, findings: findings)
        try tell(summary, at: directory.path, asJSON: asJSON)
    }

    /// Prints the verdict, and throws the exit code if it is not 0.
    static func tell(_ summary: Summary, at path: String, asJSON: Bool = false) throws {
        let code = ExitCode(summary.exitStatus)
        if asJSON {
            Terminal.print(
                ProgressJSON.result(summary, exitCode: code.rawValue, path: path))
        } else {
            Terminal.print(
                TerminalReport.text(
                    summary, width: Terminal.width, color: Terminal.usesColor, path: path)
            )
        }
        if code != .passed { throw Failure(code: code, message: "") }
    }

    /// Writes every report into `directory`, or into `other`. Without findings, or where the judge
    /// did not hear everything, the history is judged again, if it can be.
    static func write(
        _ directory: RunDirectory, thresholds: [Threshold], findings: Findings? = nil,
        into other: String? = nil
    ) throws -> Summary {
        let written: Report.Written
        do {
            let history = try History(path: directory.history)
            var findings = findings
            if findings.map({ $0.unjudgedFrom != nil }) ?? true {
                findings = try Findings(rejudging: history) ?? findings
            }
            written = try Report.write(
                history, thresholds: thresholds, findings: findings,
                to: other ?? directory.path)
        } catch {
            throw Failure.couldNotRun("\(error)")
        }
        for error in written.errors { Terminal.complain("\(error)") }
        return written.summary
    }
}
