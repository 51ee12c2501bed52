internal import Dialects

/// One recorded attempt of one shard, to be merged.
public struct MergePart: Sendable {
    public var history: History
    /// How much later it began than the merged run.
    public var offset: Duration
    /// Number of its first lane in the merged run.
    public var firstLane = 0

    public init(_ history: History, offset: Duration) {
        (self.history, self.offset) = (history, offset)
    }
}

extension MergePart {
    /// Up to which it is recorded, in the time of the merged run.
    var until: Instant { history.until + offset }

    /// Number of seconds by which its cells move.
    var seconds: Int {
        let nanoseconds = Instant(offset).nanoseconds
        return Int((nanoseconds + 500_000_000) / 1_000_000_000)
    }

    // MARK: In the time of the merged run

    func shifted(_ exchange: Exchange) -> Exchange {
        var exchange = exchange
        exchange.lane += firstLane
        exchange.planned = exchange.planned + offset
        exchange.begun = exchange.begun + offset
        exchange.sent = exchange.sent + offset
        exchange.firstByte = exchange.firstByte.map { $0 + offset }
        exchange.ended = exchange.ended + offset
        // Connections are counted by lane, whose number is above the lowest 40 bits.
        if exchange.route.connection > 0 {
            let (number, overflow) = exchange.route.connection.addingReportingOverflow(
                firstLane << 40)
            if !overflow { exchange.route.connection = number }
        }
        return exchange
    }

    func shifted(_ record: HouseholdRecord) -> HouseholdRecord {
        var record = record
        record.lane += firstLane
        record.arrived = record.arrived + offset
        record.codeShown = record.codeShown.map { $0 + offset }
        record.phoneDone = record.phoneDone.map { $0 + offset }
        record.tokenSeen = record.tokenSeen.map { $0 + offset }
        record.ended = record.ended.map { $0 + offset }
        record.signOn.began = record.signOn.began.map { $0 + offset }
        return record
    }

    func shifted(_ health: LaneHealth) -> LaneHealth {
        var health = health
        health.lane += firstLane
        health.from = health.from + offset
        health.through = health.through + offset
        return health
    }
}
