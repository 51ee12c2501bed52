/// A type that a map of a rig is read into, key by key. Its stored properties hold the defaults.
protocol RigSection: Sendable {
    /// What holds where a rig gives none of the keys.
    static var blank: Self { get }
    static var keys: [Key<Self>] { get }
    /// Checks what concerns several keys at once, and settles defaults that depend on others.
    mutating func check(_ marks: Marks, _ reader: inout ValueReader)
}

extension RigSection {
    mutating func check(_ marks: Marks, _ reader: inout ValueReader) {}
}

/// A key of a rig file, all in one place: its name, what may stand under it, its default, its
/// documentation, and where its value goes. The reader, the JSON Schema, rigs/reference.yaml and
/// `explain` are all made of these.
struct Key<Owner: RigSection>: Sendable {
    /// Puts a value that was read into its owner. Values are put in the order of the keys, not of
    /// the file, so that a key may build on one above it.
    typealias Setter = (inout Owner, inout ValueReader) -> Void

    var row: KeyRow
    /// Nil, and a problem noted, when the value does not fit.
    var read: @Sendable (YAMLTree, inout ValueReader, inout Marks) -> Setter?

    /// A key with a value that something is made of. `default` is what holds without the key, as
    /// YAML; nil where nothing does.
    init<Value>(
        _ name: String, _ syntax: Syntax<Value>,
        set: @escaping @Sendable (inout Owner, Value) -> Void, default fallback: String? = nil,
        required: Bool = false, example: String? = nil, alternative: Bool = false, _ text: String
    ) {
        row = KeyRow(
            name: name, shape: syntax.shape, fallback: fallback, isRequired: required,
            example: example ?? fallback ?? "", text: text, isAlternative: alternative
        ) { tree, reader in
            var marks = Marks(tree.place)
            _ = syntax.read(tree, Asked(name), &reader, &marks)
        }
        read = { tree, reader, marks in
            guard let value = syntax.read(tree, Asked(name), &reader, &marks) else { return nil }
            return { owner, _ in set(&owner, value) }
        }
    }

    /// A key whose value goes `into` a property, whose initial value is the default.
    init<Value>(
        _ name: String, _ syntax: Syntax<Value>,
        into path: WritableKeyPath<Owner, Value> & Sendable, default fallback: String? = nil,
        required: Bool = false, example: String? = nil, alternative: Bool = false, _ text: String
    ) {
        self.init(
            name, syntax, set: { $0[keyPath: path] = $1 },
            default: required ? nil : fallback ?? syntax.spelled(Owner.blank[keyPath: path]),
            required: required, example: example, alternative: alternative, text)
    }

    /// A key without a default: the property is nil where the rig does not give it.
    init<Value>(
        _ name: String, _ syntax: Syntax<Value>,
        ifGiven path: WritableKeyPath<Owner, Value?> & Sendable, example: String? = nil,
        alternative: Bool = false, _ text: String
    ) {
        self.init(
            name, syntax, set: { $0[keyPath: path] = $1 }, example: example,
            alternative: alternative, text)
    }

    /// A key with a map of keys, each with a default; `keys` are some of the section's, or all.
    init<Inner: RigSection>(
        _ name: String, section path: WritableKeyPath<Owner, Inner> & Sendable,
        keys some: [Key<Inner>]? = nil, required: Bool = false, example: String? = nil,
        alternative: Bool = false, _ text: String
    ) {
        let keys = some ?? Inner.keys
        let syntax = Syntax<[Key<Inner>.Setter]>.map(keys)
        row = KeyRow(
            name: name, shape: syntax.shape, fallback: required ? nil : "{}", isRequired: required,
            example: example ?? "{}", text: text, isAlternative: alternative
        ) { tree, reader in
            var marks = Marks(tree.place)
            _ = syntax.read(tree, Asked(name), &reader, &marks)
        }
        read = { tree, reader, marks in
            guard let setters = syntax.read(tree, Asked(name), &reader, &marks) else { return nil }
            let marks = marks
            return { owner, reader in
                for set in setters { set(&owner[keyPath: path], &reader) }
                if some == nil { owner[keyPath: path].check(marks, &reader) }
            }
        }
    }

    /// This key, which changes no request of a run: two runs that differ in it may be compared.
    var changingNoRequest: Key {
        var key = self
        key.row.changesRequests = false
        return key
    }
}

/// What a key is to documents and to messages.
struct KeyRow: Sendable {
    var name: String
    var shape: Shape
    /// What holds when the key is absent, as YAML; nil when nothing does.
    var fallback: String?
    var isRequired: Bool
    /// A value that reads well, as YAML; the default where there is one.
    var example: String
    /// A sentence or two, for people.
    var text: String
    /// Cannot stand beside a key shown before it: commented out in the reference rig.
    var isAlternative: Bool
    var changesRequests = true
    /// Reads a value for the sake of its problems.
    var tries: @Sendable (YAMLTree, inout ValueReader) -> Void

    init(
        name: String, shape: Shape, fallback: String?, isRequired: Bool, example: String,
        text: String, isAlternative: Bool,
        tries: @escaping @Sendable (YAMLTree, inout ValueReader) -> Void
    ) {
        self.name = name
        self.shape = shape
        self.fallback = fallback
        self.isRequired = isRequired
        self.example = example
        self.text = text
        self.isAlternative = isAlternative
        self.tries = tries
    }

    /// Whether the default is worth a word: not an empty map or list.
    var hasPlainDefault: Bool {
        !(fallback ?? "{}").isEmpty && !["{}", "[]"].contains(fallback)
    }
}

/// What may stand under a key, for documents and messages.
indirect enum Shape: Sendable {
    case scalar(ScalarForm)
    /// One of some words.
    case choice([String])
    /// A map with these keys.
    case map([KeyRow])
    /// A map with exactly one of these keys.
    case one(of: [KeyRow])
    /// A map with names of the user's own.
    case named(Shape)
    case list(Shape)
    /// The first of these that fits the kind of node, a scalar, a list or a map.
    case either([Shape])

    /// What it is, as the end of "it must be ...".
    var wanted: String {
        switch self {
        case .scalar(let scalar): scalar.wanted
        case .choice: Self.listed(words)
        case .map(let keys):
            keys.first { !$0.isAlternative && !$0.example.isEmpty }
                .map { "a map, such as {\($0.name): \($0.example)}" } ?? "a map"
        case .one(let keys):
            "a map with one of \(Self.listed(keys.map(\.name)))"
        case .named(let shape): "a map of names, each with \(shape.wanted)"
        case .list(let shape): "a list, each item \(shape.wanted)"
        case .either(let shapes):
            shapes.map(\.wanted).joined(separator: ", or ")
        }
    }

    /// The words that it takes.
    var words: [String] {
        if case .choice(let words) = self { words } else { [] }
    }

    /// Whether it takes this kind of node at all.
    func fits(_ content: YAMLTree.Content) -> Bool {
        switch (self, content) {
        case (.scalar, .scalar), (.choice, .scalar), (.list, .list), (.map, .map), (.one, .map),
            (.named, .map):
            true
        case (.either(let shapes), _): shapes.contains { $0.fits(content) }
        default: false
        }
    }

    /// `a, b or c`.
    private static func listed(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.joined() }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}
