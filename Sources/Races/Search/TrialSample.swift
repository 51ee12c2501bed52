internal import Journal
internal import Vocabulary

/// One trial that counts, as a search remembers it.
struct TrialSample {
    /// Achieved, of the swept op.
    var offset: Duration
    /// It raced alone: nothing of another trial was in its way.
    var isQuiet: Bool
    var breaches: [Broken]
    /// Of each op that has ended.
    var releases: [TrialResult.ReleaseTime]

    struct Broken {
        var promise: Promise
        /// Ops of the schedule that are part of the evidence.
        var ops: [String]
        /// The swept op is, or its twin in another living room.
        var isOfSwept: Bool
        /// Of the household whose op is swept.
        var isOfSweptHousehold = true
        /// All of the evidence had been answered before anything was raced: no offset decides it.
        var isOfSetup = false
        var sentence: String
    }
}

extension TrialSample {
    init(_ result: TrialResult, swept: String, offset: Duration, isQuiet: Bool) {
        self.offset = offset
        self.isQuiet = isQuiet
        // The same request of another living room: which of the two is accused is a matter of which was later.
        let own = result.schedule[op: swept]
        let twin = own?.anchor.flatMap { result.schedule[op: $0.op] }.flatMap { other in
            other.step == own?.step && result.household(of: other.id) != result.household(of: swept)
                ? other.id : nil
        }
        breaches = result.breaches.map { breach in
            let ops = result.schedule.ops.map(\.id).filter { result.isOf($0, breach) }
            return Broken(
                promise: breach.promise, ops: ops,
                isOfSwept: ops.contains(swept) || twin.map(ops.contains) ?? false,
                isOfSweptHousehold: breach.household == result.household(of: swept),
                isOfSetup: result.isOfSetup(breach),
                sentence: breach.sentence)
        }
        releases = result.releases
    }
}

extension TrialResult {
    /// The household that an op is of; nil where the schedule has no such op.
    func household(of op: String) -> Int? {
        guard let own = schedule[op: op], let actor = schedule[actor: own.actor],
            households.indices.contains(actor.household)
        else { return nil }
        return households[actor.household]
    }

    /// Whether an op's exchange is part of a breach's evidence.
    func isOf(_ op: String, _ breach: Breach) -> Bool {
        guard let release = self[release: op], let household = household(of: op) else {
            return false
        }
        return breach.household == household && breach.exchanges.contains(release.sequence)
    }
}

extension TrialResult {
    /// Whether all of a breach's evidence had been answered before the first raced request left.
    fileprivate func isOfSetup(_ breach: Breach) -> Bool {
        let raced = schedule.ops.filter { $0.gate != .none }.compactMap { self[release: $0.id] }
        guard let first = raced.map(\.sent).min(), !raced.contains(where: { isOf($0.op, breach) })
        else { return false }
        let evidence = exchanges.filter {
            $0.device.household == breach.household && breach.exchanges.contains($0.sequence)
        }
        return !evidence.isEmpty && evidence.count == breach.exchanges.count
            && evidence.allSatisfy { $0.ended < first }
    }
}

/// What a breach of one promise looks like in one variant of a plan, learned from the trials that
/// showed it.
///
/// Many promises are about what comes *after* an answer: a TV that asks while the phone is still being
/// told can be accused of nothing. On a busy machine answers take longer now and then, and a trial in
/// which the two overlapped would look like one outside the window. It is neither: it cannot tell.
///
/// ```text
///   phone   |--signs in--|                  phone   |-------signs in-------|
///   tv               hit    |--poll--|      tv             cannot tell |--poll--|
/// ```
struct BreachPattern {
    let promise: Promise
    /// In some breaches the swept op is part of the evidence: those are the ones that its offset
    /// decides.
    private let isOfSwept: Bool
    /// For each sort of breach, which op had been answered before which was sent.
    private let orders: Set<[Order]>

    private struct Order: Hashable {
        var first: String
        var second: String
    }

    /// What a trial says of the promise at its offset. `hidden`: it broke, by other requests than the swept one, and a promise is
    /// reported once for a household.
    enum PatternReading: Hashable {
        case hit, miss, blind, hidden

        var tells: Bool { self == .hit || self == .miss }
    }

    /// Trials that show that a promise breaks whatever the offset: so many broke it by other requests, and all but one in ten broke it.
    private static let enough = 8

    init(_ promise: Promise, in samples: [TrialSample]) {
        self.promise = promise
        let breaches = samples.flatMap { sample in
            sample.breaches.filter { $0.promise.covers(promise) }.map { (sample, $0) }
        }
        let broken = samples.filter {
            $0.breaches.contains { $0.promise.covers(promise) && $0.isOfSweptHousehold }
        }
        let hidden = broken.count {
            !$0.breaches.contains { $0.promise.covers(promise) && $0.isOfSwept }
        }
        let breaksAnyway = hidden >= Self.enough && 10 * broken.count >= 9 * samples.count
        let isOfSwept = !breaksAnyway && breaches.contains { $0.1.isOfSwept }
        self.isOfSwept = isOfSwept
        orders = Set(
            breaches.filter { !isOfSwept || $0.1.isOfSwept }
                .map { Self.orders(of: $0.1, in: $0.0) })
    }

    private static func orders(of breach: TrialSample.Broken, in sample: TrialSample) -> [Order] {
        breach.ops.flatMap { first in
            breach.ops.filter { sample.isBefore(first, $0) }.map {
                Order(first: first, second: $0)
            }
        }
    }

    func reading(of sample: TrialSample) -> PatternReading {
        let own = sample.breaches.filter { $0.promise.covers(promise) }
        if own.contains(where: { !isOfSwept || $0.isOfSwept }) { return .hit }
        if own.contains(where: \.isOfSweptHousehold) { return .hidden }
        var isBlind = false
        for order in orders {
            if order.allSatisfy({ sample.isBefore($0.first, $0.second) }) { return .miss }
            if order.allSatisfy({ !sample.isBefore($0.second, $0.first) }) { isBlind = true }
        }
        return isBlind ? .blind : .miss
    }
}

extension TrialSample {
    /// Whether one op had been answered when the other was sent.
    fileprivate func isBefore(_ first: String, _ second: String) -> Bool {
        guard first != second, let one = releases.first(where: { $0.op == first }),
            let other = releases.first(where: { $0.op == second })
        else { return false }
        // What was never answered goes on.
        return max(one.sent, one.firstByte ?? .distantFuture) <= other.sent
    }
}
