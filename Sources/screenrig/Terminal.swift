internal import Foundation

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

    static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Columns of the terminal; 100 where there is none.
    static var width: Int {
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
            return Int(size.ws_col)
        }
        return ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 100
    }

    /// Colour only on a terminal, and not where `NO_COLOR` is set (no-color.org).
    static var usesColor: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isInteractive && environment["NO_COLOR"] == nil && environment["TERM"] != "dumb"
    }
}
