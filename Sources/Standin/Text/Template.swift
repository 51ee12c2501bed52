internal import Formats

/// A text with holes, each written `{}`: taken apart once, and filled in for every answer.
struct Template: Sendable {
    private let parts: [[UInt8]]
    private let width: Int

    init(_ text: String) {
        let bytes = Array(text.utf8)
        var parts: [[UInt8]] = []
        var start = 0
        var position = 0
        while position + 1 < bytes.count {
            guard bytes[position] == UInt8(ascii: "{"), bytes[position + 1] == UInt8(ascii: "}")
            else {
                position += 1
                continue
            }
            parts.append(Array(bytes[start..<position]))
            position += 2
            start = position
        }
        parts.append(Array(bytes[start...]))
        self.parts = parts
        width = bytes.count
    }

    /// The text with a value in each hole, in their order.
    func filled(_ values: String...) -> [UInt8] {
        precondition(values.count == parts.count - 1, "every hole has its value")
        var text: [UInt8] = []
        text.reserveCapacity(width + values.reduce(0) { $0 + $1.utf8.count })
        for position in values.indices {
            text.append(contentsOf: parts[position])
            text.append(text: values[position])
        }
        text.append(contentsOf: parts[values.count])
        return text
    }
}
