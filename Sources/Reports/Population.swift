internal import Journal
internal import Rendering
internal import Statistics

/// Households that stopped at the same place for the same cause.
public struct Loss: Sendable, Hashable {
    public var kind: String
    /// `failed`, `abandoned` or `running` (when the record ended).
    public var fate: String
    /// The stage that was reached last, by its name.
    public var stage: String
    public var cause: String
    public var households: Int
    /// The first of them.
    public var example: Int

    /// Not one that the rig drew to leave.
    var wantedSignIn = true

    var hadSignedIn: Bool { Stage(name: stage).map { $0 >= .signedIn } ?? false }
}

/// How many households of a kind, or of all, came how far.
public struct Funnel: Sendable, Hashable {
    /// Name of the kind; empty for all together.
    public var kind: String
    public var steps: [Step]
    public var failed: Int
    public var abandoned: Int
    public var running: Int

    public struct Step: Sendable, Hashable {
        public var name: String
        public var households: Int
        /// Of those that started, 0 to 1.
        public var share: Double
    }
}

/// Folds households into counts, funnels, losses and sign-in times.
struct Population {
    struct PopulationTally {
        var started = 0
        var fates = [Int](repeating: 0, count: HouseholdRecord.Fate.allCases.count)
        /// Households that reached exactly this stage.
        var stages = [Int](repeating: 0, count: Stage.allCases.count)
        /// Of those, households that had a code at all: the platform's sign-on goes without.
        var coded = [Int](repeating: 0, count: Stage.allCases.count)
        /// Whose TV saw a token of their own sign-in, or was signed in on arrival, whatever came after.
        var signedIn = 0
        /// Abandoned, though the rig did not draw it.
        var abandonedByService = 0
        /// Abandoned by its people, as the rig drew it.
        var abandonedByViewer = 0
        /// Under way without a sign-in when the run ended.
        var abandonedByRun = 0
        /// Meant to sign in: all but those whose viewers leave by the rig's draw, or that an older
        /// history does not know.
        var wanted = 0
        /// Of those, households that failed later.
        var failedLater = 0
        /// And households that were still under way.
        var runningSignedIn = 0
        /// Told at least once that the account may not watch what it asked for.
        var notEntitled = 0
        var signIn = Histogram()
        var signInService = Histogram()
        var tokenVisibility = Histogram()
        /// Sign-ins on the platform, the viewer's own time in them.
        var platformSignIn = Histogram()
        /// The same without the rig's lateness.
        var punctual = (
            signIn: Histogram(), tokenVisibility: Histogram(), platformSignIn: Histogram()
        )
        /// Signed in by another path than their kind asks for.
        var diverted = 0

        subscript(fate: HouseholdRecord.Fate) -> Int { fates[Int(fate.rawValue)] }

        mutating func add(_ household: HouseholdRecord) {
            started += 1
            fates[Int(household.fate.rawValue)] += 1
            stages[Int(household.stage.rawValue)] += 1
            if household.codeShown != nil { coded[Int(household.stage.rawValue)] += 1 }
            if household.hasSignedIn {
                signedIn += 1
                if household.fate == .failed { failedLater += 1 }
                if household.fate == .running { runningSignedIn += 1 }
            }
            if household.abandonedBy == .service { abandonedByService += 1 }
            if household.fate == .abandoned {
                if household.abandonedBy == .viewer { abandonedByViewer += 1 }
                if household.abandonedBy == .run { abandonedByRun += 1 }
            }
            if household.wantsSignIn { wanted += 1 }
            if household.denials > 0 { notEntitled += 1 }
            if let time = household.signIn { signIn.record(time) }
            if let time = household.signInService { signInService.record(time) }
            if let time = household.tokenVisibility { tokenVisibility.record(time) }
            if let time = household.punctualSignIn { punctual.signIn.record(time) }
            if let time = household.punctualVisibility { punctual.tokenVisibility.record(time) }
            if household.signOn.paths.first == .platform, let time = household.signInByPath {
                platformSignIn.record(time)
                household.punctualSignInByPath.map { punctual.platformSignIn.record($0) }
            }
            if household.divertedTo != nil { diverted += 1 }
        }
    }

    /// Arrivals, and changes of the number of TVs that show a code and see no token.
    struct Flow: Mergeable {
        var arrived = 0

        mutating func merge(_ other: Flow) { arrived += other.arrived }
    }

    private struct LossPlace: Hashable {
        var kind: String
        var fate: HouseholdRecord.Fate
        var stage: Stage
        var cause: String
        var wantsSignIn: Bool
    }

    private(set) var all = PopulationTally()
    private(set) var byKind: [String: PopulationTally] = [:]
    /// By provider; those that came to none under an empty name.
    private var byProvider: [String: PopulationTally] = [:]
    /// Households whose sign-ins expired before their last step, by the step and its answer.
    private(set) var expiries: [String: Int] = [:]
    /// A service may write an id into each answer.
    private static let causesAtMost = 1_000
    private(set) var signOns = SignOnFold()
    private(set) var throttling = ThrottlingFold()
    private(set) var flow = TimeBuckets<Flow>(limit: 300)
    /// When anything was last heard of a household.
    private(set) var last = Instant.start
    private var places: [LossPlace: (count: Int, example: Int)] = [:]
    /// By second: households that began to wait less those that ceased to.
    private var changes: [Int: Int] = [:]
    /// By second: TVs that saw their token.
    private var signedIn: [Int: Int] = [:]

    mutating func add(_ household: HouseholdRecord) {
        all.add(household)
        if [.signedIn, .preSignedIn].contains(household.fate),
            household.cause.hasSuffix(HouseholdRecord.signInExpired)
        {
            let cause = household.cause.dropLast(HouseholdRecord.signInExpired.count)
            let isKnown = expiries[String(cause)] != nil || expiries.count < Self.causesAtMost
            expiries[isKnown ? String(cause) : "other steps", default: 0] += 1
        }
        signOns.add(household)
        throttling.add(household)
        byKind[household.kind, default: PopulationTally()].add(household)
        addProvider(of: household)
        flow.update(second: household.arrived.second) { $0.arrived += 1 }
        wait(of: household)
        if let seen = household.tokenSeen { signedIn[seen.second, default: 0] += 1 }
        let times = [household.arrived, household.codeShown, household.tokenSeen, household.ended]
        for time in times { last = max(last, time ?? .start) }
        guard [.failed, .abandoned, .running].contains(household.fate) else { return }
        let place = LossPlace(
            kind: household.kind, fate: household.fate, stage: household.stage,
            cause: household.cause, wantsSignIn: household.wantsSignIn)
        let seen = places[place] ?? (0, household.household)
        places[place] = (seen.count + 1, min(seen.example, household.household))
    }

    /// More providers than this are one: a service that puts an id into each name must not fill the memory.
    private static let providersAtMost = 1_000

    private mutating func addProvider(of household: HouseholdRecord) {
        var name = household.mvpd ?? ""
        if byProvider[name] == nil, byProvider.count >= Self.providersAtMost { name = "(other)" }
        byProvider[name, default: PopulationTally()].add(household)
    }

    /// The largest first; those that came to none last. Empty where nobody names one.
    var providers: [ProviderRow] {
        guard byProvider.keys.contains(where: { !$0.isEmpty }) else { return [] }
        return byProvider.sorted { left, right in
            (left.key.isEmpty ? 1 : 0, -left.value.started, left.key)
                < (right.key.isEmpty ? 1 : 0, -right.value.started, right.key)
        }.map { ProviderRow($0, $1) }
    }

    private mutating func wait(of household: HouseholdRecord) {
        guard let shown = household.codeShown else { return }
        changes[shown.second, default: 0] += 1
        if let ceased = household.tokenSeen ?? household.ended {
            changes[max(shown, ceased).second, default: 0] -= 1
        }
    }

    /// Households whose TV shows a code and has seen no token, at the end of each second from 0 on.
    func waiting(through last: Int) -> [Int] {
        var level = 0
        return (0...max(0, last)).map { second in
            level += changes[second, default: 0]
            return level
        }
    }

    /// TVs that saw their token in each second from 0 on.
    func signIns(through last: Int) -> [Int] {
        (0...max(0, last)).map { signedIn[$0, default: 0] }
    }

    /// All households together, then each kind in the rig's order if there are several.
    func funnels(kinds: [String]) -> [Funnel] {
        let each = kinds.map { Funnel(kind: $0, byKind[$0] ?? PopulationTally()) }
        return [Funnel(kind: "", all)] + (each.count > 1 ? each : [])
    }

    /// The largest first; ties by kind order, stage and cause, so that a report never varies.
    func losses(kinds: [String]) -> [Loss] {
        let order = { (kind: String) in kinds.firstIndex(of: kind) ?? kinds.count }
        return places.sorted { left, right in
            if left.value.count != right.value.count { return left.value.count > right.value.count }
            return (order(left.key.kind), left.key.fate.rawValue, left.key.stage, left.key.cause)
                < (order(right.key.kind), right.key.fate.rawValue, right.key.stage, right.key.cause)
        }.map { place, seen in
            Loss(
                kind: Sanitizer.line(place.kind), fate: place.fate.name, stage: place.stage.name,
                cause: Sanitizer.line(place.cause), households: seen.count, example: seen.example,
                wantedSignIn: place.wantsSignIn)
        }
    }
}

extension HouseholdRecord {
    fileprivate var wantsSignIn: Bool {
        fate != .abandoned || abandonedBy == .service || abandonedBy == .run
            || HouseholdRecord.isOfShortCode(cause)
    }
}

extension Funnel {
    init(kind: String, _ tally: Population.PopulationTally) {
        self.kind = Sanitizer.line(kind)
        let shown: [(Stage, String)] = [
            (.arrived, "started"), (.codeShown, "code shown"), (.codeTyped, "code typed"),
            (.signedIn, "signed in"), (.playing, "playing"), (.loggedOut, "logged out"),
        ]
        steps = shown.map { stage, name in
            let isAboutCode = stage == .codeShown || stage == .codeTyped
            let counts = isAboutCode ? tally.coded : tally.stages
            let count = counts[Int(stage.rawValue)...].reduce(0, +)
            let share = tally.started == 0 ? 0 : Double(count) / Double(tally.started)
            return Step(name: name, households: count, share: share)
        }
        failed = tally[.failed]
        abandoned = tally[.abandoned]
        running = tally[.running]
    }
}
