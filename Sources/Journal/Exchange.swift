public import Dialects
public import Vocabulary

/// One screen of one household.
public struct DeviceID: Hashable, Sendable, Comparable {
    public enum Role: UInt8, Sendable { case firstScreen, secondScreen }
    public var household: Int
    public var role: Role
    /// Counts the second screens of a household from 0.
    public var index: Int

    public init(household: Int, role: Role, index: Int = 0) {
        self.household = household
        self.role = role
        self.index = index
    }

    /// `tv`, `phone`, `phone-2`.
    public var name: String {
        switch role {
        case .firstScreen: "tv"
        case .secondScreen: index == 0 ? "phone" : "phone-\(index + 1)"
        }
    }

    public static func < (left: DeviceID, right: DeviceID) -> Bool {
        (left.household, left.role.rawValue, left.index)
            < (right.household, right.role.rawValue, right.index)
    }
}

/// What is certain about a request's way: a lost answer is neither success nor failure, for the
/// service may have acted on it.
public enum Delivery: Hashable, Sendable {
    case answered(status: Int)
    /// Not a byte reached the service: it never happened.
    case refused(TransportError)
    /// It may have taken effect, once, at any time after `sent`.
    case unknown(TransportError)

    public var status: Int? {
        if case .answered(let status) = self { status } else { nil }
    }

    public var error: TransportError? {
        switch self {
        case .answered: nil
        case .refused(let error), .unknown(let error): error
        }
    }
}

/// The way an exchange took, so that the server's team can find it.
public struct Route: Hashable, Sendable {
    /// Counts connections of the run; 0 when none was made.
    public var connection: Int
    public var reused: Bool
    /// `127.0.0.1:40312`; empty when unknown.
    public var local: String
    public var remote: String
    /// `1.1` or `2`.
    public var httpVersion: String
    public var tlsResumed: Bool?

    public init(
        connection: Int = 0, reused: Bool = false, local: String = "", remote: String = "",
        httpVersion: String = "1.1", tlsResumed: Bool? = nil
    ) {
        self.connection = connection
        self.reused = reused
        self.local = local
        self.remote = remote
        self.httpVersion = httpVersion
        self.tlsResumed = tlsResumed
    }
}

/// One request and what became of it. `planned` is when it was due, `sent` is before its last byte
/// left, `firstByte` at or after the first byte of the final answer: the tightest interval that is
/// still true.
public struct Exchange: Sendable, Hashable {
    public var lane: Int
    /// Counts exchanges within a household from 1.
    public var sequence: Int
    public var device: DeviceID
    public var operation: OperationName
    public var code: Code?
    public var planned: Instant
    /// Handed to the transport: where the rig's own lateness ends, and names, connections and TLS
    /// begin.
    public var begun: Instant
    public var sent: Instant
    public var firstByte: Instant?
    public var ended: Instant
    public var delivery: Delivery
    public var outcome: Outcome
    /// The service's own word for an error, for grouping.
    public var reason: String?
    public var observation: Observation
    /// Fingerprint of the secret that the answer carried, if any.
    public var fingerprint: Fingerprint?
    public var deviations: [Deviation]
    public var route: Route
    /// Headers of the allow-list of `ExchangeBuilder`.
    public var evidence: Headers
    /// Bytes of the bodies.
    public var bytesSent: Int
    public var bytesReceived: Int
    public var provoked: Bool
    /// What its connection took to make, TCP alone, when it needed a new one.
    public var connect: Duration?
    /// What securing that connection took.
    public var tls: Duration?

    public init(
        lane: Int, sequence: Int, device: DeviceID, operation: OperationName, code: Code? = nil,
        planned: Instant, begun: Instant? = nil, sent: Instant, firstByte: Instant? = nil,
        ended: Instant, delivery: Delivery, outcome: Outcome, reason: String? = nil,
        observation: Observation = Observation(.none), fingerprint: Fingerprint? = nil,
        deviations: [Deviation] = [], route: Route = Route(), evidence: Headers = [:],
        bytesSent: Int = 0, bytesReceived: Int = 0, provoked: Bool = false,
        connect: Duration? = nil, tls: Duration? = nil
    ) {
        self.lane = lane
        self.sequence = sequence
        self.device = device
        self.operation = operation
        self.code = code
        self.planned = planned
        self.begun = begun ?? sent
        self.sent = sent
        self.firstByte = firstByte
        self.ended = ended
        self.delivery = delivery
        self.outcome = outcome
        self.reason = reason
        self.observation = observation
        self.fingerprint = fingerprint
        self.deviations = deviations
        self.route = route
        self.evidence = evidence
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
        self.provoked = provoked
        self.connect = connect
        self.tls = tls
    }

    /// What the user waited: from the planned instant (free of coordinated omission).
    public var latency: Duration { ended - planned }
    /// What the service took.
    public var service: Duration { ended - sent }
    /// How late the rig itself was; time spent on making a connection is not the rig's.
    public var lateness: Duration { begun - planned }
    /// Whether it counts against the service.
    public var isError: Bool { outcome.isError && !provoked }
}
