internal import Dialects

/// What the service called the users behind accounts, where nobody told us before: as whom each
/// account was shown on each device. Who is who is decided from all of it when the run is over, so that
/// nothing is learned from an answer that was meant for somebody else.
///
/// ```text
/// household 3, account A   poll: u-11          account A is u-11
/// household 8, account B   poll: u-11          u-11 was shown before B signed in anywhere: A's
/// household 9, account A   poll: u-11          A in turn: no news
/// ```
struct UserLedger {
    /// An account was shown as a user on one device.
    struct Claim {
        /// What named the user. Only tokens name them by what the protocol calls `userId`; whether the
        /// others mean the same by it is found out.
        enum ClaimSource: UInt8 { case token, media, metadata, household }

        var source: ClaimSource
        /// Marks of the account, and of the user with its provider.
        var account: UInt64
        var user: UInt64
        /// Mark of the user without a provider.
        var person: UInt64
        var name: Tag
        /// Where the account signed in.
        var provider: String
        var household: Int
        /// The first answer that named it.
        var beat: CompactOperation
        /// How often the account signed in on that device.
        var signIns: Int
        /// The operations around it, where two accounts were shown as this user.
        var scene: [SceneEntry] = []
    }

    /// A user who was shown where any of several accounts may be meant.
    struct Unplaced {
        var user: UInt64
        var accounts: [UInt64]
        var name: Tag
        var household: Int
        var beat: CompactOperation
    }

    private(set) var claims: [Claim] = []
    private(set) var unplaced: [Unplaced] = []
    /// Users by account, as the accounts file has them.
    private(set) var listed: [UInt64: UInt64] = [:]
    struct Showing {
        var account: UInt64
        var at: Int64
    }
    /// The first answer of all that named a user, and one account that was shown as it.
    private(set) var shown: [UInt64: Showing] = [:]
    private var contested: Set<UInt64> = []

    /// Households that signed in, and of whose users some were never named, or may be others'.
    private var nameless: [Int] = []
    private(set) var namelessCount = 0

    /// The household signed in, and no token names its user for certain.
    mutating func noteNameless(_ household: Int) {
        namelessCount += 1
        // The lowest numbers, however lanes interleaved.
        nameless.append(household)
        if nameless.count > Self.mostListed {
            nameless.sort()
            nameless.removeLast()
        }
    }

    private static let mostListed = 4

    /// Those whose user a stranger in this household may be; nil where every user was named.
    func nameless(but household: Int) -> String? {
        let others = nameless.sorted().filter { $0 != household }.prefix(Self.mostListed - 1)
        guard others.count > 1 else {
            return others.first.map {
                "household \($0), whose user no response tells for certain"
            }
        }
        let isAll = others.count + (nameless.contains(household) ? 1 : 0) == namelessCount
        return "households \(others.map(String.init).joined(separator: ", "))"
            + (isAll ? "" : " and others") + ", whose users no response tells for certain"
    }

    mutating func list(_ user: UInt64, of account: UInt64) { listed[account] = user }

    /// A token named `user` on a device where `account` had signed in; 0 where nobody had.
    mutating func show(_ user: UInt64, of account: UInt64, at time: Int64) {
        guard let before = shown[user] else {
            shown[user] = Showing(account: account, at: time)
            return
        }
        if time < before.at { shown[user]?.at = time }
        if before.account != account { contested.insert(user) }
        if before.account == 0 { shown[user]?.account = account }
    }

    /// Whether several accounts were shown as that user, as far as is known.
    func isContested(_ user: UInt64) -> Bool { contested.contains(user) }

    mutating func add(_ claim: Claim) { claims.append(claim) }

    /// For each user the two lowest households that were shown it, in whatever order they ended.
    var shownIn: [UInt64: [Int]] {
        claims.reduce(into: [:]) { found, claim in
            let known = found[claim.user, default: []]
            guard !known.contains(claim.household) else { return }
            found[claim.user] = Array((known + [claim.household]).sorted().prefix(2))
        }
    }

    mutating func add(_ showing: Unplaced) { unplaced.append(showing) }
}
