internal import Vocabulary

/// I9, I10, I11 and the second half of I6: what is over is over, and not before its time.
extension HouseholdState {
    // MARK: Codes

    mutating func judgeCode(_ operation: Observed, _ beat: CompactOperation) {
        guard let life = life(of: operation) else { return }
        if profiles != nil { return judgeSession(operation, beat, life) }
        switch (operation.operation, operation.effect) {
        case (.registrationRecord, .success):
            guard
                operation.detail == 0 || lives[life].record == 0
                    || operation.detail == lives[life].record
            else { return }
            judgeAlive(life, beat)
            judgeBack(life, beat)
        case (.authenticate, .success), (.checkCode, .success), (.preauthorizeCode, .success):
            judgeAlive(life, beat)
            // That a login was recorded which a logout has ended since promises the TV nothing.
            if operation.operation == .checkCode, lives[life].told == nil,
                logout(before: beat, operation, TokenRead.somebody) == nil
            {
                lives[life].told = beat
            }
        case (.checkCode, .absent), (.checkCode, .expired), (.preauthorizeCode, .absent):
            if operation.operation == .checkCode { lives[life].refused = beat }
            judgeUnbound(life, beat)
        case (.registrationRecord, .absent), (.registrationRecord, .expired),
            (.deleteRegistration, .absent), (.deleteRegistration, .expired):
            judgeEarlyEnd(ofCode: life, beat)
        default: break
        }
    }

    /// `expiry-respected`, `delete-final`: a code answered after its end.
    mutating func judgeAlive(_ position: Int, _ beat: CompactOperation) {
        let life = lives[position]
        let sent = beat.call - registry.visibility
        if let deleted = life.deleted {
            if sent > deleted.ret {
                let gap = beat.call - deleted.ret
                let text =
                    "\(beat.name) found code \(lives[position].text) valid \(milliseconds(gap)) after "
                    + "\(deleted.name) had deleted it"
                accuse(violation(.deleteFinal, .certain, [deleted, beat], gap: gap, text))
                return
            }
        }
        if beat.call > life.high {
            let gap = beat.call - life.high
            let text =
                "\(beat.name) found code \(lives[position].text) valid \(atLeast(gap)) after its "
                + "expiry (created by \(life.made.name))"
            accuse(
                violation(
                    .expiryRespected, .withinDrift,
                    [life.made, beat], gap: gap, gapFrom: life.high, text))
        }
    }

    /// `token-monotonic`: a code's sign-in was there, and is not there while the code still lives
    /// (rest-v1.md § 6.3): signed out, replaced, run out, or a breach. Once the code has ended such
    /// answers tell nothing.
    mutating func judgeUnbound(_ position: Int, _ beat: CompactOperation) {
        let life = lives[position]
        guard let told = life.told, told.ret < beat.call - registry.visibility else { return }
        check(.tokenMonotonic)
        guard registry.model.recordsOutliveTokens, beat.ret < life.low,
            lives[position].shared.endCalled > beat.ret, !mayHaveEnded(since: told, by: beat.ret),
            !mayBeDeletedElsewhere(position, by: beat.ret),
            !attempts.contains(where: {
                $0.isCandidate && $0.beat.call <= beat.ret && $0.beat.ret >= told.call
            })
        else { return }
        let gap = beat.call - told.ret
        let text =
            "\(beat.name) reported no sign-in by code \(lives[position].text), "
            + "\(milliseconds(gap)) after \(told.name) had reported one; nothing this household did in between ended it"
        accuse(violation(.tokenMonotonic, .certain, [told, beat], gap: gap, text))
    }

    /// `expiry-respected`: gone before its time.
    mutating func judgeEarlyEnd(ofCode position: Int, _ beat: CompactOperation) {
        let life = lives[position]
        defer { if lives[position].gone == nil { lives[position].gone = beat } }
        guard beat.call > life.made.ret + registry.visibility,
            lives[position].shared.endCalled > beat.ret,
            registry.model.recordsOutliveTokens && profiles == nil
                || !attempts.contains(where: { $0.life == position }),
            !mayBeDeletedElsewhere(position, by: beat.ret)
        else { return }
        check(.expiryRespected)
        guard beat.ret < life.low else { return }
        let gap = life.low - beat.ret
        let text =
            "\(beat.name) reported code \(lives[position].text) as gone, \(atLeast(gap)) "
            + "before its expiry; nothing this household did had ended it (created by \(life.made.name))"
        accuse(
            violation(
                .expiryRespected, .withinDrift,
                [life.made, beat], gap: gap, gapFrom: beat.ret, text))
    }

    /// `one-owner`: ended states stay ended.
    mutating func judgeBack(_ position: Int, _ beat: CompactOperation) {
        check(.oneOwner)
        guard let gone = lives[position].gone, gone.ret < beat.call - registry.visibility else {
            return
        }
        let gap = beat.call - gone.ret
        let text =
            "\(beat.name) found code \(lives[position].text) again, \(milliseconds(gap)) after "
            + "\(gone.name) had reported it as gone"
        accuse(violation(.oneOwner, .certain, [gone, beat], gap: gap, text))
    }

    // MARK: Sign-ins

    /// A sign-in by a code that was over: known once its token is seen.
    mutating func judgeSource(of tag: UInt8, _ beat: CompactOperation) {
        let writers = writers(of: tag + 1, by: beat.ret)
        guard let first = writers.first, first.life >= 0,
            writers.allSatisfy({ $0.life == first.life })
        else { return }
        let life = lives[first.life]
        if let deleted = life.deleted,
            writers.allSatisfy({ $0.beat.call - registry.visibility > deleted.ret })
        {
            let gap = first.beat.call - deleted.ret
            let text =
                "\(first.beat.name) signed in by code \(lives[first.life].text) \(milliseconds(gap)) after "
                + "\(deleted.name) had deleted it; \(beat.name) returned the sign-in"
            accuse(violation(.deleteFinal, .certain, [deleted, first.beat, beat], gap: gap, text))
            return
        }
        if profiles != nil, judgeSuperseded(first, writers, beat) { return }
        guard writers.allSatisfy({ $0.beat.call > life.high }) else { return }
        let gap = first.beat.call - life.high
        let text =
            "\(first.beat.name) signed in by code \(lives[first.life].text) \(atLeast(gap)) after "
            + "its expiry; \(beat.name) returned the sign-in"
        accuse(
            violation(
                .expiryRespected, .withinDrift,
                [life.made, first.beat, beat], gap: gap, gapFrom: life.high, text))
    }

    /// A token shown after the expiry that it names itself.
    mutating func judgeExpiry(_ operation: Observed, _ beat: CompactOperation) {
        guard let window = registry.clock.window(of: operation.expires, at: now) else { return }
        let over = window.high.plus(registry.sweepLag)
        guard beat.call > over else { return }
        let gap = beat.call - over
        let text =
            "\(beat.name) returned a sign-in \(atLeast(gap)) after the expiry in the "
            + "same response"
        accuse(
            violation(
                .expiryRespected, .withinDrift, [beat], gap: gap, gapFrom: over,
                text))
    }

    /// `expiry-respected`: a request served by a sign-in that had expired, by the expiry that an earlier answer had
    /// named. Nothing is concluded where there may be another sign-in than those whose expiry is known: each that
    /// was tried must have been answered before a token was shown that had not been seen before, and be of a user
    /// of whom a token was seen.
    ///
    /// ```text
    /// sign-in ──┤   poll: expires E ──┤        E  + skew ·  authorize ──┤ permit
    /// ```
    mutating func judgeOutlived(_ beat: CompactOperation, at slot: UInt8) {
        guard let (last, over) = expiry(at: slot, by: beat), beat.call > over else { return }
        let gap = beat.call - over
        let text =
            "\(beat.name) was served by a sign-in \(atLeast(gap)) after the expiry that "
            + "\(last.name) had returned; there was no sign-in in between"
        accuse(
            violation(
                .expiryRespected, .withinDrift, [last, beat], gap: gap, gapFrom: over, text))
    }

    /// The answer that showed the last token, and when all that were shown are over: nil where there may be another
    /// sign-in than those.
    func expiry(at slot: UInt8, by beat: CompactOperation) -> (
        shown: CompactOperation, over: Int64
    )? {
        guard !registry.isDeviceGrant else { return nil }
        var last: TokenSeen?
        var over = Int64.min
        for position in tokens.indices where isOf(tokens[position].tag, slot) {
            guard let window = registry.clock.window(of: tokens[position].expires, at: now) else {
                return nil
            }
            over = max(over, window.high.plus(registry.sweepLag))
            if tokens[position].beat.call >= last?.beat.call ?? .min { last = tokens[position] }
        }
        guard let last else { return nil }
        let shown = last.beat.call - registry.visibility
        for position in attempts.indices
        where isWriter(attempts[position], of: TokenRead.somebody, by: beat.ret, at: slot) {
            let attempt = attempts[position]
            guard attempt.beat.ret < shown, tokens.contains(where: { $0.tag == attempt.tag }) else {
                return nil
            }
        }
        return (last.beat, over)
    }

    /// Gone shortly before the expiry that its token names: early rather than lost. True when it
    /// was told so.
    mutating func judgeEarlyEnd(_ read: TokenRead, _ earlier: TokenRead) -> Bool {
        guard earlier.value != TokenRead.somebody,
            let seen = tokens.last(where: { $0.tag == earlier.value - 1 }),
            let window = registry.clock.window(of: seen.expires, at: now)
        else { return false }
        check(.expiryRespected)
        let left = window.low - read.beat.ret
        let life = window.low - (writers(of: earlier.value, by: now).first?.beat.ret ?? .max)
        guard left > 0, read.beat.effect == .expired || left <= max(life / 10, 5_000_000_000)
        else { return false }
        let text =
            "\(read.beat.name) returned \"not signed in\", \(atLeast(left)) "
            + "before the expiry of the sign-in that \(earlier.beat.name) had returned"
        accuse(
            violation(
                .expiryRespected, .withinDrift,
                [earlier.beat, read.beat], gap: left, gapFrom: read.beat.ret, text))
        return true
    }

    private func logout(before beat: CompactOperation, _ operation: Observed, _ value: UInt8)
        -> CompactOperation?
    {
        // That a code has led to a sign-in stays true when the TV has logged out (rest-v1.md § 6.3).
        if operation.operation == .checkCode { return nil }
        // Preauthorization by a code answers for that code's sign-in alone.
        let ofCode = operation.operation == .preauthorizeCode
        let life = ofCode ? life(of: operation) : nil
        if ofCode, life == nil { return nil }
        return logout(before: beat, value, life: life, at: operation.slot)
    }

    /// The sign-out that had ended every sign-in which `beat` may show, before it was sent. `life`: of the code that it
    /// is about; nil: of whatever code.
    func logout(before beat: CompactOperation, _ value: UInt8, life: Int? = nil, at slot: UInt8)
        -> CompactOperation?
    {
        guard !signOuts.isEmpty,
            let out = signOuts.last(where: {
                $0.effect == .success && $0.ret < beat.call - registry.visibility
                    && $0.ends(slot)
            })?.beat,
            let last = lastWriter(of: value, by: beat.ret, life: life, at: slot),
            last.ret < out.call - registry.visibility,
            !mayComeLater(last, value, than: out.ret, at: slot)
        else { return nil }
        return out
    }

    /// `logout-final`: after a sign-out nothing of that sign-in answers.
    mutating func judgeLogout(_ operation: Observed, _ beat: CompactOperation, _ value: UInt8) {
        guard let out = logout(before: beat, operation, value) else { return }
        let gap = beat.call - out.ret
        let text =
            "\(beat.name) still returned the sign-in \(milliseconds(gap)) after \(out.name) had "
            + "been confirmed; there was no sign-in in between"
        // RFC 7009, 2 speaks of the token; what a used device code is good for, and a token beside the one
        // that was given back, it does not say.
        let isOther =
            operation.step == .poll
            || operation.detail != 0 && grantBook?.returned.contains(operation.detail) != true
        let source: PromiseSource? = registry.isDeviceGrant && isOther ? .ours : nil
        accuse(
            violation(.logoutFinal, .certain, [out, beat], gap: gap, source: source, text))
    }
}
