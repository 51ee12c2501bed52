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
        let id: String
        var secret: String
        /// Nil once it was forgotten.
        var software: Software?
        /// Nil until it is known which protocol it speaks.
        var scope: ProtocolScope?
    }

    private struct IssuedGrant: Sendable {
        var client: ClientPlace
        var expires: Int64
    }

    /// Where a client is kept.
    struct ClientPlace: Sendable {
        fileprivate let index: Int
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
    /// Each at its place, which its bearers name; those that were forgotten, too.
    private var clients: [Client] = []
    /// Of those that are registered.
    private var places: [InventedID: ClientPlace] = [:]
    private var grants: [InventedID: IssuedGrant] = [:]
    private var queue = DueQueue<InventedID>()
    private(set) var granted = 0

    init(signs: Bool) { self.signs = signs }

    var registered: Int { places.count }
    /// Access tokens held at present.
    var count: Int { grants.count }

    /// `scope` nil: the first call with one of its bearers settles which protocol it speaks.
    mutating func register(
        _ software: Software, scope: ProtocolScope? = nil, ids: inout IDs
    ) -> (id: String, secret: String) {
        let id = ids.record()
        let secret = ids.record()
        places[InventedID(id)] = ClientPlace(index: clients.count)
        clients.append(Client(id: id, secret: secret, software: software, scope: scope))
        return (id, secret)
    }

    /// The place of a client that shows its secret; nil for any other.
    func place(of id: String, secret: String) -> ClientPlace? {
        guard let place = places[InventedID(id)] else { return nil }
        return clients[place.index].secret == secret ? place : nil
    }

    /// A new access token of a client.
    mutating func grant(
        to client: ClientPlace, at time: Int64, ttl: Int64, ids: inout IDs
    ) -> String {
        let text = accessToken(of: client, at: time, ttl: ttl, ids: &ids)
        let token = InventedID(text)
        grants[token] = IssuedGrant(client: client, expires: time + ttl)
        queue.add(token, due: time + ttl)
        granted += 1
        return text
    }

    /// As services give them out (observed.md): a JWT of some 640 bytes, signed with RS256. What it is worth
    /// the table says, not its text.
    private func accessToken(
        of place: ClientPlace, at time: Int64, ttl: Int64, ids: inout IDs
    ) -> String {
        let (id, client) = (ids.secret(), clients[place.index])
        let scopes =
            client.scope?.rawValue
            ?? ProtocolScope.allCases.map(\.rawValue).joined(separator: " ")
        let claims =
            #"{"jti":"\#(id)","sub":"\#(client.id)","iss":"screenrig","#
            + #""scopes":"\#(scopes)","iat":\#(time / 1000),"exp":\#((time + ttl) / 1000)}"#
        return signs
            ? JWT.make(claims: claims, key: .demo)
            : JWT.make(claims: claims, signature: ids.signature())
    }

    func standing(of token: Substring, at time: Int64) -> BearerStanding {
        guard let grant = grants[InventedID(token)], time < grant.expires else { return .stale }
        return clients[grant.client.index].software.map { .good($0) } ?? .orphaned
    }

    /// The application of a client; nil once it was forgotten.
    func software(of client: ClientPlace) -> Software? { clients[client.index].software }

    /// Forgets a client, as when its application is withdrawn; false when it was not known.
    mutating func forget(_ id: String) -> Bool {
        guard let place = places.removeValue(forKey: InventedID(id)) else { return false }
        clients[place.index].secret = ""
        clients[place.index].software = nil
        return true
    }

    /// Whether `standing` is good and the client speaks that protocol: it does if it has spoken no
    /// other before.
    mutating func accepts(_ token: Substring, for scope: ProtocolScope, at time: Int64) -> Bool {
        guard let grant = grants[InventedID(token)], time < grant.expires else { return false }
        return speaks(grant.client, scope)
    }

    private mutating func speaks(_ client: ClientPlace, _ scope: ProtocolScope) -> Bool {
        guard clients[client.index].software != nil else { return false }
        if let own = clients[client.index].scope { return own == scope }
        clients[client.index].scope = scope
        return true
    }

    /// The client that a bearer was granted to, if `accepts` has it.
    mutating func client(
        of token: Substring, for scope: ProtocolScope, at time: Int64
    ) -> (id: String, software: Software)? {
        guard let grant = grants[InventedID(token)], time < grant.expires,
            speaks(grant.client, scope), let software = clients[grant.client.index].software
        else { return nil }
        return (clients[grant.client.index].id, software)
    }

    /// The id of the client that a bearer was granted to; for faults.
    func id(of token: Substring) -> String? {
        grants[InventedID(token)].map { clients[$0.client.index].id }
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
