internal import Foundation
internal import Journal
internal import Trends

/// What `nightly` and `nights` do with a book of nights.
enum NightKeeping {
    static func open(_ options: NightsOptions, creates: Bool) throws -> NightBook {
        do {
            return try NightBook(path: options.nights, creates: creates)
        } catch {
            throw CommandFailure.couldNotRun("\(error)")
        }
    }

    /// Adds a night, lets old directories go, renders the page, tells terminal and command; returns
    /// the exit code. `besides` is what the run itself ended with. Without `keep` nothing is deleted.
    static func keep(
        _ night: Night, in book: NightBook, besides code: ExitCode?, keep: Int?, asJSON: Bool,
        notify: String?
    ) throws -> ExitCode {
        let view: NightsView
        let page = NightsFiles.page(of: book.path)
        do {
            try book.add(night)
            if let keep {
                let gone = NightShelf(book: book.path).prune(
                    try book.nights(of: night.rig), keep: keep)
                for run in gone { try book.forget(run: run) }
            }
            let (nights, accepted) = (try book.nights(), try book.accepted())
            try NightsFiles.write(
                NightsView.all(nights, accepted: accepted), book: book.path, to: page)
            view = NightsView(
                nights.filter { $0.rig == night.rig }, rig: night.rig, accepted: accepted)
        } catch {
            throw CommandFailure.couldNotRun("\(error)")
        }
        // A run added late, among older ones, tells of nothing new.
        let isNewest = view.nights.last == night
        let isWorse = isNewest && view.verdict == .worse
        let result = code ?? (isWorse ? .failed : .passed)
        let json = json(view, book, exitCode: result.rawValue, page: page)
        if asJSON {
            Terminal.print(json)
        } else {
            Terminal.print(
                NightsText.text(
                    [view], width: Terminal.width, color: Terminal.usesColor, page: page))
        }
        if let notify { Notification(command: notify).send(json) }
        return result
    }

    /// Writes the page of all nights.
    static func render(_ book: NightBook, to page: String) throws -> [NightsView] {
        do {
            let views = NightsView.all(try book.nights(), accepted: try book.accepted())
            try NightsFiles.write(views, book: book.path, to: page)
            return views
        } catch {
            throw CommandFailure.couldNotRun("\(error)")
        }
    }

    /// Renders all nights and tells the terminal; returns whether any rig got worse, or still is.
    static func tell(_ book: NightBook, page: String?, asJSON: Bool) throws -> Bool {
        let page = page ?? NightsFiles.page(of: book.path)
        let views = try render(book, to: page)
        if asJSON {
            for view in views {
                let code: ExitCode = view.verdict == .worse ? .failed : .passed
                Terminal.print(json(view, book, exitCode: code.rawValue, page: page))
            }
        } else {
            Terminal.print(
                NightsText.text(
                    views, width: Terminal.width, color: Terminal.usesColor, page: page))
        }
        return views.contains { $0.verdict == .worse }
    }

    private static func json(
        _ view: NightsView, _ book: NightBook, exitCode: Int32, page: String
    ) -> String {
        let shelf = NightShelf(book: book.path)
        let report = view.nights.last.flatMap { night in
            shelf.holdsReport(night) ? shelf.path(of: night.path) + "/report.html" : nil
        }
        return NightJSON.text(view, exitCode: exitCode, report: report, page: page)
    }

    /// What the run's own report says, promises and thresholds included; nil where there is none.
    static func verdict(in directory: RunDirectory) -> (outcome: String, headline: String)? {
        struct StoredRun: Decodable {
            var outcome: String
            var headline: String
        }
        guard let data = try? Data(contentsOf: URL(filePath: directory.file("summary.json"))),
            let stored = try? JSONDecoder().decode(StoredRun.self, from: data)
        else { return nil }
        return (stored.outcome, stored.headline)
    }
}

/// A command of the user's that is told of a night.
struct Notification {
    var command: String

    /// Longer it is not waited for.
    private static let limit = 60.0

    /// Hands `text` to the command's standard input. What it prints goes to standard error; that it
    /// fails is told there, and changes no exit code.
    func send(_ text: String) {
        let process = Process()
        let input = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        process.standardInput = input
        process.standardOutput = FileHandle.standardError
        do {
            try process.run()
        } catch {
            return Terminal.complain("--notify: the command cannot be started: \(error)")
        }
        // A command that reads nothing is no mistake.
        try? input.fileHandleForWriting.write(contentsOf: Data((text + "\n").utf8))
        try? input.fileHandleForWriting.close()
        let end = Date.now.addingTimeInterval(Self.limit)
        while process.isRunning, Date.now < end { usleep(20_000) }
        if process.isRunning {
            process.terminate()
            return Terminal.complain(
                "--notify: '\(command)' was still running after \(Int(Self.limit)) s and was "
                    + "killed")
        }
        if process.terminationStatus != 0 {
            Terminal.complain(
                "--notify: '\(command)' ended with exit code \(process.terminationStatus); the "
                    + "night was added to the series")
        }
    }
}
