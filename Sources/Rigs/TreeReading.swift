internal import Yams

extension Tree {
    /// Reads a YAML document. Problems are added to `problems`; the tree is nil when there is no
    /// sense to be made of the text. A key that stands twice is a problem of its own and hides no
    /// other: the second one is renamed and the text read again.
    static func read(
        _ text: String, file: String, option: String? = nil, problems: inout [RigProblem]
    ) -> Tree? {
        var reader = TreeReader(text: text, file: file, option: option)
        defer { problems += reader.problems }
        guard let node = reader.node() else { return nil }
        return reader.tree(node)
    }
}

/// Turns Yams' nodes and errors into ours.
private struct TreeReader {
    /// First of the private-use characters that replace the letters of keys that stand twice.
    private static let stand: UInt32 = 0xe000
    private var text: String
    private let file: String
    private let option: String?
    private(set) var problems: [RigProblem] = []

    init(text: String, file: String, option: String?) {
        self.text = text
        self.file = file
        self.option = option
    }

    mutating func node() -> Node? {
        for attempt in UInt32(0)..<1_000 {
            do {
                if let node = try Yams.compose(yaml: text) { return node }
                problems.append(RigProblem(place(nil), .empty))
                return nil
            } catch let error as YamlError {
                if case .duplicatedKeysInMapping(let keys, let context) = error,
                    let key = keys.first, rename(key, after: context.mark, Self.stand + attempt)
                {
                    continue
                }
                problems.append(problem(error))
                return nil
            } catch {
                problems.append(RigProblem(place(nil), .syntax("\(error)")))
                return nil
            }
        }
        return nil
    }

    mutating func tree(_ node: Node) -> Tree {
        let place = place(node.mark)
        switch node {
        case .scalar(let scalar):
            let isQuoted = scalar.style != .plain && scalar.style != .any
            return Tree(content: .scalar(scalar.string, isQuoted: isQuoted), place: place)
        case .sequence(let items):
            return Tree(content: .list(items.map { tree($0) }), place: place)
        case .mapping(let pairs):
            var entries: [Tree.Entry] = []
            for (key, value) in pairs {
                guard let name = key.scalar?.string else {
                    problems.append(
                        RigProblem(
                            self.place(key.mark),
                            .shape("a key", found: "a list or a map", wanted: "plain text")))
                    continue
                }
                if let first = name.unicodeScalars.first, first.value >= Self.stand,
                    first.value < Self.stand + 1_000
                {
                    continue
                }
                entries.append(
                    Tree.Entry(key: name, keyPlace: self.place(key.mark), value: tree(value)))
            }
            return Tree(content: .map(entries), place: place)
        case .alias:
            return Tree(content: .scalar("", isQuoted: false), place: place)
        }
    }

    private func place(_ mark: Mark?) -> Place {
        Place(file: file, line: mark?.line ?? 0, column: mark?.column ?? 0, option: option)
    }

    /// Replaces the second `key` of the map whose first one stands at `mark` by as many private-use
    /// characters, and notes the problem. False when it cannot be found in the text.
    private mutating func rename(_ key: String, after mark: Mark, _ letter: UInt32) -> Bool {
        guard let stand = Unicode.Scalar(letter) else { return false }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
            Array($0.unicodeScalars)
        }
        let name = Array(key.unicodeScalars)
        guard (1...lines.count).contains(mark.line), !name.isEmpty else { return false }
        let before = lines[mark.line - 1].prefix(mark.column - 1)
        let isBlock = before.allSatisfy { $0 == " " || $0 == "-" }
        for line in (mark.line - 1)..<lines.count {
            let start = line == mark.line - 1 ? mark.column - 1 + name.count : 0
            for column in stride(from: start, through: lines[line].count - name.count, by: 1) {
                guard lines[line][column...].starts(with: name),
                    !isBlock || column == mark.column - 1,
                    column == 0 || " {,\"'-?".unicodeScalars.contains(lines[line][column - 1]),
                    lines[line][(column + name.count)...].drop(while: {
                        " \"'".unicodeScalars.contains($0)
                    })
                    .first == ":"
                else { continue }
                for offset in name.indices { lines[line][column + offset] = stand }
                text = lines.map { line in
                    var view = String.UnicodeScalarView()
                    view.append(contentsOf: line)
                    return String(view)
                }.joined(separator: "\n")
                problems.append(
                    RigProblem(
                        Place(file: file, line: line + 1, column: column + 1, option: option),
                        .twice(key, firstLine: mark.line)))
                return true
            }
        }
        return false
    }

    private func problem(_ error: YamlError) -> RigProblem {
        switch error {
        case .scanner(let context, let problem, let mark, _),
            .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            return RigProblem(place(mark), explained(problem, context, mark))
        case .duplicatedKeysInMapping(let keys, let context):
            let key = keys.first ?? ""
            return RigProblem(
                place(context.mark),
                .conflict("'\(key)' stands in this map twice; keep one of them"))
        case .reader(let problem, let offset, _, _):
            let before = text.prefix(offset ?? 0)
            let line = before.count { $0.isNewline } + 1
            let column = before.reversed().prefix { !$0.isNewline }.count + 1
            return RigProblem(
                Place(file: file, line: line, column: column, option: option),
                .syntax("\(problem); save the file as UTF-8 text"))
        default:
            return RigProblem(place(nil), .syntax("\(error)"))
        }
    }

    /// libyaml's sentence, or a better one where the accident is a common one.
    private func explained(
        _ problem: String, _ context: YamlError.Context?, _ mark: Mark
    ) -> RigProblem.What {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let line = (1...max(1, lines.count)).contains(mark.line) ? String(lines[mark.line - 1]) : ""
        let rest = line.unicodeScalars.dropFirst(mark.column - 1)
        let before = String(line.unicodeScalars.prefix(mark.column - 1))
        if rest.first == "\t"
            || before.allSatisfy({ $0 == " " || $0 == "\t" }) && before.contains("\t")
        {
            return .syntax("a tab stands here; indent with spaces")
        }
        if problem.hasPrefix("found undefined alias") {
            return .syntax("no anchor of this name stands above; write &NAME at the first one")
        }
        if problem.contains("another document") {
            return .syntax("a second document begins here; keep one rig to a file")
        }
        if rest.first == "{", before.hasSuffix("$") {
            let name = String(String.UnicodeScalarView(rest.prefix { $0 != "}" })) + "}"
            return .unquoted("$" + name)
        }
        if rest.first == "%" || rest.first == "@" || rest.first == "`" {
            return .syntax("a value cannot begin with \(rest.prefix(1)); put it in quotes")
        }
        let from = context.map { " (\($0.text), which begins in line \($0.mark.line))" } ?? ""
        return .syntax("\(problem)\(from); look at indentation, brackets and quotes here")
    }
}

extension String.UnicodeScalarView {
    fileprivate init(_ scalars: some Sequence<Unicode.Scalar>) {
        self.init()
        append(contentsOf: scalars)
    }
}
