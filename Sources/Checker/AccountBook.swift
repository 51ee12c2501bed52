/// Which household signed in with which account, and from when to when it had it: whether accounts are
/// one household's own, used in turn, or shared at once.
struct AccountBook {
    private struct Holding {
        /// The call of its first sign-in with the account.
        var from: Int64
        /// When the household left.
        var until = Int64.max
        var household: Int32
        /// Whether its device may have several profiles: those of one protocol, then.
        var hasProfiles = false
    }

    /// `Rules.inventsLogins`.
    let inventsLogins: Bool
    /// By the account's mark: the first household that had it.
    private var first = MarkTable<Holding>()
    /// The others; empty for nearly every account.
    private var others: [UInt64: [Holding]] = [:]
    /// Accounts that several households had at once, once the run is over.
    private var shared: Set<UInt64> = []

    init(inventsLogins: Bool = false) { self.inventsLogins = inventsLogins }

    /// A household signs in with that account.
    mutating func hold(
        _ account: UInt64, by household: Int, at call: Int64, hasProfiles: Bool = false
    ) {
        let number = Int32(truncatingIfNeeded: household)
        guard let holding = first[account] else {
            first[account] = Holding(from: call, household: number, hasProfiles: hasProfiles)
            return
        }
        if holding.household == number {
            if call < holding.from { first[account]?.from = call }
        } else if let position = others[account]?.firstIndex(where: { $0.household == number }) {
            if let from = others[account]?[position].from, call < from {
                others[account]?[position].from = call
            }
        } else {
            others[account, default: []].append(
                Holding(from: call, household: number, hasProfiles: hasProfiles))
        }
    }

    /// That household has left, and needs the account no more.
    mutating func release(_ account: UInt64, by household: Int, at time: Int64) {
        let number = Int32(truncatingIfNeeded: household)
        if first[account]?.household == number {
            first[account]?.until = time
        } else if let position = others[account]?.firstIndex(where: { $0.household == number }) {
            others[account]?[position].until = time
        }
    }

    /// Finds out, when every household has left, which accounts several had at once.
    mutating func settle(_ bounds: ClockBounds) {
        for (account, more) in others {
            let all = (more + (first[account].map { [$0] } ?? [])).sorted { $0.from < $1.from }
            // By the machine's clock that tells them.
            var ends: [Int: Int64] = [:]
            for holding in all {
                let clock = bounds.clock(of: Int(holding.household), at: holding.from)
                for (other, end) in ends
                where holding.from < end.plus(bounds.between(clocks: clock, other)) {
                    shared.insert(account)
                }
                ends[clock] = max(ends[clock] ?? .min, holding.until)
            }
        }
    }

    /// Whether several households had it at once, so that what it is shown as proves nothing
    /// (design/decisions.md, 8). Known once the run is over.
    func isShared(_ account: UInt64) -> Bool { shared.contains(account) }

    var sharesAny: Bool { !shared.isEmpty }

    /// A household that signed in with that account, and is not `household`.
    func holder(of account: UInt64, otherThan household: Int) -> Int? {
        guard let holding = first[account] else { return nil }
        if Int(holding.household) != household { return Int(holding.household) }
        return others[account]?.map { Int($0.household) }.min()
    }

    /// The household that signed in by that login, where logins are ours alone.
    func holder(ofLogin name: String) -> Int? {
        guard inventsLogins else { return nil }
        return first[HouseholdState.bare(name)].map { Int($0.household) }
    }

    func isHeld(login name: String, by household: Int) -> Bool {
        guard inventsLogins else { return false }
        let login = HouseholdState.bare(name)
        return first[login].map { Int($0.household) } == household
            || others[login]?.contains { Int($0.household) == household } ?? false
    }

    /// Whether only devices of the other protocol signed in with that account (`hasProfiles` is that of the
    /// one that asks).
    func isHeldApart(_ account: UInt64, hasProfiles: Bool) -> Bool {
        guard let holding = first[account], holding.hasProfiles != hasProfiles else { return false }
        return others[account]?.allSatisfy { $0.hasProfiles != hasProfiles } ?? true
    }

    /// The call of its first sign-in of all; nil for an account that nobody used.
    func firstSignIn(with account: UInt64) -> Int64? {
        guard let holding = first[account] else { return nil }
        return others[account]?.reduce(holding.from) { min($0, $1.from) } ?? holding.from
    }
}
