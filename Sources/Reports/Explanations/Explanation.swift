internal import Rendering
internal import Rigs
internal import Vocabulary

/// The explanation of one term of screenrig, for `screenrig explain` and `screenrig list`.
public struct Explanation: Sendable, Hashable {
    public enum Kind: String, Sendable, CaseIterable {
        case operation, fault, invariant
        case exitCode = "exit code"
        case outcome, fate, stage, word, policy, level
        case promiseLevel = "promises"
        case racePlan = "race plan"
        case protocolName = "protocol"
    }

    public var kind: Kind
    public var name: String
    /// What the term is, in one line.
    public var line: String
    /// What it means, in sentences.
    public var meaning: String
    /// Causes that need no action by the server's team.
    public var harmless: String
    /// What to send to the server's team.
    public var send: String

    /// Terms of other parts, such as the stand-in's faults, are added by those parts.
    public init(
        _ kind: Kind, _ name: String, _ line: String, _ meaning: String, harmless: String,
        send: String
    ) {
        self.kind = kind
        self.name = name
        self.line = line
        self.meaning = meaning
        self.harmless = harmless
        self.send = send
    }

    /// All terms, by kind.
    public static let all: [Explanation] =
        operations + invariants + exitCodes + outcomes + fates + stages + words + columns + heads
        + policies
        + levels + promiseLevels + protocols

    /// All that `name` stands for, in the order of `all`: `signed-in` is a stage and a fate.
    /// For `promises: strict`, the part after the colon is looked up first, then the part before it.
    public static func of(_ name: String, besides more: [Explanation] = []) -> [Explanation] {
        let parts = name.split(separator: ":", maxSplits: 1).map {
            String($0.drop { $0 == " " })
        }
        for word in [name] + (parts.count == 2 ? parts.reversed() : []) {
            let wanted = plain(word)
            let found = (all + more).filter { plain($0.name) == wanted }
            if !found.isEmpty { return found }
            if let other = otherNames[wanted] ?? likeColumns[wanted] {
                return all.filter { $0.name == other }
            }
        }
        return []
    }

    /// `first cause` and `First-Cause` are the same word.
    static func plain(_ name: String) -> String {
        name.lowercased().replacing(" ", with: "-")
    }

    /// The word most like `name`, if one is near.
    public static func nearest(to name: String, besides more: [Explanation] = []) -> String? {
        name.nearest(among: (all + more).map(\.name))
    }

    /// As it is printed, at most `width` columns.
    public func text(width: Int) -> String {
        let width = max(60, width)
        let parts = [
            ("", meaning), ("harmless causes: ", harmless), ("what to send: ", send),
        ]
        let body = parts.filter { !$0.1.isEmpty }.flatMap { head, text in
            [""] + Wrapping.lines("  \(head)\(text)", width: width, hanging: 2)
        }
        let head = Wrapping.lines(
            "\(name) (\(kind.rawValue)): \(line)", width: width, hanging: 2)
        return (head + body).joined(separator: "\n")
    }

    /// `screenrig list`: a heading for each sort of word, and one line each; `only` one sort, by its
    /// heading. Nil where there is none of that heading. `width`: columns, where lines are to be broken.
    public static func list(
        faults: [Explanation] = [], racePlans: [Explanation] = [], only: String? = nil,
        width columns: Int = .max
    ) -> String? {
        let groups: [(String, [Explanation])] = [
            ("protocols", protocols), ("operations", operations), ("faults", faults),
            ("invariants", invariants), ("race plans", racePlans),
        ]
        let wanted = groups.filter { only == nil || plain($0.0) == only.map(plain) }
        guard !wanted.isEmpty else { return nil }
        return wanted.map { title, words in
            let width = words.map(\.name.count).max() ?? 0
            let lines = words.flatMap { word in
                let head = "  \(word.name.padded(to: width))  \(marks(word))"
                return Wrapping.entry(head, word.line, width: columns)
            }
            return ([title] + (lines.isEmpty ? ["  none yet"] : lines)).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    /// The headings of `screenrig list`.
    public static let headings = [
        "protocols", "operations", "faults", "invariants", "race plans",
    ]

    /// In which protocols an operation is.
    private static func marks(_ word: Explanation) -> String {
        guard word.kind == .operation, let operation = OperationName(name: word.name) else {
            return ""
        }
        return protocolMarks(operation) + "  "
    }
}
