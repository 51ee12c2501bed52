internal import Reports

extension Summary {
    /// Prints the verdict of a run in the directory `path`, and throws the exit code if it is not 0.
    func tell(at path: String, asJSON: Bool = false) throws {
        let code = ExitCode(exitStatus)
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
