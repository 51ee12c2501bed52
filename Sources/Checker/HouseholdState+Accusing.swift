internal import Vocabulary

/// What is made of a contradiction: a violation with its evidence, the first of a household with what follows from it.
extension HouseholdState {
    /// Puts a violation together; `evidence` is in the order of its telling, the last the one that
    /// nothing explains.
    func violation(
        _ invariant: Invariant, _ certainty: Certainty, _ evidence: [CompactOperation],
        gap: Int64? = nil,
        gapFrom: Int64? = nil, source: PromiseSource? = nil, _ text: String
    ) -> Violation {
        let certainty = weakened(certainty, invariant, evidence)
        let source = source ?? registry.source(of: invariant)
        let last = evidence.last
        let answers = evidence.map { "\($0.operation.name) \($0.answer)" }.joined(separator: " > ")
        var sentence = "household \(household): \(text)"
        if evidence.contains(where: { $0.flags & Observed.Flags.edge.rawValue != 0 }) {
            sentence += "; the response came from the edge, not from the service"
        }
        var violation = Violation(
            invariant: invariant, certainty: certainty, source: source,
            standing: registry.standing(invariant, certainty, source, last?.operation),
            household: household, exchanges: evidence.map { Int($0.sequence) },
            operations: evidence.map(\.operation), signature: "\(invariant.name): \(answers)",
            gap: gap.flatMap { $0 < 0 ? nil : $0 }, at: last?.ret ?? now, sentence: sentence,
            scene: scene(evidence))
        violation.gapFrom = violation.gap.flatMap {
            gapFrom ?? Self.start(ofGap: $0, between: evidence)
        }
        violation.hangsOnCode = evidence.contains {
            $0.flags & Observed.Flags.afterEnd.rawValue != 0
        }
        // What a screen did itself and does not see is another failure than what the other did.
        let isOwn = evidence.count > 1 && evidence[0].screen == evidence[evidence.count - 1].screen
        violation.level =
            invariant == .signInVisible && isOwn ? .readYourWrites : invariant.level
        return violation
    }

    /// Where one operation of the evidence returned so long before another was sent.
    private static func start(ofGap gap: Int64, between evidence: [CompactOperation]) -> Int64? {
        evidence.first { first in evidence.contains { $0.call - first.ret == gap } }?.ret
    }

    /// What stands between us and the service makes some things less sure.
    private func weakened(
        _ certainty: Certainty, _ invariant: Invariant, _ evidence: [CompactOperation]
    ) -> Certainty {
        if evidence.contains(where: { $0.flags & Observed.Flags.edge.rawValue != 0 }) {
            return .suspicion("a cache in front of the service responded")
        }
        guard certainty == .certain else { return certainty }
        switch invariant {
        case .errorsHaveNoEffect, .retryOnce, .oneOwner:
            if evidence.contains(where: { $0.flags & Observed.Flags.proxied.rawValue != 0 }) {
                return .suspicion("a proxy may have repeated the request")
            }
        default: break
        }
        return certainty
    }

    /// A violation with what decides, later, whether it stands and whose it is.
    struct Accusation {
        var violation: Violation
        /// The user that it is about, where nobody of the household signed in as that.
        var foreignTag: UInt64 = 0
        var doubt: SharedState.Doubt?
        var account: UInt64 = 0
        /// An unseen end of a profile would explain it.
        var isOfEnds = true
    }

    mutating func accuse(
        _ violation: Violation, foreignTag: UInt64 = 0,
        doubt: SharedState.Doubt? = nil, onAccount account: UInt64 = 0, isOfEnds: Bool = true
    ) {
        accuse(
            Accusation(
                violation: violation, foreignTag: foreignTag, doubt: doubt, account: account,
                isOfEnds: isOfEnds))
    }

    /// Reports the first cause of a household; what follows from it is attached.
    mutating func accuse(_ accusation: Accusation) {
        let (violation, foreignTag) = (accusation.violation, accusation.foreignTag)
        if let profiles, !profiles.unbound.isEmpty {
            return profiles.behindUnbound.append(accusation)
        }
        if profiles?.keep(back: accusation) == true { return }
        if violation.standing != .suspected, !tested.contains(violation.invariant) {
            check(violation.invariant)
        }
        if let level = violation.level, violation.standing != .suspected { broken.insert(level) }
        let same = causes.firstIndex {
            // What may have to be taken back does not stand for what stands by itself.
            $0.invariant == violation.invariant
                && (violation.hangsOnCode || !isConditional($0.position))
        }
        if let same {
            guard let position = causes[same].position else { return }
            // What fails the run is reported rather than what does not, and what the documentation promises rather than a
            // reading of ours.
            let fails = violation.standing == .fails && causes[same].standing != .fails
            if fails { causes[same].standing = violation.standing }
            registry.amend(position) { found in
                found.times += 1
                guard
                    fails
                        || violation.source == .documented && found.source != .documented
                            && (violation.standing == .fails || found.standing != .fails)
                else { return }
                var stronger = violation
                (stronger.times, stronger.companions) = (found.times, found.companions)
                found = stronger
            }
            return
        }
        let cause = causes.first {
            if violation.invariant == .linearizable { return true }
            guard violation.mayFollow(from: $0.standing) else { return false }
            // What fails the run is not hidden behind a late or lost read that fails none.
            if violation.standing == .fails, $0.standing == .observed,
                [.signInVisible, .tokenMonotonic].contains($0.invariant)
            {
                return false
            }
            return $0.invariant.companions.contains(violation.invariant)
                || violation.invariant.companions.contains($0.invariant)
        }
        if let cause {
            guard let position = cause.position else { return }
            registry.amend(position) { found in
                if !found.companions.contains(violation.invariant) {
                    found.companions.append(violation.invariant)
                }
            }
            return
        }
        let position = registry.add(
            violation, of: foreignUser(foreignTag, accusation.doubt), onAccount: accusation.account)
        causes.append((position, violation.invariant, violation.standing))
        if let position, violation.hangsOnCode || foreignTag != 0 {
            conditional.append((position, foreignTag))
        }
    }

    private func foreignUser(
        _ tag: UInt64, _ doubt: SharedState.Doubt?
    ) -> SharedState.ForeignUser? {
        guard tag != 0, tag != Self.anybody else { return nil }
        return SharedState.ForeignUser(
            tag: tag, name: strangers.first { $0.seen.mark == tag }?.name.user ?? "",
            doubt: doubt, subjects: profiles?.subjects ?? [])
    }

    private func isConditional(_ position: Int?) -> Bool {
        conditional.contains { $0.position == position }
    }

    /// The last operations, with those of the conflict marked.
    func scene(_ evidence: [CompactOperation]) -> [SceneEntry] {
        var beats = ring.all
        for beat in evidence where !beats.contains(where: { $0.sequence == beat.sequence }) {
            beats.append(beat)
        }
        beats.sort { ($0.call, $0.sequence) < ($1.call, $1.sequence) }
        return beats.map { beat in
            SceneEntry(
                sequence: Int(beat.sequence), operation: beat.operation, screen: Int(beat.screen),
                call: beat.call, ret: beat.ret, isOpen: beat.effect == .open, answer: beat.answer,
                belief: beat.belief,
                isConflict: evidence.contains { $0.sequence == beat.sequence })
        }
    }
}
