internal import Vocabulary

/// Rules as the header of a history holds them: `key=value` texts, read back strictly. What cannot be
/// read is an error with its name: a verdict by other rules than the run's own would be a lie.
///
/// Headers have a version of their own (`rules=2`; those without are version 1). A key that came
/// later than a header takes the value by which that version judged (`RuleKey.before`).
extension Rules {
    /// The version of the texts that this screenrig writes.
    static let version = RuleKey.all.reduce(1) { max($0, $1.since) }
    private static let versionKey = "rules"
    private static let promisePrefix = "promise:"

    /// `key=value` texts that `init(texts:)` reads back.
    public var texts: [String] {
        var texts = ["\(Self.versionKey)=\(Self.version)"]
        for key in RuleKey.all where key.until == nil {
            texts += key.write(self).map { "\(key.name)=\($0)" }
        }
        for (invariant, level) in promises.overrides.sorted(by: { $0.key < $1.key }) {
            texts.append("\(Self.promisePrefix)\(invariant.name)=\(level.rawValue)")
        }
        return texts
    }

    /// Reads `texts`. Throws where a key or a value is unknown, and where one is missing that the
    /// version of the texts has.
    public init(texts: [String]) throws(RulesError) {
        self.init()
        var pairs: [(key: String, value: String)] = []
        for text in texts {
            guard let equals = text.firstIndex(of: "=") else { throw .unknownKey(text) }
            pairs.append((String(text[..<equals]), String(text[text.index(after: equals)...])))
        }
        var version = 1
        if let found = pairs.first(where: { $0.key == Self.versionKey }) {
            guard let number = Int(found.value), number > 1 else {
                throw .badValue(key: found.key, value: found.value)
            }
            version = number
        }
        guard version <= Self.version else { throw .newer(version) }
        let keys = RuleKey.all.filter { version >= $0.since && version < $0.until ?? .max }
        for key in RuleKey.all where key.since > version { key.before(&self) }
        var seen: Set<String> = []
        for (name, value) in pairs where name != Self.versionKey {
            if name.hasPrefix(Self.promisePrefix) {
                try readPromise(name, value)
                continue
            }
            guard let key = keys.first(where: { $0.name == name }) else {
                throw .unknownKey(name)
            }
            guard seen.insert(name).inserted || key.occurs == .anyNumber,
                key.read(&self, value)
            else { throw .badValue(key: name, value: value) }
        }
        for key in keys where key.occurs == .once && !seen.contains(key.name) {
            throw .missing(key.name, version: version)
        }
    }

    private mutating func readPromise(_ key: String, _ value: String) throws(RulesError) {
        let name = String(key.dropFirst(Self.promisePrefix.count))
        guard let invariant = Invariant(name: name) else { throw .unknownKey(key) }
        guard let level = Promises.Level(rawValue: value) else {
            throw .badValue(key: key, value: value)
        }
        promises.overrides[invariant] = level
    }
}

/// Why the rules in a history's header cannot be judged by.
public enum RulesError: Error, Hashable, Sendable, CustomStringConvertible {
    case unknownKey(String)
    case badValue(key: String, value: String)
    case missing(String, version: Int)
    case newer(Int)

    public var description: String {
        switch self {
        case .unknownKey(let key): "the rules in its header have the unknown key '\(key)'"
        case .badValue(let key, let value):
            "the rules in its header have the unreadable value '\(value)' for '\(key)'"
        case .missing(let key, let version):
            "the rules in its header lack '\(key)', which version \(version) of them has"
        case .newer(let version):
            "the rules in its header have version \(version), and this screenrig reads up to "
                + "\(Rules.version)"
        }
    }
}
