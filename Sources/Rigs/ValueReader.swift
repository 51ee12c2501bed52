internal import Dialects

/// Holds a tree against the rows of the format: what stands in the tree becomes values of the rows'
/// types, what does not fit becomes problems. Where a value is wrong, the row's default (or example)
/// takes its place, so that reading goes on; the section then counts as not whole.
struct ValueReader {
    let file: String
    let surroundings: RigSurroundings
    private(set) var problems: [RigProblem] = []
    /// What the rig holds of them, by the rows' `Scalar.Secrecy`.
    private(set) var secrets: [Secret] = []
    /// `NAME` and `file:PATH` of each `${...}` of the file itself, not of options or other files.
    private(set) var references: [String] = []
    /// What the rows' own values are as trees, by their text: a rig of a thousand kinds needs each a
    /// thousand times.
    private var ownTrees: [String: YAMLTree] = [:]

    init(file: String, _ surroundings: RigSurroundings) {
        self.file = file
        self.surroundings = surroundings
    }

    /// Reads a map by its rows.
    mutating func section(
        _ entries: [YAMLTree.Entry], _ keys: [Key], at place: Place, called name: String
    ) -> Section {
        let before = problems.count
        let entries = rejoined(entries)
        var section = Section(items: [:], place: place, isWhole: true, given: [])
        let given = Set(entries.map(\.key))
        for entry in entries {
            guard let key = keys.first(where: { $0.name == entry.key }) else {
                refuse(entry, keys, name, given: given)
                continue
            }
            guard isSupported(key, entry) else { continue }
            section.given.append(key.name)
            section.items[key.name] = item(entry.value, key)
        }
        for key in keys where section.items[key.name] == nil {
            if key.isRequired,
                !entries.prefix(Self.looksAtMost).contains(where: {
                    Self.means(key, $0.key, among: keys)
                })
            {
                problems.append(
                    RigProblem(place, .missing(key.name, example: "\(key.name): \(key.example)")))
            }
            if key.isSupported, key.fallback != nil || key.isRequired {
                section.items[key.name] = standIn(for: key, at: place)
            }
        }
        section.isWhole = problems.count == before
        return section
    }

    /// So many keys of a map, or pieces of a text, are looked at for what they were meant to be.
    private static let looksAtMost = 50

    /// Whether `word` is the key, or a misspelt one that is taken for it: one line for one cause.
    private static func means(_ key: Key, _ word: String, among keys: [Key]) -> Bool {
        if word == key.name { return true }
        let names = keys.map(\.name)
        return !names.contains(word) && word.nearest(among: names) == key.name
    }

    private mutating func item(_ tree: YAMLTree, _ key: Key) -> Item? {
        if let blank = tree.blank {
            let remedy = RigTemplate.remedies[key.name] ?? key.text
            problems.append(RigProblem(blank, .blank(key.name, remedy)))
            return standIn(for: key, at: tree.place)
        }
        if case .list = key.shape, key.fallback != nil,
            tree.content == .scalar("", isQuoted: false)
        {
            problems.append(
                RigProblem(
                    tree.place,
                    .shape(
                        key.name, found: tree.kind,
                        wanted: "a list; remove the line if it has no items")))
            return standIn(for: key, at: tree.place)
        }
        if let value = value(tree, key.shape, called: key.name) {
            return Item(value: value, place: tree.place)
        }
        return standIn(for: key, at: tree.place)
    }

    /// The value of the row's own default or example, so that reading can go on; nil for a key that has
    /// neither, and may be absent.
    private mutating func standIn(for key: Key, at place: Place) -> Item? {
        var quiet = ValueReader(
            file: file, RigSurroundings(secrets: .omitted, contents: { _ in nil }))
        swap(&quiet.ownTrees, &ownTrees)
        defer { swap(&quiet.ownTrees, &ownTrees) }
        guard let tree = quiet.ownTree(key.fallback ?? key.example),
            let value = quiet.value(tree, key.shape, called: key.name, isOwn: true)
        else {
            precondition(
                key.fallback == nil && !key.isRequired,
                "the format's own value of '\(key.name)' does not read")
            return nil
        }
        return Item(value: value, place: place)
    }

    private mutating func ownTree(_ text: String) -> YAMLTree? {
        if let tree = ownTrees[text] { return tree }
        var problems: [RigProblem] = []
        let tree = YAMLTree.read(text, file: file, problems: &problems)
        ownTrees[text] = tree
        return tree
    }

    /// Reads a value; nil, and a problem noted, when it does not fit.
    private mutating func value(
        _ tree: YAMLTree, _ shape: Shape, called name: String, isOwn: Bool = false,
        wanted: String? = nil
    ) -> (any Sendable)? {
        switch (shape, tree.content) {
        case (.scalar(let scalar), .scalar(let text, let isQuoted)):
            return parsed(text, isQuoted, scalar, name, tree.place, isOwn: isOwn)
        case (.choice(let choices), .scalar(let text, _)):
            return chosen(text, choices, name, tree.place, wanted ?? shape.wanted)
        case (.map(let keys), .map(let entries)):
            return section(entries, keys, at: tree.place, called: name)
        case (.one(let keys), .map(let entries)):
            let section = section(entries, keys, at: tree.place, called: name)
            if section.isWhole, entries.count != 1 {
                problems.append(
                    RigProblem(
                        tree.place,
                        .shape(
                            name, found: "a map with \(entries.count) keys", wanted: shape.wanted)))
            }
            return section.isWhole && entries.count == 1 ? section : nil
        case (.named(.either(let inner)), .map(let entries)):
            return entries.compactMap { entry -> NamedItem? in
                guard let value = value(entry.value, .either(inner), called: entry.key) else {
                    return nil
                }
                return NamedItem(
                    name: entry.key, namePlace: entry.keyPlace,
                    item: Item(value: value, place: entry.value.place))
            }
        case (.named(let inner), .map(let entries)):
            return entries.compactMap { entry -> (String, String)? in
                let value = value(entry.value, inner, called: entry.key)
                return (value as? String).map { (entry.key, $0) }
            }
        case (.list(let inner), .list(let items)):
            return list(items, inner, name)
        case (.either(let shapes), _):
            if let fitting = shapes.first(where: { $0.fits(tree.content) }) {
                if case .later = fitting {
                    let accepted = shapes.flatMap(\.words)
                    problems.append(
                        RigProblem(
                            tree.place, .notYet("\(name) as \(tree.kind)", accepted: accepted)))
                    return nil
                }
                return value(tree, fitting, called: name, isOwn: isOwn, wanted: shape.wanted)
            }
        default: break
        }
        if let joined = Self.lineOfKind(tree), case .scalar(let scalar) = shape,
            scalar.mayNameKind
        {
            return parsed(joined, false, scalar, name, tree.place, isOwn: isOwn)
        }
        problems.append(
            RigProblem(tree.place, .shape(name, found: tree.kind, wanted: shape.wanted)))
        return nil
    }

    private mutating func list(_ items: [YAMLTree], _ inner: Shape, _ name: String) -> [Item] {
        var values: [Item] = []
        var position = 0
        while position < items.count {
            defer { position += 1 }
            if let (text, count) = Self.splitText(items[position...]) {
                problems.append(RigProblem(items[position].place, .unquoted(text)))
                position += count - 1
            } else if let value = value(items[position], inner, called: "an item of \(name)") {
                values.append(Item(value: value, place: items[position].place))
            }
        }
        return values
    }

    private mutating func chosen(
        _ text: String, _ choices: [Shape.Choice], _ name: String, _ place: Place,
        _ wanted: String
    ) -> String? {
        guard let word = expanded(text, place)?.text else { return nil }
        guard let choice = choices.first(where: { $0.word == word }) else {
            problems.append(
                RigProblem(place, .value(name, shown: text, remark: nil, wanted: wanted)))
            return nil
        }
        guard choice.isSupported else {
            let words = choices.filter(\.isSupported).map(\.word)
            problems.append(RigProblem(place, .notYet("\(name): \(word)", accepted: words)))
            return nil
        }
        return word
    }

    private mutating func parsed(
        _ raw: String, _ isQuoted: Bool, _ scalar: Scalar, _ name: String, _ place: Place,
        isOwn: Bool
    ) -> (any Sendable)? {
        if isOwn, scalar.secrecy == .whole { return try? scalar.parse(raw) }
        if !isOwn, let part = inClear(raw, scalar.secrecy, name) {
            problems.append(RigProblem(place, .secretInClear(part)))
            return nil
        }
        guard let (text, variables) = expanded(raw, place, isOwn: isOwn) else { return nil }
        switch scalar.secrecy {
        case .open: break
        // A short one is a name like "qa", which stands in many texts.
        case .variables: secrets += variables.filter { $0.utf8.count >= 6 }.map(Secret.init)
        case .credentials: secrets += WebAddress.secrets(in: text)
        case .whole: secrets += (variables + [text]).map(Secret.init)
        }
        do throws(Scalar.Refusal) {
            return try scalar.parse(text)
        } catch {
            let isBare = scalar.hasUnit && Scalar.decimal(text) != nil
            problems.append(
                RigProblem(
                    place,
                    .value(
                        name, shown: variables.isEmpty ? raw : nil,
                        remark: error.remark ?? (isBare ? "which has no unit" : nil),
                        wanted: scalar.wanted)))
            return nil
        }
    }
}

// MARK: Keys

extension ValueReader {
    private mutating func refuse(
        _ entry: YAMLTree.Entry, _ keys: [Key], _ name: String, given: Set<String>
    ) {
        if entry.key == "<<" {
            problems.append(
                RigProblem(
                    entry.keyPlace,
                    .conflict(
                        "merge keys (<<) are not supported; repeat the keys, or use *NAME for a "
                            + "whole value"
                    )))
            return
        }
        let nearest = entry.key.nearest(among: keys.map(\.name))
        problems.append(
            RigProblem(
                entry.keyPlace,
                .unknownKey(
                    entry.key, of: name, nearest: nearest,
                    known: keys.filter(\.isSupported).map(\.name))))
        // What stands under a misspelt key is read as well, for the sake of its own problems.
        if let key = keys.first(where: { $0.name == nearest }), key.isSupported,
            !given.contains(key.name)
        {
            _ = value(entry.value, key.shape, called: key.name)
        }
    }

    /// Whether the value may be read; what is accepted as today's behaviour is not read further.
    private mutating func isSupported(_ key: Key, _ entry: YAMLTree.Entry) -> Bool {
        guard case .notYet(let accepted) = key.status else { return true }
        var found: String?
        switch entry.value.content {
        case .scalar(let text, _): found = text
        case .list(let items): if items.isEmpty { found = "[]" }
        case .map(let entries): if entries.isEmpty { found = "{}" }
        }
        if found.map(accepted.contains) != true {
            problems.append(RigProblem(entry.keyPlace, .notYet(key.name, accepted: accepted)))
        }
        return false
    }
}

// MARK: Texts that YAML splits

extension ValueReader {
    /// Finds `{signs-in: lognormal(median 8s, p95 30s)}`: in braces YAML ends the value at its
    /// comma and takes the rest for a key without a value. The pieces become one problem.
    private mutating func rejoined(_ entries: [YAMLTree.Entry]) -> [YAMLTree.Entry] {
        var kept: [YAMLTree.Entry] = []
        var position = 0
        while position < entries.count {
            defer { position += 1 }
            let entry = entries[position]
            if Self.opens(entry.value),
                let (text, count) = Self.splitText(
                    [entry.value]
                        + entries[(position + 1)...].prefix(Self.looksAtMost).map {
                            YAMLTree(content: .scalar($0.key, isQuoted: false), place: $0.keyPlace)
                        }),
                entries[(position + 1)..<(position + count)].allSatisfy({ $0.value.kind == "empty" }
                )
            {
                problems.append(RigProblem(entry.value.place, .unquoted(text)))
                position += count - 1
            } else {
                kept.append(entry)
            }
        }
        return kept
    }

    private static func opens(_ tree: YAMLTree) -> Bool {
        if case .scalar(let text, false) = tree.content { text.contains("(") } else { false }
    }

    /// The text that the first pieces make together, and how many they are, when the first opens a
    /// bracket that only a later one closes.
    private static func splitText(_ pieces: some Collection<YAMLTree>) -> (String, Int)? {
        var parts: [String] = []
        var open = 0
        for piece in pieces.prefix(looksAtMost) {
            guard case .scalar(let text, false) = piece.content else { return nil }
            open += text.count { $0 == "(" } - text.count { $0 == ")" }
            parts.append(text)
            if parts.count == 1, open <= 0 { return nil }
            if open <= 0 { return (parts.joined(separator: ", "), parts.count) }
        }
        return nil
    }

    /// `kind "living room": poll-token p99 < 1s` is a map with one key to YAML; nil for others.
    private static func lineOfKind(_ tree: YAMLTree) -> String? {
        guard let entries = tree.entries, entries.count == 1, entries[0].key.hasPrefix("kind "),
            case .scalar(let line, _) = entries[0].value.content
        else { return nil }
        return "\(entries[0].key): \(line)"
    }
}

// MARK: Secrets

extension ValueReader {
    /// Bytes of a value, once what `${NAME}` and `${file:PATH}` stand for is in it.
    private static let secretAtMost = 65_536

    /// What of a value must not be typed out in the file, and is; nil: nothing.
    private func inClear(_ raw: String, _ secrecy: Scalar.Secrecy, _ name: String) -> String? {
        switch secrecy {
        case .open, .variables: return nil
        case .whole: return raw.contains("${") || raw.isEmpty ? nil : name
        case .credentials:
            // A run of an older version is still reported.
            if case .omitted = surroundings.secrets { return nil }
            var typed = raw
            while let start = typed.firstRange(of: "${"),
                let end = typed[start.upperBound...].firstIndex(of: "}")
            {
                typed.removeSubrange(start.lowerBound...end)
            }
            return WebAddress.secrets(in: typed).isEmpty ? nil : "the password in \(name)"
        }
    }

    /// The text with each `${NAME}` and `${file:PATH}` replaced, and what they stand for. Nil, and a
    /// problem noted, when one has no value.
    mutating func expanded(
        _ raw: String, _ place: Place, isOwn: Bool = false
    ) -> (text: String, variables: [String])? {
        guard raw.contains("${"), !isOwn else { return (raw, []) }
        if place.option == nil, place.file == file { note(referencesIn: raw) }
        if case .omitted = surroundings.secrets { return nil }
        var text = ""
        var variables: [String] = []
        var rest = raw[...]
        while let start = rest.firstRange(of: "${") {
            text += rest[..<start.lowerBound]
            guard let end = rest[start.upperBound...].firstIndex(of: "}") else {
                problems.append(
                    RigProblem(place, .syntax("'${' lacks its '}'; write ${NAME}")))
                return nil
            }
            guard let value = secret(String(rest[start.upperBound..<end]), place) else {
                return nil
            }
            text += value
            variables.append(value)
            rest = rest[rest.index(after: end)...]
            guard text.utf8.count <= Self.secretAtMost else {
                problems.append(
                    RigProblem(
                        place,
                        .conflict(
                            "with its ${...} filled in, this value is longer than "
                                + "\(Self.secretAtMost) bytes")))
                return nil
            }
        }
        return (text + rest, variables)
    }

    private mutating func note(referencesIn raw: String) {
        for piece in raw.split(separator: "${", omittingEmptySubsequences: false).dropFirst() {
            let name = String(piece.prefix { $0 != "}" })
            if !references.contains(name) { references.append(name) }
        }
    }

    private mutating func secret(_ name: String, _ place: Place) -> String? {
        if name.hasPrefix("file:") {
            let path = RigReader.path(
                String(name.dropFirst(5)), besides: place.option == nil ? place.file : "")
            guard let content = surroundings.contents(path) else {
                problems.append(
                    RigProblem(place, .noFile(path, reason: Disk.trouble(path) ?? "cannot be read"))
                )
                return nil
            }
            return content.last?.isNewline == true ? String(content.dropLast()) : content
        }
        guard let value = surroundings.environment[name] else {
            problems.append(RigProblem(place, .noVariable(name)))
            return nil
        }
        return value
    }
}

extension YAMLTree {
    /// Where a blank of `screenrig init` stands, here or as an item of this list.
    fileprivate var blank: Place? {
        switch content {
        case .scalar(let text, let isQuoted):
            text == RigTemplate.blank && !isQuoted ? place : nil
        case .list(let items):
            items.first { $0.content == .scalar(RigTemplate.blank, isQuoted: false) }?.place
        case .map: nil
        }
    }
}

extension Shape {
    /// Whether it takes this kind of node at all.
    fileprivate func fits(_ content: YAMLTree.Content) -> Bool {
        switch (self, content) {
        case (.scalar, .scalar), (.choice, .scalar), (.list, .list), (.map, .map), (.one, .map),
            (.named, .map), (.later, .map), (.later, .list):
            true
        case (.either(let shapes), _): shapes.contains { $0.fits(content) }
        default: false
        }
    }

    /// The words that it takes.
    fileprivate var words: [String] {
        if case .choice(let choices) = self {
            choices.filter(\.isSupported).map(\.word)
        } else {
            []
        }
    }
}
