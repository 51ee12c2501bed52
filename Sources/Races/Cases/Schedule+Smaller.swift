extension Schedule {
    /// The schedule without those ops. What hung on one of them hangs on that one's own anchor
    /// instead, as far away as before; nil where there is none, or nothing would be left.
    func without(_ ids: Set<String>) -> Schedule? {
        var smaller = self
        smaller.ops.removeAll { ids.contains($0.id) }
        guard !smaller.ops.isEmpty else { return nil }
        for position in smaller.ops.indices {
            var op = smaller.ops[position]
            while let anchor = op.anchor, ids.contains(anchor.op) {
                guard let gone = self[op: anchor.op], let next = gone.anchor, next.op != op.id
                else { return nil }
                op.offset += gone.offset
                op.anchor = next
            }
            smaller.ops[position] = op
        }
        return smaller
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
