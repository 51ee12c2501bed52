internal import ArgumentParser
internal import Foundation
internal import Journal
internal import Races
internal import Runner

struct ExplainFindingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain-finding",
        abstract: "Print a case as a text for the server's maintainers.",
        discussion: """
            Example:
                screenrig explain-finding reports/latest/cases/sign-in-delivered.json
                screenrig explain-finding CASE --server 'Acme Auth 4.2' --out ~/findings

            The text says what was promised and which standard says so, what happened, how often, and how to see \
            it again, with versions and settings. It is Markdown. --out writes it to DIR/NAME.md, and the script \
            that reproduces the case next to it, as DIR/NAME.py. No request is sent.

            Send it to the server's maintainers before anybody else, and keep it out of public repositories until \
            they have answered. It holds no secret, but the address of the server.
            """)

    @Argument(
        help: ArgumentHelp("The case (cases/*.json).", valueName: "CASE"),
        completion: .file(extensions: ["json"]))
    var file: String

    @Option(
        help: ArgumentHelp(
            "Name and version of the server's software, and how it is set up; default: a blank to fill in.",
            valueName: "TEXT"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            "Write the text and the script into this directory instead of printing the text.",
            valueName: "DIR"),
        completion: .directory)
    var out: String?

    func run() throws {
        let known = try CommandFailure.catching(as: .badInput) { try Case(contentsOf: file) }
        let own = try CaseRig(
            known, target: nil, overrides: [], seed: nil, faults: [], isVirtual: false,
            readsSecrets: false, allowed: [], isTrusted: false)
        var (script, reason): (String?, String) = (nil, "")
        do {
            script = try Emission(own.played, target: EmitTarget(own.rig)).python()
        } catch {
            reason = "\(error)"
        }
        let text = known.finding(
            server: server, script: script == nil ? nil : known.name + ".py", reason: reason,
            replaying: file)
        if known.evidence.map({ $0.rate.trials == 0 }) ?? true {
            Terminal.complain(
                inWords:
                    "note: its rate is not measured yet; '\(known.replayCommand(of: file)) --times 50 --save' "
                    + "measures it, before you send this")
        }
        guard let out else { return Terminal.print(String(text.dropLast())) }
        try write(text, known.name + ".md", in: out)
        if let script { try write(script, known.name + ".py", in: out) }
    }

    private func write(_ text: String, _ name: String, in folder: String) throws {
        let path = (folder as NSString).appendingPathComponent(name)
        do {
            try PrivateFile.makeFolder(folder)
            try PrivateFile.write(Data(text.utf8), to: path)
        } catch {
            throw CommandFailure.couldNotRun("\(path): \(error.localizedDescription)")
        }
        Terminal.print(path)
    }
}
