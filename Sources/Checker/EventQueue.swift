/// What of a device waits to be judged, in the order of its calls and returns: operations that are
/// known and not called yet, those between call and return, and ends that come by themselves.
///
/// One operation waits as a rule, and `open` is empty: an operation that returns before anything else
/// happens never enters it (`HouseholdState.begin`).
struct EventQueue: ~Copyable {
    /// An operation, or a code's or token's end, between its call and its return.
    struct Open {
        var ret: Int64
        var operation: Observed?
        var place: Frontier.OperationPlace?
        var isRead: Bool
        /// Nothing of its screen was under way or had been for as long as the throttle asks.
        var isQuiet: Bool
    }

    /// A code's or token's own end, somewhere in that time.
    struct Expiry {
        var low: Int64
        var high: Int64
        var act: ModelOperation
    }

    enum Turn {
        case call
        case ret(Int)
        case expiry(Int)
    }

    /// By their starts: one as a rule, and for a moment the next.
    private var waiting: Few<2, Observed>
    private(set) var open: [Open] = []
    /// A code's, its sign-in's by the shortest, and by its token's own word.
    private var expiries: Few<3, Expiry>

    init(in memory: inout HouseholdMemory?) {
        waiting = Few(in: &memory)
        expiries = Few(in: &memory)
    }

    static let bytes = Few<2, Observed>.bytes + Few<3, Expiry>.bytes

    /// When an operation's turn comes. `visibility`: so old a state an answer may tell of
    /// (`policies.visibility`), in nanoseconds.
    @inline(__always)
    private func start(of position: Int, _ visibility: Int64) -> Int64 {
        let call = waiting[position].call
        guard visibility > 0 else { return call }
        // What is refused because nobody is signed in has changed nothing, and tells what it saw.
        let changes = waiting[position].isMutator && !waiting[position].tellsAbsence
        return changes ? call : call - visibility
    }

    @inline(__always)
    mutating func insert(_ operation: Observed, _ visibility: Int64) {
        waiting.append(operation)
        if waiting.count > 1 { sortLast(visibility) }
    }

    private mutating func sortLast(_ visibility: Int64) {
        var position = waiting.count - 1
        let call = start(of: position, visibility)
        let sequence = waiting[position].sequence
        while position > 0 {
            let other = start(of: position - 1, visibility)
            if (other, waiting[position - 1].sequence) <= (call, sequence) { break }
            let operation = waiting[position]
            waiting[position] = waiting[position - 1]
            waiting[position - 1] = operation
            position -= 1
        }
    }

    mutating func insert(_ expiry: Expiry) { expiries.append(expiry) }

    mutating func insert(_ entry: Open) { open.append(entry) }

    /// What comes next, and when: an end before a call before a return on equal stamps, for intervals
    /// are closed. `.max`: nothing.
    @inline(__always)
    func next(_ visibility: Int64) -> (time: Int64, turn: Turn) {
        var next = (time: Int64.max, turn: Turn.call)
        for position in open.indices where open[position].ret < next.time {
            next = (open[position].ret, .ret(position))
        }
        if !waiting.isEmpty {
            let call = start(of: 0, visibility)
            if call <= next.time { next = (call, .call) }
        }
        for position in expiries.indices {
            let low = expiries[position].low
            if case .expiry = next.turn, low == next.time { continue }
            if low <= next.time { next = (low, .expiry(position)) }
        }
        return next
    }

    /// Whether the next call is of an answer that may name a user whose sign-in began before the answer came, and is not
    /// known yet: only what began before `time` is.
    @inline(__always)
    func mayShowSignIn(thatBegins time: Int64) -> Bool {
        waiting[0].ret >= time && waiting[0].effect == .success && !waiting[0].isMutator
    }

    mutating func takeCall() -> Observed { waiting.remove(at: 0) }

    mutating func takeReturn(_ position: Int) -> Open { open.remove(at: position) }

    mutating func takeExpiry(_ position: Int) -> Expiry { expiries.remove(at: position) }

    /// No answer is left, only codes and tokens that end by themselves.
    var hasOnlyEnds: Bool { waiting.isEmpty && open.allSatisfy { $0.operation == nil } }

    /// Of those, the ones that have not begun.
    var ends: Int { expiries.count }

    /// The first operation that is known and has not had its turn, of those wanted.
    func firstCall(where isWanted: (Observed) -> Bool) -> Observed? {
        waiting.first(where: isWanted)
    }

    /// What runs out may seem to do so early by `time`, but not before `now`.
    mutating func bringForward(by time: Int64, now: Int64) {
        for position in expiries.indices {
            expiries[position].low = max(now, expiries[position].low.plus(-time))
        }
    }
}
