internal import Dialects
internal import Vocabulary

/// Whose token an answer shows, where only the service knows what it calls its users. The login that was
/// typed is never compared with it: whom an account is shown as is learned from answers that no other
/// account can explain, and held against all other devices when the run is over (`UserLedger`).
///
/// ```text
/// A signs in      poll: u-11     A signs out, signs in again     poll: u-11
///                 u-11 is A's                                    explained: A signed in between
///                                                                poll: u-47   whose? the ledger tells
/// ```
extension HouseholdState {
    /// 0: a stranger; 255: somebody; else the tag's number plus one.
    mutating func value(of operation: Observed, _ beat: CompactOperation) -> UInt8 {
        if registry.knowsUsers {
            guard operation.tag != 0 else { return TokenRead.somebody }
            if operation.operation == .userMetadata,
                tags.contains(where: { $0.isLearned && $0.mark == 0 })
            {
                // It may be the user of a sign-in that nobody told us of; a poll will say so.
                return TokenRead.somebody
            }
            return knownTag(operation.tag).map { $0 + 1 } ?? 0
        }
        switch operation.operation {
        case .userMetadata:
            note(.metadata, operation.tag, beat)
            note(.household, operation.detail, beat)
            return TokenRead.somebody
        case .mediaToken, .authorizationToken:
            note(.media, operation.tag, beat)
            return placedTag(operation.tag).map { $0 + 1 } ?? TokenRead.somebody
        default:
            return operation.tag == 0
                ? TokenRead.somebody : place(operation, beat)
        }
    }

    /// The account that a user is known to be here, by its number.
    func placedTag(_ user: UInt64) -> UInt8? {
        guard user != 0 else { return nil }
        guard let face = face(of: user).map({ faces[$0] }), !face.isForeign,
            face.tag != ModelOperation.none
        else { return nil }
        return isAmbiguous(face.tag) ? nil : face.tag
    }

    /// Position of the face of a user that tokens name: each user has one.
    func face(of user: UInt64) -> Int? {
        faces.firstIndex { $0.source == .token && $0.user == user }
    }

    /// The device may still be signed in as it came, and a sign-in since may be of the same user.
    private func isAmbiguous(_ tag: UInt8) -> Bool {
        guard !registry.devicesAreFresh, tag == 0 else { return false }
        return attempts.contains { attempt in
            attempt.isCandidate && !faces.contains { $0.tag == attempt.tag }
        }
    }

    private enum Placing {
        /// That account is the only one that the user can be.
        case account(UInt8)
        /// Only a sign-in that was turned down explains it.
        case denied(UInt8)
        case oneOfSeveral
        case nobody
    }

    private mutating func place(_ operation: Observed, _ beat: CompactOperation) -> UInt8 {
        let user = operation.tag
        guard let shown = strangers.first(where: { $0.seen.mark == user }) else {
            return TokenRead.somebody
        }
        let known = face(of: user)
        if let known {
            if faces[known].isForeign { return 0 }
            let tag = faces[known].tag
            if tag != ModelOperation.none { return isAmbiguous(tag) ? TokenRead.somebody : tag + 1 }
        }
        var face = Face(
            source: .token, user: user, person: shown.seen.user, tag: ModelOperation.none,
            first: beat,
            name: shown.name)
        var value = TokenRead.somebody
        switch placing(of: shown.seen, beat, shownBy: operation) {
        case .denied(let tag): return tag + 1
        case .account(let tag):
            face.tag = tag
            if names[Int(tag)].user.isEmpty { names[Int(tag)] = shown.name }
            value = tag + 1
        case .oneOfSeveral: break
        case .nobody:
            face.isForeign = true
            value = 0
        }
        registry.users.show(
            user, of: face.tag == ModelOperation.none ? 0 : tags[Int(face.tag)].mark, at: beat.ret)
        if let known {
            face.first = faces[known].first
            faces[known] = face
        } else {
            faces.append(face)
            if value == TokenRead.somebody { judgeUnplaced(face) }
        }
        return value
    }

    private func placing(
        of seen: TagSeen, _ beat: CompactOperation, shownBy operation: Observed
    ) -> Placing {
        let isBefore = isFromBefore(TokenRead.somebody) && !hasFace(0)
        var signIns: [(tag: UInt8, count: Int)] = []
        for position in attempts.indices
        where attempts[position].isCandidate && attempts[position].beat.call <= beat.ret {
            let attempt = attempts[position]
            guard attempt.tag != ModelOperation.none else { return .oneOfSeveral }
            if let position = signIns.firstIndex(where: { $0.tag == attempt.tag }) {
                signIns[position].count += 1
            } else {
                signIns.append((attempt.tag, 1))
            }
        }
        let able = signIns.filter { isAccount($0.tag, at: seen) }
        if able.isEmpty, !isBefore {
            return deniedSignIn(at: seen, shownBy: operation).map { .denied($0) } ?? .nobody
        }
        if let listed = able.first(where: { tags[Int($0.tag)].listed == seen.mark }) {
            return .account(listed.tag)
        }
        // A sign-in makes a token of one user.
        var open: [UInt8] = []
        var left = 0
        for (tag, count) in able {
            let free = count - faces.count { $0.source == .token && $0.tag == tag }
            if free > 0 { open.append(tag) }
            left += max(0, free)
        }
        if isBefore {
            open.append(0)
            left += 1
        }
        // A user at another provider takes none of these sign-ins.
        let unplaced = faces.count {
            $0.source == .token && $0.tag == ModelOperation.none && !$0.isForeign
                && $0.user != seen.mark && Checker.mark($0.name.mvpd) == seen.mvpd
        }
        guard let only = open.first, left > unplaced else {
            // One user too many: a sign-in that was turned down may have had an effect.
            let denied = deniedSignIn(at: seen, shownBy: operation)
            return denied.flatMap { hasFace($0) ? nil : .denied($0) } ?? .nobody
        }
        return open.count == 1 && unplaced == 0 ? .account(only) : .oneOfSeveral
    }

    /// Whether that account is at the user's provider, which is always known (rest-v1.md § 16); of a
    /// sign-in that nobody told us of, nothing is.
    private func isAccount(_ tag: UInt8, at seen: TagSeen) -> Bool {
        let account = tags[Int(tag)]
        return account.mark == 0 || account.mvpd == seen.mvpd
    }

    /// The account of the last sign-in there that was turned down before the user was shown, where it was never let in,
    /// and may have made the profile that was shown.
    private func deniedSignIn(at seen: TagSeen, shownBy operation: Observed) -> UInt8? {
        let time = firstShown(seen.mark)
        return attempts.last(where: { denied in
            !denied.isCandidate && denied.beat.call <= time && denied.tag != ModelOperation.none
                && isAccount(denied.tag, at: seen) && mayHaveMade(denied, operation)
                && !attempts.contains {
                    $0.isCandidate && $0.tag == denied.tag && $0.beat.call <= time
                }
        })?.tag
    }

    /// Whether a sign-in that was turned down may have made a profile: not one that began before, by the service's clock
    /// as far as that is known, nor one that was shown as another user's, to the millisecond.
    func mayHaveMade(_ denied: SignInAttempt, _ shown: Observed) -> Bool {
        guard let profiles else { return true }
        if let window = registry.clock.window(of: shown.generated, at: now),
            denied.beat.call > window.high
        {
            return false
        }
        // Services that count in seconds make two of them alike.
        let isExact = shown.generated % 1_000 != 0 || shown.expires % 1_000 != 0
        return !isExact || !profiles.seen.contains { $0.isUnderAnotherName(shown) }
    }

    private func hasFace(_ tag: UInt8) -> Bool {
        faces.contains { $0.source == .token && $0.tag == tag }
    }

    /// A user that something else than a token names: evidence for the ledger alone, for it may name
    /// users otherwise.
    private mutating func note(
        _ source: UserLedger.Claim.ClaimSource, _ user: UInt64, _ beat: CompactOperation
    ) {
        guard user != 0, !faces.contains(where: { $0.source == source && $0.user == user }),
            let shown = strangers.first(where: { $0.seen.mark == user }),
            !isFromBefore(TokenRead.somebody), let tag = onlyAccount(by: beat.ret)
        else { return }
        faces.append(
            Face(
                source: source, user: user, person: shown.seen.user, tag: tag, first: beat,
                name: shown.name))
        registry.users.show(mark(of: faces[faces.count - 1]), of: tags[Int(tag)].mark, at: beat.ret)
    }

    /// The one account that signed in here by that time.
    private func onlyAccount(by time: Int64) -> UInt8? {
        var only: UInt8?
        for position in attempts.indices
        where attempts[position].isCandidate && attempts[position].beat.call <= time {
            if let only, only != attempts[position].tag { return nil }
            only = attempts[position].tag
        }
        return only == ModelOperation.none ? nil : only
    }

    /// What a face is compared with others by: metadata name no provider, so it is the account's.
    private func mark(of face: Face) -> UInt64 {
        switch face.source {
        case .token, .media: face.user
        case .metadata, .household:
            Checker.mark("\(face.source.rawValue)", face.person ^ tags[Int(face.tag)].mvpd)
        }
    }

    // MARK: Accusing

    /// An answer named a user whom no sign-in of this household explains.
    mutating func judgeStrange(_ stranger: Stranger, _ beat: CompactOperation) {
        let own = writers(of: TokenRead.somebody, by: beat.ret)
        let who = stranger.name.text
        guard let last = own.last else {
            let text =
                "\(beat.name) returned the sign-in of \(who) before this household had signed in"
            return accuse(
                violation(.noTokenBeforeSignIn, .certain, [beat], text),
                foreignTag: stranger.seen.mark)
        }
        let providers = own.filter { $0.tag != ModelOperation.none }.map { names[Int($0.tag)].mvpd }
        let text: String
        var evidence = [last.beat, beat]
        var promise = Invariant.tokenIsolation
        var doubt: SharedState.Doubt?
        if !providers.contains(stranger.name.mvpd), !providers.contains("") {
            // Where that name was typed here, it is that login's under another provider, if nobody else is that user there.
            // Without one, where a device has a profile at each provider, it is there before any sign-in.
            if let typed = own.last(where: {
                $0.tag != ModelOperation.none && tags[Int($0.tag)].user == stranger.seen.user
            }) {
                promise = profiles == nil ? .oneToken : .providerIndependence
                evidence = [typed.beat, beat]
            } else if profiles != nil {
                promise = .noTokenBeforeSignIn
            }
            let places = providers.reduce(into: [String]()) { list, name in
                if !list.contains(name) { list.append(name) }
            }
            text =
                "\(beat.name) returned a sign-in at \(stranger.name.mvpd) (user \(stranger.name.user)); "
                + "this household signed in at \(places.joined(separator: ", "))"
        } else if let face = faces.first(where: { $0.source == .token && !$0.isForeign }) {
            evidence = [last.beat, face.first, beat]
            text =
                "\(beat.name) returned the sign-in of \(who), \(face.first.name) had returned "
                + "\(face.name.text); there were fewer sign-ins than users"
            doubt = SharedState.Doubt(
                ground: .earlierUser(tag: face.user, name: face.name.user),
                instead: violation(
                    promise, .certain, [last.beat, beat, face.first],
                    "\(face.first.name) returned the sign-in of \(face.name.text), \(beat.name) returned that of "
                        + "\(who), which is this household's"))
        } else {
            text =
                "\(beat.name) returned the sign-in of \(who), which no sign-in of this household explains"
        }
        accuse(
            violation(promise, .certain, evidence, text), foreignTag: stranger.seen.mark,
            doubt: doubt, isOfEnds: promise != .providerIndependence)
    }

    /// `one-owner` where nobody can say which of two accounts is which user: two users within one life of
    /// a code are too many all the same.
    private mutating func judgeUnplaced(_ face: Face) {
        count(.oneOwner)
        guard registry.codesServeOnce,
            let other = faces.first(where: {
                $0.source == .token && !$0.isForeign && $0.user != face.user
            })
        else { return }
        let signIns = writers(of: TokenRead.somebody, by: face.first.ret)
        guard let life = signIns.first?.life, life >= 0,
            signIns.allSatisfy({ $0.life == life })
        else { return }
        let text =
            "\(face.first.name) returned \(face.name.text), \(other.first.name) had returned "
            + "\(other.name.text): code \(lives[life].text) was used for two sign-ins"
        accuse(
            violation(
                .oneOwner, .certain, signIns.map(\.beat) + [other.first, face.first],
                gap: face.first.call - other.first.ret, text))
    }

    /// `one-token` of a user who may be any of several accounts: more tokens than any of them signed in
    /// for. Each sign-in makes one, with one expiry; sign-ins by one code are one.
    mutating func judgeUnplacedToken(_ operation: Observed, _ beat: CompactOperation) {
        guard operation.operation.showsExpiry, operation.expires > 0,
            let position = face(of: operation.tag), faces[position].tag == ModelOperation.none,
            !faces[position].ends.contains(where: { registry.isOne($0, operation.expires) }),
            faces[position].ends.count < 8
        else { return }
        count(.oneToken)
        faces[position].ends.append(operation.expires)
        let signIns = writers(of: TokenRead.somebody, by: beat.ret)
        let isSingle = registry.codesServeOnce
        let possible = tags.indices.map { tag in
            let own = signIns.filter { Int($0.tag) == tag }
            let byCode = own.filter { $0.life >= 0 }.map(\.life)
            return own.count - byCode.count + (isSingle ? Set(byCode).count : byCode.count)
        }.max()
        guard let possible, faces[position].ends.count > possible else { return }
        let face = faces[position]
        let isRetry = signIns.contains(where: \.isRetried)
        let text =
            "\(face.first.name) and \(beat.name) returned tokens of \(face.name.text) that expire "
            + "\(milliseconds(distance(operation.expires, face.ends[0]))) apart: "
            + (isRetry
                ? "a retried sign-in took effect twice"
                : "there were fewer sign-ins of that account")
        accuse(
            violation(
                isRetry ? .retryOnce : .oneToken, .certain,
                signIns.map(\.beat) + [face.first, beat], gap: beat.call - face.first.ret, text))
    }

    // MARK: The end

    /// Whether somebody signed in here, or may have, whose user no token named.
    private var isNameless: Bool {
        attempts.contains { attempt in
            attempt.isCandidate && attempt.tag != ModelOperation.none
                && !faces.contains { $0.source == .token && $0.tag == attempt.tag }
        }
    }

    /// The household is closed: what it knows of its accounts goes to the ledger. `isConfused`: others
    /// may have signed in here by mistake.
    mutating func tellUsers(isConfused: Bool) {
        for position in tags.indices where tags[position].mark != 0 {
            registry.accounts.release(tags[position].mark, by: household, at: ended)
        }
        let isTold = !isConfused && !isCrossedByOthers
        if !registry.knowsUsers, attempts.contains(where: \.isCandidate), !isTold || isNameless {
            registry.users.noteNameless(household)
        }
        guard isTold, !faces.isEmpty else { return }
        for face in faces where face.tag == ModelOperation.none && !face.isForeign {
            registry.users.add(
                UserLedger.Unplaced(
                    user: face.user, accounts: tags.all.map(\.mark), name: face.name,
                    household: household, beat: face.first))
        }
        for face in faces where face.tag != ModelOperation.none && tags[Int(face.tag)].mark != 0 {
            let user = mark(of: face)
            var claim = UserLedger.Claim(
                source: face.source, account: tags[Int(face.tag)].mark, user: user,
                person: face.person, name: face.name, provider: names[Int(face.tag)].mvpd,
                household: household, beat: face.first,
                signIns: attempts.filter { $0.isCandidate && $0.tag == face.tag }.count)
            if registry.users.isContested(user) {
                claim.scene = scene([face.first])
                registry.accused.append(household)
            }
            registry.users.add(claim)
        }
    }
}
