/// One fault switched on, with its parameters: `token-flap:probability=10%,window=30ms`.
public struct Fault: Hashable, Sendable, CustomStringConvertible {
    public let kind: FaultKind
    /// As given; what is not here has its default.
    private var given: [String: FaultValue] = [:]

    /// With every parameter at its default.
    public init(_ kind: FaultKind) {
        self.kind = kind
    }

    /// From `NAME` or `NAME:key=value,…`.
    public init(parsing text: String) throws(FaultError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        var parameters: [(String, String)] = []
        if parts.count == 2 {
            for pair in parts[1].split(separator: ",") {
                let sides = pair.split(separator: "=", maxSplits: 1)
                guard sides.count == 2 else {
                    throw .notAPair(String(pair), of: String(parts[0]))
                }
                parameters.append((String(sides[0]), String(sides[1])))
            }
        }
        try self.init(named: String(parts[0]), parameters)
    }

    /// From a name and parameters as text.
    public init(
        named text: String, _ parameters: [(name: String, value: String)]
    ) throws(FaultError) {
        guard let kind = FaultKind(named: text) else { throw .unknownName(text) }
        self.init(kind)
        for (key, value) in parameters { try set(key, to: value) }
    }

    private mutating func set(_ key: String, to text: String) throws(FaultError) {
        guard let parameter = kind.parameters.first(where: { $0.name == key }) else {
            throw .unknownParameter(key, of: kind)
        }
        guard given[key] == nil else { throw .twice(key, of: kind) }
        guard let value = FaultValue(text, parameter.kind) else {
            throw .badValue(text, of: parameter, fault: kind)
        }
        given[key] = value
    }

    /// The value of a parameter, given or by default.
    subscript(_ key: String) -> FaultValue {
        if let value = given[key] { return value }
        guard let parameter = kind.parameters.first(where: { $0.name == key }),
            let value = FaultValue(parameter.fallback, parameter.kind)
        else { preconditionFailure("\(kind.name) has no parameter \(key)") }
        return value
    }

    /// As it is typed, parameters in the order of the catalogue.
    public var description: String {
        let pairs = kind.parameters.compactMap { parameter in
            given[parameter.name].map { "\(parameter.name)=\($0.text)" }
        }
        return kind.text(with: pairs.joined(separator: ","))
    }
}

/// What a parameter may be, and how it is spelled.
public struct FaultParameter: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case duration
        /// With a minus for the other direction.
        case signedDuration
        case share
        case count(ClosedRange<Int>)
        case rate
        case word([String])
        /// Some of these, joined with `+`.
        case words([String])
    }

    public let name: String
    public let kind: Kind
    /// The default, as it would be typed.
    public let fallback: String
    /// What it does, in a few words.
    public let line: String

    /// What belongs there, as the end of "it must be …".
    public var wanted: String {
        switch kind {
        case .duration: "a duration such as 30ms or 2s"
        case .signedDuration: "a duration such as 2s or -2s"
        case .share: "a share such as 20%"
        case .count(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .rate: "a rate such as 200/s"
        case .word(let words): words.joined(separator: ", ")
        case .words(let words): "some of \(words.joined(separator: ", ")), joined with +"
        }
    }

    init(_ name: String, _ kind: Kind, _ fallback: String, _ line: String) {
        self.name = name
        self.kind = kind
        self.fallback = fallback
        self.line = line
    }

    static func window(_ line: String) -> Self { Self("window", .duration, "30ms", line) }
}

/// The value of a parameter, with the text that it was.
struct FaultValue: Hashable, Sendable {
    let text: String
    private let number: Double

    init?(_ text: String, _ kind: FaultParameter.Kind) {
        self.text = text
        switch kind {
        case .duration, .signedDuration:
            guard let nanoseconds = Self.nanoseconds(text),
                nanoseconds >= 0 || kind == .signedDuration
            else { return nil }
            number = nanoseconds
        case .share:
            guard text.hasSuffix("%"), let percent = Double(text.dropLast()),
                (0...100).contains(percent)
            else { return nil }
            number = percent / 100
        case .count(let range):
            guard let count = Int(text), range.contains(count) else { return nil }
            number = Double(count)
        case .rate:
            guard text.hasSuffix("/s"), let rate = Double(text.dropLast(2)), rate > 0 else {
                return nil
            }
            number = rate
        case .word(let words):
            guard words.contains(text) else { return nil }
            number = 0
        case .words(let words):
            let parts = text.split(separator: "+", omittingEmptySubsequences: false)
            guard parts.allSatisfy({ words.contains(String($0)) }) else { return nil }
            number = 0
        }
    }

    var duration: Duration { .nanoseconds(Int64(number)) }
    var milliseconds: Int64 { Int64(number / 1e6) }
    /// Of a share: 0 to 1. Of a rate: per second.
    var value: Double { number }
    var count: Int { Int(number) }
    var words: [String] { text.split(separator: "+").map(String.init) }

    private static func nanoseconds(_ text: String) -> Double? {
        let units: [(String, Double)] = [
            ("us", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3600e9),
        ]
        for (unit, factor) in units where text.hasSuffix(unit) {
            if let number = Double(text.dropLast(unit.count)), abs(number * factor) < 1e16 {
                return number * factor
            }
        }
        return nil
    }
}

/// What is wrong with a fault as it was given.
public enum FaultError: Error, Hashable, Sendable, CustomStringConvertible {
    case unknownName(String)
    case unknownParameter(String, of: FaultKind)
    case badValue(String, of: FaultParameter, fault: FaultKind)
    case twice(String, of: FaultKind)
    case notAPair(String, of: String)

    public var description: String {
        switch self {
        case .unknownName(let name):
            let names = FaultKind.all.map(\.name)
            return "there is no fault '\(name)'" + Self.nearest(to: name, among: names)
                + "; the faults are \(names.joined(separator: ", "))"
        case .unknownParameter(let key, let fault):
            let names = fault.parameters.map(\.name)
            guard !names.isEmpty else { return "\(fault.name) takes no parameters" }
            return "\(fault.name) has no parameter '\(key)'"
                + Self.nearest(to: key, among: names)
                + "; it takes \(names.joined(separator: ", "))"
        case .badValue(let text, let parameter, let fault):
            return "\(parameter.name) of \(fault.name) is '\(text)'; it must be "
                + parameter.wanted
        case .twice(let key, let fault): return "\(key) of \(fault.name) is given twice"
        case .notAPair(let text, let fault):
            return
                "'\(text)' of \(fault) is not of the form key=value; write for example \(fault):probability=10%"
        }
    }

    private static func nearest(to word: String, among words: [String]) -> String {
        let near = words.map { ($0, distance(word, $0)) }.min { $0.1 < $1.1 }
        guard let near, near.1 <= max(2, word.count / 3) else { return "" }
        return "; did you mean '\(near.0)'?"
    }

    /// Insertions, deletions and changes between two words (Levenshtein).
    private static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (position, letter) in left.enumerated() {
            var corner = row[0]
            row[0] = position + 1
            for (column, other) in right.enumerated() {
                let changed = corner + (letter == other ? 0 : 1)
                corner = row[column + 1]
                row[column + 1] = min(changed, corner + 1, row[column] + 1)
            }
        }
        return row[right.count]
    }
}
