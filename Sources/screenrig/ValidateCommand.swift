internal import ArgumentParser
internal import Races
internal import Rigs
internal import Runner

struct ValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Check a rig without using the network; print the plan and what it needs.",
        discussion: """
            Example:
                screenrig validate rigs/second-screen.yaml
                screenrig validate rigs/second-screen.yaml --set lanes=4 \\
                    --target http://127.0.0.1:8080

            It reports all errors at once, each with line, column and remedy. Then it prints the plan: \
            households, arrivals, expected requests by operation, sockets and memory against this machine's \
            limits, and the calibrated rate of this machine; for a rig with races, also the race plans, \
            trials and limits.
            """)

    @OptionGroup var options: RigOptions

    func run() throws {
        let rig = try RigFile.read(options, tellsNeeds: true)
        let estimate = PlanEstimate(
            Plan(rig, seed: rig.seed), on: .here(for: rig))
        if case .remote(let origin, _) = rig.target.base, rig.target.allow.isEmpty,
            !TargetNeeds.isThisMachine(origin.host)
        {
            Terminal.complain(
                "warning: \(options.rig): target.allow is empty, so no request may go to "
                    + "\(origin.host); add 'allow: [\(origin.host)]'")
        }
        Terminal.print("\(options.rig): rig is valid\n")
        Terminal.print(estimate.description)
        let commands = rig.commands
        if !commands.isEmpty {
            Terminal.print("\ncommands")
            for command in commands { Terminal.print(inWords: "  \(command)", hanging: 4) }
        }
        // A rig that says nothing of races would race everything: no news.
        if rig.race != .blank { Terminal.print("\n" + RaceText.terms(rig.race)) }
    }
}
