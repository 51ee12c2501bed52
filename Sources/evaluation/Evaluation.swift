internal import ArgumentParser
internal import Foundation

/// How well the judge and the race lab find what the stand-in does wrong. For those who work on screenrig.
@main
struct Evaluation: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluation",
        abstract: "Measure how well screenrig finds the stand-in's faults.",
        subcommands: [DetectionCommand.self, RacesCommand.self])
}

/// Prints a line at once, also into a pipe: a table takes minutes.
func tell(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
