/// A registration code as a number: its letters, upper case, one per byte. Nil for texts that are
/// no code: 6 or 7 of `[A-Z0-9]`, case not regarded (rest-v1.md, A7).
struct CodeKey: Hashable, Sendable {
    private let packed: UInt64

    init?(_ text: some StringProtocol) {
        var packed: UInt64 = 0
        var count = 0
        for byte in text.utf8 {
            let upper = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 32 : byte
            guard
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(upper)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(upper)
            else { return nil }
            packed = packed << 8 | UInt64(upper)
            count += 1
            guard count <= 7 else { return nil }
        }
        guard count >= 6 else { return nil }
        self.packed = packed
    }

    /// A user code: eight consonants, "characters that are not in the character set" dropped (RFC 8628,
    /// 6.1), case not regarded.
    init?(userCode text: some StringProtocol) {
        var packed: UInt64 = 0
        var count = 0
        for byte in text.utf8 {
            let upper = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 32 : byte
            guard IDs.consonants.contains(upper) else { continue }
            packed = packed << 8 | UInt64(upper)
            count += 1
        }
        guard count == 8 else { return nil }
        self.packed = packed
    }

    init?(_ text: some StringProtocol, _ spelling: CodeSpelling) {
        switch spelling {
        case .registration: self.init(text)
        case .user: self.init(userCode: text)
        }
    }
}

/// What the letters of a code are.
enum CodeSpelling: Sendable {
    /// Seven of `[A-Z0-9]` (rest-v1.md, A7).
    case registration
    /// Two times four consonants, with a dash between them (RFC 8628, 6.1).
    case user
}

/// Whose token: one live token per key, newest wins (rest-v1.md § 10). What belongs to a client and a
/// provider besides is apart from what does not: no sign-in of one protocol shows in another
/// (rest-v2.md § 15, I34).
struct DeviceKey: Hashable, Sendable {
    var requestor: String
    var device: String
    /// `deviceUser`; empty when none was sent.
    var user = ""
    /// `appId`; empty when none was sent.
    var app = ""
    /// The registered client (rest-v2.md § 4, B18); empty where sign-ins belong to none.
    var client = ""
    /// The provider (rest-v2.md § 4); empty where a device has one sign-in at most, or none is named.
    var mvpd = ""
    /// It came by a partner, and lives beside the one that did not (rest-v2.md § 8.3, B32).
    var isPartner = false

    /// The device alone: whose codes supersede each other (A9; B41).
    var owner: DeviceKey { DeviceKey(requestor: requestor, device: device, client: client) }

    func with(mvpd: String, isPartner: Bool = false) -> DeviceKey {
        var key = self
        key.mvpd = mvpd
        key.isPartner = isPartner
        return key
    }

    /// Devices differ in most cases by their id, and else by the provider.
    func hash(into hasher: inout Hasher) {
        hasher.combine(device)
        if !mvpd.isEmpty { hasher.combine(mvpd) }
    }
}

/// What a code stands for besides (rest-v2.md § 5); its provider is that of the record's device.
struct AuthenticationSession: Sendable {
    /// `sessionId`: for tracking only.
    let id: String
    var domainName: String?
    var redirectURL: String?
    /// Whom the device's identity token named when the session was made (§ 8.2).
    var identity: Identity?
}

/// One issued code and how far it came (rest-v1.md § 6.3). Times are epoch milliseconds.
struct CodeRecord: Sendable {
    /// EXPIRED and DELETED have no case: such a record is not found. FAILED login stays `used`.
    enum State: Sendable, Hashable {
        case created
        /// A browser has begun to log in; the last one to begin is the one that may finish.
        case used(login: String)
        /// Spent: the token it led to.
        case bound(serial: Int)
        /// Spent: the person turned the device down (RFC 8628, 3.3).
        case refused
    }

    let id: String
    let text: String
    let key: CodeKey
    /// With the provider of its session, once there is one.
    var device: DeviceKey
    /// The provider preselected at R1.
    let mvpd: String?
    let generated: Int64
    let expires: Int64
    var state: State = .created
    /// Where codes may be used again: the login under way with one that is bound already.
    var secondLogin: String?
    /// What the protocol's codec echoes.
    let registrant: Registrant
    /// Nil for codes that stand for nothing but their device.
    var session: AuthenticationSession?
    /// Until when it is kept beyond its expiry, for what it has led to (rest-v2.md, B24).
    var keptUntil: Int64 = 0

    func isLive(at time: Int64) -> Bool { time < expires }

    /// Whether its letters are taken.
    func isTaken(at time: Int64) -> Bool { time < expires || time < keptUntil }

    /// The sign-in that it has led to.
    var isBound: Bool {
        if case .bound = state { true } else { false }
    }

    /// Whether that login may bind it.
    func awaits(_ login: String) -> Bool { state == .used(login: login) || secondLogin == login }
}

/// What a device said of itself when it asked for a code. A reference: records are copied at each look-up.
final class Registrant: Sendable {
    /// Base64 of the normalised device information.
    let deviceInfo: String
    let userAgent: String
    let registrationURL: String?
    let deviceType: String
    let appVersion: String
    /// The registered application: id, name, version.
    let software: Software?

    init(
        deviceInfo: String, userAgent: String, registrationURL: String? = nil, deviceType: String,
        appVersion: String, software: Software? = nil
    ) {
        self.deviceInfo = deviceInfo
        self.userAgent = userAgent
        self.registrationURL = registrationURL
        self.deviceType = deviceType
        self.appVersion = appVersion
        self.software = software
    }
}

/// All live codes. Neutral: no protocol is visible here.
struct CodeTable: Sendable {
    private var records: [CodeKey: CodeRecord] = [:]
    /// The newest unbound code of each device, to be superseded by the next (A9).
    private var newest: [DeviceKey: CodeKey] = [:]
    private var queue = DueQueue<CodeKey>()
    /// For faults: a code may be issued while another record of it lives.
    var allowsTwins = false
    /// The code that was issued last, and how many have been issued.
    private(set) var latest: CodeKey?
    private(set) var issued = 0

    /// Codes held at present, with expired ones that are not swept yet.
    var count: Int { records.count }

    /// Issues a code that no live record has. `supersedes`: whether the device's former unbound code
    /// dies with it.
    mutating func issue(
        for device: DeviceKey, mvpd: String?, at time: Int64, ttl: Int64, registrant: Registrant,
        supersedes: Bool, session: AuthenticationSession? = nil,
        spelling: CodeSpelling = .registration, ids: inout IDs
    ) -> CodeRecord {
        let owner = device.owner
        if supersedes, let former = newest[owner] { records[former] = nil }
        while true {
            let text = ids.code(spelling)
            guard let key = CodeKey(text, spelling) else { continue }
            if let other = records[key], other.isTaken(at: time), !allowsTwins { continue }
            let record = CodeRecord(
                id: ids.record(), text: text, key: key, device: device, mvpd: mvpd,
                generated: time, expires: time + ttl, registrant: registrant, session: session)
            records[key] = record
            latest = key
            issued += 1
            if supersedes { newest[owner] = key }
            queue.add(key, due: record.expires)
            return record
        }
    }

    /// The code that the next one of a device supersedes; for faults.
    func pending(of owner: DeviceKey) -> CodeRecord? { newest[owner].flatMap { records[$0] } }

    /// What is stored of a code, live or not; for faults.
    subscript(key: CodeKey) -> CodeRecord? {
        get { records[key] }
        set { records[key] = newValue }
    }

    /// The live record of a code of that requestor, without a session; nil once expired or deleted.
    func live(_ key: CodeKey, of requestor: String, at time: Int64) -> CodeRecord? {
        guard let record = records[key], record.isLive(at: time),
            record.device.requestor == requestor, record.session == nil
        else { return nil }
        return record
    }

    /// The record of a session of that requestor, live or kept.
    func session(_ key: CodeKey, of requestor: String, at time: Int64) -> CodeRecord? {
        guard let record = records[key], record.isTaken(at: time),
            record.device.requestor == requestor, record.session != nil
        else { return nil }
        return record
    }

    /// The live record of a code, whoever's it is.
    func live(_ key: CodeKey, at time: Int64) -> CodeRecord? {
        guard let record = records[key], record.isLive(at: time) else { return nil }
        return record
    }

    /// A browser begins to log in: CREATED or USED become USED by this one; BOUND stays bound, to be
    /// bound anew where the policy allows it.
    mutating func use(_ key: CodeKey, login: String) {
        if case .bound? = records[key]?.state {
            records[key]?.secondLogin = login
        } else {
            records[key]?.state = .used(login: login)
        }
    }

    /// The person turned the device down: the code is spent.
    mutating func refuse(_ key: CodeKey) { records[key]?.state = .refused }

    /// A login succeeded: the code is spent, and no longer superseded by another.
    mutating func bind(_ record: CodeRecord, serial: Int, keptUntil: Int64 = 0) {
        records[record.key]?.state = .bound(serial: serial)
        records[record.key]?.secondLogin = nil
        if record.session != nil {
            records[record.key]?.device = record.device
            records[record.key]?.keptUntil = keptUntil
        }
        forget(record)
    }

    /// A session has come to know more.
    mutating func complete(_ key: CodeKey, mvpd: String, _ session: AuthenticationSession) {
        records[key]?.device.mvpd = mvpd
        records[key]?.session = session
    }

    /// Frees the code for reuse.
    mutating func delete(_ key: CodeKey) {
        guard let record = records.removeValue(forKey: key) else { return }
        forget(record)
    }

    /// Drops what has expired, a little at a time.
    mutating func sweep(at time: Int64) {
        for _ in 0..<sweepStep {
            guard let key = queue.next(dueBy: time) else { return }
            // The code may have been freed and issued again: that life has its own entry.
            guard let record = records[key], !record.isLive(at: time) else { continue }
            if record.isTaken(at: time) {
                queue.add(key, due: record.keptUntil)
                continue
            }
            records[key] = nil
            forget(record)
        }
    }

    private mutating func forget(_ record: CodeRecord) {
        let owner = record.device.owner
        if newest[owner] == record.key { newest[owner] = nil }
    }
}
