internal import Dialects
internal import Statistics
public import Vocabulary

/// What a plan will come to, before any of it runs: for `screenrig validate`. Expectations, not
/// promises: of a service that answers at once, and of viewers as slow as their distributions say.
public struct PlanEstimate: Sendable, Hashable {
    /// Expected requests for one thing.
    public struct Operation: Sendable, Hashable {
        public var name: OperationName
        /// Requests of one household, on average.
        public var perHousehold: Double
        /// Requests per second, on average over the run and while arrivals are at their peak.
        public var mean: Double
        public var peak: Double
    }

    /// Nil under closed load for a time, where it is `startedAbout`.
    public var households: Int?
    public var startedAbout: Double
    /// Arrivals per second, at their peak; under closed load the replacements.
    public var peakArrivals: Double
    public var arrivalsEnd: Duration
    /// Expected life of a household, from arrival to its end.
    public var life: Duration
    public var duration: Duration
    /// Households alive together at the peak: rate times life (Little, 1961), never more than all.
    public var alive: Double
    public var operations: [Operation]
    /// Connections open together at the peak, and opened each second.
    public var connections: Int
    public var newConnectionsPerSecond: Double
    /// Descriptors of this process: two for each connection when the target is embedded.
    public var descriptors: Int
    /// Memory of this process at the peak, in MB, roughly.
    public var memoryMB: Int
    /// Requests per second while arrivals are at their peak.
    public var peakRequestsPerSecond: Double
    /// Which windows after a sign-in the plan will see.
    public var windows: WindowForecast
    /// What this machine did when it was measured; nil if it never was.
    public var measured: MachineLimits.Measured?
    private var isEmbedded: Bool
    /// What `nightly` will not judge night by night.
    public var note: String?
    /// What would not work on this machine, and what to change.
    public var warnings: [String]

    /// How many households come, and how many are there together.
    struct Concurrency {
        let flow: HouseholdFlow
        let startedAbout: Double
        let peakArrivals: Double
        let alive: Double
        /// The load says how many live together.
        let isExact: Bool

        init(_ plan: Plan) {
            flow = HouseholdFlow(plan.rig)
            let life = flow.life.seconds
            if case .open(let arrivals) = plan.rig.load {
                let even = Load.Arrivals(stages: arrivals.stages, spacing: .even)
                peakArrivals = ArrivalTimes(even, seed: plan.seed).peakRate * plan.share
                startedAbout = Double(plan.households ?? 0)
                alive = min(startedAbout, peakArrivals * life)
                isExact = false
            } else {
                let together = Double(plan.atOnce ?? plan.households ?? 0)
                alive = together
                peakArrivals = plan.atOnce == nil || life == 0 ? 0 : together / life
                startedAbout =
                    plan.households.map(Double.init)
                    ?? together + peakArrivals * plan.arrivalsEnd.seconds
                isExact = true
            }
        }
    }

    public init(_ plan: Plan, on machine: MachineLimits) {
        let rig = plan.rig
        let concurrency = Concurrency(plan)
        let flow = concurrency.flow
        let life = flow.life.seconds
        arrivalsEnd = plan.arrivalsEnd
        households = plan.households
        (startedAbout, peakArrivals, alive) = (
            concurrency.startedAbout, concurrency.peakArrivals, concurrency.alive
        )
        self.life = flow.life
        duration = plan.arrivalsEnd + plan.tail
        let seconds = max(1, duration.seconds)
        // All at once, each once: the requests spread over a life.
        let peakRate = peakArrivals > 0 ? peakArrivals : startedAbout / max(1, life)
        let started = startedAbout
        operations = flow.requests.map { name, count in
            Operation(
                name: name, perHousehold: count, mean: started * count / seconds,
                peak: min(peakRate, started / max(1, life)) * count)
        }
        let peakRequests = operations.reduce(0) { $0 + $1.peak }
        switch rig.connections {
        case .perDevice:
            connections = .bounded((alive * flow.devices).rounded(.up))
            newConnectionsPerSecond = peakRate * flow.devices
        case .pooled:
            // In flight together: requests per second times a tenth of a second each.
            connections = .bounded((peakRequests / 10).rounded(.up)) + (rig.lanes ?? machine.cores)
            newConnectionsPerSecond = 0
        case .fresh:
            connections = .bounded((peakRequests / 10).rounded(.up))
            newConnectionsPerSecond = peakRequests
        }
        isEmbedded = rig.target.base == .embedded
        // Journal, epoll, standard streams, listening sockets.
        descriptors = connections * (isEmbedded ? 2 : 1) + Self.ownDescriptors
        memoryMB = Self.memory(
            rig, alive: alive * flow.devices, connections: Double(connections),
            isEmbedded: isEmbedded)
        peakRequestsPerSecond = peakRequests
        windows = WindowForecast(rig, households: started)
        measured = machine.measured
        warnings = []
        note = seriesNote(rig)
        warnings = warnings(on: machine, rig)
        if let warning = ceilingWarning(rig, share: plan.share) { warnings.append(warning) }
        if let warning = accountWarning(rig) { warnings.append(warning) }
    }

    /// Percentiles in `nightly.series` of fewer values a night than a single night takes (`PercentileNeed`). The default
    /// series are nobody's choice: of those the digest tells.
    private func seriesNote(_ rig: Rig) -> String? {
        guard rig.nightly.series != Series.defaults(of: rig.protocols) else { return nil }
        let few = rig.nightly.series.compactMap { series -> String? in
            guard series.kind == nil, case .percentile(let share, _) = series.measure else {
                return nil
            }
            let values: Double
            switch series.subject {
            case .operation(let name):
                let each = operations.first { $0.name == name }?.perHousehold ?? 0
                values = startedAbout * each
            case .signIn, .signInService, .tokenVisibility: values = startedAbout
            default: return nil
            }
            let needed = PercentileNeed.values(atShare: share)
            guard values.rounded() < Double(needed), values > 0 else { return nil }
            return "\(series.text) (about \(Self.whole(values)); it takes \(needed))"
        }
        guard !few.isEmpty else { return nil }
        return
            "'nightly' will not judge single nights of \(few.joined(separator: ", ")): a percentile of so few "
            + "values is chance; a lasting change is judged by all nights of either side together. Follow a "
            + "lower percentile, or run more households"
    }

    /// What a file with few accounts makes of the run: a household that finds no account free waits (`AccountList`).
    private func accountWarning(_ rig: Rig) -> String? {
        guard case .listed(let list) = rig.accounts, list.onExhausted == .wait,
            let each = list.atOnce
        else { return nil }
        let atOnce = Double(list.entries.count * each)
        guard alive > atOnce, life > .zero else { return nil }
        return
            "runs about \(Self.whole(alive)) households concurrently, and \(list.file) has accounts for "
            + "\(Self.whole(atOnce)): about \(Self.number(atOnce / life.seconds)) a second can sign in, and "
            + "the others wait; add accounts, lower arrivals, or write accounts.sharing: shared"
    }

    /// What a ceiling of requests makes of the run: what comes faster waits (docs/politeness.md).
    private func ceilingWarning(_ rig: Rig, share: Double) -> String? {
        guard let whole = rig.target.ceiling?.perSecond else { return nil }
        // A shard has its part of it.
        let ceiling = whole * share
        let peak = operations.reduce(0) { $0 + $1.peak }
        guard ceiling > 0, peak > ceiling else { return nil }
        let isUsual = rig.target.courtesy.maxRate == .usual
        let asked =
            "asks for up to \(Self.number(peak)) requests/s, and "
            + (isUsual
                ? "\(Self.number(ceiling))/s is the default limit off loopback"
                : "max-rate is \(Self.number(ceiling))/s") + ": requests beyond that wait, "
        let all = operations.reduce(0) { $0 + $1.perHousehold } * startedAbout
        let needed = all / ceiling
        // Under closed load for a time it is the households that become fewer.
        let becomes: String
        if households == nil {
            becomes = "so fewer households run in the same time"
        } else if needed > duration.seconds {
            becomes =
                "so the run takes about \(Self.time(.seconds(needed))) instead of "
                + Self.time(duration)
        } else {
            becomes = "so the peak load is lower than planned"
        }
        return asked + becomes + "; lower arrivals, or raise target.max-rate if the service's "
            + "owner agrees"
    }

    /// In MB: the program itself, and what each device and connection takes. Measured with idle ones
    /// (Benchmarks/README.md), rounded up; an embedded stand-in holds the other end of each.
    private static func memory(
        _ rig: Rig, alive: Double, connections: Double, isEmbedded: Bool
    ) -> Int {
        let isSecure =
            if case .remote(let origin, _) = rig.target.base { origin.scheme == .https } else {
                false
            }
        let perConnection = isSecure ? 57.0 : 13.0
        let kilobytes = alive * 3 + connections * perConnection * (isEmbedded ? 2 : 1)
        return ownMemoryMB + .bounded((kilobytes / 1024).rounded(.up))
    }

    /// Descriptors that the program has open before the first household arrives.
    public static let ownDescriptors = 64
    /// Memory of the program before the first household arrives, in MB.
    public static let ownMemoryMB = 60
    /// Seconds that a closed connection keeps its port (TIME_WAIT on Linux).
    static let portRest = 60.0
    /// Whether it goes on for so long that ports of closed connections run out.
    var opensForLong: Bool { duration.seconds > Self.portRest / 2 }

    /// Nil when this machine can carry the plan; else why it cannot, however well it goes.
    public func refusal(on machine: MachineLimits) -> String? {
        descriptors > machine.descriptorsAtMost ? descriptorWarning(on: machine) : nil
    }

    private func descriptorWarning(on machine: MachineLimits) -> String {
        let remedy =
            isEmbedded
            ? "; a separate 'screenrig serve' halves that, 'connections: pooled' needs only a few"
            : "; use 'connections: pooled', or fewer arrivals"
        return "needs \(descriptors) file descriptors, and this machine allows "
            + "\(machine.descriptorsAtMost): raise 'ulimit -Hn'\(remedy)"
    }

    private func warnings(on machine: MachineLimits, _ rig: Rig) -> [String] {
        var warnings: [String] = []
        if descriptors > machine.descriptorsAtMost {
            warnings.append(descriptorWarning(on: machine))
        } else if descriptors > machine.descriptors {
            warnings.append(
                "needs \(descriptors) file descriptors, and the limit is \(machine.descriptors); "
                    + "the run raises the limit itself (allowed: \(machine.descriptorsAtMost))")
        }
        if let available = machine.memoryMB, Double(memoryMB) > 0.8 * Double(available) {
            let remedy =
                rig.connections == .perDevice ? "use 'connections: pooled', or" : "use"
            warnings.append(
                "needs about \(memoryMB) MB of memory, and \(available) MB are available: "
                    + "\(remedy) fewer concurrent households")
        }
        if let sentence = capacityWarning { warnings.append(sentence) }
        warnings += portWarnings(on: machine, rig)
        if let lanes = rig.lanes, lanes > machine.cores {
            warnings.append(
                "uses \(lanes) lanes on \(machine.cores) cores, and lanes that share a core send "
                    + "late: remove 'lanes'")
        }
        for event in rig.events where event.at > duration {
            warnings.append(
                "event '\(event.name)' is due \(Self.time(event.at)) into the load, and the run lasts about "
                    + "\(Self.time(duration)): it may not happen; correct 'at', or raise the load's hold or settle"
            )
        }
        return warnings
    }

    /// A household's request is dearer than a plain one: devices read, wait and remember.
    static let householdShare = 0.4

    private var capacityWarning: String? {
        guard let measured,
            peakRequestsPerSecond > Self.householdShare * measured.requestsPerSecond
        else { return nil }
        let limit = Int.bounded(Self.householdShare * measured.requestsPerSecond)
        return
            "needs \(Int.bounded(peakRequestsPerSecond)) requests/s at its peak, and this "
            + "machine can send about \(limit)/s: spread the arrivals, or use a machine with "
            + "more cores"
    }

    /// A port is taken for one source address and one destination.
    private func portWarnings(on machine: MachineLimits, _ rig: Rig) -> [String] {
        var warnings: [String] = []
        // One beside the system's choice; a device keeps to its own.
        let addresses = max(1, rig.sources.reduce(0) { $0 + $1.count })
        let those = addresses == 1 ? "one source address has" : "\(addresses) source addresses have"
        if let foreign = machine.foreignSources.first {
            warnings.append(
                "sends from \(foreign), which is not an address of this machine: add it to an "
                    + "interface "
                    + "('ip address add'), or correct source-addresses")
        }
        if connections > machine.ports * addresses {
            warnings.append(
                "needs \(connections) connections, and \(those) \(machine.ports * addresses) "
                    + "ports: use 'connections: pooled', 'source-addresses', or widen "
                    + "net.ipv4.ip_local_port_range")
        }
        let sustained = Double(machine.ports * addresses) / Self.portRest
        if newConnectionsPerSecond > sustained, opensForLong {
            warnings.append(
                "opens \(Int.bounded(newConnectionsPerSecond)) connections/s, and "
                    + (addresses == 1
                        ? "one source address sustains"
                        : "\(addresses) source addresses sustain")
                    + " about \(Int(sustained))/s (a closed one keeps its port for "
                    + "60 s): use 'connections: per-device' or 'pooled', or fewer arrivals")
        }
        return warnings
    }
}
