/// Character references in attribute values and texts: numbers, and the names that forms use.
enum HTMLEntities {
    private static let named: [String: String] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{a0}",
    ]

    /// From `&` to `;`: no reference that is read here is longer.
    private static let longest = 12

    static func decode(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            result += rest[..<start]
            let window = bytes[start...].prefix(longest)
            if let end = window.firstIndex(of: UInt8(ascii: ";")),
                let character = character(String(decoding: bytes[(start + 1)..<end], as: UTF8.self))
            {
                result += character.utf8
                rest = bytes[(end + 1)...]
            } else {
                result.append(UInt8(ascii: "&"))
                rest = bytes[(start + 1)...]
            }
        }
        return String(decoding: result + rest, as: UTF8.self)
    }

    private static func character(_ name: String) -> String? {
        guard name.hasPrefix("#") else { return named[name] }
        let digits = name.dropFirst()
        let number =
            digits.hasPrefix("x") || digits.hasPrefix("X")
            ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
    }
}
