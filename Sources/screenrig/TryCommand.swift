internal import ArgumentParser

struct TryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "Run one household, print every exchange, and end with a checklist and a remedy.",
        discussion: """
            Example:
                screenrig try rigs/staging.yaml
                screenrig try rigs/staging.yaml --kind "living room"
                screenrig try rigs/staging.yaml --bodies \\
                    --target https://other.staging.example

            The first command to run against a new target. One household of the rig's first kind, or of \
            --kind, signs in as that kind does: with a code, in a web view, with the platform's account, \
            over the SDK, or with a TempPass. Human times are shortened, and the viewer never gives up; \
            everything else is as in the rig, plus a logout at the end. It ends with a checklist, a remedy \
            for the first step that failed, and a list of what would fail a run of this rig. It writes a run \
            directory like any run.

            Exit codes: 0 every step passed and a run would pass, 3 no request was ever answered, 1 otherwise.
            """)

    @OptionGroup var traffic: TrafficOptions

    @Option(
        help: ArgumentHelp("The kind of household; default: the rig's first.", valueName: "NAME"))
    var kind: String?

    @Flag(help: "Also print headers and bodies, with secrets as fingerprints.")
    var bodies = false

    func validate() throws {
        if traffic.play.json {
            throw ValidationError("try has no JSON output; use 'run --json'")
        }
    }

    func run() async throws {
        try await traffic.run(
            isVirtual: false, trial: Trial(bodies: bodies, kind: kind))
    }
}
