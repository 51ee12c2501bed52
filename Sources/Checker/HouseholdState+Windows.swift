internal import Vocabulary

/// How soon after each event the first look came that would have shown a window there (`Invariant.window`),
/// among the answers that were judged. Nothing is accused here.
///
/// ```text
/// phone  login ───┤ answered
/// TV              │      poll ───┤ answered
///                 ├── delay ─────┤
/// ```
extension HouseholdState {
    /// The TV is shown a sign-in for the first time. A sign-in of the phone was put to the test by the first
    /// answer that the TV asked for after it, this one as a rule.
    mutating func noteExposure(
        _ beat: CompactOperation, of writer: CompactOperation, _ scope: SignInScope
    ) {
        // A device grant's code has served by then: its next poll tells nothing of the token.
        if beat.isPoll, unlooked == .min, !registry.isDeviceGrant {
            unlooked = beat.ret
            registry.addEvent(.tokenMonotonic)
        }
        // What is asked for at the instant at which the first answer came is about the same sign-in.
        guard writer.screen != 0, writer.sequence != exposed else { return }
        exposed = writer.sequence
        registry.addEvent(.signInVisible)
        var first: Int64?
        func take(_ look: CompactOperation) {
            guard look.call - registry.visibility > writer.ret else { return }
            first = min(first ?? .max, look.ret)
        }
        take(beat)
        for position in reads.indices
        where reads[position].value == 0 && reads[position].scope.isSame(as: scope) {
            take(reads[position].beat)
        }
        if let first { registry.addLook(.signInVisible, after: first - writer.ret) }
    }

    /// A poll after the first that showed a token: whatever it shows, it would have shown that the token is gone.
    mutating func noteLook(_ beat: CompactOperation) {
        // After a logout a poll looks for something else.
        guard unlooked != .min, beat.isPoll, beat.call - registry.visibility > unlooked,
            signOuts.isEmpty
        else { return }
        registry.addLook(.tokenMonotonic, after: beat.ret - unlooked)
        unlooked = .max
    }

    /// A request with a sign-in after its logout.
    mutating func noteLook(_ beat: CompactOperation, afterSignOut position: Int) {
        guard !signOuts[position].isLookedAt else { return }
        signOuts[position].isLookedAt = true
        registry.addLook(.logoutFinal, after: beat.ret - signOuts[position].ret)
    }

    /// A request about a code after its deletion.
    mutating func noteLook(_ beat: CompactOperation, atDeleted life: Int) {
        guard let deleted = lives[life].deleted, !lives[life].isLookedAt else { return }
        lives[life].isLookedAt = true
        registry.addLook(.deleteFinal, after: beat.ret - deleted.ret)
    }

    /// A poll after a refusal of its code.
    mutating func noteLook(_ beat: CompactOperation, atRefused code: UInt64) {
        guard
            let refusal = grantBook?.decisions.first(where: {
                $0.code == code && $0.isRefusal && $0.beat.effect == .success
            }), !refusal.isLookedAt, beat.call - registry.visibility > refusal.beat.ret
        else { return }
        changeGrants { book in
            for position in book.decisions.indices where book.decisions[position].code == code {
                book.decisions[position].isLookedAt = true
            }
        }
        registry.addLook(.refusalDelivered, after: beat.ret - refusal.beat.ret)
    }

    /// The household is over: what took place, whether or not somebody looked afterwards.
    func tellExposure() {
        registry.noteTested(tested)
        for position in signOuts.indices where signOuts[position].effect == .success {
            registry.addEvent(.logoutFinal)
        }
        for position in lives.indices where lives[position].deleted != nil {
            registry.addEvent(.deleteFinal)
        }
        let refused =
            grantBook?.decisions.filter { $0.isRefusal && $0.beat.effect == .success } ?? []
        for _ in Set(refused.map(\.code)) { registry.addEvent(.refusalDelivered) }
    }
}

extension CompactOperation {
    /// Whether the TV asked by it for the sign-in that it waits for.
    fileprivate var isPoll: Bool {
        screen == 0 && operation.isPoll
    }
}
