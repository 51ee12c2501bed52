internal import Races
internal import Reports

extension RacePlan {
    /// For `explain` and `list`.
    static var explanations: [Explanation] {
        catalogue.map { plan in
            let ways = plan.variants.map { variant in
                let name = variant.name.isEmpty ? "" : "\(variant.name): "
                let ops = variant.schedule.ops.map { op in
                    let mark = op.id == variant.swept ? " (moved in time)" : ""
                    return "\(op.actor) \(op.step.rawValue)\(mark)"
                }
                return name + ops.joined(separator: ", ")
            }
            return Explanation(
                .racePlan, plan.name, plan.line,
                "A plan of 'screenrig race', for rigs ('race: {plans: [\(plan.name)]}') and --plan. Who "
                    + "does what: \(ways.joined(separator: "; ")).",
                harmless: "", send: "")
        }
    }
}
