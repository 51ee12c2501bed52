internal import Signing

/// A registered application, from its software statement.
struct Software: Hashable, Sendable {
    var id: String
    var name: String
    var version: String
    /// `scopes` of its statement: the protocols that it may speak; nil: whichever it speaks first.
    var scopes: [String]?
    /// `service_providers` of its statement; nil: all.
    var requestors: [String]?
}

/// The protocols whose clients are kept apart: no bearer serves both (rest-v2.md, B31).
enum ProtocolScope: String, CaseIterable, Sendable {
    case v1 = "api:client:v1"
    case v2 = "api:client:v2"
}

/// Registered clients and their access tokens (rest-v1.md § 5). Clients are for ever: "cache
/// forever, one pair per app instance"; tokens go when they expire.
struct Clients: Sendable {
    private struct Client: Sendable {
        var secret: String
        var software: Software
        /// Nil until it is known which protocol it speaks.
        var scope: ProtocolScope?
    }

    private struct IssuedGrant: Sendable {
        var client: InventedID
        var expires: Int64
    }

    /// What a bearer is worth.
    enum BearerStanding {
        case good(Software)
        /// Unknown, expired or absent: a new one is needed.
        case stale
        /// The client it was granted to is no longer registered.
        case orphaned
    }

    /// `ServiceSettings.signsAccess`
    private let signs: Bool
    private var clients: [InventedID: Client] = [:]
    private var grants: [InventedID: IssuedGrant] = [:]
    private var queue = DueQueue<InventedID>()
    private(set) var granted = 0

    init(signs: Bool) { self.signs = signs }

    var registered: Int { clients.count }
    /// Access tokens held at present.
    var count: Int { grants.count }

    /// `scope` nil: the first call with one of its bearers settles which protocol it speaks.
    mutating func register(
        _ software: Software, scope: ProtocolScope? = nil, ids: inout IDs
    ) -> (id: String, secret: String) {
        let id = ids.record()
        let secret = ids.record()
        clients[InventedID(id)] = Client(secret: secret, software: software, scope: scope)
        return (id, secret)
    }

    func knows(_ id: String, secret: String) -> Bool {
        clients[InventedID(id)]?.secret == secret
    }

    /// A new access token of a known client.
    mutating func grant(to client: String, at time: Int64, ttl: Int64, ids: inout IDs) -> String {
        let text = accessToken(of: client, at: time, ttl: ttl, ids: &ids)
        let token = InventedID(text)
        grants[token] = IssuedGrant(client: InventedID(client), expires: time + ttl)
        queue.add(token, due: time + ttl)
        granted += 1
        return text
    }

    /// As services give them out (observed.md): a JWT of some 640 bytes, signed with RS256. What it is worth
    /// the table says, not its text.
    private func accessToken(
        of client: String, at time: Int64, ttl: Int64, ids: inout IDs
    ) -> String {
        let id = ids.secret()
        let scopes = clients[InventedID(client)]?.scope.map { [$0] } ?? ProtocolScope.allCases
        let claims =
            #"{"jti":"\#(id)","sub":"\#(client)","iss":"screenrig","#
            + #""scopes":"\#(scopes.map(\.rawValue).joined(separator: " "))","#
            + #""iat":\#(time / 1000),"exp":\#((time + ttl) / 1000)}"#
        return signs
            ? JWT.make(claims: claims, key: .demo)
            : JWT.make(claims: claims, signature: ids.signature())
    }

    func standing(of token: Substring, at time: Int64) -> BearerStanding {
        guard let grant = grants[InventedID(token)], time < grant.expires else { return .stale }
        guard let client = clients[grant.client] else { return .orphaned }
        return .good(client.software)
    }

    /// The application of a registered client.
    func software(of id: String) -> Software? { clients[InventedID(id)]?.software }

    /// Forgets a client, as when its application is withdrawn; false when it was not known.
    mutating func forget(_ id: String) -> Bool {
        clients.removeValue(forKey: InventedID(id)) != nil
    }

    /// Whether `standing` is good and the client speaks that protocol: it does if it has spoken no
    /// other before.
    mutating func accepts(_ token: Substring, for scope: ProtocolScope, at time: Int64) -> Bool {
        guard let index = grants.index(forKey: InventedID(token)) else { return false }
        let grant = grants.values[index]
        guard time < grant.expires, let client = clients.index(forKey: grant.client) else {
            return false
        }
        if let own = clients.values[client].scope { return own == scope }
        clients.values[client].scope = scope
        return true
    }

    /// The client that a bearer was granted to, if `accepts` has it.
    mutating func client(
        of token: Substring, for scope: ProtocolScope, at time: Int64
    ) -> (id: String, software: Software)? {
        guard let index = grants.index(forKey: InventedID(token)) else { return nil }
        let grant = grants.values[index]
        guard time < grant.expires, let client = clients.index(forKey: grant.client) else {
            return nil
        }
        if clients.values[client].scope == nil { clients.values[client].scope = scope }
        guard clients.values[client].scope == scope else { return nil }
        return (String(grant.client.text), clients.values[client].software)
    }

    /// The id of the client that a bearer was granted to; for faults.
    func id(of token: Substring) -> String? {
        grants[InventedID(token)].map { String($0.client.text) }
    }

    /// The application behind a good bearer, whichever protocol it speaks.
    func software(of token: Substring, at time: Int64) -> Software? {
        if case .good(let software) = standing(of: token, at: time) { software } else { nil }
    }

    mutating func sweep(at time: Int64) {
        for _ in 0..<sweepStep {
            guard let token = queue.next(dueBy: time) else { return }
            grants[token] = nil
        }
    }
}
