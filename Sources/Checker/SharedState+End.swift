internal import Vocabulary

/// The end of a run: what is settled then, and what is told of it.
extension SharedState {
    /// What only the whole run can tell: whose the tokens were that nobody here had asked for.
    func settle() {
        settleCauses()
        found.removeAll(where: \.isWithdrawn)
        for position in found.indices {
            found[position].nearChange = changes.near(found[position].at)
        }
        // However lanes interleaved, the same history gives the same list.
        found.sort { $0.isTold(before: $1) }
    }

    /// That violation is a cause of others in these households, which were judged each by itself.
    func note(cause position: Int?, of households: Set<Int>) {
        if let position { causes.append((position, households)) }
    }

    /// Attaches to what was found across households what follows from it in each.
    private func settleCauses() {
        var causeOf: [Int: Int] = [:]
        for (position, households) in causes {
            for household in households where causeOf[household] == nil {
                causeOf[household] = position
            }
        }
        let positions = Set(causes.map(\.position))
        causes = []
        for position in found.indices where !positions.contains(position) {
            let violation = found[position]
            guard !violation.isWithdrawn, let cause = causeOf[violation.household],
                violation.invariant == .linearizable
                    || found[cause].invariant.companions.contains(violation.invariant)
                        && violation.mayFollow(from: found[cause].standing)
            else { continue }
            withdraw(position)
            for companion in [violation.invariant] + violation.companions
            where !found[cause].companions.contains(companion) {
                found[cause].companions.append(companion)
            }
        }
    }

    // MARK: Verdicts

    func verdicts() -> [Verdict] {
        let judged = Invariant.allCases.filter {
            (hasProfiles || !$0.isOfProfiles) && (isDeviceGrant || !$0.isOfDeviceGrant)
        }
        var verdicts = judged.map { Verdict($0) }
        for position in verdicts.indices {
            verdicts[position].checked = checked[verdicts[position].invariant]
            verdicts[position].undecided = undecided[Int(verdicts[position].invariant.rawValue)]
            let invariant = verdicts[position].invariant
            verdicts[position].households = tested[invariant]
            if invariant.window != nil {
                verdicts[position].exposure = exposures[Int(invariant.rawValue)]
            }
            if let more = unlisted[invariant] { verdicts[position].add(more) }
            verdicts[position].note = note(on: invariant)
        }
        let found = upheld
        for violation in found {
            guard let position = judged.firstIndex(of: violation.invariant) else { continue }
            verdicts[position].count(violation.standing)
        }
        let failing = found.filter { $0.standing == .fails }
        let others = found.filter { $0.standing != .fails }
        for violation in failing + others {
            guard let position = judged.firstIndex(of: violation.invariant) else { continue }
            if verdicts[position].examples.count < 5 {
                verdicts[position].examples.append(violation.sentence)
            }
        }
        return verdicts
    }

    private func note(on invariant: Invariant) -> String {
        if invariant.isDecidedByRace { return "checked by 'screenrig race' only" }
        switch invariant {
        case .codeUnique where bounds.widest == .max:
            return "not compared between machines: the error of a clock is unknown"
        case .throttleContract:
            if rules.policies.throttle == nil { return "policies.throttle is none" }
            switch rules.throttledBy {
            case .unknown:
                return "unknown how the service identifies a device when throttling"
            case .peer: return "the service throttles by peer address"
            case .repeated:
                return "homes may have forwarded addresses of earlier ones, whose limits may be "
                    + "used up"
            case .device, .household: return ""
            }
        case .tokenIsolation:
            // Without a name another user's token looks like the household's own.
            if checked[invariant] == 0, !upheld.contains(where: { $0.invariant == invariant }) {
                return "no response named the user of a token"
            }
            if accounts.sharesAny { return "checked in part: several households share accounts" }
            return rules.knowsUsers ? "" : usersNote
        case .conforms:
            guard sdkHouseholds > 0 else { return "" }
            return "includes the order of SDK callbacks in \(sdkHouseholds) "
                + (sdkHouseholds == 1 ? "household" : "households")
        default: return ""
        }
    }
}

extension Verdict {
    mutating func count(_ standing: Standing) {
        switch standing {
        case .fails: violations += 1
        case .observed: observed += 1
        case .known: known += 1
        case .suspected: suspected += 1
        }
    }

    mutating func add(_ other: Verdict) {
        violations += other.violations
        observed += other.observed
        known += other.known
        suspected += other.suspected
    }
}

extension Violation {
    func signature(as invariant: Invariant) -> String {
        guard let colon = signature.firstIndex(of: ":") else { return invariant.name }
        return invariant.name + signature[colon...]
    }
}
