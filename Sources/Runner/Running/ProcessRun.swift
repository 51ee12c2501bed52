internal import Dispatch
internal import Foundation
internal import Statistics
internal import Synchronization

/// A process of the user's from its start to its end, with all that it printed. Blocks its caller.
struct ProcessRun {
    enum Ending: Sendable, Hashable {
        case exit(Int32)
        case signal(Int32)
        case tooLate
        case notStarted(String)
    }

    var ending: Ending
    var output: String
    /// Empty where it went into `output`.
    var errors: String

    /// What it gets to end by itself once it is told to.
    private static let grace = 1.0

    /// Runs the program at `path`; `input` goes to its standard input. With `joined` its errors are part of its
    /// output, in the order in which they were printed. `stop` is called with a way to end it early.
    static func run(
        _ path: String, _ arguments: [String] = [], input: String = "", within limit: Duration,
        joined: Bool = false, stop: (@escaping @Sendable () -> Void) -> Void = { _ in }
    ) -> ProcessRun {
        let process = Process()
        let (asking, output) = (Pipe(), Pipe())
        let errors = joined ? output : Pipe()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardInput = asking
        process.standardOutput = output
        process.standardError = errors
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        // A program that reads nothing closes the pipe: that is its right.
        signal(SIGPIPE, SIG_IGN)
        do {
            try process.run()
        } catch {
            return ProcessRun(
                ending: .notStarted(error.localizedDescription), output: "", errors: "")
        }
        let identifier = process.processIdentifier
        stop { kill(identifier, SIGTERM) }
        let said = PipeReader(output.fileHandleForReading)
        let complained = joined ? nil : PipeReader(errors.fileHandleForReading)
        let writing = asking.fileHandleForWriting
        DispatchQueue.global().async {
            try? writing.write(contentsOf: Data(input.utf8))
            try? writing.close()
        }
        var ending: Ending
        if ended.wait(timeout: .now() + limit.seconds) == .success {
            ending =
                process.terminationReason == .exit
                ? .exit(process.terminationStatus) : .signal(process.terminationStatus)
        } else {
            ending = .tooLate
            end(process, ended)
        }
        return ProcessRun(ending: ending, output: said.text(), errors: complained?.text() ?? "")
    }

    /// Without a last wait: its end is not noticed before that of what it has started.
    private static func end(_ process: Process, _ ended: DispatchSemaphore) {
        process.terminate()
        guard ended.wait(timeout: .now() + grace) != .success else { return }
        kill(process.processIdentifier, SIGKILL)
    }

    /// Reads a pipe beside the caller, so that neither side waits for the other. What a program left
    /// running may hold the pipe open for ever: it is waited for no longer than `patience`.
    private final class PipeReader: Sendable {
        private let bytes = Mutex(Data())
        private let whole = DispatchSemaphore(value: 0)
        private static let patience = 1.0

        init(_ handle: FileHandle) {
            handle.readabilityHandler = { [self] handle in
                let data = handle.availableData
                if data.isEmpty {
                    handle.readabilityHandler = nil
                    whole.signal()
                } else {
                    bytes.withLock { $0.append(data) }
                }
            }
        }

        /// Once the program has ended.
        func text() -> String {
            _ = whole.wait(timeout: .now() + Self.patience)
            return String(decoding: bytes.withLock { $0 }, as: UTF8.self)
        }
    }
}
