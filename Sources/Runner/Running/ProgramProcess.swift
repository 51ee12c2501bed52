package import Devices
internal import Dialects
internal import Dispatch
internal import Foundation
internal import Synchronization

/// Runs a program of the user's: one process for each question, on threads of its own, and only a few
/// at a time.
package struct ProgramProcess: UserProgram {
    package let path: String
    /// How long a program may take.
    private let limit: Duration
    /// What it gets to end by itself once it is told to.
    private static let grace = 1.0
    private let queue = DispatchQueue(
        label: "screenrig.program", qos: .userInitiated, attributes: .concurrent)
    /// Processes and their threads are dear; others wait for their turn.
    private let turns = DispatchSemaphore(value: 16)
    private let door = DispatchQueue(label: "screenrig.program.door")

    package init(path: String, limit: Duration) {
        self.path = path
        self.limit = limit
    }

    package func ask(_ question: String, _ answered: @escaping @Sendable (ProgramAnswer) -> Void) {
        door.async { [self] in
            turns.wait()
            queue.async {
                answered(run(question))
                turns.signal()
            }
        }
    }

    private func run(_ question: String) -> ProgramAnswer {
        let process = Process()
        let (input, output, errors) = (Pipe(), Pipe(), Pipe())
        process.executableURL = URL(filePath: path)
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        do {
            try process.run()
        } catch {
            return .failed("\(path) cannot be started: \(error.localizedDescription)")
        }
        let said = PipeReader(output.fileHandleForReading)
        let complained = PipeReader(errors.fileHandleForReading)
        // A program that reads nothing closes the pipe: that is its right.
        signal(SIGPIPE, SIG_IGN)
        let asking = input.fileHandleForWriting
        queue.async {
            try? asking.write(contentsOf: Data(question.utf8))
            try? asking.close()
        }
        let seconds = Double(limit.components.seconds) + Double(limit.components.attoseconds) / 1e18
        guard ended.wait(timeout: .now() + seconds) == .success else {
            end(process, ended)
            return .failed("did not answer within \(String(format: "%g", seconds)) s")
        }
        guard process.terminationReason == .exit else {
            return .failed("was killed by signal \(process.terminationStatus)")
        }
        guard process.terminationStatus == 0 else {
            let words = complained.text().split(separator: "\n").first?.prefix(200) ?? ""
            let said: Untrusted = words.isEmpty ? "" : " and says '\(words)'"
            return .failed("ended with status \(process.terminationStatus)\(said)")
        }
        return .output(said.text())
    }

    /// Without a last wait: its end is not noticed before that of what it has started.
    private func end(_ process: Process, _ ended: DispatchSemaphore) {
        process.terminate()
        guard ended.wait(timeout: .now() + Self.grace) != .success else { return }
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
