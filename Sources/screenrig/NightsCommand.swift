internal import ArgumentParser
internal import Formats
internal import Foundation
internal import Journal
internal import Rigs
internal import Runner
internal import Trends

/// Where the nights are.
struct NightsOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Night history; the HTML page is next to it.",
            valueName: "FILE"),
        completion: .file(extensions: ["sqlite"]))
    var nights: String = NightBook.usual
}

struct NightsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nights",
        abstract: "Show the series of nights, add a run to them, or accept a regression.",
        discussion: """
            Example:
                screenrig nights
                screenrig nights add latest --nights shared/nights.sqlite
                screenrig nights accept --note 'new login page'

            Renders reports/nights.html again and runs nothing.

            Exit codes: 0 no regression, 1 a rig has a regression that is not accepted.
            """,
        subcommands: [NightsShowCommand.self, NightsAddCommand.self, NightsAcceptCommand.self],
        defaultSubcommand: NightsShowCommand.self)
}

struct NightsShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the series of nights (the same as 'nights' alone).",
        discussion: """
            Example:
                screenrig nights --nights shared/nights.sqlite --html /tmp/nights.html
                screenrig nights --notify 'python3 scripts/notify/slack.py'

            With --notify it sends the digest of each rig again, and names nights that should have run since \
            the newest one and did not: start it from a timer of its own, on another machine if there is one.
            """)

    @OptionGroup var book: NightsOptions

    @Option(
        name: .customLong("html"),
        help: ArgumentHelp("Write the page to this file instead.", valueName: "FILE"),
        completion: .file(extensions: ["html"]))
    var page: String?

    @Flag(help: "Print the newest night of each rig as a JSON line.")
    var json = false

    @OptionGroup var notify: NotifyOptions

    @Option(
        help: ArgumentHelp(
            "Judge as of then, such as 2026-11-18T08:00:00Z; later nights are left out.",
            valueName: "TIME"))
    var at: String?

    func validate() throws {
        guard let at, UTCTime(rfc3339: at) == nil else { return }
        throw ValidationError(
            "--at is '\(at)'; it must be a time in UTC such as 2026-11-18T08:00:00Z")
    }

    func run() throws {
        let nights = try NightKeeping.open(book, creates: false)
        let isWorse = try NightKeeping.tell(
            nights, page: page, asJSON: json,
            at: at.flatMap { UTCTime(rfc3339: $0)?.rfc3339 },
            now: UTCTime(microseconds: WallClock.microseconds).rfc3339, notify: notify)
        if isWorse { throw CommandFailure(code: .failed, message: "") }
    }
}

struct NightsAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a recorded run to the series of nights, or replace it if it is there.",
        discussion: """
            Example:
                screenrig nights add latest --nights shared/nights.sqlite

            For machines that are discarded after a run, as in CI: keep the night history file, and add each \
            run to it. RUN is a run directory, its history.sqlite, 'latest', or 'latest~1' for the one \
            before. It is never deleted.
            """)

    @Argument(help: ArgumentHelp("The run.", valueName: "RUN"), completion: .directory)
    var recorded: String

    @OptionGroup var book: NightsOptions

    @Option(
        help: ArgumentHelp(
            "Label of this night, such as a commit or a version.",
            valueName: "TEXT"))
    var mark = ""

    @Flag(help: "Print the night as a JSON line.")
    var json = false

    @OptionGroup var notify: NotifyOptions

    func run() throws {
        let night = try CommandFailure.catching(as: .couldNotRun) {
            let directory = try RunDirectory.find(recorded)
            let history = try History(path: directory.history)
            guard let stored = StoredRun(directory) else {
                throw CommandFailure.couldNotRun(StoredRun.remedy(directory))
            }
            let header = history.header
            let reading = try Rig.read(
                header.rigSource, file: "the rig of \(header.run)",
                with: .recorded)
            return try Night(
                history, series: reading.rig.nightly.series,
                started: Night.start(of: header, in: directory),
                path: NightShelf(book: book.nights).name(of: directory.path), isOurs: false,
                mark: mark, alarm: reading.rig.nightly.alarm,
                stored: stored)
        }
        let nights = try NightKeeping.open(book, creates: true)
        let code = try NightKeeping.keep(
            night, in: nights, besides: nil, keep: nil, asJSON: json, notify: notify)
        if code != .passed { throw CommandFailure(code: code, message: "") }
    }
}

struct NightsAcceptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept",
        abstract: "Accept regressions as the new baseline, so that they are no longer reported.",
        discussion: """
            Example:
                screenrig nights accept --series 'sign-in-service p95' --note 'new login page'

            Without --rig and --series it accepts all regressions that are reported now. Later changes are \
            reported again.
            """)

    @OptionGroup var book: NightsOptions

    @Option(help: ArgumentHelp("Only regressions of this rig.", valueName: "NAME"))
    var rig: String?

    @Option(help: ArgumentHelp("Only this series; repeatable.", valueName: "NAME"))
    var series: [String] = []

    @Option(help: ArgumentHelp("The reason, shown with the change.", valueName: "TEXT"))
    var note = ""

    func run() throws {
        let nights = try NightKeeping.open(book, creates: false)
        let page = NightsFiles.page(of: nights.path)
        let views = try NightKeeping.render(nights, to: page)
        let all = views.flatMap { view in view.regressions.map { (view, $0) } }
        let chosen = all.filter { view, regression in
            rig.map { $0 == view.rig } ?? true
                && (series.isEmpty || series.contains(regression.series.name))
        }
        let names = Set(all.map { $0.1.series.name })
        let unknown = series.filter { !names.contains($0) }
        guard !chosen.isEmpty, unknown.isEmpty else {
            let present = all.map { "'\($0.1.series.name)' of \($0.0.rig)" }
            throw CommandFailure.badInput(
                (unknown.first.map { "'\($0)' is not worse" } ?? "there is nothing to accept")
                    + (present.isEmpty
                        ? "; no series is worse now"
                        : "; worse are \(present.joined(separator: ", "))"))
        }
        try CommandFailure.catching(as: .couldNotRun) {
            for (view, regression) in chosen {
                try nights.accept(
                    Acceptance(
                        rig: view.rig, series: regression.series.name,
                        through: view.nights.last?.started ?? "", note: note,
                        at: UTCTime(microseconds: WallClock.microseconds).rfc3339))
                Terminal.print("accepted: \(view.sentence(regression)) (\(view.rig))")
            }
        }
        _ = try NightKeeping.render(nights, to: page)
        NightKeeping.refreshIndex(beside: nights)
        Terminal.print("nights: \(page)")
    }
}
