internal import ArgumentParser
internal import Formats
internal import Foundation
internal import Journal
internal import Rigs
internal import Runner
internal import Trends

struct NightlyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nightly",
        abstract: "Run a rig, add the night to its series, and report lasting regressions.",
        discussion: """
            Example:
                screenrig nightly rigs/nightly.yaml \\
                    --notify 'python3 scripts/notify/mail.py'

            The night is added to reports/nights.sqlite; reports/nights.html shows all nights. \
            'nightly.series' in the rig chooses the values to follow. Every night a digest says what got worse \
            and since when: reports/digests/<rig>.txt and .html. The command of --notify gets it as JSON on \
            standard input, with "alarm": true if a value got worse; scripts/notify has senders for mail, \
            Slack and Teams. A single unusual night is no alarm, unless it exceeds nightly.alarm of the rig.

            Exit codes: the run's own if the run did not pass; otherwise 1 while a regression is not \
            accepted ('screenrig nights accept'), else 0.
            """)

    @OptionGroup var traffic: TrafficOptions

    @OptionGroup var book: NightsOptions

    @OptionGroup var pages: PageOptions

    @OptionGroup var telemetry: TelemetryOptions

    @OptionGroup var notify: NotifyOptions

    @Option(
        help: ArgumentHelp(
            "Number of run directories to keep; default: nightly.keep of the rig (90).",
            valueName: "NIGHTS"))
    var keep: Int?

    @Option(
        help: ArgumentHelp(
            "Label of this night, such as a commit or a version.",
            valueName: "TEXT"))
    var mark = ""

    @Flag(
        name: .customLong("virtual"),
        help: "Run in virtual time against the stand-in in this process."
    )
    var isVirtual = false

    func validate() throws {
        if let keep, keep < 1 {
            throw ValidationError("--keep is \(keep); it must be at least 1")
        }
    }

    func run() async throws {
        let rig = try RigFile.read(traffic, isVirtual: isVirtual, tellsDoubts: false)
        let started = WallClock.microseconds
        // A book that cannot be used is told before an hour's run, not after it.
        let nights = try NightKeeping.open(book, creates: true)
        let directory = try CommandFailure.catching(as: .couldNotRun) {
            try RunDirectory.create(
                rig: rig.name, startedMicroseconds: started, out: traffic.out)
        }
        // A process that is killed can add nothing any more: its night is in the book from its beginning.
        let unfinished = unfinished(rig, directory, started: started, nights)
        try CommandFailure.catching(as: .couldNotRun) { try nights.add(unfinished) }
        let failure = await run(into: directory)
        if failure?.code == .badInput {
            try CommandFailure.catching(as: .couldNotRun) { try nights.remove(unfinished) }
            directory.removeIfEmpty()
            throw CommandFailure(code: .badInput, message: "")
        }
        let night = night(rig, directory, started: started, failure, nights)
        let code = try NightKeeping.keep(
            night, insteadOf: unfinished, in: nights, besides: failure?.code,
            keep: keep ?? rig.nightly.keep,
            asJSON: traffic.play.json, notify: notify)
        if code != .passed { throw CommandFailure(code: code, message: "") }
    }

    /// The run as `run` does it. What kept it from passing comes back.
    private func run(into directory: RunDirectory) async -> CommandFailure? {
        var traffic = traffic
        traffic.out = directory.path
        do {
            try await traffic.run(isVirtual: isVirtual, pages: pages, telemetry: telemetry)
            return nil
        } catch let failure as CommandFailure {
            if !failure.message.isEmpty { Terminal.complain(failure.message) }
            return failure
        } catch {
            Terminal.complain("\(error)")
            return CommandFailure.couldNotRun("\(error)")
        }
    }

    private func unfinished(
        _ rig: Rig, _ directory: RunDirectory, started: Int64, _ nights: NightBook
    ) -> Night {
        var night = Night(
            failed: rig.name, series: rig.nightly.series,
            started: UTCTime(microseconds: started).rfc3339,
            reason: Night.unfinished,
            version: Screenrig.version, mark: mark)
        night.run = directory.name
        night.path = NightShelf(book: nights.path).name(of: directory.path)
        night.isOurs = true
        return night
    }

    private func night(
        _ rig: Rig, _ directory: RunDirectory, started: Int64, _ failure: CommandFailure?,
        _ nights: NightBook
    ) -> Night {
        do {
            let history = try History(path: directory.history)
            return try Night(
                history, series: rig.nightly.series,
                started: Night.start(of: history.header, in: directory),
                path: NightShelf(book: nights.path).name(of: directory.path), isOurs: true,
                mark: mark, alarm: rig.nightly.alarm,
                stored: StoredRun(directory))
        } catch {
            directory.removeIfEmpty()
            let reason = failure?.message ?? ""
            return Night(
                failed: rig.name, series: rig.nightly.series,
                started: UTCTime(microseconds: started).rfc3339,
                reason: reason.isEmpty ? "\(error)" : reason, version: Screenrig.version, mark: mark
            )
        }
    }
}

extension RunDirectory {
    /// A run that was refused leaves nothing; the link to the newest run must not lead there.
    fileprivate func removeIfEmpty() {
        guard rmdir(path) == 0 else { return }
        let link = (path as NSString).deletingLastPathComponent + "/" + RunDirectory.latest
        if (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == name {
            unlink(link)
        }
    }
}
