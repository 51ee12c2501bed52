internal import ArgumentParser
internal import Foundation
internal import Journal
internal import Reports
internal import Rigs

/// Where the nights are.
struct NightsOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The book of nights; its page lies beside it.",
            valueName: "FILE"),
        completion: .file(extensions: ["sqlite"]))
    var nights: String = NightBook.usual
}

struct NightsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nights",
        abstract: "Show the series of nights, or add a run to them.",
        discussion: """
            Example:
                screenrig nights
                screenrig nights add latest --nights shared/nights.sqlite

            Renders reports/nights.html again and runs nothing. Exit code 1 when the newest night of a rig told \
            of a change for the worse.
            """,
        subcommands: [NightsShowCommand.self, NightsAddCommand.self],
        defaultSubcommand: NightsShowCommand.self)
}

struct NightsShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the series of nights (what 'nights' alone does).",
        discussion: """
            Example:
                screenrig nights --nights shared/nights.sqlite --html /tmp/nights.html
            """)

    @OptionGroup var book: NightsOptions

    @Option(
        name: .customLong("html"),
        help: ArgumentHelp("Write the page there instead.", valueName: "FILE"),
        completion: .file(extensions: ["html"]))
    var page: String?

    @Flag(help: "The newest night of each rig as a JSON line on standard output.")
    var json = false

    func run() throws {
        let nights = try NightKeeping.open(book, creates: false)
        let isWorse = try NightKeeping.tell(nights, page: page, asJSON: json)
        if isWorse { throw Failure(code: .failed, message: "") }
    }
}

struct NightsAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a recorded run to the series of nights; the same run again replaces itself.",
        discussion: """
            Example:
                screenrig nights add latest --nights shared/nights.sqlite

            For machines that do not last: keep the file of the nights, and add each run to it. RUN is a run \
            directory, its history.sqlite, 'latest', or 'latest~1' for the one before. It is never deleted.
            """)

    @Argument(help: ArgumentHelp("The run.", valueName: "RUN"), completion: .directory)
    var recorded: String

    @OptionGroup var book: NightsOptions

    @Flag(help: "The night as a JSON line on standard output.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "A command for the shell that gets the night as JSON on standard input.",
            valueName: "COMMAND"))
    var notify: String?

    func run() throws {
        let night: Night
        do {
            let directory = try RunDirectory.find(recorded)
            let history = try History(path: directory.history)
            let header = history.header
            let reading = try Rig.read(
                header.rigSource, file: "the rig of \(header.run)",
                with: RigSurroundings(secrets: .omitted, contents: { _ in nil }))
            night = try Night(
                history, series: reading.rig.nightly.series,
                started: header.isVirtual
                    ? NightKeeping.date(ofStamp: directory.stamp)
                    : NightKeeping.date(ofMicroseconds: header.startedMicroseconds),
                path: NightShelf(book: book.nights).name(of: directory.path), isOurs: false,
                verdict: NightKeeping.verdict(in: directory))
        } catch {
            throw Failure.couldNotRun("\(error)")
        }
        let nights = try NightKeeping.open(book, creates: true)
        let code = try NightKeeping.keep(
            night, in: nights, besides: nil, keep: nil, asJSON: json, notify: notify)
        if code != .passed { throw Failure(code: code, message: "") }
    }
}
