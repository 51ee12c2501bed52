/// What a device's life can look like from outside, in eight bytes. Codes, sign-ins and resources
/// are numbered by the device's own record.
///
/// ```text
/// bits  0 ..<  8   token: 0 nobody is signed in, else sign-in tag + 1
/// bits  8 ..< 16   the code it came by: 0 none, else code + 1
/// bits 16 ..< 48   16 codes, 2 bits each: 0 not made, 1 fresh, 2 bound, 3 dead
/// bits 48 ..< 56   the first eight resources, if they are authorized
/// ```
struct DeviceState: Hashable, Sendable {
    enum CodeState: UInt64 { case unmade, fresh, bound, dead }

    static let codes = 16
    static let tags = 250
    static let resources = 8

    var bits: UInt64 = 0

    /// Nobody is signed in: 0; else the tag's number plus one.
    var token: UInt8 {
        get { UInt8(truncatingIfNeeded: bits) }
        set { bits = bits & ~0xff | UInt64(newValue) }
    }

    var tokenCode: UInt8 {
        get { UInt8(truncatingIfNeeded: bits >> 8) }
        set { bits = bits & ~0xff00 | UInt64(newValue) << 8 }
    }

    var grants: UInt8 {
        get { UInt8(truncatingIfNeeded: bits >> 48) }
        set { bits = bits & ~0x00ff_0000_0000_0000 | UInt64(newValue) << 48 }
    }

    func code(_ slot: UInt8) -> CodeState {
        // Two bits have no other value.
        CodeState(rawValue: bits >> (16 + 2 * UInt64(slot)) & 3) ?? .unmade
    }

    mutating func set(_ slot: UInt8, _ state: CodeState) {
        let shift = 16 + 2 * UInt64(slot)
        bits = bits & ~(3 << shift) | state.rawValue << shift
    }

    /// Every code that is fresh dies (rest-v1.md, A9).
    mutating func killFreshCodes() {
        let codes = bits >> 16 & 0xffff_ffff
        let odd: UInt64 = 0x5555_5555
        // Fresh is 01: low bit set, high bit clear. Setting the high bit makes it 11, dead.
        let fresh = codes & odd & ~(codes >> 1)
        bits |= (fresh << 1) << 16
    }

    /// The sign-in ends, and the authorizations with it (rest-v1.md § 10).
    mutating func signOut() {
        bits &= ~0x00ff_0000_0000_ffff
    }
}

/// One operation as the model sees it: what was asked and, for reads, what was answered.
struct ModelOperation: Hashable, Sendable {
    enum Kind: UInt8 {
        // Mutators.
        case create, createUnseen, delete, expireCode, signIn, signInElsewhere, signOut, authorize
        case expireToken
        // Reads: from here on.
        case tokenAbsent, tokenSeen, tokenAny, codeLive, codeDead, codeBound, codeUnbound
        case granted, ungranted
    }

    /// A code, resource or tag that does not matter.
    static let none: UInt8 = 0xff

    var kind: Kind
    /// Number of the code.
    var code: UInt8 = ModelOperation.none
    /// Number of the tag.
    var tag: UInt8 = ModelOperation.none
    var resource: UInt8 = ModelOperation.none
    /// A mutator that may also not have happened at all.
    var isMaybe = false

    var isRead: Bool { kind.rawValue >= Kind.tokenAbsent.rawValue }

    /// Its place in `DeviceState.grants`; 0 where the state does not keep it.
    var grant: UInt8 { resource < DeviceState.resources ? 1 << resource : 0 }
}

/// The sequential specification of one device's life: a pure function.
struct DeviceModel: Sendable, Hashable {
    /// A bound code takes further sign-ins.
    var reusesCodes = false
    /// A new code kills the device's older unbound ones.
    var newCodeReplaces = true
    /// A sign-in on a device that has one takes its place; else it has no effect.
    var secondSignInReplaces = true
    /// A code's record stays when its token has been fetched.
    var recordsOutliveTokens = true

    init() {}

    init(_ rules: Rules) {
        reusesCodes = rules.policies.codeReuse == .untilExpiry
        newCodeReplaces = rules.policies.newCode == .replace
        secondSignInReplaces = rules.policies.secondSignIn == .replace
        recordsOutliveTokens = rules.recordsOutliveTokens
    }

    /// The state after `act`; nil where the service could not have acted, or answered, so.
    @inline(__always)
    func step(_ state: DeviceState, _ act: ModelOperation) -> DeviceState? {
        if act.isRead { return holds(state, act) ? state : nil }
        var state = state
        switch act.kind {
        case .create:
            guard state.code(act.code) == .unmade else { return nil }
            if newCodeReplaces { state.killFreshCodes() }
            state.set(act.code, .fresh)
        case .createUnseen:
            // Its answer was lost: all it can have changed is what it replaced.
            guard newCodeReplaces else { return nil }
            state.killFreshCodes()
        case .delete:
            // Of a dead code too: that is done already, and a "yes" to it does no harm.
            guard state.code(act.code) != .unmade else { return nil }
            state.set(act.code, .dead)
        case .expireCode: state.set(act.code, .dead)
        case .signIn:
            let code = state.code(act.code)
            guard code == .fresh || reusesCodes && code == .bound else { return nil }
            guard secondSignInReplaces || state.token == 0 else { return nil }
            state.signOut()
            state.token = act.tag + 1
            state.tokenCode = act.code + 1
            state.set(act.code, .bound)
        case .signInElsewhere:
            // By a token exchange, a free preview, or a code that is not known here.
            state.signOut()
            state.token = act.tag + 1
        case .signOut: state.signOut()
        case .authorize:
            guard state.token != 0 else { return nil }
            state.grants |= act.grant
        case .expireToken:
            guard state.token == act.tag + 1 else { return nil }
            state.signOut()
        default: return nil
        }
        return state
    }

    /// Whether the answer fits the state.
    @inline(__always)
    func holds(_ state: DeviceState, _ act: ModelOperation) -> Bool {
        switch act.kind {
        case .tokenAbsent: return state.token == 0
        case .tokenSeen: return state.token == act.tag + 1
        case .tokenAny: return state.token != 0
        case .codeLive:
            let code = state.code(act.code)
            return code == .fresh || code == .bound
        case .codeDead:
            let code = state.code(act.code)
            return code == .dead || code == .unmade || !recordsOutliveTokens && code == .bound
        case .codeBound: return isBound(state, act.code)
        case .codeUnbound:
            return !isBound(state, act.code)
                || !recordsOutliveTokens && state.code(act.code) == .bound
        case .granted:
            guard state.token != 0 else { return false }
            if act.tag != ModelOperation.none, state.token != act.tag + 1 { return false }
            return state.grants & act.grant == act.grant
        case .ungranted: return act.grant == 0 || state.grants & act.grant == 0
        default: return false
        }
    }

    /// A code's check says yes while its own sign-in lives.
    private func isBound(_ state: DeviceState, _ code: UInt8) -> Bool {
        state.code(code) == .bound && state.token != 0 && state.tokenCode == code + 1
    }
}
