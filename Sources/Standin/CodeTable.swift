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
}

/// Whose token: one live token per key, newest wins (rest-v1.md § 10).
struct DeviceKey: Hashable, Sendable {
    var requestor: String
    var device: String
    /// `deviceUser`; empty when none was sent.
    var user = ""
    /// `appId`; empty when none was sent.
    var app = ""
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
    }

    let id: String
    let text: String
    let key: CodeKey
    let device: DeviceKey
    /// The provider preselected at R1.
    let mvpd: String?
    let generated: Int64
    let expires: Int64
    var state: State = .created
    /// Where codes may be used again: the login under way with one that is bound already.
    var secondLogin: String?
    /// What the protocol's codec echoes.
    let registrant: Registrant

    func isLive(at time: Int64) -> Bool { time < expires }

    /// Whether that login may bind it.
    func awaits(_ login: String) -> Bool { state == .used(login: login) || secondLogin == login }
}

/// What a device said of itself when it asked for a code.
struct Registrant: Sendable {
    /// Base64 of the normalised device information.
    var deviceInfo: String
    var userAgent: String
    var registrationURL: String?
    var deviceType: String
    var appVersion: String
    /// The registered application: id, name, version.
    var software: Software?
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
        supersedes: Bool, ids: inout IDs
    ) -> CodeRecord {
        let owner = DeviceKey(requestor: device.requestor, device: device.device)
        if supersedes, let former = newest[owner] { records[former] = nil }
        while true {
            let text = ids.code()
            guard let key = CodeKey(text) else { continue }
            if let other = records[key], other.isLive(at: time), !allowsTwins { continue }
            let record = CodeRecord(
                id: ids.record(), text: text, key: key, device: device, mvpd: mvpd,
                generated: time, expires: time + ttl, registrant: registrant)
            records[key] = record
            latest = key
            issued += 1
            if supersedes { newest[owner] = key }
            queue.add(key, due: record.expires)
            return record
        }
    }

    /// What is stored of a code, live or not; for faults.
    subscript(key: CodeKey) -> CodeRecord? {
        get { records[key] }
        set { records[key] = newValue }
    }

    /// The live record of a code of that requestor; nil once expired or deleted.
    func live(_ key: CodeKey, of requestor: String, at time: Int64) -> CodeRecord? {
        guard let record = records[key], record.isLive(at: time),
            record.device.requestor == requestor
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

    /// A login succeeded: the code is spent, and no longer superseded by another.
    mutating func bind(_ record: CodeRecord, serial: Int) {
        records[record.key]?.state = .bound(serial: serial)
        records[record.key]?.secondLogin = nil
        let owner = DeviceKey(
            requestor: record.device.requestor, device: record.device.device)
        if newest[owner] == record.key { newest[owner] = nil }
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
            records[key] = nil
            forget(record)
        }
    }

    private mutating func forget(_ record: CodeRecord) {
        let owner = DeviceKey(
            requestor: record.device.requestor, device: record.device.device)
        if newest[owner] == record.key { newest[owner] = nil }
    }
}
