internal import Formats
internal import Signing

/// Reads software statements, and remembers the last good one: a thousand devices of one app bring
/// the same.
struct Statements: Sendable {
    enum StatementProblem: String, Error {
        case invalid = "invalid_software_statement"
        case unapproved = "unapproved_software_statement"
    }

    private let key = DemoKeys.statements()
    private var revoked: [String]
    /// Whether the signature counts.
    private let checks: Bool
    private var last: (text: String, software: Software)?
    /// The last body whose statement was good.
    private var lastBody: [UInt8] = []

    init(revoked: [String], checks: Bool = true) {
        self.revoked = revoked
        self.checks = checks
    }

    /// What a body was found to say that is byte for byte the last good one.
    func known(_ body: [UInt8]) -> Software? {
        // By words: `==` of arrays looks at each byte.
        !body.isEmpty && body.count == lastBody.count && body.span.holds(lastBody.span, at: 0)
            ? last?.software : nil
    }

    /// Keeps a body whose statement has just been read, and which says nothing else.
    mutating func keep(_ body: [UInt8]) { lastBody = body }

    mutating func read(_ text: String) throws(StatementProblem) -> Software {
        if let last, last.text == text { return last.software }
        guard let claims = claims(text),
            let object = JSONValue(Array(claims.utf8)),
            let id = object["software_id"]?.string
        else { throw .invalid }
        guard !revoked.contains(id) else { throw .unapproved }
        let software = Software(
            id: id, name: object["software_name"]?.string ?? id,
            version: object["software_version"]?.string ?? "1.0",
            scopes: object["scopes"]?.words, requestors: object["service_providers"]?.words)
        last = (text, software)
        lastBody = []
        return software
    }

    /// Withdraws an application: its statement is no longer approved, its clients get no tokens.
    mutating func revoke(_ id: String) {
        revoked.append(id)
        last = nil
    }

    func isRevoked(_ id: String) -> Bool { revoked.contains(id) }

    private func claims(_ text: String) -> String? {
        guard !checks else { return try? JWT.verify(text, key: key) }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let claims = Base64.decode(parts[1]) else { return nil }
        return String(decoding: claims, as: UTF8.self)
    }
}
