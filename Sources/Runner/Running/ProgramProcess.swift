package import Devices
internal import Dialects
internal import Dispatch
internal import Foundation
internal import Statistics

/// Runs a program of the user's: one process for each question, on threads of its own, and only a few
/// at a time.
package struct ProgramProcess: UserProgram {
    package let path: String
    /// How long a program may take.
    private let limit: Duration
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
        let run = ProcessRun.run(path, input: question, within: limit)
        switch run.ending {
        case .notStarted(let why): return .failed("\(path) cannot be started: \(why)")
        case .tooLate:
            return .failed("did not answer within \(String(format: "%g", limit.seconds)) s")
        case .tooMuch:
            return .failed(
                "printed more than \(ProcessRun.most / 1_000_000) MB; an answer is one JSON object")
        case .signal(let number): return .failed("was killed by signal \(number)")
        case .exit(0): return .output(run.output)
        case .exit(let status):
            // What a trace of calls ends with says what went wrong.
            let words = run.errors.split(whereSeparator: \.isNewline).last?.prefix(200) ?? ""
            let said: Untrusted = words.isEmpty ? "" : " and says '\(words)'"
            return .failed("ended with status \(status)\(said)")
        }
    }
}
