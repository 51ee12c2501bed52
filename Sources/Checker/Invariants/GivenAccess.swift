internal import Dialects
internal import Vocabulary

/// Access that nobody signs in for: temporary passes and degraded providers (rest-v2.md §§ 10, 11).
extension HouseholdState {
    mutating func judgeGiven(
        _ kind: Profile.Kind, _ shown: ProfileAnswer.ShownProfile, _ operation: Observed,
        _ beat: CompactOperation, _ answer: ProfileAnswer, _ book: ProfileBook
    ) {
        guard kind == .temporary, operation.operation != .profiles,
            var pass = book.passes[shown.slot], pass.subject == answer.subject,
            let permit = pass.permit, permit.ret < beat.call - registry.visibility
        else { return }
        check(.tempPassBudget)
        defer { book.passes[shown.slot] = pass }
        guard let first = pass.shown else {
            (pass.shown, pass.expires) = (beat, shown.expires)
            return
        }
        let later = shown.expires &- pass.expires
        guard later > 1_000, !registry.isOne(shown.expires, pass.expires) else { return }
        let text =
            "\(beat.name) returned a temporary pass that ends \(milliseconds(distance(shown.expires, pass.expires))) "
            + "later than in \(first.name), after the first playback (\(permit.name))"
        accuse(
            violation(
                .tempPassBudget, .given("nobody reset the pass"), [permit, first, beat],
                gap: beat.call - first.ret, text))
    }

    /// I32, `degradation-bounded`: access by a rule that was not active, where the run knows the rules. That it
    /// ends at once is our reading (rest-v2.md, B29).
    mutating func judgeRule(_ mvpd: UInt64, _ beat: CompactOperation, _ gave: String) {
        guard let mayBe = registry.mayBeDegraded(mvpd, from: beat.call, to: beat.ret) else {
            return
        }
        check(.degradationBounded)
        guard !mayBe else { return }
        accuse(
            violation(
                .degradationBounded, .certain, [beat], source: .ours,
                "\(beat.name) \(gave), although no such rule of the provider was active"))
    }

    /// What of a pass was used, and that it is used up: I31, `temppass-budget`.
    mutating func notePass(
        _ operation: Observed, _ beat: CompactOperation, _ answer: ProfileAnswer,
        _ book: ProfileBook
    ) {
        let slot = operation.slot
        guard slot > 0 else { return }
        if operation.effect == .denied,
            answer.reason == .passUsedUp || answer.reason == .passExceeded
        {
            var pass = book.passes[slot] ?? ProfileBook.PassSeen(subject: answer.subject)
            guard pass.subject == answer.subject else { return }
            if answer.reason == .passUsedUp {
                if pass.usedUp == nil { pass.usedUp = beat }
            } else if operation.step == .authorize, operation.resource != ModelOperation.none,
                !pass.exceeded.contains(where: { $0.resource == operation.resource })
            {
                pass.exceeded.append((operation.resource, beat))
            }
            book.passes[slot] = pass
            return
        }
        guard operation.step == .authorize, operation.effect == .success, answer.source == .pass
        else { return }
        var pass = book.passes[slot] ?? ProfileBook.PassSeen(subject: answer.subject)
        defer { book.passes[slot] = pass }
        guard pass.subject == answer.subject else { return }
        if pass.permit == nil { pass.permit = beat }
        check(.tempPassBudget)
        judgeEnd(of: pass, operation, beat)
        // One with a number of resources goes on for those that it has been used for: for what was denied it is over.
        let denied = pass.exceeded.first { $0.resource == operation.resource }?.beat
        guard let over = pass.usedUp ?? denied, over.ret < beat.call - registry.visibility else {
            return
        }
        let gap = beat.call - over.ret
        let text =
            "\(beat.name) was permitted by a temporary pass \(milliseconds(gap)) after \(over.name) had "
            + "reported it as used up"
        accuse(
            violation(
                .tempPassBudget, .given("nobody reset the pass"), [over, beat], gap: gap, text))
    }

    /// A permit after the end that the service itself has shown since the first one.
    private mutating func judgeEnd(
        of pass: ProfileBook.PassSeen, _ operation: Observed, _ beat: CompactOperation
    ) {
        guard let shown = pass.shown, shown.ret < beat.call else { return }
        // By our clock, as far as codes show how it lies to the service's; else by the beginning of the token that came with it.
        let late = operation.generated &- pass.expires
        let slack = 1_000 + (registry.clockTolerance + registry.sweepLag) / 1_000_000
        let gap: Int64
        if let window = registry.clock.window(of: pass.expires, at: now),
            beat.call > window.high.plus(registry.sweepLag)
        {
            gap = beat.call - window.high
        } else if operation.generated > 0, late > slack {
            gap = min(late, 1_000_000_000_000) * 1_000_000
        } else {
            return
        }
        let text =
            "\(beat.name) was permitted by a temporary pass \(atLeast(gap)) after the end "
            + "that \(shown.name) had shown"
        accuse(
            violation(
                .tempPassBudget, .given("nobody reset the pass"), [shown, beat], gap: gap,
                gapFrom: beat.call - gap, text))
    }
}
