internal import Reports

extension Summary {
    /// Prints the verdict of a run in the directory `path`, and throws the exit code if it is not 0. What passes, and has
    /// reports that could not be written, has not passed for whoever reads them.
    func tell(at path: String, asJSON: Bool = false) throws {
        let verdict = ExitCode(exitStatus)
        let code = verdict == .passed && !unwritten.isEmpty ? .couldNotRun : verdict
        if asJSON {
            Terminal.print(ProgressJSON.result(self, exitCode: code.rawValue, path: path))
        } else {
            Terminal.print(
                TerminalReport.text(
                    self, width: Terminal.width, color: Terminal.usesColor, path: path))
        }
        if code != .passed { throw CommandFailure(code: code, message: "") }
    }
}
