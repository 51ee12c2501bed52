internal import Vocabulary

/// Decisions of REST V2 (rest-v2.md § 7).
extension HouseholdState {
    /// I14, I26 and I27: what a decision rests on, and the media token that it carries.
    mutating func judgeDecision(
        _ operation: Observed, _ beat: CompactOperation, _ answer: ProfileAnswer,
        _ book: ProfileBook
    ) {
        for slot in missing(operation, answer, book) {
            judgeAbsence(beat, SignInScope(slot: slot))
            book.noteEmpty(slot, at: beat.ret)
        }
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
        guard isByProfile(operation, answer, book) else { return }
        check(.authorizationGates)
        var one = operation
        (one.tag, one.expires) = (0, 0)
        judgeToken(one, beat)
    }
}
