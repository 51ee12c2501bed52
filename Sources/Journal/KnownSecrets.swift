public import Dialects
internal import Formats

/// The secrets that a peer of one household may know and repeat, and where they stand in a text: plain or
/// within Base64 (either alphabet, also of `user:password`), in any layer of `Decoded`. A value: whoever
/// keeps a copy keeps what was known then.
public struct KnownSecrets: Sendable {
    /// Shared by copies until one of them learns something: a copy goes with each message, and most
    /// answers teach nothing. Nil where nothing is known: an object for that would be everybody's, and lanes
    /// would wait for each other to count who has it.
    private var shared: Shared?

    private final class Shared: Sendable {
        let known: Known

        init(_ known: Known) { self.known = known }
    }

    private struct Known {
        /// In the order in which they became known.
        var secrets: [[UInt8]] = []
        /// By their heads.
        var needles: [Needle] = []
        /// Of the heads of `needles`: a text is read once, however many secrets there are.
        var filter = HeadFilter()
        /// Secrets of fewer than four bytes, which are only found as whole words.
        var shorts: [[UInt8]] = []
        /// Names that the rig gives and that are no secrets, whatever they look like. A list, for hashing an
        /// assertion of kilobytes costs more than two or three comparisons.
        var names: [String] = []
        /// Of `secrets`, those that were noted as values.
        var values = 0
        var lastCookies = ""
        var lastAuthorization = ""
        /// What the last requests showed of their user's identity.
        var lastIdentities: [String] = []
    }

    private var secrets: [[UInt8]] { shared?.known.secrets ?? [] }
    private var needles: [Needle] { shared?.known.needles ?? [] }
    private var filter: HeadFilter { shared?.known.filter ?? HeadFilter() }
    private var shorts: [[UInt8]] { shared?.known.shorts ?? [] }
    var names: [String] { shared?.known.names ?? [] }
    private var hasShorts: Bool { shared?.known.shorts.isEmpty == false }

    private mutating func learn(_ change: (inout Known) -> Void) {
        var known = shared?.known ?? Known()
        // Where nobody else has a copy, the lists are changed in place.
        shared = nil
        change(&known)
        shared = Shared(known)
    }

    public init() {}

    /// A secret as it stands in a text: itself, or within Base64 after 0, 1 or 2 other bytes.
    fileprivate struct Needle {
        var head: UInt32
        var secret: Int32
        var shift: Int8
    }

    /// Longer secrets are known by so many bytes: an answer may be cut, and no text can make the search
    /// long.
    private static let depth = 64
    /// A search for fewer bytes would find them everywhere.
    private static let shortest = 4
    /// So much of a secret at the end of a text is taken for one that was cut.
    private static let shortestCut = 8
    /// What is not known for sure to be a secret (a cookie, a hidden field: `1`, `true`) must be longer.
    private static let shortestValue = 6
    private static let mostValues = 200

    var isEmpty: Bool { shared?.known.needles.isEmpty != false && !hasShorts }

    /// Notes a password, a token, a key.
    public mutating func note(_ secret: Secret) {
        let text = secret.reveal()
        if isNew(text.utf8Span.span, atLeast: 1) { learn(Array(text.utf8)) }
    }

    /// Notes what may be one, and is no name. A peer that makes up values without end is heard for so many.
    mutating func note(value: Substring) {
        guard shared?.known.values ?? 0 < Self.mostValues,
            isNew(value.utf8Span.span, atLeast: Self.shortestValue)
        else { return }
        // An array is made of a part of a text byte by byte, of a text of its own in one piece.
        let text = String(value)
        if !isName(text) { learn(Array(text.utf8), isValue: true) }
    }

    /// Notes what somebody else knew.
    mutating func note(_ others: KnownSecrets) {
        for name in others.names { note(name: name) }
        for secret in others.secrets + others.shorts where isNew(secret.span, atLeast: 1) {
            learn(secret)
        }
    }

    /// Notes a name by which the judge tells people apart.
    public mutating func note(name: String) {
        if !isName(name) { learn { $0.names.append(name) } }
    }

    func isName(_ text: String) -> Bool { names.contains(text) }

    /// Most of what is noted was noted before: it is told without a copy.
    private func isNew(_ text: Span<UInt8>, atLeast length: Int) -> Bool {
        guard text.count >= length, !text.isEmpty else { return false }
        let known = text.count < Self.shortest ? shorts : secrets
        for secret in known where secret.count == text.count {
            if secret.span.holds(text, at: 0) { return false }
        }
        return true
    }

    private mutating func learn(_ secret: [UInt8], isValue: Bool = false) {
        learn { known in
            guard secret.count >= Self.shortest else { return known.shorts.append(secret) }
            if isValue { known.values += 1 }
            known.secrets.append(secret)
            for shift in -1...2 {
                let head = Self.head(of: secret, shift: shift)
                known.needles.insert(
                    Needle(
                        head: head, secret: Int32(known.secrets.count - 1), shift: Int8(shift)),
                    at: known.needles.place(of: head))
                known.filter.insert(head)
            }
        }
    }

    /// The first four bytes of `written(secret, shift)`, folded; of Base64 without writing the rest:
    ///
    ///     bytes of the secret   |   0   |   1   |   2   |   3   |
    ///     digits, shift 0       |  0  |  1  |  2  |  3  |
    ///     shift 1               ····|  0  |  1  |  2  |  3  |
    ///     shift 2               ··|  0  |  1  |  2  |  3  |
    private static func head(of secret: [UInt8], shift: Int) -> UInt32 {
        guard shift >= 0 else {
            return secret.prefix(4).reduce(0) { $0 << 8 | UInt32(fold($1)) }
        }
        // A digit of six bits begins 0, 4 or 2 bits behind the start of the secret.
        let bits = secret.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } << UInt32(shift * 4 % 6)
        let digits = base64.span
        var head: UInt32 = 0
        for place in 0..<4 {
            head = head << 8 | UInt32(fold(digits[Int(bits >> UInt32(26 - 6 * place) & 63)]))
        }
        return head
    }

    private static let base64 = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The first bytes of a secret as a needle has it.
    private static func written(_ secret: [UInt8], shift: Int, atMost count: Int) -> ArraySlice<
        UInt8
    > {
        guard shift >= 0 else { return secret.prefix(count) }
        let part = [UInt8](repeating: 0, count: shift) + secret.prefix(count)
        // Characters that depend on other bytes than the secret's are left out at both ends.
        let whole = part.count * 8 / 6
        let digits = Array(Base64.encode(part).utf8)
        return digits[min([0, 2, 3][shift], whole)..<whole]
    }

    /// Equal for what a peer may write for the same byte: a space in a form, the two alphabets of Base64.
    @inline(__always)
    static func fold(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "+"), UInt8(ascii: "-"): UInt8(ascii: " ")
        case UInt8(ascii: "_"): UInt8(ascii: "/")
        default: byte
        }
    }

    // MARK: What goes over the wire

    /// Notes what a request carries. Cheap where it carries the same as the one before.
    public mutating func note(_ call: Call) {
        if let tag = call.tag {
            note(name: tag.user)
            if let login = call.login { note(name: login) }
        }
        note(headers: call.headers)
        switch call.operation {
        case .registerClient, .accessToken, .mvpdLogin, .assertion, .tokenExchange, .ssoProfile,
            .deviceAuthorization, .deviceToken, .refreshToken, .verificationPage, .approval,
            .refusal, .otherClientToken, .otherClientRefresh, .otherClientRevocation, .revocation:
            let query = call.address.query
            if !query.isEmpty { note(fields: SecretFields.form(Array(String(query).utf8))) }
            let fields = SecretFields.form(call.body, whole: call.isLogin)
            note(fields: fields, where: \.isNamed)
            // What a login form holds besides, unless it may be a word that stands elsewhere as well.
            guard call.isLogin else { break }
            note(fields: fields) {
                !$0.isNamed && $0.value.utf8.count >= 16 && Self.hasNumber($0.value)
            }
        default: break
        }
    }

    static func hasNumber(_ text: String) -> Bool {
        if text.utf8.contains(where: { 48...57 ~= $0 }) { return true }
        return text.utf8.contains { $0 >= 0x80 } && text.contains(where: \.isNumber)
    }

    /// Notes the credentials of a request's headers. They are read where they lie: most have nothing to tell.
    mutating func note(headers: Headers) {
        let fields = headers.fields
        for position in fields.indices {
            // Compared first with what was last there, which is one object more often than not.
            switch fields[position].name.utf8.count {
            case 6 where fields[position].value == shared?.known.lastCookies,
                13 where fields[position].value == shared?.known.lastAuthorization:
                continue
            case 6 where fields[position].name.equalsIgnoringCase("cookie"):
                note(cookies: fields[position].value)
            case 13 where fields[position].name.equalsIgnoringCase("authorization"),
                19 where fields[position].name.equalsIgnoringCase("proxy-authorization"):
                note(authorization: fields[position].value)
            case 16 where fields[position].name.equalsIgnoringCase(Self.identities[0]),
                19 where fields[position].name.equalsIgnoringCase(Self.identities[1]),
                20 where fields[position].name.equalsIgnoringCase(Self.identities[2]),
                34 where fields[position].name.equalsIgnoringCase(Self.identities[3]):
                note(identity: fields[position])
            default: continue
            }
        }
    }

    private mutating func note(cookies: String) {
        learn { $0.lastCookies = cookies }
        let count = cookies.utf8.count
        var start = 0
        while start < count { start = note(cookieOf: cookies, from: start) + 1 }
    }

    private mutating func note(authorization: String) {
        guard authorization != shared?.known.lastAuthorization else { return }
        learn { $0.lastAuthorization = authorization }
        let bytes = authorization.utf8Span.span
        let space = bytes.first(UInt8(ascii: " "))
        if space < bytes.count { note(value: authorization.slice(space + 1..<bytes.count)) }
    }

    /// Headers that name a user to the service (rest-v2.md § 3.2), lower case, by their lengths.
    static let identities = [
        "ad-service-token", "adobe-subject-token", "ap-temppass-identity",
        "x-roku-reserved-roku-connect-token",
    ]

    /// Most requests of a device show the same as the one before.
    private mutating func note(identity field: Headers.Field) {
        if shared?.known.lastIdentities.contains(field.value) == true { return }
        learn { known in
            known.lastIdentities = known.lastIdentities.suffix(3) + [field.value]
        }
        note(Secret(field.value))
        // Of a TempPass: Base64 of somebody's address or number.
        if field.name.utf8.count == 20, let bytes = Base64.decode(field.value),
            let text = String(validating: bytes, as: UTF8.self)
        {
            note(value: text[...])
        }
    }

    /// Notes the cookies that an answer sets.
    public mutating func note(_ reply: Reply) {
        let fields = reply.headers.fields
        for position in fields.indices
        where fields[position].name.utf8.count == 10
            && fields[position].name.equalsIgnoringCase("set-cookie")
        { _ = note(cookieOf: fields[position].value, from: 0) }
    }

    /// Notes the value of `name=value` there, and gives where its `;` stands, or the end.
    private mutating func note(cookieOf text: String, from start: Int) -> Int {
        let bytes = text.utf8Span.span
        let end = bytes.first(UInt8(ascii: ";"), from: start)
        let equals = start + bytes.extracting(start..<end).first(UInt8(ascii: "="))
        if equals < end { note(value: text.slice(equals + 1..<end)) }
        return end
    }

    mutating func note(
        fields: [SecretFields.SecretField],
        where isMeant: (SecretFields.SecretField) -> Bool = { _ in true }
    ) {
        for field in fields where isMeant(field) {
            note(value: field.value[...])
            if field.written != field.value { note(value: field.written[...]) }
        }
    }

    // MARK: Searching

    /// False where `text` surely holds no secret, of these or of `others`, and nothing that stands for other
    /// bytes, whether there are secrets or none: most texts of most answers, by one reading and without
    /// any memory.
    func mayBe(in text: String, or others: KnownSecrets = KnownSecrets()) -> Bool {
        if hasShorts || others.hasShorts { return true }
        let needles = (needles, others.needles)
        let filter = filter.union(others.filter)
        let bytes = text.utf8Span.span
        let table = ByteSorts.shared
        let (sorts, words) = (table.sorts.span, filter.words.span)
        var head: UInt32 = 0
        var run = 0
        for position in bytes.indices {
            // There is one for each byte.
            let sort = sorts[unchecked: Int(bytes[position])]
            if sort & ByteSorts.digit == 0 {
                guard sort & ByteSorts.opens == 0, !Self.isPacked(run..<position, bytes) else {
                    return true
                }
                run = position + 1
            }
            head = head << 8 | UInt32(sort & ByteSorts.folded)
            guard position >= 3, HeadFilter.mayHold(head, in: words) else { continue }
            if needles.0.holds(head) || needles.1.holds(head) { return true }
        }
        return Self.isPacked(run..<bytes.count, bytes)
    }

    @inline(__always)
    private static func isPacked(_ run: Range<Int>, _ text: Span<UInt8>) -> Bool {
        run.count >= Packed.fewestDigits && !Packed.readings(of: text, run).isEmpty
    }

    /// The same of a text in which `mayBe` found nothing for another household: nothing in it stands for
    /// anything else.
    func mayBe(inPlain text: String) -> Bool {
        if hasShorts { return true }
        let needles = needles
        guard !needles.isEmpty else { return false }
        let filter = filter
        let (bytes, words) = (text.utf8Span.span, filter.words.span)
        let table = ByteSorts.shared
        let sorts = table.sorts.span
        var head: UInt32 = 0
        for position in bytes.indices {
            let sort = sorts[unchecked: Int(bytes[position])]
            head = head << 8 | UInt32(sort & ByteSorts.folded)
            guard position >= 3, HeadFilter.mayHold(head, in: words) else { continue }
            if needles.holds(head) { return true }
        }
        return false
    }

    struct Hit {
        var place: Range<Int>
        var secret: String
    }

    /// The places of secrets in the first text of which `layer` is one.
    func hits(in layer: Decoded) -> [Hit] {
        plainHits(layer.bytes).map { Hit(place: layer.place(of: $0.place), secret: $0.secret) }
    }

    private func plainHits(_ text: [UInt8]) -> [Hit] {
        var hits = shorts.isEmpty ? [] : words(text)
        guard text.count >= 4, !needles.isEmpty else { return hits }
        let filter = filter
        text.withUnsafeBufferPointer { text in
            let words = filter.words.span
            var head: UInt32 = 0
            var position = 0
            while position < text.count {
                head = head << 8 | UInt32(Self.fold(text[position]))
                position += 1
                guard position >= 4 else { continue }
                guard HeadFilter.mayHold(head, in: words),
                    let hit = hit(head, at: position - 4, in: text)
                else { continue }
                hits.append(hit)
                let next = max(position, hit.place.upperBound)
                for byte in text[max(0, next - 3)..<next] {
                    head = head << 8 | UInt32(Self.fold(byte))
                }
                position = next
            }
        }
        return hits
    }

    private func hit(
        _ head: UInt32, at start: Int, in text: UnsafeBufferPointer<UInt8>
    ) -> Hit? {
        var longest: (end: Int, needle: Needle)?
        for needle in needles[needles.place(of: head)...].prefix(while: { $0.head == head }) {
            let written = Self.written(
                secrets[Int(needle.secret)], shift: Int(needle.shift), atMost: Self.depth)
            // A text that was cut ends within the secret.
            let count = min(written.count, text.count - start)
            let isThere = zip(written.prefix(count), text[start..<start + count])
                .allSatisfy { Self.fold($0) == Self.fold($1) }
            guard isThere, count == written.count || count >= Self.shortestCut,
                start + count > longest?.end ?? 0
            else { continue }
            longest = (start + count, needle)
        }
        guard let (end, needle) = longest else { return nil }
        let secret = secrets[Int(needle.secret)]
        let place =
            needle.shift < 0
            ? start..<Self.end(of: secret, from: start, in: text) : Self.run(start..<end, in: text)
        // The word stands in every mark of ours.
        let isOwn =
            start > 0 && text[start - 1] == UInt8(ascii: "(") && end + 1 < text.count
            && text[end] == UInt8(ascii: " ") && text[end + 1] == UInt8(ascii: "#")
        return isOwn ? nil : Hit(place: place, secret: String(decoding: secret, as: UTF8.self))
    }

    /// How far the text goes on as the secret does.
    private static func end(
        of secret: [UInt8], from start: Int, in text: UnsafeBufferPointer<UInt8>
    ) -> Int {
        var end = start
        while end < text.count, end - start < secret.count,
            fold(text[end]) == fold(secret[end - start])
        {
            end += 1
        }
        return end
    }

    /// The whole run of Base64 around `place`.
    private static func run(
        _ place: Range<Int>, in text: UnsafeBufferPointer<UInt8>
    ) -> Range<Int> {
        var (start, end) = (place.lowerBound, place.upperBound)
        while start > 0, Packed.isDigit(text[start - 1]) { start -= 1 }
        while end < text.count, Packed.isDigit(text[end]) { end += 1 }
        while end < text.count, text[end] == UInt8(ascii: "=") { end += 1 }
        return start..<end
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte >= 0x80
    }

    /// Short secrets that stand alone.
    private func words(_ text: [UInt8]) -> [Hit] {
        var hits: [Hit] = []
        for start in text.indices where start == 0 || !Self.isWord(text[start - 1]) {
            for short in shorts where text[start...].starts(with: short) {
                let end = start + short.count
                guard end == text.count || !Self.isWord(text[end]) else { continue }
                hits.append(
                    Hit(place: start..<end, secret: String(decoding: short, as: UTF8.self)))
                break
            }
        }
        return hits
    }
}

extension [KnownSecrets.Needle] {
    fileprivate func holds(_ head: UInt32) -> Bool {
        let place = place(of: head)
        return place < count && self[place].head == head
    }

    /// The first of those with this head, or where it would be.
    fileprivate func place(of head: UInt32) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].head < head { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
