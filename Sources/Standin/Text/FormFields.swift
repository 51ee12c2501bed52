internal import Formats

/// `name=value&…` as it stands in a query or a form: where its fields are is found once, and nothing of
/// them is copied before it is asked for.
struct FormFields: Sendable {
    private let text: String
    private let fields: [Field]

    /// Where it begins, where its `=` stands, and where it ends; the last two are the same without a sign.
    private struct Field: Sendable {
        var start: Int
        var sign: Int
        var end: Int

        var name: Range<Int> { start..<sign }
        var value: Range<Int> { min(sign + 1, end)..<end }
    }

    static let none = FormFields("", from: 0)

    /// The fields of `text` from the byte `start` on.
    init(_ text: String, from start: Int) {
        self.text = text
        let bytes = text.utf8Span.span
        var fields: [Field] = []
        var position = start
        // As many as nearly all requests have.
        if position < bytes.count { fields.reserveCapacity(8) }
        while position < bytes.count {
            let sign = bytes.first(of: ByteStops("&", "="), from: position)
            let end = bytes.first(UInt8(ascii: "&"), from: sign)
            fields.append(Field(start: position, sign: sign, end: end))
            position = end + 1
        }
        self.fields = fields
    }

    /// Whether a name stands there twice.
    var hasTwins: Bool {
        let bytes = text.utf8Span.span
        var names: Set<String> = []
        return fields.contains { field in
            let name = Percent.decode(bytes.extracting(field.name), plusIsSpace: true)
            return !name.isEmpty && !names.insert(name).inserted
        }
    }

    /// The decoded value of the first field of that name; nil when there is none. Names are
    /// case-sensitive (rest-v1.md § 3.1) and, as all of ours, need no escaping.
    subscript(name: String) -> String? {
        // Most names differ in length, which needs no look at their bytes.
        let length = name.utf8.count
        for field in fields where field.sign - field.start == length {
            let bytes = text.utf8Span.span
            guard bytes.holds(name.utf8Span.span, at: field.start) else { continue }
            return Percent.decode(bytes.extracting(field.value), plusIsSpace: true)
        }
        return nil
    }
}

/// Percent-encoding (RFC 3986, 2.1; the form variant of the URL standard, 5).
enum Percent {
    /// The text that `bytes` spell; a `%` without two digits stands for itself.
    static func decode(_ bytes: Span<UInt8>, plusIsSpace: Bool = false) -> String {
        guard PercentEncoding.isEncoded(bytes, plusIsSpace: plusIsSpace) else {
            return String(repairing: bytes)
        }
        let decoded = PercentEncoding.decode(bytes, plusIsSpace: plusIsSpace)
        return String(decoding: decoded, as: UTF8.self)
    }
}

extension String {
    /// The text that bytes spell, broken ones replaced.
    init(repairing bytes: Span<UInt8>) {
        if let text = try? UTF8Span(validating: bytes) {
            self.init(copying: text)
        } else {
            let copy = [UInt8](capacity: bytes.count) { $0.append(bytes) }
            self.init(decoding: copy, as: UTF8.self)
        }
    }
}
