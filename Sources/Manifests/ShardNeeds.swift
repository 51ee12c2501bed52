public import Rigs

/// What one shard of a plan asks of the machine that runs it: a request to an engine, generous rather than exact.
public struct ShardNeeds: Sendable, Hashable {
    public var shards: Int
    /// Threads that run households.
    public var lanes: Int
    /// One for each lane, and one for the judge and the history.
    public var cpus: Int
    public var memoryMB: Int
    /// How long one shard runs at most.
    public var minutes: Int
    /// Of the histories of all shards and of the merged one.
    public var storageGB: Int
    /// Of the whole plan.
    public var peakRequestsPerSecond: Int
    public var seconds: Int
    public var households: Int
    /// Requests a second that may leave over all shards, where the plan asks for more: those beyond wait.
    public var ceiling: Double?
    /// Open files of one shard.
    public var descriptors: Int

    /// Requests a second that one lane sends in comfort. One core carried 4,586 exchanges of whole households a second,
    /// recorded and judged (Benchmarks/README.md); a lane that is not punctual measures itself.
    static let requestsPerLane = 2_500.0
    /// Bytes that one exchange takes in a history with its messages and indices, rounded up.
    private static let bytesPerExchange = 1_024.0
    /// What the program takes before the first household arrives (`PlanEstimate`).
    private static let ownMB = 60

    /// `estimate` is of the rig's plan; `lanes`: what `--lanes` says.
    public init(_ estimate: PlanEstimate, of rig: Rig, shards: Int, lanes: Int?) {
        self.shards = shards
        let limit = Self.ceiling(of: rig) ?? .infinity
        ceiling = limit < estimate.peakRequestsPerSecond ? limit : nil
        let peak = min(limit, estimate.peakRequestsPerSecond)
        let requests =
            estimate.operations.reduce(0) { $0 + $1.perHousehold } * estimate.startedAbout
        let share = Double(shards)
        self.lanes = lanes ?? rig.lanes ?? max(1, Self.whole(peak / share / Self.requestsPerLane))
        cpus = self.lanes + 1
        // The judge, what waits for the disk, and the report come on top of the households.
        let households = Double(max(0, estimate.memoryMB - Self.ownMB)) / share
        memoryMB = Self.whole((Double(Self.ownMB) + households) * 1.5 / 256 + 1) * 256
        // Half as long again for a service that is slow, and time to wait for the common start.
        // Closed load for a time ends by the clock, however much waits.
        let heldBack = estimate.households == nil ? 0 : requests / limit
        seconds = Self.whole(
            max(Double(estimate.duration.components.seconds) + 1, heldBack))
        minutes = Self.whole(Double(seconds) * 1.5 / 60) + 15
        storageGB = max(1, Self.whole(requests * Self.bytesPerExchange * 2 / 1_073_741_824))
        peakRequestsPerSecond = Self.whole(estimate.peakRequestsPerSecond)
        self.households = Self.whole(estimate.startedAbout)
        descriptors = Self.whole(Double(estimate.descriptors) / share) + 64
    }

    /// As `target.max-rate` has it; off loopback there is one even where it says nothing.
    private static func ceiling(of rig: Rig) -> Double? {
        var isNear = true
        if case .remote(let origin, _) = rig.target.base {
            isNear = TargetNeeds.isThisMachine(origin.host)
        }
        return rig.target.courtesy.ceiling(onLoopback: isNear)?.perSecond
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
