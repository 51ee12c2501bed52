internal import CYaml

extension YAMLTree {
    /// What a rig may be: far beyond any that people write, and little enough that whatever is wrong
    /// with it is found in a moment (rigs/reference.yaml).
    enum TreeLimit {
        /// Bytes of a file.
        static let size = 1_000_000
        /// Lists and maps in one another.
        static let depth = 64
        /// Items of a list, keys of a map.
        static let items = 1_000
        /// Values in all, those that aliases repeat included.
        static let nodes = 100_000
    }

    /// Reads a YAML document. Problems are added to `problems`; the tree is nil when there is no
    /// sense to be made of the text. A key that stands twice is a problem of its own and hides no
    /// other: the first one holds.
    static func read(
        _ text: String, file: String, option: String? = nil, problems: inout [RigProblem]
    ) -> YAMLTree? {
        let text = text.withoutByteOrderMark
        let size = text.utf8.count
        guard size <= TreeLimit.size else {
            problems.append(
                RigProblem(
                    Place(file: file, option: option),
                    .conflict(
                        "the file has \(size) bytes, and a rig may have at most "
                            + "\(TreeLimit.size)")))
            return nil
        }
        var reader = TreeReader(text: text, file: file, option: option)
        defer { problems += reader.problems }
        do throws(RigProblem) {
            return try reader.document()
        } catch {
            reader.problems.append(error)
            return nil
        }
    }
}

extension RigProblem: Error {}

extension String {
    /// A stream may begin with a byte order mark (YAML 1.2.2, 5.2); libyaml counts it as a column, so that
    /// the first key seems to be indented.
    var withoutByteOrderMark: String {
        unicodeScalars.first == "\u{FEFF}" ? String(unicodeScalars.dropFirst()) : self
    }
}

/// Turns libyaml's events into a tree, and its errors into ours. Nothing is built of a document
/// that is beyond `YAMLTree.TreeLimit`: what an alias repeats is counted each time.
private struct TreeReader {
    private let text: String
    private let file: String
    private let option: String?
    private let events: YAMLEvents
    /// By name, with how many values each is.
    private var anchors: [String: (tree: YAMLTree, nodes: Int)] = [:]
    private var nodes = 0
    var problems: [RigProblem] = []

    init(text: String, file: String, option: String?) {
        self.text = text
        self.file = file
        self.option = option
        events = YAMLEvents(text)
    }

    /// The one document of the text.
    mutating func document() throws(RigProblem) -> YAMLTree {
        _ = try next()
        guard case .document = try next().what else { throw RigProblem(place(nil), .empty) }
        let tree = try tree(try next(), depth: 0)
        _ = try next()
        let last = try next()
        guard case .end = last.what else {
            throw RigProblem(
                place(last.mark),
                .syntax("a second YAML document starts here; keep one rig per file"))
        }
        return tree
    }

    private func next() throws(RigProblem) -> YAMLEvent {
        do throws(YAMLEvents.YAMLFailure) { return try events.next() } catch {
            throw problem(error)
        }
    }

    private mutating func tree(_ event: YAMLEvent, depth: Int) throws(RigProblem) -> YAMLTree {
        let before = nodes
        try count(1, at: event)
        let tree: YAMLTree
        switch event.what {
        case .alias(let name):
            guard let anchor = anchors[name] else {
                throw RigProblem(
                    place(event.mark),
                    .syntax("unknown anchor; write &NAME at the value to repeat, above this line"))
            }
            try count(anchor.nodes, at: event)
            // It stands where its name stands; what is in it, where it was written out.
            var repeated = anchor.tree
            repeated.place = place(event.mark)
            return repeated
        case .scalar(let text, let isQuoted):
            tree = YAMLTree(content: .scalar(text, isQuoted: isQuoted), place: place(event.mark))
        case .list: tree = try list(event, depth: depth + 1)
        case .map: tree = try map(event, depth: depth + 1)
        // A node is one of these; libyaml gives nothing else here.
        case .document, .end, .other: throw RigProblem(place(event.mark), .empty)
        }
        if let anchor = event.anchor { anchors[anchor] = (tree, nodes - before) }
        return tree
    }

    private mutating func list(_ start: YAMLEvent, depth: Int) throws(RigProblem) -> YAMLTree {
        try check(depth, at: start)
        var items: [YAMLTree] = []
        while true {
            let event = try next()
            if case .end = event.what { break }
            guard items.count < YAMLTree.TreeLimit.items else {
                throw tooMany("a list", "items", at: start)
            }
            items.append(try tree(event, depth: depth))
        }
        return YAMLTree(content: .list(items), place: place(start.mark))
    }

    private mutating func map(_ start: YAMLEvent, depth: Int) throws(RigProblem) -> YAMLTree {
        try check(depth, at: start)
        var entries: [YAMLTree.Entry] = []
        var lines: [String: Int] = [:]
        var pairs = 0
        while true {
            let event = try next()
            if case .end = event.what { break }
            guard pairs < YAMLTree.TreeLimit.items else {
                throw tooMany("a map", "keys", at: start)
            }
            pairs += 1
            let key = try tree(event, depth: depth)
            let value = try tree(try next(), depth: depth)
            let place = place(event.mark)
            guard case .scalar(let name, _) = key.content else {
                problems.append(
                    RigProblem(
                        place, .shape("a key", found: "a list or a map", wanted: "plain text")))
                continue
            }
            if let first = lines[name] {
                problems.append(RigProblem(place, .twice(name, firstLine: first)))
                continue
            }
            lines[name] = place.line
            entries.append(YAMLTree.Entry(key: name, keyPlace: place, value: value))
        }
        return YAMLTree(content: .map(entries), place: place(start.mark))
    }

    // MARK: Limits

    private mutating func count(_ more: Int, at event: YAMLEvent) throws(RigProblem) {
        nodes += more
        guard nodes <= YAMLTree.TreeLimit.nodes else {
            throw RigProblem(
                place(event.mark),
                .conflict(
                    "the rig has more than \(YAMLTree.TreeLimit.nodes) values, including those "
                        + "that aliases repeat"))
        }
    }

    private func check(_ depth: Int, at event: YAMLEvent) throws(RigProblem) {
        guard depth <= YAMLTree.TreeLimit.depth else {
            throw RigProblem(
                place(event.mark),
                .conflict(
                    "lists and maps are nested more than \(YAMLTree.TreeLimit.depth) deep"
                ))
        }
    }

    private func tooMany(_ what: String, _ members: String, at event: YAMLEvent) -> RigProblem {
        RigProblem(
            place(event.mark),
            .conflict("this is \(what) of more than \(YAMLTree.TreeLimit.items) \(members)"))
    }

    // MARK: Errors

    private func place(_ mark: YAMLEvent.TextPosition?) -> Place {
        Place(file: file, line: mark?.line ?? 0, column: mark?.column ?? 0, option: option)
    }

    private func problem(_ failure: YAMLEvents.YAMLFailure) -> RigProblem {
        guard let offset = failure.offset else {
            return RigProblem(place(failure.mark), explained(failure))
        }
        let before = text.utf8.prefix(offset)
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map(before.index(after:))
        let column = before[(start ?? before.startIndex)...].count { $0 & 0xc0 != 0x80 } + 1
        return RigProblem(
            Place(file: file, line: line, column: column, option: option),
            .syntax("\(failure.problem); save the file as UTF-8 text"))
    }

    /// libyaml's sentence, or a better one where the accident is a common one.
    private func explained(_ failure: YAMLEvents.YAMLFailure) -> RigProblem.What {
        let (problem, mark) = (failure.problem, failure.mark)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let line = (1...max(1, lines.count)).contains(mark.line) ? String(lines[mark.line - 1]) : ""
        let rest = line.unicodeScalars.dropFirst(mark.column - 1)
        let before = String(line.unicodeScalars.prefix(mark.column - 1))
        if rest.first == "\t"
            || before.allSatisfy({ $0 == " " || $0 == "\t" }) && before.contains("\t")
        {
            return .syntax("tab in the indentation; indent with spaces")
        }
        if rest.first == "{", before.hasSuffix("$") {
            let name = String(String.UnicodeScalarView(rest.prefix { $0 != "}" })) + "}"
            return .unquoted("$" + name)
        }
        if let first = rest.first, "%@`".unicodeScalars.contains(first) {
            return .syntax("a value cannot start with \(first); put it in quotes")
        }
        let from = failure.context.map { " (\($0.text), which starts in line \($0.mark.line))" }
        return .syntax("\(problem)\(from ?? ""); check indentation, brackets and quotes here")
    }
}

/// One of libyaml's events, as far as a rig needs it.
private struct YAMLEvent {
    /// From 1, columns in Unicode scalars.
    struct TextPosition {
        var line: Int
        var column: Int

        init(_ mark: yaml_mark_t) { (line, column) = (mark.line + 1, mark.column + 1) }
    }

    enum What {
        case document
        case scalar(String, isQuoted: Bool)
        case list, map
        case alias(String)
        /// Of a list, a map or the stream.
        case end
        case other
    }

    var what: What
    var mark: TextPosition
    var anchor: String?
}

/// libyaml's parser over a text.
private final class YAMLEvents {
    struct YAMLFailure: Error {
        var problem: String
        var mark: YAMLEvent.TextPosition
        var context: (text: String, mark: YAMLEvent.TextPosition)?
        /// In bytes, where the text itself cannot be read.
        var offset: Int?
    }

    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: UnsafeMutableBufferPointer<UInt8>

    init(_ text: String) {
        parser = .allocate(capacity: 1)
        parser.initialize(to: yaml_parser_t())
        input = .allocate(capacity: text.utf8.count)
        _ = input.initialize(from: text.utf8)
        yaml_parser_initialize(parser)
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, input.baseAddress, input.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        input.deallocate()
    }

    func next() throws(YAMLFailure) -> YAMLEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw failure() }
        defer { yaml_event_delete(&event) }
        let (what, anchor) = Self.meaning(event)
        return YAMLEvent(
            what: what, mark: YAMLEvent.TextPosition(event.start_mark),
            anchor: anchor.map { String(cString: $0) })
    }

    private static func meaning(
        _ event: yaml_event_t
    ) -> (YAMLEvent.What, anchor: UnsafeMutablePointer<UInt8>?) {
        switch event.type {
        case YAML_DOCUMENT_START_EVENT: return (.document, nil)
        case YAML_SEQUENCE_START_EVENT: return (.list, event.data.sequence_start.anchor)
        case YAML_MAPPING_START_EVENT: return (.map, event.data.mapping_start.anchor)
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT, YAML_STREAM_END_EVENT:
            return (.end, nil)
        case YAML_ALIAS_EVENT: return (.alias(String(cString: event.data.alias.anchor)), nil)
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            let style = scalar.style
            let isQuoted = style != YAML_PLAIN_SCALAR_STYLE && style != YAML_ANY_SCALAR_STYLE
            return (
                .scalar(String(decoding: bytes, as: UTF8.self), isQuoted: isQuoted), scalar.anchor
            )
        default: return (.other, nil)
        }
    }

    private func failure() -> YAMLFailure {
        let parser = parser.pointee
        let problem = parser.problem.map { String(cString: $0) } ?? "it cannot be read"
        let mark = YAMLEvent.TextPosition(parser.problem_mark)
        if parser.error == YAML_READER_ERROR {
            return YAMLFailure(problem: problem, mark: mark, offset: parser.problem_offset)
        }
        return YAMLFailure(
            problem: problem, mark: mark,
            context: parser.context.map {
                (String(cString: $0), YAMLEvent.TextPosition(parser.context_mark))
            })
    }
}
