internal import Dispatch
internal import Foundation
internal import Glibc
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
            // Not by its `readabilityHandler`: libdispatch may crash as handlers of several pipes end
            // (swift-corelibs-libdispatch, issue 949).
            Thread.detachNewThread { [self] in
                read(handle.fileDescriptor, overflows)
                whole.signal()
                try? handle.close()
            }
        }

        /// Until the pipe ends, or nobody waits for the rest.
        private func read(_ descriptor: Int32, _ overflows: (@Sendable () -> Void)?) {
            var room = [UInt8](repeating: 0, count: 65_536)
            while !isOver.load(ordering: .relaxed) {
                var pipe = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                let ready = poll(&pipe, 1, Self.looks)
                guard ready > 0 else {
                    if ready == 0 || errno == EINTR { continue }
                    return
                }
                let count = Glibc.read(descriptor, &room, room.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return }
                keep(room[..<count], overflows)
            }
        }

        /// Milliseconds between looks at whether anybody still waits.
        private static let looks: Int32 = 100

        private func keep(_ part: ArraySlice<UInt8>, _ overflows: (@Sendable () -> Void)?) {
            let isTooMuch = bytes.withLock { bytes in
                bytes.append(contentsOf: part)
                guard bytes.count > most else { return false }
                bytes = overflows == nil ? Data(bytes.suffix(most / 2)) : bytes.prefix(most)
                return true
            }
            if isTooMuch, let overflows, !cut.exchange(true, ordering: .relaxed) { overflows() }
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
