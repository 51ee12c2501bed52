public import Journal

/// What a report is made of. `History` is the one that a run leaves; tests make theirs from arrays.
public protocol Recorded {
    var header: HistoryHeader { get }
    /// Nil when the record was cut short.
    var end: HistoryEnd? { get }
    /// What is missing from the record, in words for a reader: none when nothing is.
    var gaps: [String] { get }
    /// Whether every exchange can be read one by one.
    var keepsAllExchanges: Bool { get }
    /// What kept the run from sending all that was asked for.
    var restraint: Restraint { get }

    /// What a merge of shards says of itself; nil for a single process.
    var merge: MergeRecord? { get }

    /// The shards that it was put together from, by number and attempt.
    func shards() throws -> [MergedShard]
    /// All cells, ordered by key.
    func cells(_ body: (Cell) throws -> Void) throws
    /// All households, by number.
    func households(_ body: (HouseholdRecord) throws -> Void) throws
    /// The most frequent first.
    func errorGroups() throws -> [ErrorGroup]
    /// Ordered by time.
    func health() throws -> [LaneHealth]
    /// All exchanges that were kept.
    func exchanges(_ body: (Exchange) throws -> Void) throws
    /// All events of devices that were kept, each household's in their order.
    func events(_ body: (DeviceEvent) throws -> Void) throws
    /// Those of some names.
    func events(named names: [String], _ body: (DeviceEvent) throws -> Void) throws
    /// What happened to the service or the run while it went on, ordered by time.
    func runEvents() throws -> [RunEvent]
    /// The events of devices that were kept of one household, in their order.
    func events(household: Int) throws -> [DeviceEvent]
    /// What was kept of one household, in its order.
    func exchanges(household: Int) throws -> [Exchange]
    /// The requests and replies that were kept of one household, in its order.
    func messages(household: Int) throws -> [KeptMessage]
    /// The households of which there are any, in their order.
    func householdsWithMessages() throws -> [Int]
}

extension Recorded {
    /// Nothing did.
    public var restraint: Restraint { Restraint() }

    /// Of a single process.
    public var merge: MergeRecord? { nil }
    public func shards() throws -> [MergedShard] { [] }

    /// Nothing was kept one by one.
    public var keepsAllExchanges: Bool { false }
    public func exchanges(_ body: (Exchange) throws -> Void) throws {}
    public func events(_ body: (DeviceEvent) throws -> Void) throws {}
    public func events(named names: [String], _ body: (DeviceEvent) throws -> Void) throws {
        try events { if names.contains($0.name) { try body($0) } }
    }
    public func runEvents() throws -> [RunEvent] { [] }
    public func events(household: Int) throws -> [DeviceEvent] { [] }
    public func exchanges(household: Int) throws -> [Exchange] { [] }
    public func messages(household: Int) throws -> [KeptMessage] { [] }
    public func householdsWithMessages() throws -> [Int] { [] }
}
