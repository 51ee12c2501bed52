internal import ArgumentParser

struct TryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "One household, every exchange as it happens, and a checklist with a remedy.",
        discussion: """
            Example:
                screenrig try rigs/staging.yaml
                screenrig try rigs/staging.yaml --kind "living room"
                screenrig try rigs/staging.yaml --bodies \\
                    --target https://other.staging.example

            The first thing to type against a new target. One household of the rig's first kind, or of --kind, \
            signs in as that kind does: by a code, in a web view, by the platform's account, over the SDK, or \
            with a TempPass. Human times are shortened and nobody gives up; the rest is as the rig says, and a \
            logout is tried at the end. It ends with a checklist and, for the first step that failed, what to \
            change; then with what would fail a run of this rig. It leaves a run directory like any run.

            Exit codes: 0 each step passed and nothing would fail a run, 3 nothing ever answered, 1 otherwise.
            """)

    @OptionGroup var traffic: TrafficOptions

    @Option(
        help: ArgumentHelp("The kind of household; default: the rig's first.", valueName: "NAME"))
    var kind: String?

    @Flag(help: "Headers and bodies too, with secrets as fingerprints.")
    var bodies = false

    func validate() throws {
        if traffic.play.json {
            throw ValidationError("try prints for people; write 'run --json' for programs")
        }
    }

    func run() async throws {
        try await RunSession.run(
            traffic, isVirtual: false, trial: Trial(bodies: bodies, kind: kind))
    }
}
