internal import Dialects

/// Holds a tree against the keys of the format: what stands in the tree becomes values, what does not
/// fit becomes problems. Where a value is wrong, the default (or example) stays in its place, so that
/// reading goes on; the section then counts as not whole.
struct ValueReader {
    private(set) var variables: Variables
    private(set) var problems: [RigProblem] = []
    /// What the rig holds of them, by the rows' `ScalarForm.Secrecy`.
    private(set) var secrets: [Secret] = []
    /// What was found once values were there: they are no reason not to compare others.
    private(set) var conflicts: [RigProblem] = []
    private(set) var warnings: [RigProblem] = []
    /// Reads an example of the format's own, in which `${NAME}` stands for itself.
    private var isOwn = false

    init(file: String, _ surroundings: RigSurroundings) {
        variables = Variables(in: file, surroundings)
    }

    /// Reads a map by its keys: what puts their values into their owner, in the order of the keys.
    mutating func section<Owner>(
        _ entries: [YAMLTree.Entry], _ keys: [Key<Owner>], called name: String,
        _ marks: inout Marks
    ) -> [Key<Owner>.Setter] {
        let before = problems.count
        let rows = keys.map(\.row)
        let entries = rejoined(entries)
        let given = Set(entries.map(\.key))
        var setters = [Key<Owner>.Setter?](repeating: nil, count: keys.count)
        for entry in entries {
            guard let position = rows.firstIndex(where: { $0.name == entry.key }) else {
                refuse(entry, rows, name, given: given)
                continue
            }
            var inner = Marks(entry.value.place)
            let start = problems.count
            setters[position] =
                isFilledIn(entry.value, rows[position])
                ? keys[position].read(entry.value, &self, &inner) : nil
            setters[position] = setters[position] ?? example(of: keys[position])
            inner.isWhole = problems.count == start
            marks.given.append(entry.key)
            marks.keys[entry.key] = inner
        }
        for (position, row) in rows.enumerated()
        where row.isRequired && !marks.gives(row.name) {
            let isMeant = entries.prefix(Self.looksAtMost).contains {
                Self.means(row, $0.key, among: rows)
            }
            if !isMeant {
                refuse(marks.place, .missing(row.name, example: "\(row.name): \(row.example)"))
            }
            setters[position] = example(of: keys[position])
        }
        marks.isWhole = problems.count == before
        return setters.compactMap { $0 }
    }

    /// So many keys of a map, or pieces of a text, are looked at for what they were meant to be.
    private static let looksAtMost = 50

    /// Whether `word` is the key, or a misspelt one that is taken for it: one line for one cause.
    private static func means(_ key: KeyRow, _ word: String, among keys: [KeyRow]) -> Bool {
        if word == key.name { return true }
        let names = keys.map(\.name)
        return !names.contains(word) && word.nearest(among: names) == key.name
    }

    private mutating func isFilledIn(_ tree: YAMLTree, _ row: KeyRow) -> Bool {
        if let blank = tree.blank {
            refuse(blank, .blank(row.name, RigTemplate.remedies[row.name] ?? row.text))
            return false
        }
        if case .list = row.shape, row.fallback != nil,
            tree.content == .scalar("", isQuoted: false)
        {
            let wanted = "a list; remove the line if it has no items"
            refuse(tree.place, .shape(row.name, found: tree.kind, wanted: wanted))
            return false
        }
        return true
    }

    /// Sets what a key without a default shows as an example, so that reading can go on where its value
    /// is missing or wrong.
    private func example<Owner>(of key: Key<Owner>) -> Key<Owner>.Setter? {
        guard key.row.fallback == nil else { return nil }
        let file = variables.file
        var quiet = ValueReader(
            file: file, RigSurroundings(secrets: .omitted, contents: { _ in nil }))
        quiet.isOwn = true
        var problems: [RigProblem] = []
        guard let tree = YAMLTree.read(key.row.example, file: file, problems: &problems) else {
            return nil
        }
        var marks = Marks(tree.place)
        return key.read(tree, &quiet, &marks)
    }

    mutating func misfit(_ tree: YAMLTree, _ asked: Asked, _ shape: Shape) {
        refuse(tree.place, .shape(asked.name, found: tree.kind, wanted: shape.wanted))
    }

    mutating func refuse(_ place: Place, _ what: RigProblem.What) {
        problems.append(RigProblem(place, what))
    }

    /// Values that are each right but do not go together.
    mutating func refuse(_ place: Place, _ sentence: String) {
        conflicts.append(RigProblem(place, .conflict(sentence)))
    }

    mutating func warn(_ place: Place, _ sentence: String) {
        warnings.append(RigProblem(place, .conflict(sentence)))
    }

    /// The word of a choice that stands here, when it is one.
    mutating func chosen(
        _ tree: YAMLTree, _ choices: [String], _ asked: Asked
    ) -> String? {
        guard case .scalar(let text, _) = tree.content,
            let word = variables.expanded(text, tree.place, &problems)?.text
        else { return nil }
        let shape = Shape.choice(choices)
        guard choices.contains(word) else {
            let wanted = asked.wanted ?? shape.wanted
            refuse(tree.place, .value(asked.name, shown: text, remark: nil, wanted: wanted))
            return nil
        }
        return word
    }

    mutating func parsed<Value>(
        _ tree: YAMLTree, _ scalar: Scalar<Value>, _ name: String
    ) -> Value? {
        guard case .scalar(let raw, _) = tree.content else {
            return tree.lineOfKind.flatMap {
                let line = YAMLTree(content: .scalar($0, isQuoted: false), place: tree.place)
                return parsed(line, scalar, name)
            }
        }
        let (form, place) = (scalar.form, tree.place)
        if isOwn { return try? scalar.parse(raw) }
        if let part = inClear(raw, form.secrecy, name) {
            refuse(place, .secretInClear(part))
            return nil
        }
        guard let (text, values) = variables.expanded(raw, place, &problems) else { return nil }
        switch form.secrecy {
        case .open: break
        // A short one is a name like "qa", which stands in many texts.
        case .variables: secrets += values.filter { $0.utf8.count >= 6 }.map(Secret.init)
        case .credentials: secrets += WebAddress.secrets(in: text)
        case .whole: secrets += (values + [text]).map(Secret.init)
        }
        do throws(Refusal) {
            return try scalar.parse(text)
        } catch {
            let isBare = form.hasUnit && Spelling.decimal(text) != nil
            let remark = error.remark ?? (isBare ? "which has no unit" : nil)
            let shown = values.isEmpty ? raw : nil
            refuse(place, .value(name, shown: shown, remark: remark, wanted: form.wanted))
            return nil
        }
    }
}

// MARK: Keys

extension ValueReader {
    private mutating func refuse(
        _ entry: YAMLTree.Entry, _ keys: [KeyRow], _ name: String, given: Set<String>
    ) {
        if entry.key == "<<" {
            refuse(
                entry.keyPlace,
                .conflict(
                    "merge keys (<<) are not supported; repeat the keys, or use *NAME for a "
                        + "whole value"))
            return
        }
        let nearest = entry.key.nearest(among: keys.map(\.name))
        let known = keys.map(\.name)
        refuse(entry.keyPlace, .unknownKey(entry.key, of: name, nearest: nearest, known: known))
        // What stands under a misspelt key is read as well, for the sake of its own problems.
        if let key = keys.first(where: { $0.name == nearest }),
            !given.contains(key.name)
        {
            key.tries(entry.value, &self)
        }
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
                refuse(entry.value.place, .unquoted(text))
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
    static func splitText(_ pieces: some Collection<YAMLTree>) -> (String, Int)? {
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
}

// MARK: Secrets

extension ValueReader {
    /// What of a value must not be typed out in the file, and is; nil: nothing.
    private func inClear(_ raw: String, _ secrecy: ScalarForm.Secrecy, _ name: String) -> String? {
        switch secrecy {
        case .open, .variables: return nil
        case .whole: return raw.contains("${") || raw.isEmpty ? nil : name
        case .credentials:
            // A run of an older version is still reported.
            if case .omitted = variables.surroundings.secrets { return nil }
            var typed = raw
            while let start = typed.firstRange(of: "${"),
                let end = typed[start.upperBound...].firstIndex(of: "}")
            {
                typed.removeSubrange(start.lowerBound...end)
            }
            return WebAddress.secrets(in: typed).isEmpty ? nil : "the password in \(name)"
        }
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
