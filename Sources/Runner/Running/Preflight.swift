package import Devices
internal import Journal
internal import Lanes
package import Rigs
internal import Synchronization

/// What is found out about a target before a run begins (`target.probe`): by what it throttles.
package struct Preflight: Sendable {
    private let probe: ThrottleProbe
    private let lane: Lane

    package typealias Finding = ThrottleProbe.ProbeFinding

    /// Nil where nobody wants to know: in virtual time, at the embedded target, and where devices say no address.
    package init?(of rig: Rig, on venue: Venue) throws(RunError) {
        guard !venue.isVirtual, rig.target.probes(isNear: venue.isNear),
            rig.forwardedFor != .none
        else { return nil }
        // Of the run to come: its addresses are not to be used up.
        let plan = Plan(rig, seed: rig.seed, run: venue.run)
        let configuration = try venue.configuration(of: rig)
        // Shards of a run ask at the same time: each under addresses of its own.
        let shard = venue.shard?.shard
        let salt = shard == nil ? UInt64.random(in: .min ... .max) : venue.run.low
        guard let probe = ThrottleProbe(plan, terms: configuration, salt: salt, for: shard) else {
            return nil
        }
        self.probe = probe
        lane = try venue.lane(of: "probe")
    }

    package func finding() async -> Finding {
        let found = Mutex(Finding(.unknown))
        await LaneThread.run { [probe, lane] in
            let finding = probe.find(on: lane)
            found.withLock { $0 = finding }
        }
        return found.withLock { $0 }
    }

    /// Ends it at once. From any thread.
    package func stop() { lane.stop(at: .start) }
}
