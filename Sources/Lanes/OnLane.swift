/// Something of a lane, on its way between flows of that lane, which are on different actors.
///
/// Safe because it is opened on its lane's thread only, which is asserted each time.
public struct OnLane<Value>: @unchecked Sendable {
    private let held: Value
    private let lane: Lane

    public init(_ value: Value, _ lane: Lane) {
        held = value
        self.lane = lane
    }

    public var value: Value {
        lane.checkIsolated()
        return held
    }
}
