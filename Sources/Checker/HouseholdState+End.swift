internal import Vocabulary

/// A household's end: what only then is known of whom its codes' letters belonged to.
extension HouseholdState {
    /// The household has left, at `time`.
    mutating func end(at time: Int64) { ended = time }

    /// Whether a phone of it may still be at something although its TV has ended.
    var isPhoneBusy: Bool { screens.isPhoneBusy || hasGap }

    /// Nothing more will come of it: judges the rest, and what only the whole tells.
    mutating func close() {
        guard !isClosed else { return }
        isClosed = true
        // With exchanges missing, what came after them may have causes that nobody recorded.
        let isWhole = !hasGap
        while let ended = logins.takeLast() { agenda.insert(ended, registry.visibility) }
        if isWhole { advance(before: .max, isLast: true) }
        settleUnbound()
        let isConfused = withdrawStrays()
        judgeWhole(isWhole: isWhole, isConfused: isConfused)
        tellUsers(isConfused: isConfused)
        tellIdentities()
    }

    /// Now everything is known that happened until this household's end: takes back what was said of
    /// codes that were another's by then, or by whose letters another household signed in here. True
    /// where there was such a code: what followed from its answers is not known.
    private mutating func withdrawStrays() -> Bool {
        let wasAnothers = strays.contains {
            registry.codes.isHeld($0.code, byOtherThan: household, from: $0.call, to: $0.ret)
        }
        var isConfused = wasAnothers
        for (position, foreignTag) in conditional {
            if foreignTag == 0 ? !wasAnothers : !isCrossed(by: foreignTag) { continue }
            isConfused = true
            registry.withdraw(position)
            causes.removeAll { $0.position == position }
        }
        guard isConfused else {
            for (position, _) in conditional { joinRepeats(of: position) }
            return false
        }
        held = nil
        if late?.hangsOnCode == true { late = nil }
        let left = causes.compactMap { cause in cause.position.map { registry.found[$0] } }
        for level in ConsistencyLevel.allCases
        where !left.contains(where: {
            $0.level == level || $0.companions.contains { $0.level == level }
        }) {
            broken.remove(level)
        }
        return true
    }

    /// What was kept apart only because it might have stood alone.
    private mutating func joinRepeats(of position: Int) {
        guard let invariant = causes.first(where: { $0.position == position })?.invariant else {
            return
        }
        for cause in causes where cause.invariant == invariant {
            guard let other = cause.position, other != position else { continue }
            let times = registry.found[other].times
            registry.withdraw(other)
            registry.amend(position) { $0.times += times }
        }
        causes.removeAll { $0.invariant == invariant && $0.position != position }
    }

    /// Stands for whichever user, where an answer named none.
    static var anybody: UInt64 { .max }

    /// Whether that user may have signed in by letters that this device holds or held.
    private func isCrossed(by tag: UInt64) -> Bool {
        // Where users are learned, nobody knows yet which account that one is.
        guard registry.knowsUsers, tag != Self.anybody else { return isCrossedByOthers }
        return isCrossed { $0 == tag }
    }

    /// Whether somebody else's sign-in may have come here, by letters that this device holds or held.
    var isCrossedByOthers: Bool {
        isCrossed { user in !tags.contains { $0.mark == user } }
    }

    private func isCrossed(by isUser: (UInt64) -> Bool) -> Bool {
        lives.contains {
            registry.codes.isUsedAstray(
                $0.mark, since: $0.made.call - registry.visibility, of: household, by: isUser)
        }
    }
}
