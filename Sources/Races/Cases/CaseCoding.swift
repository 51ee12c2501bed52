internal import Formats
internal import Statistics
public import Vocabulary

// How the parts of a case are written that are not written as they are kept.

extension Case {
    /// The file's text, with a line end: the same case is the same text.
    public var json: String {
        JSON(schema: Self.schema, self, decimals: ["ci95": 4]).text(.page) + "\n"
    }

    /// `3.2e-09`: a number that JSON of three decimals would print as 0.
    static func exponent(_ value: Double) -> String {
        guard value > 0, value.isFinite else { return "0" }
        var (mantissa, power) = (value, 0)
        while mantissa < 1, power > -400 { (mantissa, power) = (mantissa * 10, power - 1) }
        while mantissa >= 10 { (mantissa, power) = (mantissa / 10, power + 1) }
        if power >= -3 { return DecimalText.trimmed(value, 4) }
        return "\(DecimalText.trimmed(mantissa, 1))e\(power)"
    }
}

/// A probability, in quotes because most are too small for three decimals.
@propertyWrapper
public struct Probability: Codable, Sendable, Hashable {
    public var wrappedValue: Double

    public init(wrappedValue: Double) { self.wrappedValue = wrappedValue }

    public init(from decoder: any Decoder) throws {
        let text = try? decoder.singleValueContainer().decode(String.self)
        guard let value = text.flatMap(Double.init) else {
            throw decoder.wrong("a probability in quotes")
        }
        wrappedValue = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Case.exponent(wrappedValue))
    }
}

extension Case.Evidence: Codable {
    private enum CodingKeys: String, CodingKey {
        case rate, method, ci95
        case achieved = "achievedOffsetUs"
        case window = "peakWindowUs"
        case open = "windowOpen"
        case best = "bestOffsetUs"
        case isSimultaneous = "simultaneous"
        case firstSeen = "firstSeenUs"
        case trialTime = "durationUs"
        case curve
    }

    public func encode(to encoder: any Encoder) throws {
        let interval = Interval.exactShare(of: rate.hits, in: rate.trials)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(rate, forKey: .rate)
        try container.encode(method, forKey: .method)
        try container.encode([interval.low, interval.high], forKey: .ci95)
        try container.encodeIfPresent(achieved, forKey: .achieved)
        try container.encodeIfPresent(window.map { [$0.low, $0.high] }, forKey: .window)
        try container.encodeIfPresent(window.map { [$0.isLowOpen, $0.isHighOpen] }, forKey: .open)
        try container.encode(best, forKey: .best)
        try container.encode(isSimultaneous, forKey: .isSimultaneous)
        try container.encode(firstSeen, forKey: .firstSeen)
        try container.encode(trialTime, forKey: .trialTime)
        try container.encode(curve, forKey: .curve)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let ends = try container.decodeIfPresent([Duration].self, forKey: .window)
        let open = try container.decodeIfPresent([Bool].self, forKey: .open)
        if let ends, ends.count != 2 || ends[0] > ends[1] {
            throw DecodingError.dataCorruptedError(
                forKey: .window, in: container, debugDescription: "two offsets in order")
        }
        if let open, open.count != 2 {
            throw DecodingError.dataCorruptedError(
                forKey: .open, in: container, debugDescription: "two of true or false")
        }
        self.init(
            rate: try container.decode(HitRate.self, forKey: .rate),
            method: try container.decode(String.self, forKey: .method),
            achieved: try container.decodeIfPresent(
                RaceFinding.Quantiles.self, forKey: .achieved),
            window: ends.map {
                RaceFinding.Window(
                    low: $0[0], high: $0[1], isLowOpen: open?[0] ?? false,
                    isHighOpen: open?[1] ?? false)
            },
            best: try container.decode(Duration.self, forKey: .best),
            isSimultaneous: try container.decode(Bool.self, forKey: .isSimultaneous),
            curve: try container.decode([RaceFinding.CurvePoint].self, forKey: .curve),
            firstSeen: try container.decode(Duration.self, forKey: .firstSeen),
            trialTime: try container.decode(Duration.self, forKey: .trialTime))
    }
}

extension Case.Trial {
    /// UTC with microseconds: `2026-11-21T07:00:00.123456Z`.
    func utc(_ nanoseconds: Int64) -> String {
        UTCTime.rfc3339(microseconds: startedMicroseconds + nanoseconds / 1_000, decimals: 6)
    }

    /// The same without its day: `07:00:00.123456`.
    func time(_ nanoseconds: Int64) -> String { String(utc(nanoseconds).dropFirst(11).dropLast()) }
}

extension Invariant: Codable {
    public init(from decoder: any Decoder) throws {
        self = try decoder.named(
            Self.init, "one of " + Self.allCases.map(\.name).joined(separator: ", "))
    }

    public func encode(to encoder: any Encoder) throws { try name.encode(to: encoder) }
}

extension PromiseSource: Codable {
    public init(from decoder: any Decoder) throws {
        self = try decoder.named(
            Self.init, "one of " + Self.allCases.map(\.rawValue).joined(separator: ", "))
    }

    public func encode(to encoder: any Encoder) throws { try rawValue.encode(to: encoder) }
}

extension OperationName: Codable {
    public init(from decoder: any Decoder) throws {
        self = try decoder.named(
            Self.init, "the name of an operation; 'screenrig list' has them")
    }

    public func encode(to encoder: any Encoder) throws { try name.encode(to: encoder) }
}

extension Decoder {
    /// What `read` makes of a text; `wanted` says what would be right.
    fileprivate func named<Value>(_ read: (String) -> Value?, _ wanted: String) throws -> Value {
        let name = try? singleValueContainer().decode(String.self)
        guard let value = name.flatMap(read) else { throw wrong(wanted) }
        return value
    }
}

extension Duration {
    /// Rounded to the nearest.
    var inMicroseconds: Int {
        Int((nanoseconds + (nanoseconds < 0 ? -500 : 500)) / 1_000)
    }
}
