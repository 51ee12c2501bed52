internal import ArgumentParser
internal import Foundation
internal import Rigs
internal import Runner
internal import Statistics

/// The options that say which shard of a run this process is.
struct ShardOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Run shard I of N of the plan, I counted from 0. auto: the shard that the environment of Kubernetes, "
                + "Slurm, Open MPI, Cloud Run, AWS Batch or srun says.",
            valueName: "I/N|auto|auto/N"))
    var shard: String?

    @Option(
        name: .customLong("run-id"),
        help: ArgumentHelp(
            "The name that all shards of one run have in common. auto: the engine's id of the job (the default with "
                + "--shard auto, where the engine has one).",
            valueName: "TEXT"))
    var runID: String?

    /// The shard of a process, and the run it belongs to.
    struct Place {
        var placement: ShardPlacement
        var run: RunID

        var shard: Shard { placement.shard }
    }

    /// Nil where the run is not split. `seed`: of the rig; in virtual time it alone distinguishes runs. Throws
    /// `CommandFailure.badInput` where the options or the engine's variables do not fit together.
    func place(isVirtual: Bool, seed: Seed) throws -> Place? {
        guard let shard else {
            guard runID == nil else {
                throw CommandFailure.badInput(
                    "--run-id is for runs of several shards; add --shard I/N, or leave --run-id out"
                )
            }
            return nil
        }
        let placement = try CommandFailure.catching(as: .badInput) {
            try ShardRequest(parsing: shard).placement(
                in: ProcessInfo.processInfo.environment)
        }
        return Place(
            placement: placement,
            run: try run(placement) ?? (isVirtual ? RunID(of: seed) : try ownRun(placement.shard)))
    }

    /// The run id of `--run-id` or of the engine; nil where neither gives one.
    private func run(_ placement: ShardPlacement) throws -> RunID? {
        guard let runID, runID != "auto" else {
            if let run = placement.run { return RunID(named: run) }
            guard runID == nil else {
                let engine = placement.engine.map { "\($0) does not name the run" }
                throw CommandFailure.badInput(
                    "--run-id is auto, and \(engine ?? "no engine was found"); write --run-id TEXT, the same for "
                        + "every shard, or set \(ShardRequest.runVariable)")
            }
            return nil
        }
        guard (1...200).contains(runID.utf8.count) else {
            throw CommandFailure.badInput("--run-id has 1 to 200 characters, such as premiere-1")
        }
        return RunID(named: runID)
    }

    /// A random run id for the only shard of a run; throws for one of several, which need a common id.
    private func ownRun(_ shard: Shard) throws -> RunID {
        guard shard.count > 1 else { return .random() }
        throw CommandFailure.badInput(
            "--shard \(shard) needs --run-id, the same for every shard, so that no two of them use the same devices "
                + "and addresses; choose any text, such as --run-id premiere-1")
    }
}

/// When a shard starts, and whether it continues where an earlier attempt ended.
struct StartOptions: ParsableArguments {
    @Option(
        name: .customLong("start-at"),
        help: ArgumentHelp(
            "Start all shards together at this time: 2026-11-25T19:30:00Z, or seconds since 1970.",
            valueName: "TIME"))
    var startAt: String?

    @Flag(
        help:
            "If an earlier attempt of this shard was stopped or killed, run the households that it did not begin; else begin."
    )
    var resume = false

    @Flag(
        help:
            "Run all households of the shard although an earlier attempt left no history: some may run twice."
    )
    var anew = false

    /// The common start, microseconds since 1970; nil: at once. Throws where the time cannot be read.
    func start() throws -> Int64? {
        guard let startAt else { return nil }
        return try CommandFailure.catching(as: .badInput) {
            try StartTime.microseconds(startAt, now: WallClock.microseconds)
        }
    }

    /// Throws where an option needs a shard or a wall clock that the run does not have.
    func check(isVirtual: Bool, hasShard: Bool) throws {
        let given = [
            (startAt != nil, "--start-at"), (resume, "--resume"), (anew, "--anew"),
        ].first { $0.0 }?.1
        guard let given else { return }
        if isVirtual {
            let reason =
                given == "--start-at"
                ? "virtual time begins on the same date in every shard"
                : "a run in virtual time is repeated from its seed as a whole"
            throw CommandFailure.badInput(
                "\(given) is for runs over sockets: \(reason); leave \(given) out")
        }
        guard hasShard else {
            throw CommandFailure.badInput(
                "\(given) is for shards; add --shard I/N (0/1 for a run of one process), or leave \(given) out"
            )
        }
    }
}
