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
