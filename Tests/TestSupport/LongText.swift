public import Testing

/// An argument of a test that is too long to print: each case is named by how it begins and how long it is.
public struct LongText: Sendable, CustomTestStringConvertible {
    public let text: String

    public init(_ text: String) { self.text = text }

    public var testDescription: String {
        let beginning = text.prefix(40)
        let rest = text.utf8.count - beginning.utf8.count
        return rest == 0 ? "\"\(beginning)\"" : "\"\(beginning)\" and \(rest) bytes"
    }
}
