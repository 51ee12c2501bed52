internal import Devices
internal import Dispatch
internal import Foundation
internal import Synchronization

/// Runs `login: {command: PROGRAM}`: one process for each login, on threads of its own, and only a
/// few at a time.
struct LoginProcess: LoginProgram {
    let path: String
    /// How long a program may take.
    private let limit: Duration = .seconds(60)
    private let queue = DispatchQueue(
        label: "screenrig.login-program", qos: .userInitiated, attributes: .concurrent)
    /// Processes and their threads are dear; others wait for their turn.
    private let turns = DispatchSemaphore(value: 16)
    private let door = DispatchQueue(label: "screenrig.login-program.door")

    init(path: String) {
        self.path = path
    }

    func ask(_ question: String, _ answered: @escaping @Sendable (ProgramAnswer) -> Void) {
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
        // A bare name is looked up like one typed into a shell.
        let isPath = path.contains("/")
        process.executableURL = URL(filePath: isPath ? path : "/usr/bin/env")
        process.arguments = isPath ? [] : [path]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        do {
            try process.run()
        } catch {
            return .failed("\(path) cannot be started: \(error.localizedDescription)")
        }
        let seconds = Double(limit.components.seconds)
        let guardian = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: guardian)
        // A program that reads nothing closes the pipe: that is its right.
        signal(SIGPIPE, SIG_IGN)
        try? input.fileHandleForWriting.write(contentsOf: Data(question.utf8))
        try? input.fileHandleForWriting.close()
        let words = Collector(errors.fileHandleForReading, on: queue)
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guardian.cancel()
        guard process.terminationReason == .exit else {
            return .failed("did not answer within \(limit.components.seconds) s")
        }
        guard process.terminationStatus == 0 else {
            let said = words.firstLine
            return .failed(
                "ended with status \(process.terminationStatus)"
                    + (said.isEmpty ? "" : " and says '\(said)'"))
        }
        return .output(text)
    }

    /// Reads a pipe to its end beside the caller, so that neither side waits for the other.
    private final class Collector: Sendable {
        private let group = DispatchGroup()
        private let bytes = Mutex(Data())

        init(_ handle: FileHandle, on queue: DispatchQueue) {
            queue.async(group: group) { [self] in
                let data = handle.readDataToEndOfFile()
                bytes.withLock { $0 = data }
            }
        }

        var firstLine: String {
            group.wait()
            let text = String(decoding: bytes.withLock { $0 }, as: UTF8.self)
            return text.split(separator: "\n").first.map { String($0.prefix(200)) } ?? ""
        }
    }
}
