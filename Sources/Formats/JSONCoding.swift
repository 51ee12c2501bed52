/// What stands among the members of whatever holds it, instead of under a key of its own: the `k` and `n` of
/// a rate.
public protocol InlineCodable {
    /// By which an optional one is known to be there.
    static var firstKey: String { get }
}

/// An element with a name: an array of them is an object.
public protocol MemberEncodable: Encodable {
    var member: JSON.Member { get }
}

/// The same, also read.
public protocol MemberCodable: MemberEncodable, Decodable {
    /// Throws `JSONError`.
    init(name: String, value: JSONPlace) throws
}

/// A number that stands in quotes, because readers of JSON would round it.
@propertyWrapper
public struct Quoted<Value: LosslessStringConvertible & Hashable & Sendable>: Hashable, Sendable,
    Codable
{
    public var wrappedValue: Value

    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let value = Value(text) else { throw decoder.wrong("a whole number in quotes") }
        wrappedValue = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(String(wrappedValue))
    }
}

/// The unit of a time, by the end of its key or of a key around it: `offsetUs`, `latencyMs`, `seconds`.
enum TimeUnit {
    case nanoseconds, microseconds, milliseconds, seconds

    init?(key: String) {
        if key.hasSuffix("Ns") {
            self = .nanoseconds
        } else if key.hasSuffix("Us") {
            self = .microseconds
        } else if key.hasSuffix("Ms") {
            self = .milliseconds
        } else if key.hasSuffix("econds") || key.hasSuffix("Second") {
            self = .seconds
        } else {
            return nil
        }
    }

    /// Whole numbers for the small ones, rounded to the nearest; up to three decimals for the others.
    func number(_ duration: Duration) -> JSON {
        let (seconds, attoseconds) = duration.components
        let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        switch self {
        case .nanoseconds: return .integer(Int(nanoseconds))
        case .microseconds:
            return .integer(Int((nanoseconds + (nanoseconds < 0 ? -500 : 500)) / 1_000))
        case .milliseconds: return .decimal(Double(nanoseconds) / 1e6)
        case .seconds: return .decimal(Double(nanoseconds) / 1e9)
        }
    }
}
