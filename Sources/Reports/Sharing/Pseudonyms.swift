internal import Dialects
internal import Formats
internal import Journal

/// Names in the place of people and devices: `person-1`, `device-2`, the same for the same one
/// throughout a run, numbered by when they were met. Nothing tells what they stand for.
struct Pseudonyms {
    private struct Original {
        var text: String
        var bytes: [UInt8]
        var name: String
    }

    private var names: [String: String] = [:]
    private var counts: [String: Int] = [:]
    /// The longest first: one name may begin with another.
    private var originals: [Original] = []

    /// A short one stands in other words by chance, and tells nobody apart.
    private static let shortest = 4

    /// Meets a name; `sort` is what its pseudonym begins with.
    mutating func meet(_ original: String, _ sort: String) {
        guard original.utf8.count >= Self.shortest, names[original] == nil,
            !original.hasPrefix("(secret #")
        else { return }
        counts[sort, default: 0] += 1
        let name = "\(sort)-\(counts[sort] ?? 0)"
        // As it stands in an address, too.
        for text in [original, original.percentEncoded] where names[text] == nil {
            names[text] = name
            let bytes = Array(text.utf8)
            let place = originals.firstIndex { $0.bytes.count < bytes.count }
            originals.insert(
                Original(text: text, bytes: bytes, name: name), at: place ?? originals.count)
        }
    }

    /// A text in which every name that was met is replaced.
    func replaced(_ text: String) -> String {
        originals.reduce(text) { text, original in
            Self.holds(text, original.bytes)
                ? text.replacing(original.text, with: original.name) : text
        }
    }

    /// A name that is still in a text, if any.
    func remains(in text: String) -> String? {
        originals.first { Self.holds(text, $0.bytes) }?.text
    }

    /// Thousands of names are looked for in each text, and hardly one is there.
    private static func holds(_ text: String, _ wanted: [UInt8]) -> Bool {
        text.utf8.span.first(wanted.span) != nil
    }

    // MARK: Where names stand

    /// Meets everybody in a recorded run.
    init(_ history: History) throws {
        try history.exchanges { exchange in
            if let tag = exchange.observation.tag {
                meet(tag.user, "person")
                // Beside a tag stands a login, or a subscription.
                if let other = exchange.observation.record { meet(other, "person") }
            }
            for profile in exchange.observation.profiles {
                if let user = profile.user { meet(user, "person") }
            }
            if let subject = exchange.subject { meet(subject, "person") }
            meet(Self.host(exchange.route.local), "address")
        }
        try history.messages { meet(fields: $0) }
    }

    init() {}

    private static func host(_ address: String) -> String {
        let host = address.split(separator: ":").dropLast().joined(separator: ":")
        // Everybody's own machine is nobody's.
        return host.hasPrefix("127.") || host == "::1" || host == "[::1]" ? "" : host
    }

    /// Fields whose values name a person or a device, in lower case.
    private static let sorts: [String: String] = [
        "deviceid": "device", "device_id": "device", "x-device-info": "device-info",
        "ap-device-identifier": "device", "x-forwarded-for": "address", "devicename": "device",
        "client_id": "client", "householdid": "person", "userid": "person", "user_id": "person",
        "upstreamuserid": "person", "username": "person", "user": "person", "email": "person",
        "j_username": "person", "uid": "person", "sub": "person", "zip": "place",
        "encryptedzip": "place", "encryptedziphash": "place",
    ]

    private mutating func meet(fields message: KeptMessage) {
        for headers in [message.requestHeaders, message.responseHeaders] {
            for field in headers.fields {
                if let sort = Self.sorts[field.name.lowercased()] { meet(field.value, sort) }
            }
        }
        let query = String(message.url.drop { $0 != "?" }.dropFirst())
        for text in [query, message.requestBody, message.responseBody] { meet(pairs: text) }
    }

    /// `name=value&…`, `"name": "value"` and `<name>value</name>`.
    private mutating func meet(pairs text: String) {
        let form = #/(?:^|&)([A-Za-z_.-]+)=([^&\s]+)/#
        let member = #/"([A-Za-z_.-]+)"\s*:\s*"([^"]+)"/#
        let element = #/<([A-Za-z_.-]+)>([^<]+)</#
        for found in text.matches(of: form) { meet(pair: found.1, found.2) }
        for found in text.matches(of: member) { meet(pair: found.1, found.2) }
        for found in text.matches(of: element) { meet(pair: found.1, found.2) }
    }

    private mutating func meet(pair name: Substring, _ value: Substring) {
        guard let sort = Self.sorts[name.lowercased()] else { return }
        meet(String(value), sort)
    }
}

extension String {
    /// What is not unreserved as `%XX` (RFC 3986, 2.3).
    fileprivate var percentEncoded: String {
        var result = ""
        for byte in utf8 {
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                scalar.isASCII && (scalar.properties.isAlphabetic || (48...57).contains(byte))
            if isPlain || "-._~".utf8.contains(byte) {
                result.unicodeScalars.append(scalar)
            } else {
                result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }
}
