/// Who had which media token first. A token is known for ten to twenty minutes.
struct MediaLedger {
    struct Owner {
        var resource: UInt64
        var household: Int32
        var sequence: Int32
        /// When the answer came.
        var at: Int64
    }

    private var owners: [UInt64: Owner] = [:]
    private var older: [UInt64: Owner] = [:]
    private var turned: Int64 = 0
    /// Two generations of ten minutes: a token lives seven (rest-v1.md, A17).
    private static let generation: Int64 = 600_000_000_000

    /// A media token was handed out; gives who had the same before.
    mutating func hand(_ token: UInt64, to owner: Owner, at now: Int64) -> Owner? {
        if now - turned > Self.generation {
            older = owners
            owners = [:]
            turned = now
        }
        let before = owners[token] ?? older[token]
        if before == nil { owners[token] = owner }
        return before
    }
}
