/// How a plan divides over machines like this one, and how many of them it needs, for `validate --shards`.
/// Shards have equal parts of every moment (`Plan.part`), so each needs an equal share of every resource.
public struct ShardEstimate: Sendable, Hashable {
    /// One resource that a machine has a limited amount of.
    public struct Need: Sendable, Hashable {
        public var name: String
        /// Need of the whole plan.
        public var whole: Double
        /// Need of the program itself on each machine, however small its part.
        public var base: Double
        /// What one machine has; nil where it was not measured.
        public var limit: Double?

        /// Rates below 100 have decimals; everything else is rounded up.
        fileprivate func shown(_ value: Double) -> String {
            let isRate = name.contains("/s")
            return PlanEstimate.number(isRate && value < 100 ? value : value.rounded(.up))
        }

        /// Need of each of `shards` machines.
        public func each(of shards: Int) -> Double { base + (whole - base) / Double(shards) }

        /// Number of machines that are enough; nil where the limit is unknown, or no number is enough.
        public var machines: Int? {
            guard let limit, limit > base else { return nil }
            return max(1, .bounded(((whole - base) / (limit - base)).rounded(.up)))
        }
    }

    /// All resources, in the order of the table.
    public var needs: [Need]
    /// Number of machines like this one that are enough, by the known limits; at least 1.
    public var machines: Int { needs.compactMap(\.machines).max() ?? 1 }
    /// The resource that needs the most machines; nil where one machine is enough.
    public var deciding: Need? {
        guard machines > 1 else { return nil }
        return needs.first { $0.machines == machines }
    }
    private let plan: PlanEstimate
    private let ceiling: Double?
    private let isEmbedded: Bool
    private let measured: MachineLimits.Measured?

    /// `plan`: estimate of the whole plan.
    public init(_ plan: PlanEstimate, of rig: Rig, on machine: MachineLimits) {
        self.plan = plan
        measured = machine.measured
        isEmbedded = rig.target.base == .embedded
        ceiling = rig.target.ceiling?.perSecond
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

    /// The table for `asked` shards, or for as many as are needed (nil), with the verdict and notes.
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
