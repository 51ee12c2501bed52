internal import Dialects

/// Who is who, and which claims cannot be.
struct UserResolution {
    struct Accusation {
        var claim: UserLedger.Claim
        var reason: Reason
        var certainty: Certainty
    }

    enum Reason {
        /// It is the user of an account that this household signed in with.
        case anothers(household: Int)
        /// As `anothers`, but of the two households either may be the one that got the other's user.
        case eithers(household: Int)
        /// It is the login of this household, which nobody else has.
        case loginOf(household: Int)
        /// It is the login of another account of the same household: of two sign-ins at once, one's provider with the other's
        /// user.
        case mixed
        /// It is at a provider where that account has not signed in.
        case elsewhere
        /// The accounts file has another user for the account, and this one for nobody.
        case notListed
        /// The account was shown as the user of that claim before: either may be the wrong one.
        case otherThan(UserLedger.Claim)
    }

    var accusations: [Accusation] = []
    /// Accounts by token user.
    var owners: [UInt64: [UInt64]] = [:]
    /// A household in which the owner was shown as that user.
    var homes: [UInt64: Int] = [:]
    /// Users whom the accounts file names.
    var listedUsers: Set<UInt64> = []
    /// Accounts that were shown at all; of them, those that the accounts file names a user of.
    var accounts = 0
    var listed = 0
    /// Accounts that the service named otherwise than the accounts file, when they are most.
    var contradicted: Int?
    /// Accounts that were named anew at each sign-in, when they are most.
    var renamed: Int?
}

extension UserLedger {
    /// `strangers`: users that households were shown beside the one of their account. `slack`: by how much instants of
    /// several machines may be apart from what they say.
    func resolve(
        _ book: AccountBook, strangers: [(household: Int, user: UInt64)] = [], slack: Int64 = 0
    ) -> UserResolution {
        var view = View(claims, listed, shown.mapValues(\.at), book, slack)
        view.strangers = strangers
        view.resolveProviders()
        view.resolveTokens()
        view.resolve(unplaced)
        for source in [Claim.ClaimSource.media, .metadata, .household] { view.resolve(source) }
        return view.resolution
    }

    /// The claims, ordered and grouped.
    private struct View {
        let claims: [Claim]
        let book: AccountBook
        let slack: Int64
        private let firstShown: [UInt64: Int64]
        private var known: [UInt64: UInt64]
        private var accountsOf: [UInt64: [UInt64]] = [:]
        private var usersOf: [UInt64: [UInt64]] = [:]
        var resolution = UserResolution()

        init(
            _ claims: [Claim], _ listed: [UInt64: UInt64], _ firstShown: [UInt64: Int64],
            _ book: AccountBook, _ slack: Int64
        ) {
            // However lanes interleaved, the same history gives the same verdicts.
            self.claims = claims.sorted {
                ($0.beat.ret, $0.household, $0.beat.sequence, $0.source.rawValue)
                    < ($1.beat.ret, $1.household, $1.beat.sequence, $1.source.rawValue)
            }
            self.book = book
            self.slack = slack
            self.firstShown = firstShown
            known = listed
        }

        /// How often an account was shown as a user, each device counted once, and where first.
        private struct Appearance {
            var devices = 0
            var first: Int
        }
        private var counts: [UInt64: [UInt64: Appearance]] = [:]
        /// What media tokens and user metadata call the users of accounts, where they mean by it what tokens do; and
        /// the other way round, with a household to which it was reported.
        private var otherNames: [UInt64: Set<UInt64>] = [:]
        private var namedElsewhere: [UInt64: [UInt64: Int]] = [:]
        private var signIns: [UInt64: Int] = [:]
        var strangers: [(household: Int, user: UInt64)] = []
        /// Accounts of households that were shown a user beside it whom no account else was shown as.
        private var hasStranger: Set<UInt64> = []

        private var isOfTokens = true
        /// Users whose account follows from the order of the answers alone.
        private var unsure: Set<UInt64> = []
        /// Households by the users that have the names of their logins.
        private var logins: [UInt64: Int] = [:]

        private mutating func group(_ source: Claim.ClaimSource) {
            isOfTokens = source == .token
            accountsOf = [:]
            usersOf = [:]
            counts = [:]
            signIns = [:]
            for (position, claim) in claims.enumerated() where claim.source == source {
                if counts[claim.user]?[claim.account] == nil {
                    accountsOf[claim.user, default: []].append(claim.account)
                    usersOf[claim.account, default: []].append(claim.user)
                }
                counts[claim.user, default: [:]][
                    claim.account, default: Appearance(first: position)
                ]
                .devices += 1
                signIns[claim.account, default: 0] += claim.signIns
            }
        }

        private func first(_ user: UInt64, of account: UInt64) -> Claim? {
            counts[user]?[account].map { claims[$0.first] }
        }

        /// The user that the accounts file has for an account, if it is another.
        private func listedUser(of account: UInt64, otherThan user: UInt64) -> UInt64? {
            // The file tells what tokens name users by.
            isOfTokens ? known[account].flatMap { $0 == user ? nil : $0 } : nil
        }

        // MARK: Tokens

        mutating func resolveTokens() {
            group(.token)
            findOtherNames()
            resolution.listedUsers = Set(known.values)
            let alone = Set(
                strangers.filter {
                    accountsOf[$0.user] == nil && !resolution.listedUsers.contains($0.user)
                }.map(\.household))
            hasStranger = Set(
                claims.filter { $0.source == .token && alone.contains($0.household) }
                    .map(\.account))
            holdColumnAgainstAnswers()
            let listedUsers = Dictionary(
                known.sorted { $0.key < $1.key }.map { ($0.value, [$0.key]) }, uniquingKeysWith: +)
            for claim in claims where claim.source == .token {
                guard resolution.owners[claim.user] == nil else { continue }
                if let home = book.holder(ofLogin: claim.name.user) {
                    logins[claim.user] = home
                    resolution.homes[claim.user] = home
                    // The account of that name.
                    resolution.owners[claim.user] = [claim.user]
                    continue
                }
                resolution.owners[claim.user] =
                    listedUsers[claim.user]
                    ?? owner(of: claim.user, among: accountsOf[claim.user] ?? [])
                    .map { [$0] } ?? []
            }
            for claim in claims
            where claim.source == .token && resolution.homes[claim.user] == nil
                && resolution.owners[claim.user]?.contains(claim.account) == true
            {
                resolution.homes[claim.user] = claim.household
            }
            for claim in claims where claim.source == .token {
                let owners = resolution.owners[claim.user] ?? []
                if owners.contains(claim.account) { continue }
                accuse(
                    claim, reasonByHome(of: claim.user, in: claim.household) ?? .notListed, owners)
            }
            judgeRenaming()
        }

        /// A `user-id` column that most accounts contradict is wrong. An account contradicts it that was
        /// shown as a user whom no other account was shown as, and whom the column has nowhere: that is
        /// no mix-up of users. Nor is it one where an account is another's user by the column, but the
        /// same on each of its devices.
        private mutating func holdColumnAgainstAnswers() {
            resolution.accounts = usersOf.count
            let listed = Set(known.values)
            let both = usersOf.filter { known[$0.key] != nil }
            resolution.listed = both.count
            let contradicted = both.filter { account, users in
                users.allSatisfy { $0 != known[account] && accountsOf[$0] == [account] }
                    && (!users.contains(where: listed.contains)
                        || users.count == 1 && counts[users[0]]?[account]?.devices ?? 0 > 1)
            }.count
            guard contradicted * 2 > both.count else { return }
            resolution.contradicted = contradicted
            known = [:]
        }

        private mutating func findOtherNames() {
            let persons = persons(.token)
            let others = [Claim.ClaimSource.media, .metadata].map { ($0, self.persons($0)) }
            func agreeing(_ some: [UInt64: Set<UInt64>], _ other: [UInt64: Set<UInt64>]) -> (
                Int, of: Int
            ) {
                let compared = some.filter { other[$0.key] != nil }
                let alike = compared.filter { account, names in
                    other[account]?.isDisjoint(with: names) == false
                }
                return (alike.count, compared.count)
            }
            let (witnesses, asked) = agreeing(others[0].1, others[1].1)
            for (source, names) in others {
                let (alike, compared) = agreeing(names, persons)
                // Where half of all polls go astray, two others that agree with each other are believed.
                guard
                    alike * 2 > compared
                        || alike * 4 >= compared && alike > 1 && witnesses * 2 > asked
                else { continue }
                otherNames.merge(names) { $0.union($1) }
                for claim in claims where claim.source == source {
                    let home = namedElsewhere[claim.person]?[claim.account] ?? claim.household
                    namedElsewhere[claim.person, default: [:]][claim.account] = home
                }
            }
        }

        /// By account: what the answers of that source call its users, their providers left aside.
        private func persons(_ source: Claim.ClaimSource) -> [UInt64: Set<UInt64>] {
            claims.reduce(into: [:]) { persons, claim in
                if claim.source == source {
                    persons[claim.account, default: []].insert(claim.person)
                }
            }
        }

        /// Whose user it is: of several accounts that were shown as it, at most one is.
        private mutating func owner(of user: UInt64, among claimants: [UInt64]) -> UInt64? {
            var left = claimants.filter { listedUser(of: $0, otherThan: user) == nil }
            func narrow(_ isLikely: (UInt64) -> Bool) {
                guard left.count > 1 else { return }
                let likely = left.filter(isLikely)
                if !likely.isEmpty { left = likely }
            }
            // A user is shown after signing in; but a service knows the users who come later, and may mix them up.
            if let at = firstShown[user] {
                narrow { (book.firstSignIn(with: $0) ?? .max) <= at.plus(slack) }
                let late = claimants.filter { !left.contains($0) }
                if late.contains(where: { usersOf[$0]?.count == 1 && known[$0] == nil }) {
                    unsure.insert(user)
                }
            }
            // A poll that went astray leaves what else the service says of a device as it is.
            if let person = counts[user]?.values.first.map({ claims[$0.first].person }) {
                // Shown to others only, while its own account was shown as somebody else.
                if let named = namedElsewhere[person], named.count == 1, let own = named.first,
                    listedUser(of: own.key, otherThan: user) == nil,
                    left.allSatisfy({ otherNames[$0]?.contains(person) == false })
                {
                    resolution.homes[user] = own.value
                    return own.key
                }
                narrow { otherNames[$0]?.contains(person) ?? false }
                narrow { otherNames[$0] == nil }
            }
            // Who was shown as somebody that no other account was shown as is that one.
            narrow { account in
                !(usersOf[account] ?? []).contains { $0 != user && accountsOf[$0] == [account] }
            }
            let most = left.compactMap { counts[user]?[$0]?.devices }.max()
            narrow { counts[user]?[$0]?.devices == most }
            if isOfTokens { narrow { !hasStranger.contains($0) } }
            // In the order of the answers: who was shown first.
            if left.count > 1 { unsure.insert(user) }
            return left.first
        }

        /// What an account was once shown as holds for its later sign-ins, unless the service names
        /// most accounts anew at each.
        private mutating func judgeRenaming() {
            var changing: [UInt64: UInt64] = [:]
            var stable = 0
            for (account, users) in usersOf where known[account] == nil {
                let own = users.filter { resolution.owners[$0]?.contains(account) == true }
                if own.count > 1 {
                    changing[account] = own[0]
                } else if own.count == 1, signIns[account, default: 0] > 1 {
                    stable += 1
                }
            }
            guard changing.count <= stable else {
                resolution.renamed = changing.count
                return
            }
            for claim in claims where claim.source == .token {
                guard let first = changing[claim.account], claim.user != first,
                    resolution.owners[claim.user]?.contains(claim.account) == true,
                    let before = self.first(first, of: claim.account)
                else { continue }
                accuse(claim, .otherThan(before), [])
            }
        }

        /// Whoever of a household is meant, it is none of them.
        mutating func resolve(_ unplaced: [Unplaced]) {
            // The first of all showings of users that no account alone was shown as.
            var first: [UInt64: Unplaced] = [:]
            for showing in unplaced.sorted(by: {
                ($0.beat.ret, $0.household) < ($1.beat.ret, $1.household)
            }) {
                let before = first[showing.user] ?? showing
                first[showing.user] = before
                let login = book.holder(ofLogin: showing.name.user)
                let owners =
                    login == nil
                    ? resolution.owners[showing.user] ?? before.accounts : [showing.user]
                let home = login ?? resolution.homes[showing.user] ?? before.household
                guard home != showing.household, !owners.contains(where: showing.accounts.contains)
                else { continue }
                let isShared = (owners + showing.accounts).contains(where: book.isShared)
                resolution.accusations.append(
                    .init(
                        claim: Claim(
                            source: .token, account: 0, user: showing.user, person: 0,
                            name: showing.name, provider: "", household: showing.household,
                            beat: showing.beat,
                            signIns: 0),
                        reason: login.map { .loginOf(household: $0) }
                            ?? reasonByHome(of: showing.user, in: showing.household)
                            ?? .eithers(household: home),
                        certainty: isShared
                            ? .suspicion("several households use that account at once") : .certain))
            }
        }

        // MARK: What else names users

        /// Media tokens and metadata may spell providers otherwise than sign-ins do. What is literally the id of another that
        /// households signed in at is that other one.
        mutating func resolveProviders() {
            let providers = Set(claims.map(\.provider))
            for claim in claims
            where [.media, .metadata].contains(claim.source) && !claim.name.mvpd.isEmpty
                && claim.name.mvpd != claim.provider && providers.contains(claim.name.mvpd)
            {
                accuse(claim, .elsewhere, [])
            }
        }

        mutating func resolve(_ source: Claim.ClaimSource) {
            var own = claims.filter { $0.source == source }
            own.removeAll { claim in
                guard source != .household, let home = book.holder(ofLogin: claim.name.user),
                    !book.isHeld(login: claim.name.user, by: claim.household)
                else { return false }
                accuse(claim, .loginOf(household: home), [])
                return true
            }
            guard !own.isEmpty else { return }
            var persons: [UInt64: [Claim]] = [:]
            for claim in claims
            where claim.source == .token
                && resolution.owners[claim.user]?.contains(claim.account) == true
            {
                persons[claim.account, default: []].append(claim)
            }
            let compared = own.filter { persons[$0.account] != nil }
            let agreeing = compared.filter { claim in
                persons[claim.account]?.contains { $0.person == claim.person } == true
            }
            guard source == .household || agreeing.count * 2 <= compared.count else {
                return resolveAsTokens(own, persons)
            }
            group(source)
            for claim in own {
                guard
                    // A subscription may have several accounts: only a change tells.
                    source != .household || (usersOf[claim.account]?.count ?? 0) > 1,
                    let (owner, home) = otherOwner(of: claim, among: accountsOf[claim.user] ?? [])
                else { continue }
                accuse(claim, mixUp(of: claim.user, with: home), [owner])
            }
        }

        /// Another account whose user it is, of several that were shown as it, and a household of that account.
        private mutating func otherOwner(
            of claim: Claim, among claimants: [UInt64]
        ) -> (account: UInt64, household: Int)? {
            guard claimants.count > 1,
                !book.isHeld(login: claim.name.user, by: claim.household),
                let owner = owner(of: claim.user, among: claimants),
                owner != claim.account, let home = first(claim.user, of: owner)?.household
            else { return nil }
            return (owner, home)
        }

        /// Nil where the user's own account was shown as it nowhere.
        private func reasonByHome(of user: UInt64, in household: Int) -> UserResolution.Reason? {
            if let home = logins[user] {
                return home == household ? .mixed : .loginOf(household: home)
            }
            return resolution.homes[user].map { mixUp(of: user, with: $0) }
        }

        private func mixUp(of user: UInt64, with household: Int) -> UserResolution.Reason {
            unsure.contains(user) ? .eithers(household: household) : .anothers(household: household)
        }

        /// Users that are named as tokens name them, of accounts by which households signed in.
        private mutating func resolveAsTokens(_ own: [Claim], _ persons: [UInt64: [Claim]]) {
            for claim in own {
                guard let shown = persons[claim.account],
                    !shown.contains(where: { $0.person == claim.person })
                else { continue }
                accuse(claim, .otherThan(shown[0]), [])
            }
            // Nothing else names the users of TVs that the platform has signed in. Their provider is compared as well, which
            // metadata have not and media tokens may spell otherwise.
            let alone = own.filter { persons[$0.account] == nil }
            let isSpeltAlike = own.contains { claim in
                persons[claim.account]?.contains { $0.user == claim.user } == true
            }
            guard !alone.isEmpty, isSpeltAlike, let source = alone.first?.source else { return }
            group(source)
            let listed = alone.filter { known[$0.account] != nil }
            let unlisted = listed.filter { known[$0.account] != $0.user }
            // As with tokens: a column that most contradict is wrong.
            let isBelieved = unlisted.count * 2 <= listed.count
            if !isBelieved {
                resolution.contradicted = (resolution.contradicted ?? 0) + unlisted.count
                resolution.listed = max(resolution.listed, listed.count)
            }
            for claim in alone {
                if let owners = resolution.owners[claim.user], !owners.contains(claim.account),
                    let reason = reasonByHome(of: claim.user, in: claim.household)
                {
                    accuse(claim, reason, owners)
                } else if isBelieved, known[claim.account].map({ $0 != claim.user }) ?? false {
                    accuse(claim, .notListed, [])
                } else {
                    // Who has a token that names another user is accused already.
                    let claimants = (accountsOf[claim.user] ?? []).filter { persons[$0] == nil }
                    guard let (owner, home) = otherOwner(of: claim, among: claimants) else {
                        continue
                    }
                    accuse(claim, .eithers(household: home), [owner])
                }
            }
        }

        // MARK: Accusing

        private mutating func accuse(
            _ claim: Claim, _ reason: UserResolution.Reason, _ owners: [UInt64]
        ) {
            resolution.accusations.append(
                .init(
                    claim: claim, reason: reason,
                    certainty: certainty(of: claim, owners)))
        }

        private func certainty(of claim: Claim, _ owners: [UInt64]) -> Certainty {
            if claim.beat.flags & Observed.Flags.edge.rawValue != 0 {
                return .suspicion("a cache in front of the service responded")
            }
            if book.isShared(claim.account) || owners.contains(where: book.isShared) {
                return .suspicion("several households use that account at once")
            }
            return .certain
        }
    }
}
