/// A JSON document as it was read: its bytes, and where each value of it stands. No text is copied out of
/// it before somebody asks for it, for most of an answer nobody asks for.
public final class JSONDocument: Sendable {
    let bytes: [UInt8]
    /// Values in the order of the text, each before those within it.
    let nodes: [Node]

    /// One value, with its name where it is a member.
    struct Node: Sendable {
        enum Kind: UInt8, Sendable {
            case object, array, string, number, yes, no, null
        }

        var kind = Kind.null
        var name: Part
        /// What stands between quotation marks, or the digits of a number.
        var text = Part.none
        /// The node after this one and all within it.
        var next: Int32 = 0
    }

    /// A part of the bytes.
    struct Part: Sendable {
        var start: Int32
        var end: Int32
        var hasEscapes = false

        static let none = Part(start: 0, end: 0)
    }

    init(bytes: [UInt8], nodes: [Node]) {
        self.bytes = bytes
        self.nodes = nodes
    }

    public var root: Value { Value(document: self, place: 0) }

    private func text(_ part: Part) -> String {
        let bytes = bytes[Int(part.start)..<Int(part.end)]
        return part.hasEscapes
            ? JSONScanner.unescaped(bytes.span) : String(decoding: bytes, as: UTF8.self)
    }

    private func member(of place: Int, _ name: Span<UInt8>) -> Int? {
        let (all, text) = (nodes, bytes)
        let (nodes, bytes) = (all.span, text.span)
        guard nodes[place].kind == .object else { return nil }
        let end = Int(nodes[place].next)
        var position = place + 1
        while position < end {
            let part = nodes[position].name
            let isIt =
                part.hasEscapes
                ? isEqual(part, to: name)
                : Int(part.end - part.start) == name.count
                    && bytes.holds(name, at: Int(part.start))
            if isIt { return position }
            position = Int(nodes[position].next)
        }
        return nil
    }

    private func isEqual(_ part: Part, to text: Span<UInt8>) -> Bool {
        if part.hasEscapes {
            let unescaped = self.text(part)
            guard unescaped.utf8.count == text.count else { return false }
            return unescaped.utf8Span.span.holds(text, at: 0)
        }
        guard Int(part.end - part.start) == text.count else { return false }
        let bytes = bytes
        return bytes.span.holds(text, at: Int(part.start))
    }
}

extension JSONDocument {
    /// A value within a document.
    public struct Value: Sendable {
        fileprivate let document: JSONDocument
        fileprivate let place: Int

        private var node: Node { document.nodes[place] }

        public enum Kind: Sendable { case object, array, string, number, flag, null }

        public var kind: Kind {
            switch node.kind {
            case .object: .object
            case .array: .array
            case .string: .string
            case .number: .number
            case .yes, .no: .flag
            case .null: .null
            }
        }

        /// The name under which it stands in its object; empty in a list.
        public var name: String { document.text(node.name) }

        /// The first member of that name.
        public subscript(name: String) -> Value? {
            document.member(of: place, name.utf8Span.span).map {
                Value(document: document, place: $0)
            }
        }

        /// A scalar's text; nil for null and for anything nested.
        public var text: String? {
            switch node.kind {
            case .string, .number: document.text(node.text)
            case .yes: "true"
            case .no: "false"
            case .object, .array, .null: nil
            }
        }

        /// Asks for the bytes of a string or number; nil for anything else.
        public func withText<Result>(_ ask: (Span<UInt8>) -> Result) -> Result? {
            guard node.kind == .string || node.kind == .number else { return nil }
            let part = node.text
            if part.hasEscapes {
                let text = document.text(part)
                return ask(text.utf8Span.span)
            }
            let bytes = document.bytes
            return ask(bytes.span.extracting(Int(part.start)..<Int(part.end)))
        }

        public var integer: Int64? {
            if let plain = withText({ $0.plainNumber }), let plain { return plain }
            return text.flatMap { node.kind == .number ? Int64(whole: $0) : Int64($0) }
        }

        /// `true`, or a string of that.
        public var isTrue: Bool {
            node.kind == .yes || withText { $0.isEqual(to: "true") } ?? false
        }

        /// The values within it.
        public var items: [Value] {
            var items: [Value] = []
            var position = place + 1
            while position < Int(node.next) {
                items.append(Value(document: document, place: position))
                position = Int(document.nodes[position].next)
            }
            return items
        }

        /// The elements of a list: of a JSON array, or of the XML element that repeats `element`.
        public func items(_ element: String) -> [Value] {
            switch node.kind {
            case .array: items
            case .object:
                items.filter { document.isEqual($0.node.name, to: element.utf8Span.span) }
            default: []
            }
        }

        /// The value by itself.
        public var tree: JSON {
            switch node.kind {
            case .object:
                .object(
                    items.map { JSON.Member(name: document.text($0.node.name), value: $0.tree) })
            case .array: .array(items.map(\.tree))
            case .string: .string(document.text(node.text))
            case .number: .number(document.text(node.text))
            case .yes: .bool(true)
            case .no: .bool(false)
            case .null: .null
            }
        }
    }
}

extension Span<UInt8> {
    /// Of at most 18 digits, as nearly all numbers are; nil for any other, and for what is none.
    fileprivate var plainNumber: Int64? {
        guard !isEmpty, count <= 18 else { return nil }
        var number: Int64 = 0
        for position in indices {
            let digit = self[position] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            number = number &* 10 &+ Int64(digit)
        }
        return number
    }
}

extension JSONDocument {
    /// A document of a value that was read in another spelling.
    public convenience init(_ tree: JSON) {
        var writer = NodeWriter()
        writer.write(tree, name: .none)
        self.init(bytes: writer.bytes, nodes: writer.nodes)
    }

    private struct NodeWriter {
        var bytes: [UInt8] = []
        var nodes: [Node] = []

        mutating func write(_ value: JSON, name: Part) {
            let place = nodes.count
            nodes.append(Node(name: name))
            switch value {
            case .object(let members):
                nodes[place].kind = .object
                for member in members { write(member.value, name: part(member.name)) }
            case .array(let items):
                nodes[place].kind = .array
                for item in items { write(item, name: .none) }
            case .string(let text):
                nodes[place].kind = .string
                nodes[place].text = part(text)
            case .number(let digits):
                nodes[place].kind = .number
                nodes[place].text = part(digits)
            case .bool(let flag): nodes[place].kind = flag ? .yes : .no
            case .null: nodes[place].kind = .null
            }
            nodes[place].next = Int32(nodes.count)
        }

        private mutating func part(_ text: String) -> Part {
            let start = bytes.count
            bytes += text.utf8
            return Part(start: Int32(start), end: Int32(bytes.count))
        }
    }
}
