internal import Formats

/// A resource as requests name it: an id, or a fragment of MRSS (rest-v1.md § 11). Real ones come with blanks
/// around them, commas inside, and titles in CDATA sections (observed.md).
struct ResourceText {
    /// As it was sent, for answers.
    let sent: String
    /// By what resources are compared, so that a fragment is the same however it is written: without blanks
    /// around it or between its elements, and with its CDATA sections spelled out.
    let key: String

    init(_ text: String) {
        sent = text
        let trimmed = text.trimmingSpaces()
        key = trimmed.utf8.first == UInt8(ascii: "<") ? Self.plain(trimmed.utf8Span.span) : trimmed
    }

    /// A list, in which a comma divides two resources, and none does within a fragment.
    static func list(_ text: String) -> [ResourceText] {
        let bytes = text.utf8Span.span
        var resources: [ResourceText] = []
        var (start, position, depth) = (0, 0, 0)
        func take(upTo end: Int) {
            let part = String(repairing: bytes.extracting(start..<end)).trimmingSpaces()
            if !part.isEmpty { resources.append(ResourceText(part)) }
        }
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "<"):
                let piece = Piece.at(position, of: bytes)
                depth = max(0, depth + piece.depth)
                position = piece.end
            case UInt8(ascii: ",") where depth == 0:
                take(upTo: position)
                position += 1
                start = position
            default: position += 1
            }
        }
        take(upTo: bytes.count)
        return resources
    }

    /// Whether it can be a resource at all: a fragment of MRSS closes what it opens.
    var isWellFormed: Bool {
        guard key.utf8.first == UInt8(ascii: "<") else { return true }
        let bytes = key.utf8Span.span
        var (position, depth, elements) = (0, 0, 0)
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "<") else {
                if bytes[position] == UInt8(ascii: ">") || depth == 0 { return false }
                position += 1
                continue
            }
            let piece = Piece.at(position, of: bytes)
            guard piece.isClosed, depth + piece.depth >= 0 else { return false }
            depth += piece.depth
            elements += piece.depth < 0 ? 1 : 0
            position = piece.end
        }
        return depth == 0 && elements > 0
    }

    /// The id, or the first text of a fragment: its channel's title.
    var name: Substring {
        guard key.utf8.first == UInt8(ascii: "<") else { return key[...] }
        var rest = key[...]
        while let end = rest.firstIndex(of: ">") {
            rest = rest[rest.index(after: end)...]
            let text = rest.prefix { $0 != "<" }
            if !text.isEmpty { return text }
        }
        return ""
    }

    private static func plain(_ bytes: Span<UInt8>) -> String {
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        var position = 0
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "<") else {
                let end = bytes.first(UInt8(ascii: "<"), from: position)
                let text = String(repairing: bytes.extracting(position..<end)).trimmingSpaces()
                out.append(text: text)
                position = end
                continue
            }
            let piece = Piece.at(position, of: bytes)
            if piece.isText {
                let end = piece.isClosed ? piece.end - 3 : piece.end
                let text = String(
                    repairing: bytes.extracting(position + 9..<max(position + 9, end)))
                for byte in text.trimmingSpaces().utf8 {
                    switch byte {
                    case UInt8(ascii: "<"): out.append(text: "&lt;")
                    case UInt8(ascii: ">"): out.append(text: "&gt;")
                    case UInt8(ascii: "&"): out.append(text: "&amp;")
                    default: out.append(byte)
                    }
                }
            } else if !piece.isComment {
                for place in position..<piece.end { out.append(bytes[place]) }
            }
            position = piece.end
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// What begins with a `<`: a tag, a comment, an instruction, a CDATA section.
    private struct Piece {
        /// Behind it; of one that is not closed, the end of everything.
        var end: Int
        var isClosed: Bool
        /// How many elements deeper it leads.
        var depth = 0
        var isText = false
        var isComment = false

        static func at(_ start: Int, of bytes: Span<UInt8>) -> Piece {
            func through(_ mark: String, from begin: Int) -> Piece {
                let start = bytes.first(mark.utf8Span.span, from: begin)
                return Piece(
                    end: start.map { $0 + mark.utf8.count } ?? bytes.count, isClosed: start != nil)
            }
            if bytes.holds("<![CDATA[".utf8Span.span, at: start) {
                var piece = through("]]>", from: start + 9)
                piece.isText = true
                return piece
            }
            if bytes.holds("<!--".utf8Span.span, at: start) {
                var piece = through("-->", from: start + 4)
                piece.isComment = true
                return piece
            }
            if bytes.holds("<?".utf8Span.span, at: start) {
                var piece = through("?>", from: start + 2)
                piece.isComment = true
                return piece
            }
            // Quoted values may hold anything.
            var position = start + 1
            var quote: UInt8?
            while position < bytes.count {
                let byte = bytes[position]
                if let open = quote {
                    if byte == open { quote = nil }
                } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                    quote = byte
                } else if byte == UInt8(ascii: ">") {
                    break
                }
                position += 1
            }
            guard position < bytes.count else { return Piece(end: bytes.count, isClosed: false) }
            let isEnd = bytes[start + 1] == UInt8(ascii: "/")
            let isEmpty = bytes[position - 1] == UInt8(ascii: "/")
            return Piece(end: position + 1, isClosed: true, depth: isEnd ? -1 : isEmpty ? 0 : 1)
        }
    }
}
