internal import ArgumentParser
internal import Reports

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Operations, faults, invariants, race plans: one line each.",
        discussion: """
            Example:
                screenrig list

            'screenrig explain NAME' says more about each of them.
            """)

    func run() throws {
        Terminal.print(Explanation.list(faults: FaultOptions.explanations))
    }
}
