internal import ArgumentParser
internal import Rigs

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema of rig files, for editors.",
        discussion: """
            Example:
                screenrig schema > rig.schema.json

            The output is the same as rigs/screenrig.schema.json. The first line of a rig points editors to it:
                # yaml-language-server: $schema=screenrig.schema.json
            """)

    func run() throws {
        Terminal.print(RigSchema.json())
    }
}
