internal import ArgumentParser
internal import Foundation
internal import Races
internal import Rigs
internal import Runner

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract:
            "Replay a case and print its rate, k of n; exit code 1 while it reproduces.",
        discussion: """
            Example:
                screenrig replay reports/latest/cases/sign-in-visible.json --times 50
                screenrig replay CASE --fixed-at 99%
                screenrig replay CASE --emit python > race.py

            A case is a file that 'race' and 'run' write to cases/. It contains its rig and its faults; \
            --target replays it against another service, --fault and --set change its rig. After a fix, \
            --fixed-at computes how many clean replays prove it, and runs them. --emit prints the case for \
            people without screenrig.

            A case may come from somebody else. Values that its rig reads from this machine (${NAME}, \
            ${file:PATH}) are sent only to hosts that you name with --target or --allow. Its programs run \
            only with --trust.

            Exit codes: 0 does not reproduce, 1 reproduces, 2 bad case or command line, 3 could not run or \
            tell, 130 interrupted.
            """)

    enum Form: String, CaseIterable, ExpressibleByArgument { case python, har }

    @Argument(
        help: ArgumentHelp("The case (cases/*.json).", valueName: "CASE"),
        completion: .file(extensions: ["json"]))
    var file: String

    @Option(help: ArgumentHelp("Number of replays; default: 20.", valueName: "N"))
    var times: Int?

    @Option(
        help: ArgumentHelp(
            "Run as many replays as a fix needs to be proven with this confidence, such as 99%.",
            valueName: "SHARE"))
    var fixedAt: String?

    @Option(
        help: ArgumentHelp(
            "Print the case instead of replaying it: python or har.",
            valueName: "FORM"))
    var emit: String?

    @OptionGroup var changes: RigChanges

    @Flag(
        name: .customLong("virtual"),
        help: "Run in virtual time against the stand-in in this process; repeatable from the seed.")
    var isVirtual = false

    @Flag(help: "Update the case and its page with these measurements.")
    var save = false

    @Flag(
        name: .customLong("trust"),
        help:
            "Trust the case: send its rig's ${...} values to any host it names, and run its programs."
    )
    var isTrusted = false

    @OptionGroup var play: PlayOptions

    func validate() throws {
        if let times, !(1...1_000_000).contains(times) {
            throw ValidationError("--times is \(times); it must be 1 to 1000000")
        }
        _ = try form()
    }

    func run() async throws {
        let known = try CommandFailure.catching(as: .badInput) { try Case(contentsOf: file) }
        let confidence = try confidence()
        let own = try CaseRig(
            known, target: changes.target, overrides: try changes.overrides.map(RigFile.split),
            seed: changes.seed, faults: play.faults, isVirtual: isVirtual,
            readsSecrets: emit == nil,
            allowed: play.allowed, isTrusted: isTrusted)
        let isTranslated = own.played.target.protocolName != known.target.protocolName
        if save, isTranslated {
            throw CommandFailure.badInput(
                "--save writes into the case, which is over \(known.target.protocolName), and this "
                    + "replay is over \(own.played.target.protocolName); leave --save out")
        }
        if let form = try form() { return try print(own.played, own.rig, as: form) }
        let fixed = confidence.map { FixedAt(known, confidence: $0) }
        let session = ReplaySession(
            known: own.played, rig: own.rig, isTranslated: isTranslated,
            times: times ?? fixed?.replays ?? 20, fixed: fixed,
            file: file, isVirtual: isVirtual, allowed: play.allowed, isQuiet: play.quiet,
            asJSON: play.json, saves: save)
        try await session.run()
    }

    private func form() throws -> Form? {
        guard let emit else { return nil }
        if let form = Form(rawValue: emit) { return form }
        let why =
            emit == "curl"
            ? "curl cannot hold back the last byte of a request, as a race needs; write python "
                + "or har"
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
                "--fixed-at is '\(fixedAt)'; it must be a confidence such as 99%, between 50% and "
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
