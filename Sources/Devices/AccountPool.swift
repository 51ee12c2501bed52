public import Rigs
internal import Synchronization

/// The accounts of a file, lent to households of all lanes. Touched when a household takes an
/// account, when its login ended and when it is gone, never in between: lanes share nothing on the
/// request path.
///
/// An account that no login has gone well with yet is lent to as many households as it has failed
/// logins left: a thousand households with one wrong password must not try it a thousand times
/// before the first of them knows.
public final class AccountPool: Sendable {
    /// An account in a household's hands.
    public struct Lease: Sendable, Hashable {
        /// Its number in the list.
        let position: Int
        public let entry: AccountList.Entry
        /// `accounts.csv:3`.
        public var place: String { entry.place }
    }

    enum LeaseRequest: Sendable {
        case lent(Lease)
        /// None is free now; ask again.
        case wait
        /// None will be free, or the rig does not wait; the words say why.
        case never(String)
    }

    private struct AccountStanding {
        var holders = 0
        /// Of them, those whose login is under way.
        var tries = 0
        /// Failed logins since the last that went well.
        var failures = 0
        var isProven = false
        /// Stands among the ready ones of its provider.
        var isReady = true
    }

    private struct ProviderAccounts {
        /// Accounts that may be free, least recently lent first.
        var ready: FIFO<Int>
        /// Households that wait, in the order in which they came.
        var waiting = FIFO<Int>()
        var accounts: [Int]
    }

    private struct State {
        var standings: [AccountStanding]
        var providers: [String: ProviderAccounts]
        /// Put aside for households that waited.
        var reserved: [Int: Lease] = [:]
        var waits: Set<Int> = []
    }

    private let list: AccountList
    private let state: Mutex<State>

    public init(_ list: AccountList) {
        self.list = list
        var providers: [String: ProviderAccounts] = [:]
        for (position, entry) in list.entries.enumerated() {
            providers[entry.mvpd, default: ProviderAccounts(ready: FIFO(), accounts: [])].accounts
                .append(position)
            providers[entry.mvpd]?.ready.append(position)
        }
        state = Mutex(
            State(
                standings: Array(repeating: AccountStanding(), count: list.entries.count),
                providers: providers))
    }

    /// Providers to sign in with when the target names none: as often as they have accounts.
    var providers: [Target.WeightedProvider] {
        list.providers.map { Target.WeightedProvider(id: $0.mvpd, weight: $0.accounts) }
    }

    /// Whether an account is for so many households at a time. Of others a household waits only until it is known that their
    /// passwords are right.
    var isLimited: Bool { list.atOnce != nil }

    /// Accounts that were given up, one sentence each, in the order of the file: for the end of a
    /// run.
    public var givenUp: [String] {
        state.withLock { state in
            zip(list.entries, state.standings).filter { $1.failures >= list.failuresAtMost }.map {
                "the account in \($0.place) is no longer used after \($1.failures) failed "
                    + "logins; check whether the provider has locked it"
            }
        }
    }

    /// Asks for an account of a provider. A household that is told to wait has its place in the
    /// queue, and asks again until it gets one or goes (`leave`).
    func request(_ household: Int, of mvpd: String) -> LeaseRequest {
        state.withLock { state in
            if let lease = state.reserved.removeValue(forKey: household) {
                state.waits.remove(household)
                return .lent(lease)
            }
            guard state.providers[mvpd] != nil else {
                return .never("\(list.file) has no account for \(mvpd)")
            }
            if let reason = hopelessness(of: mvpd, state) { return .never(reason) }
            if state.waits.contains(household) { return .wait }
            forgetThoseGone(from: mvpd, &state)
            if state.providers[mvpd]?.waiting.isEmpty == true,
                let lease = lend(from: mvpd, &state)
            {
                return .lent(lease)
            }
            guard list.onExhausted == .wait else {
                let count = state.providers[mvpd]?.accounts.count ?? 0
                return .never(
                    "all \(count) accounts for \(mvpd) in \(list.file) are in use (on-exhausted: "
                        + "fail)")
            }
            state.waits.insert(household)
            state.providers[mvpd]?.waiting.append(household)
            return .wait
        }
    }

    /// Lends an account of a provider, or of any where none is named: the `turn`-th, going round, or the next one that is
    /// free and not among `held`, those that the household has already. Whoever is told to wait asks again.
    func take(_ turn: Int, of mvpd: String?, besides held: [Lease] = []) -> LeaseRequest {
        state.withLock { state in
            let own = mvpd.map { state.providers[$0]?.accounts ?? [] }
            let count = own?.count ?? list.entries.count
            guard count > 0 else {
                return .never("\(list.file) has no account for \(mvpd ?? "any provider")")
            }
            // A file may have a million.
            let inTurn = (0..<count).lazy.map { number in
                let place = (turn + number) % count
                return own?[place] ?? place
            }
            let others = inTurn.filter { position in
                !held.contains { $0.position == position }
            }
            if let position = others.first(where: { isFree(state.standings[$0]) }) {
                state.standings[position].holders += 1
                state.standings[position].tries += 1
                return .lent(Lease(position: position, entry: list.entries[position]))
            }
            func isGivenUp(_ position: Int) -> Bool {
                state.standings[position].failures >= list.failuresAtMost
            }
            if inTurn.allSatisfy(isGivenUp) {
                return .never(hopelessness(of: inTurn.sorted(), at: mvpd))
            }
            return others.allSatisfy(isGivenUp)
                ? .never("one more \(Self.account(for: mvpd)) is needed in \(list.file)") : .wait
        }
    }

    /// `account for DemoCable`; nil: of any provider.
    static func account(for mvpd: String?) -> String {
        mvpd.map { "account for \($0)" } ?? "account"
    }

    /// Begins another login with an account that the household has already; false when it was given
    /// up meanwhile.
    func tryAgain(_ lease: Lease) -> Bool {
        state.withLock { state in
            guard state.standings[lease.position].failures < list.failuresAtMost else {
                return false
            }
            state.standings[lease.position].tries += 1
            return true
        }
    }

    /// The household goes on without having got one.
    func leave(_ household: Int) {
        state.withLock { state in
            state.waits.remove(household)
            guard let lease = state.reserved.removeValue(forKey: household) else { return }
            state.standings[lease.position].tries -= 1
            state.standings[lease.position].holders -= 1
            offer(lease.position, &state)
        }
    }

    func noteSuccess(of lease: Lease) {
        ended(lease) { standing in
            standing.failures = 0
            standing.isProven = true
        }
    }

    func noteFailure(of lease: Lease) {
        ended(lease) { $0.failures += 1 }
    }

    /// A login that ended without a word on the account.
    func noteNothing(of lease: Lease) {
        ended(lease) { _ in }
    }

    private func ended(_ lease: Lease, _ change: (inout AccountStanding) -> Void) {
        state.withLock { state in
            state.standings[lease.position].tries -= 1
            change(&state.standings[lease.position])
            offer(lease.position, &state)
        }
    }

    /// The household is gone.
    func giveBack(_ lease: Lease) {
        state.withLock { state in
            state.standings[lease.position].holders -= 1
            offer(lease.position, &state)
        }
    }

    // MARK: Under the lock

    private func isFree(_ standing: AccountStanding) -> Bool {
        standing.failures < list.failuresAtMost
            && list.atOnce.map { standing.holders < $0 } ?? true && mayBeTried(standing)
    }

    /// A thousand wrong passwords are not tried before the first is known to be one.
    private func mayBeTried(_ standing: AccountStanding) -> Bool {
        standing.isProven || standing.failures + standing.tries < list.failuresAtMost
    }

    /// Why nobody needs to wait for an account of this provider; nil while there is hope.
    private func hopelessness(of mvpd: String, _ state: State) -> String? {
        guard let accounts = state.providers[mvpd]?.accounts,
            accounts.allSatisfy({ state.standings[$0].failures >= list.failuresAtMost })
        else { return nil }
        return hopelessness(of: accounts, at: mvpd)
    }

    private func hopelessness(of accounts: [Int], at mvpd: String?) -> String {
        let places = accounts.prefix(3).map { list.entries[$0].place }.joined(separator: ", ")
        let more = accounts.count > 3 ? " ..." : ""
        return
            "no \(Self.account(for: mvpd)) is left: each had \(list.failuresAtMost) "
            + "failed logins (\(places)\(more))"
    }

    private func lend(from mvpd: String, _ state: inout State) -> Lease? {
        while let position = state.providers[mvpd]?.ready.popFirst() {
            state.standings[position].isReady = false
            guard isFree(state.standings[position]) else { continue }
            state.standings[position].holders += 1
            state.standings[position].tries += 1
            if isFree(state.standings[position]) {
                state.standings[position].isReady = true
                state.providers[mvpd]?.ready.append(position)
            }
            return Lease(position: position, entry: list.entries[position])
        }
        return nil
    }

    /// An account's standing changed: it may be ready again, and somebody may have waited for it.
    private func offer(_ position: Int, _ state: inout State) {
        let mvpd = list.entries[position].mvpd
        if !state.standings[position].isReady, isFree(state.standings[position]) {
            state.standings[position].isReady = true
            state.providers[mvpd]?.ready.append(position)
        }
        while true {
            forgetThoseGone(from: mvpd, &state)
            guard let household = state.providers[mvpd]?.waiting.first,
                let lease = lend(from: mvpd, &state)
            else { return }
            _ = state.providers[mvpd]?.waiting.popFirst()
            state.reserved[household] = lease
        }
    }

    /// Takes households that left out of the front of the queue: nobody may wait behind them.
    private func forgetThoseGone(from mvpd: String, _ state: inout State) {
        while let household = state.providers[mvpd]?.waiting.first,
            !state.waits.contains(household)
        {
            _ = state.providers[mvpd]?.waiting.popFirst()
        }
    }
}

/// First in, first out; removing costs nothing.
private struct FIFO<Element> {
    private var elements: [Element] = []
    private var start = 0

    var first: Element? { start < elements.count ? elements[start] : nil }
    var isEmpty: Bool { start == elements.count }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func popFirst() -> Element? {
        guard start < elements.count else { return nil }
        defer {
            start += 1
            if start > 1024, start * 2 > elements.count {
                elements.removeFirst(start)
                start = 0
            }
        }
        return elements[start]
    }
}
