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

/// The way an exchange took, so that the server's team can find it. Its texts are one object that all
/// exchanges of a connection share: keep the route of a connection and change `reused`.
public struct Route: Hashable, Sendable {
    /// Counts connections of the run; 0 when none was made.
    public var connection: Int
    public var reused: Bool
    public var tlsResumed: Bool?
    /// Nil: nothing is known of them.
    private var ends: Ends?

    private final class Ends: Hashable, Sendable {
        let local: String
        let remote: String
        let httpVersion: String

        init(local: String, remote: String, httpVersion: String) {
            self.local = local
            self.remote = remote
            self.httpVersion = httpVersion
        }

        static func == (left: Ends, right: Ends) -> Bool {
            left === right
                || (left.local, left.remote, left.httpVersion)
                    == (right.local, right.remote, right.httpVersion)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(local)
            hasher.combine(remote)
            hasher.combine(httpVersion)
        }
    }

    public init(
        connection: Int = 0, reused: Bool = false, local: String = "", remote: String = "",
        httpVersion: String = "1.1", tlsResumed: Bool? = nil
    ) {
        self.connection = connection
        self.reused = reused
        self.tlsResumed = tlsResumed
        set(local, remote, httpVersion)
    }

    /// `127.0.0.1:40312`; empty when unknown.
    public var local: String {
        get { ends?.local ?? "" }
        set { set(newValue, remote, httpVersion) }
    }

    public var remote: String {
        get { ends?.remote ?? "" }
        set { set(local, newValue, httpVersion) }
    }

    /// `1.1` or `2`.
    public var httpVersion: String { ends?.httpVersion ?? "1.1" }

    private mutating func set(_ local: String, _ remote: String, _ httpVersion: String) {
        let isKnown = !local.isEmpty || !remote.isEmpty || httpVersion != "1.1"
        ends = isKnown ? Ends(local: local, remote: remote, httpVersion: httpVersion) : nil
    }

    /// Whether the texts of both are one object.
    func hasEnds(of other: Route) -> Bool { ends === other.ends }
}

/// What the two sides of an exchange said, and what that means: one object, for it repeats from one
/// exchange to the next more often than not, and then both share it.
package final class ExchangeContent: Hashable, Sendable {
    package struct Fields: Hashable, Sendable {
        package var delivery: Delivery
        package var code: Code?
        package var mvpd: String?
        package var subject: String?
        package var reason: String?
        package var observation: Observation
        package var fingerprint: Fingerprint?
        package var deviations: [Deviation]
        package var evidence: Headers

        /// Inlined, for else it is built, copied and destroyed.
        @inline(__always)
        package init(
            _ delivery: Delivery, code: Code? = nil, mvpd: String? = nil, subject: String? = nil,
            reason: String? = nil,
            observation: Observation, fingerprint: Fingerprint? = nil,
            deviations: [Deviation] = [], evidence: Headers = [:]
        ) {
            self.delivery = delivery
            self.code = code
            self.mvpd = mvpd
            self.subject = subject
            self.reason = reason
            self.observation = observation
            self.fingerprint = fingerprint
            self.deviations = deviations
            self.evidence = evidence
        }
    }

    package let fields: Fields

    package init(_ fields: Fields) { self.fields = fields }

    package func has(_ fields: Fields) -> Bool { self.fields == fields }

    package static func == (left: ExchangeContent, right: ExchangeContent) -> Bool {
        left === right || left.fields == right.fields
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(fields) }
}

/// One request and what became of it. `planned` is when it was due, `sent` is before its last byte
/// left, `firstByte` at or after the first byte of the final answer: the tightest interval that is
/// still true.
///
/// Numbers and two references: a batch of them is one block of memory, and a copy costs little.
public struct Exchange: Sendable, Hashable {
    public var lane: Int
    /// Counts exchanges within a household from 1.
    public var sequence: Int
    public var device: DeviceID
    public var planned: Instant
    /// Handed to the transport: where the rig's own lateness ends, and names, connections and TLS
    /// begin.
    public var begun: Instant
    public var sent: Instant
    public var ended: Instant
    /// `absent`: no byte came.
    private var firstByteNanoseconds: Int64
    /// `absent`: no connection was made, or secured.
    private var connectNanoseconds: Int64
    private var tlsNanoseconds: Int64
    /// Bytes of the bodies.
    public var bytesSent: Int
    public var bytesReceived: Int
    public var route: Route
    package private(set) var content: ExchangeContent
    public var operation: OperationName
    public var outcome: Outcome
    public var provoked: Bool

    private static var absent: Int64 { .min }

    package init(
        lane: Int, sequence: Int, device: DeviceID, operation: OperationName, planned: Instant,
        begun: Instant, sent: Instant, firstByte: Instant?, ended: Instant, outcome: Outcome,
        content: ExchangeContent, route: Route, bytesSent: Int, bytesReceived: Int,
        provoked: Bool, connect: Duration?, tls: Duration?
    ) {
        self.lane = lane
        self.sequence = sequence
        self.device = device
        self.operation = operation
        self.planned = planned
        self.begun = begun
        self.sent = sent
        self.ended = ended
        firstByteNanoseconds = firstByte?.nanoseconds ?? Self.absent
        connectNanoseconds = connect?.wholeNanoseconds ?? Self.absent
        tlsNanoseconds = tls?.wholeNanoseconds ?? Self.absent
        self.outcome = outcome
        self.content = content
        self.route = route
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
        self.provoked = provoked
    }

    public init(
        lane: Int, sequence: Int, device: DeviceID, operation: OperationName, code: Code? = nil,
        mvpd: String? = nil, subject: String? = nil, planned: Instant, begun: Instant? = nil,
        sent: Instant, firstByte: Instant? = nil,
        ended: Instant, delivery: Delivery, outcome: Outcome, reason: String? = nil,
        observation: Observation = Observation(.none), fingerprint: Fingerprint? = nil,
        deviations: [Deviation] = [], route: Route = Route(), evidence: Headers = [:],
        bytesSent: Int = 0, bytesReceived: Int = 0, provoked: Bool = false,
        connect: Duration? = nil, tls: Duration? = nil
    ) {
        let content = ExchangeContent(
            ExchangeContent.Fields(
                delivery, code: code, mvpd: mvpd, subject: subject, reason: reason,
                observation: observation, fingerprint: fingerprint, deviations: deviations,
                evidence: evidence))
        self.init(
            lane: lane, sequence: sequence, device: device, operation: operation, planned: planned,
            begun: begun ?? sent, sent: sent, firstByte: firstByte, ended: ended,
            outcome: outcome, content: content, route: route, bytesSent: bytesSent,
            bytesReceived: bytesReceived,
            provoked: provoked, connect: connect, tls: tls)
    }

    // MARK: Fields that are kept otherwise

    public var firstByte: Instant? {
        get {
            firstByteNanoseconds == Self.absent
                ? nil : Instant(nanoseconds: firstByteNanoseconds)
        }
        set { firstByteNanoseconds = newValue?.nanoseconds ?? Self.absent }
    }

    /// What its connection took to make, TCP alone, when it needed a new one.
    public var connect: Duration? {
        get { connectNanoseconds == Self.absent ? nil : .nanoseconds(connectNanoseconds) }
        set { connectNanoseconds = newValue?.wholeNanoseconds ?? Self.absent }
    }

    /// What securing that connection took.
    public var tls: Duration? {
        get { tlsNanoseconds == Self.absent ? nil : .nanoseconds(tlsNanoseconds) }
        set { tlsNanoseconds = newValue?.wholeNanoseconds ?? Self.absent }
    }

    public var delivery: Delivery {
        _read { yield content.fields.delivery }
        set { change { $0.delivery = newValue } }
    }

    public var code: Code? {
        _read { yield content.fields.code }
        set { change { $0.code = newValue } }
    }

    /// The provider that the request named, where it is about one of several sign-ins of a device.
    public var mvpd: String? {
        _read { yield content.fields.mvpd }
        set { change { $0.mvpd = newValue } }
    }

    /// Whom the identity tokens of the request named (`IdentityTokens.subject`).
    public var subject: String? {
        _read { yield content.fields.subject }
        set { change { $0.subject = newValue } }
    }

    /// The service's own word for an error, for grouping.
    public var reason: String? {
        _read { yield content.fields.reason }
        set { change { $0.reason = newValue } }
    }

    public var observation: Observation {
        _read { yield content.fields.observation }
        set { change { $0.observation = newValue } }
    }

    /// Fingerprint of the secret that the answer carried, if any.
    public var fingerprint: Fingerprint? {
        get { content.fields.fingerprint }
        set { change { $0.fingerprint = newValue } }
    }

    public var deviations: [Deviation] {
        _read { yield content.fields.deviations }
        set { change { $0.deviations = newValue } }
    }

    /// Headers of the allow-list of `ExchangeBuilder`.
    public var evidence: Headers {
        _read { yield content.fields.evidence }
        set { change { $0.evidence = newValue } }
    }

    private mutating func change(_ change: (inout ExchangeContent.Fields) -> Void) {
        var fields = content.fields
        change(&fields)
        content = ExchangeContent(fields)
    }

    // MARK: What follows

    /// What the user waited: from the planned instant (free of coordinated omission).
    public var latency: Duration { ended - planned }
    /// What the service took.
    public var service: Duration { ended - sent }
    /// How late the rig itself was; time spent on making a connection is not the rig's.
    public var lateness: Duration { begun - planned }
    /// The same three, in nanoseconds, for counting: a `Duration` takes divisions to read.
    var latencyNanoseconds: Int64 { ended.nanoseconds(since: planned) }
    /// Latency without the rig's lateness.
    var punctualNanoseconds: Int64 { ended.nanoseconds(since: begun) }
    var serviceNanoseconds: Int64 { ended.nanoseconds(since: sent) }
    var latenessNanoseconds: Int64 { begun.nanoseconds(since: planned) }

    /// Whether its times count: it was answered, or given up without an answer after `target.timeout` or when the run
    /// was stopped, for a service that lets requests wait is not fast.
    public var isTimed: Bool {
        delivery.status != nil || outcome == .timeout
            || outcome == .cutOff && delivery.error != .switchedOff
    }

    /// Whether it counts against the service: not where the rig provoked a rejection and got it.
    public var isError: Bool { outcome.isError && !(provoked && outcome == .rejected) }
}
