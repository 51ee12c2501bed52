internal import Dispatch
public import Journal
public import Lanes
public import Rigs
internal import Synchronization

/// Spawns a plan's households over lanes and runs the lanes: each live lane on a serial Dispatch
/// queue of its own, for as long as it has households; a virtual lane on the caller's thread.
public final class Coordinator: Sendable {
    private let lanes: [Lane]
    private let shifts: [LaneScheduler]
    private let cleansUp: Bool

    /// Household `k` lives on lane `k mod lanes`.
    public init(_ plan: Plan, terms: RunConfiguration, lanes: [Lane]) {
        self.lanes = lanes
        cleansUp = terms.cleansUp
        let quiet = Quiet(lanes: lanes.count)
        shifts = lanes.enumerated().map { position, lane in
            LaneScheduler(
                lane: lane, plan: plan.part(position, of: lanes.count), terms: terms, quiet: quiet,
                number: position)
        }
    }

    /// Runs every lane to its end, and returns then. Live: call from a thread that may block.
    public func run() {
        if lanes.count == 1 { return run(0) }
        let group = DispatchGroup()
        for position in lanes.indices {
            DispatchQueue(label: "screenrig.lane.\(position)", qos: .userInteractive)
                .async(group: group) { [self] in run(position) }
        }
        group.wait()
    }

    /// What the run waits for. From any thread.
    public var outlook: RunPhase {
        shifts.map(\.outlook).reduce(.settling(until: .start)) { $0.joined(with: $1) }
    }

    /// How far the live lane that is ahead has come, also while nothing happens on it. From any thread.
    public var now: Instant { lanes.map(\.now).max() ?? .start }

    /// What each lane is at. From any thread.
    public var turns: [LaneTurn] { lanes.map(\.turn) }

    /// Ends the run because the service is gone: whoever has no token yet has failed, for that cause.
    /// From any thread.
    public func giveUp(because cause: String) {
        for (lane, shift) in zip(lanes, shifts) {
            lane.post { shift.giveUp(because: cause) }
            lane.stop(at: lane.now)
        }
    }

    /// No more arrivals of an open load until `resumeArrivals`. From any thread.
    public func pauseArrivals() {
        for (lane, shift) in zip(lanes, shifts) { lane.post { shift.pauseArrivals() } }
    }

    public func resumeArrivals() {
        for (lane, shift) in zip(lanes, shifts) { lane.post { shift.resumeArrivals() } }
    }

    /// Households of an open load arrive evenly at this rate from now on, as many as the plan has: the run takes
    /// longer or is over sooner. From any thread.
    public func setArrivalRate(perSecond rate: Double) {
        let interval = Duration.nanoseconds(Int64(1e9 * Double(lanes.count) / rate))
        // One lane after another, so that the households of all of them come evenly.
        for (number, (lane, shift)) in zip(lanes, shifts).enumerated() {
            let first = interval * (number + 1) / lanes.count
            lane.post { shift.setInterval(interval, first: first) }
        }
    }

    private func run(_ position: Int) {
        let shift = shifts[position]
        shift.open()
        lanes[position].run { shift.isOver }
    }

    /// Ends the run: no more arrivals; what runs may finish within `grace` and is abandoned then.
    /// Where the rig cleans up, the second half of the grace is for that: households end their
    /// stories at half-time, and log out. From any thread; a second call with a shorter grace brings
    /// the end forward.
    public func stop(within grace: Duration) {
        for (lane, shift) in zip(lanes, shifts) {
            lane.post { [cleansUp] in
                shift.close()
                guard cleansUp, grace > .zero else { return }
                lane.at(lane.now + grace / 2) { lane.windDown() }
            }
            lane.stop(at: lane.now + grace)
        }
    }
}
