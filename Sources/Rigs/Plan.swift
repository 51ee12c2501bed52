public import Dialects
public import Statistics
public import Vocabulary

/// Everything random is decided here, before the run: a pure function of rig, seed and run id. A
/// plan gives its k-th household on demand; nothing lists a million of them. It can be split: the
/// parts of a plan are plans over disjoint households, for lanes today and machines later.
public struct Plan: Sendable, Hashable {
    public let rig: Rig
    public let seed: Seed
    /// This plan's households are `first`, `first + stride`, `first + 2 * stride` ... of the whole.
    private let first: Int
    private let stride: Int
    private let arrivals: ArrivalTimes?
    private let identities: Identities
    private let kinds: KindOrder
    /// Households of a home, which come one after another and are of one kind: 1, or 2 where a kind's
    /// `single-sign-on` is shared. A part of a plan has whole homes.
    private let homeSize: Int
    /// Of the whole plan.
    private let ahead: Preparation
    /// Households that an earlier attempt began, and nobody begins again. They keep their positions.
    private var begun: Set<Int> = []
    /// How long households sign in before the load begins: whole seconds; zero where none returns from before.
    public var preparation: Duration { ahead.length }

    /// `run` tells devices and accounts from those of other runs, where the rig asks for identities
    /// per run; a plan that nobody runs needs none.
    public init(_ rig: Rig, seed: Seed, run: RunID? = nil) {
        self.rig = rig
        self.seed = seed
        first = 0
        stride = 1
        if case .open(let stages) = rig.load {
            arrivals = ArrivalTimes(stages, seed: seed.child("arrivals"))
        } else {
            arrivals = nil
        }
        identities = Identities(rig, seed: seed, run: run ?? RunID(of: seed))
        kinds = KindOrder(rig.kinds, seed: seed)
        homeSize = rig.householdsOfHome
        let count: Int? =
            switch rig.load {
            case .open: arrivals?.count
            case .once(let households, _): households
            case .closed: nil
            }
        ahead = Preparation(rig, households: count)
    }

    private init(_ whole: Plan, first: Int, stride: Int) {
        rig = whole.rig
        seed = whole.seed
        self.first = first
        self.stride = stride
        arrivals = whole.arrivals
        identities = whole.identities
        kinds = whole.kinds
        homeSize = whole.homeSize
        ahead = whole.ahead
        begun = whole.begun
    }

    /// The `k`-th of `n` parts, from 0: every n-th household, so that each part has its share of
    /// every moment. The parts of a plan are disjoint and together the plan, and a household is the
    /// same in a part as in the whole, its `index` included.
    public func part(_ k: Int, of n: Int) -> Plan {
        precondition(n > 0 && (0..<n).contains(k), "a plan has parts 0..<n, and n is at least 1")
        return Plan(self, first: first + k * stride, stride: stride * n)
    }

    /// The part of one shard: `part(_:of:)` by its number. Accounts are dealt out beside it (`AccountList.part`).
    public func part(_ shard: Shard) -> Plan { part(shard.number, of: shard.count) }

    /// Of the whole plan.
    public var share: Double { 1 / Double(stride) }

    /// The same plan without households that an earlier attempt has begun, by their numbers. Of a home that shares
    /// a sign-in, whoever is left has nobody to share it with: the home is begun as a whole.
    public func without(begun households: some Sequence<Int>) -> Plan {
        var plan = self
        for index in households {
            let home = index - index % homeSize
            plan.begun.formUnion(home..<home + homeSize)
        }
        return plan
    }

    /// Whether an earlier attempt has begun the household at `position`, or its home.
    public func isBegun(_ position: Int) -> Bool {
        !begun.isEmpty && begun.contains(index(of: position))
    }

    /// The first position from this one on that no earlier attempt has begun.
    public func firstLeft(from position: Int) -> Int {
        guard !begun.isEmpty else { return position }
        return (position...).first { !isBegun($0) } ?? position
    }

    /// Households that are left to begin; nil where that depends on how fast they live.
    public var householdsLeft: Int? {
        households.map { count in begun.isEmpty ? count : count - (0..<count).count(where: isBegun)
        }
    }

    /// When the first household begins that no earlier attempt has begun, since the run's start: with its sign-in
    /// before the load, or when it arrives. Nil where none is left, and under closed load.
    public var firstLeft: Duration? {
        guard let count = households else { return nil }
        var first: Duration?
        for position in 0..<count where !isBegun(position) {
            guard let household = household(position) else { continue }
            let begins = household.preparation ?? household.arrival ?? .zero
            first = min(first ?? begins, begins)
            // Households come in the order of their numbers, but for those that sign in before the load.
            if preparation == .zero { break }
        }
        return first
    }

    /// How many households will arrive; nil when that depends on how fast they live (closed load
    /// for a time).
    public var households: Int? {
        switch rig.load {
        case .open: share(of: arrivals?.count ?? 0)
        case .once(let households, _): share(of: households)
        case .closed: nil
        }
    }

    /// Homes of this plan, which are not split over its parts: households, or pairs of them. Under closed load of
    /// those that live at a time.
    public var homes: Int? {
        (households ?? atOnce).map { ($0 + homeSize - 1) / homeSize }
    }

    /// How many live at a time under closed load, each followed by another; nil under open load
    /// and where each lives once.
    public var atOnce: Int? {
        if case .closed(let households, _, _) = rig.load { share(of: households) } else { nil }
    }

    /// When the last stage of an open load ends, or a closed load stops replacing households; since the run
    /// began.
    public var arrivalsEnd: Duration {
        switch rig.load {
        case .open: preparation + (arrivals?.end ?? .zero)
        case .closed(_, let time, _): time
        case .once: preparation
        }
    }

    /// From the last arrival to the end, if all goes well: a slow household's life, and the settling.
    public var tail: Duration { HouseholdFlow(rig).longLife + rig.load.settle }

    /// The household at `position` of this plan, from 0; nil past the last. Its `index` is its
    /// number in the whole plan, which is the same as the position unless this is a part.
    public func household(_ position: Int) -> HouseholdPlan? {
        guard position >= 0, households.map({ position < $0 }) ?? true else { return nil }
        return made(index(of: position))
    }

    /// The number in the whole plan of the household at `position`, whether there is one or not.
    public func index(of position: Int) -> Int {
        let (home, place) = position.quotientAndRemainder(dividingBy: homeSize)
        return (first + home * stride) * homeSize + place
    }

    /// Whether the household at `position` signs in before the load.
    public func prepares(_ position: Int) -> Bool {
        preparation > .zero && household(position)?.preparation != nil
    }

    /// Two forwarded addresses that no household of the whole plan has, as far as there are such: for a preflight,
    /// which fills their buckets. `salt` chooses them; with a salt in common no two shards have the same, as long
    /// as there are enough. Empty where devices say none.
    public func spareAddresses(salt: UInt64, for shard: Shard? = nil) -> [String] {
        var count: Int?
        switch rig.load {
        case .open: count = arrivals?.count
        case .once(let households, _): count = households
        case .closed: break
        }
        return identities.addresses?.spare(besides: count, salt: salt, pair: shard?.number ?? 0)
            ?? []
    }

    /// How many of the first `count` households of the whole are in this plan.
    private func share(of count: Int) -> Int {
        let (homes, rest) = count.quotientAndRemainder(dividingBy: homeSize)
        let isLastHere = rest > 0 && homes >= first && (homes - first) % stride == 0
        return max(0, (homes - first + stride - 1) / stride) * homeSize + (isLastHere ? rest : 0)
    }

    /// Each choice has a purpose of its own, so that one more choice reshuffles nothing.
    private func made(_ index: Int) -> HouseholdPlan {
        func dice(_ purpose: StaticString) -> Dice { seed.child(purpose, index).generator() }
        var providerDice = dice("provider")
        var codeDice = dice("new code")
        let kind = rig.kinds[kinds[index / homeSize]]
        let home = kind.hasSharedHomes ? HomePlan(index: index, size: homeSize) : nil
        // What the people of a home have in common is that of its first household.
        let owner = home?.first ?? index
        if owner != index { providerDice = seed.child("provider", owner).generator() }
        let device = kind.singleSignOn?.sharing == .app ? owner : index
        let needsSubject = kind.singleSignOn != nil || kind.pass?.isPromotional == true
        return HouseholdPlan(
            index: index, kind: kind, arrival: arrival(index),
            preparation: returns(kind.returning.shareBefore, index)
                ? ahead.time(of: index) : nil,
            firstScreen: identities.firstScreen(device, home: owner, kind),
            secondScreens: (0..<kind.secondScreens).map {
                identities.secondScreen(
                    index, home: owner, $0, kind, in: rig.protocolName(of: kind))
            },
            account: identities.account(owner), providerDraw: providerDice.unit(),
            viewer: viewer(kind.viewer, index),
            activities: comeBack(kind.returning, index)
                + activities(index, mayLogOut: home?.leaves ?? true),
            asksForNewCode: codeDice.chance(rig.code.newCode),
            pollSeed: seed.child("polls", index), second: secondViewer(kind, index), home: home,
            subject: needsSubject ? identities.subject(owner) : nil)
    }

    /// Whoever signs in at the same time: nobody, in most rigs.
    private func secondViewer(_ kind: HouseholdKind, _ index: Int) -> SecondViewerPlan? {
        guard kind.hasSecondViewer > 0 else { return nil }
        var dice = seed.child("second viewer", index).generator()
        guard dice.chance(kind.hasSecondViewer) else { return nil }
        return SecondViewerPlan(
            noticesCode: kind.viewer.noticesCode.sample(using: &dice),
            signsIn: kind.viewer.signsIn.sample(using: &dice),
            account: identities.secondAccount(index), providerDraw: dice.unit())
    }

    private func arrival(_ index: Int) -> Duration? {
        switch rig.load {
        case .open: arrivals?[index].map { preparation + $0 }
        case .once: preparation
        case .closed: nil
        }
    }

    private func viewer(_ viewer: HouseholdKind.Viewer, _ index: Int) -> ViewerPlan {
        var notices = seed.child("notices code", index).generator()
        var signsIn = seed.child("signs in", index).generator()
        var givesUp = seed.child("gives up", index).generator()
        // Each of the rest draws once, whatever its share.
        func happens(_ share: Double, _ purpose: StaticString) -> Bool {
            var dice = seed.child(purpose, index).generator()
            return dice.chance(share)
        }
        return ViewerPlan(
            noticesCode: viewer.noticesCode.sample(using: &notices),
            signsIn: viewer.signsIn.sample(using: &signsIn),
            givesUp: givesUp.chance(viewer.givesUp),
            mistypesPassword: happens(viewer.mistypesPassword, "wrong password"),
            mistypesCode: happens(viewer.mistypesCode, "wrong code"),
            typesTwice: happens(viewer.typesTwice, "types twice"),
            cancels: happens(viewer.cancels, "cancels"),
            refuses: happens(viewer.refuses, "refuses"),
            isTooLate: happens(viewer.isTooLate, "too late"),
            submitsTwice: happens(viewer.submitsTwice, "submits twice"),
            reloads: happens(viewer.reloads, "reloads"),
            changesProvider: happens(viewer.changesProvider, "changes provider"),
            typesSmall: happens(viewer.typesSmall, "small letters"),
            losesNetwork: happens(viewer.losesNetwork, "loses network"),
            reopensApp: happens(viewer.reopensApp, "reopens app"),
            tvSleeps: happens(viewer.tvSleeps, "tv sleeps"),
            resetsApp: happens(viewer.resetsApp, "resets app"))
    }

    /// A household that leaves and returns while the load goes on does so before all else.
    private func comeBack(_ returning: Returning, _ index: Int) -> [PlannedActivity] {
        guard let away = returning.away, returns(returning.share, index) else { return [] }
        var dice = seed.child("returning", index).generator()
        _ = dice.unit()
        return [.comeBack(after: away.sample(using: &dice))]
    }

    private func returns(_ share: Double, _ index: Int) -> Bool {
        guard share > 0 else { return false }
        var dice = seed.child("returning", index).generator()
        return dice.chance(share)
    }

    /// The list with its shares decided. After a logout that is taken nothing but `again` is left:
    /// a TV that is logged out has nothing to watch. `again` ends the list. Of a home that shares its
    /// sign-in one household alone logs out.
    private func activities(_ index: Int, mayLogOut: Bool) -> [PlannedActivity] {
        var planned: [PlannedActivity] = []
        var isLoggedOut = false
        var dice = seed.child("activities", index).generator()
        for activity in rig.afterSignIn {
            // Every activity draws once, taken or not, so that no share moves the ones after it.
            var own = Dice(Seed(dice.next()))
            switch activity {
            case .again, .logout:
                if !mayLogOut { continue }
            default: break
            }
            switch activity {
            case .again(let share):
                if own.chance(share) { return planned + [.again] }
            case .relaunch(let share):
                guard own.chance(share) else { continue }
                planned.append(.relaunch)
                isLoggedOut = false
            case _ where isLoggedOut: continue
            case .secondProvider(let share):
                if own.chance(share) { planned.append(.secondProvider) }
            case .logout(let share):
                guard own.chance(share) else { continue }
                planned.append(.logout)
                isLoggedOut = true
            case .plays(let terms):
                for (number, gap) in terms.gaps(&own).enumerated() {
                    planned += [.program(number), .watch(gap)]
                }
            case .watch(let time): planned.append(.watch(time.sample(using: &own)))
            case .ask(let operation): planned.append(.ask(operation))
            case .playAtOnce: planned.append(.playAtOnce)
            }
        }
        return planned
    }
}

/// One household's script.
public struct HouseholdPlan: Sendable, Hashable {
    public var index: Int
    public var kind: HouseholdKind
    /// When it arrives, since the start of the run; nil under closed load, where it follows another.
    public var arrival: Duration?
    /// When it signs in before the load, since the start of the run; nil: it does not.
    public var preparation: Duration?
    public var firstScreen: DeviceIdentity
    public var secondScreens: [DeviceIdentity]
    public var account: Account
    /// Picks the provider: a number in `0..<1` over the weights.
    public var providerDraw: Double
    public var viewer: ViewerPlan
    /// What the TV does after sign-in, with every share already decided.
    public var activities: [PlannedActivity]
    public var asksForNewCode: Bool
    /// Phase (0..<1 of the interval) and jitter of its polls come from this seed.
    public var pollSeed: Seed
    /// Whoever signs in at the same time, as another user; nil: nobody.
    public var second: SecondViewerPlan?
    /// Where it shares a home, and a sign-in, with another household.
    public var home: HomePlan?
    /// Who its people are to a platform or an identity service; nil where nobody asks.
    public var subject: String?
}

/// A household's place in a home that shares an identity.
public struct HomePlan: Sendable, Hashable {
    /// The household that signs in first.
    public var first: Int
    public var isFirst: Bool
    /// It is the one that logs out: the first of every other home, the second of the rest.
    public var leaves: Bool

    init(index: Int, size: Int) {
        first = index - index % size
        isFirst = index == first
        leaves = isFirst == (first / size).isMultiple(of: 2)
    }
}

extension HouseholdKind {
    /// Two households that come one after the other share a home: numbers 2n and 2n + 1.
    public var hasSharedHomes: Bool { singleSignOn.map { $0.sharing != .nobody } ?? false }
}

/// An activity that this household will really do.
public enum PlannedActivity: Sendable, Hashable {
    case ask(OperationName)
    case playAtOnce
    case watch(Duration)
    /// The n-th program of a TV that stays on, from 0.
    case program(Int)
    case logout
    case again
    /// The app is closed and opened again.
    case relaunch
    /// The app is closed, and opened again after this time.
    case comeBack(after: Duration)
    /// One more sign-in, at another provider.
    case secondProvider

    /// A program of a TV that stays on.
    public var isProgram: Bool {
        if case .program = self { true } else { false }
    }
}
