public import Rigs

/// What a race of a rig would be, for `validate`.
extension RaceText {
    /// Which plans, at which offsets, how many trials, and when it ends.
    public static func terms(_ terms: RaceTerms) -> String {
        let plans = RacePlan.plans(terms)
        let arms = ArmPlan.plans(terms)
        var rows: [(String, String)] = []
        for plan in plans { rows.append((plan.name, plan.line)) }
        for plan in arms { rows.append((plan.name, "two arms: " + plan.line)) }
        if !plans.isEmpty {
            rows.append(("offsets", offsets(terms)))
            rows.append(("first sweep", sweep(terms, plans)))
        }
        if !arms.isEmpty {
            rows.append(
                (
                    "arms",
                    "100 trials of each (fewer if 'trials' is lower), before the "
                        + "sweep"
                ))
        }
        rows.append(("at most", limits(terms)))
        rows.append(("requests", requests(terms)))
        let width = rows.map { $0.0.count }.max() ?? 0
        let lines = rows.map { name, text in
            "  " + name + String(repeating: " ", count: width - name.count) + "  " + text
        }
        return (["races:"] + lines).joined(separator: "\n")
    }

    private static func offsets(_ terms: RaceTerms) -> String {
        let count = Curve.grid(terms.offsets).count
        let (low, high) = (terms.offsets.lowerBound, terms.offsets.upperBound)
        let event =
            terms.anchor == .lastByte
            ? "the last byte of the other's request" : "the first byte of the other's response"
        return "\(count) from \(Offsets.text(low)) to \(Offsets.text(high)) after \(event)"
    }

    private static func sweep(_ terms: RaceTerms, _ plans: [RacePlan]) -> String {
        let variants = plans.flatMap(\.variants).count
        // Every other round lies half a step further out.
        let rounds = (0..<terms.perOffset).map {
            Curve.grid(terms.offsets, isShifted: $0 % 2 == 1).count
        }
        let trials = variants * rounds.reduce(0, +)
        let ways = variants == 1 ? "1 variant" : "\(variants) variants"
        return "\(trials) trials: \(terms.perOffset) rounds, \(ways)"
    }

    private static func limits(_ terms: RaceTerms) -> String {
        let limits = [
            terms.trialLimit.map { "\($0) trials" },
            terms.timeLimit.map { "\(seconds($0)) of search" },
        ].compactMap(\.self)
        return limits.isEmpty ? "all sweeps; no limit is set" : limits.joined(separator: ", ")
    }

    private static func requests(_ terms: RaceTerms) -> String {
        let gate =
            switch terms.gate {
            case .auto: "sent as simultaneously as the target allows"
            case .lastByte: "last bytes held back, then sent together"
            case .group: "sent together on one HTTP/2 connection"
            case .none: "sent whole"
            }
        return gate + (terms.isFresh ? ", each over a new connection" : ", connections kept")
            + (terms.dropsCookies ? ", without cookies" : "")
    }

    private static func seconds(_ time: Duration) -> String {
        let tenths = Int((time / .milliseconds(100)).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }
}
