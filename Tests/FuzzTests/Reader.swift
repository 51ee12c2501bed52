/// Something that reads bytes which others made: servers, pages, users, other versions. The same
/// entry points serve `make fuzz` and the tests that replay what it found.
struct Reader: Sendable {
    /// Names its corpus, its dictionary and the argument of `make fuzz READERS=`.
    let name: String
    /// Inputs are not made longer than this many bytes: what a reader's parts need to meet, and no
    /// more, for short inputs are tried more often.
    let limit: Int
    /// Reads, and holds what came of it against what must be true of it; nil when all of it is. A
    /// sentence about what is not, otherwise.
    let check: @Sendable ([UInt8]) -> String?

    init(_ name: String, limit: Int, _ check: @escaping @Sendable ([UInt8]) -> String?) {
        self.name = name
        self.limit = limit
        self.check = check
    }

    static let all = [
        rig, http, json, xml, v1, html, cookies, addresses, base64, cases, history, accounts, saml,
    ]

    init?(named name: String) {
        guard let found = Self.all.first(where: { $0.name == name }) else { return nil }
        self = found
    }
}
