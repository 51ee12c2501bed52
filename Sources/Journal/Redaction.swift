public import Dialects
internal import Synchronization

/// What of a request or reply may be shown: secrets become `(secret #fingerprint)`, equal for equal
/// secrets within one run (docs/reports.md, Requests and replies).
public struct Redaction: Sendable {
    private let fingerprinter: Fingerprinter
    /// Headers that the rig adds, lower case: their values may come from secrets.
    private let ownHeaders: Set<String>
    /// Where secrets that were met are noted; nil: nowhere.
    private var marks: Marks?

    public init(_ fingerprinter: Fingerprinter, ownHeaders: Headers = [:]) {
        self.fingerprinter = fingerprinter
        self.ownHeaders = Set(ownHeaders.fields.map { $0.name.lowercased() })
    }

    /// Fields that carry secrets, in lower case, in whatever a body is written.
    private static let names: Set<String> = [
        "client_secret", "access_token", "refresh_token", "id_token", "software_statement",
        "password", "passwd", "passphrase", "pwd", "pass", "pin", "otp", "secret",
        "samlresponse", "samlrequest", "samlassertion", "serializedtoken", "assertion",
        "authorization",
    ]

    /// Secrets that were met, as they were written.
    final class Marks: Sendable {
        fileprivate let values = Mutex<[String]>([])

        /// Shorter ones stand everywhere by chance.
        private static let shortest = 6

        func note(_ secret: String) {
            // The word itself stands in every mark.
            guard secret.count >= Self.shortest, secret != "secret" else { return }
            values.withLock { if !$0.contains(secret) { $0.append(secret) } }
        }
    }

    /// Itself, noting every secret in `marks`.
    func noting(in marks: Marks) -> Redaction {
        var noting = self
        noting.marks = marks
        return noting
    }

    /// The fingerprint in the place of a secret: `(secret #0123456789abcdef)`.
    public func mark(_ secret: some StringProtocol) -> String {
        if secret.isEmpty { return "" }
        marks?.note(String(secret))
        return plainMark(String(secret))
    }

    /// The same for the value of a form, by what it says and not by how it is written.
    private func markForm(_ value: Substring) -> String {
        if value.isEmpty { return "" }
        let said = String(value).removingPercents
        for written in [said, String(value)] { marks?.note(written) }
        return plainMark(said)
    }

    private func plainMark(_ secret: String) -> String {
        "(secret #\(fingerprinter.fingerprint(of: Secret(secret))))"
    }

    /// A text without the secrets that were noted so far, wherever in it they stand.
    func withoutEchoes(_ text: String) -> String {
        guard let marks else { return text }
        return marks.values.withLock { $0 }.reduce(text) { text, secret in
            text.replacingBytes(of: secret, with: plainMark(secret))
        }
    }

    /// A service's own words about a call, without the secrets of it that they may echo.
    public func words(_ text: String, about call: Call) -> String {
        let watchful = noting(in: Marks())
        _ = KeptMessage(Message(household: 0, sequence: 0, call: call, reply: nil), watchful)
        return watchful.withoutEchoes(text)
    }

    // MARK: Headers and addresses

    public func header(_ field: Headers.Field) -> String {
        let name = field.name.lowercased()
        switch name {
        case "authorization", "proxy-authorization":
            let scheme = field.value.prefix { $0 != " " }
            guard scheme.count < field.value.count else { return mark(field.value) }
            return "\(scheme) \(mark(field.value.dropFirst(scheme.count + 1)))"
        case "cookie":
            return field.value.split(separator: ";").map { cookie($0.trimmingSpaces()) }
                .joined(separator: "; ")
        case "set-cookie":
            let value = field.value.prefix { $0 != ";" }
            return cookie(String(value)) + field.value.dropFirst(value.count)
        case "location", "referer": return address(field.value)
        case _ where ownHeaders.contains(name): return mark(field.value)
        default: return field.value
        }
    }

    private func cookie(_ text: String) -> String {
        let name = text.prefix { $0 != "=" }
        guard name.count < text.count else { return mark(text) }
        return "\(name)=\(mark(text.dropFirst(name.count + 1)))"
    }

    /// An address or a request line's target, without the secrets of its query.
    public func address(_ text: String, briefly: Bool = false) -> String {
        let path = text.prefix { $0 != "?" }
        guard path.count < text.count else { return text }
        return "\(path)?" + form(text.dropFirst(path.count + 1), whole: false, briefly: briefly)
    }

    // MARK: Bodies

    /// A body as text. `isLogin`: a form of the provider's, every value of which is somebody's own.
    public func body(_ bytes: [UInt8], mediaType: String, isLogin: Bool = false) -> String {
        guard !bytes.contains(0) else { return "(\(bytes.count) bytes that are no text)" }
        let text = String(decoding: bytes, as: UTF8.self)
        if mediaType == "application/x-www-form-urlencoded" {
            return form(text[...], whole: isLogin, briefly: false)
        }
        let lower = text.lowercased()
        // The patterns are slow, and few bodies have anything for them.
        let named = Self.names.contains { lower.holdsBytes(of: $0) }
        let marked = named ? elements(members(text)) : text
        return lower.holdsBytes(of: "<input") ? inputs(marked) : marked
    }

    private func form(_ text: Substring, whole: Bool, briefly: Bool) -> String {
        text.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            let name = pair.prefix { $0 != "=" }
            guard name.count < pair.count else { return String(pair) }
            let value = pair.dropFirst(name.count + 1)
            if whole || Self.names.contains(name.lowercased()) {
                return "\(name)=\(markForm(value))"
            }
            return briefly && value.count > 40
                ? "\(name)=(\(value.count) characters)" : String(pair)
        }.joined(separator: "&")
    }

    /// `"access_token": "…"`.
    private func members(_ text: String) -> String {
        text.replacing(#/"([A-Za-z_-]+)"(\s*:\s*)"((?:[^"\\]|\\.)*)"/#) { match in
            Self.names.contains(match.1.lowercased())
                ? "\"\(match.1)\"\(match.2)\"\(mark(match.3))\"" : String(match.0)
        }
    }

    /// `<serializedToken>…</serializedToken>`.
    private func elements(_ text: String) -> String {
        text.replacing(#/<([A-Za-z_-]+)>([^<]+)</#) { match in
            Self.names.contains(match.1.lowercased())
                ? "<\(match.1)>\(mark(match.2))<" : String(match.0)
        }
    }

    /// Values of hidden and password inputs: they belong to this session.
    private func inputs(_ text: String) -> String {
        text.replacing(#/<input\b[^>]*>/#.ignoresCase()) { match in
            let tag = String(match.0)
            guard tag.contains(#/type\s*=\s*["']?(hidden|password)/#.ignoresCase()) else {
                return tag
            }
            return tag.replacing(#/(value\s*=\s*)("[^"]*"|'[^']*'|[^\s>]+)/#.ignoresCase()) {
                let bare = $0.2.trimmingPrefix("\"").trimmingPrefix("'").dropLast(
                    $0.2.hasSuffix("\"") || $0.2.hasSuffix("'") ? 1 : 0)
                return "\($0.1)\"\(mark(bare))\""
            }
        }
    }
}

extension String {
    /// With `%XX` and `+` undone, as a form's value was before it was written; itself where that is
    /// no text.
    fileprivate var removingPercents: String {
        guard utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return self
        }
        var bytes: [UInt8] = []
        var rest = Substring(self).utf8
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2,
                let value = UInt8(String(Substring(digits)), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(validating: bytes, as: UTF8.self) ?? self
    }
}
