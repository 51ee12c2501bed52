internal import Dispatch
internal import Foundation
internal import Rendering
internal import Rigs

/// What is deployed, by a command of the user's that prints it: the version, an image, a commit.
package struct DeployWatch: Sendable {
    /// What the command said.
    package enum Look: Sendable, Hashable {
        case deployed(String)
        case failed(String)
    }

    /// Time between two looks, in seconds.
    package static let interval = 3.0
    /// A command that takes longer is killed.
    static let limit = Duration.seconds(60)

    private let look: @Sendable () async -> Look
    private let pause: @Sendable () async -> Void

    /// `command`: program and arguments, run without a shell; what it prints goes through `hiding`. Throws a `RunError`
    /// where it is none.
    package init(command: String, hiding: @escaping @Sendable (String) -> String = { $0 }) throws {
        guard let words = CommandWords.split(command), !words.isEmpty else {
            throw RunError.badInput(
                "--watch is '\(command)'; it must be a command that prints what is deployed, its quotes closed"
            )
        }
        if let sign = CommandWords.shellSign(in: command) {
            throw RunError.badInput(
                "--watch is run without a shell, and '\(sign)' would be an argument; write --watch "
                    + "'sh -c \"...\"'")
        }
        self.init(
            look: {
                await withCheckedContinuation { done in
                    DispatchQueue.global().async { done.resume(returning: Self.run(words, hiding)) }
                }
            },
            pause: { try? await Task.sleep(for: .seconds(Self.interval)) })
    }

    /// `pause` comes between two looks.
    package init(
        look: @escaping @Sendable () async -> Look, pause: @escaping @Sendable () async -> Void
    ) {
        (self.look, self.pause) = (look, pause)
    }

    /// What is deployed now.
    package func now() async -> Look { await look() }

    /// Waits until the command says something else than `old`, twice in a row: while a deploy goes on, old and new
    /// answer in turn. A command that fails is asked again; `say` hears of its first failure in a row. Nil once
    /// `isOver`.
    package func change(
        from old: String, until isOver: @Sendable () -> Bool, say: (String) -> Void
    ) async -> String? {
        var last = old
        var hasFailed = false
        while !isOver() {
            await pause()
            if isOver() { break }
            switch await look() {
            case .deployed(let new):
                if new == last, new != old { return new }
                (last, hasFailed) = (new, false)
            case .failed(let reason):
                if !hasFailed { say("--watch: \(reason); asking again") }
                (last, hasFailed) = (old, true)
            }
        }
        return nil
    }

    private static func run(_ words: [String], _ hiding: (String) -> String) -> Look {
        let run = ProcessRun.run("/usr/bin/env", words, within: limit)
        switch run.ending {
        case .exit(0):
            // What is shown of it is one line, and harmless.
            let text = Sanitizer.line(
                hiding(run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")),
                limit: 200)
            return text.isEmpty ? .failed("the command printed nothing") : .deployed(text)
        case .exit(let status):
            let why = run.errors.split(separator: "\n").last.map {
                ": \(Sanitizer.line(hiding(String($0))))"
            }
            return .failed("the command ended with status \(status)\(why ?? "")")
        case .signal(let number): return .failed("the command was killed by signal \(number)")
        case .tooLate: return .failed("the command took longer than 60 s and was killed")
        case .tooMuch: return .failed("the command printed megabytes; one line is wanted")
        case .notStarted(let why): return .failed("the command could not be started: \(why)")
        }
    }
}
