internal import Vocabulary

/// I14, `authorization-gates`: an authorization stands until it expires or its sign-in ends; a media
/// token needs one of its resource, is bound to it, and lives (rest-v1.md §§ 10, 11).
extension HouseholdState {
    mutating func judgeAuthorization(_ operation: Observed, _ beat: CompactOperation) {
        switch (operation.operation, operation.effect) {
        case (.mediaToken, .success):
            guard judgeGate(operation, beat, "issued a media token") else { return }
            judgeLife(operation, beat)
            judgeBinding(operation, beat)
        case (.authorizationToken, .success):
            _ = judgeGate(operation, beat, "returned an authorization")
        default:
            if operation.tellsNoAuthorization { judgeLostAuthorization(operation, beat) }
        }
    }

    /// ` for demo-1`.
    private func of(_ operation: Observed) -> String {
        operation.resource == ModelOperation.none
            ? "" : " for \(resources[Int(operation.resource)])"
    }

    /// Granted, and not there any more although nothing ended it: lost, or, where the answer says that
    /// it has run out, expired too early.
    private mutating func judgeLostAuthorization(_ operation: Observed, _ beat: CompactOperation) {
        guard let grant = standingGrant(of: operation.resource, at: beat) else { return }
        let gap = beat.call - grant.ret
        let hasExpired = operation.effect == .expired
        let text =
            "\(beat.name) reported \(resources[Int(operation.resource)]) as "
            + (hasExpired ? "no longer authorized" : "not authorized")
            + ", \(milliseconds(gap)) after \(grant.name) had authorized it; nothing in between ended "
            + "that"
        var lost = violation(
            hasExpired ? .expiryRespected : .authorizationGates, .withinDrift, [grant, beat],
            gap: gap, text)
        // Nobody got what was another's.
        lost.level = .monotonicReads
        accuse(lost)
    }

    /// The last authorization of that resource that was answered before `beat` was sent, if it must
    /// stand as `beat` returns: until it expires, the sign-in ends or another comes, or the service is
    /// asked once more and says no. A free preview's ends with the preview, which no date tells.
    func standingGrant(of resource: UInt8, at beat: CompactOperation) -> CompactOperation? {
        guard resource != ModelOperation.none else { return nil }
        let sent = beat.call - registry.visibility
        var last: Grant?
        for position in grants.indices where grants[position].resource == resource {
            let grant = grants[position]
            guard grant.beat.effect == .success, grant.beat.ret < sent,
                grant.beat.ret > last?.beat.ret ?? .min
            else { continue }
            last = grant
        }
        guard let last, let window = registry.clock.window(of: last.expires, at: now),
            beat.ret < window.low
        else { return nil }
        func isBetween(_ other: CompactOperation) -> Bool {
            other.sequence != beat.sequence && other.call <= beat.ret
                && other.ret >= last.beat.call - registry.visibility
        }
        let isEnded =
            signOuts.contains { $0.effect != .denied && isBetween($0.beat) }
            || attempts.contains { $0.isCandidate && isBetween($0.beat) }
            || attempts.contains { $0.isCandidate && $0.beat.operation == .freePreview }
            || grants.contains {
                $0.resource == resource && $0.beat.effect != .success && isBetween($0.beat)
            }
        return isEnded || mayHaveExpired(TokenRead.somebody, by: beat.ret) ? nil : last.beat
    }

    /// Whether what was given or shown had been authorized.
    private mutating func judgeGate(_ operation: Observed, _ beat: CompactOperation, _ gave: String)
        -> Bool
    {
        var last: CompactOperation?
        for position in grants.indices
        where isGranted(position, operation, by: beat.ret)
            && grants[position].beat.ret > last?.ret ?? .min
        {
            last = grants[position].beat
        }
        guard let last else {
            // A device that came signed in may have been authorized before.
            guard !isFromBefore(TokenRead.somebody) else { return true }
            let text = "\(beat.name) \(gave)\(of(operation)) without any authorization"
            accuse(violation(.authorizationGates, .certain, [beat], text))
            return false
        }
        if let out = signOuts.last(where: {
            $0.effect == .success && $0.ret < beat.call - registry.visibility
        })?.beat, last.ret < out.call - registry.visibility {
            let gap = beat.call - out.ret
            let text =
                "\(beat.name) \(gave)\(of(operation)) \(milliseconds(gap)) after \(out.name); its only "
                + "authorization was before that (\(last.name))"
            accuse(violation(.authorizationGates, .certain, [last, out, beat], gap: gap, text))
            return false
        }
        var end = Int64.min
        for position in grants.indices where isGranted(position, operation, by: beat.ret) {
            let window = registry.clock.window(of: grants[position].expires, at: now)
            end = max(end, window?.high ?? .max)
        }
        end = end.plus(registry.sweepLag)
        if beat.call > end {
            let gap = beat.call - end
            let text =
                "\(beat.name) \(gave)\(of(operation)) \(atLeast(gap)) after the "
                + "authorization had expired (\(last.name))"
            accuse(violation(.authorizationGates, .withinDrift, [last, beat], gap: gap, text))
            return false
        }
        return true
    }

    /// Whether that answer has, or may have, authorized what `operation` asks for, by `time`.
    private func isGranted(_ position: Int, _ operation: Observed, by time: Int64) -> Bool {
        grants[position].resource == operation.resource && grants[position].beat.call <= time
            && (grants[position].beat.effect == .success || grants[position].beat.effect == .open)
    }

    /// What was given had not expired by then. `gave`: what the answer did.
    mutating func judgeLife(
        _ operation: Observed, _ beat: CompactOperation,
        _ invariant: Invariant = .authorizationGates, _ gave: String = "issued a media token"
    ) {
        guard operation.expires > 0,
            let window = registry.clock.window(of: operation.expires, at: now),
            beat.call > window.high.plus(registry.sweepLag)
        else { return }
        let gap = beat.call - window.high
        let text =
            "\(beat.name) \(gave)\(of(operation)) that had expired "
            + "\(atLeast(gap)) before"
        accuse(
            violation(
                invariant, .withinDrift, [beat],
                gap: gap, gapFrom: window.high, text))
    }

    /// One token, one device, one resource; and, by policy, one use.
    mutating func judgeBinding(
        _ operation: Observed, _ beat: CompactOperation,
        _ invariant: Invariant = .authorizationGates
    ) {
        guard operation.detail != 0 else { return }
        let resource =
            operation.resource == ModelOperation.none ? 0 : mark(resources[Int(operation.resource)])
        let owner = MediaLedger.Owner(
            resource: resource, household: Int32(truncatingIfNeeded: household),
            sequence: beat.sequence, at: beat.ret)
        guard let before = registry.media.hand(operation.detail, to: owner, at: beat.ret) else {
            return
        }
        if Int(before.household) != household {
            judgeStranger(before, beat, invariant)
        } else if before.resource != resource {
            let text =
                "\(beat.name) returned\(of(operation)) the media token that request "
                + "#\(before.sequence) had got for another resource"
            accuse(violation(invariant, .certain, [beat], text))
        } else if registry.rules.policies.mediaReuse == .never {
            let text =
                "\(beat.name) returned\(of(operation)) the same media token as request "
                + "#\(before.sequence)"
            accuse(violation(invariant, .certain, [beat], source: .policy, text))
        }
    }

    /// Two households were given one token: the later of them is the one that got what was not its own.
    /// Households are judged each at its own pace, so that the later may have come in first.
    private mutating func judgeStranger(
        _ other: MediaLedger.Owner, _ beat: CompactOperation, _ invariant: Invariant
    ) {
        guard other.at > beat.ret else {
            let text =
                "\(beat.name) returned the media token that household \(other.household) had got "
                + "(its request #\(other.sequence))"
            return accuse(violation(invariant, .certain, [beat], text))
        }
        var found = violation(invariant, .certain, [beat], "")
        found.household = Int(other.household)
        found.exchanges = [Int(other.sequence)]
        found.at = other.at
        found.scene = []
        found.sentence =
            "household \(other.household): request #\(other.sequence) returned the media token that "
            + "household \(household) had got (its request #\(beat.sequence))"
        _ = registry.add(found)
    }
}
