/// Words that a peer wrote, or a sentence of ours with such words in it: a service, a provider, a
/// proxy, a program of the user's. They may hold a password, a token or an escape of a terminal, so
/// nothing can print them: only `Gate` (Journal) turns them into a text, and it takes secrets out of
/// everything but the literal parts of a sentence.
///
///     let cause: Untrusted = "the page says '\(page.title)'"
///     record.cause = gate.text(cause)
///
/// Readers of protocols may decide by the words (`==`, `contains`). Whoever needs the words themselves
/// imports this module with `@_spi(Untrusted)`; `UntrustedTests` has the list of these files.
public struct Untrusted: Hashable, Sendable, ExpressibleByStringInterpolation {
    fileprivate struct TextPart: Hashable, Sendable {
        var text: String
        /// A literal of this program.
        var isOurs: Bool
    }

    private var parts: [TextPart]

    /// The words of a peer.
    public init(_ text: String) {
        parts = text.isEmpty ? [] : [TextPart(text: text, isOurs: false)]
    }

    public init(stringLiteral text: String) { parts = [TextPart(text: text, isOurs: true)] }

    public init(stringInterpolation: Interpolation) { parts = stringInterpolation.parts }

    /// What is put into a literal is a peer's, unless it is a number.
    public struct Interpolation: StringInterpolationProtocol {
        fileprivate var parts: [TextPart] = []

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ text: String) {
            if !text.isEmpty { parts.append(TextPart(text: text, isOurs: true)) }
        }

        public mutating func appendInterpolation(_ words: Untrusted) { parts += words.parts }

        public mutating func appendInterpolation(_ number: Int) {
            parts.append(TextPart(text: String(number), isOurs: true))
        }

        /// Words of this program: a name of ours, a unit.
        public mutating func appendInterpolation(ours text: String) { appendLiteral(text) }

        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            parts.append(TextPart(text: value.description, isOurs: false))
        }
    }

    public static func + (left: Untrusted, right: Untrusted) -> Untrusted { "\(left)\(right)" }

    // MARK: Deciding

    public var isEmpty: Bool { parts.allSatisfy(\.text.isEmpty) }

    public static func == (left: Untrusted, right: Untrusted) -> Bool { left.raw == right.raw }

    public func hash(into hasher: inout Hasher) { hasher.combine(raw) }

    public func contains(_ text: String) -> Bool { raw.contains(text) }

    // MARK: For the gate and for codecs

    @_spi(Untrusted) public var raw: String {
        parts.count == 1 ? parts[0].text : parts.reduce(into: "") { $0 += $1.text }
    }

    /// The text with each part that is not ours as `shown` has it.
    @_spi(Untrusted) public func text(_ shown: (String) -> String) -> String {
        guard parts.count != 1 else {
            return parts[0].isOurs ? parts[0].text : shown(parts[0].text)
        }
        return parts.reduce(into: "") { $0 += $1.isOurs ? $1.text : shown($1.text) }
    }
}

/// A mistake shows nothing.
extension Untrusted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "(unread text of a peer)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
