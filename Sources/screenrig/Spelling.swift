internal import ArgumentParser
internal import Rigs

/// What the argument parser lets pass or tells badly: a command that is none, and a port that is none.
enum Spelling {
    static func check(_ arguments: [String], against root: any ParsableCommand.Type) throws {
        try checkCommand(arguments, root)
        for argument in arguments {
            for option in ["--dashboard", "--metrics"] where argument.hasPrefix("\(option)=") {
                let value = String(argument.dropFirst(option.count + 1))
                // The parser would take it for the option without a value.
                if PageOptions.Port(argument: value) == nil {
                    throw CommandFailure.badInput(
                        "\(option) is '\(value)'; it must be a port, 1 to 65535, or nothing")
                }
            }
        }
    }

    /// `rnu` is no command; did you mean `run`?
    private static func checkCommand(
        _ arguments: [String], _ root: any ParsableCommand.Type
    ) throws {
        let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        guard let word = words.first, !word.hasPrefix("-") else { return }
        let commands = root.configuration.subcommands.map { $0.configuration }
        let names = commands.compactMap { $0.commandName } + ["help"]
        guard !names.contains(word) else { return }
        let shown = commands.filter { $0.shouldDisplay }.compactMap { $0.commandName }
        let remedy = word.nearest(among: shown).map { "did you mean '\($0)'?" }
        throw CommandFailure.badInput(
            "unknown command '\(word)'; "
                + (remedy ?? "'screenrig --help' lists the commands"))
    }
}
