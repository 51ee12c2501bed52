internal import Foundation
internal import Reports

/// The terminal as far as plain text needs it.
enum Terminal {
    /// A reader that goes away (`| head`) must end us quietly, not by a signal in mid-run.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// A reader that has gone away (`| head`) is no reason to stop.
    static func print(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
    }

    /// To standard error.
    static func complain(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }

    /// The same in whole words on a screen; a file or a pipe gets each line as one. Further lines are
    /// indented by `hanging` columns.
    static func print(inWords text: String, hanging: Int = 2) {
        print(isInteractive ? broken(text, width: width, hanging) : text)
    }

    static func complain(inWords text: String, hanging: Int = 2) {
        complain(isatty(STDERR_FILENO) == 1 ? broken(text, width: progressWidth, hanging) : text)
    }

    private static func broken(_ text: String, width: Int, _ hanging: Int) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            line.count <= width
                ? [String(line)]
                : Wrapping.lines(String(line), width: width, hanging: hanging)
        }.joined(separator: "\n")
    }

    static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Columns of the terminal; 100 where there is none.
    static var width: Int {
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
            return Int(size.ws_col)
        }
        return ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 100
    }

    /// Whether a block of lines can be redrawn in place where progress is shown.
    static var redraws: Bool {
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// Columns of the terminal that progress is shown on.
    static var progressWidth: Int {
        var size = winsize()
        let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : 80
    }

    /// Colour only on a terminal, and not where `NO_COLOR` is set (no-color.org).
    static var usesColor: Bool { isInteractive && allowsColor }

    /// The same where progress is shown.
    static var progressUsesColor: Bool { isatty(STDERR_FILENO) == 1 && allowsColor }

    private static var allowsColor: Bool {
        let environment = ProcessInfo.processInfo.environment
        // An empty value counts as none (no-color.org).
        return (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }
}
