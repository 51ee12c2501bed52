internal import ArgumentParser
internal import Races
internal import Reports

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "What a word of a report means, and what to do about it.",
        discussion: """
            Example:
                screenrig explain sign-in-visible
                screenrig explain undecided
                screenrig explain first cause
                screenrig explain 4

            NAME is an operation, a fault, an invariant, a race plan, an exit code, an outcome, how far a household got, a policy, a \
            level, or another word of a report: what it means, harmless causes, and what to send to the server's team.
            """)

    @Argument(
        help: ArgumentHelp("The word, or the words: first cause.", valueName: "NAME"),
        completion: .list(
            (Explanation.all + FaultOptions.explanations + RacePlan.explanations).map(\.name)
                .filter(ExplainCommand.isPlain)))
    var words: [String]

    /// What a shell's list of completions takes without quoting.
    static func isPlain(_ name: String) -> Bool {
        name.allSatisfy { $0.isLetter || $0.isNumber || "-/. ".contains($0) }
    }

    func run() throws {
        let name = words.joined(separator: " ")
        let others = FaultOptions.explanations + RacePlan.explanations
        let found = Explanation.of(name, besides: others)
        guard !found.isEmpty else {
            let remedy =
                Explanation.nearest(to: name, besides: others).map {
                    "did you mean '\($0)'?"
                }
                ?? "'screenrig list' shows the names; exit codes and outcomes are explained too"
            throw CommandFailure.badInput("'\(name)' is no word of screenrig's; \(remedy)")
        }
        Terminal.print(
            found.map { $0.text(width: Terminal.width) }.joined(separator: "\n\n"))
    }
}
