/// The steps of § 4.5, each of which tries smaller schedules and keeps those that are accepted.
extension Shrinker {
    /// Background first: a whole living room with all that it does.
    mutating func dropHouseholds(_ schedule: inout Schedule) async {
        for household in Set(schedule.actors.map(\.household)).sorted() {
            let own = schedule.ops(of: household).map(\.id)
            guard !own.isEmpty, own.count < schedule.ops.count,
                let candidate = schedule.without(Set(own)), pinned.isDisjoint(with: own),
                await accepts(candidate)
            else { continue }
            schedule = candidate
            note("household \(household)")
        }
    }

    /// Zeller and Hildebrandt's ddmin over the ops that are not pinned (IEEE TSE 28, 2002): halves
    /// go before quarters, down to single ops, until no single one can go.
    mutating func dropOps(_ schedule: inout Schedule) async {
        var size = max(1, free(schedule).count / 2)
        while true {
            let ids = free(schedule)
            var hasChanged = false
            // From the end: what comes last hangs on what comes first.
            for start in stride(from: (ids.count - 1) / size * size, through: 0, by: -size)
            where start < ids.count {
                let chunk = Set(ids[start..<min(start + size, ids.count)])
                guard chunk.isSubset(of: schedule.ops.map(\.id)),
                    let candidate = schedule.without(chunk)
                else { continue }
                if size == 1, let id = chunk.first, refused[id] != nil { continue }
                guard await accepts(candidate, without: size == 1 ? chunk.first : nil) else {
                    continue
                }
                schedule = candidate
                for id in ids where chunk.contains(id) { note("op \(id)") }
                hasChanged = true
            }
            if size > 1 {
                size = max(1, min(size / 2, free(schedule).count))
            } else if !hasChanged {
                return
            }
        }
    }

    private func free(_ schedule: Schedule) -> [String] {
        schedule.ops.map(\.id).filter { !pinned.contains($0) }
    }

    /// Several connections of one screen become one.
    mutating func mergeActors(_ schedule: inout Schedule) async {
        schedule = schedule.withoutIdleActors
        for actor in schedule.actors.dropFirst().reversed() {
            guard
                let other = schedule.actors.first(where: {
                    $0.screen == actor.screen && $0.household == actor.household
                        && $0.name != actor.name
                })
            else { continue }
            var candidate = schedule
            for position in candidate.ops.indices where candidate.ops[position].actor == actor.name
            {
                candidate.ops[position].actor = other.name
            }
            candidate = candidate.withoutIdleActors
            guard await accepts(candidate) else { continue }
            schedule = candidate
            note("actor \(actor.name), now \(other.name)")
        }
    }

    /// All arguments at once, then one by one.
    mutating func simplifyArguments(_ schedule: inout Schedule) async {
        var plain = schedule
        plain.codeLifetime = nil
        for position in plain.ops.indices {
            plain.ops[position].args.removeAll { !Self.keeps($0) }
        }
        guard plain != schedule else { return }
        let all = schedule
        if await accepts(plain) {
            schedule = plain
            for op in all.ops {
                for arg in op.args where !Self.keeps(arg) { note("arg \(arg.name) of \(op.id)") }
            }
            if all.codeLifetime != nil { note("code lifetime") }
            return
        }
        for op in all.ops {
            for arg in op.args where !Self.keeps(arg) {
                var candidate = schedule
                candidate[op: op.id]?.args.removeAll { $0 == arg }
                guard await accepts(candidate) else { continue }
                schedule = candidate
                note("arg \(arg.name) of \(op.id)")
            }
        }
    }

    /// Which code an op is about is no detail.
    private static func keeps(_ arg: Schedule.Arg) -> Bool { arg.name == "code" }

    /// The swept offset goes to the middle of its window, rounded; the others to 0, or rounded.
    mutating func roundOffsets(_ schedule: inout Schedule) async {
        for op in schedule.ops where op.anchor != nil {
            let wanted: [Duration] =
                if op.id == swept {
                    [Offsets.center(of: window, near: op.offset)]
                } else {
                    [.zero, Offsets.rounded(op.offset)]
                }
            for offset in wanted where offset != op.offset {
                var candidate = schedule
                candidate[op: op.id]?.offset = offset
                guard await accepts(candidate) else { continue }
                schedule = candidate
                note("offset of \(op.id), now \(Offsets.text(offset))")
                break
            }
        }
    }

    /// Kept connections hide which of them mattered.
    mutating func freshConnections(_ schedule: inout Schedule) async {
        var candidate = schedule
        for position in candidate.ops.indices {
            candidate.ops[position].connection = .fresh
            candidate.ops[position].cookies = .keep
        }
        guard candidate != schedule, await accepts(candidate) else { return }
        schedule = candidate
        note("kept connections")
    }

    /// Every op once more without, where that has not been tried since the last change.
    mutating func proveMinimal(_ schedule: inout Schedule) async -> Bool {
        var isMinimal = true
        for op in schedule.ops where refused[op.id] == nil {
            guard let candidate = schedule.without([op.id]) else {
                refused[op.id] = Case.Almost(
                    without: op.id, rate: HitRate(), note: "other operations depend on it")
                continue
            }
            if await accepts(candidate, without: op.id), !pinned.contains(op.id) {
                schedule = candidate
                note("op \(op.id)")
                return await proveMinimal(&schedule)
            }
            if refused[op.id] == nil { isMinimal = false }
        }
        return isMinimal && !isSpent
    }
}
