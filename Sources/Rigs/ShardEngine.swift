internal import Vocabulary

/// An engine that starts the processes of a run, and the environment variables by which each process knows its place.
/// The engines are a table, so that one command line works with all of them.
public struct ShardEngine: Sendable {
    public let name: String
    /// Variable with the number of the process.
    public let number: String
    /// Variable with the number of processes; nil: the engine does not give it.
    public let count: String?
    /// Variables with the lowest number, the highest and the step; nil: the engine always counts from 0 in
    /// steps of 1.
    let range: NumberRange?
    /// Variables that name the run. The first list whose last variable is set counts: its values are joined by
    /// `-`, each without what follows `:`, which is the number of the process.
    let run: [[String]]
    /// Variable that counts attempts, and its value in the first attempt; nil: the engine does not count them.
    let attempts: AttemptVariable?
    /// Whether it starts processes inside those of other engines, which then take precedence.
    let isInner: Bool

    struct NumberRange: Sendable {
        var lowest: String
        var highest: String
        var distance: String
    }

    struct AttemptVariable: Sendable {
        var name: String
        var first: Int
    }

    init(
        _ name: String, number: String, count: String? = nil, range: NumberRange? = nil,
        run: [[String]] = [], attempts: AttemptVariable? = nil, isInner: Bool = false
    ) {
        (self.name, self.number, self.count, self.range) = (name, number, count, range)
        (self.run, self.attempts, self.isInner) = (run, attempts, isInner)
    }

    /// All known engines.
    public static let all = [
        // Neither the number of completions nor the job's name is in the environment; a manifest sets
        // SCREENRIG_SHARDS and SCREENRIG_RUN_ID.
        ShardEngine("a Kubernetes Indexed Job", number: "JOB_COMPLETION_INDEX"),
        // An array may be 1-8 or 0-14:2: the number of the shard is the place in it.
        ShardEngine(
            "Slurm", number: "SLURM_ARRAY_TASK_ID", count: "SLURM_ARRAY_TASK_COUNT",
            range: NumberRange(
                lowest: "SLURM_ARRAY_TASK_MIN", highest: "SLURM_ARRAY_TASK_MAX",
                distance: "SLURM_ARRAY_TASK_STEP"),
            // Job ids are those of a cluster.
            run: [["SLURM_CLUSTER_NAME", "SLURM_ARRAY_JOB_ID"]],
            attempts: AttemptVariable(name: "SLURM_RESTART_COUNT", first: 0)),
        ShardEngine(
            "Open MPI", number: "OMPI_COMM_WORLD_RANK", count: "OMPI_COMM_WORLD_SIZE",
            run: [["PMIX_NAMESPACE"], ["OMPI_MCA_ess_base_jobid"]]),
        ShardEngine(
            "Cloud Run", number: "CLOUD_RUN_TASK_INDEX", count: "CLOUD_RUN_TASK_COUNT",
            run: [["CLOUD_RUN_EXECUTION"]],
            attempts: AttemptVariable(name: "CLOUD_RUN_TASK_ATTEMPT", first: 0)),
        // The id of a child is that of its parent and its number: PARENT:3.
        ShardEngine(
            "AWS Batch", number: "AWS_BATCH_JOB_ARRAY_INDEX", count: "AWS_BATCH_JOB_ARRAY_SIZE",
            run: [["AWS_BATCH_JOB_ID"]],
            attempts: AttemptVariable(name: "AWS_BATCH_JOB_ATTEMPT", first: 1)),
        // Not SLURM_NTASKS, which a job's script has as well: the script alone would then be shard 0. Only srun
        // sets the number of tasks in a step.
        ShardEngine(
            "srun", number: "SLURM_PROCID", count: "SLURM_STEP_NUM_TASKS",
            run: [["SLURM_CLUSTER_NAME", "SLURM_JOB_ID", "SLURM_STEP_ID"]],
            attempts: AttemptVariable(name: "SLURM_RESTART_COUNT", first: 0), isInner: true),
    ]

    /// The engines that started this process.
    ///
    /// srun may start a task of a job array, and it starts the daemons of Open MPI: its variables then do not
    /// describe this process. But several ranks in one task of an array would all run the same shard, so in an
    /// array both engines are returned, and `--shard auto` asks which one counts. A single rank of srun is no
    /// shard: a shell that srun opened has the same variables.
    static func found(in environment: [String: String]) -> [ShardEngine] {
        let outer = all.filter { !$0.isInner && environment.word($0.number) != nil }
        let inner = all.filter { engine in
            engine.isInner && environment.word(engine.number) != nil
                && engine.count.flatMap { environment.word($0) }.map { $0 != "1" } ?? false
        }
        let isArray = outer.contains { $0.range != nil }
        return outer.isEmpty || isArray ? outer + inner : outer
    }

    /// The shard of this process. `given`: number of shards that the user gave; nil: the engine's.
    func shard(
        _ environment: [String: String], count given: ShardCount?
    ) throws(ShardError) -> Shard {
        let id = try Self.number(environment[number] ?? "", of: number, in: 0...Int.max)
        guard let variable = count, let text = environment.word(variable) else {
            guard let given else { throw .noCount(variable: number, engine: name) }
            return try shard(id, of: given)
        }
        let found = try Self.number(text, of: variable, in: 1...ShardLimits.countAtMost)
        if let given, given.number != found {
            // Single tasks of an array that run again, such as --array=3: their ids are the numbers of the shards.
            guard range != nil else {
                throw .otherCount(given: given, variable: variable, found: found)
            }
            return try shard(id, of: given)
        }
        guard let range else { return try shard(id, of: .variable(variable, found)) }
        return Shard(
            try place(of: id, in: range, environment, of: found, isGiven: given != nil), of: found)
    }

    /// The shard whose number the engine gives in its variable; throws where `count` has no such number.
    private func shard(_ id: Int, of count: ShardCount) throws(ShardError) -> Shard {
        guard id < count.number else {
            throw .numberBeyond(variable: number, number: id, count: count)
        }
        return Shard(id, of: count.number)
    }

    private func place(
        of id: Int, in range: NumberRange, _ environment: [String: String], of count: Int,
        isGiven: Bool
    ) throws(ShardError) -> Int {
        func number(_ variable: String, else other: Int) throws(ShardError) -> Int {
            guard let text = environment.word(variable) else { return other }
            return try Self.number(text, of: variable, in: 0...4_294_967_295)
        }
        let lowest = try number(range.lowest, else: 0)
        // Tasks 3 and 5 that run again are not the two halves of a plan.
        guard lowest <= 1 || isGiven else { throw .selection(first: lowest, count: count) }
        // Where the highest number or the step is not set, it follows from the other.
        let distance = try number(range.distance, else: 0)
        let highest = try number(
            range.highest, else: lowest + max(1, distance) * (count - 1))
        let step =
            count == 1 ? 1 : max(1, distance > 0 ? distance : (highest - lowest) / (count - 1))
        guard highest - lowest == step * (count - 1), id >= lowest, id <= highest,
            (id - lowest).isMultiple(of: step)
        else { throw .uneven(first: lowest, last: highest, count: count) }
        return (id - lowest) / step
    }

    /// The engine's name for the run, the same in all its processes; nil where it gives none.
    func run(_ environment: [String: String]) -> String? {
        for names in run {
            let words = names.compactMap { environment.word($0) }
            guard let last = names.last, environment.word(last) != nil else { continue }
            return words.map { String($0.prefix { $0 != ":" }) }.joined(separator: "-")
        }
        return nil
    }

    /// The number of this attempt, 1 for the first; nil where the engine does not count them.
    func attempt(_ environment: [String: String]) throws(ShardError) -> Int? {
        guard let attempts, let text = environment.word(attempts.name) else { return nil }
        return try Self.number(text, of: attempts.name, in: 0...1_000_000) - attempts.first + 1
    }

    /// The whole number in `variable`; throws `ShardError.badVariable` where it is not one or is out of `range`.
    static func number(
        _ text: String, of variable: String, in range: ClosedRange<Int>
    ) throws(ShardError) -> Int {
        guard let number = ShardRequest.number(text), range.contains(number) else {
            let wanted =
                range.upperBound > 1_000_000
                ? "a number from \(range.lowerBound) on"
                : "a number from \(range.lowerBound) to \(range.upperBound)"
            throw .badVariable(variable, value: text, wanted: wanted)
        }
        return number
    }
}

extension [String: String] {
    /// The value of a variable that is set and not empty.
    func word(_ name: String) -> String? {
        self[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}
