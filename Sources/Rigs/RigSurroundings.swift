/// What a rig is read with beside its own text: the command line, the environment, other files.
public struct RigSurroundings: Sendable {
    /// What becomes of `${NAME}` and `${file:PATH}`.
    public enum Secrets: Sendable {
        /// Looked up; what is not there is a problem.
        case resolved
        /// Left out: a stand-in takes the place of each value that has one. For judging and
        /// reporting a run that is over, on a machine that has no secrets.
        case omitted
    }

    /// `--target`.
    public enum TargetOverride: Sendable, Hashable {
        case embedded
        /// Replaces `base` only: neither secrets nor `allow` follow to another host.
        case url(String)
        /// A file with the keys of `target`, relative to the working directory.
        case file(String)

        /// Reads the argument of `--target URL|FILE.yaml|embedded`.
        public init(_ argument: String) {
            if argument == "embedded" {
                self = .embedded
            } else if argument.contains("://") {
                self = .url(argument)
            } else {
                self = .file(argument)
            }
        }
    }

    /// `--set`, in order: `path.to.key` and the value as YAML.
    public var overrides: [(path: String, value: String)]
    public var target: TargetOverride?
    public var environment: [String: String]
    public var secrets: Secrets
    /// The text of a file; nil when there is none that can be read.
    public var contents: @Sendable (_ path: String) -> String?

    /// Whether a file may be read by anybody but its owner.
    public var isOpenToOthers: @Sendable (_ path: String) -> Bool = { Disk.isOpenToOthers($0) }

    public init(
        overrides: [(path: String, value: String)] = [], target: TargetOverride? = nil,
        environment: [String: String] = [:], secrets: Secrets = .resolved,
        contents: @escaping @Sendable (_ path: String) -> String? = { Disk.contents($0) }
    ) {
        self.overrides = overrides
        self.target = target
        self.environment = environment
        self.secrets = secrets
        self.contents = contents
    }
}

extension RigSurroundings {
    /// Of a rig that a run or a case has recorded: neither secrets nor other files are looked for.
    public static let recorded = RigSurroundings(secrets: .omitted, contents: { _ in nil })
}

/// A rig that was read, and what is doubtful about it.
public struct RigReading: Sendable, Hashable {
    public var rig: Rig
    public var warnings: [RigProblem]
    /// Keys that its operations need at a service of somebody else's, and that it leaves at the
    /// values of the stand-in: for `validate`.
    public var needs: [RigProblem] = []
    /// What its own text takes from the machine that reads it: `NAME` and `file:PATH` of each `${...}`,
    /// in their order, each once. Those of options and of a target file were written by its user.
    public var references: [String] = []
}

extension Rig {
    /// Reads a rig. `file` is its path as the user wrote it: it stands in messages, and other files
    /// are relative to its folder. Throws everything that is wrong with it at once.
    public static func read(
        _ text: String, file: String, with surroundings: RigSurroundings = RigSurroundings()
    ) throws(RigErrors) -> RigReading {
        var reader = RigReader(file: file, surroundings)
        return try reader.read(text)
    }

    /// Reads the rig in the file at `path`.
    public static func read(
        contentsOf path: String, with surroundings: RigSurroundings = RigSurroundings()
    ) throws(RigErrors) -> RigReading {
        guard let text = surroundings.contents(path) else {
            let sentence =
                Disk.trouble(path).map { "this \($0); name a file" }
                ?? "no such file, or not readable as UTF-8 text"
            throw RigErrors([RigProblem(Place(file: path), .conflict(sentence))])
        }
        return try read(text, file: path, with: surroundings)
    }
}
