internal import ArgumentParser
internal import Dialects
internal import Rigs

struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Write a commented rig with blanks to fill in.",
        discussion: """
            Example:
                screenrig init rigs/staging.yaml
                screenrig init rigs/staging.yaml --protocol adobe-pass-v2

            Fill in each ???, then run 'screenrig validate FILE': it lists the blanks that are left. An \
            existing file is never overwritten.
            """)

    @Argument(
        help: ArgumentHelp("The rig file to write.", valueName: "FILE"),
        completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @Option(
        name: .customLong("protocol"),
        help: ArgumentHelp(
            "Protocol of the service: \(ProtocolName.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "NAME"),
        transform: { text in
            guard let name = ProtocolName(rawValue: text) else {
                throw ValidationError("unknown protocol '\(text)'")
            }
            return name
        })
    var protocolName = ProtocolName.usual

    func run() throws {
        try NewFile.write(RigTemplate.text(for: file, protocolName: protocolName), to: file)
        let secret =
            protocolName == .oauthDeviceGrant
            ? "write accounts.csv next to it, and run: chmod 600 accounts.csv"
            : "export SOFTWARE_STATEMENT=..."
        Terminal.print(
            """
            Wrote \(file). Next:
              1. fill in each ??? (screenrig validate \(file) lists those that are left)
              2. \(secret)
              3. screenrig try \(file)
            """)
    }
}
