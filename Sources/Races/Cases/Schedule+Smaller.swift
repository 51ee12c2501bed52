extension Schedule {
    /// The schedule without those ops. What hung on one of them hangs on that one's own anchor
    /// instead, or else, as that one began when the op before it had been answered, on that answer.
    /// Nil where there is neither, or nothing would be left. Whether the new distance still hits is
    /// for a replay to say.
    func without(_ ids: Set<String>) -> Schedule? {
        var smaller = self
        smaller.ops.removeAll { ids.contains($0.id) }
        guard !smaller.ops.isEmpty else { return nil }
        for position in smaller.ops.indices {
            var op = smaller.ops[position]
            while let anchor = op.anchor, ids.contains(anchor.op) {
                guard let place = ops.firstIndex(where: { $0.id == anchor.op }) else { return nil }
                let gone = ops[place]
                if let next = gone.anchor {
                    op.offset += gone.offset
                    op.anchor = next
                } else if let before = ops[..<place].last(where: { $0.anchor == nil }) {
                    op.anchor = Anchor(.firstReplyByte, of: before.id)
                } else {
                    return nil
                }
                if op.anchor?.op == op.id { return nil }
            }
            smaller.ops[position] = op
        }
        return smaller
    }

    /// The schedule with each op but `swept` as long after its anchor as a trial had it; nil where that is as planned.
    func timed(as trial: TrialResult, but swept: String?) -> Schedule? {
        var timed = self
        for position in ops.indices where ops[position].id != swept {
            let op = ops[position]
            guard let anchor = op.anchor, let offset = trial[release: op.id]?.offset,
                trial.schedule[op: op.id]?.anchor == anchor,
                (offset - op.offset).magnitude > .milliseconds(1)
            else { continue }
            timed.ops[position].offset = offset
        }
        return timed == self ? nil : timed
    }

    /// What the screens of one living room do.
    func ops(of household: Int) -> [Op] {
        ops.filter { self[actor: $0.actor]?.household == household }
    }

    /// Actors that do nothing take no part.
    var withoutIdleActors: Schedule {
        var smaller = self
        smaller.actors.removeAll { actor in !ops.contains { $0.actor == actor.name } }
        return smaller
    }
}
