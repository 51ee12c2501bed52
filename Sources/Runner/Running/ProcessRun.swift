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
        /// It printed more than `most` bytes, and was ended.
        case tooMuch
        case notStarted(String)
    }

    var ending: Ending
    var output: String
    /// Empty where it went into `output`.
    var errors: String

    /// Bytes that are kept of what a program prints: one whose answer is wanted is ended where it prints more, of others
    /// the end is kept.
    static let most = 4_000_000

    /// Runs the program at `path`; `input` goes to its standard input. With `joined` its errors are part of its
    /// output, in the order in which they were printed. `stop` is called with a way to end it early.
    static func run(
        _ path: String, _ arguments: [String] = [], input: String = "", within limit: Duration,
        joined: Bool = false, stop: (@escaping @Sendable () -> Void) -> Void = { _ in }
    ) -> ProcessRun {
        let process = Process()
        let (asking, saying) = (Pipe(), Pipe())
        let complaining = joined ? saying : Pipe()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardInput = asking
        process.standardOutput = saying
        process.standardError = complaining
        let watch = ProcessWatch(process)
        // A program that reads nothing closes the pipe: that is its right.
        signal(SIGPIPE, SIG_IGN)
        do {
            try process.run()
        } catch {
            return ProcessRun(
                ending: .notStarted(error.localizedDescription), output: "", errors: "")
        }
        let identifier = process.processIdentifier
        // To its group, as in `ProcessWatch.end`.
        stop { kill(-identifier, SIGTERM) }
        let stopIt: @Sendable () -> Void = { kill(-identifier, SIGKILL) }
        let said = PipeReader(saying.fileHandleForReading, overflows: joined ? nil : stopIt)
        let complained = joined ? nil : PipeReader(complaining.fileHandleForReading)
        let writing = asking.fileHandleForWriting
        DispatchQueue.global().async {
            try? writing.write(contentsOf: Data(input.utf8))
            try? writing.close()
        }
        let ended = watch.ending(within: limit.seconds)
        if ended == nil, !said.isCut { watch.end() }
        let (output, errors) = (said.text(), complained?.text() ?? "")
        let ending: Ending =
            if said.isCut {
                .tooMuch
            } else {
                switch ended {
                case .exit(let status): .exit(status)
                case .signal(let number): .signal(number)
                case nil: .tooLate
                }
            }
        return ProcessRun(ending: ending, output: output, errors: errors)
    }

    /// Reads a pipe beside the caller, so that neither side waits for the other. What a program left
    /// running may hold the pipe open for ever: it is waited for no longer than `patience`.
    final class PipeReader: Sendable {
        private let bytes = Mutex(Data())
        private let cut = Atomic(false)
        private let isOver = Atomic(false)
        private let whole = DispatchSemaphore(value: 0)
        private static let patience = 1.0

        /// `overflows` is called, once, where more comes than is kept; nil: the end is what matters.
        init(_ handle: FileHandle, overflows: (@Sendable () -> Void)? = nil) {
            handle.readabilityHandler = { [self] handle in
                let data = handle.availableData
                if data.isEmpty || isOver.load(ordering: .relaxed) {
                    handle.readabilityHandler = nil
                    whole.signal()
                } else {
                    let isTooMuch = bytes.withLock { bytes in
                        bytes.append(data)
                        guard bytes.count > most else { return false }
                        bytes = overflows == nil ? Data(bytes.suffix(most / 2)) : bytes.prefix(most)
                        return true
                    }
                    if isTooMuch, let overflows, !cut.exchange(true, ordering: .relaxed) {
                        overflows()
                    }
                }
            }
        }

        var isCut: Bool { cut.load(ordering: .relaxed) }

        /// Once the program has ended. What another still prints is no more read than its first part.
        func text() -> String {
            _ = whole.wait(timeout: .now() + Self.patience)
            isOver.store(true, ordering: .relaxed)
            return String(decoding: bytes.withLock { $0 }, as: UTF8.self)
        }
    }
}
