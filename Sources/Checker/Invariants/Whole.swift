internal import Dialects

/// What only a household's whole life tells: delivery, order, and the levels.
extension Dossier {
    /// No order of its operations explains what this device was told.
    func orderViolation(_ beat: Beat) -> Violation {
        violation(
            .linearizable, .certain, [beat],
            "no order of the operations explains the answer (\(beat.answer)) to \(beat.name)")
    }

    /// `isConfused`: what some code's answers were about is not known (`withdrawStrays`).
    mutating func judgeWhole(isWhole: Bool, isConfused: Bool) {
        if isWhole, !isConfused { judgeDelivery() }
        if let late {
            self.late = nil
            accuse(late)
        }
        registry.check(.linearizable)
        if let held {
            self.held = nil
            accuse(held)
        }
        let isUndecided =
            !isWhole || frontier.standing == .undecided
            || isConfused && frontier.standing == .violated
        if isUndecided { registry.leaveUndecided(.linearizable) }
        registry.levels.add(household, broken: broken, isLinearizableUndecided: isUndecided)
        registry.householdClosed()
    }

    /// The first sign-in that is still to come: it was sent after `beat` returned.
    func waitingSignIn(after beat: Beat) -> Beat? {
        agenda.calls.first {
            ($0.operation == .assertion || $0.operation == .tokenExchange
                || $0.operation == .freePreview) && $0.call > beat.ret
        }.map(Beat.init)
    }
}
