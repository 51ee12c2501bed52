public import Dialects
public import Journal

/// Ties a reply to its request, however much later it comes. Chosen by whoever brings the request.
public struct RequestID: Hashable, Sendable {
    public let value: UInt64

    public init(_ value: UInt64) {
        self.value = value
    }
}

/// One request as it reached the service.
public struct ServiceRequest: Sendable, Hashable {
    public var id: RequestID
    /// Nil: a method that no protocol of ours uses.
    public var method: Method?
    /// Path and query as in the request line.
    public var target: String
    public var headers: Headers
    public var body: [UInt8]
    /// Address of the caller, without a port; the throttle's last resort.
    public var peer: String

    public init(
        id: RequestID, method: Method?, target: String, headers: Headers = [:], body: [UInt8] = [],
        peer: String
    ) {
        self.id = id
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.peer = peer
    }

    /// One cookie of the request.
    func cookie(_ name: String) -> String? {
        for field in headers.all("Cookie") {
            for pair in field.utf8.split(separator: UInt8(ascii: ";")) {
                let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1)
                if parts.count == 2, Substring(parts[0]).trimmingSpaces() == name {
                    return Substring(parts[1]).trimmingSpaces()
                }
            }
        }
        return nil
    }

    /// By what the throttle tells devices apart. `X-Forwarded-For` has one address; of a list, the
    /// first is the device.
    var throttleIdentity: String {
        guard let forwarded = headers["X-Forwarded-For"], !forwarded.isEmpty else { return peer }
        guard forwarded.utf8.contains(UInt8(ascii: ",")) else { return forwarded }
        return Substring(forwarded.utf8.prefix { $0 != UInt8(ascii: ",") }).trimmingSpaces()
    }
}

/// What happens to the service.
public enum Input: Sendable {
    case request(ServiceRequest)
    /// Something the service had put off until now.
    case deed(Deed)
}

/// Something that the service does later than it was asked: opaque outside, so that whoever drives
/// the service only keeps it until its time.
public struct Deed: Sendable, Hashable {
    enum Act: Sendable, Hashable {
        /// `/_standin/approve` with a delay.
        case approve(Approval)
        /// Of a fault.
        case fault(FaultDeed)
    }

    let act: Act
}

/// What the service wants done. Answering and acting are apart, so that a fault may answer first and
/// act later, or never answer.
public enum Effect: Sendable {
    /// Send this, `after` that long.
    case reply(Reply, to: RequestID, after: Duration)
    /// Come back with `Input` at that instant, in order of setting among equals.
    case again(Input, at: Instant)
    /// Break the connection that this came on instead of answering.
    case reset(RequestID)
}
