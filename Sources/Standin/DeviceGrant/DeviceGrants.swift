internal import Journal

/// A device code, and how far it came (RFC 8628, 3.2 and 3.5). The person's part of it is the user code's
/// record and the sign-in that this led to. Times are epoch milliseconds.
struct DeviceGrant: Sendable {
    var client: String
    /// A device of its own: a grant says nothing of what asked for it.
    let device: DeviceKey
    /// The user code, and the life of it that this grant came with.
    let code: CodeKey
    let record: String
    let expires: Int64
    /// Between polls; grows with each one that came too early.
    var interval: Duration
    var lastPoll: Instant
    /// It has led to tokens.
    var isRedeemed = false
}

/// A token that a device holds, and what it is good for.
struct GrantToken: Sendable {
    enum Kind: Sendable { case access, refresh }

    let kind: Kind
    let client: String
    let device: DeviceKey
    /// The sign-in that it stands for: it ends with that.
    let serial: Int
    let expires: Int64
}

/// All device codes, and the tokens that they led to.
struct DeviceGrants: Sendable {
    private var grants: [InventedID: DeviceGrant] = [:]
    private var tokens: [InventedID: GrantToken] = [:]
    private var codeQueue = DueQueue<InventedID>()
    private var tokenQueue = DueQueue<InventedID>()
    /// How long a code that is over is told from one that never was (rfc8628.md § 6, own).
    static let memory: Int64 = 60_000

    /// Device codes held at present.
    var count: Int { grants.count }
    var tokenCount: Int { tokens.count }

    /// What is stored of a device code, live or not.
    subscript(code: String) -> DeviceGrant? {
        get { grants[InventedID(code)] }
        set { grants[InventedID(code)] = newValue }
    }

    mutating func issue(_ grant: DeviceGrant, ids: inout IDs) -> String {
        let code = ids.secret()
        grants[InventedID(code)] = grant
        codeQueue.add(InventedID(code), due: grant.expires + Self.memory)
        return code
    }

    func token(_ text: some StringProtocol) -> GrantToken? { tokens[InventedID(String(text))] }

    mutating func issue(_ token: GrantToken, ids: inout IDs) -> String {
        let text = ids.secret()
        tokens[InventedID(text)] = token
        tokenQueue.add(InventedID(text), due: token.expires)
        return text
    }

    /// A token is good for nothing any more.
    mutating func forget(_ text: String) { tokens[InventedID(text)] = nil }

    mutating func sweep(at time: Int64) {
        for _ in 0..<sweepStep {
            guard let code = codeQueue.next(dueBy: time) else { break }
            grants[code] = nil
        }
        for _ in 0..<sweepStep {
            guard let token = tokenQueue.next(dueBy: time) else { return }
            tokens[token] = nil
        }
    }
}

/// Who is logged in on the server's own pages, by the cookie of the browser.
struct PageSessions: Sendable {
    struct PageSession: Sendable {
        let user: String
        /// What forms of this session bring back.
        let token: String
        /// When it typed codes that are none, in epoch milliseconds.
        var misses: [Int64] = []
    }

    private var sessions: [InventedID: PageSession] = [:]
    private var queue = DueQueue<InventedID>()
    /// Of a session, in milliseconds.
    private static let life: Int64 = 3_600_000
    /// So many wrong codes in a minute, and the next is not looked at (rfc8628.md § 3, own).
    private static let mostMisses = 5

    subscript(id: String) -> PageSession? { sessions[InventedID(id)] }

    mutating func begin(_ user: String, at time: Int64, ids: inout IDs) -> String {
        let id = ids.shortSecret()
        sessions[InventedID(id)] = PageSession(user: user, token: ids.shortSecret())
        queue.add(InventedID(id), due: time + Self.life)
        return id
    }

    /// Whether that session has guessed too often of late (§ 5.1).
    func isLocked(_ id: String, at time: Int64) -> Bool {
        (sessions[InventedID(id)]?.misses.count { time - $0 < 60_000 } ?? 0) >= Self.mostMisses
    }

    mutating func noteMiss(_ id: String, at time: Int64) {
        sessions[InventedID(id)]?.misses.removeAll { time - $0 >= 60_000 }
        sessions[InventedID(id)]?.misses.append(time)
    }

    mutating func sweep(at time: Int64) {
        for _ in 0..<sweepStep {
            guard let id = queue.next(dueBy: time) else { return }
            sessions[id] = nil
        }
    }
}
