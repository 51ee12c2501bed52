/// A JSON value, its members in order and its numbers as they are written. XML is read into one as well, so
/// that one reading of an answer serves both.
public enum JSON: Hashable, Sendable {
    case object([Member])
    case array([JSON])
    case string(String)
    case number(String)
    case bool(Bool)
    case null

    public struct Member: Hashable, Sendable {
        public var name: String
        public var value: JSON

        public init(name: String, value: JSON) {
            self.name = name
            self.value = value
        }
    }

    /// The first member of that name.
    public subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// A scalar's text; nil for null and for anything nested.
    public var text: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .bool(let value): value ? "true" : "false"
        case .object, .array, .null: nil
        }
    }

    public var integer: Int64? {
        if case .number(let text) = self { return Int64(whole: text) }
        return text.flatMap { Int64($0) }
    }

    public var isTrue: Bool { text == "true" }

    /// Nested deeper than any protocol document: an attack on the stack. What no reader nests deeper is
    /// safe to compare, to hash and to free.
    public static let maximumDepth = 64
    /// Values of one document, members and elements counted: ten times those of any configuration seen.
    public static let maximumNodes = 200_000

    /// Why a document was not read to its end.
    public enum Limit: Hashable, Sendable, CustomStringConvertible {
        case depth, nodes

        public var description: String {
            switch self {
            case .depth: "more than \(maximumDepth) levels"
            case .nodes: "more than \(maximumNodes) values"
            }
        }
    }

    /// The elements of a list: of a JSON array, or of the XML element that repeats `element`.
    public func items(_ element: String) -> [JSON] {
        switch self {
        case .array(let items): items
        case .object(let members): members.filter { $0.name == element }.map(\.value)
        default: []
        }
    }
}

extension Int64 {
    /// A JSON number that is whole, however it is written: a fraction and an exponent may belong to it (RFC 8259, 6).
    init?(whole text: String) {
        guard let number = Int64(text) ?? Double(text).flatMap(Int64.init(exactly:)) else {
            return nil
        }
        self = number
    }
}
