internal import Vocabulary

// What a poll for the token shows of a person's decision and of the code (RFC 8628, 3.5): `decision-final`,
// `refusal-delivered`, `sign-in-visible`, `device-code-once`, `code-kept`.

extension HouseholdState {
    mutating func judgeTokenPoll(_ operation: Observed, _ beat: CompactOperation, _ life: Int) {
        let redeemed: [GrantBook.Redemption] =
            grantBook?.redemptions.filter {
                $0.code == operation.code && $0.token != 0 && $0.beat.sequence != beat.sequence
                    && $0.beat.call <= beat.ret
            } ?? []
        // Any response could have been another token.
        if operation.effect != .nothing, !operation.flags.contains(.throttled), !redeemed.isEmpty {
            check(.deviceCodeOnce)
        }
        switch operation.effect {
        case .success:
            judgeAlive(life, beat)
            judgeAgainstRefusal(operation, beat, life)
            judgeSecondToken(operation, beat, life, besides: redeemed)
        case .absent:
            judgeRefusalSeen(operation, beat, life)
            if isOfAnotherGrant(operation) { judgeApprovalSeen(operation, beat, life) }
        case .expired:
            guard !isMootEnd(operation) else { return }
            judgeEarlyEnd(ofCode: life, beat)
        case .denied where operation.detail == GrantBook.denied:
            judgeDenial(operation, beat, life)
        case .denied where operation.detail == GrantBook.spent: judgeSpent(operation, beat, life)
        default: break
        }
    }

    /// A refusal that was confirmed before `time`, when nobody had begun to approve the code before.
    private func standingRefusal(of code: UInt64, before time: Int64) -> CompactOperation? {
        guard let book = grantBook else { return nil }
        let refusal = book.decisions.first {
            $0.code == code && $0.isRefusal && $0.beat.effect == .success && $0.beat.ret < time
        }
        guard let refusal,
            !book.decisions.contains(where: {
                $0.code == code && !$0.isRefusal && $0.beat.call <= refusal.beat.ret
            })
        else { return nil }
        return refusal.beat
    }

    /// `decision-final`: a token after a confirmed refusal.
    private mutating func judgeAgainstRefusal(
        _ operation: Observed, _ beat: CompactOperation, _ life: Int
    ) {
        guard grantBook?.decisions.isEmpty == false else { return }
        check(.decisionFinal)
        guard
            let refusal = standingRefusal(
                of: operation.code, before: beat.call - registry.visibility)
        else { return }
        let gap = beat.call - refusal.ret
        let text =
            "\(beat.name) got a token for code \(lives[life].text) \(milliseconds(gap)) after "
            + "\(refusal.name) had refused it"
        let later =
            grantBook?.decisions.first {
                $0.code == operation.code && !$0.isRefusal && $0.beat.call <= beat.ret
            }.map { [$0.beat] } ?? []
        accuse(
            violation(.decisionFinal, .certain, [refusal] + later + [beat], gap: gap, text))
    }

    /// `refusal-delivered`: still pending after a confirmed refusal.
    private mutating func judgeRefusalSeen(
        _ operation: Observed, _ beat: CompactOperation, _ life: Int
    ) {
        guard
            let refusal = standingRefusal(
                of: operation.code, before: beat.call - registry.visibility)
        else { return }
        check(.refusalDelivered)
        noteLook(beat, atRefused: operation.code)
        let gap = beat.call - refusal.ret
        let text =
            "\(beat.name) was told that code \(lives[life].text) is pending, \(milliseconds(gap)) "
            + "after \(refusal.name) had refused it"
        accuse(violation(.refusalDelivered, .certain, [refusal, beat], gap: gap, text))
    }

    /// `sign-in-visible` of a code that is another grant than the one that the TV is signed in by.
    private mutating func judgeApprovalSeen(
        _ operation: Observed, _ beat: CompactOperation, _ life: Int
    ) {
        check(.signInVisible)
        let sent = beat.call - registry.visibility
        let approval = grantBook?.decisions.first {
            $0.code == operation.code && !$0.isRefusal && $0.beat.effect == .success
                && $0.beat.ret < sent
        }
        guard let approval, standingRefusal(of: operation.code, before: beat.ret) == nil else {
            return
        }
        let gap = beat.call - approval.beat.ret
        let text =
            "\(beat.name) was told that code \(lives[life].text) is pending, \(milliseconds(gap)) "
            + "after \(approval.beat.name) had approved it"
        accuse(violation(.signInVisible, .certain, [approval.beat, beat], gap: gap, text))
    }

    /// `device-code-once`: two answers with tokens of their own.
    private mutating func judgeSecondToken(
        _ operation: Observed, _ beat: CompactOperation, _ life: Int,
        besides redeemed: [GrantBook.Redemption]
    ) {
        let first = redeemed.first { $0.token != operation.detail && $0.beat.ret <= beat.ret }
        guard let first else { return }
        let gap = beat.call - first.beat.ret
        let text =
            "\(beat.name) got another token for code \(lives[life].text), which had served "
            + "\(first.beat.name)"
        accuse(violation(.deviceCodeOnce, .certain, [first.beat, beat], gap: gap, text))
    }

    /// Refused without a refusal, or against an approval that was confirmed before.
    private mutating func judgeDenial(
        _ operation: Observed, _ beat: CompactOperation, _ life: Int
    ) {
        let decisions = grantBook?.decisions.filter { $0.code == operation.code } ?? []
        // A code that has served is over: some servers call that refused, too, and no decision has changed.
        guard !isUsed(operation.code, by: beat.ret) else { return }
        check(.refusalDelivered)
        noteLook(beat, atRefused: operation.code)
        let refusals = decisions.filter { $0.isRefusal && $0.beat.call <= beat.ret }
        if let approval = decisions.first(where: {
            !$0.isRefusal && $0.beat.effect == .success
                && $0.beat.ret < beat.call - registry.visibility
        }), refusals.allSatisfy({ $0.beat.call > approval.beat.ret }) {
            check(.decisionFinal)
            let gap = beat.call - approval.beat.ret
            let text =
                "\(beat.name) was told that code \(lives[life].text) is refused, "
                + "\(milliseconds(gap)) after \(approval.beat.name) had approved it first"
            // What came instead of the approval is part of the evidence.
            let later = refusals.first.map { [$0.beat] } ?? []
            accuse(
                violation(
                    .decisionFinal, .certain, [approval.beat] + later + [beat], gap: gap, text))
        } else if refusals.isEmpty {
            judgeLoss(beat, life, "refused, though nobody in this household refused it")
        }
    }

    /// `invalid_grant` for a code that no poll had used.
    private mutating func judgeSpent(
        _ operation: Observed, _ beat: CompactOperation, _ life: Int
    ) {
        guard !isUsed(operation.code, by: beat.ret), life == lives.indices.last else { return }
        judgeLoss(beat, life, "not valid, though no poll had used it")
    }

    /// Whether a poll that was sent by then got a token for the code, or may have.
    func isUsed(_ code: UInt64, by time: Int64) -> Bool {
        grantBook?.redemptions.contains { $0.code == code && $0.beat.call <= time } ?? false
    }

    /// `code-kept`: before its expiry.
    private mutating func judgeLoss(_ beat: CompactOperation, _ life: Int, _ what: String) {
        check(.codeKept)
        guard beat.ret < lives[life].low else { return }
        let gap = lives[life].low - beat.ret
        let text =
            "\(beat.name) was told that code \(lives[life].text) is \(what), "
            + "\(atLeast(gap)) before its expiry (created by \(lives[life].made.name))"
        accuse(
            violation(
                .codeKept, .withinDrift, [lives[life].made, beat], gap: gap, gapFrom: beat.ret, text
            ))
    }
}
