internal import Dialects

/// One life of one registration code of a device.
struct CodeLife {
    let mark: UInt64
    let made: CompactOperation
    /// Its number in the model; none when there are too many.
    var slot: UInt8
    /// It was asked about after its deletion.
    var isLookedAt = false
    /// The first time that the phone was told that its sign-in is done.
    var told: CompactOperation?
    let shared: SharedLife
    private var ends = CodeEnds()

    init(made: CompactOperation, slot: UInt8, shared: SharedLife) {
        (self.made, self.slot, self.shared) = (made, slot, shared)
        mark = shared.code
    }

    var record: UInt64 { shared.record }
    /// When it expires at the earliest, by our clock.
    var low: Int64 { shared.low }
    /// When it has expired at the latest, by our clock.
    var high: Int64 { shared.high }
    var text: String { shared.text }

    /// Its deletion, where that was answered yes.
    var deleted: CompactOperation? {
        get { ends[0] }
        set { ends[0] = newValue }
    }
    /// The first time that it was said to be gone.
    var gone: CompactOperation? {
        get { ends[1] }
        set { ends[1] = newValue }
    }
    /// A check of it that said "not yet", the last.
    var refused: CompactOperation? {
        get { ends[2] }
        set { ends[2] = newValue }
    }

    /// That check, where it was made after the answer to a login.
    func refusal(after login: CompactOperation) -> CompactOperation? {
        refused.flatMap { $0.call > login.ret ? $0 : nil }
    }
}

/// What tells of a code's end: nothing of most codes, which then takes no memory.
private struct CodeEnds {
    private var ends: [CompactOperation?] = []

    subscript(position: Int) -> CompactOperation? {
        get { ends.isEmpty ? nil : ends[position] }
        set {
            if ends.isEmpty { ends = [nil, nil, nil] }
            ends[position] = newValue
        }
    }
}

/// One attempt to sign in on a device.
struct SignInAttempt: Sendable {
    var beat: CompactOperation
    /// Number of the tag; `ModelOperation.none` when nobody knows who it was.
    var tag: UInt8
    var isRetried: Bool
    private let lifeNumber: Int32

    init(beat: CompactOperation, tag: UInt8, life: Int, isRetried: Bool) {
        self.beat = beat
        self.tag = tag
        self.isRetried = isRetried
        lifeNumber = Int32(truncatingIfNeeded: life)
    }

    /// Position of the code's life; -1: by none of this device's codes.
    var life: Int { Int(lifeNumber) }

    /// Whether it may have taken effect.
    var isCandidate: Bool { beat.effect != .denied }
}

/// Who a token names, and what was seen of it; 0 for what nobody knows.
struct TagSeen: Sendable {
    var mark: UInt64 = 0
    var mvpd: UInt64 = 0
    var user: UInt64 = 0
    /// The user that the accounts file says the service will name, with its provider; a hint where
    /// users are learned.
    var listed: UInt64 = 0
    /// The first answer of all that named it.
    var first: CompactOperation?
    /// Nobody told who signs in: the first token that comes is believed.
    var isLearned = false
}

/// A token that was shown: whose, until when by its own word, and the first answer that showed it.
struct TokenSeen: Sendable {
    var expires: Int64
    var beat: CompactOperation
    var tag: UInt8
    /// Number of the face that it showed, where users are learned: an account may have been shown as several.
    var face = ModelOperation.none
}

/// A user that answers named on this device, where users are learned.
struct Face: Sendable {
    var source: UserLedger.Claim.ClaimSource
    /// Mark of the user with its provider, and of the user alone.
    var user: UInt64
    var person: UInt64
    /// Number of the account that it is the user of, as far as this device shows; `ModelOperation.none` where it
    /// is that of one of several.
    var tag: UInt8
    /// No account that had signed in here can be this user: it is accused already.
    var isForeign = false
    var first: CompactOperation
    var name: Tag
    /// Ends of its tokens, where it is one of several accounts: those of the others are `tokens`.
    var ends: [Int64] = []
}

/// A user that an answer named, and that never signed in here as far as is known.
struct Stranger: Sendable {
    var seen: TagSeen
    var name: Tag
    /// When the first answer that named it returned.
    var ret: Int64
}

/// What was answered to the question whether a resource may be played: it was authorized, may have
/// been, or was not.
struct Grant: Sendable {
    var beat: CompactOperation
    var resource: UInt8
    /// Until when, by the service's clock in epoch milliseconds; 0: not told.
    var expires: Int64
}

extension Tag {
    /// `viewer-17 at DemoCable`; the user alone where protocols have no providers.
    var text: String {
        user.isEmpty ? "an unknown user" : mvpd.isEmpty ? user : "\(user) at \(mvpd)"
    }
}

/// Which sign-in of a device a read is about: that at a provider, or what a code has led to. In protocols
/// with one sign-in for a device it is that one.
struct SignInScope: Sendable, Hashable {
    /// Number of the provider; 0: whichever.
    var slot: UInt8 = 0
    /// Position of the code's life; -1: the device's own sign-in.
    var life: Int16 = -1

    static let device = SignInScope()

    /// Whether two reads are about one thing. A code leads to one provider.
    @inline(__always)
    func isSame(as other: SignInScope) -> Bool {
        life == other.life && (life >= 0 || slot == other.slot)
    }
}

/// A read of the device's sign-in.
struct TokenRead: Sendable {
    // In this order they fit in 32 bytes.
    var beat: CompactOperation
    /// 0: nobody; 255: somebody; else the tag's number plus one.
    var value: UInt8
    var scope: SignInScope

    init(value: UInt8, beat: CompactOperation, scope: SignInScope = .device) {
        self.value = value
        self.beat = beat
        self.scope = scope
    }

    static let somebody: UInt8 = 255

    /// Whether the two cannot both be true at one time.
    func contradicts(_ other: TokenRead) -> Bool {
        scope.isSame(as: other.scope) && contradicts(other.value)
    }

    private func contradicts(_ other: UInt8) -> Bool {
        if value == 0 || other == 0 { return value != other }
        return value != other && value != Self.somebody && other != Self.somebody
    }
}

/// A sign-out, or something else that ends sign-ins, at one provider; slot 0: of the device.
struct SignOut: Sendable {
    var beat: CompactOperation
    var slot: UInt8 = 0
    /// Something was asked for after it that would have shown that the sign-in is still there.
    var isLookedAt = false

    var call: Int64 { beat.call }
    var ret: Int64 { beat.ret }
    var effect: Observed.ObservedEffect { beat.effect }

    /// Whether a sign-in at that provider ends by it.
    @inline(__always)
    func ends(_ other: UInt8) -> Bool { slot == 0 || other == 0 || slot == other }
}
