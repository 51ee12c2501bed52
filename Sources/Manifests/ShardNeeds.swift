public import Rigs

/// The resources that one shard requests of its engine: estimates with room to spare.
public struct ShardNeeds: Sendable, Hashable {
    public var shards: Int
    /// Threads of one shard that run households.
    public var lanes: Int
    /// Processors of one shard: one for each lane, and one for the judge and the history.
    public var cpus: Int
    /// Memory of one shard, in MiB.
    public var memoryMB: Int
    /// Memory of the merge, in MiB.
    public var mergeMemoryMB: Int
    /// Time limit of one shard, in minutes, with the wait for the common start.
    public var minutes: Int
    /// Size of the histories of all shards and of the merged one, in GiB.
    public var storageGB: Int
    /// Peak of the whole plan.
    public var peakRequestsPerSecond: Int
    /// Duration of the plan, in seconds.
    public var seconds: Int
    /// Households of the whole plan.
    public var households: Int
    /// Limit in requests per second over all shards, which delays requests beyond it; nil where the plan stays
    /// below it.
    public var ceiling: Double?
    /// Open file descriptors of one shard.
    public var descriptors: Int

    /// Requests per second that one lane sends punctually. One core carried 4,586 exchanges of whole households
    /// per second, recorded and judged (Benchmarks/README.md); a lane that sends late measures itself.
    static let requestsPerLane = 2_500.0
    /// Bytes that one exchange takes in a history with its messages and indices, rounded up.
    private static let bytesPerExchange = 1_024.0
    /// Memory of a merge without its judge, in MiB. A merge reads and writes in groups and took 75 to 85 MB, however
    /// many exchanges there were (docs/scale.md, "Merge"); the rest is room for a line about each household.
    private static let mergeOwnMB = 256.0
    /// Memory of the merge's judge for each concurrent household, in KiB: twice the 2 that were measured
    /// (Benchmarks/README.md, "the judge").
    private static let judgeKBPerHousehold = 4.0
    /// Seconds for which the judge keeps a household after its end.
    private static let judgeKeepsSeconds = 30.0

    /// `estimate`: of the rig's whole plan. `lanes`: value of `--lanes`; nil: as many as the plan needs.
    public init(_ estimate: PlanEstimate, of rig: Rig, shards: Int, lanes: Int?) {
        self.shards = shards
        let limit = rig.target.ceiling?.perSecond ?? .infinity
        ceiling = limit < estimate.peakRequestsPerSecond ? limit : nil
        let peak = min(limit, estimate.peakRequestsPerSecond)
        let requests =
            estimate.operations.reduce(0) { $0 + $1.perHousehold } * estimate.startedAbout
        let share = Double(shards)
        self.lanes = lanes ?? rig.lanes ?? max(1, Self.whole(peak / share / Self.requestsPerLane))
        cpus = self.lanes + 1
        // Half as much again for the judge, for exchanges that wait for the disk, and for the report.
        let own = PlanEstimate.ownMemoryMB
        let households = Double(max(0, estimate.memoryMB - own)) / share
        memoryMB = Self.whole((Double(own) + households) * 1.5 / 256 + 1) * 256
        mergeMemoryMB = Self.memoryOfMerge(estimate, isHeldBack: ceiling != nil)
        // Closed load for a time ends by the clock, however many requests wait for the limit.
        let heldBack = estimate.households == nil ? 0 : requests / limit
        seconds = Self.whole(
            max(Double(estimate.duration.components.seconds) + 1, heldBack))
        // Half as long again for a slow service, and 15 minutes for the wait for the common start.
        minutes = Self.whole(Double(seconds) * 1.5 / 60) + 15
        storageGB = max(1, Self.whole(requests * Self.bytesPerExchange * 2 / 1_073_741_824))
        peakRequestsPerSecond = Self.whole(estimate.peakRequestsPerSecond)
        self.households = Self.whole(estimate.startedAbout)
        descriptors = Self.whole(Double(estimate.descriptors) / share) + PlanEstimate.ownDescriptors
    }

    /// Memory of the merge, in MiB: its judge checks the promises over the households of all shards again, in the
    /// order of time, and keeps each until it has ended. `isHeldBack`: requests wait for the ceiling.
    private static func memoryOfMerge(_ estimate: PlanEstimate, isHeldBack: Bool) -> Int {
        // Households whose requests wait live longer: in the end all of them at once. Closed load for a time starts fewer.
        let together =
            isHeldBack && estimate.households != nil
            ? estimate.startedAbout
            : min(
                estimate.startedAbout, estimate.alive + estimate.peakArrivals * judgeKeepsSeconds)
        let megabytes = mergeOwnMB + together * judgeKBPerHousehold / 1_024
        return max(512, whole(megabytes / 256) * 256)
    }

    private static func whole(_ value: Double) -> Int {
        Int(min(value.rounded(.up), 1e12))
    }

    /// The plan and a shard's part of it, as comments of a manifest.
    var lines: [String] {
        let held = ceiling.map {
            [
                "At most \(Self.whole($0)) requests/s leave, over all shards together (target.max-rate; off loopback "
                    + "it is 20/s unless the rig says more): those beyond wait."
            ]
        }
        return [
            "The plan: about \(households) households, up to \(peakRequestsPerSecond) requests/s, "
                + "\(Self.time(seconds)).",
            "One of its \(shards) shards: \(lanes) \(lanes == 1 ? "lane" : "lanes"), \(cpus) processors, "
                + "\(memoryMB) MB, about \(descriptors) open files.",
        ] + (held ?? [])
    }

    private static func time(_ seconds: Int) -> String {
        seconds < 120
            ? "about \(seconds) s"
            : seconds < 7_200
                ? "about \((seconds + 59) / 60) min" : "about \((seconds + 3_599) / 3_600) h"
    }
}
