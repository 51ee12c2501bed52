internal import Statistics

/// The W3C trace context of a household's requests (https://www.w3.org/TR/trace-context/): the trace is the
/// household, the span the exchange. A pure function of the run's id, so that a report of a recorded run names
/// the traces that its requests carried.
public struct TraceContext: Sendable, Hashable {
    /// 32 hexadecimal digits.
    public let trace: String
    private let household: Int

    /// `run`: the run's id (`RunID`), as `X-Screenrig` begins with it.
    public init(run: String, household: Int) {
        var hash = SipHash(key: Self.key)
        hash.update("\(run)/\(household)")
        trace = "\(Fingerprint(value: hash.finish64()))\(Fingerprint(value: UInt64(household) + 1))"
        self.household = household
    }

    /// No secret: the run's id is in every request.
    private static let key = SipHash.HashKey(
        low: 0x7363_7265_656e_7269, high: 0x6720_7472_6163_6573)

    /// 16 hexadecimal digits, of the exchange with that number within its household.
    public func span(_ sequence: Int) -> String {
        Fingerprint(value: UInt64(household) << 24 | UInt64(sequence)).description
    }

    /// Trace and span of a header, whoever wrote it; nil where it has another form (§ 3.2).
    public static func parts(_ header: String) -> (trace: String, span: String)? {
        let parts = header.split(separator: "-").map(String.init)
        guard parts.count == 4, parts[1].utf8.count == 32, parts[2].utf8.count == 16 else {
            return nil
        }
        return (parts[1], parts[2])
    }

    /// The header: `00-TRACE-SPAN-01`.
    public func parent(_ sequence: Int) -> String { "00-\(trace)-\(span(sequence))-01" }
}
