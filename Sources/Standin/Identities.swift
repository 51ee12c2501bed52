internal import Formats
internal import Signing

/// Whom an identity token names (rest-v2.md § 8; B27, B46): issuer and subject together, or the whole
/// of a token that cannot be read. Good for one channel (B48).
struct Identity: Hashable, Sendable {
    enum Kind: Hashable, Sendable { case platform, service }

    var kind: Kind
    var requestor: String
    var issuer: String
    var subject: String
    /// The device that a platform's token names: its identity is that device's (B49).
    var device = ""
}

/// What is known of identities: which tokens are good, and the sign-ins that are shared under each.
struct Identities: Sendable {
    /// A sign-in by its key, and which of that key's it is.
    struct SharedSignIn: Sendable {
        var key: DeviceKey
        var serial: Int
    }

    private struct ReadToken: Sendable {
        var kind: Identity.Kind
        /// Without the channel; nil: not a good token.
        var identity: Identity?
        var expires: Int64
    }

    /// By identity and provider, newest first.
    private var shared: [Identity: [String: [SharedSignIn]]] = [:]
    private var queue = DueQueue<Identity>()
    /// The sign-in that a device was last shown as another's, and the one that it has logged out of (B47).
    private var shown: [DeviceKey: Int] = [:]
    private var ended: [DeviceKey: Int] = [:]
    private var tokens: [String: ReadToken] = [:]
    private let trust: ServiceSettings.IdentityKeys
    /// Any of the demo keys will do.
    private static let keys = [DemoKeys.statements(), DemoKeys.saml(), DemoKeys.media()]
    /// For faults: whose sign-ins are shown besides.
    var alias: Identity?

    private static let most = 4096
    /// How long a sharing is remembered at least: longer than any sign-in of a run.
    private static let memory: Int64 = 8 * 24 * 3_600_000

    init(trusts trust: ServiceSettings.IdentityKeys) { self.trust = trust }

    // MARK: Tokens

    /// `AD-Service-Token`: a JWS of the outside identity service, signed with RS256 under a key that is
    /// trusted, not expired (§ 3.2). Nil for anything else: it is as if none were there (B16).
    mutating func service(_ token: String, requestor: String, at time: Int64) -> Identity? {
        read(token, .service, requestor: requestor, at: time) { token, trust in
            let claims: String?
            switch trust {
            case .any: claims = Self.claims(token)
            case .demo:
                claims = Self.keys.lazy.compactMap { try? JWT.verify(token, key: $0) }.first
            }
            guard let claims, let object = JSONValue(Array(claims.utf8)),
                let subject = object["sub"]?.string, let issuer = object["iss"]?.string,
                let expires = object["exp"]?.number,
                object["aud"]?.string?.lowercased() ?? "adobe" == "adobe"
            else { return nil }
            return (
                Identity(kind: .service, requestor: "", issuer: issuer, subject: subject), expires
            )
        }
    }

    /// `Adobe-Subject-Token`: a JWS of the platform, whose key nobody has, or an encrypted token, which
    /// counts as it stands.
    mutating func platform(_ token: String, requestor: String, at time: Int64) -> Identity? {
        read(token, .platform, requestor: requestor, at: time) { token, _ in
            let parts = token.utf8.count { $0 == UInt8(ascii: ".") }
            if parts == 4 { return (Self.opaque(token), .infinity) }
            guard let claims = Self.claims(token), let object = JSONValue(Array(claims.utf8)),
                let subject = object["sub"]?.string, let expires = object["exp"]?.number
            else { return nil }
            return (
                Identity(
                    kind: .platform, requestor: "", issuer: object["iss"]?.string ?? "",
                    subject: subject, device: object["did"]?.string ?? ""), expires
            )
        }
    }

    /// `X-Roku-Reserved-Roku-Connect-Token`: its form is not published, so that it counts as it stands.
    static func roku(_ token: String, requestor: String) -> Identity? {
        guard !token.isEmpty else { return nil }
        var identity = opaque(token)
        identity.requestor = requestor
        return identity
    }

    private static func opaque(_ token: String) -> Identity {
        Identity(kind: .platform, requestor: "", issuer: "", subject: token)
    }

    /// What a JWS claims, whoever signed it; nil for another shape, or one that says it is unsigned.
    private static func claims(_ token: String) -> String? {
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[2].isEmpty, let header = Base64.decode(parts[0]),
            let algorithm = JSONValue(header)?["alg"]?.string, algorithm.lowercased() != "none",
            let claims = Base64.decode(parts[1])
        else { return nil }
        return String(decoding: claims, as: UTF8.self)
    }

    /// Reads a token once: a device brings the same with every call. `exp` is in seconds.
    private mutating func read(
        _ token: String, _ kind: Identity.Kind, requestor: String, at time: Int64,
        _ reader: (String, ServiceSettings.IdentityKeys) -> (Identity, Double)?
    ) -> Identity? {
        let known: ReadToken
        if let found = tokens[token], found.kind == kind {
            known = found
        } else {
            let result = reader(token, trust)
            let seconds = min(max(result?.1 ?? 0, 0), 1e14)
            known = ReadToken(
                kind: kind, identity: result?.0, expires: Int64(seconds * 1000))
            if tokens.count >= Self.most { tokens.removeAll(keepingCapacity: true) }
            tokens[token] = known
        }
        guard time < known.expires, var identity = known.identity else { return nil }
        identity.requestor = requestor
        return identity
    }

    // MARK: Sharing

    /// From now on a sign-in is that identity's; the last login wins (B48).
    mutating func bind(_ identity: Identity, to key: DeviceKey, serial: Int, at time: Int64) {
        var all = shared[identity]?[key.mvpd] ?? []
        if all.contains(where: { $0.key == key && $0.serial >= serial }) { return }
        if shared[identity] == nil { queue.add(identity, due: time + Self.memory) }
        all.removeAll { $0.key == key }
        let place = all.firstIndex { $0.serial < serial } ?? all.endIndex
        all.insert(SharedSignIn(key: key, serial: serial), at: place)
        shared[identity, default: [:]][key.mvpd] = all
    }

    /// What is shared under an identity, by provider, newest first: a logout ends all of it.
    func sharing(of identity: Identity) -> [String: [SharedSignIn]] {
        guard let alias else { return shared[identity] ?? [:] }
        return (shared[identity] ?? [:]).merging(shared[alias] ?? [:]) { own, _ in own }
    }

    /// Everybody's, in no order; for faults.
    var all: [Identity: [String: [SharedSignIn]]] { shared }

    /// A device is shown a sign-in that is not its own; false when it has logged out of it (B47).
    mutating func show(_ serial: Int, on device: DeviceKey) -> Bool {
        guard ended[device] != serial else { return false }
        shown[device] = serial
        return true
    }

    /// Whether it is what that device was last shown as another's; for faults.
    func hasShown(_ serial: Int, on device: DeviceKey) -> Bool { shown[device] == serial }

    /// A device logs out of what it was shown, and names no identity; false when it was shown nothing.
    mutating func endView(on device: DeviceKey) -> Bool {
        guard let serial = shown.removeValue(forKey: device) else { return false }
        ended[device] = serial
        return true
    }

    mutating func sweep(at time: Int64) {
        guard let identity = queue.next(dueBy: time) else { return }
        shared[identity] = nil
    }
}
