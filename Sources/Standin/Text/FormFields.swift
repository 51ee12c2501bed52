/// `name=value&…` as it stands in a query or a form, searched in place: a poll looks at four fields
/// of a hundred bytes, and taking all apart would cost more than looking.
struct FormFields: Sendable {
    private let text: String
    /// Where the fields begin.
    private let start: Int

    static let none = FormFields("", from: 0)

    /// The fields of `text` from the byte `start` on.
    init(_ text: String, from start: Int) {
        self.text = text
        self.start = start
    }

    /// The decoded value of the first field of that name; nil when there is none. Names are
    /// case-sensitive (rest-v1.md § 3.1) and, as all of ours, need no escaping.
    subscript(name: StaticString) -> String? {
        guard start < text.utf8.count else { return nil }
        // Native strings are contiguous; the fall-back is for bridged ones, which nobody makes here.
        let found = text.utf8.withContiguousStorageIfAvailable { find(name, in: $0) }
        return found ?? Array(text.utf8).withUnsafeBufferPointer { find(name, in: $0) }
    }

    private func find(_ name: StaticString, in bytes: UnsafeBufferPointer<UInt8>) -> String? {
        let count = name.utf8CodeUnitCount
        var position = start
        while position < bytes.count {
            var end = position
            while end < bytes.count, bytes[end] != UInt8(ascii: "&") { end += 1 }
            let afterName = position + count
            if afterName <= end, afterName == end || bytes[afterName] == UInt8(ascii: "="),
                name.withUTF8Buffer({ wanted in
                    wanted.elementsEqual(bytes[position..<afterName])
                })
            {
                return Percent.decode(
                    UnsafeBufferPointer(rebasing: bytes[min(afterName + 1, end)..<end]),
                    plusIsSpace: true)
            }
            position = end + 1
        }
        return nil
    }
}

/// Percent-encoding (RFC 3986, 2.1; the form variant of the URL standard, 5).
enum Percent {
    /// The text that `bytes` spell; a `%` without two digits stands for itself.
    static func decode(_ bytes: UnsafeBufferPointer<UInt8>, plusIsSpace: Bool) -> String {
        let isPlain = bytes.allSatisfy {
            $0 != UInt8(ascii: "%") && (!plusIsSpace || $0 != UInt8(ascii: "+"))
        }
        if isPlain { return String(decoding: bytes, as: UTF8.self) }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "%"), position + 2 < bytes.count,
                let high = hexValue(bytes[position + 1]), let low = hexValue(bytes[position + 2])
            {
                text.append(high << 4 | low)
                position += 3
                continue
            }
            text.append(byte == UInt8(ascii: "+") && plusIsSpace ? UInt8(ascii: " ") : byte)
            position += 1
        }
        return String(decoding: text, as: UTF8.self)
    }

    static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String {
        let needsNothing = !text.utf8.contains {
            $0 == UInt8(ascii: "%") || plusIsSpace && $0 == UInt8(ascii: "+")
        }
        if needsNothing { return String(text) }
        return Array(text.utf8).withUnsafeBufferPointer { decode($0, plusIsSpace: plusIsSpace) }
    }

    /// Everything but the unreserved characters, as a query value wants it.
    static func encode(_ text: some StringProtocol) -> String {
        var out: [UInt8] = []
        out.reserveCapacity(text.utf8.count * 2)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                out.append(byte)
            default:
                out.append(UInt8(ascii: "%"))
                out.append(digits[Int(byte >> 4)])
                out.append(digits[Int(byte & 15)])
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}
