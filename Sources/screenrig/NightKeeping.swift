internal import ArgumentParser
internal import Formats
internal import Foundation
internal import Runner
internal import Trends

/// What `nightly` and `nights` do with a book of nights.
enum NightKeeping {
    static func open(_ options: NightsOptions, creates: Bool) throws -> NightBook {
        try CommandFailure.catching(as: .couldNotRun) {
            try NightBook(path: options.nights, creates: creates)
        }
    }

    /// Adds a night, lets old directories go, renders page and digest, tells terminal and command; returns
    /// the exit code. `former`: the night whose row it replaces. `besides` is what the run itself ended with. Without `keep` nothing is deleted.
    static func keep(
        _ night: Night, insteadOf former: Night? = nil, in book: NightBook, besides code: ExitCode?,
        keep: Int?, asJSON: Bool,
        notify: NotifyOptions
    ) throws -> ExitCode {
        let page = NightsFiles.page(of: book.path)
        let view = try CommandFailure.catching(as: .couldNotRun) {
            try book.add(night, insteadOf: former)
            if let keep {
                let gone = NightShelf(book: book.path).prune(
                    try book.nights(of: night.rig), keep: keep)
                for night in gone { try book.forget(night) }
            }
            let (nights, accepted) = (try book.nights(), try book.accepted())
            try NightsFiles.write(
                NightsView.all(nights, accepted: accepted), book: book.path, to: page)
            return NightsView(
                nights.filter { $0.rig == night.rig }, rig: night.rig, accepted: accepted)
        }
        let result = code ?? (view.verdict == .worse ? .failed : .passed)
        let told = try digest(Digest(view), exitCode: result, book, page: page, notify)
        if asJSON {
            Terminal.print(told.message)
        } else {
            Terminal.print(
                NightsText.text(
                    [view], width: Terminal.width, color: Terminal.usesColor, page: page))
        }
        refreshIndex(beside: book)
        notify.send(told)
        return result
    }

    /// A page of all runs that somebody has made there stays up to date.
    static func refreshIndex(beside book: NightBook) {
        do {
            try RunIndexFiles.refresh(
                NightShelf(book: book.path).folder,
                now: UTCTime(microseconds: WallClock.microseconds))
        } catch {
            Terminal.complain("\(error)")
        }
    }

    private static func digest(
        _ digest: Digest, exitCode: ExitCode, _ book: NightBook, page: String,
        _ notify: NotifyOptions
    ) throws -> (message: String, digest: Digest, files: DigestFiles) {
        try CommandFailure.catching(as: .couldNotRun) {
            let written = try DigestFiles.write(
                digest, exitCode: exitCode.rawValue, book: book.path, page: page, base: notify.link)
            return (written.message, digest, written.files)
        }
    }

    /// Writes the page of all nights; the views are those of `moment`, in ISO 8601, nil: of now.
    static func render(
        _ book: NightBook, to page: String, at moment: String? = nil
    ) throws -> [NightsView] {
        try CommandFailure.catching(as: .couldNotRun) {
            let (nights, accepted) = (try book.nights(), try book.accepted())
            let views = NightsView.all(nights, accepted: accepted)
            try NightsFiles.write(views, book: book.path, to: page)
            guard let moment else { return views }
            return NightsView.all(
                nights.filter { $0.started <= moment },
                accepted: accepted.filter { $0.isMade(by: moment) })
        }
    }

    /// Renders all nights and tells the terminal, and the command of `notify` of each rig; returns whether any rig got
    /// worse, or still is. `now` is when that is, `moment` when it is told as of.
    static func tell(
        _ book: NightBook, page: String?, asJSON: Bool, at moment: String?, now: String,
        notify: NotifyOptions
    ) throws -> Bool {
        let page = page ?? NightsFiles.page(of: book.path)
        let views = try render(book, to: page, at: moment)
        for view in views where asJSON || notify.command != nil {
            let code: ExitCode = view.verdict == .worse ? .failed : .passed
            let told = try digest(
                Digest(view, now: moment ?? now), exitCode: code, book, page: page, notify)
            if asJSON { Terminal.print(told.message) }
            notify.send(told)
        }
        if !asJSON {
            Terminal.print(
                NightsText.text(
                    views, width: Terminal.width, color: Terminal.usesColor, page: page))
        }
        refreshIndex(beside: book)
        return views.contains { $0.verdict == .worse }
    }
}

/// Who is told of a night, and where it can be read.
struct NotifyOptions: ParsableArguments {
    @Option(
        name: .customLong("notify"),
        help: ArgumentHelp(
            "Shell command that gets the night and its digest as JSON on standard input.",
            valueName: "COMMAND"))
    var command: String?

    @Option(
        help: ArgumentHelp(
            "Web address of the folder of the night history, for the link of the digest; default: a path on this machine.",
            valueName: "URL"))
    var link: String?

    func validate() throws {
        guard let link else { return }
        guard ["http://", "https://"].contains(where: link.hasPrefix),
            !link.contains(where: { $0.isWhitespace || $0.isNewline })
        else {
            throw ValidationError(
                "--link is '\(link)'; it must be a web address such as https://ci.example/reports")
        }
    }

    func send(_ told: (message: String, digest: Digest, files: DigestFiles)) {
        guard let command else { return }
        Notification(command: command).send(
            told.message,
            environment: [
                "SCREENRIG_SUBJECT": told.digest.subject,
                "SCREENRIG_COLOUR": told.digest.colour.rawValue,
                "SCREENRIG_TEXT": told.files.text, "SCREENRIG_HTML": told.files.page,
            ])
    }
}

/// A command of the user's that is told of a night.
struct Notification {
    var command: String

    /// Longer it is not waited for.
    private static let limit = 60.0

    /// Hands `text` to the command's standard input, and `environment` beside what this process has. What it prints
    /// goes to standard error; that it fails is told there, and changes no exit code.
    func send(_ text: String, environment: [String: String]) {
        let process = Process()
        let input = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = FileHandle.standardError
        let watch = ProcessWatch(process)
        do {
            try process.run()
        } catch {
            return Terminal.complain("--notify: the command cannot be started: \(error)")
        }
        // A command that reads nothing is no mistake.
        try? input.fileHandleForWriting.write(contentsOf: Data((text + "\n").utf8))
        try? input.fileHandleForWriting.close()
        switch watch.ending(within: Self.limit) {
        case .exit(0): return
        case .exit(let status):
            Terminal.complain(
                "--notify: '\(command)' ended with exit code \(status); the night was added to the series"
            )
        case .signal(let number):
            Terminal.complain(
                "--notify: '\(command)' was ended by signal \(number); the night was added to the series"
            )
        case nil:
            watch.end()
            Terminal.complain(
                "--notify: '\(command)' was still running after \(Int(Self.limit)) s and was killed"
            )
        }
    }
}
