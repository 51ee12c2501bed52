/// One row of the format: a key of a rig file. The reader, the JSON Schema and rigs/reference.yaml
/// are all made of these rows; a new key is a new row here and one line in `RigAssembly`.
struct Key: Sendable {
    enum Status: Sendable {
        case supported
        /// Refused, but for these spellings of what happens today anyway.
        case notYet(accepting: [String])
    }

    var name: String
    var shape: Shape
    /// What holds when the key is absent, as YAML; nil when nothing does.
    var fallback: String?
    var isRequired: Bool
    /// A value that reads well, as YAML; the default where there is one.
    var example: String
    /// A sentence or two, for people.
    var text: String
    var status: Status
    /// Cannot stand beside a key shown before it: commented out in the reference rig.
    var isAlternative: Bool

    init(
        _ name: String, _ shape: Shape, default fallback: String? = nil, required: Bool = false,
        example: String? = nil, alternative: Bool = false, _ text: String
    ) {
        self.name = name
        self.shape = shape
        self.fallback = fallback
        self.isRequired = required
        self.example = example ?? fallback ?? ""
        self.text = text
        self.status = .supported
        self.isAlternative = alternative
    }

    /// A key that the format has a place for and this version refuses.
    static func notYet(
        _ name: String, accepting: [String] = [], example: String, _ text: String
    ) -> Key {
        var key = Key(name, .scalar(.text), example: example, text)
        key.status = .notYet(accepting: accepting)
        return key
    }

    var isSupported: Bool {
        if case .supported = status { true } else { false }
    }
}

/// What may stand under a key.
indirect enum Shape: Sendable {
    case scalar(Scalar)
    /// One of some words.
    case choice([Choice])
    /// A map with these keys.
    case map([Key])
    /// A map with exactly one of these keys.
    case one(of: [Key])
    /// A map with names of the user's own.
    case named(Shape)
    case list(Shape)
    /// The first of these that fits the kind of node, a scalar, a list or a map.
    case either([Shape])
    /// A list or map that the format has a place for and this version refuses; an example of it.
    case later(String)

    /// Words that are all supported.
    static func words(_ words: String...) -> Shape {
        .choice(words.map { Choice($0) })
    }

    /// A word of a choice.
    struct Choice: Sendable {
        var word: String
        var isSupported: Bool

        init(_ word: String, isSupported: Bool = true) {
            self.word = word
            self.isSupported = isSupported
        }

        static func notYet(_ word: String) -> Choice { Choice(word, isSupported: false) }
    }

    /// What it is, as the end of "it must be ...".
    var wanted: String {
        switch self {
        case .scalar(let scalar): scalar.wanted
        case .choice(let choices): Self.listed(choices.filter(\.isSupported).map(\.word))
        case .map(let keys):
            keys.first { $0.isSupported && !$0.isAlternative && !$0.example.isEmpty }
                .map { "a map, such as {\($0.name): \($0.example)}" } ?? "a map"
        case .one(let keys):
            "a map with one of \(Self.listed(keys.filter(\.isSupported).map(\.name)))"
        case .named(let shape): "a map of names, each with \(shape.wanted)"
        case .list(let shape): "a list, each item \(shape.wanted)"
        case .either(let shapes):
            shapes.filter { if case .later = $0 { false } else { true } }.map(\.wanted)
                .joined(separator: ", or ")
        case .later: "left out"
        }
    }

    /// `a, b or c`.
    private static func listed(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.joined() }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}
