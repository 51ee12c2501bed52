internal import Formats

/// An address in a tool of the server's team, with placeholders for what tells an exchange apart there
/// (`links` of a rig): `https://tempo.example/trace/{trace-id}`.
public struct LinkTemplate: Sendable, Hashable {
    public enum Placeholder: String, CaseIterable, Sendable {
        /// 32 hexadecimal digits, as in the `traceparent` of the request.
        case trace = "trace-id"
        /// 16 hexadecimal digits, as in the same.
        case span = "span-id"
        /// What the service calls the request (`Adobe-Request-Id`, `X-Request-Id` and the like).
        case request = "request-id"
        case household
        /// Number of the exchange within its household.
        case exchange
        case operation
        /// Name of the run directory.
        case run
        /// What `X-Screenrig` begins with.
        case runID = "run-id"
        /// UTC, ISO 8601 with milliseconds, when the request was sent.
        case time
        /// The same in milliseconds since 1970.
        case milliseconds = "time-ms"

        /// As it is written.
        var spelled: String { "{\(rawValue)}" }
    }

    enum Part: Sendable, Hashable {
        case text(String)
        case value(Placeholder)
    }

    /// What the link is called: the key in the rig.
    public var name = ""
    private var parts: [Part] = []

    /// The address with these values, URL-encoded; nil where one that it needs is missing.
    public func address(_ value: (Placeholder) -> String?) -> String? {
        var address = ""
        for part in parts {
            switch part {
            case .text(let text): address += text
            case .value(let placeholder):
                guard let value = value(placeholder), !value.isEmpty else { return nil }
                address += PercentEncoding.encode(value)
            }
        }
        return address
    }

    /// So many a rig may have: each exchange of each page has all of them.
    static let limit = 10

    static let known = Placeholder.allCases.map(\.spelled).joined(separator: ", ")

    /// Reads a template; only an address of the web is one, and no placeholder may choose its host.
    init(reading text: String) throws(Refusal) {
        guard let scheme = ["http://", "https://"].first(where: text.hasPrefix) else {
            throw Refusal(remark: "which does not begin with http:// or https://")
        }
        let refused = text.unicodeScalars.first {
            $0.value <= 0x20 || $0.value >= 0x7f || "\"<>\\^`|".unicodeScalars.contains($0)
        }
        if let refused {
            let shown = refused == " " ? "a space" : "the character U+\(Self.hexadecimal(refused))"
            throw Refusal(remark: "which has \(shown) in it; write it URL-encoded")
        }
        let host = text.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
        guard !host.isEmpty else { throw Refusal(remark: "which has no host") }
        if host.contains(where: "{}@".contains) {
            let what = host.contains("@") ? "a user name" : "a placeholder"
            throw Refusal(remark: "which has \(what) in its host")
        }
        var rest = text[...]
        while let open = rest.firstIndex(where: "{}".contains) {
            guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}") else {
                throw Refusal(remark: "which has a brace without its other half")
            }
            let word = String(rest[rest.index(after: open)..<close])
            guard let placeholder = Placeholder(rawValue: word) else {
                let words = Placeholder.allCases.map(\.rawValue)
                let nearest = word.nearest(among: words).map { "; did you mean {\($0)}?" } ?? ""
                throw Refusal(remark: "which has the unknown placeholder {\(word)}\(nearest)")
            }
            if open > rest.startIndex { parts.append(.text(String(rest[..<open]))) }
            parts.append(.value(placeholder))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
    }

    private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

extension Scalar<LinkTemplate> {
    static var link: Scalar {
        let words = LinkTemplate.Placeholder.allCases.map(\.rawValue).joined(separator: "|")
        return Scalar(
            name: "link",
            wanted: "an http or https address with any of \(LinkTemplate.known)",
            pattern:
                "https?:\\/\\/[^\\s{}\\/?#@\"<>\\\\^`|]+([\\/?#]([^\\s{}\"<>\\\\^`|]|\\{(\(words))\\})*)?"
        ) { text throws(Refusal) in try LinkTemplate(reading: text) }
    }
}

extension Syntax<[LinkTemplate]> {
    /// `{trace: "https://tempo.example/trace/{trace-id}"}`.
    static var links: Syntax {
        .from(.named(.scalar(.link))) { named, marks, reader in
            guard named.count <= LinkTemplate.limit else {
                reader.refuse(
                    marks.place,
                    "links has \(named.count) entries; at most \(LinkTemplate.limit) are possible")
                return nil
            }
            return named.map { entry in
                var link = entry.value
                link.name = entry.name
                return link
            }
        }
    }
}
