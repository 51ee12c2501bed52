internal import ArgumentParser
internal import Foundation
internal import Journal
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

            Runs that speak different protocols are compared by what requests are for, instead of by their \
            names: the page begins with what a move from BASE's protocol to RUN's changes. A single run in \
            which kinds speak different protocols is taken apart by --by-protocol:
                screenrig compare v1-run v2-run --html move.html
                screenrig compare latest --by-protocol

            Exit codes: 0 not worse, 1 worse.
            """)

    @Argument(help: ArgumentHelp("The baseline run.", valueName: "BASE"))
    var base: String

    @Argument(
        help: ArgumentHelp(
            "The run to compare with the baseline; default: latest.", valueName: "RUN"))
    var judged: String?

    @Flag(
        help:
            "Compare the households of one run by the protocol that they speak; takes no second run."
    )
    var byProtocol = false

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

    func validate() throws {
        if byProtocol, judged != nil {
            throw ValidationError("--by-protocol takes one run, and compares its households")
        }
    }

    func run() throws {
        let floor = try Self.floor(floor)
        let comparison = try CommandFailure.catching(as: .couldNotRun) {
            do {
                return byProtocol
                    ? try RunByProtocol(RunDirectory.find(base)).compared(floor: floor)
                    : try compared(floor: floor)
            } catch let refusal as RunByProtocol.Refusal {
                throw CommandFailure.badInput("\(base): \(refusal)")
            }
        }
        try tell(comparison)
    }

    private func compared(floor: Comparison.Floor) throws -> Comparison {
        let judged = judged ?? RunDirectory.latest
        let directory = try RunDirectory.find(judged)
        if let unended = directory.unendedSentence(try History(path: directory.history)) {
            throw CommandFailure.couldNotRun(
                "\(unended); compare it when it has ended, or name another run, such as latest~1")
        }
        var later = try ComparedRun(directory)
        let place = try baseDirectory(of: later, in: directory)
        if Self.isSame(place, directory) {
            throw CommandFailure.badInput(
                "\(base) and \(judged) are the same run, \(directory.path); name two "
                    + "different ones")
        }
        for run in [place, directory] where StoredRun(run) == nil {
            throw CommandFailure.couldNotRun(StoredRun.remedy(run))
        }
        var earlier = try ComparedRun(place)
        if earlier.speaksOtherProtocol(than: later) {
            try earlier.readSteps(History(path: place.history))
            try later.readSteps(History(path: directory.history))
        }
        return Comparison(earlier, later, floor: floor)
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
