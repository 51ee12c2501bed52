/// What one lane measured of itself over an interval: turns of its loop and how late it woke.
public struct LaneHealth: Sendable, Hashable {
    public var lane: Int
    public var from: Instant
    public var through: Instant
    public var turns: Int
    /// Time spent in turns, that is not waiting.
    public var busy: Duration
    public var longestTurn: Duration

    public init(
        lane: Int, from: Instant, through: Instant, turns: Int, busy: Duration,
        longestTurn: Duration
    ) {
        self.lane = lane
        self.from = from
        self.through = through
        self.turns = turns
        self.busy = busy
        self.longestTurn = longestTurn
    }
}

/// Requests that had to wait for a ceiling (`max-rate`) before they left, on one lane.
public struct HeldBack: Sendable, Hashable {
    /// Those that left since the last batch.
    public var count = 0
    /// Of those.
    public var longest: Duration = .zero
    /// Those that wait now.
    public var waiting = 0
    /// Households that got an account, or gave up, since the last batch, after others had kept them waiting for one.
    public var accountWaits = 0
    /// The longest of these waits.
    public var longestAccountWait: Duration = .zero

    public init(count: Int = 0, longest: Duration = .zero, waiting: Int = 0) {
        self.count = count
        self.longest = longest
        self.waiting = waiting
    }
}

/// What a lane hands to the journal, a few times a second: never one by one.
public struct Batch: Sendable {
    public var lane: Int
    public var exchanges: [Exchange]
    public var households: [HouseholdRecord]
    public var events: [DeviceEvent] = []
    /// Requests and replies of `exchanges`, where the lane hands them over.
    public var messages: [Message] = []
    public var health: LaneHealth?
    public var heldBack = HeldBack()
    /// Requests that have been sent and have not ended, by `OperationName.rawValue`; empty: none.
    public var underWay: [Int32] = []
    /// Everything that ended before this instant, on this lane, is in this batch or an earlier one.
    public var through: Instant

    public init(
        lane: Int, exchanges: [Exchange] = [], households: [HouseholdRecord] = [],
        health: LaneHealth? = nil, through: Instant
    ) {
        self.lane = lane
        self.exchanges = exchanges
        self.households = households
        self.health = health
        self.through = through
    }
}

/// Where batches go. Called on a lane's thread: must only hand over, never block a live lane on a
/// disk. A virtual lane may be made to wait, so that it cannot outrun the disk.
public protocol HistorySink: Sendable {
    func append(_ batch: Batch)
    /// Nothing comes from this lane any more. On its thread, after its last batch.
    func end(lane: Int)
}

extension HistorySink {
    public func end(lane: Int) {}
}
