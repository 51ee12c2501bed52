internal import ArgumentParser
internal import Races
internal import Rendering
internal import Reports
internal import Runner

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List protocols, operations, faults, invariants and race plans, or rigs, one "
            + "line each.",
        discussion: """
            Example:
                screenrig list
                screenrig list operations
                screenrig list rigs

            v1 and v2 before an operation say in which protocols it is asked. 'screenrig explain NAME' \
            explains each name. 'list rigs' lists the rigs that each command takes by name, such as \
            'screenrig run smoke': those under rigs/ of the working directory, then those installed with \
            screenrig. A rig under rigs/ hides the installed one of the same name.
            """)

    private static let rigs = "rigs"

    @Argument(
        help: ArgumentHelp(
            "Only these: protocols, operations, faults, invariants or race plans; or rigs.",
            valueName: "WHAT"),
        completion: .list(Explanation.headings.filter(ExplainCommand.isPlain) + [ListCommand.rigs]))
    var words: [String] = []

    func run() throws {
        let only = words.isEmpty ? nil : words.joined(separator: " ")
        if only == Self.rigs { return try listRigs() }
        guard
            let text = Explanation.list(
                faults: FaultOptions.explanations, racePlans: RacePlan.explanations, only: only,
                width: columns)
        else {
            throw CommandFailure.badInput(
                "unknown list '\(only ?? "")'; there are \((Explanation.headings + [Self.rigs]).joined(separator: ", "))"
            )
        }
        Terminal.print(text)
    }

    /// A file or a pipe gets each entry as one line.
    private var columns: Int { Terminal.isInteractive ? Terminal.width : .max }

    private func listRigs() throws {
        let folders = RigFolders.entries().filter { !$0.rigs.isEmpty }
        guard !folders.isEmpty else {
            throw CommandFailure.badInput(
                "no rigs: there is no folder 'rigs' here, and none was installed with this program; "
                    + "'screenrig init rigs/mine.yaml' writes one")
        }
        let width = folders.flatMap(\.rigs).map(\.name.count).max() ?? 0
        for (number, (folder, rigs)) in folders.enumerated() {
            if number > 0 { Terminal.print("") }
            Terminal.print("rigs in \(folder)")
            for rig in rigs {
                let head = "  \(rig.name.padded(to: width))  "
                let lines = Wrapping.entry(head, rig.line, width: columns)
                Terminal.print(lines.joined(separator: "\n"))
            }
        }
    }
}
