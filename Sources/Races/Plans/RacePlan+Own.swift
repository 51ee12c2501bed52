internal import Rigs

extension RacePlan {
    /// A plan of a rig's own: what comes before the two raced operations in their actors' lists is
    /// done first, and what comes after them in the end, both in the order of the file. An actor that races
    /// nothing does all of its part first, or, where it stands after one that does, in the end.
    init(_ own: RaceTerms.OwnPlan) {
        var before: [Schedule.Op] = []
        var after: [Schedule.Op] = []
        var fixed: Schedule.Op?
        var moved: Schedule.Op?
        var ids: [String: String] = [:]
        for actor in own.actors {
            var isBefore = actor.operations.contains { operation in
                let full = "\(actor.name).\(operation.name)"
                return full == own.fixed || full == own.moved
            }
            isBefore = isBefore || fixed == nil && moved == nil
            for (position, operation) in actor.operations.enumerated() {
                guard let step = Step(rawValue: operation.step) else { continue }
                let full = "\(actor.name).\(operation.name)"
                var op = Schedule.Op("\(full)-\(position + 1)", actor.name, step)
                op.args = Self.args(of: operation)
                if ids[full] == nil { ids[full] = op.id }
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
            ops: Self.withAccounts(ops.map { Self.resolved($0, ids) }))
        self.init(
            name: own.name, line: "a plan defined in the rig",
            variants: [Variant(schedule: schedule, swept: moved?.id ?? "")])
    }

    /// People count from 1; a schedule counts accounts so, providers and resources from 0.
    private static func args(of operation: RaceTerms.OwnPlan.Operation) -> [Schedule.Arg] {
        let all: [(String, String?)] = [
            ("account", operation.account.map { "\($0)" }),
            ("provider", operation.provider.map { "\($0 - 1)" }),
            ("pass", operation.pass.map { "\($0 - 1)" }),
            ("identity", operation.identity.map { "\($0)" }),
            ("resource", operation.resource.map { "\($0 - 1)" }), ("code", operation.code),
            ("repeats", operation.repeats),
        ]
        return all.compactMap { name, value in value.map { Schedule.Arg(name, $0) } }
    }

    /// With the ids of the operations that it names.
    private static func resolved(_ op: Schedule.Op, _ ids: [String: String]) -> Schedule.Op {
        var op = op
        for position in op.args.indices
        where op.args[position].name == "code" || op.args[position].name == "repeats" {
            op.args[position].value = ids[op.args[position].value] ?? op.args[position].value
        }
        return op
    }

    /// Each sign-in is another account's, unless the plan says whose it is.
    private static func withAccounts(_ ops: [Schedule.Op]) -> [Schedule.Op] {
        var number = 0
        return ops.map { op in
            guard op.step.signsIn, op[arg: "repeats"] == nil
            else { return op }
            number += 1
            var op = op
            if op[arg: "account"] == nil { op.args.append(.init("account", String(number))) }
            op.tag = "account-\(op[arg: "account"] ?? "")"
            return op
        }
    }
}
