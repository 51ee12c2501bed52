internal import ArgumentParser
internal import Foundation
internal import Journal
internal import Rendering
internal import Trends

struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare two runs: better, worse or noise, and with what confidence.",
        discussion: """
            Example:
                screenrig compare latest~1 latest
                screenrig compare 7d latest --html compare.html

            BASE and RUN are run directories, their history.sqlite, 'latest', or 'latest~1' for the one \
            before. BASE may be an age, such as 7d or 12h: the newest comparable run that is at least that \
            much older than RUN.

            Exit codes: 0 not worse, 1 worse.
            """)

    @Argument(help: ArgumentHelp("The baseline run.", valueName: "BASE"))
    var base: String

    @Argument(help: ArgumentHelp("The run to compare with the baseline.", valueName: "RUN"))
    var judged: String = RunDirectory.latest

    @Option(
        name: .customLong("html"),
        help: ArgumentHelp("Also write a self-contained HTML page.", valueName: "FILE"),
        completion: .file(extensions: ["html"]))
    var page: String?

    @Flag(help: "Print the result as JSON.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Ignore differences smaller than this, even if significant; default: "
                + "5%.", valueName: "SHARE"))
    var floor: String?

    func run() throws {
        let floor = try Self.floor(floor)
        let comparison: Comparison
        do {
            let directory = try RunDirectory.find(judged)
            let later = try ComparedRun(directory)
            let earlier = try baseDirectory(of: later, in: directory)
            if Self.isSame(earlier, directory) {
                throw CommandFailure.badInput(
                    "\(base) and \(judged) are the same run, \(directory.path); name two "
                        + "different ones")
            }
            comparison = Comparison(try ComparedRun(earlier), later, floor: floor)
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure.couldNotRun("\(error)")
        }
        try tell(comparison)
    }

    private func tell(_ comparison: Comparison) throws {
        if let page {
            do {
                try PrivateFile.write(Data(ComparisonPage.text(comparison).utf8), to: page)
            } catch {
                throw CommandFailure.couldNotRun(
                    "\(page) could not be written: \(PrivateFile.reason(of: error))")
            }
        }
        if json {
            Terminal.print(String(ComparisonJSON.text(comparison).dropLast()))
        } else {
            let text = ComparisonText.text(
                comparison, width: Terminal.width, color: Terminal.usesColor)
            Terminal.print(text + (page.map { "\npage: \($0)\n" } ?? ""))
        }
        if comparison.verdict == .worse { throw CommandFailure(code: .failed, message: "") }
    }

    /// A run by its name, or by its age before the run that is judged.
    private func baseDirectory(of run: ComparedRun, in directory: RunDirectory) throws
        -> RunDirectory
    {
        let isPath = FileManager.default.fileExists(atPath: base)
        guard !isPath, let age = Age(base) else { return try RunDirectory.find(base) }
        let stamp = directory.stamp(before: age.seconds)
        guard let found = ComparableRuns(to: run, directory).newest(notAfter: stamp) else {
            throw CommandFailure.couldNotRun(
                "no comparable run next to \(directory.path) is at least \(base) older; "
                    + "comparable runs have the same rig, load, target and protocol, were not "
                    + "interrupted, and the rig was not the bottleneck; name a run directory to "
                    + "compare anyway")
        }
        return found
    }

    private static func isSame(_ one: RunDirectory, _ other: RunDirectory) -> Bool {
        let paths = [one, other].map { URL(filePath: $0.history).resolvingSymlinksInPath().path }
        return paths[0] == paths[1]
    }

    private static func floor(_ text: String?) throws -> Comparison.Floor {
        guard let text else { return Comparison.Floor() }
        guard text.hasSuffix("%"), let percent = Double(text.dropLast()), (0...1000) ~= percent
        else { throw CommandFailure.badInput("--floor '\(text)' is not a share such as 5%") }
        return Comparison.Floor(relative: percent / 100)
    }
}

/// How long ago, as people write it: `7d`, `12h`, `90m`, `2w`.
struct Age {
    var seconds: Int

    init?(_ text: String) {
        let units: [Character: Int] = ["m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        guard let unit = text.last.flatMap({ units[$0] }), let number = Int(text.dropLast()),
            (0...100_000) ~= number
        else { return nil }
        seconds = number * unit
    }
}
