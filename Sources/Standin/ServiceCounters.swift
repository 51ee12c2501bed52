internal import Dialects
public import Vocabulary

/// What the service has counted itself: the other half of a rig's numbers.
public struct ServiceCounters: Hashable, Sendable {
    /// One line of the table.
    public struct CounterRow: Hashable, Sendable {
        /// Nil: requests that belong to no operation (unknown paths).
        public var operation: OperationName?
        public var status: Int
        public var count: Int
    }

    private var counts: [UInt32: Int] = [:]
    public internal(set) var codesIssued = 0
    public internal(set) var signIns = 0
    /// Access tokens.
    public internal(set) var tokensIssued = 0
    public internal(set) var mediaTokens = 0
    /// Answered 429; they are in the rows as well.
    public internal(set) var throttled = 0
    /// Held at present: codes, sign-ins, access tokens, logins, throttle buckets, clients.
    public internal(set) var held: [HeldCount] = []

    /// How many of something the service holds.
    public struct HeldCount: Hashable, Sendable {
        public var what: String
        public var count: Int
    }

    public init() {}

    private static let unknown: UInt32 = 0xff

    mutating func count(_ operation: OperationName?, status: Int) {
        let key = (operation.map { UInt32($0.rawValue) } ?? Self.unknown) << 16 | UInt32(status)
        counts[key, default: 0] += 1
    }

    /// Sorted by operation, then status.
    public var rows: [CounterRow] {
        counts.sorted { $0.key < $1.key }.map { key, count in
            CounterRow(
                operation: OperationName(rawValue: UInt8(key >> 16)), status: Int(key & 0xffff),
                count: count)
        }
    }

    /// Requests answered, whatever the answer.
    public var requests: Int { counts.values.reduce(0, +) }

    /// How often `operation` was answered with `status`, or at all.
    public func count(of operation: OperationName, status: Int? = nil) -> Int {
        rows.reduce(0) { sum, row in
            row.operation == operation && (status == nil || row.status == status)
                ? sum + row.count : sum
        }
    }

    /// The body of `GET /_standin/counters`.
    func json() -> [UInt8] {
        var operations: [(String, Document)] = []
        for row in rows {
            let name = row.operation?.name ?? "other"
            let entry = (String(row.status), Document.number(Int64(row.count)))
            if operations.last?.0 == name, case .object(let statuses)? = operations.last?.1 {
                operations[operations.count - 1].1 = .object(statuses + [entry])
            } else {
                operations.append((name, .object([entry])))
            }
        }
        return Document.object([
            ("requests", .number(Int64(requests))),
            ("operations", .object(operations)),
            ("codesIssued", .number(Int64(codesIssued))),
            ("signIns", .number(Int64(signIns))),
            ("tokensIssued", .number(Int64(tokensIssued))),
            ("mediaTokens", .number(Int64(mediaTokens))),
            ("throttled", .number(Int64(throttled))),
            ("held", .object(held.map { ($0.what, .number(Int64($0.count))) })),
        ]).json()
    }
}
