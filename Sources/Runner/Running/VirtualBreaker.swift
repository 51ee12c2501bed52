internal import Journal
package import Lanes

/// The breaker of a run in virtual time, which no clock on the wall can watch: it looks each second
/// of the lane's own time. Lives on the lane's thread.
package final class VirtualBreaker {
    private var breaker: Breaker
    private unowned let lane: Lane
    private let onTrip: (Breaker.Trip) -> Void

    package init(_ breaker: Breaker, on lane: Lane, onTrip: @escaping (Breaker.Trip) -> Void) {
        self.breaker = breaker
        self.lane = lane
        self.onTrip = onTrip
    }

    /// Before the lane runs; its timers keep the breaker.
    package func begin() {
        lane.at(lane.now + .seconds(1)) { [self] in
            let ended = lane.ended
            if let trip = breaker.look(
                at: lane.now, ended: ended.exchanges, errors: ended.errors)
            {
                onTrip(trip)
            } else {
                begin()
            }
        }
    }
}
