public import Dialects
public import Journal

/// What of a request or reply may be shown: secrets become `(secret #fingerprint)`, equal for equal
/// secrets within one run (product.md, The run directory).
public struct Redaction: Sendable {
    private let fingerprinter: Fingerprinter
    /// Headers that the rig adds, lower case: their values may come from secrets.
    private let ownHeaders: Set<String>

    public init(_ fingerprinter: Fingerprinter, ownHeaders: Headers = [:]) {
        self.fingerprinter = fingerprinter
        self.ownHeaders = Set(ownHeaders.fields.map { $0.name.lowercased() })
    }

    /// Fields that carry secrets, in lower case, in whatever a body is written.
    private static let names: Set<String> = [
        "client_secret", "access_token", "refresh_token", "id_token", "software_statement",
        "password", "passwd", "passphrase", "pwd", "pass", "pin", "otp", "secret",
        "samlresponse", "samlassertion", "serializedtoken", "assertion", "authorization",
    ]

    func mark(_ secret: some StringProtocol) -> String {
        secret.isEmpty
            ? "" : "(secret #\(fingerprinter.fingerprint(of: Secret(String(secret)))))"
    }

    // MARK: Headers and addresses

    func header(_ field: Headers.Field) -> String {
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
    func address(_ text: String, briefly: Bool = false) -> String {
        let path = text.prefix { $0 != "?" }
        guard path.count < text.count else { return text }
        return "\(path)?" + form(text.dropFirst(path.count + 1), whole: false, briefly: briefly)
    }

    // MARK: Bodies

    /// A body as text. `isLogin`: a form of the provider's, every value of which is somebody's own.
    func body(_ bytes: [UInt8], mediaType: String, isLogin: Bool = false) -> String {
        guard !bytes.contains(0) else { return "(\(bytes.count) bytes that are no text)" }
        let text = String(decoding: bytes, as: UTF8.self)
        if mediaType == "application/x-www-form-urlencoded" {
            return form(text[...], whole: isLogin, briefly: false)
        }
        return inputs(elements(members(text)))
    }

    private func form(_ text: Substring, whole: Bool, briefly: Bool) -> String {
        text.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            let name = pair.prefix { $0 != "=" }
            guard name.count < pair.count else { return String(pair) }
            let value = pair.dropFirst(name.count + 1)
            if whole || Self.names.contains(name.lowercased()) { return "\(name)=\(mark(value))" }
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
