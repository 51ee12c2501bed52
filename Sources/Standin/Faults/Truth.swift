internal import Dialects
public import Journal

/// What a fault really did, noted by the service that did it: detection is scored against this.
/// A fault that never says "activated" was never activated.
///
/// As a JSON line of `serve --truth FILE`:
///
///     {"event":"activated","id":3,"fault":"token-flap","us":8012400,"wallMs":1767225608012,"household":17,
///      "device":"…","code":"ABC1234","operation":"poll-token","exchange":"run/17/23"}
public struct TruthEvent: Hashable, Sendable {
    public enum Kind: String, Sendable {
        /// The fault did something.
        case activated
        /// A response made the activation visible from outside. Comes once for each activation, or
        /// never.
        case observable
    }

    public var kind: Kind
    /// Counts activations of this service from 1; ties the two kinds together.
    public var activation: Int
    /// Its name.
    public var fault: String
    /// Since the service was started.
    public var at: Instant
    /// Epoch milliseconds of the service's wall clock.
    public var wallMilliseconds: Int64
    /// Number of the household, from `X-Screenrig`; nil for requests that carry none.
    public var household: Int?
    /// A second household that it concerns.
    public var otherHousehold: Int?
    /// `deviceId` of the first screen.
    public var device: String?
    public var code: String?
    public var operation: String?
    /// `X-Screenrig` of the request at which it happened: run, household, number of the exchange.
    public var exchange: String?

    /// One line of the truth file, without its end.
    public var json: String {
        var members: [(String, Document)] = [
            ("event", .text(kind.rawValue)), ("id", .number(Int64(activation))),
            ("fault", .text(fault)),
            ("us", .number(at.nanoseconds / 1000)), ("wallMs", .number(wallMilliseconds)),
        ]
        if let household { members.append(("household", .number(Int64(household)))) }
        if let otherHousehold {
            members.append(("otherHousehold", .number(Int64(otherHousehold))))
        }
        if let device { members.append(("device", .text(device))) }
        if let code { members.append(("code", .text(code))) }
        if let operation { members.append(("operation", .text(operation))) }
        if let exchange { members.append(("exchange", .text(exchange))) }
        return String(decoding: Document.object(members).json(), as: UTF8.self)
    }
}

/// Whom an activation concerns.
struct Session: Hashable, Sendable {
    var household: Int?
    var device: DeviceKey?
    var code: String?
}
