/// Where something stands: in a file, or on the command line.
public struct Place: Sendable, Hashable, CustomStringConvertible {
    public var file: String
    /// From 1; 0 means the file as a whole.
    public var line: Int
    /// From 1, in Unicode scalars; 0 means the line as a whole.
    public var column: Int
    /// The option that it came from instead of the file: `--set polling.every=5s`.
    public var option: String?

    public init(file: String, line: Int = 0, column: Int = 0, option: String? = nil) {
        self.file = file
        self.line = line
        self.column = column
        self.option = option
    }

    public var description: String {
        if let option { return option }
        if line == 0 { return file }
        return column == 0 ? "\(file):\(line)" : "\(file):\(line):\(column)"
    }

    /// A path that stands here: beside the file that names it unless it begins at the root, or, typed
    /// into a command, beside where it was typed.
    func path(_ text: String) -> String {
        guard option == nil, !text.hasPrefix("/"), let slash = file.lastIndex(of: "/") else {
            return text
        }
        return String(file[...slash]) + text
    }
}

/// One thing that is wrong with a rig (or only doubtful: a warning): where, what, and what would be
/// right.
public struct RigProblem: Sendable, Hashable, CustomStringConvertible {
    public enum What: Sendable, Hashable {
        /// Not YAML.
        case syntax(String)
        case empty
        case unknownKey(String, of: String, nearest: String?, known: [String])
        case missing(String, example: String)
        case twice(String, firstLine: Int)
        /// Not filled in since `screenrig init`; with what belongs there.
        case blank(String, String)
        /// A list where a map is due, and the like.
        case shape(String, found: String, wanted: String)
        /// `shown` is nil for secrets; `remark` begins with "which" or "whose".
        case value(String, shown: String?, remark: String?, wanted: String)
        /// A text that YAML splits, because it stands in braces without quotes.
        case unquoted(String)
        case secretInClear(String)
        case noVariable(String)
        case noFile(String, reason: String)
        /// Values that are each right but do not go together; the whole sentence.
        case conflict(String)

        static func unreadable(_ path: String) -> What {
            .noFile(path, reason: Disk.trouble(path) ?? "cannot be read")
        }
    }

    public var place: Place
    public var what: What

    public init(_ place: Place, _ what: What) {
        self.place = place
        self.what = what
    }

    public var description: String {
        // What was typed into a command is in no file's folder.
        guard case .noFile(let path, let reason) = what, place.option != nil else {
            return "\(place): \(what)"
        }
        let hint =
            path.hasPrefix("/")
            ? "check that it is there and may be read"
            : "a path typed into a command is relative to the folder in which the command runs"
        return "\(place): \(path.shortened) \(reason); \(hint)"
    }

    /// The same of a case's rig, which lies in no folder.
    package var ofCase: RigProblem {
        guard case .noFile(let path, let reason) = what, place.option == nil else { return self }
        return RigProblem(
            place,
            .conflict(
                "\(path.shortened) \(reason); the paths in a case are those of its rig: run this in the folder of "
                    + "that rig"))
    }
}

/// All that is wrong with a rig, in the order of its lines.
public struct RigErrors: Error, Sendable, Hashable, CustomStringConvertible {
    public var problems: [RigProblem]

    public init(_ problems: [RigProblem]) {
        self.problems = problems.inOrder
    }

    /// So many are told; whoever has more mends these first.
    static let shownAtMost = 20

    /// One line each.
    public var description: String {
        let rest = problems.count - Self.shownAtMost
        let lines = problems.prefix(Self.shownAtMost).map(\.description)
        return (lines + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: "\n")
    }
}

extension [RigProblem] {
    /// By line and column, files in the order in which they were first named, options last.
    var inOrder: [RigProblem] {
        var files: [String] = []
        for problem in self where !files.contains(problem.place.file) {
            files.append(problem.place.file)
        }
        func rank(_ place: Place) -> (Int, Int, Int, Int) {
            let file = files.firstIndex(of: place.file) ?? files.count
            return (place.option == nil ? 0 : 1, file, place.line, place.column)
        }
        var seen: Set<RigProblem> = []
        return enumerated().sorted { left, right in
            let (a, b) = (rank(left.element.place), rank(right.element.place))
            return a == b ? left.offset < right.offset : a < b
        }.map(\.element).filter { seen.insert($0).inserted }
    }
}

extension RigProblem.What: CustomStringConvertible {
    public var description: String {
        switch self {
        case .syntax(let problem): return "this is not YAML: \(problem)"
        case .empty:
            return "the file is empty; a rig needs 'rig', 'target' and 'load' "
                + "('screenrig init FILE' writes one to fill in)"
        case .unknownKey(let key, let owner, let nearest, let known):
            if let nearest { return "unknown key '\(key.shortened)'; did you mean '\(nearest)'?" }
            return "unknown key '\(key.shortened)'; \(owner.shortened) takes "
                + known.joined(separator: ", ")
        case .missing(let key, let example):
            return "'\(key)' is missing; add for example '\(example)'"
        case .twice(let key, let firstLine):
            return
                "duplicate key '\(key.shortened)', first in line \(firstLine); remove one of them"
        case .blank(let key, let text):
            return "'\(key)' is not filled in yet: \(text)"
        case .shape(let key, let found, let wanted):
            return "\(key.shortened) is \(found.shortened); it must be \(wanted)"
        case .value(let key, let shown, let remark, let wanted):
            let text =
                shown.map { $0.isEmpty ? "empty" : "'\(Spelling.shown($0).shortened)'" }
                ?? "a secret (not shown)"
            let why = remark.map { ", \($0.shortened)" } ?? ""
            return "\(key.shortened) is \(text)\(why); it must be \(wanted)"
        case .unquoted(let text):
            let text = text.shortened
            return "YAML splits '\(text)' here; write it in quotes: \"\(text)\""
        case .secretInClear(let key):
            return "\(key) is in clear text; write ${NAME} to read it from the "
                + "environment, "
                + "or ${file:PATH} from a file"
        case .noVariable(let name):
            let name = name.shortened
            return "environment variable \(name) is not set; set it, as in: \(name)=... "
                + "screenrig run RIG"
        case .noFile(let path, let reason):
            return "\(path.shortened) \(reason); paths are relative to this file's folder"
        case .conflict(let sentence): return sentence
        }
    }
}

extension String {
    /// What a rig says may be of any length; nobody reads more than this of it.
    var shortened: String {
        let most = 300
        guard utf8.count > most, let end = index(startIndex, offsetBy: most, limitedBy: endIndex),
            end < endIndex
        else { return self }
        return self[..<end] + "..."
    }
}

extension [String] {
    /// The first few, and how many more there are.
    var shortened: [String] {
        let most = 20
        return count > most ? prefix(most) + ["and \(count - most) more"] : self
    }
}
