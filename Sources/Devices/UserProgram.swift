public import Dialects
internal import Journal
internal import Lanes
internal import Synchronization

/// A program of the user's that does what a rig cannot: walks a login page (`login: {command:
/// PROGRAM}`), or signs for a platform (`platform-sign-on: {command: PROGRAM}`). The executable starts
/// it; `Devices` has no processes.
public protocol UserProgram: Sendable {
    /// Starts the program with `question` on its standard input. `answered` is called once, on any
    /// thread, within the program's time limit. Must not block.
    func ask(_ question: String, _ answered: @escaping @Sendable (ProgramAnswer) -> Void)
}

/// What became of a program.
public enum ProgramAnswer: Sendable {
    /// What it wrote to its standard output.
    case output(String)
    /// Why there is none, as the end of "the program ...".
    case failed(Untrusted)
}

/// Where a program's answer waits until its household looks for it: a lane never waits for one.
final class ProgramMailbox: Sendable {
    private let answer = Mutex<ProgramAnswer?>(nil)

    func put(_ answer: ProgramAnswer) {
        self.answer.withLock { $0 = answer }
    }

    func take() -> ProgramAnswer? { answer.withLock { $0 } }
}

extension Household {
    /// How often a household looks whether its program has answered.
    private static let programBeat: Duration = .milliseconds(20)

    /// What a program answers; it waits for it no longer than `limit`.
    func answer(
        of program: any UserProgram, to question: String, within limit: Duration
    ) async throws(StopReason) -> ProgramAnswer {
        let mailbox = ProgramMailbox()
        program.ask(question) { mailbox.put($0) }
        let deadline = lane.now + limit
        while lane.now < deadline {
            try await nap(Self.programBeat)
            if let answer = mailbox.take() { return answer }
        }
        return .failed("did not answer within \(Int(limit.seconds)) s")
    }
}
