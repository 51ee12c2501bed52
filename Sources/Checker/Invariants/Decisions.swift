internal import Vocabulary

/// Decisions of REST V2 (rest-v2.md § 7).
extension HouseholdState {
    /// I14, I26 and I27: what a decision rests on, and the media token that it carries.
    mutating func judgeDecision(
        _ operation: Observed, _ beat: CompactOperation, _ answer: ProfileAnswer,
        _ book: ProfileBook
    ) {
        _ = judgeAbsences(operation, beat, answer, book)
        guard operation.effect == .success else { return }
        if isByProfile(operation, answer, book) { noteOwn(operation, beat, book) }
        if operation.step == .preauthorize {
            check(.preauthorizeInert)
            if operation.detail != 0 {
                let text = "\(beat.name) returned a media token, which only authorize grants"
                accuse(violation(.preauthorizeInert, .certain, [beat], text))
            }
        } else {
            if answer.source == .rule, operation.slot > 0 {
                judgeRule(book.mark(of: operation.slot), beat, "permitted by a degradation rule")
            }
            check(.decisionTrue)
            judgeLife(operation, beat, .decisionTrue)
            judgeBinding(operation, beat, .decisionTrue)
        }
        judgePermit(operation, beat, answer, book)
        guard let slot = permitting(operation, answer, beat, book) else { return }
        check(.authorizationGates)
        var one = operation
        (one.tag, one.expires, one.slot) = (0, 0, slot)
        judgeToken(one, beat)
    }

    /// I14, as a suspicion: the service keeps what a provider decided (rest-v2.md § 7), which is so at least as long as the media
    /// token lives that came with it; but the provider may have changed its mind. A denial is not kept (B34).
    mutating func judgeReversal(
        _ operation: Observed, _ beat: CompactOperation, _ answer: ProfileAnswer,
        _ book: ProfileBook
    ) {
        guard operation.slot > 0, operation.resource != ModelOperation.none else { return }
        let known = book.granted.firstIndex {
            $0.resource == operation.resource && $0.slot == operation.slot
        }
        if operation.effect == .success, answer.source == .provider {
            let permit = ProfileBook.Permit(
                resource: operation.resource, slot: operation.slot, beat: beat,
                expires: operation.expires)
            if let known { book.granted[known] = permit } else { book.granted.append(permit) }
        } else if operation.effect == .denied, answer.reason == .deniedByProvider, let known {
            let permit = book.granted.remove(at: known)
            guard permit.beat.ret < beat.call - registry.visibility, book.subjects.isEmpty,
                let window = registry.clock.window(of: permit.expires, at: now),
                beat.ret < window.low,
                isUnchanged(operation.slot, from: permit.beat.call, to: beat.ret)
            else { return }
            let gap = beat.call - permit.beat.ret
            let certainty = Certainty.suspicion("the provider may have decided otherwise since")
            let text =
                "\(beat.name) denied \(resources[Int(operation.resource)]) \(milliseconds(gap)) after "
                + "\(permit.beat.name) had permitted it, while that permit's media token was valid; nothing "
                + "in between changed the sign-in"
            accuse(
                violation(.authorizationGates, certainty, [permit.beat, beat], gap: gap, text))
        }
    }

    /// Whether decisions at that provider rested on one sign-in all the time.
    private func isUnchanged(_ slot: UInt8, from call: Int64, to ret: Int64) -> Bool {
        let since = call - registry.visibility
        let isEnded = signOuts.contains {
            $0.effect != .denied && $0.ends(slot) && $0.call <= ret && $0.ret >= since
        }
        let logins = writers(of: TokenRead.somebody, by: ret, at: slot)
        // With a partner's profile besides, each request chooses between two.
        let byPartner = logins.count { $0.beat.operation == .ssoProfile }
        return !isEnded && (byPartner == 0 || byPartner == logins.count)
            && logins.allSatisfy { $0.beat.ret < since }
            && !mayHaveExpired(TokenRead.somebody, by: ret, at: slot)
    }

    /// The number of the profile that a permit rests on: the device's own, or the partner's where that is the only sign-in
    /// there. Nil where it rests on no profile, or may rest on either.
    private func permitting(
        _ operation: Observed, _ answer: ProfileAnswer, _ beat: CompactOperation,
        _ book: ProfileBook
    ) -> UInt8? {
        if isByProfile(operation, answer, book) { return operation.slot }
        guard answer.source == .provider, answer.subject == 0, operation.slot > 0 else {
            return nil
        }
        let partner = book.partner(of: operation.slot)
        guard partner > 0, !mayBeFromBefore(operation.slot, at: operation.call, book),
            !mayBeFromBefore(partner, at: operation.call, book)
        else { return nil }
        let logins = attempts.filter {
            $0.isCandidate && $0.beat.call <= beat.ret && isOf($0.tag, partner)
        }
        return !logins.isEmpty && logins.allSatisfy { $0.beat.operation == .ssoProfile }
            ? partner : nil
    }
}
