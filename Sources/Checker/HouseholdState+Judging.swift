internal import Vocabulary

/// What each answer is held against as it returns: everything that was called before then has been
/// noted. The first that finds something names the breach; the rest may add to it.
extension HouseholdState {
    /// Counts the answer at hand for a promise that it could have broken: once, however many rules look
    /// at it.
    mutating func check(_ invariant: Invariant) {
        guard !invariant.isOfProfiles else {
            if profiles?.counts(invariant) == true { count(invariant) }
            return
        }
        // Those of profiles, which lie between, are counted in their book.
        let first = Invariant.profileConsistent.rawValue
        let place =
            invariant.rawValue < first
            ? invariant.rawValue
            : first + invariant.rawValue - Invariant.decisionFinal.rawValue
        let bit: UInt32 = 1 << UInt32(place)
        guard counted & bit == 0 else { return }
        counted |= bit
        count(invariant)
    }

    /// Counts checks that are not of the answer at hand alone.
    mutating func count(_ invariant: Invariant, _ checks: Int = 1) {
        guard checks > 0 else { return }
        tested.insert(invariant)
        registry.check(invariant, checks)
    }

    mutating func judge(_ operation: Observed, _ beat: CompactOperation, isQuiet: Bool) {
        counted = 0
        if operation.operation.isThrottled { judgeThrottle(operation, beat, isQuiet: isQuiet) }
        if operation.step == .poll { judgePolling(operation, beat) }
        let profiles = profiles
        profiles?.beginCounting()
        // Letters that another holds as well: nobody can say whose code the answer is about.
        guard operation.effect != .nothing, !operation.flags.contains(.anothers) else { return }
        countEnds(operation, beat)
        if let profiles { return judge(operation, beat, profiles) }
        if registry.isDeviceGrant {
            judgeGrant(operation, beat)
            if operation.step == .otherClient { return }
            if isMootEnd(operation) || isOfAnotherGrant(operation) { return }
        }
        guard operation.effect != .denied else { return }
        if operation.effect == .success, operation.operation.showsToken {
            judgeToken(operation, beat)
        } else if operation.tellsAbsence {
            judgeAbsence(operation, beat)
        }
        if operation.code != 0 { judgeCode(operation, beat) }
        if operation.operation.needsAuthorization { judgeAuthorization(operation, beat) }
        if operation.step == .authorize, operation.effect == .success {
            judgeLife(operation, beat, .expiryRespected, "granted an authorization")
        }
    }

    /// "Somebody is signed in", and where the answer tells, who.
    mutating func judgeToken(_ operation: Observed, _ beat: CompactOperation) {
        let value = value(of: operation, beat)
        let isNamed = operation.tag != 0 && value != TokenRead.somebody
        if value == 0 {
            // Named a user that never signed in here.
            judgeStranger(operation, beat)
            return
        }
        if let late, operation.screen == 0 {
            self.late = nil
            accuse(late)
        }
        guard judgeCausality(operation, beat, value) else { return }
        if isNamed {
            judgeOwner(operation, beat, value)
        } else if operation.tag != 0 {
            judgeUnplacedToken(operation, beat)
        }
        judgeLogout(operation, beat, value)
        guard operation.screen == 0 else { return }
        let scope = SignInScope(slot: operation.slot)
        countSight(beat, value, scope)
        compare(TokenRead(value: value, beat: beat, scope: scope))
        noteDelivery(scope)
        if isNamed, tags[Int(value) - 1].first == nil {
            judgeSource(of: value - 1, beat)
            noteFirst(beat, value)
        }
        if operation.expires > 0, operation.operation.showsExpiry, operation.tag != 0 {
            judgeExpiry(operation, beat)
        } else {
            judgeOutlived(beat, at: operation.slot)
        }
    }

    /// Promises that an answer could have broken whatever it says: that nobody is signed in before the
    /// first sign-in, after a sign-out, or by one that was refused; that a deleted code is gone; that
    /// what nobody authorized is not played, and what somebody did may be.
    private mutating func countEnds(_ operation: Observed, _ beat: CompactOperation) {
        guard !operation.flags.contains(.throttled) else { return }
        let sent = beat.call - registry.visibility
        if operation.operation.showsToken {
            if let (_, over) = expiry(at: operation.slot, by: beat), beat.call > over {
                check(.expiryRespected)
            }
            if !hasWriters(of: TokenRead.somebody, by: beat.ret, at: operation.slot) {
                // Else a sign-in from before the run may be shown.
                if profiles != nil || !isFromBefore(TokenRead.somebody) {
                    if lives.isEmpty { looksBeforeCode += 1 } else { check(.noTokenBeforeSignIn) }
                }
                if attempts.contains(where: { $0.beat.call <= beat.ret }) {
                    check(.errorsHaveNoEffect)
                }
            }
            if let out = signOuts.last(where: { $0.call <= beat.ret }), out.effect == .denied {
                check(.errorsHaveNoEffect)
            }
            let partner = profiles?.partner(of: operation.slot) ?? 0
            // A poll by a code that has served shows nothing of the token that was given back.
            if operation.operation != .checkCode, operation.operation != .deviceToken,
                let position = signOuts.lastIndex(where: {
                    $0.effect == .success && $0.ret < sent
                        && ($0.ends(operation.slot) || partner > 0 && $0.ends(partner))
                })
            {
                let out = signOuts[position]
                let isSignedIn = attempts.contains {
                    $0.isCandidate && $0.beat.call <= beat.ret
                        && $0.beat.ret >= out.call - registry.visibility
                }
                if !isSignedIn {
                    check(.logoutFinal)
                    noteLook(beat, afterSignOut: position)
                }
            }
        }
        if operation.operation.needsAuthorization,
            operation.operation != .authorize
                || standingGrant(of: operation.resource, at: beat) != nil
        {
            check(.authorizationGates)
        }
        if operation.code != 0, operation.operation.isAboutCode,
            operation.operation != .deleteRegistration, let life = life(of: operation)
        {
            if beat.call > lives[life].high { check(.expiryRespected) }
            if let deleted = lives[life].deleted, deleted.ret < sent {
                check(.deleteFinal)
                noteLook(beat, atDeleted: life)
            }
        }
    }

    private mutating func judgeAbsence(_ operation: Observed, _ beat: CompactOperation) {
        guard operation.screen == 0 else { return }
        judgeAbsence(beat, .device, comparing: !isOfUnapprovedCode(operation))
    }

    /// A device grant's poll tells of its own code alone: that nobody has approved that one contradicts no token of an
    /// earlier code.
    private func isOfUnapprovedCode(_ operation: Observed) -> Bool {
        guard operation.operation == .deviceToken, let life = life(of: operation) else {
            return false
        }
        return !attempts.contains { $0.isCandidate && $0.life == life }
    }

    mutating func judgeAbsence(
        _ beat: CompactOperation, _ scope: SignInScope, comparing: Bool = true
    ) {
        let read = TokenRead(value: 0, beat: beat, scope: scope)
        if comparing { compare(read) } else { keep(read) }
        judgeVisibility(beat, scope)
        judgeDelivery(beat, scope)
    }

    /// The first answer that names a tag: what it says of the time until then.
    private mutating func noteFirst(_ beat: CompactOperation, _ value: UInt8) {
        let tag = Int(value) - 1
        tags[tag].first = beat
        var writer: SignInAttempt?
        for position in attempts.indices
        where isWriter(attempts[position], of: value, by: beat.ret, at: 0) {
            guard writer == nil else { return }
            writer = attempts[position]
        }
        guard let writer, writer.beat.effect == .maybe else { return }
        var absent = Int64.min
        for position in reads.indices where reads[position].value == 0 {
            absent = max(absent, reads[position].beat.call)
        }
        registry.staleness.add(
            atLeast: absent == .min ? 0 : absent - writer.beat.ret,
            atMost: beat.ret - writer.beat.ret)
    }
}
