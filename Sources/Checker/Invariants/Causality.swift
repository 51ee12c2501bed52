internal import Vocabulary

/// I1, I2, I7 (torn) and I12: whose token is it, and could it be there at all?
extension HouseholdState {
    /// `no-token-before-sign-in`: somebody signed in before an answer that says so returned.
    mutating func judgeCausality(_ operation: Observed, _ beat: CompactOperation, _ value: UInt8)
        -> Bool
    {
        if operation.tag != 0 { check(.tokenIsolation) }
        if hasWriters(of: value, by: beat.ret, at: operation.slot) { return true }
        if profiles == nil, isFromBefore(value) {
            notePreSignedIn()
            return true
        }
        let isNamed = operation.tag != 0 && value != TokenRead.somebody
        let shown = min(beat.ret, firstShown(operation.tag))
        // Somebody else's sign-in explains a bare yes as little as none.
        let denied = attempts.last(where: {
            !$0.isCandidate && $0.beat.call <= shown
                && (value == TokenRead.somebody
                    ? isOf($0.tag, operation.slot) : $0.tag == value - 1)
        })
        if let denied {
            judgeError(beat, denied, showing: isNamed ? operation.tag : Self.anybody)
            return false
        }
        let who = isNamed ? "the sign-in of \(names[Int(value) - 1].text)" : "a sign-in"
        let next = waitingSignIn(after: beat)
        var text = "\(beat.name) returned \(who)"
        var evidence = [beat]
        var gap: Int64?
        if let next {
            text += " \(milliseconds(next.call - beat.ret)) before the first sign-in was sent"
            text += " (\(next.name))"
            gap = next.call - beat.ret
            evidence = [next, beat]
        } else {
            text += ", although this household had not signed in"
        }
        // A bare yes may be about somebody who went astray, and has no name to tell by.
        let found = violation(.noTokenBeforeSignIn, .certain, evidence, gap: gap, text)
        accuse(found, foreignTag: isNamed ? 0 : Self.anybody)
        return false
    }

    /// A user that this household does not sign in as.
    mutating func judgeStranger(_ operation: Observed, _ beat: CompactOperation) {
        check(.tokenIsolation)
        check(.oneToken)
        guard let stranger = strangers.first(where: { $0.seen.mark == operation.tag }) else {
            return
        }
        guard registry.knowsUsers else { return judgeStrange(stranger, beat) }
        let own = writers(of: TokenRead.somebody, by: beat.ret)
        // Provider of one attempt, user of another: torn (R15, R25).
        let providers = own.filter {
            $0.tag != ModelOperation.none && tags[Int($0.tag)].mvpd == stranger.seen.mvpd
        }
        let users = own.filter {
            $0.tag != ModelOperation.none && tags[Int($0.tag)].user == stranger.seen.user
        }
        if let one = providers.first, let two = users.first, profiles == nil {
            let text =
                "\(beat.name) returned \(stranger.name.text): the provider of \(one.beat.name) with the "
                + "user of \(two.beat.name); no sign-in used both"
            accuse(violation(.oneToken, .certain, [one.beat, two.beat, beat], text))
            return
        }
        if profiles != nil, let two = users.first {
            return judgeMixed(beat, stranger, two)
        }
        if let two = users.first {
            let text =
                "\(beat.name) returned \(stranger.name.text); \(two.beat.name) signed in that user at "
                + names[Int(two.tag)].mvpd
            return accuse(
                violation(.oneToken, .certain, [two.beat, beat], text),
                foreignTag: stranger.seen.mark)
        }
        let isEarly = own.isEmpty
        let text =
            isEarly
            ? "\(beat.name) returned the sign-in of \(stranger.name.text) before this household had "
                + "signed in"
            : "\(beat.name) returned the sign-in of \(stranger.name.text); this household signed in as "
                + own.filter { $0.tag != ModelOperation.none }.map { names[Int($0.tag)].text }
                .joined(separator: ", ")
        let found = violation(
            isEarly ? .noTokenBeforeSignIn : .tokenIsolation, .certain, [beat], text)
        accuse(found, foreignTag: stranger.seen.mark)
    }

    /// When an answer first named that user here: a login that was sent later has not made it.
    func firstShown(_ user: UInt64) -> Int64 {
        strangers.first { $0.seen.mark == user }?.ret ?? .max
    }

    /// `errors-have-no-effect`: the only sign-in that explains it was turned down. Where users are learned, the `user` shown may
    /// turn out to be another household's.
    mutating func judgeError(
        _ beat: CompactOperation, _ denied: SignInAttempt, showing user: UInt64 = 0
    ) {
        let isThrottled = denied.beat.flags & Observed.Flags.throttled.rawValue != 0
        let gap = beat.call - denied.beat.ret
        // It was turned down, whenever that was: a poll of the same moment proves as much.
        let text =
            "\(beat.name) returned a sign-in that \(denied.beat.name) had "
            + (isThrottled ? "throttled (429)" : "rejected")
            + (gap >= 0 ? ", \(milliseconds(gap)) before" : " at the same time")
        let found = violation(.errorsHaveNoEffect, .certain, [denied.beat, beat], gap: gap, text)
        guard let stranger = strangers.first(where: { $0.seen.mark == user }),
            !registry.knowsUsers
        else { return accuse(found, foreignTag: user == Self.anybody ? user : 0) }
        let other =
            "\(beat.name) returned the sign-in of \(stranger.name.text), which no sign-in of this household "
            + "explains"
        accuse(
            found, foreignTag: user,
            doubt: SharedState.Doubt(
                ground: .rejectedLogin(account: tags[Int(denied.tag)].mark),
                instead: violation(.tokenIsolation, .certain, [beat], other)))
    }
}
