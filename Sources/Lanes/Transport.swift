public import Dialects
public import Journal

/// Carries calls to a service and brings replies back: over sockets (`Wire`), or in process under
/// virtual time (`Standin`). Belongs to one lane; every method is called on that lane's thread.
public protocol Transport: AnyObject {
    /// Starts one exchange. `completion` is called exactly once, on the lane's thread, and may be
    /// called before `start` returns.
    func start(_ call: Call, from device: Device, completion: @escaping (Transfer) -> Void)

    /// The device is switched off: its connections are closed.
    func retire(_ device: Device)

    /// Whether this call would open a connection, as far as one can tell before it is sent. False
    /// where connections cost nobody anything.
    func wouldConnect(for call: Call, from device: Device) -> Bool

    /// Ends every exchange under way now, with `TransportError.stopped`.
    func abort()
}

extension Transport {
    public func wouldConnect(for call: Call, from device: Device) -> Bool { false }
}

/// How one exchange went, measured; what it means is the dialect's to say.
public struct Transfer: Sendable {
    public enum Result: Sendable {
        case answered(Reply)
        /// Not a byte left this machine.
        case refused(TransportError)
        /// Some of it left; the service may have acted.
        case lost(TransportError)
    }

    /// Taken before the last byte left: nil if none did.
    public var sent: Instant?
    /// Taken at or after the first byte of the final answer (not of a 1xx).
    public var firstByte: Instant?
    public var ended: Instant
    public var result: Result
    public var route: Route
    public var bytesReceived: Int

    public init(
        sent: Instant?, firstByte: Instant?, ended: Instant, result: Result, route: Route = Route(),
        bytesReceived: Int = 0
    ) {
        self.sent = sent
        self.firstByte = firstByte
        self.ended = ended
        self.result = result
        self.route = route
        self.bytesReceived = bytesReceived
    }
}
