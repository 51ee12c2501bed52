internal import ArgumentParser
internal import Foundation
internal import Rigs

struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Rewrite a rig of REST V1 for REST V2, and tell what has no counterpart.",
        discussion: """
            Example:
                screenrig migrate rigs/premiere.yaml --out rigs/premiere-v2.yaml
                screenrig migrate rigs/premiere.yaml > rigs/premiere-v2.yaml

            Comments, order and everything that both protocols share stay as they are. Each line that changed, \
            went, or needs a look is told with its place in RIG; without --out on standard error. \
            docs/migration.md shows how to rehearse the move with both rigs.

            Exit codes: 0 the new rig is valid; 2 RIG is not valid, or cannot move.
            """)

    @Argument(
        help: ArgumentHelp("The rig of REST V1.", valueName: "RIG"),
        completion: .file(extensions: ["yaml", "yml"]), transform: RigFolders.path)
    var rig: String

    @Option(
        help: ArgumentHelp(
            "Write the new rig to this file, which must not exist yet.", valueName: "FILE"),
        completion: .file(extensions: ["yaml", "yml"]))
    var out: String?

    func run() throws {
        // What a secret or a statement is makes no difference to the text.
        let surroundings = RigSurroundings(
            environment: ProcessInfo.processInfo.environment, secrets: .omitted)
        guard let text = surroundings.contents(rig) else {
            throw CommandFailure.badInput(
                "\(rig): no such file, or not readable as UTF-8 text")
        }
        let migration = try CommandFailure.catching(as: .badInput) {
            let migration = try Migration.rewriting(text, file: rig, with: surroundings)
            _ = try Rig.read(migration.text, file: out ?? rig, with: surroundings)
            return migration
        }
        let remarks = migration.remarks.map(\.description)
        guard let out else {
            Terminal.print(String(migration.text.trimmingSuffix("\n")))
            for remark in remarks { Terminal.complain(inWords: remark) }
            return
        }
        try NewFile.write(migration.text, to: out)
        let count = migration.remarks.count { $0.action != .changed }
        Terminal.print(
            (remarks + [
                "Wrote \(out). \(count == 0 ? "Nothing was lost" : "Look at the lines above"); next: "
                    + "screenrig validate \(out), screenrig try \(out)"
            ]).joined(separator: "\n"))
    }
}

extension String {
    /// Without `suffix` at its end, where it ends so: printing adds a line's end.
    fileprivate func trimmingSuffix(_ suffix: String) -> Substring {
        hasSuffix(suffix) ? dropLast(suffix.count) : self[...]
    }
}
