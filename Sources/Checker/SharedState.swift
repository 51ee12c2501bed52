internal import Formats
internal import Statistics
internal import Vocabulary

/// What concerns more than one device: who wrote which tag, which codes live, whose media token it
/// is, the service's clock; and everything that was found.
final class SharedState {
    let rules: Rules
    let model: DeviceModel
    let day: String
    /// In nanoseconds.
    let visibility: Int64
    /// How long after "done" a poll must show the sign-in.
    let delivery: Int64
    /// What that is: shorter intervals of a rig do not count (`Rules.delivery`).
    let deliveryName: String
    let deadline: Int64
    let sweepLag: Int64
    /// The throttle's period; 0 without one.
    let throttleEvery: Int64
    // Of the rules, what is asked with each answer: they are large, and whoever reads one of them copies all.
    let knowsUsers: Bool
    let inventsLogins: Bool
    let devicesAreFresh: Bool
    /// The devices speak the OAuth device grant.
    let isDeviceGrant: Bool
    /// Whether a code serves for one sign-in.
    let codesServeOnce: Bool
    /// In nanoseconds.
    let shortestSignIn: Int64
    let clockTolerance: Int64
    /// Nil where it is not judged.
    let throttle: Policies.Throttle?
    /// The screens of a household have one limit of requests, and so many households, one after another, may.
    let sharesLimit: Bool
    let householdsOfHome: Int
    let appsOfDevice: Int
    /// By the marks of their providers, in nanoseconds of the run.
    let degradations: [(mvpd: UInt64, from: Int64, until: Int64)]
    /// The service's clock as each machine of a merged run sees it; one as a rule.
    var clocks: [ServiceClock]
    /// Of the machine whose household is judged now, the position in `clocks`.
    var clockAtHand = 0
    /// By how much households of several machines are compared less sharply.
    let bounds: ClockBounds

    var found: [Violation] = []
    /// Households of what was found since this was last emptied.
    var accused: [Int] = []
    /// Positions in `found` of what concerns several households, with these.
    var causes: [(position: Int, households: Set<Int>)] = []
    var foreign: [ForeignUser] = []
    /// Positions in `found` of what another household with the same account would explain.
    var onAccount: [(position: Int, account: UInt64)] = []
    /// Who had which account when, and, where users are learned, who is who.
    var accounts: AccountBook
    var users = UserLedger()
    /// What devices did and saw under identities that several may have.
    var identities = IdentityLedger()
    var addresses = SharedAddresses()
    var permits = SharedPermits()
    /// Whether a device of the run may have several profiles.
    var hasProfiles = false
    /// Where what is known of users comes from.
    var usersNote = "users learned from sign-ins"
    /// What of the accounts file was not believed.
    var columnNote: String?
    /// Breaches beyond `foundLimit`, by invariant and standing.
    var unlisted: [Invariant: Verdict] = [:]
    let checked = InvariantTally()
    /// Households in which it was checked at all.
    let tested = InvariantTally()
    /// Of promises with a window.
    private(set) var exposures = [WindowExposure](
        repeating: WindowExposure(), count: Invariant.allCases.count)
    var undecided = [Int](repeating: 0, count: Invariant.allCases.count)
    var codes: CodeLedger
    var media = MediaLedger()

    var levels = LevelTally()
    var staleness = Staleness()
    var changes = ServiceChanges()
    var bursts: BurstDetector
    var codeTexts = CodeTexts()
    private(set) var households = 0
    /// Households whose SDK was held against the order of its callbacks.
    var sdkHouseholds = 0
    /// Households that held a sign-in before this run began.
    var preSignedIn = 0

    static let foundLimit = 20_000
    /// Breaches whose scene is kept: the first of all, and besides them the first of each signature.
    static let sceneLimit = 100
    private var pictured: Set<String> = []

    /// Where what is believed of one household is noted; nil as a rule.
    let beliefs: BeliefLog?

    init(_ rules: Rules, beliefs: BeliefLog? = nil) {
        self.rules = rules
        self.beliefs = beliefs
        model = DeviceModel(rules)
        day = UTCTime(microseconds: rules.startedMicroseconds).date
        visibility = rules.policies.visibility.inNanoseconds
        delivery = max(rules.delivery, rules.policies.visibility).inNanoseconds
        deliveryName =
            if rules.policies.visibility > rules.delivery {
                "policies.visibility"
            } else if rules.delivery == Rules.shortestDelivery {
                "the protocol's poll interval"
            } else if rules.delivery < Rules.shortestDelivery {
                "the race's wait before its last poll"
            } else {
                "one poll interval"
            }
        deadline = rules.policies.unknownDeadline.inNanoseconds
        sweepLag = rules.policies.sweepLag.inNanoseconds
        throttleEvery = rules.policies.throttle?.every.inNanoseconds ?? 0
        knowsUsers = rules.knowsUsers
        inventsLogins = rules.inventsLogins
        accounts = AccountBook(inventsLogins: rules.inventsLogins)
        devicesAreFresh = rules.devicesAreFresh
        isDeviceGrant = rules.isDeviceGrant
        codesServeOnce = rules.policies.codeReuse == .single
        shortestSignIn = rules.shortestSignIn.inNanoseconds
        clockTolerance = rules.policies.clockTolerance.inNanoseconds
        sharesLimit = rules.throttledBy == .household
        throttle = sharesLimit || rules.throttledBy == .device ? rules.policies.throttle : nil
        householdsOfHome = sharesLimit ? rules.householdsOfHome : 1
        appsOfDevice = rules.appsOfDevice
        degradations = rules.degradations.map {
            (Checker.mark($0.mvpd), $0.from.inNanoseconds, $0.until.inNanoseconds)
        }
        bounds = ClockBounds(rules.shards)
        codes = CodeLedger(visibility: visibility, bounds: bounds)
        clocks = Array(
            repeating: ServiceClock(tolerance: clockTolerance),
            count: max(1, rules.shards?.clocks.count ?? 1))
        bursts = BurstDetector(slot: bounds.widest)
    }

    /// The service's clock, as the machine of the household that is judged now sees it.
    var clock: ServiceClock {
        _read { yield clocks[clockAtHand] }
        _modify { yield &clocks[clockAtHand] }
    }

    /// Whether two expiries, in ms, are one as far as the service's clocks go (`policies.clock-tolerance`).
    func isOne(_ first: Int64, _ second: Int64) -> Bool {
        distance(first, second) <= clockTolerance
    }

    /// Whether a rule of degraded access may have been active there; nil where nobody knows.
    func mayBeDegraded(_ mvpd: UInt64, from call: Int64, to ret: Int64) -> Bool? {
        let known = degradations.filter { $0.mvpd == mvpd }
        guard !known.isEmpty else { return nil }
        // The service counts from its own start, the run from when its load begins.
        let start: Int64 = 1_000_000_000
        let slack = visibility.plus(sweepLag).plus(clockTolerance).plus(start)
        return known.contains { $0.from - start <= ret && $0.until.plus(slack) >= call }
    }

    // MARK: Counting

    @inline(__always)
    func check(_ invariant: Invariant, _ count: Int = 1) {
        checked.add(count, to: invariant)
    }

    /// A household has closed, in which these were checked.
    func noteTested(_ invariants: InvariantSet) {
        for invariant in Invariant.allCases where invariants.contains(invariant) {
            tested.add(1, to: invariant)
        }
    }

    /// What a window may begin with took place.
    func addEvent(_ invariant: Invariant) { exposures[Int(invariant.rawValue)].addEvent() }

    /// The first look after it was answered so many nanoseconds later.
    func addLook(_ invariant: Invariant, after delay: Int64) {
        exposures[Int(invariant.rawValue)].addLook(after: delay)
    }

    func leaveUndecided(_ invariant: Invariant) { undecided[Int(invariant.rawValue)] += 1 }

    func householdClosed() { households += 1 }

    // MARK: Violations

    /// Whose promise it is. What the vendor's pages promise of the older protocols no standard promises of
    /// a device grant, but for the end of a token that was given back (RFC 7009, 2) and for the client that it
    /// was issued to (RFC 6749, 5.2).
    func source(of invariant: Invariant) -> PromiseSource {
        guard isDeviceGrant, invariant.source == .documented, invariant != .logoutFinal,
            invariant != .clientBound
        else {
            return invariant.source
        }
        return .ours
    }

    func standing(
        _ invariant: Invariant, _ certainty: Certainty, _ source: PromiseSource,
        _ operation: OperationName?
    ) -> Standing {
        if let known = rules.known.first(where: { $0.covers(invariant, operation, on: day) }) {
            return .known(ticket: known.ticket)
        }
        if case .suspicion = certainty { return .suspected }
        return rules.promises.holds(invariant, from: source) ? .fails : .observed
    }

    /// A user whom an accused answer named, and whom its household did not sign in as, as far as is known there.
    struct ForeignUser {
        /// Mark of the user with its provider.
        var tag: UInt64
        /// Its name alone.
        var name = ""
        var doubt: Doubt?
        /// The identities of the accused device.
        var subjects: [UInt64] = []
        /// Of the violation, in `found`.
        var position = 0
    }

    /// What only the end of the run tells: whether the violation holds, or `instead` does.
    struct Doubt {
        enum Ground {
            /// Only that account's login, which was turned down, would explain the user; unless it is another household's.
            case rejectedLogin(account: UInt64)
            /// The household was shown another user before, by mark and name: of the two the wrong one is meant.
            case earlierUser(tag: UInt64, name: String)
        }
        var ground: Ground
        var instead: Violation
    }

    /// Takes a violation in and gives its position; nil when there are too many to list.
    func add(
        _ violation: Violation, of user: ForeignUser? = nil, onAccount account: UInt64 = 0
    ) -> Int? {
        var violation = violation
        guard found.count < Self.foundLimit else {
            unlisted[violation.invariant, default: Verdict(violation.invariant)]
                .count(violation.standing)
            return nil
        }
        let isFirst =
            pictured.count < Self.sceneLimit && pictured.insert(violation.signature).inserted
        if found.count >= Self.sceneLimit, !isFirst { violation.scene = [] }
        found.append(violation)
        accused.append(violation.household)
        if var user {
            user.position = found.count - 1
            foreign.append(user)
        }
        if account != 0 { onAccount.append((found.count - 1, account)) }
        return found.count - 1
    }

    func amend(_ position: Int, _ change: (inout Violation) -> Void) { change(&found[position]) }

    /// It was no breach after all: it counts no more.
    func withdraw(_ position: Int) {
        found[position].isWithdrawn = true
    }

    /// What was found and stands.
    var upheld: [Violation] { found.filter { !$0.isWithdrawn } }
}

/// Some of the invariants.
struct InvariantSet: Sendable {
    private var bits: UInt64 = 0

    func contains(_ invariant: Invariant) -> Bool { bits & 1 << UInt64(invariant.rawValue) != 0 }

    @inline(__always)
    mutating func insert(_ invariant: Invariant) { bits |= 1 << UInt64(invariant.rawValue) }
}

/// How often each invariant could have been broken. Behind a pointer: several are counted with each
/// answer, and nobody else reaches them.
final class InvariantTally {
    private let counts: UnsafeMutablePointer<Int>

    init() {
        counts = .allocate(capacity: Invariant.allCases.count)
        counts.initialize(repeating: 0, count: Invariant.allCases.count)
    }

    deinit { counts.deallocate() }

    @inline(__always)
    func add(_ count: Int, to invariant: Invariant) { counts[Int(invariant.rawValue)] += count }

    subscript(invariant: Invariant) -> Int { counts[Int(invariant.rawValue)] }
}
