internal import Dialects
internal import Synchronization
internal import Vocabulary

/// Everything that is known of one household's device while it lives: what waits to be judged, what
/// has happened, and what may be true. Operations are taken in as they end and judged in the order
/// of their calls and returns, up to the watermark.
///
/// ```text
/// sequence   1   2   3   (4 is missing: it is under way)   5
///            all before the beginning of 3 is final: 4 cannot have begun before 3 did
/// ```
///
/// A value at an address of its own (`Households`), so that its parts are reached without a check of who else reaches
/// them; and of numbers throughout, for nothing is then counted as it is copied. Texts are where only a violation
/// looks: `names`, `lives`, `resources`. Its lists lie behind it as long as they are short (`Few`).
struct HouseholdState: ~Copyable {
    let registry: SharedState

    // What waits.
    var agenda: EventQueue
    /// Exchanges 1 to this are all here, and the last of them was begun then.
    private var contiguousBegun = Int64.min
    private var ahead: [(sequence: Int32, begun: Int64)] = []
    var screens: Screens
    var logins = OpenLogins()
    var now = Int64.min

    // What has happened.
    var lives: Few<1, CodeLife>
    var attempts: Few<1, SignInAttempt>
    var signOuts: Few<1, SignOut>
    var grants: Few<1, Grant>
    var tags: Few<1, TagSeen>
    /// Of `tags`, in their order.
    var names: Few<1, Tag>
    /// Tokens that answers showed, by tag and expiry.
    var tokens: Few<1, TokenSeen>
    /// Two of each value: nobody, somebody, and its own user. With room for fewer, most households need memory of their own for
    /// them (2,273 bytes instead of 2,064 with room for four).
    var reads: Few<6, TokenRead>
    /// Where users are learned: those that answers named here.
    var faces: [Face] = []
    var resources: Few<1, String>
    var ring = Ring()
    // What is small lies together, for each household that lives has it.
    /// The device held a sign-in when the run began, and has not lost it yet.
    var isPreSignedIn = false
    /// The tag of its TempPass.
    var pass: UInt8 = ModelOperation.none
    var broken = LevelSet()
    var hasToldOrder = false
    var isClosed = false
    /// Never looked at: a value with an atomic in it is nowhere but in its place. Without one, functions that only
    /// read were given a copy of the whole state on their stack, several times for each answer.
    private let isHereOnly = Atomic(true)
    private var contiguous: Int32 = 0
    /// Promises that the answer at hand was counted for.
    var counted: UInt32 = 0
    /// Promises that it could have broken so far.
    var tested = InvariantSet()
    /// The phone's sign-in that the TV was shown last, by its number; 0: none.
    var exposed: Int32 = 0
    private let householdNumber: Int32
    /// When the poll that first showed a token was answered, until the next poll; `.min`: there was none yet,
    /// `.max`: another came.
    var unlooked = Int64.min
    /// Answers before its first code that could have shown a token.
    var looksBeforeCode: Int32 = 0
    /// "Not yet" answers to the TV since the last sign-in was answered, while nobody knew that it had
    /// taken effect.
    var unproven: Int32 = 0

    // What may be true.
    var frontier: Frontier

    // What was found.
    /// Whoever was told "done" by then has been held against what the TV saw (`judgeDelivery`).
    var delivered = Int64.min
    /// Beside the dossier, for nearly no device has any of it.
    private var oddities: Oddities?

    private final class Oddities {
        var strangers: [Stranger] = []
        var strays: [Stray] = []
        var causes: [Cause] = []
        var conditional: [Conditional] = []
        // As lists: a violation is large.
        var held: [Violation] = []
        var late: [Violation] = []
        var profiles: ProfileBook?
        var requestLog = SharedAddresses.RequestLog()
        var refusals: [SharedAddresses.Refusal] = []
        var grantBook: GrantBook?
    }

    /// When the household left; `.max`: it is still there.
    var ended = Int64.max

    typealias Cause = (position: Int?, invariant: Invariant, standing: Standing)
    typealias Conditional = (position: Int, foreignTag: UInt64)

    struct Stray {
        var code: UInt64
        var call: Int64
        var ret: Int64
    }

    var household: Int { Int(householdNumber) }

    /// `memory`: of `bytes`, all of which its lists take.
    init(_ household: Int, _ registry: SharedState, in memory: inout HouseholdMemory?) {
        householdNumber = Int32(truncatingIfNeeded: household)
        self.registry = registry
        agenda = EventQueue(in: &memory)
        screens = Screens(in: &memory, sharesLimit: registry.sharesLimit)
        lives = Few(in: &memory)
        attempts = Few(in: &memory)
        signOuts = Few(in: &memory)
        grants = Few(in: &memory)
        tags = Few(in: &memory)
        names = Few(in: &memory)
        tokens = Few(in: &memory)
        reads = Few(in: &memory)
        resources = Few(in: &memory)
        if registry.devicesAreFresh {
            frontier = Frontier(registry.model, in: &memory)
            precondition(memory?.isUsedUp != false, "HouseholdState.bytes is what its lists take")
        } else {
            // Device ids that an earlier run may have used: somebody may be signed in.
            var signedIn = DeviceState()
            signedIn.token = 1
            frontier = Frontier(registry.model, from: [DeviceState(), signedIn], in: &memory)
            add(TagSeen(isLearned: true), named: Tag(mvpd: "", user: ""))
            expire(tag: 0, .min, .max)
        }
    }

    /// What the lists take that lie in its memory.
    static let bytes =
        Few<1, CodeLife>.bytes + Few<1, SignInAttempt>.bytes + Few<1, SignOut>.bytes
        + Few<1, Grant>.bytes + Few<1, TagSeen>.bytes + Few<1, Tag>.bytes
        + Few<1, TokenSeen>.bytes + Few<6, TokenRead>.bytes + Few<1, String>.bytes
        + EventQueue.bytes + Screens.bytes + Frontier.bytes

    mutating func add(_ tag: TagSeen, named name: Tag) {
        tags.append(tag)
        names.append(name)
    }

    // MARK: What few devices have

    /// Users that answers named and that never signed in here, as far as is known.
    var strangers: [Stranger] {
        get { oddities?.strangers ?? [] }
        set {
            guard !newValue.isEmpty || oddities != nil else { return }
            change { $0.strangers = newValue }
        }
    }

    /// Answers about codes that may have been another's by then, as far as nobody knew better.
    var strays: [Stray] {
        get { oddities?.strays ?? [] }
        set { change { $0.strays = newValue } }
    }

    /// What was found here.
    var causes: [Cause] {
        get { oddities?.causes ?? [] }
        set { change { $0.causes = newValue } }
    }

    /// Those of them that hang on whose code some letters were, and those that name a user who
    /// never signed in here, by the mark of its tag.
    var conditional: [Conditional] {
        get { oddities?.conditional ?? [] }
        set { change { $0.conditional = newValue } }
    }

    /// Kept back until it is known whether something else explains it.
    var held: Violation? {
        get { oddities?.held.first }
        set {
            guard newValue != nil || oddities != nil else { return }
            change { $0.held = newValue.map { [$0] } ?? [] }
        }
    }

    /// The TV was told "not yet" after the phone was told "done": late, or lost?
    var late: Violation? {
        get { oddities?.late.first }
        set {
            guard newValue != nil || oddities != nil else { return }
            change { $0.late = newValue.map { [$0] } ?? [] }
        }
    }

    /// Of a device that may have several sign-ins (rest-v2.md § 16.2); nil where it has one.
    var profiles: ProfileBook? {
        get { oddities?.profiles }
        set { change { $0.profiles = newValue } }
    }

    /// What the throttle counts, where another app of the device may have the same address.
    var requestLog: SharedAddresses.RequestLog { oddities?.requestLog ?? .init() }

    mutating func log(_ operation: Observed) {
        let every = registry.throttleEvery
        change { $0.requestLog.note(operation.call, operation.ret, every: every) }
    }

    /// 429s that wait for what other devices of its identities asked.
    var refusals: [SharedAddresses.Refusal] {
        get { oddities?.refusals ?? [] }
        set {
            guard !newValue.isEmpty || oddities != nil else { return }
            change { $0.refusals = newValue }
        }
    }

    /// Of a device grant, once a person has decided or a poll has got a token.
    var grantBook: GrantBook? {
        get { oddities?.grantBook }
        set { change { $0.grantBook = newValue } }
    }

    private mutating func change(_ change: (Oddities) -> Void) {
        let own = oddities ?? Oddities()
        oddities = own
        change(own)
    }

    // MARK: Taking in

    /// An exchange has ended, and waits to be judged unless it never left: judges what is final now.
    mutating func arrive(_ sequence: Int32, begun: Int64) {
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

    /// Whether exchanges are missing that came before some that are here.
    var hasGap: Bool { !ahead.isEmpty }
}
