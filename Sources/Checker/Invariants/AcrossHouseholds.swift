internal import Vocabulary

/// I8 and I15: what only all households together tell.
extension SharedState {
    /// `code-unique`: two codes of one text were surely alive at once. Decided in the end, when
    /// everything is known that may have ended the first. Whatever else broke in the two households
    /// from then on follows from it.
    func judgeTwins() {
        // Of two that were asked for at once, the one that was answered first is the holder's. In the order of requests, however
        // lanes interleaved.
        let pairs =
            codes.twins
            .map { $0.older.isHandedOut(before: $0.newer) ? $0 : ($0.newer, $0.older, $0.isRecord) }
            .sorted {
                ($0.newer.call, $0.newer.household, $0.older.call, $0.older.household)
                    < ($1.newer.call, $1.newer.household, $1.older.call, $1.older.household)
            }
        guard !pairs.isEmpty else { return }
        var accused: [Int: Int] = [:]
        for (older, newer, isRecord) in pairs {
            guard isRecord || areTwins(older, newer) else { continue }
            if let position = accused[newer.household] {
                amend(position) { $0.times += 1 }
            } else if let position = isRecord ? accuse(newer, older) : accuse(twin: newer, older) {
                accused[newer.household] = position
            }
            guard !isRecord else { continue }
            if let position = accused[newer.household] {
                note(cause: position, of: [newer.household, older.household])
            }
            // Who deletes its own code may have deleted the other's: from then on the letters are
            // free, as far as can be told.
            let end = min(older.endCalled, newer.endCalled)
            older.endCalled = end
            newer.endCalled = end
        }
    }

    private func areTwins(_ older: SharedLife, _ newer: SharedLife) -> Bool {
        // On two machines "at once" is what no error of their clocks explains.
        let slack = slack(older, newer)
        let together = max(older.ret, newer.ret).plus(slack)
        return [older, newer].allSatisfy {
            together < $0.low && $0.endCalled > together && $0.settledCalled > together
                && !codes.mayBeDeleted(
                    $0.code, byOtherThan: $0.household, from: $0.call, to: together)
        }
    }

    private func slack(_ older: SharedLife, _ newer: SharedLife) -> Int64 {
        bounds.between(older.household, older.call, newer.household, newer.call)
    }

    private func accuse(twin newer: SharedLife, _ older: SharedLife) -> Int? {
        let left =
            min(older.low, newer.low) - max(older.ret, newer.ret).plus(slack(older, newer))
        return accuse(
            newer, gap: left,
            "it got code \(newer.text) (#\(newer.sequence)) while the same code was valid for household "
                + "\(older.household) (#\(older.sequence)) for "
                + "\(atLeast(left)) more")
    }

    private func accuse(_ newer: SharedLife, _ older: SharedLife) -> Int? {
        accuse(
            newer,
            "the record of code \(newer.text) has the same id as that of household \(older.household)'s "
                + "code \(older.text) (its request #\(older.sequence))")
    }

    private func accuse(_ newer: SharedLife, gap: Int64? = nil, _ text: String) -> Int? {
        let source = Invariant.codeUnique.source
        let violation = Violation(
            invariant: .codeUnique, certainty: .certain, source: source,
            standing: standing(.codeUnique, .certain, source, newer.operation),
            household: newer.household, exchanges: [newer.sequence],
            operations: [newer.operation],
            signature: "code-unique: \(newer.operation.name) success", gap: gap, at: newer.ret,
            sentence: "household \(newer.household): \(text)", level: .safety)
        levels.breakSafety(in: newer.household)
        return add(violation)
    }

    /// `clock-agreement`: the service's times do not come from one clock. A clock that jumps shows in
    /// every answer from then on: of those, one of each household accuses it, and is no cause of what
    /// else broke there: `ServiceClock.window` has made allowance for the jump.
    func judgeClocks() {
        var accused: Set<Int> = []
        // A record that another device was given before has that one's time: it tells nothing of a clock.
        var repeated: [Int: Set<Int>] = [:]
        for twin in codes.twins where twin.isRecord {
            repeated[twin.older.household, default: []].insert(twin.older.sequence)
            repeated[twin.newer.household, default: []].insert(twin.newer.sequence)
        }
        for clock in clocks {
            for stranger in clock.codes.strangers
            where repeated[stranger.household]?.contains(stranger.sequence) != true {
                accused.insert(stranger.household)
                let position = accuse(
                    stranger, "time in", "\(stranger.operation.name) success")
                note(cause: position, of: [stranger.household])
            }
            for stranger in clock.dates.strangers
            where accused.insert(stranger.household).inserted {
                _ = accuse(stranger, "Date of", "date")
            }
        }
    }

    private func accuse(_ stranger: ClockReadings.Sample, _ what: String, _ sign: String) -> Int? {
        let text =
            "the \(what) \(stranger.operation.name) #\(stranger.sequence) and the time in most other "
            + "responses come from clocks \(atLeast(stranger.distance)) apart"
        let source = Invariant.clockAgreement.source
        return add(
            Violation(
                invariant: .clockAgreement, certainty: .certain, source: source,
                standing: standing(.clockAgreement, .certain, source, stranger.operation),
                household: stranger.household, exchanges: [stranger.sequence],
                operations: [stranger.operation],
                signature: "clock-agreement: \(sign)",
                gap: stranger.distance, at: stranger.at,
                sentence: "household \(stranger.household): \(text)"))
    }
}
