public import Dialects
internal import Statistics

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
    /// What would not work on this machine, and what to change.
    public var warnings: [String]

    public init(_ plan: Plan, on machine: MachineLimits) {
        let rig = plan.rig
        let flow = HouseholdFlow(rig)
        let isOpen =
            if case .open(let arrivals) = rig.load { arrivals } else { nil as Load.Arrivals? }
        let life = flow.life.seconds
        arrivalsEnd = plan.arrivalsEnd
        households = plan.households
        if let isOpen {
            peakArrivals = ArrivalTimes(isOpen, seed: plan.seed).peakRate
            startedAbout = Double(plan.households ?? 0)
            alive = min(startedAbout, peakArrivals * life)
        } else {
            let together = Double(plan.atOnce ?? plan.households ?? 0)
            alive = together
            peakArrivals = plan.atOnce == nil || life == 0 ? 0 : together / life
            startedAbout =
                plan.households.map(Double.init)
                ?? together + peakArrivals * plan.arrivalsEnd.seconds
        }
        self.life = flow.life
        duration = plan.arrivalsEnd + flow.longLife + rig.load.settle
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
            connections = Int((alive * flow.devices).rounded(.up))
            newConnectionsPerSecond = peakRate * flow.devices
        case .pooled:
            // In flight together: requests per second times a tenth of a second each.
            connections = Int((peakRequests / 10).rounded(.up)) + (rig.lanes ?? machine.cores)
            newConnectionsPerSecond = 0
        case .fresh:
            connections = Int((peakRequests / 10).rounded(.up))
            newConnectionsPerSecond = peakRequests
        }
        let isEmbedded = rig.target.base == .embedded
        // Journal, epoll, standard streams, listening sockets.
        descriptors = connections * (isEmbedded ? 2 : 1) + 64
        warnings = []
        warnings = warnings(on: machine, rig)
    }

    /// Seconds that a closed connection keeps its port (TIME_WAIT on Linux).
    private static let portRest = 60.0

    private func warnings(on machine: MachineLimits, _ rig: Rig) -> [String] {
        var warnings: [String] = []
        if descriptors > machine.descriptorsAtMost {
            let embedded =
                rig.target.base == .embedded
                ? "; a separate 'screenrig serve' halves it, 'connections: pooled' nearly ends it"
                : "; use 'connections: pooled', or fewer arrivals"
            warnings.append(
                "needs \(descriptors) descriptors, and this machine allows "
                    + "\(machine.descriptorsAtMost): raise 'ulimit -Hn'\(embedded)")
        } else if descriptors > machine.descriptors {
            warnings.append(
                "needs \(descriptors) descriptors, and the limit is \(machine.descriptors); "
                    + "the run raises it by itself (allowed: \(machine.descriptorsAtMost))")
        }
        // One beside the system's choice; a device keeps to its own.
        let addresses = max(1, rig.sources.reduce(0) { $0 + $1.count })
        let those = addresses == 1 ? "one source address has" : "\(addresses) source addresses have"
        if let foreign = machine.foreignSources.first {
            warnings.append(
                "sends from \(foreign), which is no address of this machine: add it to an interface "
                    + "('ip address add'), or correct source-addresses")
        }
        if connections > machine.ports * addresses {
            warnings.append(
                "needs \(connections) connections, and \(those) \(machine.ports * addresses) "
                    + "ports: use 'connections: pooled', 'source-addresses', or widen "
                    + "net.ipv4.ip_local_port_range")
        }
        let sustained = Double(machine.ports * addresses) / Self.portRest
        if newConnectionsPerSecond > sustained, duration.seconds > Self.portRest / 2 {
            warnings.append(
                "opens \(Int(newConnectionsPerSecond)) connections/s, and "
                    + (addresses == 1
                        ? "one source address sustains"
                        : "\(addresses) source addresses sustain")
                    + " about \(Int(sustained))/s (a closed one keeps its port for "
                    + "60 s): use 'connections: per-device' or 'pooled', or fewer arrivals")
        }
        if let lanes = rig.lanes, lanes > machine.cores {
            warnings.append(
                "asks for \(lanes) lanes, and this machine has \(machine.cores) cores: lanes that "
                    + "share a core are late; leave 'lanes' out")
        }
        return warnings
    }
}
