internal import Dialects
internal import Vocabulary

/// Sessions and their codes (rest-v2.md § 5): what V1 asks of codes, and I24 and I33.
extension HouseholdState {
    /// A code's end is judged as in V1. That a code leads to a profile says nothing of the code: it may be
    /// long over (B24).
    mutating func judgeSession(_ operation: Observed, _ beat: CompactOperation, _ life: Int) {
        guard let profiles else { return }
        switch (operation.step, operation.effect) {
        case (.lookUpCode, .success):
            judgeAlive(life, beat)
            judgeBack(life, beat)
            judgeOlder(life, beat, profiles)
        case (.login, .success) where operation.operation == .authenticate:
            judgeAlive(life, beat)
            judgeOlder(life, beat, profiles)
        case (.confirm, .success):
            let answer = profiles.answer(beat.sequence)
            guard let shown = answer.shown.first(where: { $0.kind == .regular }),
                lives[life].told == nil, !mayBeFromBefore(shown.slot, at: beat.call, profiles)
            else { return }
            lives[life].told = beat
            profiles.tell(life, of: shown.slot)
        case (.confirm, .absent):
            lives[life].refused = beat
            if !profiles.given.contains(life) { judgeUnbound(life, beat) }
        case (.lookUpCode, .absent), (.poll, .expired), (.confirm, .expired):
            if !profiles.given.contains(life) { judgeEarlyEnd(ofCode: life, beat) }
        default: break
        }
    }

    // MARK: I33, session-superseded

    /// The first session of this device that was asked for after that one was there, and was answered
    /// before `time`; nil where the two may stand side by side.
    private func newer(than life: Int, before time: Int64) -> CompactOperation? {
        guard registry.model.newCodeReplaces, profiles?.registered == nil else { return nil }
        let made = lives[life].made
        let next = lives.first {
            $0.made.call > made.ret && $0.made.ret < time - registry.visibility
        }
        return next?.made
    }

    /// A browser or the phone was let go on with a code whose session had given way to a newer one. One
    /// that somebody signed in by is complete, which stays (B40).
    private mutating func judgeOlder(_ life: Int, _ beat: CompactOperation, _ book: ProfileBook) {
        check(.sessionSuperseded)
        guard let newer = newer(than: life, before: beat.call), !book.given.contains(life),
            !attempts.contains(where: {
                $0.isCandidate && $0.life == life && $0.beat.call <= beat.ret
            })
        else { return }
        let gap = beat.call - newer.ret
        let text =
            "\(beat.name) found code \(lives[life].text) valid \(milliseconds(gap)) after "
            + "\(newer.name) had created a newer session"
        accuse(violation(.sessionSuperseded, .certain, [newer, beat], gap: gap, text))
    }

    /// A profile that came by a login which began and ended after a newer session was there. True when it
    /// was told so.
    mutating func judgeSuperseded(
        _ first: SignInAttempt, _ writers: [SignInAttempt], _ beat: CompactOperation
    ) -> Bool {
        guard let profiles, first.life >= 0 else { return false }
        check(.sessionSuperseded)
        let earliest = writers.map(\.beat.call).min() ?? .min
        guard let newer = newer(than: first.life, before: earliest),
            profiles.loginBegun[first.life].map({ $0 > newer.ret }) ?? true
        else { return false }
        let gap = first.beat.call - newer.ret
        let text =
            "\(first.beat.name) signed in by code \(lives[first.life].text) \(milliseconds(gap)) after "
            + "\(newer.name) had created a newer session; \(beat.name) returned the sign-in"
        accuse(
            violation(.sessionSuperseded, .certain, [newer, first.beat, beat], gap: gap, text))
        return true
    }

    // MARK: I24, action-true

    /// What create-session says of the device's own profile at the provider that it named.
    mutating func judgeAction(
        _ operation: Observed, _ beat: CompactOperation, _ answer: ProfileAnswer,
        _ book: ProfileBook
    ) {
        guard operation.operation == .createSession, operation.effect == .success,
            operation.slot > 0
        else { return }
        let isKnown = !mayBeFromBefore(operation.slot, at: operation.call, book)
        switch answer.action {
        case .authorizeSignedIn where isKnown:
            if answer.subject == 0 { noteOwn(operation, beat, book) }
            judgeAuthorize(operation, beat, book)
        case .authenticate where isKnown: judgeAuthenticate(operation, beat, book)
        case .authorizeDegraded:
            let mvpd = book.mark(of: operation.slot)
            judgeRule(mvpd, beat, "returned \"authorize\" (degraded)")
        case .authorizeShared where answer.subject == 0:
            check(.identityIsolation)
            let text =
                "\(beat.name), sent without an identity token, returned \"authorize\" (authenticatedSSO)"
            accuse(violation(.identityIsolation, .certain, [beat], text))
        default: break
        }
    }

    private mutating func judgeAuthorize(
        _ operation: Observed, _ beat: CompactOperation, _ book: ProfileBook
    ) {
        check(.actionTrue)
        guard !book.partnered.contains(operation.slot) else { return }
        let last = lastWriter(of: TokenRead.somebody, by: beat.ret, at: operation.slot)
        guard let last else {
            let text =
                "\(beat.name) returned \"authorize\" (authenticated), although nobody had signed in on "
                + "this device with that provider"
            return accuse(violation(.actionTrue, .certain, [beat], text), foreignTag: Self.anybody)
        }
        let sent = beat.call - registry.visibility
        if let out = signOuts.last(where: {
            $0.effect == .success && $0.ret < sent && $0.ends(operation.slot)
        })?.beat, last.ret < out.call - registry.visibility {
            let gap = beat.call - out.ret
            let text =
                "\(beat.name) returned \"authorize\" (authenticated) \(milliseconds(gap)) after "
                + "\(out.name) had ended the profile; there was no sign-in in between"
            return accuse(violation(.actionTrue, .certain, [out, beat], gap: gap, text))
        }
        compare(
            TokenRead(
                value: TokenRead.somebody, beat: beat, scope: SignInScope(slot: operation.slot)))
    }

    private mutating func judgeAuthenticate(
        _ operation: Observed, _ beat: CompactOperation, _ book: ProfileBook
    ) {
        let scope = SignInScope(slot: operation.slot)
        let last = lastShown(scope, before: beat.call - registry.visibility)
        guard let last else { return }
        check(.actionTrue)
        guard !mayHaveEnded(since: last.beat, by: beat.ret, scope),
            !mayHaveExpired(last.value, by: beat.ret, at: operation.slot)
        else { return }
        let gap = beat.call - last.beat.ret
        let text =
            "\(beat.name) returned \"authenticate\" \(milliseconds(gap)) after \(last.beat.name) had "
            + "returned a live profile at that provider; nothing this household did in between ended it"
        let resumed = takeover(last, book)
        accuse(
            violation(
                resumed == nil ? .actionTrue : .codeBindsDevice, .certain,
                [resumed, last.beat, beat].compactMap(\.self), gap: gap, text))
    }

    /// The last answer before that time that told of the profile, if it showed one: of one that was said to be gone, its loss is
    /// what was found.
    private func lastShown(_ scope: SignInScope, before time: Int64) -> TokenRead? {
        var last: TokenRead?
        for position in reads.indices
        where reads[position].value != 0 && reads[position].scope.isSame(as: scope)
            && reads[position].beat.ret < time
            && reads[position].beat.call > last?.beat.call ?? .min
        {
            last = reads[position]
        }
        guard let last else { return nil }
        let isGone = reads.contains {
            $0.value == 0 && $0.scope.isSame(as: scope) && $0.beat.ret < time
                && $0.beat.call - registry.visibility > last.beat.ret
        }
        return isGone ? nil : last
    }

    // MARK: What a logout says of the profiles (rest-v2.md § 9)

    mutating func judgeActionOfLogout(
        _ operation: Observed, _ beat: CompactOperation, _ answer: ProfileAnswer,
        _ book: ProfileBook
    ) {
        guard operation.effect == .success, operation.slot > 0, let found = answer.logout else {
            return
        }
        switch found {
        case .noProfile:
            if judgeInvalid(beat, operation.slot, book) { return }
            let partner = book.partner(of: operation.slot)
            if partner > 0 { _ = judgeInvalid(beat, partner, book) }
        case .ownProfile where answer.subject == 0:
            // An identity's profile may be what it ends (B47).
            if book.subjects.isEmpty { noteOwn(operation, beat, book) }
            judgeLogin(endedBy: beat, operation, book)
        case .ownProfile, .partnersProfile: break
        }
    }

    /// `conforms`: the action for a device that signed in by the platform alone is `partner_logout`, for only the platform's
    /// settings end the rest. Where a login, a rule or another app of the device made a profile as well, that may be the one that the
    /// action is about (B18, B56).
    private mutating func judgeLogin(
        endedBy beat: CompactOperation, _ operation: Observed, _ book: ProfileBook
    ) {
        let (own, partner) = (operation.slot, book.partner(of: operation.slot))
        guard partner > 0, registry.appsOfDevice == 1, !book.degraded.contains(own),
            !mayBeFromBefore(own, at: operation.call, book),
            !attempts.contains(where: {
                $0.isCandidate && $0.beat.operation != .ssoProfile && $0.beat.call <= beat.ret
                    && isOf($0.tag, own)
            }),
            !reads.contains(where: { $0.value != 0 && $0.scope.isSame(as: SignInScope(slot: own)) }
            ),
            let last = lastShown(
                SignInScope(slot: partner), before: beat.call - registry.visibility)
        else { return }
        let text =
            "\(beat.name) returned \"logout\", \(milliseconds(beat.call - last.beat.ret)) after "
            + "\(last.beat.name) had returned a profile of the platform, and nobody had signed in at that provider "
            + "by a login: the action is \"partner_logout\" then"
        accuse(violation(.conforms, .certain, [last.beat, beat], text))
    }

    /// I21, profile-views-agree: a logout that returns `invalid` says that there is no valid profile. True where that
    /// cannot be.
    private mutating func judgeInvalid(
        _ beat: CompactOperation, _ slot: UInt8, _ book: ProfileBook
    ) -> Bool {
        guard !mayBeFromBefore(slot, at: beat.call, book),
            let last = lastShown(
                SignInScope(slot: slot), before: beat.call - registry.visibility),
            logout(before: last.beat, last.value, at: slot) == nil
        else { return false }
        check(.profileViewsAgree)
        let since = last.beat.call - registry.visibility
        let isEnded = signOuts.contains {
            $0.beat.sequence != beat.sequence && $0.effect != .denied && $0.call <= beat.ret
                && $0.ret >= since && $0.ends(slot)
        }
        guard !isEnded, !mayHaveExpired(last.value, by: beat.ret, at: slot) else { return false }
        let gap = beat.call - last.beat.ret
        let isProxied = beat.flags & Observed.Flags.proxied.rawValue != 0
        let contradiction =
            "\(beat.name) returned \"invalid\" (no profile) \(milliseconds(gap)) after \(last.beat.name) had "
            + "returned a live profile at that provider; "
        if !isProxied, !book.partners.contains(slot),
            let other = elsewhere(slot, since: last.beat, by: beat.ret)
        {
            let text = contradiction + "in between only another provider's changed (\(other.name))"
            accuse(
                violation(
                    .providerIndependence, .certain, [last.beat, other, beat], gap: gap, text))
            return true
        }
        let text = contradiction + "nothing this household did in between ended it"
        var found = violation(
            .profileViewsAgree,
            isProxied ? .suspicion("a proxy may have repeated the request") : .certain,
            [last.beat, beat], gap: gap, text)
        found.companions = [.tokenMonotonic]
        accuse(found)
        return true
    }
}
