internal import ArgumentParser
internal import Foundation
internal import Reports

/// Prints the manual page, for `make install`.
struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual", abstract: "Print the manual page in roff.",
        discussion: """
            Example:
                screenrig manual > screenrig.1
            """,
        shouldDisplay: false)

    func run() throws {
        let codes = Explanation.all.filter { $0.kind == .exitCode }.map { ($0.name, $0.line) }
        guard
            let page = ManualPage(
                dump: Screenrig._dumpHelp(), version: Screenrig.version, exitCodes: codes)
        else {
            throw CommandFailure.couldNotRun(
                "the manual page cannot be made from this help "
                    + "text")
        }
        Terminal.print(page.text)
    }
}
