internal import Dialects
internal import Journal
internal import Lanes
internal import Rigs

/// The account from a file that a household signs in with, and keeps to its end.
enum AccountLoan {
    /// Nothing is lent. To `loginOpen`.
    case none
    /// The login has no outcome yet. To `kept`.
    case loginOpen(AccountPool.Lease)
    /// The outcome of the latest login has been noted. To `loginOpen`; at the end to `none`.
    case kept(AccountPool.Lease)
}

/// How a household comes by an account from a file.
extension Household {
    var lease: AccountPool.Lease? {
        switch loan {
        case .none: nil
        case .loginOpen(let lease), .kept(let lease): lease
        }
    }

    /// How often one that waits looks again: waiting households are many, and their waits long.
    private static let lookAgain: Duration = .milliseconds(200)

    /// Takes an account, unless they are generated or it has one; waits for it if need be. The wait
    /// is before the code is shown, so no figure of the service holds it.
    @inline(never)
    func takeAccount() async throws(StopReason) {
        guard let pool = terms.accounts else { return }
        if let lease {
            return try openAgain(lease, pool)
        }
        guard let mvpd = RunConfiguration.choice(of: terms.ownProviders, at: plan.providerDraw)
        else { return }
        let asked = lane.now
        var hasWaited = false
        defer { if hasWaited { lane.noteAccountWait(lane.now - asked) } }
        while lease == nil {
            switch pool.request(plan.index, of: mvpd) {
            case .lent(let lease): loan = .loginOpen(lease)
            case .never(let reason): throw .failed("\(reason)")
            case .wait:
                hasWaited = pool.isLimited
                do throws(StopReason) {
                    try await nap(Self.lookAgain)
                } catch {
                    pool.leave(plan.index)
                    throw error
                }
            }
        }
    }

    /// How long a login that somebody else drives waits for an account that others have.
    private static let patience: Duration = .seconds(60)

    /// The account of such a login, by its number in this household, from 1. Generated ones belong to one household; of a
    /// file the lines for `mvpd` go round, and the household keeps what it got.
    func takeAccount(_ number: Int, at mvpd: String?) async throws(StopReason) -> Account {
        guard let pool = terms.accounts else {
            guard number > 1 else { return plan.account }
            return Account(
                user: "\(plan.account.user)-\(number)", password: plan.account.password)
        }
        if let lease = driven[number], mvpd == nil || lease.entry.mvpd == mvpd {
            try openAgain(lease, pool)
            return lease.entry.account
        }
        let end = lane.now + Self.patience
        while true {
            switch pool.take(plan.index + number - 1, of: mvpd, besides: Array(driven.values)) {
            case .lent(let lease):
                if let former = driven.updateValue(lease, forKey: number) {
                    pool.giveBack(former)
                }
                loan = .loginOpen(lease)
                return lease.entry.account
            case .never(let reason): throw .failed("\(reason)")
            case .wait where lane.now < end: try await nap(Self.lookAgain)
            case .wait:
                throw .failed(
                    "no \(ours: AccountPool.account(for: mvpd)) became free: add accounts, or let trials share them with "
                        + "accounts.sharing: shared")
            }
        }
    }

    /// Another login with an account that it has.
    private func openAgain(_ lease: AccountPool.Lease, _ pool: AccountPool) throws(StopReason) {
        guard pool.tryAgain(lease) else {
            throw .failed("the account in \(lease.place) had too many failed logins")
        }
        loan = .loginOpen(lease)
    }

    /// A driven login is over; its account stays the household's.
    func endDrivenLogin() {
        endLogin { $0.noteNothing(of: $1) }
        loan = .none
    }

    /// After the last driven login.
    func giveBackDrivenAccounts() {
        for lease in driven.values { terms.accounts?.giveBack(lease) }
        driven = [:]
    }

    /// Notes how the login went, once for each.
    func endLogin(_ note: (AccountPool, AccountPool.Lease) -> Void) {
        guard case .loginOpen(let lease) = loan, let pool = terms.accounts else { return }
        loan = .kept(lease)
        note(pool, lease)
    }

    func giveBackAccount() {
        endLogin { $0.noteNothing(of: $1) }
        guard let pool = terms.accounts, let lease else { return }
        loan = .none
        pool.giveBack(lease)
    }
}
