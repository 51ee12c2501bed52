internal import Dialects
internal import Journal
internal import Vocabulary

/// Devices that have a profile at each of several providers: what their exchanges are to the model
/// (rest-v2.md §§ 5, 6, 16.2).
extension HouseholdState {
    mutating func note(_ operation: Observed, _ book: ProfileBook) -> ModelOperation? {
        noteWay(operation, book)
        switch operation.step {
        case .issueCode:
            if operation.effect == .open { book.note(lostSession: operation.ret) }
            let act = noteCode(operation)
            noteChoice(operation, book)
            return act
        case .finishLogin, .platformExchange: return noteSignIn(operation)
        case .logout: return noteSignOut(operation, book)
        case .registerClient: return noteClient(operation, book)
        case .lookUpCode where operation.effect == .nothing:
            // Its answer was lost: it may have completed the session all the same.
            guard let life = life(of: operation) else { return nil }
            complete(life, by: operation, until: operation.call.plus(registry.deadline), book)
            return nil
        case _ where operation.flags.contains(.edge) || operation.effect == .nothing: return nil
        case _ where operation.flags.contains(.anothers): return nil
        case .lookUpCode:
            noteCompletion(operation, book)
            return sessionRead(operation, book)
        case .login: return loginRead(operation)
        case .confirm:
            if !isOrphaned(operation, book) { leaveOpen(operation) }
            return profileRead(operation, book)
        case .poll, .checkSignIn: return profileRead(operation, book)
        case .preauthorize, .authorize: return decisionRead(operation, book)
        default: return nil
        }
    }

    /// A session that is complete is looked up no more, and is not over (rest-v2.md § 5.5).
    private func sessionRead(_ operation: Observed, _ book: ProfileBook) -> ModelOperation? {
        guard let life = life(of: operation), !book.given.contains(life) else { return nil }
        switch operation.effect {
        case .success: return codeAct(.codeLive, life)
        case .absent, .expired: return overRead(life, book)
        default: return nil
        }
    }

    /// A code is over. Nil where it may be by a session of another client (`noteClient`).
    private func overRead(_ life: Int, _ book: ProfileBook) -> ModelOperation? {
        book.registered == nil ? codeAct(.codeOver, life) : nil
    }

    /// A session that the device's own profile answers for is complete (rest-v2.md § 5.5).
    private mutating func noteCompletion(_ operation: Observed, _ book: ProfileBook) {
        guard operation.operation == .resumeSession, operation.effect == .success,
            let life = life(of: operation)
        else { return }
        if book.answer(operation.sequence).action.isAuthorize {
            complete(life, by: operation, until: operation.ret, book)
        } else if operation.screen > 0 {
            book.resumed[life] = CompactOperation(operation)
        }
    }

    /// A session is complete by then without a login, or may be: a question about it that is under way may be told that it
    /// is over, and what is asked from now on tells nothing of it.
    private mutating func complete(
        _ life: Int, by operation: Observed, until time: Int64, _ book: ProfileBook
    ) {
        book.given.insert(life)
        end(life, operation.call)
        guard var act = codeAct(.expireCode, life) else { return }
        act.isMaybe = true
        agenda.insert(
            EventQueue.Expiry(low: max(operation.call, now), high: max(time, now), act: act))
    }

    /// What a screen asks on its way to a provider, however it was answered and whosever the letters may be by then:
    /// it explains profiles, and accuses nobody.
    private func noteWay(_ operation: Observed, _ book: ProfileBook) {
        switch operation.step {
        case .lookUpCode: noteChoice(operation, book)
        case .login where operation.operation == .authenticate:
            guard let life = life(of: operation) else { return }
            book.choices.noteDeparture(operation, of: life)
            if operation.effect == .success, book.loginBegun[life] == nil {
                book.loginBegun[life] = operation.call
            }
        default: break
        }
    }

    /// A request that names a session's provider.
    private func noteChoice(_ operation: Observed, _ book: ProfileBook) {
        guard operation.operation.choosesProvider, operation.slot > 0,
            [.success, .open, .nothing].contains(operation.effect), let life = life(of: operation)
        else { return }
        book.choices.note(
            book.mark(of: operation.slot), of: life, operation, deadline: registry.deadline)
    }

    /// A login whose session may have had another provider when its browser left: it may be a sign-in of the same
    /// name there.
    mutating func noteElsewhere(
        _ operation: Observed, _ tag: UInt8, _ life: Int?, _ book: ProfileBook
    ) {
        guard operation.step == .finishLogin, let life,
            let user = book.choices.name(tags[Int(tag)].mark)
        else { return }
        let others = book.choices.others(
            than: tags[Int(tag)].mvpd, of: life, operation, visibility: registry.visibility)
        for mvpd in others {
            guard let name = book.choices.name(mvpd) else { continue }
            let account = Tag(mvpd: name, user: user)
            let mark = noteAccount(account, login: nil)
            guard let other = knownTag(mark) else { continue }
            hold(mark, account, at: operation.call)
            var login = operation
            login.slot = book.slot(ofMark: mvpd)
            if login.effect == .success { login.effect = .maybe }
            attempts.append(
                SignInAttempt(
                    beat: CompactOperation(login), tag: other, life: life,
                    isRetried: operation.flags.contains(.retried)))
            expire(tag: other, operation.call.plus(registry.shortestSignIn), .max)
            guard var act = profileSignIn(other, at: login.slot, by: life, book) else { continue }
            act.isMaybe = true
            agenda.insert(
                EventQueue.Expiry(
                    low: max(operation.call, now), high: max(operation.ret, now), act: act))
        }
    }

    /// A login at a provider.
    func profileSignIn(
        _ tag: UInt8, at slot: UInt8, by life: Int?, _ book: ProfileBook
    ) -> ModelOperation? {
        guard slot > 0, slot <= DeviceState.profiles, tag < DeviceState.profileTags else {
            return nil
        }
        let code = life.map { isOvertaken($0, book) ? ModelOperation.none : lives[$0].slot }
        return ModelOperation(
            kind: .profileSignIn, code: code ?? ModelOperation.none, tag: tag, resource: slot)
    }

    /// Whether a newer session came once a login by that code had begun: then either may be right, that it ends the
    /// login and that it does not (`judgeSuperseded`).
    private func isOvertaken(_ life: Int, _ book: ProfileBook) -> Bool {
        guard registry.model.newCodeReplaces, let begun = book.loginBegun[life] else {
            return false
        }
        let made = lives[life].made.ret
        return lives.contains { $0.made.call > made && $0.made.ret >= begun }
    }

    private mutating func noteSignOut(_ operation: Observed, _ book: ProfileBook)
        -> ModelOperation?
    {
        guard operation.effect != .nothing else { return nil }
        let slot = operation.slot
        var beat = CompactOperation(operation)
        // Under a rule that lets everybody in nobody says whether it ends the stored profile (B56).
        if beat.effect == .success, slot == 0 || book.degraded.contains(slot) {
            beat.effect = .maybe
        }
        // Its action says which of the two profiles it found (rest-v2.md § 9); of the other it says nothing.
        let partner = beat.effect != .denied ? book.partner(of: slot) : 0
        if partner > 0 {
            var other = beat
            let found = book.answer(operation.sequence).logout
            if found == .partnersProfile { beat.effect = .maybe } else { other.effect = .maybe }
            signOuts.append(SignOut(beat: other, slot: partner))
        }
        signOuts.append(SignOut(beat: beat, slot: slot))
        guard beat.effect != .denied else { return nil }
        guard slot > 0 else { return ModelOperation(kind: .profilesSignOut, isMaybe: true) }
        guard slot <= DeviceState.profiles else { return nil }
        return ModelOperation(
            kind: .profileSignOut, resource: slot, isMaybe: beat.effect != .success)
    }

    /// A client that registers anew has no profiles and no sessions (rest-v2.md § 4). A phone that registers is a
    /// client of its own, and takes nothing from the TV.
    private mutating func noteClient(_ operation: Observed, _ book: ProfileBook) -> ModelOperation?
    {
        guard operation.screen == 0, operation.effect == .success, operation.call > book.begun
        else { return nil }
        book.register(at: operation.call, codes: lives.count)
        var beat = CompactOperation(operation)
        beat.effect = .maybe
        signOuts.append(SignOut(beat: beat))
        return ModelOperation(kind: .profilesSignOut, isMaybe: true)
    }

    /// Whether that provider's profile may be one that the device came with.
    func mayBeFromBefore(_ slot: UInt8, at time: Int64, _ book: ProfileBook) -> Bool {
        !registry.devicesAreFresh && !book.wasEmpty(slot, before: time)
    }

    private mutating func profileRead(_ operation: Observed, _ book: ProfileBook)
        -> ModelOperation?
    {
        let answer = book.answer(operation.sequence)
        var values = ModelOperation.ProfileValues()
        if isOrphaned(operation, book) { return nil }
        switch operation.effect {
        case .absent, .success:
            if operation.operation == .profilesByCode, operation.effect == .absent {
                guard let life = life(of: operation), !book.given.contains(life) else { return nil }
                return codeAct(.codeFree, life)
            }
            for shown in answer.shown
            where shown.kind == .regular
                && !mayBeFromBefore(shown.slot, at: operation.call, book)
            {
                guard let value = modelValue(shown, operation) else {
                    frontier.giveUp()
                    return nil
                }
                values[shown.slot] = value
            }
            for slot in missing(operation, answer, book) { values[slot] = 0 }
            return values.act
        case .expired:
            guard operation.operation == .profilesByCode, let life = life(of: operation),
                !book.given.contains(life)
            else { return nil }
            return overRead(life, book)
        default: return nil
        }
    }

    /// Whether it asks by a code of a client that this device is no more.
    func isOrphaned(_ operation: Observed, _ book: ProfileBook) -> Bool {
        guard book.orphans > 0, operation.operation == .profilesByCode else { return false }
        return life(of: operation).map { $0 < book.orphans } ?? true
    }

    /// Nil: so many users that the model has no numbers for them.
    private mutating func modelValue(
        _ shown: ProfileAnswer.ShownProfile, _ operation: Observed
    ) -> UInt8? {
        guard shown.tag != 0 else { return ModelOperation.ProfileValues.somebody }
        var tag: UInt8?
        if registry.knowsUsers {
            var one = operation
            one.tag = shown.tag
            tag = knownTag(shown.tag) ?? learn(one)
            if tag == nil {
                // That a login was at another provider than its account's is known once it is called: this answer
                // may have been under way then (`noteElsewhere`).
                return isOwnUser(shown.tag)
                    ? ModelOperation.ProfileValues.somebody : ModelOperation.ProfileValues.stranger
            }
        } else {
            tag = placedTag(shown.tag)
        }
        guard let tag else { return ModelOperation.ProfileValues.somebody }
        return tag < DeviceState.profileTags ? tag + 1 : nil
    }

    /// The providers of whose own profiles an answer says that they are not there.
    func missing(_ operation: Observed, _ answer: ProfileAnswer, _ book: ProfileBook) -> [UInt8] {
        switch operation.operation {
        case .profiles:
            // An entry that cannot be read is somebody's.
            if operation.effect == .success, answer.shown.isEmpty { return [] }
            return book.regular.filter { !answer.shows(book.mark(of: $0)) }
        case .profilesByMVPD:
            return operation.effect == .absent && operation.slot > 0 ? [operation.slot] : []
        case .preauthorize, .authorize:
            let isGone = operation.effect == .unauthenticated && answer.reason != .invalidated
            return isGone && operation.slot > 0 ? [operation.slot] : []
        default: return []
        }
    }

    /// The partners' profiles of which an answer says that they are not there. A profile by a login would be shown in their
    /// place.
    func missingPartners(
        _ operation: Observed, _ answer: ProfileAnswer, _ book: ProfileBook
    ) -> [UInt8] {
        guard answer.lacksVouched, answer.reason != .invalidated else { return [] }
        // Of several it vouches for one.
        guard operation.operation != .profiles else {
            return book.partners.count == 1 ? Array(book.partners) : []
        }
        let partner = book.partner(of: operation.slot)
        return partner > 0 ? [partner] : []
    }

    private mutating func decisionRead(_ operation: Observed, _ book: ProfileBook)
        -> ModelOperation?
    {
        let answer = book.answer(operation.sequence)
        if operation.effect == .unauthenticated, answer.reason == .invalidated {
            var beat = CompactOperation(operation)
            beat.effect = .maybe
            signOuts.append(SignOut(beat: beat, slot: operation.slot))
            guard operation.slot > 0, operation.slot <= DeviceState.profiles else { return nil }
            return ModelOperation(kind: .profileSignOut, resource: operation.slot, isMaybe: true)
        }
        var values = ModelOperation.ProfileValues()
        for slot in missing(operation, answer, book) { values[slot] = 0 }
        if isByProfile(operation, answer, book) {
            values[operation.slot] = ModelOperation.ProfileValues.somebody
        }
        return values.act
    }

    /// Whether a permit shows that the device has a profile of its own at that provider: not where an
    /// identity or a partner may have vouched for it, nor by a rule or a pass.
    func isByProfile(_ operation: Observed, _ answer: ProfileAnswer, _ book: ProfileBook) -> Bool {
        operation.effect == .success && operation.slot > 0 && answer.source == .provider
            && answer.subject == 0 && !book.partnered.contains(operation.slot)
            && !mayBeFromBefore(operation.slot, at: operation.call, book)
    }
}
