internal import Dialects

/// What an operation is to the model, noted as it begins: by then its answer is known, but nothing
/// may be made of it before it returned.
extension HouseholdState {
    mutating func note(_ operation: Observed) -> ModelOperation? {
        if let profiles { return note(operation, profiles) }
        if registry.isDeviceGrant {
            noteGrant(of: operation)
            if isOfAnotherGrant(operation) || operation.step == .otherClient { return nil }
            if isShownAgain(operation) { return noteReuse(operation) }
            // The TV has no token any more, and asks for a new code, which says nothing of the one before.
            if operation.operation == .refreshToken, operation.effect == .denied {
                return ModelOperation(kind: .signOut, isMaybe: true)
            }
        }
        // A cache in front of the service answered: that tells nothing of the service.
        let isEdge = operation.flags.contains(.edge)
        switch operation.step {
        case .issueCode: return noteCode(operation)
        case .deleteCode: return noteDeletion(operation)
        case .finishLogin, .platformExchange, .startPass: return noteSignIn(operation)
        case .logout: return noteSignOut(operation)
        case .authorize: return noteAuthorization(operation)
        case _ where isEdge || operation.effect == .nothing: return nil
        case _ where operation.flags.contains(.anothers): return nil
        case _ where isOverByItself(operation): return nil
        // An expired code says nothing about a sign-in: another poll may have used it meanwhile, which is not known yet, and
        // an end that comes too early is judged separately (RFC 8628, 3.5).
        case .poll where operation.operation == .deviceToken && operation.effect == .expired:
            return nil
        case .poll, .checkSignIn: return tokenRead(operation)
        case .confirm:
            leaveOpen(operation)
            return checkRead(operation)
        case .preauthorize where operation.operation.isAboutCode: return checkRead(operation)
        case .lookUpCode: return recordRead(operation)
        case .login: return loginRead(operation)
        default: return operation.operation.has(.needsSignIn) ? gatedRead(operation) : nil
        }
    }

    // MARK: Sign-ins

    /// The mark of a user whose provider an answer does not name (user metadata may not).
    static func bare(_ user: String) -> UInt64 { Checker.mark(user, Checker.mark("")) }

    /// When the service had let that screen's browser go on to the login; `Int64.max` where no answer did.
    private func begin(ofLogin operation: Observed) -> Int64 {
        ring.all.last {
            $0.operation == .authenticate && $0.screen == operation.screen
                && $0.effect != .denied && $0.effect != .nothing
        }?.ret ?? .max
    }

    mutating func noteSignIn(_ operation: Observed) -> ModelOperation? {
        let tag =
            operation.tag != 0
            ? knownTag(operation.tag) ?? ModelOperation.none
            : operation.step == .startPass ? passTag() : newUnknownTag()
        let life = life(of: operation)
        if operation.effect != .denied { unproven = 0 }
        if operation.code != 0, operation.tag != 0, operation.effect != .denied,
            life == nil || operation.flags.contains(.afterEnd)
        {
            var login = CodeLedger.AstrayLogin(
                user: operation.tag, begun: begin(ofLogin: operation), household: household)
            registry.codes.note(login, by: operation.code)
            if tag != ModelOperation.none, registry.knowsUsers {
                login.user = Self.bare(names[Int(tag)].user)
                registry.codes.note(login, by: operation.code)
            }
        }
        attempts.append(
            SignInAttempt(
                beat: CompactOperation(operation), tag: tag, life: life ?? -1,
                isRetried: operation.flags.contains(.retried)))
        guard operation.effect != .denied, operation.effect != .nothing, tag != ModelOperation.none
        else {
            return nil
        }
        // Where no answer names its expiry, it may end from then on.
        let shortest = registry.shortestSignIn
        expire(tag: tag, operation.call.plus(shortest), .max)
        let isCertain = operation.effect == .success
        if let profiles {
            noteElsewhere(operation, tag, life, profiles)
            // A partner's word makes no profile of the device's own.
            guard operation.step == .finishLogin else { return nil }
            var act = profileSignIn(tag, at: operation.slot, by: life, profiles)
            act?.isMaybe = !isCertain
            return act
        }
        if let life, var act = codeAct(.signIn, life) {
            act.tag = tag
            act.isMaybe = !isCertain
            return act
        }
        return ModelOperation(kind: .signInElsewhere, tag: tag, isMaybe: !isCertain)
    }

    /// The phone's check says "not yet" after the answer to a login by that code: it may take effect from now on, as long
    /// as its code takes it (`isLeftOpen`).
    mutating func leaveOpen(_ check: Observed) {
        guard check.effect == .absent, let life = life(of: check), lives[life].told == nil else {
            return
        }
        for position in attempts.indices {
            let (login, tag) = (attempts[position].beat, attempts[position].tag)
            guard attempts[position].life == life, attempts[position].isCandidate,
                tag != ModelOperation.none, login.ret < check.call,
                lives[life].refusal(after: login) == nil,
                var act = profiles.map({
                    profileSignIn(tag, at: $0.slot(ofMark: tags[Int(tag)].mvpd), by: life, $0)
                }) ?? codeAct(.signIn, life)
            else { continue }
            act.tag = tag
            act.isMaybe = true
            agenda.insert(
                EventQueue.Expiry(low: max(check.call, now), high: .max, act: act))
        }
    }

    /// The number of a tag that this household has signed in with, or has seen.
    func knownTag(_ mark: UInt64) -> UInt8? {
        guard mark != 0 else { return nil }
        if let known = tags.firstIndex(where: { $0.mark == mark }) {
            return UInt8(truncatingIfNeeded: known)
        }
        // Of a user without a provider, as user metadata may name one, all that can be held against
        // sign-ins is the user. Looked up as late as this: the sign-in's own answer may have come in
        // after it.
        guard let shown = strangers.first(where: { $0.seen.mark == mark && $0.name.mvpd.isEmpty })
        else { return nil }
        return attempts.last(where: {
            $0.tag != ModelOperation.none && tags[Int($0.tag)].user == shown.seen.user
        })?.tag
    }

    /// Whoever takes a TempPass is the device itself: taken again, it is the same user's
    /// (rest-v1.md, 10, N5).
    private mutating func passTag() -> UInt8 {
        if pass == ModelOperation.none { pass = newUnknownTag() }
        return pass
    }

    private mutating func newUnknownTag() -> UInt8 {
        guard tags.count < DeviceState.tags else {
            frontier.giveUp()
            return ModelOperation.none
        }
        add(TagSeen(isLearned: true), named: Tag(mvpd: "", user: ""))
        return UInt8(tags.count - 1)
    }

    private mutating func noteSignOut(_ operation: Observed) -> ModelOperation? {
        guard operation.effect != .nothing else { return nil }
        signOuts.append(
            SignOut(beat: CompactOperation(operation)))
        switch operation.effect {
        case .success: return ModelOperation(kind: .signOut)
        case .open: return ModelOperation(kind: .signOut, isMaybe: true)
        default: return nil
        }
    }

    /// Of a refresh token: a service may then end the grant (RFC 9700, 4.14.2).
    private mutating func noteReuse(_ operation: Observed) -> ModelOperation {
        var beat = CompactOperation(operation)
        beat.effect = .maybe
        signOuts.append(SignOut(beat: beat))
        return ModelOperation(kind: .signOut, isMaybe: true)
    }

    private mutating func noteAuthorization(_ operation: Observed) -> ModelOperation? {
        let isEdge = operation.flags.contains(.edge)
        guard operation.effect == .success || operation.effect == .open else {
            if !isEdge, !operation.flags.contains(.throttled), operation.effect != .nothing,
                operation.effect != .unauthenticated
            {
                noteGrant(operation)
            }
            return isEdge ? nil : gatedRead(operation)
        }
        noteGrant(operation)
        return ModelOperation(
            kind: .authorize, resource: operation.resource,
            isMaybe: operation.effect == .open)
    }

    private mutating func noteGrant(_ operation: Observed) {
        grants.append(
            Grant(
                beat: CompactOperation(operation), resource: operation.resource,
                expires: operation.expires))
    }

    /// A call that needs a sign-in, and perhaps an authorization: its answer tells of both.
    private mutating func gatedRead(_ operation: Observed) -> ModelOperation? {
        if operation.tellsAbsence { return ModelOperation(kind: .tokenAbsent) }
        if operation.tellsNoAuthorization {
            let stands =
                standingGrant(of: operation.resource, at: CompactOperation(operation)) != nil
            return stands ? ModelOperation(kind: .ungranted, resource: operation.resource) : nil
        }
        guard operation.effect == .success else { return nil }
        guard operation.operation.needsAuthorization else { return ModelOperation(kind: .tokenAny) }
        // After a sign-in that no poll waits for, it is the first to name the user.
        let tag =
            registry.knowsUsers
            ? operation.tag == 0 ? nil : knownTag(operation.tag) ?? learn(operation)
            : placedTag(operation.tag)
        // What a device came with it may have been authorized for before.
        if isFromBefore(TokenRead.somebody) {
            return tag.map { ModelOperation(kind: .tokenSeen, tag: $0) }
                ?? ModelOperation(kind: .tokenAny)
        }
        return ModelOperation(
            kind: .granted, tag: tag ?? ModelOperation.none, resource: operation.resource)
    }

    private mutating func tokenRead(_ operation: Observed) -> ModelOperation? {
        switch operation.effect {
        case .absent, .expired: return ModelOperation(kind: .tokenAbsent)
        case .success:
            guard operation.tag != 0 else { return ModelOperation(kind: .tokenAny) }
            guard registry.knowsUsers else {
                // Whom it names is decided as it returns: by then every sign-in is known that began.
                return placedTag(operation.tag).map { ModelOperation(kind: .tokenSeen, tag: $0) }
                    ?? ModelOperation(kind: .tokenAny)
            }
            guard let tag = knownTag(operation.tag) ?? learn(operation) else {
                // Nobody here ever signs in as that user: no state explains it.
                return ModelOperation(kind: .tokenSeen, tag: UInt8(DeviceState.tags))
            }
            return ModelOperation(kind: .tokenSeen, tag: tag)
        default: return nil
        }
    }

    /// The token of a sign-in whose user nobody told us: believed, if it is the only one that it
    /// can be of.
    mutating func learn(_ operation: Observed) -> UInt8? {
        let isFresh = registry.devicesAreFresh
        if !isFresh, tags[0].mark == 0, signOuts.isEmpty, !reads.contains(where: { $0.value == 0 })
        {
            notePreSignedIn()
            return adopt(operation, at: 0)
        }
        if let open = tags.indices.dropFirst(isFresh ? 0 : 1).first(where: {
            tags[$0].isLearned && tags[$0].mark == 0
        }) {
            return adopt(operation, at: open)
        }
        return nil
    }

    private mutating func adopt(_ operation: Observed, at position: Int) -> UInt8 {
        if let stranger = strangers.first(where: { $0.seen.mark == operation.tag }) {
            let first = tags[position].first
            tags[position] = stranger.seen
            tags[position].first = first
            names[position] = stranger.name
        }
        tags[position].isLearned = true
        registry.accounts.hold(operation.tag, by: household, at: operation.call)
        return UInt8(truncatingIfNeeded: position)
    }
}
