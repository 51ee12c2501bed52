/// What a value is called in a message about it, and what would be right where that is more than
/// what its own syntax takes.
struct Asked {
    var name: String
    var wanted: String?

    init(_ name: String, wanted: String? = nil) {
        self.name = name
        self.wanted = wanted
    }
}

/// A value under a name of the user's own.
struct Named<Value: Sendable>: Sendable {
    var name: String
    var value: Value
}

/// What may stand under a key, and the value that it is read as.
struct Syntax<Value>: Sendable {
    typealias Read = @Sendable (YAMLTree, Asked, inout ValueReader, inout Marks) -> Value?

    var shape: Shape
    /// A value as a rig spells it, for documents; nil where nobody needs it.
    var spelled: @Sendable (Value) -> String?
    /// The value of a node; nil, and a problem noted, when it does not fit.
    var read: Read

    init(
        _ shape: Shape, spelled: @escaping @Sendable (Value) -> String? = { _ in nil },
        read: @escaping Read
    ) {
        self.shape = shape
        self.spelled = spelled
        self.read = { tree, asked, reader, marks in
            guard shape.fits(tree.content) || shape.takes(tree) else {
                reader.misfit(tree, asked, shape)
                return nil
            }
            let before = reader.problems.count
            let value = read(tree, asked, &reader, &marks)
            marks.isWhole = reader.problems.count == before
            return value
        }
    }

    static func scalar(_ scalar: Scalar<Value>) -> Syntax {
        Syntax(.scalar(scalar.form), spelled: scalar.spelled) { tree, asked, reader, _ in
            reader.parsed(tree, scalar, asked.name)
        }
    }

    /// Something made of what another syntax reads; nil when that refused it.
    static func from<Inner>(
        _ inner: Syntax<Inner>,
        _ make: @escaping @Sendable (Inner, Marks, inout ValueReader) -> Value?
    ) -> Syntax {
        Syntax(inner.shape) { tree, asked, reader, marks in
            guard let value = inner.read(tree, asked, &reader, &marks) else { return nil }
            return make(value, marks, &reader)
        }
    }

    static func from<Inner>(
        _ inner: Syntax<Inner>, _ make: @escaping @Sendable (Inner) -> Value
    ) -> Syntax {
        from(inner) { value, _, _ in make(value) }
    }

    /// The first of these that fits the kind of node.
    static func either(_ choices: Syntax...) -> Syntax {
        let shape = Shape.either(choices.map(\.shape))
        return Syntax(
            shape, spelled: { value in choices.lazy.compactMap { $0.spelled(value) }.first },
            read: { tree, asked, reader, marks in
                let line = choices.first { $0.shape.takes(tree) }
                guard let choice = line ?? choices.first(where: { $0.shape.fits(tree.content) })
                else {
                    return nil
                }
                return choice.read(tree, Asked(asked.name, wanted: shape.wanted), &reader, &marks)
            })
    }
}

// MARK: Words

extension Syntax where Value: Equatable & Sendable {
    /// Words, each with what it stands for.
    static func words(_ words: [(String, Value)]) -> Syntax {
        let choices = words.map(\.0)
        return Syntax(
            .choice(choices),
            spelled: { value in
                words.first { $0.1 == value }.map { Spelling.quotedWhereNeeded($0.0) }
            },
            read: { tree, asked, reader, _ in
                guard let word = reader.chosen(tree, choices, asked) else { return nil }
                return words.first { $0.0 == word }?.1
            })
    }

    static func words(_ first: (String, Value), _ others: (String, Value)...) -> Syntax {
        .words([first] + others)
    }
}

extension Syntax
where Value: CaseIterable & RawRepresentable<String> & Equatable & Sendable {
    /// The words of an enum, in its order; `later`: those that are planned.
    static func words() -> Syntax {
        .words(Value.allCases.map { ($0.rawValue, $0) })
    }
}

extension Syntax<String> {
    static func words(_ words: [String]) -> Syntax {
        .words(words.map { ($0, $0) })
    }

    /// A file beside the one that names it.
    static var path: Syntax { .from(.scalar(.text)) { text, marks, _ in marks.place.path(text) } }

    /// A program beside the file that names it, and not where the shell would look.
    static var program: Syntax {
        .from(.path) { $0.contains("/") ? $0 : "./" + $0 }
    }
}

// MARK: Lists and maps

extension Syntax {
    static func list<Item>(_ item: Syntax<Item>) -> Syntax where Value == [Item] {
        Syntax(
            .list(item.shape),
            spelled: { items in
                let texts = items.compactMap { item.spelled($0) }
                return texts.count == items.count ? "[\(texts.joined(separator: ", "))]" : nil
            },
            read: { tree, asked, reader, marks in
                guard case .list(let trees) = tree.content else { return nil }
                var values: [Item] = []
                var position = 0
                while position < trees.count {
                    defer { position += 1 }
                    if let (text, count) = ValueReader.splitText(trees[position...]) {
                        reader.refuse(trees[position].place, .unquoted(text))
                        position += count - 1
                        continue
                    }
                    var inner = Marks(trees[position].place)
                    if let value = item.read(
                        trees[position], Asked("an item of \(asked.name)"), &reader, &inner)
                    {
                        values.append(value)
                        marks.items.append(inner)
                    }
                }
                return values
            })
    }

    /// Names of the user's own, each with a value.
    static func named<Item>(_ item: Syntax<Item>) -> Syntax where Value == [Named<Item>] {
        Syntax(.named(item.shape)) { tree, _, reader, marks in
            var values: [Named<Item>] = []
            for entry in tree.entries ?? [] {
                var inner = Marks(entry.value.place)
                inner.namePlace = entry.keyPlace
                guard let value = item.read(entry.value, Asked(entry.key), &reader, &inner) else {
                    continue
                }
                values.append(Named(name: entry.key, value: value))
                marks.items.append(inner)
            }
            return values
        }
    }

    /// A map of keys, read as what sets them.
    static func map<Owner>(_ keys: [Key<Owner>]) -> Syntax where Value == [Key<Owner>.Setter] {
        Syntax(.map(keys.map(\.row))) { tree, asked, reader, marks in
            reader.section(tree.entries ?? [], keys, called: asked.name, &marks)
        }
    }

}

extension Syntax where Value: Sendable {
    /// A map with exactly one of these keys.
    static func one(of keys: [Key<OneOf<Value>>]) -> Syntax {
        let shape = Shape.one(of: keys.map(\.row))
        return Syntax(shape) { tree, asked, reader, marks in
            let entries = tree.entries ?? []
            let setters = reader.section(entries, keys, called: asked.name, &marks)
            guard marks.isWhole else { return nil }
            guard entries.count == 1 else {
                reader.refuse(
                    tree.place,
                    .shape(
                        asked.name, found: "a map with \(entries.count) keys", wanted: shape.wanted)
                )
                return nil
            }
            var chosen = OneOf<Value>.blank
            for set in setters { set(&chosen, &reader) }
            return chosen.value
        }
    }
}

extension Syntax where Value: RigSection {
    /// A map that is a value of its own.
    static var section: Syntax {
        .from(.map(Value.keys)) { setters, marks, reader in
            var value = Value.blank
            for set in setters { set(&value, &reader) }
            value.check(marks, &reader)
            return value
        }
    }
}

/// What came of a map with exactly one key.
struct OneOf<Value: Sendable>: RigSection {
    var value: Value?

    static var blank: OneOf { OneOf() }
    static var keys: [Key<OneOf>] { [] }
}

extension Shape {
    /// `kind "living room": poll-token p99 < 1s` is a map with one key to YAML.
    fileprivate func takes(_ tree: YAMLTree) -> Bool {
        if case .scalar(let form) = self {
            form.mayNameKind && tree.lineOfKind != nil
        } else {
            false
        }
    }
}

extension YAMLTree {
    /// The line of text that a map of one key `kind "NAME"` was meant as; nil for others.
    var lineOfKind: String? {
        guard let entries, entries.count == 1, entries[0].key.hasPrefix("kind "),
            case .scalar(let line, _) = entries[0].value.content
        else { return nil }
        return "\(entries[0].key): \(line)"
    }
}
