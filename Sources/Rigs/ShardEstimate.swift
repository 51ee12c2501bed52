internal import Statistics

/// How a plan divides over machines like the one at hand, and how many of them it needs: for `validate --shards`.
/// Shards have equal parts of every moment (`Plan.part`), so each needs its share of what the whole needs.
public struct ShardEstimate: Sendable, Hashable {
    /// One thing that a machine has only so much of.
    public struct Need: Sendable, Hashable {
        public var name: String
        /// Of the whole plan.
        public var whole: Double
        /// What each machine takes besides, however small its part: the program itself.
        public var base: Double
        /// Of one machine; nil where nobody has measured it.
        public var limit: Double?

        /// Rates have decimals where they are small; all else is counted whole.
        fileprivate func shown(_ value: Double) -> String {
            let isRate = name.contains("/s")
            return PlanEstimate.number(isRate && value < 100 ? value : value.rounded(.up))
        }

        /// Of each of so many shards.
        public func each(of shards: Int) -> Double { base + (whole - base) / Double(shards) }

        /// Machines that it takes; nil where nobody knows, or no number of them is enough.
        public var machines: Int? {
            guard let limit, limit > base else { return nil }
            return max(1, .bounded(((whole - base) / (limit - base)).rounded(.up)))
        }
    }

    public var needs: [Need]
    /// Machines like this one that are enough, as far as is known.
    public var machines: Int { needs.compactMap(\.machines).max() ?? 1 }
    /// What asks for most machines; nil where one is enough.
    public var deciding: Need? {
        guard machines > 1 else { return nil }
        return needs.first { $0.machines == machines }
    }
    private let plan: PlanEstimate
    private let ceiling: Double?
    private let isEmbedded: Bool
    private let measured: MachineLimits.Measured?

    /// `plan`: of the whole.
    public init(_ plan: PlanEstimate, of rig: Rig, on machine: MachineLimits) {
        self.plan = plan
        measured = machine.measured
        isEmbedded = rig.target.base == .embedded
        var isNear = true
        if case .remote(let origin, _) = rig.target.base {
            isNear = TargetNeeds.isThisMachine(origin.host)
        }
        ceiling = rig.target.courtesy.ceiling(onLoopback: isNear)?.perSecond
        let addresses = Double(max(1, rig.sources.reduce(0) { $0 + $1.count }))
        let ports = Double(machine.ports) * addresses
        needs = [
            Need(
                name: "requests/s at the peak", whole: plan.peakRequestsPerSecond, base: 0,
                limit: machine.measured.map {
                    PlanEstimate.householdShare * $0.requestsPerSecond
                }),
            Need(
                name: "connections", whole: Double(plan.connections), base: 0, limit: ports),
            Need(
                name: "new connections/s", whole: plan.newConnectionsPerSecond, base: 0,
                limit: plan.opensForLong ? ports / PlanEstimate.portRest : nil),
            Need(
                name: "file descriptors", whole: Double(plan.descriptors),
                base: Double(PlanEstimate.ownDescriptors), limit: Double(machine.descriptorsAtMost)),
            Need(
                name: "memory, MB", whole: Double(plan.memoryMB),
                base: Double(PlanEstimate.ownMemoryMB),
                limit: machine.memoryMB.map { 0.8 * Double($0) }),
        ]
    }

    // MARK: Text

    /// The table for so many shards, or for as many as are needed (nil), and what is to be said of it.
    public func text(shards asked: Int?) -> String {
        let shards = asked ?? machines
        var lines = PlanEstimate.wrapped(
            "shards: " + verdict(shards, isAsked: asked != nil))
        lines += [
            "",
            Self.row(["of the plan", "whole", "each of \(shards)", "this machine", "machines"]),
            Self.row([
                "households", PlanEstimate.number(plan.startedAbout),
                PlanEstimate.number((plan.startedAbout / Double(shards)).rounded(.up)), "", "",
            ]),
            Self.row([
                "arrivals/s at the peak", PlanEstimate.number(plan.peakArrivals),
                PlanEstimate.number(plan.peakArrivals / Double(shards)), "", "",
            ]),
        ]
        lines += needs.map { need in
            Self.row([
                need.name, need.shown(need.whole),
                need.shown(need.each(of: shards)),
                need.limit.map { need.shown($0) } ?? "-",
                need.machines.map(String.init) ?? "-",
            ])
        }
        if let ceiling {
            lines.append(
                Self.row([
                    "requests/s allowed", PlanEstimate.number(ceiling),
                    PlanEstimate.number(ceiling / Double(shards)), "", "",
                ]))
        }
        for note in notes { lines += [""] + PlanEstimate.wrapped(note) }
        return lines.joined(separator: "\n")
    }

    private func verdict(_ shards: Int, isAsked: Bool) -> String {
        let reason =
            deciding.map { ": \($0.name) decide\($0.name.hasSuffix("s") ? "" : "s")" } ?? ""
        if !isAsked {
            return machines == 1
                ? "one machine like this one is enough"
                : "at least \(machines) machines like this one\(reason)"
        }
        return shards >= machines
            ? "\(shards) machines like this one are enough (at least \(machines)\(reason))"
            : "\(shards) machines like this one are too few: at least \(machines)\(reason)"
    }

    private var notes: [String] {
        var notes: [String] = []
        if let measured {
            notes.append(
                "This machine: \(PlanEstimate.number(measured.requestsPerSecond)) plain requests/s, "
                    + "calibrated on \(measured.date); "
                    + "\(Int(PlanEstimate.householdShare * 100)) % of that for requests of households."
            )
        } else {
            notes.append(
                "How many requests/s this machine can send is unknown, so the rate counts for "
                    + "nothing here: run 'screenrig calibrate' on it once, then validate again.")
        }
        if needs.contains(where: { need in need.limit.map { $0 <= need.base } ?? false }) {
            notes.append(
                "warning: this machine has not even what an empty shard needs; see the warnings above."
            )
        }
        if isEmbedded {
            notes.append(
                "warning: the target is embedded, so each shard would have a stand-in of its own; "
                    + "name one for all with --target.")
        }
        return notes
    }

    private static func row(_ cells: [String]) -> String {
        let widths = [26, 12, 14, 14, 10]
        return zip(cells, widths).enumerated().map { position, cell in
            let space = String(repeating: " ", count: max(1, cell.1 - cell.0.count))
            return position == 0 ? cell.0 + space : space + cell.0
        }.joined().trimmedEnd
    }
}

extension String {
    fileprivate var trimmedEnd: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
