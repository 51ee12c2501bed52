public import Checker
internal import Dialects
public import Journal
internal import Rigs
internal import Vocabulary

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
            made.count(in: &names)
            cases.append(made)
        }
        return cases
    }

    private func make(_ violation: Violation) throws -> Case? {
        let life = try history.exchanges(household: violation.household)
        var story = ScheduleExtractor(life, violation)
        if let shown = story.shownAfterLogout, let ending = try logout(before: shown) {
            story.add(
                ending: ending, of: try history.exchanges(household: ending.device.household))
        }
        try addOther(to: &story)
        guard let schedule = story.schedule else { return nil }
        let header = history.header
        var made = Case(
            name: violation.invariant.name,
            made: Self.utc(header.startedMicroseconds + violation.at / 1_000),
            version: version,
            rig: Case.RigText(name: header.rigName, source: header.rigSource), seed: header.seed,
            policies: header.policies,
            target: Case.Target(
                name: header.target,
                protocolName: Self.protocolName(of: life, in: header.protocolName)),
            throttle: header.throttledBy.map { "throttled by \($0)" } ?? "not known",
            schedule: schedule,
            // Two living rooms that mix: those of another trial would mix with them too.
            company: schedule.rooms > 1 ? .nobody : .crowd, swept: story.swept,
            expected: Case.Expected(
                violation.invariant, source: violation.source, ops: story.conflictIDs,
                gap: violation.gap.map { .nanoseconds($0) }, signature: violation.signature,
                sentence: violation.sentence),
            historyHash: history.end?.historyHash ?? "")
        made.household = violation.household
        made.target.take(life)
        made.trial = story.trial(header)
        return made
    }

    /// The other living room, where one has a part in it.
    private func addOther(to story: inout ScheduleExtractor) throws {
        let violation = story.violation
        guard !story.hasOther else { return }
        if let tag = story.strangeTag {
            if let owner = try household(signedInAs: tag, besides: violation.household) {
                story.add(other: try history.exchanges(household: owner))
            } else if let signIn = story.signIn(of: tag.user),
                let start = try start(of: tag.mvpd, before: signIn)
            {
                let other = try history.exchanges(household: start.device.household)
                story.add(start: start, of: other)
            }
        } else if let code = story.codeOfNobody {
            if let owner = try household(completingAfter: code) {
                story.add(other: try history.exchanges(household: owner))
            }
        } else if let media = story.media, let given = try exchange(givingBefore: media) {
            story.add(
                given: given, of: try history.exchanges(household: given.device.household))
        } else if let other = try lifeOfWhoever(wasShown: story.ownTags, of: violation) {
            story.add(codeOf: other)
        }
    }

    /// Of a run that spoke several protocols the household's own: the one that has all that it asked for.
    private static func protocolName(of life: [Exchange], in joined: String) -> String {
        let names = ProtocolName.names(joined: joined)
        guard names.count > 1 else { return joined }
        let asked = Set(life.map(\.operation).filter { !$0.isOfConnection })
        return names.first { name in
            ProtocolName(rawValue: name).map { asked.isSubset(of: $0.operations) } ?? false
        } ?? joined
    }

    private static func utc(_ microseconds: Int64) -> String {
        Case.Trial(startedMicroseconds: microseconds, exchanges: []).utc(0).prefix(19) + "Z"
    }

    /// Who signed in so. Where the service has names of its own: who was shown that one first.
    private func household(signedInAs tag: Tag, besides own: Int) throws -> Int? {
        let others = try history.exchanges(naming: tag).filter { $0.device.household != own }
        let owner = others.first { $0.operation == .assertion } ?? others.first
        return owner?.device.household
    }

    /// The first that gave the same media token to another household before.
    private func exchange(givingBefore media: Exchange) throws -> Exchange? {
        var first: Exchange?
        try history.exchanges { exchange in
            guard exchange.fingerprint == media.fingerprint,
                exchange.device.household != media.device.household,
                exchange.sent < first?.sent ?? media.sent
            else { return }
            first = exchange
        }
        return first
    }

    /// The last logout before, under the same identity and at the same provider.
    private func logout(before shown: Exchange) throws -> Exchange? {
        var last: Exchange?
        try history.exchanges { exchange in
            guard exchange.operation == .logout, exchange.observation.result == .success,
                exchange.subject == shown.subject,
                exchange.mvpd == shown.mvpd || shown.mvpd == nil,
                exchange.ended < shown.sent, exchange.sent > last?.sent ?? .start
            else { return }
            last = exchange
        }
        return last
    }

    /// Whose session was completed next after a code was issued: a service that mixes up the two gives the code's
    /// device that sign-in (rest-v2.md § 5.5).
    private func household(completingAfter code: Exchange) throws -> Int? {
        var next: Exchange?
        try history.exchanges { exchange in
            guard next == nil, exchange.operation == .resumeSession,
                exchange.observation.result == .success, exchange.sent > code.ended,
                exchange.device.household != code.device.household
            else { return }
            next = exchange
        }
        return next?.device.household
    }

    /// The life of another household whose device was shown one of these sign-ins as its own, and whose people never
    /// signed in so.
    private func lifeOfWhoever(
        wasShown tags: [Tag], of violation: Violation
    ) throws -> [Exchange]? {
        var seen: Set<Int> = [violation.household]
        for tag in tags {
            for exchange in try history.exchanges(naming: tag) {
                let isOwn = exchange.observation.profiles.contains {
                    $0.kind == .regular && $0.user == tag.user
                }
                guard isOwn, exchange.device.role == .firstScreen,
                    seen.insert(exchange.device.household).inserted
                else { continue }
                let life = try history.exchanges(household: exchange.device.household)
                let signsInSo = life.contains {
                    $0.operation == .assertion && $0.observation.tag.map(tags.contains) ?? false
                }
                if !signsInSo { return life }
            }
        }
        return nil
    }

    /// A token with the user of one login and the provider of another: the login with that provider
    /// that began last before the sign-in, a second before at most.
    private func start(of mvpd: String, before signIn: Exchange) throws -> Exchange? {
        var starts: [Exchange] = []
        var providers: [DeviceID: String] = [:]
        try history.exchanges { exchange in
            guard exchange.device != signIn.device else { return }
            switch exchange.operation {
            case .authenticate where exchange.observation.result == .success:
                if exchange.sent < signIn.ended, signIn.sent - exchange.sent < .seconds(1) {
                    starts.append(exchange)
                }
            case .assertion: providers[exchange.device] = exchange.observation.tag?.mvpd
            default: break
            }
        }
        return starts.filter { providers[$0.device] == mvpd }.max { $0.sent < $1.sent }
    }
}
