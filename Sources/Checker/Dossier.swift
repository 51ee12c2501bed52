internal import Dialects
internal import Journal

/// Everything that is known of one household's device while it lives: what waits to be judged, what
/// has happened, and what may be true. Operations are taken in as they end and judged in the order
/// of their calls and returns, up to the watermark.
///
/// ```text
/// sequence   1   2   3   (4 is missing: it is under way)   5
///            all before the beginning of 3 is final: 4 cannot have begun before 3 did
/// ```
final class Dossier {
    let household: Int
    let registry: Registry

    // What waits.
    private var waiting: [Observed] = []
    private var open: [Open] = []
    private var expiries: [Expiry] = []
    /// Exchanges 1 to this are all here, and the last of them was begun then.
    private var contiguous: Int32 = 0
    private var contiguousBegun = Int64.min
    private var ahead: [(sequence: Int32, begun: Int64)] = []
    private var lastOf: [ScreenState] = []
    private var busyPhones: UInt64 = 0
    private(set) var now = Int64.min

    // What has happened.
    var lives: [CodeLife] = []
    var shared: [SharedLife] = []
    var attempts: [SignInAttempt] = []
    var signOuts: [Beat] = []
    var grants: [(resource: UInt8, beat: Beat)] = []
    var tags: [TagSeen] = []
    var reads: [TokenRead] = []
    /// Users that answers named and that never signed in here, as far as is known.
    var strangers: [TagSeen] = []
    /// Answers about codes that may have been another's by then, as far as nobody knew better.
    var strays: [Stray] = []
    var resources: [String] = []
    var codeTexts = CodeTexts()
    var ring = Ring()
    /// The device held a sign-in when the run began, and has not lost it yet.
    var isPreSignedIn = false

    // What may be true.
    var frontier: Frontier

    // What was found.
    var causes: [(position: Int?, invariant: Invariant)] = []
    /// Those of them that hang on whose code some letters were, and those that name a user who
    /// never signed in here, by the mark of its tag.
    var conditional: [(position: Int, foreignTag: UInt64)] = []
    var broken: Set<ConsistencyLevel> = []
    /// Kept back until it is known whether something else explains it.
    var held: Violation? {
        get { suspended?.held }
        set {
            guard newValue != nil || suspended != nil else { return }
            if suspended == nil { suspended = Suspended() }
            suspended?.held = newValue
        }
    }
    /// The TV was told "not yet" after the phone was told "done": late, or lost?
    var late: Violation? {
        get { suspended?.late }
        set {
            guard newValue != nil || suspended != nil else { return }
            if suspended == nil { suspended = Suspended() }
            suspended?.late = newValue
        }
    }
    /// Beside the dossier, for they are large and nearly no device has them.
    private var suspended: Suspended?

    private final class Suspended {
        var held: Violation?
        var late: Violation?
    }

    private(set) var isClosed = false
    private(set) var ended: Int64?

    /// An operation, or a code's or token's end, between its call and its return.
    private struct Open {
        var ret: Int64
        var operation: Observed?
        var place: Frontier.Place?
        var isRead: Bool
        /// Nothing of its screen was under way or had been for as long as the throttle asks.
        var isQuiet: Bool
    }

    private struct Expiry {
        var low: Int64
        var high: Int64
        var act: Act
    }

    struct ScreenState {
        var sent: Int32 = 0
        /// When the last of its operations was over.
        var over = Int64.min
        var lastCall = Int64.min
        /// What it asked for and got no answer to that counts, until it asks again.
        var lost: [(operation: OperationName, code: UInt64)] = []
    }

    struct Stray {
        var code: UInt64
        var call: Int64
        var ret: Int64
    }

    init(_ household: Int, _ registry: Registry) {
        self.household = household
        self.registry = registry
        if registry.rules.devicesAreFresh {
            frontier = Frontier(registry.model)
        } else {
            // Device ids that an earlier run may have used: somebody may be signed in.
            var signedIn = DeviceState()
            signedIn.token = 1
            frontier = Frontier(registry.model, from: [DeviceState(), signedIn])
            tags.append(TagSeen(mark: 0, mvpd: 0, user: 0, text: "", isLearned: true))
            expire(tag: 0, .min, .max)
        }
    }

    // MARK: Taking in

    /// An exchange has ended; `operation` is nil where it never left.
    func take(_ operation: Observed?, sequence: Int32, begun: Int64) {
        if let operation { insert(operation) }
        if sequence == contiguous + 1 {
            contiguous = sequence
            contiguousBegun = max(contiguousBegun, begun)
            while let next = ahead.firstIndex(where: { $0.sequence == contiguous + 1 }) {
                contiguous += 1
                contiguousBegun = max(contiguousBegun, ahead[next].begun)
                ahead.remove(at: next)
            }
            advance(before: contiguousBegun)
        } else if sequence > contiguous {
            ahead.append((sequence, begun))
        }
    }

    private func insert(_ operation: Observed) {
        if operation.screen > 0 {
            // A phone is done once it was told so.
            let bit: UInt64 = 1 << UInt64(operation.screen & 63)
            let isDone = operation.operation == .checkCode && operation.effect == .success
            busyPhones = isDone ? busyPhones & ~bit : busyPhones | bit
        }
        let call = start(of: operation)
        var position = waiting.count
        while position > 0 {
            let other = start(of: waiting[position - 1])
            if (other, waiting[position - 1].sequence) <= (call, operation.sequence) { break }
            position -= 1
        }
        waiting.insert(operation, at: position)
    }

    /// The earliest state that an answer may tell of: with `visibility`, one that old.
    @inline(__always)
    private func start(of operation: Observed) -> Int64 {
        registry.visibility > 0 && !operation.operation.isMutator
            ? operation.call - registry.visibility : operation.call
    }

    // MARK: In order

    /// Judges everything that happened before `time`: calls before returns on equal stamps, for
    /// intervals are closed.
    private func advance(before time: Int64) {
        let limit = registry.visibility > 0 ? time.plus(-registry.visibility) : time
        while true {
            let call = waiting.first.map { start(of: $0) } ?? .max
            var ret = Int64.max
            var returning = -1
            for position in open.indices where open[position].ret < ret {
                ret = open[position].ret
                returning = position
            }
            var expiry = Int64.max
            var expiring = -1
            for position in expiries.indices where expiries[position].low < expiry {
                expiry = expiries[position].low
                expiring = position
            }
            let next = min(call, ret, expiry)
            guard next < limit else { return }
            now = max(now, next)
            if expiry == next {
                begin(expiries.remove(at: expiring))
            } else if call == next {
                begin(waiting.removeFirst())
            } else {
                finish(open.remove(at: returning))
            }
        }
    }

    private func begin(_ expiry: Expiry) {
        let place = frontier.call(mutator: expiry.act)
        guard let place else { return }
        open.append(
            Open(
                ret: max(expiry.high, now), operation: nil, place: place, isRead: false,
                isQuiet: false))
    }

    private func begin(_ operation: Observed) {
        var operation = operation
        let isQuiet = enter(&operation)
        if operation.code != 0, operation.operation.isAboutCode { placeCode(of: &operation) }
        let act = note(operation)
        guard operation.effect != .nothing || operation.operation.isThrottled else { return }
        var entry = Open(
            ret: operation.ret, operation: operation, place: nil, isRead: false, isQuiet: isQuiet)
        if let act {
            entry.isRead = act.isRead
            entry.place =
                act.isRead
                ? frontier.call(read: act)
                : frontier.call(mutator: act, isOpen: operation.effect == .open)
        }
        open.append(entry)
    }

    /// Keeps account of what its screen does; whether nothing of it was near before.
    private func enter(_ operation: inout Observed) -> Bool {
        let screen = Int(operation.screen)
        while lastOf.count <= screen { lastOf.append(ScreenState()) }
        if operation.operation.isMutator { noteRetry(&operation, screen) }
        guard operation.operation.isThrottled else { return false }
        let isQuiet =
            lastOf[screen].over < operation.call.plus(-registry.throttleEvery - 1_000_000)
        lastOf[screen].sent += 1
        if operation.effect != .open {
            lastOf[screen].over = max(lastOf[screen].over, operation.ret)
        }
        lastOf[screen].lastCall = operation.call
        return isQuiet
    }

    /// Whether the same screen had asked the same before and nobody answered: then this is one
    /// intent, tried again, whatever the screen did between.
    private func noteRetry(_ operation: inout Observed, _ screen: Int) {
        let isLost = operation.effect == .open
        guard isLost || !lastOf[screen].lost.isEmpty else { return }
        let (name, code) = (operation.operation, operation.code)
        let known = lastOf[screen].lost.firstIndex { $0.operation == name && $0.code == code }
        if known != nil { operation.flags.insert(.retried) }
        if isLost, known == nil {
            lastOf[screen].lost.append((name, code))
        } else if !isLost, let known {
            lastOf[screen].lost.remove(at: known)
        }
    }

    /// Whose the code is that an answer is about. The letters of one whose life may be over here may
    /// have been given to another device, whose exchanges may come in later: that is looked up again
    /// when this household closes.
    ///
    /// ```text
    /// this device    make ABC   delete ABC                          check ABC: yes
    /// another                                make ABC   sign in       whose sign-in? theirs
    /// ```
    private func placeCode(of operation: inout Observed) {
        let life = life(of: operation)
        if let life, operation.operation == .registrationRecord, operation.detail != 0,
            operation.detail == lives[life].record
        {
            return
        }
        let isAnothers = registry.isHeld(
            operation.code, byOtherThan: household, from: operation.call, to: operation.ret)
        if isAnothers { operation.flags.insert(.anothers) }
        if let life, lives[life].low > operation.ret, shared[life].endCalled > operation.ret {
            return
        }
        operation.flags.insert(.afterEnd)
        guard !isAnothers else { return }
        if strays.count < Self.strayLimit {
            strays.append(Stray(code: operation.code, call: operation.call, ret: operation.ret))
        } else {
            // Nobody could look so many up again: it tells nothing.
            operation.flags.insert(.anothers)
        }
    }

    private static let strayLimit = 64

    /// Operations that are known and not judged yet.
    var waitingOperations: [Observed] { waiting }

    func screen(_ operation: Observed) -> ScreenState { lastOf[Int(operation.screen)] }

    private func finish(_ entry: Open) {
        guard let operation = entry.operation else {
            if let place = entry.place { close(place, isRead: false, nil) }
            return
        }
        var beat = Beat(operation)
        if operation.effect != .open {
            judge(operation, beat, isQuiet: entry.isQuiet)
        }
        if let place = entry.place { close(place, isRead: entry.isRead, operation) }
        guard operation.effect != .nothing else { return }
        beat.belief = frontier.standing == .holds ? frontier.belief : 0
        ring.append(beat)
        if frontier.standing == .violated, held == nil, !hasToldOrder { tellOrder(beat) }
    }

    private var hasToldOrder = false

    private func close(_ place: Frontier.Place, isRead: Bool, _ operation: Observed?) {
        _ = isRead ? frontier.finish(read: place) : frontier.finish(mutator: place)
    }

    private func tellOrder(_ beat: Beat) {
        hasToldOrder = true
        held = orderViolation(beat)
    }

    // MARK: Ends that nobody asks for

    /// A code's own end.
    func expire(code slot: UInt8, _ low: Int64, _ high: Int64) {
        guard slot != Act.none, low < .max else { return }
        expiries.append(Expiry(low: low, high: high, act: Act(kind: .expireCode, code: slot)))
    }

    /// A sign-in's own end. It may come for an older sign-in of the same user, so it may also not
    /// be.
    func expire(tag: UInt8, _ low: Int64, _ high: Int64) {
        expiries.append(
            Expiry(
                low: max(low, now), high: max(high, now),
                act: Act(kind: .expireToken, tag: tag, isMaybe: true)))
    }

    /// Our clock stood still: what runs out may seem to do so early by that much.
    func stoodStill(for time: Int64) {
        for position in expiries.indices {
            expiries[position].low = max(now, expiries[position].low.plus(-time))
        }
        for position in lives.indices { lives[position].low = lives[position].low.plus(-time) }
        for life in shared { life.low = life.low.plus(-time) }
    }

    // MARK: The end

    /// The household has left, at `time`.
    func end(at time: Int64) { ended = time }

    /// Whether a phone of it may still be at something although its TV has ended.
    var isPhoneBusy: Bool { busyPhones != 0 || !ahead.isEmpty }

    /// Nothing more will come of it: judges the rest, and what only the whole tells.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        // With exchanges missing, what came after them may have causes that nobody recorded.
        let isWhole = ahead.isEmpty
        if isWhole { advance(before: .max) }
        judgeWhole(isWhole: isWhole, isConfused: withdrawStrays())
    }

    /// Now everything is known that happened until this household's end: takes back what was said of
    /// codes that were another's by then, or by whose letters another household signed in here. True
    /// where there was such a code: what followed from its answers is not known.
    private func withdrawStrays() -> Bool {
        let wasAnothers = strays.contains {
            registry.isHeld($0.code, byOtherThan: household, from: $0.call, to: $0.ret)
        }
        var isConfused = wasAnothers
        for (position, foreignTag) in conditional {
            if foreignTag == 0 ? !wasAnothers : !isCrossed(by: foreignTag) { continue }
            isConfused = true
            registry.withdraw(position)
            causes.removeAll { $0.position == position }
        }
        guard isConfused else {
            for (position, _) in conditional { joinRepeats(of: position) }
            return false
        }
        held = nil
        if late?.hangsOnCode == true { late = nil }
        let left = causes.compactMap { cause in cause.position.map { registry.found[$0] } }
        broken = broken.filter { level in
            left.contains { $0.level == level || $0.companions.contains { $0.level == level } }
        }
        return true
    }

    /// What was kept apart only because it might have stood alone.
    private func joinRepeats(of position: Int) {
        guard let invariant = causes.first(where: { $0.position == position })?.invariant else {
            return
        }
        for cause in causes where cause.invariant == invariant {
            guard let other = cause.position, other != position else { continue }
            let times = registry.found[other].times
            registry.withdraw(other)
            registry.amend(position) { $0.times += times }
        }
        causes.removeAll { $0.invariant == invariant && $0.position != position }
    }

    /// Stands for whichever user, where an answer named none.
    static let anybody = UInt64.max

    /// Whether that user may have signed in by letters that this device holds or held.
    private func isCrossed(by tag: UInt64) -> Bool {
        if tag == Self.anybody { return lives.contains { registry.isUsedAstray($0.mark) } }
        return registry.codes(usedAstrayBy: tag).contains { code in
            lives.contains { $0.mark == code }
        }
    }
}
