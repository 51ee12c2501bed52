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
        fields.first { $0.name.equalsIgnoringCase(name) }?.value
    }

    public func all(_ name: String) -> [String] {
        fields.filter { $0.name.equalsIgnoringCase(name) }.map(\.value)
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
        var rest = other.utf8.makeIterator()
        for left in utf8 {
            guard let right = rest.next() else { return false }
            guard left != right else { continue }
            guard left ^ right == 0x20,
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(left | 0x20)
            else { return false }
        }
        return true
    }
}

/// Methods that the protocols use.
public enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
    case delete = "DELETE"
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
    /// True when the rig expects to be turned down here (wrong code typed, wrong password): such
    /// answers are no errors.
    public var provoked: Bool

    public init(
        _ operation: OperationName, _ method: Method, _ address: WebAddress,
        headers: Headers = [:], body: [UInt8] = [], code: Code? = nil, resource: String? = nil,
        provoked: Bool = false
    ) {
        self.operation = operation
        self.method = method
        self.address = address
        self.headers = headers
        self.body = body
        self.code = code
        self.resource = resource
        self.provoked = provoked
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
        guard let value = headers["Content-Type"] else { return "" }
        // Nearly always it stands there as it is wanted.
        let isPlain = value.utf8.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "/")
        }
        return isPlain ? value : value.prefix { $0 != ";" }.trimmingSpaces().lowercased()
    }

    /// The body as text, broken bytes replaced.
    public var text: String { String(decoding: body, as: UTF8.self) }
}
