internal import Dialects
internal import Vocabulary

/// Who is who, once the run is over: what households accused strangers of, and what only the ledger
/// of all devices tells.
extension SharedState {
    func settleUsers() {
        accounts.settle(bounds)
        weakenShared()
        guard !rules.knowsUsers else { return settleForeign() }
        let strangers = foreign.filter { stranger in
            if case .rejectedLogin = stranger.doubt?.ground { return false }
            return !found[stranger.position].isWithdrawn
        }
        let resolution = users.resolve(
            accounts, strangers: strangers.map { (found[$0.position].household, $0.tag) },
            slack: bounds.widest)
        let unowned = settleForeign(resolution)
        var positions: [Int: [Int]] = [:]
        for position in found.indices where !found[position].isWithdrawn {
            positions[found[position].household, default: []].append(position)
        }
        for accusation in resolution.accusations { accuse(accusation, &positions, unowned) }
        if let contradicted = resolution.contradicted {
            columnNote =
                "user-id column ignored: for \(contradicted) of \(resolution.listed) accounts the service "
                + "returned another user than the accounts file"
        }
        usersNote = [columnNote, Self.note(on: resolution)].compactMap(\.self)
            .joined(separator: "; ")
    }

    /// Verdicts that several households with one account at once would explain as well.
    private func weakenShared() {
        for (position, account) in onAccount where accounts.isShared(account) {
            var violation = found[position]
            violation.certainty = .suspicion("several households use that account at once")
            restate(&violation, as: violation.invariant)
            found[position] = violation
        }
        onAccount = []
    }

    // MARK: Strangers

    /// Users whom nobody of a household signed in as, where the name of the account is the user.
    private func settleForeign() {
        for user in foreign where !found[user.position].isWithdrawn {
            let (position, tag) = (user.position, user.tag)
            let other = accounts.holder(of: tag, otherThan: found[position].household)
            settle(
                position, owner: other, isShared: accounts.isShared(tag),
                isAtHome: identities.isUser(tag, under: user.subjects),
                apart: isApart(position, tag))
        }
        foreign.removeAll()
    }

    /// The same where users are learned; gives the positions of those whose users no other household was shown as and the
    /// accounts file does not list.
    private func settleForeign(_ resolution: UserResolution) -> Set<Int> {
        var unowned: Set<Int> = []
        let shownIn = foreign.isEmpty ? [:] : users.shownIn
        for foreign in foreign where !found[foreign.position].isWithdrawn {
            let position = foreign.position
            let household = found[position].household
            var (user, name) = (foreign.tag, foreign.name)
            if let doubt = foreign.doubt, case .earlierUser(let tag, let before) = doubt.ground,
                accounts.isHeld(login: name, by: household),
                !accounts.isHeld(login: before, by: household)
            {
                replace(position, by: doubt.instead)
                (user, name) = (tag, before)
            }
            let owners = resolution.owners[user] ?? []
            let home = resolution.homes[user] ?? accounts.holder(ofLogin: name)
            if let doubt = foreign.doubt, case .rejectedLogin(let account) = doubt.ground {
                if owners.contains(account) { continue }
                let listed = resolution.contradicted == nil ? users.listed[account] : nil
                if home.map({ $0 != household }) ?? listed.map({ $0 != user }) ?? false {
                    replace(position, by: doubt.instead)
                } else if home != nil || users.nameless(but: household) == nil || listed == user {
                    continue
                }
            }
            if owners.isEmpty, home == nil, !resolution.listedUsers.contains(user) {
                unowned.insert(position)
            }
            settle(
                position, owner: home == household ? nil : home,
                isShared: owners.contains(where: accounts.isShared),
                isAtHome: identities.isUser(user, under: foreign.subjects),
                mayBeOf: home == household ? nil : users.nameless(but: household),
                shownTo: shownIn[user]?.first { $0 != household })
        }
        foreign.removeAll()
        return unowned
    }

    private func replace(_ position: Int, by violation: Violation) {
        var violation = violation
        violation.times = found[position].times
        violation.companions = found[position].companions
        found[position] = violation
    }

    /// Whether only devices of the other protocol signed in as that user (I34).
    private func isApart(_ position: Int, _ tag: UInt64) -> Bool {
        guard hasProfiles else { return false }
        let isOfProfiles = found[position].operations.last?.showsProfiles ?? false
        return accounts.isHeldApart(tag, hasProfiles: isOfProfiles)
    }

    /// `isAtHome`: that user signed in under an identity that the accused device shows as well.
    private func settle(
        _ position: Int, owner: Int?, isShared: Bool, isAtHome: Bool, apart: Bool = false,
        mayBeOf nameless: String? = nil, shownTo other: Int? = nil
    ) {
        var violation = found[position]
        var invariant = violation.invariant
        if isShared {
            invariant = .tokenIsolation
            violation.certainty = .suspicion("several households use that account at once")
            violation.sentence += "; several households sign in as that user"
        } else if let owner {
            invariant = apart ? .protocolsApart : .tokenIsolation
            violation.sentence +=
                isAtHome
                ? "; household \(owner) of the same home signed in as that user, on another device: its own "
                    + "profile is shown as this device's, and nothing went to another home"
                : "; household \(owner) signed in as that user"
        } else if let nameless {
            violation.sentence +=
                "; it may be the user of \(nameless)\(othersUnknown)"
            if invariant != .tokenIsolation, !violation.companions.contains(.tokenIsolation) {
                violation.companions.append(.tokenIsolation)
            }
        } else if let other {
            violation.sentence += "; household \(other) was shown that user, too" + othersUnknown
        } else {
            violation.sentence +=
                "; no other household of this \(rules.part?.rawValue ?? "run") "
                + (rules.knowsUsers ? "signed in" : "is known to have signed in") + " as that user"
                + othersUnknown
        }
        restate(&violation, as: invariant)
        found[position] = violation
    }

    /// What is not known where a part of a run is judged by itself, for the end of a sentence; empty for whole and merged runs.
    private var othersUnknown: String {
        rules.part.map { "; the users of other \($0)s' households are not known here" } ?? ""
    }

    private func restate(_ violation: inout Violation, as invariant: Invariant) {
        violation.invariant = invariant
        violation.source = invariant.source
        violation.companions.removeAll { $0 == invariant }
        violation.signature = violation.signature(as: invariant)
        violation.standing = standing(
            invariant, violation.certainty, violation.source, violation.operations.last)
    }

    // MARK: The ledger's accusations

    /// `token-isolation`: an account was shown as a user that it is not. `one-token` where the user is of no other household. Whatever else
    /// broke in that household may follow from it.
    private func accuse(
        _ accusation: UserResolution.Accusation, _ positions: inout [Int: [Int]],
        _ unowned: Set<Int>
    ) {
        let claim = accusation.claim
        var own = positions[claim.household] ?? []
        if claim.account == 0 {
            // Two users of one code, of whom one is somebody else's.
            for position in own where found[position].invariant == .oneOwner { withdraw(position) }
            own.removeAll { found[$0].isWithdrawn }
            positions[claim.household] = own
        }
        let beats = accusation.beats
        let promise = accusation.promise
        let source = promise.source
        let standing = standing(
            promise, accusation.certainty, source, claim.beat.operation)
        var violation = Violation(
            invariant: promise, certainty: accusation.certainty, source: source,
            standing: standing, household: claim.household,
            exchanges: beats.map { Int($0.sequence) }, operations: beats.map(\.operation),
            signature: "\(promise.name): \(claim.beat.operation.name) \(claim.beat.answer)",
            gap: nil, at: claim.beat.ret,
            sentence: accusation.sentence(in: rules.part), scene: claim.scene,
            level: .safety)
        let before = own.first {
            found[$0].invariant == promise || found[$0].invariant == .tokenIsolation
                || found[$0].invariant.companions.contains(promise)
                    && found[$0].at <= claim.beat.ret
                    && violation.mayFollow(from: found[$0].standing)
        }
        if let before, unowned.contains(before), found[before].invariant == promise,
            claim.source == .token, claim.beat.ret <= found[before].at,
            violation.mayFollow(from: found[before].standing)
        {
            // The answer before was another's, and the stranger after it is whom this household signed in as.
            withdraw(before)
            own.removeAll { found[$0].isWithdrawn }
            positions[claim.household] = own
            violation.companions = found[before].companions
        } else if let before {
            amend(before) { cause in
                guard cause.invariant != promise, !cause.companions.contains(promise)
                else { return }
                cause.companions.append(promise)
            }
            return
        }
        for position in own
        where promise.companions.contains(found[position].invariant)
            || found[position].invariant == .linearizable
        {
            withdraw(position)
            for companion in [found[position].invariant] + found[position].companions
            where !violation.companions.contains(companion) {
                violation.companions.append(companion)
            }
        }
        if standing != .suspected { levels.breakSafety(in: claim.household) }
        if let position = add(violation) {
            positions[claim.household, default: []].append(position)
        }
    }

    private static func note(on resolution: UserResolution) -> String {
        var note = "users learned from sign-ins"
        if resolution.listed > 0, resolution.contradicted == nil {
            note =
                resolution.listed == resolution.accounts
                ? "users known from the accounts file"
                : "users of \(resolution.listed) of \(resolution.accounts) accounts known from the "
                    + "accounts file, the others learned from sign-ins"
        }
        if let renamed = resolution.renamed {
            note +=
                "; not compared between sign-ins: for \(renamed) of \(resolution.accounts) accounts "
                + "the service returned another user at each"
        }
        return note
    }
}

extension UserResolution.Accusation {
    /// Of this household.
    fileprivate var beats: [CompactOperation] {
        guard case .otherThan(let before) = reason, before.household == claim.household,
            before.beat.sequence != claim.beat.sequence
        else { return [claim.beat] }
        return [before.beat, claim.beat]
    }

    fileprivate var promise: Invariant {
        switch reason {
        case .mixed, .elsewhere: .oneToken
        default: .tokenIsolation
        }
    }

    fileprivate func sentence(in part: Rules.Part?) -> String {
        let named =
            switch (claim.source, reason) {
            case (.token, _), (.media, _), (_, .elsewhere): "user \(claim.name.text)"
            case (.metadata, _): "userID \(claim.name.user)"
            case (.household, _): "householdID \(claim.name.user)"
            }
        let text = "household \(claim.household): \(claim.beat.name) returned \(named), "
        return switch reason {
        case .anothers(let household):
            text
                + "which belongs to another account: household \(household) signed in with that account"
        case .eithers(let household):
            text
                + "as household \(household) was, which signed in with another account: one of the two got "
                + "the other's user"
                + (part.map { ", or both that of another \($0)'s household" } ?? "")
        case .loginOf(let household):
            text + "which is the login of household \(household)"
        case .mixed:
            text
                + "which is the login of another account of this household: the provider of one sign-in with the user of "
                + "the other"
        case .elsewhere:
            text + "but the household signed in at \(claim.provider)"
        case .notListed:
            text + "but the accounts file has another user-id for the account"
        case .otherThan(let before):
            text
                + (before.household == claim.household
                    ? "but \(before.beat.name) had returned "
                    : "but household \(before.household) got ")
                + (claim.source == .household ? before.name.user : "user \(before.name.text)")
                + ", with the same account: one of the two is wrong"
        }
    }
}
