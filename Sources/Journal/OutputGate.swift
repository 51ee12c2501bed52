@_spi(Untrusted) public import Dialects

/// The one way for words of a peer into an output (docs/reports.md, Secrets). Secrets become
/// `(secret #fingerprint)`, equal for equal secrets within one run: those that are known, wherever and
/// however a peer repeats them, and those that a place gives away (a header, a field of a form).
/// Control characters go, and what is too long is cut. Linear in what it reads.
public struct OutputGate: Sendable {
    private let fingerprinter: Fingerprinter
    /// Headers that the rig adds, lower case: their values may come from secrets.
    private let ownHeaders: Set<String>
    /// Of the run: the rig's headers, its accounts.
    private var common: KnownSecrets
    /// Of the household.
    private var known = KnownSecrets()

    /// `secrets`: those of the whole run, besides the values of `ownHeaders`.
    public init(
        _ fingerprinter: Fingerprinter, ownHeaders: Headers = [:],
        secrets: KnownSecrets = KnownSecrets()
    ) {
        self.fingerprinter = fingerprinter
        self.ownHeaders = Set(ownHeaders.fields.map { $0.name.lowercased() })
        common = secrets
        for field in ownHeaders.fields {
            common.note(value: field.value[...])
        }
        common.note(headers: ownHeaders)
    }

    /// The gate of a household that has these secrets.
    public func knowing(_ secrets: KnownSecrets) -> OutputGate {
        var gate = self
        gate.known = secrets
        return gate
    }

    // MARK: Words

    /// Words as one line, in which the household's own people have no name, but for whom it is asked who they are
    /// (`withNames`).
    public func text(
        _ words: Untrusted, limit: Int = 1_000, withNames: Bool = false
    ) -> String {
        let text = words.text {
            let line = cleaned(Self.line($0))
            return withNames ? line : known.withoutNames(line)
        }
        return text.utf8.count <= limit ? text : text.prefix(limit - 1) + "…"
    }

    /// A name that answers are compared by: itself, unless it holds a secret. What the rig calls its own
    /// users stays, whatever their passwords are.
    public func name(_ text: String) -> String {
        guard known.mayBe(in: text, or: common), !known.isName(text), !common.isName(text) else {
            return text
        }
        return replaced(Array(text.utf8), by: []) ?? text
    }

    /// Whether no secret of the household can be in what was found to hold none of another household: what
    /// the gate makes of it depends on nothing but the run.
    package func isOfRun(plain text: String) -> Bool { !known.mayBe(inPlain: text) }

    /// The gate of a household without secrets.
    private var ofRun: OutputGate { knowing(KnownSecrets()) }

    /// The fingerprint in the place of a secret: `(secret #0123456789abcdef)`.
    public func mark(_ secret: some StringProtocol) -> String {
        secret.isEmpty
            ? "" : "(secret #\(fingerprinter.fingerprint(of: Secret(String(secret)))))"
    }

    /// Without the secrets that are known, wherever in it they stand.
    func cleaned(_ text: String) -> String {
        guard known.mayBe(in: text, or: common) else { return text }
        return replaced(Array(text.utf8), by: []) ?? text
    }

    /// With marks in the place of `fields` and of whatever is known; nil: nothing is.
    private func replaced(_ text: [UInt8], by fields: [SecretFields.SecretField]) -> String? {
        var hits = fields.map { KnownSecrets.Hit(place: $0.place, secret: $0.value) }
        if !known.isEmpty || !common.isEmpty {
            Decoded(text).layers { hits += known.hits(in: $0) + common.hits(in: $0) }
        }
        guard !hits.isEmpty else { return nil }
        hits.sort {
            ($0.place.lowerBound, -$0.place.count) < ($1.place.lowerBound, -$1.place.count)
        }
        var bytes: [UInt8] = []
        var position = 0
        for hit in hits where hit.place.upperBound > position {
            bytes += text[position..<max(position, hit.place.lowerBound)]
            // Of two that overlap the rest goes with the first.
            if hit.place.lowerBound >= position { bytes += Array(mark(hit.secret).utf8) }
            position = hit.place.upperBound
        }
        return String(decoding: bytes + text[position...], as: UTF8.self)
    }

    /// Without control characters, which a terminal would obey, and marks of direction.
    private static func line(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x09, 0x0a, 0x0d: scalars.append(" ")
            case 0xad, 0x200b...0x200d, 0x2060...0x2065, 0xfeff: continue
            case _ where scalar.isControl: continue
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }

    // MARK: Headers and addresses

    public func header(_ field: Headers.Field) -> Headers.Field {
        Headers.Field(cleaned(field.name), value(field.value, of: sort(ofHeader: field.name)))
    }

    /// What the name of a header says about its value.
    package enum HeaderSort: Sendable {
        /// A scheme, and what it asks for.
        case credentials
        case cookies, setCookie
        case address
        /// The whole value is a secret: the rig's own, or so its name says.
        case secret
        case harmless, other

        /// Whether nothing in the value is a secret by its place.
        fileprivate func keeps(_ value: String) -> Bool {
            self == .harmless || self == .other && !OutputGate.isToken(value)
        }
    }

    package func sort(ofHeader name: String) -> HeaderSort {
        let name = name.lowercased()
        return switch name {
        case "authorization", "proxy-authorization": .credentials
        case "cookie": .cookies
        case "set-cookie": .setCookie
        case "location", "referer", "content-location", "refresh", "link": .address
        case _ where ownHeaders.contains(name) || KnownSecrets.identities.contains(name): .secret
        case _ where Self.harmless.contains(name) || name.hasPrefix("x-amz"): .harmless
        case _ where Self.isTelling(name): .secret
        default: .other
        }
    }

    /// The value of a header, as it may be shown.
    private func value(_ value: String, of sort: HeaderSort) -> String {
        cleaned(marked(value, sort))
    }

    /// The value of a header, as it may be shown, and whether it is shown so for every household of the
    /// run that has no secret in it.
    package func shown(_ value: String, of sort: HeaderSort) -> (text: String, isOfRun: Bool) {
        guard known.mayBe(in: value, or: common) else {
            return (sort.keeps(value) ? value : ofRun.value(value, of: sort), true)
        }
        let isOfRun = !known.mayBe(in: value)
        let gate = isOfRun ? ofRun : self
        let marked = gate.marked(value, sort)
        return (gate.replaced(Array(marked.utf8), by: []) ?? marked, isOfRun)
    }

    /// The value of a header, without what its name gives away.
    private func marked(_ value: String, _ sort: HeaderSort) -> String {
        switch sort {
        case .credentials:
            let scheme = value.prefix { $0 != " " }
            guard scheme.count < value.count else { return mark(value) }
            return "\(scheme) \(mark(value.dropFirst(scheme.count + 1)))"
        case .cookies:
            return value.split(separator: ";").map { cookie($0.trimmingSpaces()) }
                .joined(separator: "; ")
        case .setCookie:
            let first = value.prefix { $0 != ";" }
            return cookie(String(first)) + value.dropFirst(first.count)
        case .address: return address(value)
        case .secret: return mark(value)
        case .harmless, .other: return sort.keeps(value) ? value : mark(value)
        }
    }

    /// Headers of the protocol and of HTTP whose values are long or look random, and are no secrets.
    private static let harmless: Set<String> = [
        "ap-device-identifier", "ap-partner-framework-status", "x-device-info", "user-agent",
        "traceparent", "x-screenrig",
        "x-request-id", "adobe-request-id", "cf-ray", "etag", "if-none-match", "via", "date",
        "accept", "accept-language", "content-type", "content-length", "content-security-policy",
        "strict-transport-security", "www-authenticate", "server-timing", "report-to",
    ]

    private static let telling = ["token", "secret", "key", "session", "auth", "cookie", "passw"]

    /// Without Foundation's search, which makes two objects of each text: it is asked of most answers.
    private static func isTelling(_ name: String) -> Bool {
        let name = name.utf8
        return telling.contains { word in
            name.indices.contains { name[$0...].starts(with: word.utf8) }
        }
    }

    /// Long, without spaces, of digits and letters in both cases or of hexadecimal digits.
    fileprivate static func isToken(_ value: String) -> Bool {
        guard value.utf8.count >= 24 else { return false }
        var (digits, upper, lower) = (0, 0, 0)
        for byte in value.utf8 {
            switch byte {
            case 0x30...0x39: digits += 1
            case 0x41...0x5a: upper += 1
            case 0x61...0x7a: lower += 1
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "-"),
                UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"):
                continue
            default: return false
            }
        }
        return digits > 2 && (upper > 2 && lower > 2 || digits > 5)
    }

    private func cookie(_ text: String) -> String {
        let name = text.prefix { $0 != "=" }
        guard name.count < text.count else { return mark(text) }
        return "\(name)=\(mark(text.dropFirst(name.count + 1)))"
    }

    /// An address or a request line's target, without the secrets of its query. `briefly`: long values
    /// by their length.
    public func address(_ text: String, briefly: Bool = false) -> String {
        guard let start = text.utf8.firstIndex(where: { $0 == 0x3f || $0 == 0x23 }) else {
            return cleaned(text)
        }
        let query = String(text[start...])
        let shown = form(Array(query.utf8), whole: false)
        let path = cleaned(String(text[..<start]))
        guard briefly else { return path + shown }
        let fields = shown.dropFirst().split(separator: "&", omittingEmptySubsequences: false).map {
            field in
            let name = field.prefix { $0 != "=" }
            let value = field.dropFirst(name.count + 1)
            return value.count > 40 && !value.hasPrefix("(secret #")
                ? "\(name)=(\(value.count) characters)" : String(field)
        }
        return path + shown.prefix(1) + fields.joined(separator: "&")
    }

    // MARK: Bodies

    /// A body as text. `isLogin`: a form of the provider's, every value of which is somebody's own.
    public func body(_ bytes: [UInt8], mediaType: String, isLogin: Bool = false) -> String {
        guard !bytes.contains(0) else { return "(\(bytes.count) bytes that are no text)" }
        if mediaType == Self.formType { return form(bytes, whole: isLogin) }
        return replaced(bytes, by: SecretFields.document(bytes))
            ?? String(decoding: bytes, as: UTF8.self)
    }

    static let formType = "application/x-www-form-urlencoded"

    private func form(_ bytes: [UInt8], whole: Bool) -> String {
        replaced(bytes, by: SecretFields.form(bytes, whole: whole))
            ?? String(decoding: bytes, as: UTF8.self)
    }
}

extension KnownSecrets {
    /// Notes everything in a message that its place gives away.
    mutating func note(_ message: Message) {
        note(message.call)
        note(message.secrets)
        note(fields: SecretFields.form(Array(message.call.address.query.utf8)))
        let isForm = message.call.mediaType == OutputGate.formType
        note(
            fields: isForm
                ? SecretFields.form(message.call.body, whole: message.call.isLogin)
                : SecretFields.document(message.call.body))
        guard let reply = message.reply else { return }
        note(reply)
        note(fields: SecretFields.document(reply.body))
    }
}

extension Call {
    /// A form of the provider's.
    public var isLogin: Bool {
        operation == .mvpdLogin || operation == .assertion || operation == .verificationPage
            || isDecision
    }

    /// Media type of the body, without parameters.
    public var mediaType: String {
        String((headers["Content-Type"] ?? "").prefix { $0 != ";" })
    }
}
