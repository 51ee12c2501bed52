internal import ArgumentParser

struct TryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "One household, every exchange as it happens, and a checklist with a remedy.",
        discussion: """
            Example:
                screenrig try rigs/staging.yaml
                screenrig try rigs/staging.yaml --bodies \\
                    --target https://other.staging.example

            The first thing to type against a new target. Human times are shortened and nobody gives up; the \
            rest is as the rig says, and a logout is tried at the end. It ends with a checklist and, for the \
            first step that failed, what to change. It leaves a run directory like any run.

            Exit codes: 0 each step passed, 3 nothing ever answered, 1 otherwise.
            """)

    @OptionGroup var traffic: TrafficOptions

    @Flag(help: "Headers and bodies too, with secrets as fingerprints.")
    var bodies = false

    func validate() throws {
        if traffic.play.json {
            throw ValidationError("try prints for people; write 'run --json' for programs")
        }
    }

    func run() async throws {
        try await Session.run(traffic, isVirtual: false, trial: Trial(bodies: bodies))
    }
}
