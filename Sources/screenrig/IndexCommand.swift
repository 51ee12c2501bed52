internal import ArgumentParser
internal import Formats
internal import Foundation
internal import Journal
internal import Rendering
internal import Runner
internal import Trends

struct IndexCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index",
        abstract: "Write one page that lists all rigs, runs and nights under a folder.",
        discussion: """
            Example:
                screenrig index
                screenrig index shared/reports

            Writes index.html into the folder: what needs a look first, then each rig with its last runs, each \
            series of nights, and all runs with links to their reports. Once it is there, 'nightly' and 'nights' \
            keep it up to date.
            """)

    @Argument(
        help: ArgumentHelp("The folder of the run directories.", valueName: "FOLDER"),
        completion: .directory)
    var folder = RunDirectory.root

    func run() throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder),
            isFolder.boolValue
        else {
            throw CommandFailure.couldNotRun(
                "there is no folder \(folder); 'screenrig run RIG' makes reports, or name another folder"
            )
        }
        try CommandFailure.catching(as: .couldNotRun) {
            let (page, index) = try RunIndexFiles.write(
                folder, now: UTCTime(microseconds: WallClock.microseconds))
            for trouble in index.troubles { Terminal.complain(inWords: "not read: \(trouble)") }
            let nights = index.books.map(\.views.count).reduce(0, +)
            Terminal.print(
                "\(Figures.counted(index.entries.count, "run")), \(Figures.counted(nights, "series", plural: "series")) of nights\nindex: \(page)"
            )
        }
    }
}
