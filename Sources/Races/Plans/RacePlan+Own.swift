internal import Rigs

extension RacePlan {
    /// A plan of a rig's own: what comes before the two raced operations in their actors' lists is
    /// done first, and what comes after them in the end, both in the order of the file.
    init(_ own: RaceTerms.OwnPlan) {
        var before: [Schedule.Op] = []
        var after: [Schedule.Op] = []
        var fixed: Schedule.Op?
        var moved: Schedule.Op?
        for actor in own.actors {
            var isBefore = actor.operations.contains { name in
                let full = "\(actor.name).\(name)"
                return full == own.fixed || full == own.moved
            }
            for (position, name) in actor.operations.enumerated() {
                guard let step = Step(rawValue: name) else { continue }
                let full = "\(actor.name).\(name)"
                var op = Schedule.Op("\(full)-\(position + 1)", actor.name, step)
                if full == own.fixed, fixed == nil {
                    op.gate = .lastByte
                    fixed = op
                    isBefore = false
                } else if full == own.moved, moved == nil {
                    op.gate = .lastByte
                    moved = op
                    isBefore = false
                } else if isBefore {
                    before.append(op)
                } else {
                    after.append(op)
                }
            }
        }
        if let fixed, moved?.actor == fixed.actor { moved?.connection = .kept(1) }
        if let fixed { moved?.anchor = .init(.lastByteSent, of: fixed.id) }
        let ops = before + [fixed, moved].compactMap { $0 } + after
        let schedule = Schedule(
            plan: own.name, actors: own.actors.map { Schedule.Actor(named: $0.name) },
            ops: Self.withAccounts(ops))
        self.init(
            name: own.name, line: "a plan of the rig's own",
            variants: [Variant(schedule: schedule, swept: moved?.id ?? "")])
    }

    /// Each sign-in is another account's.
    private static func withAccounts(_ ops: [Schedule.Op]) -> [Schedule.Op] {
        var number = 0
        return ops.map { op in
            guard op.step == .authenticate || op.step == .tokenExchange else { return op }
            number += 1
            var op = op
            op.args.append(.init("account", String(number)))
            op.tag = "account-\(number)"
            return op
        }
    }
}
