/// How a run that was merged from shards was spread over targets and machines: which households may be compared at
/// all, and by how much two machines' clocks may differ. A run of one machine has none.
///
/// ```text
/// household 17 of 8 shards    shard 1    attempt 1 until +40 s, then attempt 2    its target, its clock
/// ```
public struct ShardMap: Sendable, Hashable {
    /// One attempt of one shard.
    public struct Part: Sendable, Hashable {
        /// Number of the shard, from 0.
        public var shard: Int
        /// When it began, in nanoseconds since the merged run began.
        public var from: Int64
        /// Parts with the same number had one target. Households of different ones are never compared.
        public var target: Int
        /// Position in `clocks`.
        public var clock: Int

        public init(shard: Int, from: Int64, target: Int, clock: Int) {
            (self.shard, self.from, self.target, self.clock) = (shard, from, target, clock)
        }
    }

    /// Number of shards.
    public let count: Int
    /// Households of a home, which are in one shard (`Plan.part`).
    public let homeSize: Int
    public let parts: [Part]
    /// By machine, a bound of its clock's error in nanoseconds; nil where nobody knows one.
    public let clocks: [Int64?]
    /// Those of each shard, the first attempt first.
    private let byShard: [[Part]]

    public init(count: Int, homeSize: Int, parts: [Part], clocks: [Int64?]) {
        (self.count, self.homeSize) = (max(1, count), max(1, homeSize))
        (self.parts, self.clocks) = (parts, clocks)
        var byShard: [[Part]] = Array(repeating: [], count: self.count)
        for part in parts.sorted(by: { $0.from < $1.from }) where byShard.indices ~= part.shard {
            byShard[part.shard].append(part)
        }
        self.byShard = byShard
    }

    /// The part in which a household lived at an instant, in nanoseconds of the run.
    public func part(of household: Int, at time: Int64) -> Part {
        let own = byShard[household / homeSize % count]
        return own.last { $0.from <= time } ?? own.first
            ?? Part(shard: 0, from: 0, target: 0, clock: 0)
    }

    /// How many targets there were.
    public var targets: Int { (parts.map(\.target).max() ?? 0) + 1 }

    /// By how much instants of two machines may be apart from what their clocks say: the sum of both errors. `.max`
    /// where that is unknown.
    public func bound(_ clock: Int, _ other: Int) -> Int64 {
        guard clock != other else { return 0 }
        guard clocks.indices ~= clock, clocks.indices ~= other, let own = clocks[clock],
            let others = clocks[other]
        else { return .max }
        return own.plus(others)
    }
}

/// Bounds by which instants of several households are compared.
struct ClockBounds: Sendable {
    private let map: ShardMap?
    /// The largest of all; 0 where there is one machine, `.max` where one is unknown.
    let widest: Int64

    init(_ map: ShardMap?) {
        self.map = map
        var widest: Int64 = 0
        let used = Set((map?.parts ?? []).map(\.clock)).sorted()
        for (position, clock) in used.enumerated() {
            for other in used.dropFirst(position + 1) {
                widest = max(widest, map?.bound(clock, other) ?? 0)
            }
        }
        self.widest = widest
    }

    /// The machine's clock by which a household lived at that time.
    func clock(of household: Int, at time: Int64) -> Int {
        map?.part(of: household, at: time).clock ?? 0
    }

    /// By how much what two households did at these times may be apart from what their clocks say.
    func between(_ household: Int, _ time: Int64, _ other: Int, _ otherTime: Int64) -> Int64 {
        guard widest > 0, let map else { return 0 }
        return map.bound(clock(of: household, at: time), clock(of: other, at: otherTime))
    }

    func between(clocks clock: Int, _ other: Int) -> Int64 { map?.bound(clock, other) ?? 0 }
}
