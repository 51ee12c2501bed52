internal import ArgumentParser
internal import Formats
internal import Foundation
internal import Runner

/// What a command may change about a rig, whether a file or a case holds it. Whoever reads a file names it itself, and not
/// in a group that this one is in: a debug build checks each group once for every check of the group around it.
struct RigChanges: ParsableArguments {
    /// Of the argument that names the rig.
    static let rig: ArgumentHelp =
        "The rig: a file, or the name of one that 'screenrig list rigs' shows."
    static let rigFiles = CompletionKind.file(extensions: ["yaml", "yml"])

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Replace one value of the rig; repeatable.", valueName: "path.to.key=value"))
    var overrides: [String] = []

    @Option(
        help: ArgumentHelp(
            "The service to test: a URL (replaces target.base only), a target file, or 'embedded'.",
            valueName: "URL|FILE.yaml|embedded"),
        completion: .file(extensions: ["yaml", "yml"]))
    var target: String?

    @Option(help: ArgumentHelp("Replace the rig's seed.", valueName: "N"))
    var seed: UInt64?

    /// `rig` with the changes as they were typed, for a command to copy that does the same.
    func words(of rig: String) -> String {
        let target = target.map { ["--target", $0] } ?? []
        let seed = seed.map { ["--seed", "\($0)"] } ?? []
        let all = [rig] + target + overrides.flatMap { ["--set", $0] } + seed
        return all.map(ShellText.word).joined(separator: " ")
    }
}

/// What every command that makes traffic takes.
struct TrafficOptions: ParsableArguments {
    @Argument(
        help: RigChanges.rig, completion: RigChanges.rigFiles, transform: RigFolders.path)
    var rig: String

    @OptionGroup var changes: RigChanges

    @Option(
        help: ArgumentHelp(
            "The run directory to write; it must be new or empty.", valueName: "DIR"),
        completion: .directory)
    var out: String?

    @Option(
        help: ArgumentHelp(
            "Number of lanes (threads that run households); default: one per core.",
            valueName: "N"))
    var lanes: Int?

    @Option(
        help: ArgumentHelp(
            "Which exchanges to record: all, sample(1%), aggregates or none.",
            valueName: "WHAT"),
        completion: .list(["all", "sample(1%)", "aggregates", "none"]))
    var record: String?

    @Option(
        help: ArgumentHelp(
            "Hard limit of requests per second, such as 5/s, or none; replaces target.max-rate.",
            valueName: "RATE"))
    var maxRate: String?

    @Option(
        help: ArgumentHelp(
            "Which broken promises fail the run: strict, documented or observe; replaces the "
                + "rig's.",
            valueName: "LEVEL"),
        completion: .list(["strict", "documented", "observe"]))
    var promises: String?

    @Option(
        help: ArgumentHelp(
            "Number of exchanges that may wait for the checker before they are spilled to "
                + "disk.", visibility: .hidden)
    )
    var judgeBacklog = JudgeQueue.usualBacklog

    /// `--unjudged` is its name in 0.1.0.
    @Flag(
        name: [.customLong("no-check"), .customLong("unjudged")],
        help: ArgumentHelp("Check nothing, to measure what checking costs.", visibility: .hidden))
    var skipsChecks = false

    @Flag(
        name: [.customLong("no-bodies"), .customLong("wordless")],
        help: ArgumentHelp(
            "Record no requests and responses, to measure what recording costs.",
            visibility: .hidden))
    var skipsBodies = false

    @OptionGroup var play: PlayOptions

    func validate() throws {
        if let lanes, !(1...64).contains(lanes) {
            throw ValidationError("--lanes is \(lanes); it must be 1 to 64")
        }
    }
}

/// What every command that plays households takes, be they of a rig or of a case.
struct PlayOptions: ParsableArguments {
    @Option(
        name: .customLong("allow"),
        help: ArgumentHelp(
            "Allow requests to this host; loopback is always allowed. Repeatable.",
            valueName: "HOST"))
    var allowed: [String] = []

    @Option(
        name: .customLong("fault"),
        help: ArgumentHelp(
            "Switch on a fault of the embedded stand-in; repeatable, replaces the rig's faults.",
            valueName: "NAME[:key=value,…]"),
        completion: .list(FaultOptions.names))
    var faults: [String] = []

    @Flag(help: "Print no progress, only the result.")
    var quiet = false

    @Flag(help: "Print progress and result as JSON lines, and nothing else, on standard output.")
    var json = false
}
