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
        let line = DocumentWriter.json {
            $0.text("event", kind.rawValue)
            $0.number("id", Int64(activation))
            $0.text("fault", fault)
            $0.number("us", at.nanoseconds / 1000)
            $0.number("wallMs", wallMilliseconds)
            if let household { $0.number("household", Int64(household)) }
            if let otherHousehold { $0.number("otherHousehold", Int64(otherHousehold)) }
            if let device { $0.text("device", device) }
            if let code { $0.text("code", code) }
            if let operation { $0.text("operation", operation) }
            if let exchange { $0.text("exchange", exchange) }
        }
        return String(decoding: line, as: UTF8.self)
    }
}

/// Whom an activation concerns.
struct Session: Hashable, Sendable {
    var household: Int?
    var device: DeviceKey?
    var code: String?
}
