internal import ArgumentParser
internal import Races
internal import Reports
internal import Runner

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain a name or term of a report: what it means and what to do.",
        discussion: """
            Example:
                screenrig explain sign-in-visible
                screenrig explain undecided
                screenrig explain first cause
                screenrig explain 4

            NAME is a protocol, an operation, a fault, an invariant, a race plan, an exit code, an outcome, a \
            household's furthest stage, a policy, a level, or a heading or term of a report. The explanation \
            says what it is, when it is harmless, and what to send to the server's team.
            """)

    @Argument(
        help: ArgumentHelp("The name; it may have several words: first cause.", valueName: "NAME"),
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
                ?? "'screenrig list' shows the names; exit codes, outcomes and headings of "
                + "reports are explained too"
            throw CommandFailure.badInput("unknown name '\(name)'; \(remedy)")
        }
        Terminal.print(
            found.map { $0.text(width: Terminal.width) }.joined(separator: "\n\n"))
    }
}
