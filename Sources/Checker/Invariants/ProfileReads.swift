internal import Dialects
internal import Vocabulary

/// What answers show of profiles (rest-v2.md §§ 6, 7, 9 to 11): V1's promises by provider, and those of
/// rest-v2.md § 15 that one household tells.
extension HouseholdState {
    mutating func judge(_ operation: Observed, _ beat: CompactOperation, _ book: ProfileBook) {
        let answer = book.answer(beat.sequence)
        defer {
            settleUnbound(operation, beat, answer)
            book.forget(beat.sequence)
        }
        notePass(operation, beat, answer, book)
        if operation.step == .authorize { judgeReversal(operation, beat, answer, book) }
        guard operation.effect != .denied else { return }
        switch operation.step {
        case .poll, .confirm, .checkSignIn, .platformExchange:
            guard !isOrphaned(operation, book) else { return }
            for shown in answer.shown { judge(shown, operation, beat, answer, book) }
            judgeMissing(operation, beat, answer, book)
            if operation.step == .platformExchange { judgeSwitchedOff(beat, answer, book) }
        case .issueCode: judgeAction(operation, beat, answer, book)
        case .preauthorize, .authorize: judgeDecision(operation, beat, answer, book)
        case .logout: judgeActionOfLogout(operation, beat, answer, book)
        default: break
        }
        if operation.code != 0 { judgeCode(operation, beat) }
    }

    /// `conforms`: a provider whose platform sign-on is switched off is sent to its login (rest-v2.md § 8.3). A
    /// configuration may change before it is asked for again.
    private mutating func judgeSwitchedOff(
        _ beat: CompactOperation, _ answer: ProfileAnswer, _ book: ProfileBook
    ) {
        guard let configured = book.configured, configured.ret < beat.call,
            let name = book.switchedOff.first(where: { name in
                let mvpd = Checker.mark(name)
                return answer.shown.contains { $0.kind == .appleSSO && $0.mvpd == mvpd }
            })
        else { return }
        let text =
            "\(beat.name) returned a platform's profile at \(name), for which \(configured.name) has "
            + "enablePlatformServices false"
        accuse(
            violation(
                .conforms, .suspicion("the configuration may have changed since"),
                [configured, beat], source: .ours, text),
            isOfEnds: false)
    }

    // MARK: One profile

    private mutating func judge(
        _ shown: ProfileAnswer.ShownProfile, _ operation: Observed, _ beat: CompactOperation,
        _ answer: ProfileAnswer, _ book: ProfileBook
    ) {
        guard isConsistent(shown, operation, beat, book), let kind = shown.kind else {
            return
        }
        if kind.isView {
            check(.identityIsolation)
            guard answer.subject != 0 else {
                let text =
                    "\(beat.name), sent without an identity token, returned a profile by single sign-on"
                return accuse(violation(.identityIsolation, .certain, [beat], text))
            }
            return keep(view: shown, beat, answer, book)
        }
        if kind.isGiven {
            if kind == .degraded {
                book.degraded.insert(shown.slot)
                judgeRule(shown.mvpd, beat, "returned a degraded profile")
            }
            return judgeGiven(kind, shown, operation, beat, answer, book)
        }
        guard !mayBeFromBefore(shown.slot, at: operation.call, book) else {
            let isOurs = hasWriters(of: TokenRead.somebody, by: beat.ret, at: shown.slot)
            return isOurs ? () : notePreSignedIn()
        }
        guard !isDouble(shown, beat, answer) else { return }
        var one = operation
        (one.tag, one.slot) = (shown.tag, shown.slot)
        (one.generated, one.expires) = (shown.generated, shown.expires)
        if shown.tag != 0,
            isOtherUser(one, beat, book) || isOtherProvider(shown, operation, beat, book)
        {
            return
        }
        judgeToken(one, beat)
        if operation.screen > 0 { judgeSource(one, beat) }
        if operation.operation == .profilesByCode {
            judgeByCode(one, beat, book)
        } else {
            // Of the account, whatever the service calls its user.
            let value = value(of: one, beat)
            if value != 0, value != TokenRead.somebody {
                book.shownToDevice.insert(tags[Int(value) - 1].mark)
            }
        }
        if shown.tag != 0 { judgeViews(shown, kind, beat, book) }
        if kind == .regular, answer.subject != 0, shown.tag != 0 {
            keep(view: shown, isOwn: true, beat, answer, book)
        }
    }

    /// I20: an answer has one profile of a provider at most (rest-v2.md § 6).
    private mutating func isDouble(
        _ shown: ProfileAnswer.ShownProfile, _ beat: CompactOperation, _ answer: ProfileAnswer
    ) -> Bool {
        let other = answer.shown.first {
            $0.slot == shown.slot && $0.tag == shown.tag && $0.expires != shown.expires
        }
        guard let other else { return false }
        // Said once, of the later.
        if shown.expires > other.expires {
            let apart = milliseconds(distance(shown.expires, other.expires))
            let text =
                "\(beat.name) returned two profiles of one user at one provider, with expiries \(apart) apart"
            accuse(violation(.profileConsistent, .certain, [beat], text))
        }
        return true
    }

    /// For I28 and I29, which are decided when the run is over.
    private mutating func keep(
        view shown: ProfileAnswer.ShownProfile, isOwn: Bool = false, _ beat: CompactOperation,
        _ answer: ProfileAnswer, _ book: ProfileBook
    ) {
        let view = IdentityLedger.View(
            subject: answer.subject, mvpd: shown.mvpd, tag: shown.tag, isOwn: isOwn,
            generated: shown.generated, expires: shown.expires, beat: beat, household: household)
        if !isOwn { judgeShared(view, book) }
        book.views.append(view)
    }

    /// I21, `profile-views-agree`: a profile that another request showed before, with the name of somebody who never signed in
    /// here. Whose it is its times tell; where another household signed in as that user, it is I2. Where the service has
    /// names of its own, the one login there ever was had one.
    private mutating func isOtherUser(
        _ shown: Observed, _ beat: CompactOperation, _ book: ProfileBook
    ) -> Bool {
        guard knownTag(shown.tag) == nil,
            !tags.contains(where: { $0.isLearned && $0.mark == 0 }),
            let first = book.seen.first(where: {
                $0.isUnderAnotherName(shown) && $0.beat.operation != beat.operation
            }),
            let stranger = strangers.first(where: { $0.seen.mark == shown.tag }),
            registry.knowsUsers
                ? !tags.contains(where: { $0.user == stranger.seen.user })
                : isOnlyLogin(shown, by: beat)
        else { return false }
        check(.profileViewsAgree)
        let text =
            "\(beat.name) returned the profile of \(first.beat.name), with the same times, as that of "
            + "\(stranger.name.text)"
            + (registry.knowsUsers
                ? ", who never signed in here" : "; only one login can have made it")
        accuse(
            violation(.profileViewsAgree, .certain, [first.beat, beat], text),
            foreignTag: stranger.seen.mark, isOfEnds: false)
        return true
    }

    /// Whether one login at most may have made a profile, of those that were let in and those that were not.
    private func isOnlyLogin(_ shown: Observed, by beat: CompactOperation) -> Bool {
        var logins = 0
        for position in attempts.indices
        where attempts[position].beat.call <= beat.ret && isOf(attempts[position].tag, shown.slot)
            && (attempts[position].isCandidate || mayHaveMade(attempts[position], shown))
        {
            logins += 1
        }
        return logins <= 1
    }

    /// I22, `provider-independence`: the profile that a code leads to is at the provider that its login was at
    /// (rest-v2.md, B44, B45). A stranger's is another promise's, and where users are learned, who is one is not known
    /// yet.
    private mutating func isOtherProvider(
        _ shown: ProfileAnswer.ShownProfile, _ operation: Observed, _ beat: CompactOperation,
        _ book: ProfileBook
    ) -> Bool {
        guard operation.operation == .profilesByCode, let life = life(of: operation),
            !book.given.contains(life), registry.knowsUsers, isOwnUser(shown.tag)
        else { return false }
        var login: CompactOperation?
        for position in attempts.indices
        where attempts[position].life == life && attempts[position].isCandidate
            && attempts[position].beat.call <= beat.ret
        {
            let tag = attempts[position].tag
            guard tag != ModelOperation.none, tags[Int(tag)].mvpd != 0, !isOf(tag, shown.slot)
            else { return false }
            login = attempts[position].beat
        }
        // The user of a login that was turned down is another promise's (I12).
        let tag = knownTag(shown.tag)
        let isTurnedDown = attempts.contains {
            !$0.isCandidate && $0.tag == tag && $0.beat.call <= beat.ret
        }
        guard !isTurnedDown else { return false }
        // A session that was named another provider since may show the profile there (B44, B45).
        let isNamed = book.choices.names(shown.mvpd, of: life)
        let isSignedIn = tag.map { hasWriters(of: $0 + 1, by: beat.ret) } ?? false
        guard let login, !(isNamed && isSignedIn) else { return false }
        check(.providerIndependence)
        let text =
            "\(beat.name) returned a profile at another provider than the one that the login by code "
            + "\(lives[life].text) was at (\(login.name))"
        accuse(
            violation(.providerIndependence, .certain, [login, beat], text), isOfEnds: false)
        return true
    }

    /// Whether that is, at whichever provider, a user who signs in on this device.
    func isOwnUser(_ mark: UInt64) -> Bool {
        if tags.contains(where: { $0.mark == mark && $0.mark != 0 }) { return true }
        guard let stranger = strangers.first(where: { $0.seen.mark == mark }) else { return false }
        return tags.contains { $0.user == stranger.seen.user }
    }

    /// A login by a code that was over, of which only the phone was shown.
    private mutating func judgeSource(_ operation: Observed, _ beat: CompactOperation) {
        let value = value(of: operation, beat)
        guard value != 0, value != TokenRead.somebody else { return }
        judgeSource(of: value - 1, beat)
    }

    /// What a code has led to is seen by that code as well.
    private mutating func judgeByCode(
        _ operation: Observed, _ beat: CompactOperation, _ book: ProfileBook
    ) {
        guard operation.screen == 0, let life = life(of: operation), !book.given.contains(life),
            life <= Int(Int16.max)
        else { return }
        let value = value(of: operation, beat)
        guard value != 0 else { return }
        let scope = SignInScope(slot: operation.slot, life: Int16(life))
        compare(TokenRead(value: value, beat: beat, scope: scope))
        noteDelivery(scope)
    }

    /// I20, `profile-consistent`. False where nothing else can be made of it: it is of another provider than
    /// was asked for, or ends before it begins.
    private mutating func isConsistent(
        _ shown: ProfileAnswer.ShownProfile, _ operation: Observed, _ beat: CompactOperation,
        _ book: ProfileBook
    ) -> Bool {
        check(.profileConsistent)
        if operation.operation == .profilesByMVPD, operation.slot > 0,
            shown.mvpd != book.mark(of: operation.slot)
        {
            let text = "\(beat.name) returned a profile of another provider than it asked for"
            accuse(violation(.profileConsistent, .certain, [beat], text))
            return false
        }
        if shown.expires <= shown.generated {
            let text = "\(beat.name) returned a profile that ends before it begins"
            accuse(violation(.profileConsistent, .certain, [beat], text))
            return false
        }
        if let window = registry.clock.window(of: shown.generated, at: now),
            beat.ret < window.low
        {
            let gap = window.low - beat.ret
            let text =
                "\(beat.name) returned a profile \(atLeast(gap)) before its notBefore"
            accuse(violation(.profileConsistent, .withinDrift, [beat], gap: gap, text))
        }
        if let kind = shown.kind {
            judge(kind, of: operation, beat)
            if kind.isView || kind.isGiven,
                let window = registry.clock.window(of: shown.expires, at: now),
                beat.call > window.high.plus(registry.sweepLag)
            {
                let gap = beat.call - window.high
                let text =
                    "\(beat.name) returned a profile (\(kind.rawValue)) "
                    + "\(atLeast(gap)) after its notAfter"
                accuse(
                    violation(
                        .profileConsistent, .withinDrift, [beat], gap: gap, gapFrom: window.high,
                        text))
            }
        }
        if !shown.hasUsualIssuer, shown.kind != nil {
            accuse(
                violation(
                    .profileConsistent,
                    .suspicion("one of the vendor's samples has such an issuer"), [beat],
                    "\(beat.name) returned a profile of another issuer than its type has"))
        }
        return true
    }

    /// Which types a request shows is our reading of a table (rest-v2.md § 6, B10).
    private mutating func judge(
        _ kind: Profile.Kind, of operation: Observed, _ beat: CompactOperation
    ) {
        let isWrong =
            switch operation.operation {
            case .profiles: kind.isGiven
            case .profilesByCode: kind.isView || kind == .appleSSO
            default: false
            }
        if operation.operation == .profiles { check(.degradationBounded) }
        guard isWrong else { return }
        accuse(
            violation(
                kind == .degraded ? .degradationBounded : .profileConsistent, .certain, [beat],
                source: .ours,
                "\(beat.name) returned a profile of the type \(kind.rawValue), which it never shows"
            ))
    }

    /// I21, `profile-views-agree`: one profile, told in two ways.
    private mutating func judgeViews(
        _ shown: ProfileAnswer.ShownProfile, _ kind: Profile.Kind, _ beat: CompactOperation,
        _ book: ProfileBook
    ) {
        // Told with the other type, it is that of a partner, or of the provider.
        let first = book.seen.first {
            $0.tag == shown.tag && $0.expires == shown.expires
                && ($0.slot == shown.slot
                    || $0.generated == shown.generated
                        && book.partner(of: $0.slot) == shown.slot)
        }
        guard let first else {
            guard book.seen.count < 64 else { return }
            book.seen.append(
                ProfileBook.ProfileSeen(
                    tag: shown.tag, slot: shown.slot, kind: kind, generated: shown.generated,
                    expires: shown.expires, beat: beat))
            return
        }
        if first.beat.operation != beat.operation { check(.profileViewsAgree) }
        judgeRevived(first, shown, beat)
        guard first.kind != kind || first.generated != shown.generated,
            writers(of: TokenRead.somebody, by: beat.ret, at: shown.slot).count == 1
        else { return }
        let what = first.kind != kind ? "types" : "notBefore"
        let text =
            "\(first.beat.name) and \(beat.name) returned one profile with different \(what)"
        accuse(
            violation(.profileViewsAgree, .certain, [first.beat, beat], text),
            isOfEnds: false)
    }

    /// I15, as a suspicion: after a logout and a new login the profile of before, to the millisecond.
    private mutating func judgeRevived(
        _ first: ProfileBook.ProfileSeen, _ shown: ProfileAnswer.ShownProfile,
        _ beat: CompactOperation
    ) {
        let isExact = shown.generated % 1_000 != 0 || shown.expires % 1_000 != 0
        guard isExact, first.slot == shown.slot, first.generated == shown.generated,
            let out = signOuts.last(where: {
                $0.effect == .success && $0.ret < beat.call - registry.visibility
                    && $0.ends(shown.slot)
            })?.beat, first.beat.ret < out.call - registry.visibility,
            let login = lastWriter(of: TokenRead.somebody, by: beat.ret, at: shown.slot),
            login.call > out.ret
        else { return }
        let gap = beat.call - out.ret
        let text =
            "\(beat.name) returned, after \(login.name), the profile that \(first.beat.name) had returned, with the same "
            + "times, although \(out.name) had ended that"
        accuse(
            violation(
                .logoutFinal,
                .suspicion("the service may date a new sign-in by the provider's older session"),
                [out, login, beat], gap: gap, text),
            isOfEnds: false)
    }

    /// I21 and I25 of a profile by single sign-on: of one login this device is shown one end, whichever
    /// request it asks by. A new login would begin at another time.
    private mutating func judgeShared(_ view: IdentityLedger.View, _ book: ProfileBook) {
        let same = book.views.filter {
            !$0.isOwn && $0.subject == view.subject && $0.mvpd == view.mvpd && $0.tag == view.tag
                && $0.generated == view.generated
        }
        let own = same.first { $0.beat.operation == view.beat.operation }
        guard let first = own ?? same.first else { return }
        check(own == nil ? .profileViewsAgree : .profileNotProlonged)
        // Two requests may differ for good; one that ends later than all before was prolonged.
        guard
            own == nil
                ? !registry.isOne(first.expires, view.expires)
                : same.allSatisfy({
                    $0.expires < view.expires && !registry.isOne($0.expires, view.expires)
                })
        else { return }
        let apart = milliseconds(distance(first.expires, view.expires))
        let text =
            "\(first.beat.name) and \(view.beat.name) returned one profile by single sign-on with expiries "
            + "\(apart) apart; there was no new login"
        accuse(
            violation(
                own == nil ? .profileViewsAgree : .profileNotProlonged, .certain,
                [first.beat, view.beat], gap: view.beat.call - first.beat.ret, text))
    }

    // MARK: One sign-in, several profiles

    /// The provider of one login with the user of another.
    mutating func judgeMixed(
        _ beat: CompactOperation, _ stranger: Stranger, _ other: SignInAttempt
    ) {
        let text =
            "\(beat.name) returned \(stranger.name.text): the user of \(other.beat.name), which was at "
            + "another provider"
        accuse(violation(.providerIndependence, .certain, [other.beat, beat], text))
    }

    /// I25, I21, I7: more ends of one profile than there were logins.
    mutating func judgeProlonged(
        _ operation: Observed, _ beat: CompactOperation, _ tag: UInt8, _ seen: [TokenSeen]
    ) {
        let expires = operation.expires
        guard let first = seen.first else { return }
        let user = name(of: first.face, as: tag)
        let latest = seen.filter { $0.expires != expires }.map(\.expires).max() ?? expires
        let isOtherView = first.beat.operation != beat.operation
        let apart = milliseconds(distance(expires, first.expires))
        var found: Violation
        if expires > latest {
            found = violation(
                .profileNotProlonged, .certain, [first.beat, beat],
                gap: beat.call - first.beat.ret,
                "\(beat.name) returned the profile of \(user) with an expiry \(apart) "
                    + "later than \(first.beat.name); there was no new login")
            if isOtherView { found.companions = [.profileViewsAgree] }
        } else {
            found = violation(
                isOtherView ? .profileViewsAgree : .oneToken, .certain, [first.beat, beat],
                gap: beat.call - first.beat.ret,
                "\(first.beat.name) and \(beat.name) returned the profile of \(user) with expiries "
                    + "\(apart) apart; there was only one login")
        }
        // With one beginning it is one profile, whoever else has the account.
        let isOne =
            profiles?.seen.contains {
                $0.tag == operation.tag && $0.slot == operation.slot
                    && $0.generated == operation.generated && $0.expires != expires
            } ?? false
        accuse(found, onAccount: isOne ? 0 : tags[Int(tag)].mark)
    }
}
