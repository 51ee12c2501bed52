public import Checker
internal import Dialects
public import Journal
internal import Statistics

/// Cases out of a load run: the schedule behind a violation, taken from the history around it. What
/// it is in words of a race plan: the operations that contradict each other, what had to be there
/// before them, and the distances at which they were really sent. It has not been replayed: how often
/// it breaks the promise is for `replay` to measure.
public struct Extraction {
    let history: History
    let version: String

    /// One case for each signature, and no more than so many of a run.
    public static let limit = 20

    public init(from history: History, version: String) {
        self.history = history
        self.version = version
    }

    /// The cases of a run, the first violation of each signature; those that no schedule says are
    /// left out.
    public func cases(of findings: Findings) throws -> [Case] {
        var seen: Set<String> = []
        var firsts: [Violation] = []
        for violation in findings.violations
        where !violation.exchanges.isEmpty && seen.insert(violation.signature).inserted {
            firsts.append(violation)
        }
        // What fails the run comes before what was merely seen.
        let failing = firsts.filter { $0.standing == .fails }
        let ranked = failing + firsts.filter { $0.standing != .fails }
        var cases: [Case] = []
        var names: [String: Int] = [:]
        for violation in ranked.prefix(Self.limit) {
            guard var made = try make(violation) else { continue }
            let count = names[made.name, default: 0] + 1
            names[made.name] = count
            if count > 1 { made.name += "-\(count)" }
            cases.append(made)
        }
        return cases
    }

    private func make(_ violation: Violation) throws -> Case? {
        let life = try history.exchanges(household: violation.household)
        var story = Story(life, violation)
        if let tag = story.strangeTag,
            let owner = try household(signedInAs: tag, besides: violation.household)
        {
            story.add(other: try history.exchanges(household: owner))
        }
        guard let schedule = story.schedule else { return nil }
        let header = history.header
        var made = Case(
            name: violation.invariant.name,
            made: Self.utc(header.startedMicroseconds + violation.at / 1_000),
            version: version,
            rig: Case.RigText(name: header.rigName, source: header.rigSource), seed: header.seed,
            policies: header.policies,
            target: Case.Target(
                name: header.target, protocolName: header.protocolName,
                date: life.lazy.compactMap { $0.evidence["Date"] }.first ?? "",
                server: life.lazy.compactMap { $0.evidence["Server"] }.first ?? ""),
            throttle: header.throttledBy.map { "throttled by \($0)" } ?? "not known",
            schedule: schedule, swept: story.swept,
            expected: Case.Expected(
                violation.invariant, ops: story.conflictIDs,
                gap: violation.gap.map { .nanoseconds($0) }, signature: violation.signature,
                sentence: violation.sentence))
        made.trial = story.trial(startedMicroseconds: header.startedMicroseconds)
        return made
    }

    private static func utc(_ microseconds: Int64) -> String {
        Case.Trial(startedMicroseconds: microseconds, exchanges: []).utc(0).prefix(19) + "Z"
    }

    /// Who signed in so; the whole history is looked through, for the first of each such violation
    /// only.
    private func household(signedInAs tag: Tag, besides own: Int) throws -> Int? {
        var owner: Int?
        try history.exchanges { exchange in
            guard owner == nil, exchange.operation == .assertion, exchange.device.household != own,
                exchange.observation.tag == tag
            else { return }
            owner = exchange.device.household
        }
        return owner
    }
}
