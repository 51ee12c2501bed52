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
    // Of these no part is held while a household reaches them: a judge is used on one queue, and none of them calls back.
    /// The service's clock as each machine of a merged run sees it; one as a rule.
    @exclusivity(unchecked) var clocks: [ServiceClock]
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
    @exclusivity(unchecked) var accounts: AccountBook
    @exclusivity(unchecked) var users = UserLedger()
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
    /// By the code: logins by one that may not have been their device's at that time.
    private var astray: [UInt64: [AstrayLogin]] = [:]

    /// The latest of each text.
    @exclusivity(unchecked) private var lives = MarkTable<SharedLife>()
    /// Those before it, the oldest first; none for nearly every text.
    private var olderLives: [UInt64: [SharedLife]] = [:]
    @exclusivity(unchecked) private var records = MarkTable<SharedLife>()
    /// So many lives are looked through for old ones: at twice as many as were left.
    private var sweepAt = 4096
    private var twins: [(older: SharedLife, newer: SharedLife, isRecord: Bool)] = []
    private var media: [UInt64: MediaOwner] = [:]
    private var olderMedia: [UInt64: MediaOwner] = [:]
    private var mediaTurned: Int64 = 0

    @exclusivity(unchecked) var levels = LevelTally()
    @exclusivity(unchecked) var staleness = Staleness()
    @exclusivity(unchecked) var changes = ServiceChanges()
    @exclusivity(unchecked) var bursts: BurstDetector
    @exclusivity(unchecked) var codeTexts = CodeTexts()
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
        var rejected: RejectedLogin?
        var earlier: EarlierUser?
        /// The identities of the accused device.
        var subjects: [UInt64] = []
        /// Of the violation, in `found`.
        var position = 0
    }

    /// A login that was turned down, and that alone would explain the user. Where it is another household's, that is the
    /// violation `instead`.
    struct RejectedLogin {
        var account: UInt64
        var instead: Violation
    }

    /// A user whom the household was shown before. Where the accused one is the household's own, that earlier one is the
    /// violation `instead`.
    struct EarlierUser {
        /// Mark of the user with its provider.
        var tag: UInt64
        /// Its name alone.
        var name: String
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

    // MARK: Codes

    /// A code was handed out. Two that may live at once under one text are looked at in the end,
    /// when it is known what ended them.
    func hand(out life: SharedLife) {
        if lives.count >= sweepAt { sweep(before: life.call.plus(-Self.kept)) }
        if let latest = lives[life.code] {
            olderLives[life.code, default: []].append(latest)
            for other in olderLives[life.code] ?? [] where other.household != life.household {
                if twins.count < Self.foundLimit, other.over >= life.call || life.over >= other.call
                {
                    twins.append((other, life, false))
                }
            }
        }
        lives[life.code] = life
        if life.record != 0 {
            if let other = records[life.record], twins.count < Self.foundLimit {
                twins.append((other, life, true))
            }
            records[life.record] = life
        }
    }

    /// Whether another device may have held that code at some time from `call` to `ret`.
    func isHeld(
        _ code: UInt64, byOtherThan household: Int, from call: Int64, to ret: Int64
    ) -> Bool {
        guard let latest = lives[code] else { return false }
        func holds(_ life: SharedLife) -> Bool {
            guard life.household != household else { return false }
            let slack = bounds.between(household, call, life.household, life.call)
            return life.call <= ret.plus(slack)
                && life.over >= call.plus(-visibility).plus(-slack)
        }
        return holds(latest) || olderLives[code]?.contains(where: holds) == true
    }

    /// A login by a code that may not have been that household's own at the time.
    struct AstrayLogin {
        /// Mark of who signed in.
        var user: UInt64
        /// Before that it had not begun for certain; `Int64.max` where that is not known.
        var begun: Int64
        var household: Int
    }

    func noteAstray(_ login: AstrayLogin, by code: UInt64) {
        var logins = astray[code] ?? []
        let known = logins.firstIndex {
            $0.user == login.user && $0.household == login.household
        }
        if let known {
            logins[known].begun = max(logins[known].begun, login.begun)
        } else {
            logins.append(login)
        }
        astray[code] = logins
    }

    /// Whether such a login by somebody among those, by a code's letters, may be one by the code of that household that was
    /// asked for at `call`: one that began before went on for the code before, and what it brings belongs there.
    func isUsedAstray(
        _ code: UInt64, since call: Int64, of household: Int, by isUser: (UInt64) -> Bool
    ) -> Bool {
        astray[code]?.contains { login in
            guard isUser(login.user) else { return false }
            guard login.begun < call, login.household != household else { return true }
            return login.begun.plus(
                bounds.between(household, call, login.household, login.begun)) >= call
        } ?? false
    }

    /// Codes are remembered so long after their end: until nobody can ask about them any more.
    private static let kept: Int64 = 1_000_000_000_000

    private func sweep(before time: Int64) {
        var left = MarkTable<SharedLife>()
        for latest in lives.values {
            var older = (olderLives[latest.code] ?? []).filter { $0.high >= time }
            if let life = latest.high >= time ? latest : older.popLast() { left[life.code] = life }
            olderLives[latest.code] = older.isEmpty ? nil : older
        }
        lives = left
        var known = MarkTable<SharedLife>()
        for life in records.values where life.high >= time { known[life.record] = life }
        records = known
        sweepAt = max(4096, 2 * lives.count)
    }

    var twinLives: [(older: SharedLife, newer: SharedLife, isRecord: Bool)] { twins }

    // MARK: Media tokens

    struct MediaOwner {
        var resource: UInt64
        var household: Int32
        var sequence: Int32
        /// When the answer came.
        var at: Int64
    }

    /// A media token was handed out; gives who had the same before.
    func handMedia(_ token: UInt64, to owner: MediaOwner, at now: Int64) -> MediaOwner? {
        // Two generations of ten minutes: a token lives seven (rest-v1.md, A17).
        if now - mediaTurned > 600_000_000_000 {
            olderMedia = media
            media = [:]
            mediaTurned = now
        }
        let before = media[token] ?? olderMedia[token]
        if before == nil { media[token] = owner }
        return before
    }
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
