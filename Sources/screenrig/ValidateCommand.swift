internal import ArgumentParser
internal import Formats
internal import Glibc
internal import Races
internal import Rigs
internal import Runner
internal import Vocabulary

struct ValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Check a rig without using the network; print the plan and what it needs.",
        discussion: """
            Example:
                screenrig validate rigs/second-screen.yaml
                screenrig validate rigs/second-screen.yaml --set lanes=4 \\
                    --target http://127.0.0.1:8080
                screenrig validate premiere --shards auto

            It reports all errors at once, each with line, column and remedy. Then it prints the plan: \
            households, arrivals, expected requests by operation, sockets and memory against this machine's \
            limits, and the calibrated rate of this machine; for a rig with races, also the race plans, \
            trials and limits.

            --shards divides the plan over machines like this one: what each needs of rate, connections, \
            descriptors and memory, and how many machines are enough. The rate is that of 'screenrig \
            calibrate' on this machine.
            """)

    @Argument(
        help: RigChanges.rig, completion: RigChanges.rigFiles, transform: RigFolders.path)
    var rig: String

    @OptionGroup var changes: RigChanges

    @Option(
        help: ArgumentHelp(
            "Divide the plan over so many machines like this one, or 'auto': over as many as it needs.",
            valueName: "N|auto"))
    var shards: String?

    func validate() throws {
        guard let shards, shards != "auto" else { return }
        guard let count = Int(shards), (1...ShardLimits.countAtMost).contains(count) else {
            throw ValidationError(
                "--shards is '\(shards)'; it must be a number of machines, 1 to \(ShardLimits.countAtMost), "
                    + "or auto")
        }
    }

    func run() throws {
        let rig = try RigFile.read(self.rig, changes, tellsNeeds: true)
        let machine = MachineLimits.here(for: rig)
        let estimate = PlanEstimate(Plan(rig, seed: rig.seed), on: machine)
        if case .remote(let origin, _) = rig.target.base, rig.target.allow.isEmpty,
            !TargetNeeds.isThisMachine(origin.host)
        {
            Terminal.complain(
                "warning: \(self.rig): target.allow is empty, so no request may go to "
                    + "\(origin.host); add 'allow: [\(origin.host)]'")
        }
        let today = UTCTime(seconds: Int64(time(nil))).date
        for known in rig.known {
            guard let until = known.until, until < today else { continue }
            Terminal.complain(
                "warning: \(self.rig): known: \(known.invariant.name) (\(known.ticket)) is accepted until \(until) only, and "
                    + "fails runs since; remove it, or set another 'until'")
        }
        if let count = shards.flatMap(Int.init) { _ = try rig.part(of: Shard(0, of: count)) }
        Terminal.print("\(self.rig): rig is valid\n")
        Terminal.print(estimate.description)
        if let shards {
            let divided = ShardEstimate(estimate, of: rig, on: machine)
            Terminal.print("\n" + divided.text(shards: Int(shards)))
        }
        let commands = rig.commands
        if !commands.isEmpty {
            Terminal.print("\ncommands")
            for command in commands { Terminal.print(inWords: "  \(command)", hanging: 4) }
        }
        // A rig that says nothing of races would race everything: no news.
        if rig.race != .blank { Terminal.print("\n" + RaceText.terms(rig.race)) }
    }
}
