/// What a device's life can look like from outside, in eight bytes. Codes, sign-ins and resources
/// are numbered by the device's own record.
///
/// ```text
/// bits  0 ..<  8   token: 0 nobody is signed in, else sign-in tag + 1
/// bits  8 ..< 16   the code it came by: 0 none, else code + 1
/// bits 16 ..< 48   16 codes, 2 bits each: 0 not made, 1 fresh, 2 bound, 3 dead
/// bits 48 ..< 56   the first eight resources, if they are authorized
/// ```
///
/// A device that has a profile at each of several providers grants nothing ahead (rest-v2.md § 7). Its codes
/// lie where they do above, and four profiles around them, a byte each:
///
/// ```text
/// bits  0 ..< 16   providers 1 and 2, bits 48 ..< 64 providers 3 and 4:
///                  4 bits, 0 nobody is signed in, else sign-in tag + 1; 4 bits, the code it came by
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

    // MARK: Profiles

    /// Providers, sign-ins and codes that it has room for.
    static let profiles: UInt8 = 4
    static let profileTags: UInt8 = 12
    static let profileCodes: UInt8 = 15

    private static func shift(_ slot: UInt8) -> UInt64 {
        UInt64(slot <= 2 ? slot - 1 : slot + 3) * 8
    }

    /// The profile at that provider, from 1: who, and by which code.
    func profile(_ slot: UInt8) -> (token: UInt8, code: UInt8) {
        let byte = UInt8(truncatingIfNeeded: bits >> Self.shift(slot))
        return (byte & 15, byte >> 4)
    }

    mutating func set(_ slot: UInt8, token: UInt8, code: UInt8) {
        let shift = Self.shift(slot)
        bits = bits & ~(0xff << shift) | UInt64(token & 15 | code << 4) << shift
    }

    /// Whether a profile that came by that code is there.
    func hasProfile(by code: UInt8) -> Bool {
        for slot in 1...Self.profiles {
            let profile = profile(slot)
            if profile.token != 0, profile.code == code + 1 { return true }
        }
        return false
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
        // The same of devices with profiles; `resource` is the number of the provider.
        case createBeside, profileSignIn, profileSignOut, profilesSignOut, expireProfile
        // Reads: from here on.
        case tokenAbsent, tokenSeen, tokenAny, codeLive, codeDead, codeBound, codeUnbound
        case granted, ungranted
        case profilesAre, profileAny, codeFree, codeOver
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

    /// What an answer says of each provider's profile: of some all at once (`Kind.profilesAre`).
    struct ProfileValues: Hashable, Sendable {
        /// Four bits for each provider: 0 nobody, up to 12 a sign-in's tag + 1.
        private var bits: UInt16 = 0xffff

        /// Somebody who never signed in here; somebody; nothing is said.
        static let stranger: UInt8 = 13
        static let somebody: UInt8 = 14
        static let unsaid: UInt8 = 15

        init() {}

        init(_ act: ModelOperation) { bits = UInt16(act.tag) << 8 | UInt16(act.code) }

        /// Of a provider from 1; of those beyond the fourth nothing is kept.
        subscript(slot: UInt8) -> UInt8 {
            get { UInt8(bits >> (4 * UInt16(slot - 1)) & 15) }
            set {
                guard slot > 0, slot <= DeviceState.profiles else { return }
                let shift = 4 * UInt16(slot - 1)
                bits = bits & ~(15 << shift) | UInt16(newValue & 15) << shift
            }
        }

        /// Nil where nothing is said.
        var act: ModelOperation? {
            guard bits != 0xffff else { return nil }
            return ModelOperation(
                kind: .profilesAre, code: UInt8(truncatingIfNeeded: bits),
                tag: UInt8(truncatingIfNeeded: bits >> 8))
        }

        func hold(in state: DeviceState) -> Bool {
            for slot in 1...DeviceState.profiles {
                let token = state.profile(slot).token
                switch self[slot] {
                case Self.unsaid: continue
                case Self.somebody: if token == 0 { return false }
                case let value: if token != value { return false }
                }
            }
            return true
        }
    }

    /// Its place in `DeviceState.grants`; 0 where the state does not keep it.
    var grant: UInt8 { resource < DeviceState.resources ? 1 << resource : 0 }
}

/// The sequential specification of one device's life: a pure function.
struct DeviceModel: Sendable, Hashable {
    /// A bound code takes further sign-ins.
    var reusesCodes: Bool
    /// A new code kills the device's older unbound ones.
    var newCodeReplaces: Bool
    /// A sign-in on a device that has one takes its place; else it has no effect.
    var secondSignInReplaces: Bool
    /// A code's record stays when its token has been fetched.
    var recordsOutliveTokens: Bool

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
        case .createBeside:
            // A session of another client of the device's ends none of this one's (rest-v2.md, B41).
            guard state.code(act.code) == .unmade else { return nil }
            state.set(act.code, .fresh)
        case .profileSignIn:
            guard secondSignInReplaces || state.profile(act.resource).token == 0 else { return nil }
            var code: UInt8 = 0
            if act.code != ModelOperation.none {
                let held = state.code(act.code)
                guard held == .fresh || reusesCodes && held == .bound else { return nil }
                state.set(act.code, .bound)
                code = act.code + 1
            }
            state.set(act.resource, token: act.tag + 1, code: code)
        case .profileSignOut: state.set(act.resource, token: 0, code: 0)
        case .profilesSignOut:
            for slot in 1...DeviceState.profiles { state.set(slot, token: 0, code: 0) }
        case .expireProfile:
            guard state.profile(act.resource).token == act.tag + 1 else { return nil }
            state.set(act.resource, token: 0, code: 0)
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
        // That a login by it was recorded, which a logout leaves as it is: what it ends is the TV's
        // (rest-v1.md § 13). That the check says no after it is an expectation of ours (`logout-final`).
        case .codeBound: return state.code(act.code) == .bound
        case .codeUnbound:
            return !isBound(state, act.code)
                || !recordsOutliveTokens && state.code(act.code) == .bound
        case .granted:
            guard state.token != 0 else { return false }
            if act.tag != ModelOperation.none, state.token != act.tag + 1 { return false }
            return state.grants & act.grant == act.grant
        case .ungranted: return act.grant == 0 || state.grants & act.grant == 0
        case .profilesAre: return ModelOperation.ProfileValues(act).hold(in: state)
        case .profileAny: return state.profile(act.resource).token != 0
        case .codeFree: return !state.hasProfile(by: act.code)
        case .codeOver: return state.code(act.code) != .fresh
        default: return false
        }
    }

    /// A code's check does not say no while its own sign-in lives.
    private func isBound(_ state: DeviceState, _ code: UInt8) -> Bool {
        state.code(code) == .bound && state.token != 0 && state.tokenCode == code + 1
    }
}
