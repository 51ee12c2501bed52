internal import Dialects

/// One life of one registration code of a device.
struct CodeLife: Sendable {
    let mark: UInt64
    let text: String
    /// Its number in the model; none when there are too many.
    var slot: UInt8
    let made: Beat
    let record: UInt64
    /// When it expires, by our clock: never earlier, never later.
    var low: Int64
    let high: Int64
    /// Its deletion, where that was answered yes.
    var deleted: Beat?
    /// The first time that it was said to be gone.
    var gone: Beat?
    /// The first time that the phone was told that its sign-in is done.
    var told: Beat?
    /// A check of it that said "not yet", the last.
    var refused: Beat?
}

/// One attempt to sign in on a device.
struct SignInAttempt: Sendable {
    var beat: Beat
    /// Number of the tag; `Act.none` when nobody knows who it was.
    var tag: UInt8
    /// Position of the code's life; -1: by none of this device's codes.
    var life: Int
    var isRetried: Bool

    /// Whether it may have taken effect.
    var isCandidate: Bool { beat.effect != .denied }
}

/// Who a token names, and what was seen of it.
struct TagSeen: Sendable {
    var mark: UInt64
    var mvpd: UInt64
    var user: UInt64
    /// `viewer-17 at DemoCable`.
    var text: String
    /// Expiries seen, with the first answer that showed each.
    var expiries: [(expires: Int64, beat: Beat)] = []
    /// The first answer of all that named it.
    var first: Beat?
    /// Nobody told who signs in: the first token that comes is believed.
    var isLearned = false
}

/// A read of the device's sign-in.
struct TokenRead: Sendable {
    /// 0: nobody; 255: somebody; else the tag's number plus one.
    var value: UInt8
    var beat: Beat

    static let somebody: UInt8 = 255

    /// Whether the two cannot both be true at one time.
    func contradicts(_ other: UInt8) -> Bool {
        if value == 0 || other == 0 { return value != other }
        return value != other && value != Self.somebody && other != Self.somebody
    }
}
