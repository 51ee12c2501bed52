internal import Dialects
internal import Races
internal import Reports

extension RacePlan {
    /// For `explain` and `list`: plans of offsets, and those of two arms.
    static var explanations: [Explanation] {
        everyName.map(\.explanation) + ArmPlan.catalogue.map(\.explanation)
    }

    private var explanation: Explanation {
        Explanation(
            .racePlan, name, line,
            "A plan of 'screenrig race', for rigs ('race: {plans: [\(name)]}') and --plan. "
                + "Operations: \(operations). \(inV2)",
            harmless: "", send: "")
    }

    private var operations: String {
        variants.map { variant in
            let title = variant.name.isEmpty ? "" : "\(variant.name): "
            let ops = variant.schedule.ops.map { op in
                let mark = op.id == variant.swept ? " (swept in time)" : ""
                return "\(op.actor) \(op.step.rawValue)\(mark)"
            }
            return title + ops.joined(separator: ", ")
        }.joined(separator: "; ")
    }

    /// The same in adobe-pass-v2, or why not.
    private var inV2: String {
        let name = ProtocolName.adobePassV2
        switch spoken(in: name) {
        case .success(let plan): return "In \(name.rawValue): \(plan.operations)."
        case .failure(let lack): return "Not played in \(name.rawValue): \(lack.reason)."
        }
    }
}

extension ArmPlan {
    fileprivate var explanation: Explanation {
        Explanation(
            .racePlan, name, line,
            "A plan of 'screenrig race', for rigs ('race: {plans: [\(name)]}') and --plan. It "
                + "compares two arms with 100 alternating trials each: "
                + "\(arms.map(\.name).joined(separator: "; ")). A trial succeeds if each of the "
                + "TV's last \(reads.count) polls shows the sign-in. If the arms differ "
                + "significantly (Fisher's exact test, p < \(ArmComparison.doubt)), \(invariant) "
                + "is violated. The finding is statistical: there is no case to replay; repeat "
                + "the comparison instead.",
            harmless: "", send: "Both rates, the seed, and the time of the comparison.")
    }
}
