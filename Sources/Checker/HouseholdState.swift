internal import Dialects
internal import Journal
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
    let household: Int
    let registry: SharedState

    // What waits.
    var agenda: EventQueue
    /// Exchanges 1 to this are all here, and the last of them was begun then.
    private var contiguous: Int32 = 0
    private var contiguousBegun = Int64.min
    private var ahead: [(sequence: Int32, begun: Int64)] = []
    var screens: Screens
    var now = Int64.min

    // What has happened.
    var lives: Few<1, CodeLife>
    var attempts: Few<1, SignInAttempt>
    var signOuts: Few<1, CompactOperation>
    var grants: Few<1, Grant>
    var tags: Few<1, TagSeen>
    /// The tag of its TempPass.
    var pass: UInt8 = ModelOperation.none
    /// Of `tags`, in their order.
    var names: Few<1, Tag>
    /// Tokens that answers showed, by tag and expiry.
    var tokens: Few<1, TokenSeen>
    var reads: Few<4, TokenRead>
    /// Users that answers named and that never signed in here, as far as is known.
    var strangers: [Stranger] = []
    /// Where users are learned: those that answers named here.
    var faces: [Face] = []
    /// Answers about codes that may have been another's by then, as far as nobody knew better.
    var strays: [Stray] = []
    var resources: Few<1, String>
    var codeTexts = CodeTexts()
    var ring = Ring()
    /// The device held a sign-in when the run began, and has not lost it yet.
    var isPreSignedIn = false

    // What may be true.
    var frontier: Frontier

    // What was found.
    /// Promises that the answer at hand was counted for.
    var counted: UInt32 = 0
    /// "Not yet" answers to the TV since the last sign-in was answered, while nobody knew that it had
    /// taken effect.
    var unproven = 0
    /// Whoever was told "done" by then has been held against what the TV saw (`judgeDelivery`).
    var delivered = Int64.min
    var causes: [(position: Int?, invariant: Invariant, standing: Standing)] = []
    /// Those of them that hang on whose code some letters were, and those that name a user who
    /// never signed in here, by the mark of its tag.
    var conditional: [(position: Int, foreignTag: UInt64)] = []
    var broken = LevelSet()
    var hasToldOrder = false
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

    var isClosed = false
    /// When the household left.
    var ended: Int64?

    struct Stray {
        var code: UInt64
        var call: Int64
        var ret: Int64
    }

    /// `memory`: of `bytes`, all of which its lists take.
    init(_ household: Int, _ registry: SharedState, in memory: inout HouseholdMemory?) {
        self.household = household
        self.registry = registry
        agenda = EventQueue(visibility: registry.visibility, in: &memory)
        screens = Screens(in: &memory)
        lives = Few(in: &memory)
        attempts = Few(in: &memory)
        signOuts = Few(in: &memory)
        grants = Few(in: &memory)
        tags = Few(in: &memory)
        names = Few(in: &memory)
        tokens = Few(in: &memory)
        reads = Few(in: &memory)
        resources = Few(in: &memory)
        if registry.rules.devicesAreFresh {
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
        Few<1, CodeLife>.bytes + Few<1, SignInAttempt>.bytes + Few<1, CompactOperation>.bytes
        + Few<1, Grant>.bytes + Few<1, TagSeen>.bytes + Few<1, Tag>.bytes
        + Few<1, TokenSeen>.bytes + Few<4, TokenRead>.bytes + Few<1, String>.bytes
        + EventQueue.bytes + Screens.bytes + Frontier.bytes

    mutating func add(_ tag: TagSeen, named name: Tag) {
        tags.append(tag)
        names.append(name)
    }

    // MARK: Taking in

    /// An exchange has ended; `operation` is nil where it never left.
    mutating func take(_ operation: Observed?, sequence: Int32, begun: Int64) {
        if let operation {
            screens.noteEnd(of: operation)
            agenda.insert(operation)
        }
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
