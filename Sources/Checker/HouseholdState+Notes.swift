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

    /// The first request of a login, which a code that is over is not let to.
    func loginRead(_ operation: Observed) -> ModelOperation? {
        guard operation.operation == .authenticate, operation.effect == .success,
            let life = life(of: operation)
        else { return nil }
        return codeAct(.codeLive, life)
    }

    /// The latest life of the code that an operation is about.
    func life(of operation: Observed) -> Int? {
        guard operation.code != 0 else { return nil }
        return lives.lastIndex { $0.mark == operation.code }
    }

    func codeAct(_ kind: ModelOperation.Kind, _ life: Int) -> ModelOperation? {
        let slot = lives[life].slot
        return slot == ModelOperation.none ? nil : ModelOperation(kind: kind, code: slot)
    }

    // MARK: Codes

    mutating func noteCode(_ operation: Observed) -> ModelOperation? {
        guard operation.effect == .success, operation.code != 0 else {
            guard operation.effect == .open else { return nil }
            endFresh(operation.call)
            return ModelOperation(kind: .createUnseen, isMaybe: true)
        }
        if operation.generated > 0 {
            count(.clockAgreement)
            registry.clock.add(
                operation.generated, of: operation.operation, between: operation.call,
                and: operation.ret,
                household: household, sequence: Int(operation.sequence))
        }
        endFresh(operation.call)
        let slot = freeSlot()
        let beat = CompactOperation(operation)
        let window = lifeWindow(operation)
        let shared = SharedLife(
            household: household, made: beat, code: operation.code,
            text: registry.codeTexts.take(operation.code, of: household), record: operation.detail,
            low: window.low,
            high: window.high)
        // One that was asked for before, and answered while this one was under way, may be the newer.
        if lives.contains(where: { $0.made.ret >= operation.call })
            || profiles?.mayLoseSession(after: operation.call) == true
        {
            shared.endCalled = min(shared.endCalled, operation.call)
        }
        lives.append(CodeLife(made: beat, slot: slot, shared: shared))
        count(.codeUnique)
        registry.hand(out: shared)
        expire(code: slot, window.low, window.high)
        let kind: ModelOperation.Kind = profiles?.registered == nil ? .create : .createBeside
        return slot == ModelOperation.none ? nil : ModelOperation(kind: kind, code: slot)
    }

    /// When what an answer gave ends, by our clock: `generated` was read within the request.
    func lifeWindow(_ operation: Observed) -> (low: Int64, high: Int64) {
        let life = (operation.expires - operation.generated) &* 1_000_000
        // A device grant states lifetimes, and no instants (RFC 8628, 3.2; RFC 6749, 5.1).
        let isTold = operation.generated > 0 || registry.isDeviceGrant
        guard isTold, operation.expires > operation.generated,
            life < 1_000_000_000_000_000
        else { return (.max, .max) }
        let tolerance = registry.clockTolerance
        let slack = life / ServiceClock.drift + 1_000_000 + tolerance
        return (
            operation.call + life - slack,
            operation.ret + life + slack + registry.sweepLag
        )
    }

    /// A number for a new code: an unused one, else that of a code that is surely dead.
    private mutating func freeSlot() -> UInt8 {
        var used: UInt32 = 0
        for position in lives.indices where lives[position].slot != ModelOperation.none {
            used |= 1 << UInt32(lives[position].slot)
        }
        let free = UInt8((~used).trailingZeroBitCount)
        let room = profiles == nil ? UInt8(DeviceState.codes) : DeviceState.profileCodes
        if free < room { return free }
        for position in lives.indices where lives[position].slot != ModelOperation.none {
            let slot = lives[position].slot
            guard frontier.standing == .holds, lives[position].high < now,
                frontier.isOver(code: slot)
            else { continue }
            if profiles == nil {
                frontier.forget(code: slot)
            } else {
                frontier.forget(profileCode: slot)
            }
            lives[position].slot = ModelOperation.none
            return slot
        }
        frontier.giveUp()
        return ModelOperation.none
    }

    /// A newer code may end every older one that is not bound (A9).
    private mutating func endFresh(_ call: Int64) {
        for position in lives.indices { end(position, call) }
    }

    mutating func end(_ life: Int, _ call: Int64) {
        lives[life].shared.endCalled = min(lives[life].shared.endCalled, call)
    }

    private mutating func noteDeletion(_ operation: Observed) -> ModelOperation? {
        guard let life = life(of: operation) else { return nil }
        switch operation.effect {
        case .success:
            end(life, operation.call)
            // The same letters, asked for again and not yet answered: it may have been the code before that was deleted.
            let isOfFormer =
                lives[life].made.ret >= operation.call
                && lives.indices.contains { $0 < life && lives[$0].mark == operation.code }
            if lives[life].deleted == nil, !isOfFormer {
                lives[life].deleted = CompactOperation(operation)
            }
            var act = codeAct(.delete, life)
            // Where letters were given twice it was the other's code, perhaps.
            act?.isMaybe = operation.flags.contains(.anothers) || isOfFormer
            return act
        case .open:
            end(life, operation.call)
            var act = codeAct(.delete, life)
            act?.isMaybe = true
            return act
        case .absent, .expired:
            return operation.flags.contains(.anothers) ? nil : codeAct(.codeDead, life)
        default: return nil
        }
    }

    private func recordRead(_ operation: Observed) -> ModelOperation? {
        guard let life = life(of: operation) else { return nil }
        switch operation.effect {
        case .success:
            // Another record under that code: not this life.
            if operation.detail != 0, lives[life].record != 0,
                operation.detail != lives[life].record
            {
                return nil
            }
            return codeAct(.codeLive, life)
        case .absent, .expired: return codeAct(.codeDead, life)
        default: return nil
        }
    }

    /// N2 and Z2 speak of their code: once that has ended they tell nothing of the sign-in
    /// (rest-v1.md § 6.3).
    private func checkRead(_ operation: Observed) -> ModelOperation? {
        guard let life = life(of: operation) else { return nil }
        switch operation.effect {
        case .success: return codeAct(.codeBound, life)
        case .absent, .expired: return codeAct(.codeUnbound, life)
        default: return nil
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
            var login = SharedState.AstrayLogin(
                user: operation.tag, begun: begin(ofLogin: operation), household: household)
            registry.noteAstray(login, by: operation.code)
            if tag != ModelOperation.none, registry.knowsUsers {
                login.user = Self.bare(names[Int(tag)].user)
                registry.noteAstray(login, by: operation.code)
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
