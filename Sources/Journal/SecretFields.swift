internal import Dialects
internal import Formats

/// Where a body or a query has a value that is a secret by its name: a form, JSON, XML, an HTML input.
/// Each reader looks at each byte a bounded number of times, whatever a peer writes.
enum SecretFields {
    /// A value as it stands there, without its quotes.
    struct SecretField {
        var place: Range<Int>
        var written: String
        /// What it says: a form's without its percents.
        var value: String
        /// Its name gives it away.
        var isNamed = true
    }

    /// Names of fields, in whatever a body is written: letters and digits, in lower case, for `clientSecret`, `client-secret` and
    /// ` client_secret` are one.
    static let names: Set<String> = [
        "clientsecret", "accesstoken", "refreshtoken", "idtoken", "devicecode",
        "softwarestatement",
        "password", "passwd", "passphrase", "pwd", "pass", "pin", "otp", "secret",
        "samlresponse", "samlrequest", "samlassertion", "serializedtoken", "assertion",
        "authorization",
    ]

    /// What a longer name has in it, such as `client_secret_v2`, if its value looks like one.
    private static let partsOfNames = ["clientsecret", "accesstoken", "refreshtoken", "devicecode"]
    private static let shortestPart = 10
    /// Ends of names whose values are about a secret: `access_token_expires_at`.
    private static let endsOfOthers = [
        "at", "in", "url", "uri", "endpoint", "type", "policy", "expires", "lifetime",
    ]

    /// What a provider hands over in an address at the end of a login (OpenID Connect, SAML's artifact binding); elsewhere short
    /// words have these names.
    private static let oneTimeNames: Set<String> = ["code", "state", "samlart"]
    private static let shortestOneTimeValue = 16

    private static func isOneTime(_ value: String) -> Bool {
        value.utf8.count >= shortestOneTimeValue && KnownSecrets.hasNumber(value)
    }

    private static let longestName = 40

    /// A bit for each length that a name of `names` has: most names are told apart by it.
    private static let lengths = names.reduce(UInt64(0)) { $0 | 1 << UInt64($1.utf8.count) }

    /// What a name says of its value.
    private enum Naming { case nothing, mayBeSecret, isSecret }

    private static func naming(_ name: ArraySlice<UInt8>) -> Naming {
        if isSecret(name) { return .isSecret }
        guard name.count <= longestName, name.count >= shortestPart else { return .nothing }
        let word = word(of: name)
        guard !endsOfOthers.contains(where: word.hasSuffix) else { return .nothing }
        let holdsPart = partsOfNames.contains {
            word.utf8Span.span.holdsIgnoringCase($0.utf8Span.span)
        }
        return holdsPart ? .mayBeSecret : .nothing
    }

    /// It is asked of each field of each form.
    private static func isSecret(_ name: ArraySlice<UInt8>) -> Bool {
        guard name.count <= longestName else { return false }
        var count = 0
        for byte in name where isWordByte(byte) { count += 1 }
        return lengths >> UInt64(count) & 1 == 1 && names.contains(word(of: name))
    }

    /// Bytes that a peer has put between count for nothing.
    private static func word(of name: ArraySlice<UInt8>) -> String {
        String(unsafeUninitializedCapacity: name.count) { text in
            var count = 0
            for byte in name where isWordByte(byte) {
                text[count] = byte < 0x41 ? byte : byte | 0x20
                count += 1
            }
            return count
        }
    }

    /// The value there, if its name gives it away, or its name and its looks.
    private static func field(
        _ place: Range<Int>, _ text: [UInt8], as naming: Naming
    ) -> SecretField? {
        guard let found = field(place, text) else { return nil }
        return naming == .isSecret || isOneTime(found.value) && !found.value.contains("://")
            ? found : nil
    }

    private static func field(_ place: Range<Int>, _ text: [UInt8]) -> SecretField? {
        guard !place.isEmpty else { return nil }
        let written = String(decoding: text[place], as: UTF8.self)
        guard !["null", "true", "false"].contains(written) else { return nil }
        var value = written
        if written.utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "&") }) {
            let decoded = Decoded(Array(written.utf8)).unescaped()
            if let decoded { value = String(decoding: decoded.bytes, as: UTF8.self) }
        }
        return SecretField(place: place, written: written, value: value)
    }

    // MARK: Forms and queries

    /// `a=1&client_secret=...`: fields are divided by `&` and `;`, a query from what it follows by `?` and `#`.
    /// `whole`: every value counts.
    static func form(_ bytes: [UInt8], whole: Bool = false) -> [SecretField] {
        var fields: [SecretField] = []
        let text = bytes.span
        // Where the next of each stands, from `start` on: looked for again once it is passed.
        var (divider, opener) = (-1, -1)
        var start = 0
        while start < text.count {
            if divider < start { divider = text.first(of: ByteStops("&", ";"), from: start) }
            if opener < start { opener = text.first(of: ByteStops("?", "#"), from: start) }
            let end = min(divider, opener)
            let equals = start + text.extracting(start..<end).first(UInt8(ascii: "="))
            if equals + 1 < end {
                let name = bytes[start..<equals]
                let isNamed = isSecret(name)
                // The name first: most values need not be decoded.
                let mayBeOneTime =
                    !isNamed && end - equals > shortestOneTimeValue && name.count <= 7
                    && oneTimeNames.contains(String(decoding: name, as: UTF8.self).lowercased())
                if isNamed || whole || mayBeOneTime {
                    let written = String(decoding: bytes[(equals + 1)..<end], as: UTF8.self)
                    let value = FormEncoding.decode(written)
                    let counts = isNamed || mayBeOneTime && isOneTime(value)
                    if counts || whole {
                        fields.append(
                            SecretField(
                                place: equals + 1..<end, written: written, value: value,
                                isNamed: counts))
                    }
                }
            }
            start = end + 1
        }
        return fields
    }

    // MARK: Documents

    /// Of JSON, XML and HTML: one may stand in the other.
    static func document(_ text: [UInt8]) -> [SecretField] {
        var fields: [SecretField] = []
        var position = 0
        while position < text.count {
            let found: SecretField? =
                switch text[position] {
                case UInt8(ascii: "\""): member(text, position)
                case UInt8(ascii: "<"): element(text, position)
                default: loose(text, position)
                }
            if let found { fields.append(found) }
            position = max(position + 1, found?.place.upperBound ?? 0)
        }
        return fields
    }

    /// `"access_token": "..."`, from its first quote.
    private static func member(_ text: [UInt8], _ start: Int) -> SecretField? {
        var end = start + 1
        while end < text.count, end - start <= longestName + 1, text[end] != UInt8(ascii: "\"") {
            end += 1
        }
        guard end < text.count, text[end] == UInt8(ascii: "\"") else { return nil }
        let naming = naming(text[(start + 1)..<end])
        guard naming != .nothing else { return nil }
        end = skipSpaces(text, end + 1)
        guard end < text.count, text[end] == UInt8(ascii: ":") else { return nil }
        let first = skipSpaces(text, end + 1)
        guard first < text.count else { return nil }
        if "[{".utf8.contains(text[first]) { return nested(text, first + 1) }
        guard text[first] == UInt8(ascii: "\"") else {
            let last = text[first...].firstIndex { !isNameByte($0) && $0 != UInt8(ascii: ".") }
            return field(first..<(last ?? text.count), text, as: naming)
        }
        var last = first + 1
        while last < text.count, text[last] != UInt8(ascii: "\"") {
            last += text[last] == UInt8(ascii: "\\") ? 2 : 1
        }
        return field(first + 1..<min(last, text.count), text, as: naming)
    }

    /// The first text of a list or an object that looks like a secret, and is no name in it.
    private static func nested(_ text: [UInt8], _ start: Int) -> SecretField? {
        var position = start
        let end = min(text.count, start + longestNested)
        while position < end, !"]}".utf8.contains(text[position]) {
            guard text[position] == UInt8(ascii: "\"") else {
                position += 1
                continue
            }
            let first = position + 1
            position = text[first..<end].firstIndex(of: UInt8(ascii: "\"")) ?? end
            let after = skipSpaces(text, min(position + 1, end))
            let isName = after < end && text[after] == UInt8(ascii: ":")
            if !isName, let found = field(first..<position, text, as: .mayBeSecret) { return found }
            position = max(position + 1, after)
        }
        return nil
    }

    private static let longestNested = 2_000

    /// `client_secret=...`, `client_secret: ...` or `'client_secret': '...'`, in a body of whatever form, if its value looks like one:
    /// from the first letter of a word.
    private static func loose(_ text: [UInt8], _ start: Int) -> SecretField? {
        guard isNameByte(text[start]), start == 0 || !isNameByte(text[start - 1]) else {
            return nil
        }
        var end = start
        while end < text.count, end - start <= longestName, isNameByte(text[end]) { end += 1 }
        // Most words are no such name.
        let name = text[start..<end]
        if end < text.count, text[end] == UInt8(ascii: "'") { end += 1 }
        end = skipSpaces(text, end)
        guard end < text.count, "=:".utf8.contains(text[end]), naming(name) != .nothing else {
            return nil
        }
        var first = skipSpaces(text, end + 1)
        if first < text.count, "'\"".utf8.contains(text[first]) { first += 1 }
        // The next name and its value are looked at by themselves.
        let last = text[min(first, text.count)...].firstIndex {
            $0 <= 0x20 || "&;,'\"<>=:".utf8.contains($0)
        }
        return field(first..<(last ?? text.count), text, as: .mayBeSecret)
    }

    /// `<serializedToken>...</serializedToken>`, or an `<input>` of a session, from its `<`.
    private static func element(_ text: [UInt8], _ start: Int) -> SecretField? {
        var end = start + 1
        while end < text.count, end - start <= longestName + 1,
            isNameByte(text[end]) || text[end] == UInt8(ascii: ":")
        {
            end += 1
        }
        let name = text[(start + 1)..<end]
        if name.count == 5, String(decoding: name, as: UTF8.self).lowercased() == "input" {
            return input(text, end)
        }
        let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
        let naming = naming(local)
        guard naming != .nothing else { return nil }
        while end < text.count, text[end] != UInt8(ascii: ">") {
            if text[end] == UInt8(ascii: "<") { return nil }
            end += 1
        }
        var first = end + 1
        let opening = Array("<![CDATA[".utf8)
        if text[min(first, text.count)...].starts(with: opening) { first += opening.count }
        guard first < text.count else { return nil }
        let last = text[first...].firstIndex(of: UInt8(ascii: "<")) ?? text.count
        return field(first..<last, text, as: naming)
    }

    /// The value of a hidden or password input: it belongs to this session.
    private static func input(_ text: [UInt8], _ start: Int) -> SecretField? {
        var position = start
        var value: Range<Int>?
        var counts = false
        while position < text.count, text[position] != UInt8(ascii: ">"),
            text[position] != UInt8(ascii: "<")
        {
            let name = skipSpaces(text, position)
            position = name
            while position < text.count, isNameByte(text[position]) { position += 1 }
            let attribute = text[name..<position]
            position = skipSpaces(text, position)
            guard !attribute.isEmpty, attribute.count <= longestName, position < text.count,
                text[position] == UInt8(ascii: "=")
            else {
                // Whatever stands there instead of a name; the end of the tag is left for the loop.
                if attribute.isEmpty, position < text.count, !"<>".utf8.contains(text[position]) {
                    position += 1
                }
                continue
            }
            position = skipSpaces(text, position + 1)
            guard position < text.count else { break }
            let quote = text[position]
            var place: Range<Int>
            if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                let end = text[(position + 1)...].firstIndex(of: quote) ?? text.count
                place = position + 1..<end
                position = min(end + 1, text.count)
            } else {
                let end =
                    text[position...].firstIndex { $0 <= 0x20 || $0 == UInt8(ascii: ">") }
                    ?? text.count
                place = position..<end
                position = end
            }
            switch String(decoding: attribute, as: UTF8.self).lowercased() {
            case "value": value = value ?? place
            case "type":
                let type = String(decoding: text[place].prefix(20), as: UTF8.self).lowercased()
                counts = counts || type == "hidden" || type == "password"
            case "name": counts = counts || isSecret(text[place])
            default: break
            }
        }
        return counts ? value.flatMap { field($0, text) } : nil
    }

    private static func skipSpaces(_ text: [UInt8], _ start: Int) -> Int {
        var position = start
        while position < text.count, text[position] <= 0x20 { position += 1 }
        return position
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        isWordByte(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
}
