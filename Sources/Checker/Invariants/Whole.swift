/// What only a household's whole life tells: delivery, order, and the levels.
extension HouseholdState {
    /// No order of its operations explains what this device was told. The evidence has both answers that
    /// cannot be true together, where the first of them is known.
    func orderViolation(_ beat: CompactOperation) -> Violation {
        let text =
            "no order of the operations explains the response (\(beat.answer)) to \(beat.name)"
        guard let other = contradiction(of: beat) else {
            return violation(.linearizable, .certain, [beat], text)
        }
        return violation(
            .linearizable, .certain, [other, beat], gap: beat.call - other.ret,
            text + " after the response (\(other.answer)) to \(other.name)")
    }

    /// The answer since which `beat`'s own could not be given any more: with it, what the device may have
    /// been stopped fitting. Where that does not tell (answers about a code), the latest that said the
    /// opposite. Nil where neither is among the last operations.
    private func contradiction(of beat: CompactOperation) -> CompactOperation? {
        let earlier = ring.all.filter { $0.ret <= beat.call }
            .sorted { ($0.ret, $0.sequence) < ($1.ret, $1.sequence) }
        let opposite = earlier.last {
            $0.operation == beat.operation && $0.effect.isAnswer && $0.effect != beat.effect
        }
        let fitting: UInt16
        switch beat.effect {
        case .success where beat.operation.showsToken && !beat.operation.isAboutCode: fitting = ~1
        case _ where beat.effect.tellsAbsence(beat.operation): fitting = 1
        default: return opposite
        }
        let believed = earlier.filter { $0.belief != 0 }
        guard let last = believed.last, last.belief & fitting == 0 else { return opposite }
        if let fitted = believed.lastIndex(where: { $0.belief & fitting != 0 }) {
            return believed[fitted + 1]
        }
        // It never fitted: what shows no sign-ins contradicts nothing.
        return believed.first { $0.operation.showsToken || $0.operation.showsProfiles } ?? opposite
    }

    /// `isConfused`: what some code's answers were about is not known (`withdrawStrays`).
    mutating func judgeWhole(isWhole: Bool, isConfused: Bool) {
        if isWhole, !isConfused { judgeDelivery() }
        settleAddress()
        let isEndedElsewhere = settleIdentity()
        if let late {
            self.late = nil
            accuse(late)
        }
        // What another device of the same identity did is no part of one device's model.
        let isBeyond = isEndedElsewhere && frontier.standing == .violated
        // A household without an answer was not tested.
        if !isBeyond, tested.contains(.conforms) { count(.linearizable) }
        // Before its code a TV asks whether somebody is signed in on it, and not whether its phone is done.
        if !tested.contains(.noTokenBeforeSignIn),
            !attempts.contains(where: { $0.beat.screen != 0 })
        {
            count(.noTokenBeforeSignIn, Int(looksBeforeCode))
        }
        if let held {
            self.held = nil
            accuse(held)
        }
        let isUndecided =
            !isWhole || frontier.standing == .undecided
            || isConfused && frontier.standing == .violated
        if isUndecided, !isBeyond { registry.leaveUndecided(.linearizable) }
        registry.levels.add(
            household, broken: broken, isLinearizableUndecided: isUndecided || isBeyond)
        tellExposure()
        registry.householdClosed()
    }

    /// The first sign-in that is still to come: it was sent after `beat` returned.
    func waitingSignIn(after beat: CompactOperation) -> CompactOperation? {
        agenda.firstCall(where: {
            [.finishLogin, .platformExchange, .startPass].contains($0.step) && $0.call > beat.ret
        }).map(CompactOperation.init)
    }
}
