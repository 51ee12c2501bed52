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
        let operations = OperationName.allCases.map(Optional.some) + [nil]
        let rows = rows
        return DocumentWriter.json { document in
            document.number("requests", Int64(requests))
            document.object("operations") { list in
                for operation in operations {
                    let own = rows.filter { $0.operation == operation }
                    if own.isEmpty { continue }
                    list.object(operation?.name ?? "other") {
                        for row in own { $0.number(String(row.status), Int64(row.count)) }
                    }
                }
            }
            document.number("codesIssued", Int64(codesIssued))
            document.number("signIns", Int64(signIns))
            document.number("tokensIssued", Int64(tokensIssued))
            document.number("mediaTokens", Int64(mediaTokens))
            document.number("throttled", Int64(throttled))
            document.object("held") {
                for one in held { $0.number(one.what, Int64(one.count)) }
            }
        }
    }
}
