internal import ArgumentParser
internal import Races
internal import Reports
internal import Runner

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List protocols, operations, faults, invariants and race plans, one "
            + "line each.",
        discussion: """
            Example:
                screenrig list
                screenrig list operations

            v1 and v2 before an operation say in which protocols it is asked. 'screenrig explain NAME' \
            explains each name.
            """)

    @Argument(
        help: ArgumentHelp(
            "Only these: protocols, operations, faults, invariants or race plans.",
            valueName: "WHAT"),
        completion: .list(Explanation.headings.filter(ExplainCommand.isPlain)))
    var words: [String] = []

    func run() throws {
        let only = words.isEmpty ? nil : words.joined(separator: " ")
        guard
            let text = Explanation.list(
                faults: FaultOptions.explanations, racePlans: RacePlan.explanations, only: only)
        else {
            throw CommandFailure.badInput(
                "unknown list '\(only ?? "")'; there are \(Explanation.headings.joined(separator: ", "))"
            )
        }
        Terminal.print(text)
    }
}
