internal import Vocabulary

/// One of the `count` parts of a run. Each part of the plan runs in its own process (docs/scale.md).
public struct Shard: Sendable, Hashable {
    /// 0 to `count` - 1, as engines count.
    public let number: Int
    /// Number of shards, at least 1.
    public let count: Int

    public init(_ number: Int, of count: Int) {
        precondition(count > 0 && (0..<count).contains(number), "shards of n are 0..<n")
        self.number = number
        self.count = count
    }
}

extension Shard: CustomStringConvertible {
    /// `3/8`.
    public var description: String { "\(number)/\(count)" }
}

/// The value of `--shard`.
public enum ShardRequest: Sendable, Hashable {
    /// `3/8`.
    case exactly(Shard)
    /// `auto` or `auto/8`: the engine that started this process gives the number, and the count unless it is
    /// given here.
    case ofEngine(count: Int?)

    /// Reads `I/N` with I counted from 0, `auto` or `auto/N`; throws where the text is none of them or I is not
    /// below N.
    public init(parsing text: String) throws(ShardError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        switch (parts.count, parts.first) {
        case (1, "auto"): self = .ofEngine(count: nil)
        case (2, "auto"):
            self = .ofEngine(count: try Self.count(parts[1], in: text))
        case (2, let number?):
            let count = try Self.count(parts[1], in: text)
            guard let number = Self.number(number) else { throw .malformed(text) }
            guard number < count else { throw .beyond(number: number, count: count) }
            self = .exactly(Shard(number, of: count))
        default: throw .malformed(text)
        }
    }

    private static func count(_ text: String, in whole: String) throws(ShardError) -> Int {
        guard let count = number(text) else { throw .malformed(whole) }
        guard (1...ShardLimits.countAtMost).contains(count) else { throw .badCount(whole) }
        return count
    }

    /// Digits alone: no sign, no space.
    static func number(_ text: String) -> Int? {
        !text.isEmpty && text.utf8.count <= 18 && text.utf8.allSatisfy { (48...57).contains($0) }
            ? Int(text) : nil
    }
}

/// A number of shards, and where it was given.
public enum ShardCount: Sendable, Hashable {
    /// `--shard auto/8`.
    case option(Int)
    /// A variable of the environment and its value.
    case variable(String, Int)

    public var number: Int {
        switch self {
        case .option(let number), .variable(_, let number): number
        }
    }
}

extension ShardCount: CustomStringConvertible {
    /// `--shard auto/8 asks for 8 shards`, `SCREENRIG_SHARDS is 8`.
    public var description: String {
        switch self {
        case .option(let number):
            "--shard auto/\(number) asks for \(number) \(number == 1 ? "shard" : "shards")"
        case .variable(let name, let number): "\(name) is \(number)"
        }
    }

    /// How to change the number.
    fileprivate var remedy: String {
        switch self {
        case .option: "write --shard auto/N with the number of all shards"
        case .variable(ShardRequest.countVariable, _):
            "set \(ShardRequest.countVariable) to the number of all shards"
        case .variable: "write --shard I/N with I counted from 0, such as 0/\(number)"
        }
    }

    /// How to leave the number to the engine.
    fileprivate var removal: String {
        switch self {
        case .option(let number): "leave /\(number) out"
        case .variable(let name, _): "unset \(name)"
        }
    }
}

/// The shard that a process runs, and what the engine that started it says about the run.
public struct ShardPlacement: Sendable, Hashable {
    public var shard: Shard
    /// The engine's name for the run, the same in all its processes; nil: it gives none.
    public var run: String?
    /// 1 for the first attempt, one more for each restart; nil where the engine does not count them.
    public var attempt: Int?
    /// Name of the engine; nil: none was found.
    public var engine: String?

    public init(shard: Shard, run: String? = nil, attempt: Int? = nil, engine: String? = nil) {
        self.shard = shard
        self.run = run
        self.attempt = attempt
        self.engine = engine
    }
}

extension ShardRequest {
    /// Variable with the number of shards, for engines that do not give it and for single tasks of an array.
    public static let countVariable = "SCREENRIG_SHARDS"
    /// Variable with the id of the run, which replaces the engine's.
    public static let runVariable = "SCREENRIG_RUN_ID"

    /// The shard for this process. Throws where `auto` finds no engine, several engines, or values that do not
    /// fit together.
    public func placement(in environment: [String: String]) throws(ShardError) -> ShardPlacement {
        let engines = ShardEngine.found(in: environment)
        let own = environment.word(Self.runVariable)
        switch self {
        case .exactly(let shard):
            // With two engines it is unknown which one names the run and counts the attempts.
            guard engines.count == 1, let engine = engines.first else {
                return ShardPlacement(shard: shard, run: own)
            }
            return ShardPlacement(
                shard: shard, run: own ?? engine.run(environment),
                attempt: try engine.attempt(environment), engine: engine.name)
        case .ofEngine(let given):
            guard let engine = engines.first else { throw .noEngine }
            guard engines.count == 1 else { throw .severalEngines(engines.map(\.number)) }
            var count = given.map(ShardCount.option)
            if count == nil, let text = environment.word(Self.countVariable) {
                let number = try ShardEngine.number(
                    text, of: Self.countVariable, in: 1...ShardLimits.countAtMost)
                count = .variable(Self.countVariable, number)
            }
            return ShardPlacement(
                shard: try engine.shard(environment, count: count),
                run: own ?? engine.run(environment), attempt: try engine.attempt(environment),
                engine: engine.name)
        }
    }
}

/// Why `--shard` gives no shard.
public enum ShardError: Error, Sendable, Hashable, CustomStringConvertible {
    case malformed(String)
    case badCount(String)
    case beyond(number: Int, count: Int)
    /// The engine's variable with the number of the shard is not below the number of shards.
    case numberBeyond(variable: String, number: Int, count: ShardCount)
    case noEngine
    case severalEngines([String])
    /// The engine gives the number of the shard, but not how many there are.
    case noCount(variable: String, engine: String)
    case badVariable(String, value: String, wanted: String)
    /// The engine runs a different number of processes than was given.
    case otherCount(given: ShardCount, variable: String, found: Int)
    /// The tasks of an array are not evenly spaced, so the position of one among them is unknown.
    case uneven(first: Int, last: Int, count: Int)
    /// The array begins neither at 0 nor at 1: it may be the whole run, or a few tasks that are run again.
    case selection(first: Int, count: Int)

    public var description: String {
        switch self {
        case .malformed(let text):
            "--shard is '\(text.shortened)'; it must be I/N with I counted from 0, such as 0/8 for the first of "
                + "eight, or auto, or auto/8"
        case .badCount(let text):
            "--shard is \(text.shortened); a run has 1 to \(ShardLimits.countAtMost) shards, such as 0/8 for the first of "
                + "eight"
        case .beyond(let number, let count):
            count == 1
                ? "--shard is \(number)/1; the only shard of 1 is 0/1"
                : "--shard is \(number)/\(count); shards of \(count) are 0/\(count) to \(count - 1)/\(count)"
        case .numberBeyond(let variable, let number, let count):
            "\(variable) is \(number), and \(count): "
                + (count.number == 1
                    ? "the only shard has the number 0"
                    : "shards of \(count.number) have the numbers 0 to \(count.number - 1)")
                + "; \(count.remedy)"
        case .noEngine:
            "--shard auto found no engine, because none of "
                + ShardEngine.all.filter { !$0.isInner }.map(\.number).joined(separator: ", ")
                + " is set, and srun did not start several tasks; write --shard I/N with I counted from 0, such as 0/8"
        case .severalEngines(let variables):
            "--shard auto found several engines (\(variables.joined(separator: ", ")) are set); say which one counts, "
                + "such as --shard \"$\(variables[0])/8\""
        case .noCount(let variable, let engine):
            "\(variable) is set, and \(engine) does not say how many shards there are; write --shard auto/N, or set "
                + ShardRequest.countVariable
        case .badVariable(let variable, let value, let wanted):
            "\(variable) is '\(value.shortened)'; it must be \(wanted)"
        case .otherCount(let given, let variable, let found):
            "\(given), and \(variable) is \(found); start \(given.number) "
                + "\(given.number == 1 ? "process" : "processes"), or \(given.removal)"
        case .selection(let first, let count):
            "the job array has \(count == 1 ? "one task," : "\(count) tasks, from") \(first)\(count == 1 ? "" : " on"), "
                + "so it may be a few shards of more; write --shard auto/N with the number of all shards"
        case .uneven(let first, let last, let count):
            "the job array has \(count) tasks from \(first) to \(last) at uneven distances, so the place of one among "
                + "them is not known; use --array=0-\(count - 1), or --shard auto/N to run single shards of N again"
        }
    }
}
