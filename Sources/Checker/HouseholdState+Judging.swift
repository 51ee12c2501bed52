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
            if let position = signOuts.lastIndex(where: {
                $0.effect == .success && $0.ret < sent && $0.ends(operation.slot)
            }) {
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

    // MARK: Who can have written what

    /// The sign-ins that a read of `value` at a provider may show, called by `time`.
    func writers(of value: UInt8, by time: Int64, at slot: UInt8 = 0) -> [SignInAttempt] {
        attempts.filter { isWriter($0, of: value, by: time, at: slot) }
    }

    /// The one of them that was answered last.
    func lastWriter(of value: UInt8, by time: Int64, life: Int? = nil, at slot: UInt8 = 0)
        -> CompactOperation?
    {
        var last: CompactOperation?
        for position in attempts.indices
        where isWriter(attempts[position], of: value, by: time, at: slot)
            && (life == nil || attempts[position].life == life)
            && attempts[position].beat.ret > last?.ret ?? .min
        {
            last = attempts[position].beat
        }
        return last
    }

    func isWriter(
        _ attempt: SignInAttempt, of value: UInt8, by time: Int64, at slot: UInt8
    ) -> Bool {
        attempt.isCandidate && attempt.beat.call <= time
            && (value == TokenRead.somebody
                ? slot == 0 || isOf(attempt.tag, slot) : attempt.tag == value - 1)
    }

    /// Whether a sign-in with that tag is one at that provider, as far as is known.
    func isOf(_ tag: UInt8, _ slot: UInt8) -> Bool {
        guard slot != 0, tag != ModelOperation.none, let profiles else { return true }
        let mvpd = tags[Int(tag)].mvpd
        return mvpd == 0 || profiles.isProvider(mvpd, slot)
    }

    /// The sign-in that the device came with may be what `value` shows.
    func isFromBefore(_ value: UInt8) -> Bool {
        guard !registry.devicesAreFresh, !reads.contains(where: { $0.value == 0 }),
            !signOuts.contains(where: { $0.effect == .success })
        else { return false }
        return value == TokenRead.somebody || value == 1
    }

    mutating func notePreSignedIn() {
        guard !isPreSignedIn else { return }
        isPreSignedIn = true
        registry.preSignedIn += 1
    }

    /// Whether the sign-in behind `value` may have ended by itself before `time`.
    func mayHaveExpired(_ value: UInt8, by time: Int64, at slot: UInt8 = 0) -> Bool {
        let shortest = registry.shortestSignIn
        var isKnown = false
        for position in tokens.indices
        where value == TokenRead.somebody
            ? isOf(tokens[position].tag, slot) : tokens[position].tag == value - 1
        {
            guard let window = registry.clock.window(of: tokens[position].expires, at: now) else {
                return true
            }
            if window.low <= time { return true }
            isKnown = true
        }
        if isKnown, value != TokenRead.somebody { return false }
        if isPreSignedIn { return true }
        var first = Int64.max
        for position in attempts.indices
        where isWriter(attempts[position], of: value, by: time, at: slot) {
            first = min(first, attempts[position].beat.call)
        }
        return first == .max || first == .min || time - first > shortest
    }

    // MARK: Accusing

    /// Whether there is a sign-in, called by `time`, that a read of `value` may show.
    func hasWriters(of value: UInt8, by time: Int64, at slot: UInt8 = 0) -> Bool {
        attempts.contains { isWriter($0, of: value, by: time, at: slot) }
    }

    /// Puts a violation together; `evidence` is in the order of its telling, the last the one that
    /// nothing explains.
    func violation(
        _ invariant: Invariant, _ certainty: Certainty, _ evidence: [CompactOperation],
        gap: Int64? = nil,
        gapFrom: Int64? = nil, source: PromiseSource? = nil, _ text: String
    ) -> Violation {
        let certainty = weakened(certainty, invariant, evidence)
        let source = source ?? registry.source(of: invariant)
        let last = evidence.last
        let told = evidence.map { "\($0.operation.name) \($0.answer)" }.joined(separator: " > ")
        var sentence = "household \(household): \(text)"
        if evidence.contains(where: { $0.flags & Observed.Flags.edge.rawValue != 0 }) {
            sentence += "; the response came from the edge, not from the service"
        }
        var violation = Violation(
            invariant: invariant, certainty: certainty, source: source,
            standing: registry.standing(invariant, certainty, source, last?.operation),
            household: household, exchanges: evidence.map { Int($0.sequence) },
            operations: evidence.map(\.operation), signature: "\(invariant.name): \(told)",
            gap: gap.flatMap { $0 < 0 ? nil : $0 }, at: last?.ret ?? now, sentence: sentence,
            scene: scene(evidence))
        violation.gapFrom = violation.gap.flatMap {
            gapFrom ?? Self.start(ofGap: $0, between: evidence)
        }
        violation.hangsOnCode = evidence.contains {
            $0.flags & Observed.Flags.afterEnd.rawValue != 0
        }
        // What a screen did itself and does not see is another failure than what the other did.
        let isOwn = evidence.count > 1 && evidence[0].screen == evidence[evidence.count - 1].screen
        violation.level =
            invariant == .signInVisible && isOwn ? .readYourWrites : invariant.level
        return violation
    }

    /// Where one operation of the evidence returned so long before another was sent.
    private static func start(ofGap gap: Int64, between evidence: [CompactOperation]) -> Int64? {
        evidence.first { first in evidence.contains { $0.call - first.ret == gap } }?.ret
    }

    /// What stands between us and the service makes some things less sure.
    private func weakened(
        _ certainty: Certainty, _ invariant: Invariant, _ evidence: [CompactOperation]
    ) -> Certainty {
        if evidence.contains(where: { $0.flags & Observed.Flags.edge.rawValue != 0 }) {
            return .suspicion("a cache in front of the service responded")
        }
        guard certainty == .certain else { return certainty }
        switch invariant {
        case .errorsHaveNoEffect, .retryOnce, .oneOwner:
            if evidence.contains(where: { $0.flags & Observed.Flags.proxied.rawValue != 0 }) {
                return .suspicion("a proxy may have repeated the request")
            }
        default: break
        }
        return certainty
    }

    /// The first cause of a household is told; what follows from it is attached. `isOfEnds`: a profile's end that
    /// nobody saw would explain it.
    mutating func accuse(
        _ violation: Violation, foreignTag: UInt64 = 0, onAccount account: UInt64 = 0,
        isOfEnds: Bool = true
    ) {
        if isOfEnds, profiles?.keep(back: violation) == true { return }
        if violation.standing != .suspected, !tested.contains(violation.invariant) {
            check(violation.invariant)
        }
        if let level = violation.level, violation.standing != .suspected { broken.insert(level) }
        let same = causes.first {
            // What may have to be taken back does not stand for what stands by itself.
            $0.invariant == violation.invariant
                && (violation.hangsOnCode || !isConditional($0.position))
        }
        if let same {
            guard let position = same.position else { return }
            registry.amend(position) { found in
                found.times += 1
                // What the documentation promises is reported rather than a reading of ours.
                guard violation.source == .documented, found.source != .documented else { return }
                var stronger = violation
                (stronger.times, stronger.companions) = (found.times, found.companions)
                found = stronger
            }
            return
        }
        let cause = causes.first {
            if violation.invariant == .linearizable { return true }
            guard violation.mayFollow(from: $0.standing) else { return false }
            // What fails the run is not hidden behind a late or lost read that fails none.
            if violation.standing == .fails, $0.standing == .observed,
                [.signInVisible, .tokenMonotonic].contains($0.invariant)
            {
                return false
            }
            return $0.invariant.companions.contains(violation.invariant)
                || violation.invariant.companions.contains($0.invariant)
        }
        if let cause {
            guard let position = cause.position else { return }
            registry.amend(position) { found in
                if !found.companions.contains(violation.invariant) {
                    found.companions.append(violation.invariant)
                }
            }
            return
        }
        let position = registry.add(
            violation, foreignTag: foreignTag == Self.anybody ? 0 : foreignTag,
            onAccount: account, subjects: profiles?.subjects ?? [])
        causes.append((position, violation.invariant, violation.standing))
        if let position, violation.hangsOnCode || foreignTag != 0 {
            conditional.append((position, foreignTag))
        }
    }

    private func isConditional(_ position: Int?) -> Bool {
        conditional.contains { $0.position == position }
    }

    /// The last operations, with those of the conflict marked.
    func scene(_ evidence: [CompactOperation]) -> [SceneEntry] {
        var beats = ring.all
        for beat in evidence where !beats.contains(where: { $0.sequence == beat.sequence }) {
            beats.append(beat)
        }
        beats.sort { ($0.call, $0.sequence) < ($1.call, $1.sequence) }
        return beats.map { beat in
            SceneEntry(
                sequence: Int(beat.sequence), operation: beat.operation, screen: Int(beat.screen),
                call: beat.call, ret: beat.ret, isOpen: beat.effect == .open, answer: beat.answer,
                belief: beat.belief,
                isConflict: evidence.contains { $0.sequence == beat.sequence })
        }
    }
}
