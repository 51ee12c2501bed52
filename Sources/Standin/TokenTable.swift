/// A viewer's sign-in on a device: the AuthN token and what hangs on it. Times are epoch
/// milliseconds.
struct SignIn: Sendable {
    var mvpd: String
    var user: String
    var started: Int64
    var expires: Int64
    /// Counts sign-ins of this service from 1: which one a code led to.
    var serial: Int
    /// The code it came by.
    var code: CodeKey?
    /// How it came about: what U1 tells of it.
    var origin = SignInOrigin.browser
    /// The provider has ended the session; the token itself still counts as there.
    var isInvalidated = false
    /// Expiry of the authorization of each resource: they die with the sign-in (rest-v1.md § 10).
    var authorizations: [String: Int64] = [:]
    /// The media token of each resource, where they may be had twice.
    var media: [String: MediaToken] = [:]
    /// When what is known of the user last changed.
    var updated: Int64

    enum SignInOrigin: Hashable, Sendable {
        case browser, platform
        /// A trial; what it is scoped by.
        case pass(PassKey)
    }

    struct MediaToken: Sendable {
        var text: String
        var expires: Int64
    }
}

/// All sign-ins, by device: one live token per key, newest wins. Neutral: no protocol is visible.
struct TokenTable: Sendable {
    /// What there is to say of a device.
    enum TokenLookup {
        case none
        case expired
        case live(SignIn)
    }

    private var signIns: [DeviceKey: SignIn] = [:]
    /// The providers that each device has had sign-ins of, where it may have several.
    private var providers: [DeviceKey: [String]] = [:]
    private var queue = DueQueue<DeviceKey>()
    /// Sign-ins ever made.
    private(set) var made = 0

    /// How long an expired token is remembered as such, so that 410 can be told from 404 (§ 10);
    /// after that it decays to "none".
    private let memory: Int64
    private static let day: Int64 = 24 * 3_600_000
    private static let ever: Int64 = 100 * 365 * day

    /// `goneDecays`: whether "expired" becomes "none" after a day.
    init(goneDecays: Bool = true) {
        memory = goneDecays ? Self.day : Self.ever
    }

    /// Tokens held at present, with expired ones that are still remembered.
    var count: Int { signIns.count }

    /// What is stored of a device, expired or not; for faults. Setting it moves no dates of the queue:
    /// only what was there before may be put back.
    subscript(key: DeviceKey) -> SignIn? {
        get { signIns[key] }
        set {
            signIns[key] = newValue
            if newValue != nil { index(key) }
        }
    }

    /// Stores a sign-in and returns its serial. Authorizations of an older one are gone with it.
    mutating func signIn(
        _ key: DeviceKey, mvpd: String, user: String, code: CodeKey?, at time: Int64, ttl: Int64,
        origin: SignIn.SignInOrigin = .browser
    ) -> Int {
        made += 1
        let isNew =
            signIns.updateValue(
                SignIn(
                    mvpd: mvpd, user: user, started: time, expires: time + ttl, serial: made,
                    code: code, origin: origin, updated: time), forKey: key) == nil
        if isNew { queue.add(key, due: time + ttl + memory) }
        index(key)
        return made
    }

    private mutating func index(_ key: DeviceKey) {
        guard !key.mvpd.isEmpty, !key.isPartner else { return }
        if providers[key.owner]?.contains(key.mvpd) != true {
            providers[key.owner, default: []].append(key.mvpd)
        }
    }

    /// The providers of which a device has sign-ins, or had, in the order of its first ones.
    func providers(of owner: DeviceKey) -> [String] { providers[owner] ?? [] }

    /// Every key under which that device is signed in, whichever client's.
    func keys(requestor: String, device: String) -> [DeviceKey] {
        signIns.keys.filter { $0.requestor == requestor && $0.device == device }
    }

    func find(_ key: DeviceKey, at time: Int64) -> TokenLookup {
        guard let signIn = signIns[key] else { return .none }
        return time < signIn.expires ? .live(signIn) : .expired
    }

    /// The sign-in, if it is that one and lives.
    func live(_ key: DeviceKey, serial: Int, at time: Int64) -> SignIn? {
        guard let signIn = signIns[key], signIn.serial == serial, time < signIn.expires else {
            return nil
        }
        return signIn
    }

    /// Stores an authorization under a live sign-in. Returns its expiry: that of one that still
    /// lives is reused (§ 11, Z3), if for at least as long as `least`.
    mutating func authorize(
        _ key: DeviceKey, _ resource: String, at time: Int64, ttl: Int64, leaving least: Int64 = 0
    ) -> Int64 {
        if let expires = signIns[key]?.authorizations[resource], time + least < expires {
            return expires
        }
        signIns[key]?.authorizations[resource] = time + ttl
        signIns[key]?.updated = time
        return time + ttl
    }

    /// Keeps a media token, to be given out again while it lives.
    mutating func keep(_ token: SignIn.MediaToken, for resource: String, of key: DeviceKey) {
        signIns[key]?.media[resource] = token
    }

    /// The provider ends the session of a sign-in; false when nobody is signed in.
    mutating func invalidate(_ key: DeviceKey) -> Bool {
        guard signIns[key] != nil else { return false }
        signIns[key]?.isInvalidated = true
        return true
    }

    /// Signs the device out; false when nobody was signed in.
    @discardableResult
    mutating func signOut(_ key: DeviceKey) -> Bool {
        signIns.removeValue(forKey: key) != nil
    }

    mutating func sweep(at time: Int64) {
        for _ in 0..<sweepStep {
            guard let key = queue.next(dueBy: time) else { return }
            guard let signIn = signIns[key] else { continue }
            let due = signIn.expires + memory
            if due <= time {
                signIns[key] = nil
                if !key.mvpd.isEmpty { forget(key) }
            } else {
                queue.add(key, due: due)
            }
        }
    }

    private mutating func forget(_ key: DeviceKey) {
        guard !key.isPartner, var rest = providers[key.owner] else { return }
        rest.removeAll { $0 == key.mvpd }
        providers[key.owner] = rest.isEmpty ? nil : rest
    }
}
