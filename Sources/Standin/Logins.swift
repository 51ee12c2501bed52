/// One browser on its way through the login of a provider (rest-v1.md § 8).
struct BrowserLogin: Sendable {
    let id: String
    let code: CodeKey
    /// The life of the code it began with: the letters may be issued again.
    let record: String
    let requestor: String
    let mvpd: String
    let redirectURL: String
    /// What the provider's page has in its cookie and in its hidden field; empty before the page.
    var session = ""
    var token = ""
    /// It began with a session: what a browser needs to know is in its URLs, and a failure is not told
    /// (rest-v2.md §§ 5.4, 18).
    var isOfSession = false
    /// The assertion has been consumed: a second one has no effect.
    var isOver = false
}

/// All logins under way, finished ones too. They are remembered for half an hour longer than their
/// code lives: a browser that comes back too late is sent home, not left standing (§ 6.3).
struct Logins: Sendable {
    private var logins: [InventedID: BrowserLogin] = [:]
    private var queue = DueQueue<InventedID>()
    private static let patience: Int64 = 1_800_000

    var count: Int { logins.count }

    subscript(id: String) -> BrowserLogin? { logins[InventedID(id)] }

    /// `expires` is that of the code.
    mutating func begin(_ login: BrowserLogin, expires: Int64) {
        let id = InventedID(login.id)
        logins[id] = login
        queue.add(id, due: expires + Self.patience)
    }

    /// The provider shows its page: new secrets each time.
    mutating func showPage(_ id: String, ids: inout IDs) {
        let id = InventedID(id)
        let token = ids.shortSecret()
        if logins[id]?.session.isEmpty == true { logins[id]?.session = ids.shortSecret() }
        logins[id]?.token = token
    }

    mutating func end(_ id: String) {
        logins[InventedID(id)]?.isOver = true
    }

    mutating func sweep(at time: Int64) {
        for _ in 0..<sweepStep {
            guard let id = queue.next(dueBy: time) else { return }
            logins[id] = nil
        }
    }
}

/// Who is signed in at a provider in a browser, where providers remember it.
struct ProviderSessions: Sendable {
    struct ProviderSession: Sendable {
        var mvpd: String
        var user: String
    }

    private var sessions: [String: ProviderSession] = [:]

    subscript(id: String) -> ProviderSession? { sessions[id] }
    mutating func begin(_ id: String, _ session: ProviderSession) { sessions[id] = session }
    mutating func end(_ id: String) { sessions[id] = nil }
}
