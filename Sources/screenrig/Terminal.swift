internal import Foundation
internal import Rendering
internal import Reports
internal import Synchronization

/// The terminal as far as plain text needs it.
enum Terminal {
    /// A reader that goes away (`| head`) must end us quietly, not by a signal in mid-run.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Why standard output could not be written; empty while it can. One for the process, as standard
    /// output is.
    private static let trouble = Mutex("")

    /// A reader that has gone away (`| head`) is no reason to stop. Any other trouble (a full disk) does
    /// not stop a run either, whose files are to be written: `outputFailure` tells at the end.
    static func print(_ text: String) {
        let bytes = Array((harmless(text, keepsColours: usesColor) + "\n").utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var wanted = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wanted, 1, -1)
            } else if errno != EINTR {
                let reason = errno == EPIPE ? "" : String(cString: strerror(errno))
                if !reason.isEmpty { trouble.withLock { $0 = reason } }
                return
            }
        }
    }

    /// A sentence, where what was to be told could not be written.
    static var outputFailure: String? {
        let reason = trouble.withLock { $0 }
        return reason.isEmpty
            ? nil
            : "cannot write to standard output: \(reason); free some space or write elsewhere"
    }

    /// To standard error.
    static func complain(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data((harmless(text) + "\n").utf8))
    }

    /// Without what a terminal would obey, whoever wrote it: a peer, a rig, a history, a case. Line ends
    /// and tabs stay, and the colours of our own reports where there are any.
    static func harmless(_ text: String, keepsColours: Bool = false) -> String {
        func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
            !scalar.isControl || scalar == "\n" || scalar == "\t"
        }
        guard !text.unicodeScalars.allSatisfy(isHarmless) else { return text }
        var shown = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "\u{1b}", keepsColours,
                let colour = colours.first(where: { rest.starts(with: $0) })
            {
                shown.append(scalar)
                shown.append(contentsOf: colour)
                rest.removeFirst(colour.count)
            } else {
                shown.append(isHarmless(scalar) ? scalar : "\u{fffd}")
            }
        }
        return String(shown)
    }

    /// Behind the escape.
    private static let colours = TerminalReport.colours.map { "[\($0)m".unicodeScalars }

    /// The same in whole words on a screen; a file or a pipe gets each line as one. Further lines are
    /// indented by `hanging` columns.
    static func print(inWords text: String, hanging: Int = 2) {
        print(isInteractive ? broken(text, width: width, hanging) : text)
    }

    static func complain(inWords text: String, hanging: Int = 2) {
        complain(hasReader ? broken(text, width: progressWidth, hanging) : text)
    }

    private static func broken(_ text: String, width: Int, _ hanging: Int) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            line.count <= width
                ? [String(line)]
                : Wrapping.lines(String(line), width: width, hanging: hanging)
        }.joined(separator: "\n")
    }

    static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether somebody may be reading progress as it is printed; a batch job's goes into a file.
    static var hasReader: Bool { isatty(STDERR_FILENO) == 1 }

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
        hasReader && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// Columns of the terminal that progress is shown on.
    static var progressWidth: Int { progressSize.map { Int($0.ws_col) } ?? 80 }

    /// Its lines.
    static var progressHeight: Int { progressSize.map { Int($0.ws_row) } ?? 24 }

    private static var progressSize: winsize? {
        var size = winsize()
        let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0
        return isKnown && size.ws_col > 0 && size.ws_row > 0 ? size : nil
    }

    /// Colour only on a terminal, and not where `NO_COLOR` is set (no-color.org).
    static var usesColor: Bool { isInteractive && allowsColor }

    /// The same where progress is shown.
    static var progressUsesColor: Bool { hasReader && allowsColor }

    private static var allowsColor: Bool {
        let environment = ProcessInfo.processInfo.environment
        // An empty value counts as none (no-color.org).
        return (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }
}
