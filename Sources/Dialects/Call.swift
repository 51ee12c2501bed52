internal import Formats
public import Vocabulary

/// Header fields in the order they are sent or came; names compare without case (RFC 9110, 5.1).
public struct Headers: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    public struct Field: Hashable, Sendable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public private(set) var fields: [Field]

    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field($0.0, $0.1) }
    }

    /// The first value of that name.
    public subscript(name: String) -> String? {
        // Most names differ in length, which is told without touching their texts.
        let length = name.utf8.count
        for position in fields.indices where fields[position].name.utf8.count == length {
            if fields[position].name.equalsIgnoringCase(name) { return fields[position].value }
        }
        return nil
    }

    public func all(_ name: String) -> [String] {
        fields.filter { $0.name.equalsIgnoringCase(name) }.map(\.value)
    }

    /// Makes room for `count` fields more, so that adding them moves nothing.
    public mutating func reserve(_ count: Int) {
        fields.reserveCapacity(fields.count + count)
    }

    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name, value))
    }

    /// Replaces every field of that name by one.
    public mutating func set(_ name: String, _ value: String) {
        fields.removeAll { $0.name.equalsIgnoringCase(name) }
        fields.append(Field(name, value))
    }
}

extension String {
    /// Equality of ASCII texts without regard to case: header names, media types.
    public func equalsIgnoringCase(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        // Most are written alike, which short texts tell without a look at their bytes, or differ in the first.
        if self == other { return true }
        guard let first = utf8.first, let wanted = other.utf8.first, (first ^ wanted) & ~0x20 == 0
        else { return false }
        return utf8Span.span.equalsIgnoringCase(other.utf8Span.span)
    }
}

extension Span<UInt8> {
    /// Equality of ASCII texts without regard to case.
    public func equalsIgnoringCase(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        // Most are written alike, or differ at once.
        if holds(other, at: 0) { return true }
        for position in indices {
            let (one, two) = (self[position], other[position])
            guard one == two || one ^ two == 0x20 && (0x61...0x7a).contains(one | 0x20) else {
                return false
            }
        }
        return true
    }
}

/// Methods that the protocols use.
public enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
    /// A page in a browser asks what it may send.
    case options = "OPTIONS"

    /// Whether twice has the effect of once (RFC 9110, 9.2.2): a client may send it again by itself.
    public var isIdempotent: Bool { self != .post }
}

/// One request, as a value: it can be compared, printed, counted and sent.
public struct Call: Sendable, Hashable {
    public var operation: OperationName
    public var method: Method
    public var address: WebAddress
    /// What the protocol asks for; the lane adds what belongs to the device (cookies, forwarded
    /// address, correlation).
    public var headers: Headers
    public var body: [UInt8]
    /// The registration code it is about, for the history.
    public var code: Code?
    /// The resource it is about.
    public var resource: String?
    /// The provider it names, where a request is about one of several sign-ins of a device.
    public var mvpd: String?
    /// Whom the identity tokens that it shows name (`IdentityTokens.subject`).
    public var subject: String?
    /// Who signs in by it, where it is what makes a sign-in.
    @Rare private var person: SigningIn?
    /// The tag that a token will carry, or, where nobody told what the service calls the user, the login.
    public var tag: Tag? { person?.tag }
    /// The login, where `tag` has another name.
    public var login: String? { person?.login }
    /// The token that it is about, where a history tells tokens apart (RFC 6749, 6; RFC 7009, 2.1).
    public var token: Secret?
    /// The decision on a device that led here by redirects which do not show whether it was taken; the answer may.
    public var decided: OperationName?
    private var marks: Marks = []

    /// True when the rig expects to be turned down here (wrong code typed, wrong password): such
    /// answers are no errors.
    public var provoked: Bool {
        get { marks.contains(.provoked) }
        set { if newValue { marks.insert(.provoked) } else { marks.remove(.provoked) } }
    }
    /// It shows the word of a platform that the device's profile was made of: an answer without a profile has lost that.
    public var isVouched: Bool { marks.contains(.vouched) }

    private struct Marks: OptionSet, Hashable {
        let rawValue: UInt8
        static let provoked = Marks(rawValue: 1)
        static let vouched = Marks(rawValue: 2)
    }

    public init(
        _ operation: OperationName, _ method: Method, _ address: WebAddress,
        headers: Headers = [:], body: [UInt8] = [], code: Code? = nil, resource: String? = nil,
        mvpd: String? = nil, subject: String? = nil, isVouched: Bool = false,
        provoked: Bool = false
    ) {
        self.operation = operation
        self.method = method
        self.address = address
        self.headers = headers
        self.body = body
        self.code = code
        self.resource = resource
        self.mvpd = mvpd
        self.subject = subject
        if isVouched { marks.insert(.vouched) }
        if provoked { marks.insert(.provoked) }
    }

    /// By it somebody signs in with `account`.
    public mutating func signsIn(_ account: Account, at mvpd: String) {
        person = SigningIn(
            tag: Tag(mvpd: mvpd, user: account.userID ?? account.user),
            login: account.userID == nil ? nil : account.user)
    }

    private struct SigningIn: Hashable {
        var tag: Tag
        var login: String?
    }
}

/// One complete response, as a value.
public struct Reply: Sendable, Hashable {
    public var status: Int
    public var headers: Headers
    public var body: [UInt8]

    public init(status: Int, headers: Headers = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Media type without parameters, lower case; empty when the header is missing.
    public var mediaType: String {
        let field = headers["Content-Type"] ?? ""
        let end = field.utf8.firstIndex(of: UInt8(ascii: ";")) ?? field.endIndex
        return field[..<end].trimmingSpaces().lowercased()
    }

    /// The server, or what stands before it, failed at whatever was asked: 5xx, or a request that it had waited for in vain
    /// (408; RFC 9110, 15.5.9 and 15.6). An error, and no word of the protocol.
    static func isServerFailure(_ status: Int) -> Bool { status >= 500 || status == 408 }
    var isServerFailure: Bool { Self.isServerFailure(status) }

    /// `Connection: close` (RFC 9112, 9.6).
    public var closesConnection: Bool {
        headers.all("Connection").contains { field in
            field.split(separator: ",").contains {
                $0.trimmingSpaces().equalsIgnoringCase("close")
            }
        }
    }

    /// The media types that readers tell apart.
    enum KnownMediaType: String, CaseIterable {
        case json = "application/json"
        case xml = "application/xml"
        case html = "text/html"
        case bytes = "application/octet-stream"

        fileprivate static let all = allCases
    }

    /// Nil: another, or none.
    var knownMediaType: KnownMediaType? {
        guard let field = headers["Content-Type"] else { return nil }
        let bytes = field.utf8Span.span
        // The usual spelling has nothing before the type and a semicolon or nothing after it.
        let type = bytes.extracting(0..<bytes.first(UInt8(ascii: ";")))
        return KnownMediaType.all.first {
            type.equalsIgnoringCase($0.rawValue.utf8Span.span)
        } ?? KnownMediaType(rawValue: mediaType)
    }

    /// The body as text, broken bytes replaced.
    public var text: String { String(decoding: body, as: UTF8.self) }
}
