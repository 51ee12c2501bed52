public import Dialects
public import Journal

/// Carries calls to a service and brings replies back: over sockets (`Wire`), or in process under
/// virtual time (`Standin`). Belongs to one lane; every method is called on that lane's thread.
public protocol Transport: AnyObject {
    /// Starts one exchange. `completion` is called exactly once, on the lane's thread, and may be
    /// called before `start` returns.
    func start(_ call: Call, from device: Device, completion: @escaping (Transfer) -> Void)

    /// The same on a connection that is made for it: of a request that a kept one was closed under.
    func startAnew(
        _ call: Call, from device: Device, completion: @escaping (Transfer) -> Void)

    /// Sends a request but for its last byte, over a connection that is made if there is none.
    /// `ready` is called when that byte is all that is missing, or when the exchange has ended before;
    /// `completion` as in `start`. Either may be called before `hold` returns.
    func hold(
        _ call: Call, from device: Device, ready: @escaping (Held) -> Void,
        completion: @escaping (Transfer) -> Void)

    /// Lets all of them go within one turn of the lane, in this order, with nothing between.
    func release(_ held: [Held])

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

    /// Where connections are all alike.
    public func startAnew(
        _ call: Call, from device: Device, completion: @escaping (Transfer) -> Void
    ) {
        start(call, from: device, completion: completion)
    }

    /// Where no single bytes leave, the whole request waits.
    public func hold(
        _ call: Call, from device: Device, ready: @escaping (Held) -> Void,
        completion: @escaping (Transfer) -> Void
    ) {
        ready(
            Held(isExact: false) { [unowned self] in
                start(call, from: device, completion: completion)
            })
    }

    public func release(_ held: [Held]) {
        for one in held { one.letGo() }
    }
}

/// A request at the gate: it waits for its last byte, which goes when it is released.
public final class Held {
    /// All but the last byte has left. False where the whole request waits: HTTP/2, a plain proxy.
    public let isExact: Bool
    private var action: (() -> Void)?

    public init(isExact: Bool, letGo: @escaping () -> Void) {
        self.isExact = isExact
        action = letGo
    }

    /// Once only; by a transport's `release`.
    package func letGo() {
        let action = action
        self.action = nil
        action?()
    }
}

/// A connection that was made for an exchange: what `connect` and `tls` are as operations.
public struct Opening: Hashable, Sendable {
    /// When it was begun.
    public var began: Instant
    /// The TCP connection alone; names are not in it.
    public var connect: Duration
    /// The TLS handshake, with the tunnel through a proxy if there is one; nil without TLS.
    public var tls: Duration?

    public init(began: Instant, connect: Duration, tls: Duration? = nil) {
        self.began = began
        self.connect = connect
        self.tls = tls
    }
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
    /// The connection that had to be made for it; nil when one was there, or none could be made.
    public var opened: Opening?
    /// The service says that it has not begun with it (RFC 9113, 8.7).
    public var isUnprocessed: Bool

    public init(
        sent: Instant?, firstByte: Instant?, ended: Instant, result: Result, route: Route = Route(),
        bytesReceived: Int = 0, opened: Opening? = nil, isUnprocessed: Bool = false
    ) {
        self.sent = sent
        self.firstByte = firstByte
        self.ended = ended
        self.result = result
        self.route = route
        self.bytesReceived = bytesReceived
        self.opened = opened
        self.isUnprocessed = isUnprocessed
    }
}

extension Transfer {
    /// A kept connection was closed under the request: it is sent again if it is idempotent (RFC 9110, 9.2.2), or if the
    /// service says that it has not begun with it, or had waited for one in vain.
    func isToBeRepeated(_ method: Method) -> Bool {
        if case .lost(let error) = result {
            isUnprocessed || error.kind == .staleConnection && method.isIdempotent
        } else {
            endsIdleConnection
        }
    }

    /// A 408 that closes a kept connection within a round trip (RFC 9110, 15.5.9): the service had waited in vain for a
    /// request while this one was on its way. Later it is an answer to it.
    private var endsIdleConnection: Bool {
        guard case .answered(let reply) = result, reply.status == 408, route.reused, let sent
        else { return false }
        return reply.closesConnection && ended - sent <= Self.longestRoundTrip
    }

    /// A request that meets the end of a keep-alive timeout is told so within a round trip.
    package static let longestRoundTrip = Duration.milliseconds(250)
}
