internal import ArgumentParser
internal import Races
internal import Reports
internal import Runner

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List operations, faults, invariants and race plans, one "
            + "line each.",
        discussion: """
            Example:
                screenrig list

            'screenrig explain NAME' explains each of them.
            """)

    func run() throws {
        Terminal.print(
            Explanation.list(
                faults: FaultOptions.explanations, racePlans: RacePlan.explanations))
    }
}
