internal import ArgumentParser
internal import Foundation
internal import Races
internal import Rigs
internal import Staging

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract:
            "Replay a case: k of n, with its interval; exit code 1 while it still reproduces.",
        discussion: """
            Example:
                screenrig replay reports/latest/cases/sign-in-visible.json --times 50
                screenrig replay CASE --fixed-at 99%
                screenrig replay CASE --emit python > race.py

            A case is a file that 'race' and 'run' leave under cases/. It holds its rig and its faults; --target sends \
            it elsewhere, --fault and --set change what it is played on. When something was mended, --fixed-at plays \
            it as often as it takes to call it fixed. --emit writes it for people without screenrig.

            A case may come from anybody. What its rig takes from this machine as ${NAME} or ${file:PATH} goes to \
            hosts that --target and --allow name; anything else, and running its programs, takes --trust.

            Exit codes: 0 does not reproduce, 1 reproduces, 2 bad case or command line, 3 could not run, 130 \
            interrupted.
            """)

    enum Form: String, CaseIterable, ExpressibleByArgument { case python, har }

    @Argument(
        help: ArgumentHelp("The case (cases/*.json).", valueName: "CASE"),
        completion: .file(extensions: ["json"]))
    var file: String

    @Option(help: ArgumentHelp("How many replays; default: 20.", valueName: "N"))
    var times: Int?

    @Option(
        help: ArgumentHelp(
            "Say how many replays without a hit call it fixed, such as 99%, and play so many.",
            valueName: "SHARE"))
    var fixedAt: String?

    @Option(
        help: ArgumentHelp(
            "Print it for people without screenrig instead: python or har.",
            valueName: "FORM"))
    var emit: String?

    @OptionGroup var changes: RigChanges

    @Flag(
        name: .customLong("virtual"),
        help: "In virtual time, against the stand-in in this process: repeatable from the seed.")
    var isVirtual = false

    @Flag(help: "Write what this replay measured into the case, and its page anew.")
    var save = false

    @Flag(
        name: .customLong("trust"),
        help: "Send what its rig takes from here as ${...} wherever it says, and run its programs.")
    var isTrusted = false

    @OptionGroup var play: PlayOptions

    func validate() throws {
        if let times, !(1...1_000_000).contains(times) {
            throw ValidationError("--times is \(times); it must be 1 to 1000000")
        }
        _ = try form()
    }

    func run() async throws {
        let known: Case
        do { known = try Case(contentsOf: file) } catch {
            throw CommandFailure.badInput("\(error)")
        }
        let confidence = try confidence()
        let rig = try CaseRig(
            known, changes, faults: play.faults, isVirtual: isVirtual, readsSecrets: emit == nil,
            allowed: play.allowed, isTrusted: isTrusted
        ).rig
        if let form = try form() { return try print(known, rig, as: form) }
        let fixed = confidence.map { FixedAt(known, confidence: $0) }
        let session = ReplaySession(
            known: known, rig: rig, times: times ?? fixed?.replays ?? 20, fixed: fixed,
            file: file, isVirtual: isVirtual, allowed: play.allowed, isQuiet: play.quiet,
            asJSON: play.json, saves: save)
        try await session.run()
    }

    private func form() throws -> Form? {
        guard let emit else { return nil }
        if let form = Form(rawValue: emit) { return form }
        let why =
            emit == "curl"
            ? "a race is no curl line, which cannot hold back a last byte; write python or har"
            : "it must be python or har"
        throw ValidationError("--emit is '\(emit)'; \(why)")
    }

    /// `99%` or `0.99`.
    private func confidence() throws -> Double? {
        guard let fixedAt else { return nil }
        let share =
            fixedAt.hasSuffix("%")
            ? Double(fixedAt.dropLast()).map { $0 / 100 } : Double(fixedAt)
        guard let share, share >= 0.5, share < 1 else {
            throw CommandFailure.badInput(
                "--fixed-at '\(fixedAt)' is no confidence; write for example 99%, within 50% and "
                    + "100%")
        }
        return share
    }

    private func print(_ known: Case, _ rig: Rig, as form: Form) throws {
        let emission = Emission(known, target: EmitTarget(rig))
        do {
            switch form {
            case .python: Terminal.print(try emission.python())
            case .har: Terminal.print(try emission.har())
            }
        } catch {
            throw CommandFailure.badInput("\(file): \(error)")
        }
    }
}
