internal import ArgumentParser
internal import Foundation
internal import Rigs
internal import Runner

/// The command line. One file per command; each wires the parts together and chooses the exit code.
@main
struct Screenrig: AsyncParsableCommand {
    static let version = Release.version

    static let configuration = CommandConfiguration(
        commandName: "screenrig",
        abstract: "Load-test a second-screen sign-in service with thousands of virtual households.",
        discussion: """
            In each household a TV shows a registration code and polls; a phone enters the code and signs \
            in. Every exchange is timed, recorded and checked; the result is a report and a verdict.

            The smallest run, against the embedded stand-in:
                screenrig run smoke
            Against a service of your own:
                screenrig init rigs/mine.yaml
                screenrig try rigs/mine.yaml
                screenrig run rigs/mine.yaml

            Exit codes: 0 passed; 1 a promise broken, a threshold missed, or stopped by the breaker; 2 bad \
            command line or rig; 3 could not run; 4 the rig itself was the bottleneck; 130 interrupted. \
            'screenrig explain NAME' explains a name or term of a report.
            """,
        version: version,
        subcommands: [
            TryCommand.self, RunCommand.self, SimulateCommand.self, FindLimitCommand.self,
            RaceCommand.self, ReplayCommand.self, ExplainFindingCommand.self, MergeCommand.self,
            JudgeCommand.self,
            ReportCommand.self,
            ExportCommand.self,
            ShowCommand.self,
            CompareCommand.self, NightlyCommand.self, NightsCommand.self, IndexCommand.self,
            ServeCommand.self,
            MarkCommand.self, ControlCommand.self,
            InitCommand.self, MigrateCommand.self, ValidateCommand.self, SchemaCommand.self,
            CalibrateCommand.self, ManifestCommand.self,
            ListCommand.self, ExplainCommand.self, ManualCommand.self,
        ])

    static func main() async {
        Terminal.prepare()
        do {
            try Spelling.check(Array(CommandLine.arguments.dropFirst()), against: self)
            var command = try parseAsRoot()
            try ProcessLimits.check(for: command)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            end(.passed)
        } catch let failure as CommandFailure {
            if !failure.message.isEmpty { Terminal.complain(inWords: failure.message) }
            end(failure.code)
        } catch let error as RunError {
            let failure = CommandFailure(error)
            Terminal.complain(inWords: failure.message)
            end(failure.code)
        } catch {
            // The parser's own code for a bad command line is 64; ours is 2 (`ExitCode`).
            guard exitCode(for: error).isSuccess else {
                Terminal.complain(fullMessage(for: error))
                end(.badInput)
            }
            // Help, the version, a script of completions.
            let text = fullMessage(for: error)
            if !text.isEmpty { Terminal.print(text) }
            end(.passed)
        }
    }

    /// Nobody has read what could not be written: such a command has not passed.
    private static func end(_ code: ExitCode) -> Never {
        var code = code
        if let failure = Terminal.outputFailure {
            Terminal.complain(inWords: failure)
            if code == .passed { code = .couldNotRun }
        }
        // Also where the command line could not be read.
        if CommandLine.arguments.contains("--bisect") { code = code.forBisect }
        Foundation.exit(code.rawValue)
    }
}
