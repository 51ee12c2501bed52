internal import Dialects

/// I14, `authorization-gates`: a media token needs a live authorization of that resource, is bound
/// to it, and lives.
extension Dossier {
    mutating func judgeMedia(_ operation: Observed, _ beat: Beat) {
        registry.check(.authorizationGates)
        let of = operation.resource == Act.none ? "" : " for \(resources[Int(operation.resource)])"
        let granted = grants.filter {
            $0.resource == operation.resource && $0.beat.call <= beat.ret
        }
        guard let last = granted.map(\.beat).max(by: { $0.ret < $1.ret }) else {
            let text = "\(beat.name) gave a media token\(of) that nobody had authorized"
            accuse(violation(.authorizationGates, .certain, [beat], text))
            return
        }
        if let out = signOuts.last(where: {
            $0.effect == .success && $0.ret < beat.call - registry.visibility
        }), last.ret < out.call - registry.visibility {
            let gap = beat.call - out.ret
            let text =
                "\(beat.name) gave a media token\(of) \(milliseconds(gap)) after \(out.name); it had "
                + "been authorized before that only (\(last.name))"
            accuse(violation(.authorizationGates, .certain, [last, out, beat], gap: gap, text))
            return
        }
        judgeLife(operation, beat, of)
        judgeBinding(operation, beat, of)
    }

    private mutating func judgeLife(_ operation: Observed, _ beat: Beat, _ of: String) {
        guard operation.expires > 0,
            let window = registry.clock.window(of: operation.expires, at: now),
            beat.call > window.high.plus(registry.sweepLag)
        else { return }
        let gap = beat.call - window.high
        let text =
            "\(beat.name) gave a media token\(of) that had expired at least \(milliseconds(gap)) "
            + "before"
        accuse(
            violation(
                .authorizationGates, .withinDrift, [beat],
                gap: gap, gapFrom: window.high, text))
    }

    /// One token, one device, one resource; and, by policy, one use.
    private mutating func judgeBinding(_ operation: Observed, _ beat: Beat, _ of: String) {
        guard operation.detail != 0 else { return }
        let resource =
            operation.resource == Act.none ? 0 : mark(resources[Int(operation.resource)])
        let owner = Registry.MediaOwner(
            resource: resource, household: Int32(truncatingIfNeeded: household),
            sequence: beat.sequence)
        guard let before = registry.handMedia(operation.detail, to: owner, at: beat.ret) else {
            return
        }
        if Int(before.household) != household {
            let text =
                "\(beat.name) gave the media token that household \(before.household) had been "
                + "given (its exchange #\(before.sequence))"
            accuse(violation(.authorizationGates, .certain, [beat], text))
        } else if before.resource != resource {
            let text =
                "\(beat.name) gave\(of) the media token that exchange #\(before.sequence) had been "
                + "given for another resource"
            accuse(violation(.authorizationGates, .certain, [beat], text))
        } else if registry.rules.policies.mediaReuse == .never {
            let text =
                "\(beat.name) gave\(of) the same media token as exchange #\(before.sequence)"
            accuse(violation(.authorizationGates, .certain, [beat], source: .policy, text))
        }
    }
}
