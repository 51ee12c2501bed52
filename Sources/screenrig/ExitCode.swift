internal import Reports
internal import Runner

/// What screenrig tells the shell (README.md, Commands).
enum ExitCode: Int32 {
    /// It ran; promises kept, thresholds met.
    case passed = 0
    /// A promise broken, a threshold missed, or the breaker stopped the run.
    case failed = 1
    /// Bad command line or bad rig file.
    case badInput = 2
    /// It could not run: not one exchange was ever answered, refused host, no disk, no ports.
    case couldNotRun = 3
    /// It ran, but the rig itself was the bottleneck, and nothing failed that its lateness cannot explain.
    case untrusted = 4
    /// Ctrl-C, SIGTERM or SIGHUP; what was measured so far is reported in full.
    case interrupted = 130
    /// `race --bisect`: this version tells nothing; git tries another (the value that 'git bisect run' skips).
    case skipped = 125
    /// `race --bisect`: a mistake that every version would have; git ends the bisection (any value from 128).
    case bisectEnds = 128

    /// The same for `git bisect run`, which takes any other value below 128 for a bad version.
    var forBisect: ExitCode {
        switch self {
        case .passed, .failed, .interrupted, .skipped, .bisectEnds: self
        case .couldNotRun, .untrusted: .skipped
        case .badInput: .bisectEnds
        }
    }

    init(_ status: Summary.ExitStatus) {
        self =
            switch status {
            case .couldNotRun: .couldNotRun
            case .interrupted: .interrupted
            case .violated, .failed, .missed: .failed
            case .untrusted: .untrusted
            case .passed: .passed
            }
    }
}

/// A command that ends early: what to tell the user, and the exit code.
struct CommandFailure: Error, CustomStringConvertible {
    var code: ExitCode
    var message: String
    var description: String { message }

    init(code: ExitCode, message: String) {
        self.code = code
        self.message = message
    }

    init(_ error: RunError) {
        switch error {
        case .badInput(let message): self = .badInput(message)
        case .couldNotRun(let message): self = .couldNotRun(message)
        }
    }

    static func badInput(_ message: String) -> CommandFailure {
        CommandFailure(code: .badInput, message: message)
    }
    static func couldNotRun(_ message: String) -> CommandFailure {
        CommandFailure(code: .couldNotRun, message: message)
    }

    /// What `body` gives. An error in it ends the command with `code` and its own words; a failure stays as it is.
    static func catching<Value>(as code: ExitCode, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(code: code, message: "\(error)")
        }
    }
}
