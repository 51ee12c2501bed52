/// The codes of all households: which lived when under which text, and who signed in by letters that may have been
/// another's.
struct CodeLedger {
    /// Two codes that may live at once under one text, or that have one record.
    typealias Twins = (older: SharedLife, newer: SharedLife, isRecord: Bool)

    /// In nanoseconds.
    private let visibility: Int64
    private let bounds: ClockBounds
    /// The latest of each text.
    private var lives = MarkTable<SharedLife>()
    /// Those before it, the oldest first; none for nearly every text.
    private var older: [UInt64: [SharedLife]] = [:]
    private var records = MarkTable<SharedLife>()
    /// So many lives are looked through for old ones: at twice as many as were left.
    private var sweepAt = 4096
    private(set) var twins: [Twins] = []
    /// By the code; none for nearly every text.
    private var strayDeletions: [UInt64: [StrayDeletion]] = [:]
    /// By the code: logins by one that may not have been their device's at that time.
    private var astray: [UInt64: [AstrayLogin]] = [:]

    init(visibility: Int64, bounds: ClockBounds) {
        self.visibility = visibility
        self.bounds = bounds
    }

    // MARK: Lives

    /// A code was handed out. Two that may live at once under one text are looked at in the end,
    /// when it is known what ended them.
    mutating func hand(out life: SharedLife) {
        if lives.count >= sweepAt { sweep(before: life.call.plus(-Self.kept)) }
        if let latest = lives[life.code] {
            older[life.code, default: []].append(latest)
            for other in older[life.code] ?? [] where other.household != life.household {
                if other.over >= life.call || life.over >= other.call {
                    note((other, life, false))
                }
            }
        }
        lives[life.code] = life
        if life.record != 0 {
            if let other = records[life.record] { note((other, life, true)) }
            records[life.record] = life
        }
    }

    private mutating func note(_ pair: Twins) {
        if twins.count < SharedState.foundLimit { twins.append(pair) }
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
        return holds(latest) || older[code]?.contains(where: holds) == true
    }

    /// Codes are remembered so long after their end: until nobody can ask about them any more.
    private static let kept: Int64 = 1_000_000_000_000

    private mutating func sweep(before time: Int64) {
        var left = MarkTable<SharedLife>()
        for latest in lives.values {
            var old = (older[latest.code] ?? []).filter { $0.high >= time }
            if let life = latest.high >= time ? latest : old.popLast() { left[life.code] = life }
            older[latest.code] = old.isEmpty ? nil : old
        }
        lives = left
        var known = MarkTable<SharedLife>()
        for life in records.values where life.high >= time { known[life.record] = life }
        records = known
        for (code, strays) in strayDeletions where strays.allSatisfy({ $0.ret < time }) {
            strayDeletions[code] = nil
        }
        sweepAt = max(4096, 2 * lives.count)
    }

    // MARK: Deletions

    /// A deletion by letters whose code may have been over before (deleted, replaced, expired): it ended whatever code had them by
    /// then.
    private struct StrayDeletion {
        var household: Int
        var call: Int64
        var ret: Int64
    }

    mutating func noteStrayDeletion(
        of code: UInt64, by household: Int, from call: Int64, to ret: Int64
    ) {
        strayDeletions[code, default: []].append(
            StrayDeletion(household: household, call: call, ret: ret))
    }

    /// Whether another household's deletion may have ended that one's code at some time from `call` to `ret`.
    func mayBeDeleted(_ code: UInt64, byOtherThan household: Int, from call: Int64, to ret: Int64)
        -> Bool
    {
        strayDeletions[code]?.contains { stray in
            guard stray.household != household else { return false }
            let slack = bounds.between(household, call, stray.household, stray.call)
            return stray.call <= ret.plus(slack) && stray.ret >= call.plus(-slack)
        } ?? false
    }

    // MARK: Logins

    /// A login by a code that may not have been that household's own at the time.
    struct AstrayLogin {
        /// Mark of who signed in.
        var user: UInt64
        /// Before that it had not begun for certain; `Int64.max` where that is not known.
        var begun: Int64
        var household: Int
    }

    mutating func note(_ login: AstrayLogin, by code: UInt64) {
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
}
