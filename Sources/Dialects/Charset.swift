internal import Formats
internal import Glibc

/// The character encoding of a page that is not UTF-8: browsers read such a page by it, and write what its forms send in it
/// (HTML, 4.10.21 and 13.2.3).
public struct Charset: Hashable, Sendable {
    let label: String
    /// As iconv knows it.
    private let name: String

    /// Nil for UTF-8, and for what iconv does not know.
    public init?(label: String) {
        if label.equalsIgnoringCase("utf-8") || label.equalsIgnoringCase("utf8") { return nil }
        let label = label.lowercased()
        guard !label.isEmpty, label.utf8.count < 40 else { return nil }
        // What browsers take these labels for (Encoding Standard, 4.2).
        let name =
            switch label {
            case "iso-8859-1", "latin1", "us-ascii", "ascii", "windows-1252": "WINDOWS-1252"
            case "shift_jis", "shift-jis", "sjis", "x-sjis", "windows-31j": "CP932"
            case "gb2312", "gbk", "gb_2312-80": "GB18030"
            case "euc-kr", "ks_c_5601-1987": "UHC"
            default: label.uppercased()
            }
        guard Converter(from: name, to: "UTF-8") != nil else { return nil }
        (self.label, self.name) = (label, name)
    }

    /// The name of the `meta` that a page begins with where it was not in UTF-8.
    public static let field = "screenrig-charset"

    /// Forms of a page in UTF-16 are sent in UTF-8.
    public var isOfForms: Bool { !name.hasPrefix("UTF-16") && !name.hasPrefix("UTF-32") }

    func text(_ bytes: [UInt8]) -> String {
        guard let converter = Converter(from: name, to: "UTF-8") else {
            return String(decoding: bytes, as: UTF8.self)
        }
        // What is no character of it, as of a text in UTF-8.
        let converted = converter.convert(bytes, insteadOfOthers: Array("\u{fffd}".utf8))
        return String(decoding: converted ?? bytes, as: UTF8.self)
    }

    /// `FormEncoding.body(_:)` in this encoding; a character that it lacks as `&#8364;`.
    public func body(_ fields: [(String, String)]) -> [UInt8] {
        let pairs = fields.map { written($0.0) + "=" + written($0.1) }
        return Array(pairs.joined(separator: "&").utf8)
    }

    private func written(_ text: String) -> String {
        guard let converter = Converter(from: "UTF-8", to: name) else { return "" }
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            bytes +=
                converter.convert(Array(String(scalar).utf8))
                ?? Array("&#\(scalar.value);".utf8)
        }
        return bytes.reduce(into: "") { text, byte in
            // Every byte beyond ASCII is reserved.
            text +=
                byte < 0x80
                ? PercentEncoding.encode(String(UnicodeScalar(byte)))
                : "%" + String(byte, radix: 16, uppercase: true)
        }
    }
}

extension Reply {
    /// The body of a page as a text, and what it is written in; nil: UTF-8. The header wins over the page's own word, which
    /// stands in its first kilobyte (HTML, 13.2.3.2).
    public var page: (text: String, charset: Charset?) {
        let field = headers["Content-Type"] ?? ""
        let label =
            Self.label(in: field.utf8Span.span) ?? Self.mark(of: body)
            ?? Self.metaLabel(in: body.span.extracting(first: 1_024))
        guard let charset = label.flatMap({ Charset(label: $0) }) else { return (text, nil) }
        return (charset.text(body), charset)
    }

    /// The page for a browser. Where it is not in UTF-8, it begins with the name of what it was in, for its forms
    /// (`Charset.field`): what it says itself may be wrong.
    var shownPage: Untrusted {
        let page = page
        guard let charset = page.charset else { return Untrusted(page.text) }
        return Untrusted("<meta name=\(Charset.field) content=\(charset.label)>\n\(page.text)")
    }

    /// After `charset=`, in quotes or not.
    private static func label(in text: Span<UInt8>) -> String? {
        guard var position = place(of: "charset", in: text, from: 0).map({ $0 + 7 }) else {
            return nil
        }
        func skip(_ bytes: StaticString) {
            while position < text.count, bytes.holds(text[position]) { position += 1 }
        }
        skip(" ")
        guard position < text.count, text[position] == UInt8(ascii: "=") else { return nil }
        position += 1
        skip(" \"'")
        let start = position
        while position < text.count,
            !(" \"';>/" as StaticString).holds(text[position]), text[position] > 0x20
        {
            position += 1
        }
        return position == start
            ? nil : String(decoding: (start..<position).map { text[$0] }, as: UTF8.self)
    }

    private static func metaLabel(in text: Span<UInt8>) -> String? {
        var start = 0
        while let tag = place(of: "<meta", in: text, from: start) {
            let end = text.first(UInt8(ascii: ">"), from: tag)
            if let label = label(in: text.extracting(tag..<end)) { return label }
            start = end
        }
        return nil
    }

    /// Where that word in small letters stands, however it is written.
    private static func place(
        of word: String, in text: Span<UInt8>, from start: Int
    ) -> Int? {
        let word = word.utf8Span.span
        var position = start
        while position + word.count <= text.count {
            if text[position] | 0x20 == word[0] | 0x20,
                text.extracting(position..<position + word.count).equalsIgnoringCase(word)
            {
                return position
            }
            position += 1
        }
        return nil
    }

    private static func mark(of body: [UInt8]) -> String? {
        switch (body.first, body.dropFirst().first) {
        case (0xff, 0xfe): "utf-16le"
        case (0xfe, 0xff): "utf-16be"
        default: nil
        }
    }
}

/// One conversion of iconv, which knows the encodings of the C library.
private final class Converter {
    private let handle: iconv_t

    /// Nil for an encoding that is not known.
    init?(from source: String, to target: String) {
        guard let handle = iconv_open(target, source), handle != iconv_t(bitPattern: -1) else {
            return nil
        }
        self.handle = handle
    }

    deinit { iconv_close(handle) }

    /// `insteadOfOthers`: in the place of each byte that is no character; nil: there is no result then.
    func convert(_ bytes: [UInt8], insteadOfOthers: [UInt8]? = nil) -> [UInt8]? {
        var source = bytes.map { CChar(bitPattern: $0) }
        var piece = [CChar](repeating: 0, count: max(64, bytes.count))
        return source.withUnsafeMutableBufferPointer { source -> [UInt8]? in
            var result: [UInt8] = []
            var next = source.baseAddress
            var left = source.count
            while left > 0 {
                let (status, filled) = piece.withUnsafeMutableBufferPointer { piece in
                    var place = piece.baseAddress
                    var room = piece.count
                    let status = iconv(handle, &next, &left, &place, &room)
                    return (status, piece.count - room)
                }
                result += piece.prefix(filled).lazy.map { UInt8(bitPattern: $0) }
                if status >= 0 { break }
                // The piece is full, and another takes the rest.
                if errno == E2BIG { continue }
                guard let insteadOfOthers else { return nil }
                result += insteadOfOthers
                next? += 1
                left -= 1
            }
            return result
        }
    }
}

extension StaticString {
    fileprivate func holds(_ byte: UInt8) -> Bool {
        withUTF8Buffer { $0.contains(byte) }
    }
}
