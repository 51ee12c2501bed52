internal import Formats
public import Statistics
public import Vocabulary

/// One level over all households that were judged.
public struct LevelVerdict: Sendable, Hashable {
    public var level: ConsistencyLevel
    /// Households in which it did not hold.
    public var broken: Int
    public var households: Int
    public var undecided: Int

    public var holds: Bool { broken == 0 && undecided == 0 && households > 0 }
    /// The share of households behind `broken`, with 95 % confidence.
    public var share: Interval { .share(of: broken, in: households - undecided) }
}

/// The levels that did not hold in one household.
struct LevelSet: Sendable {
    private var bits: UInt8 = 0

    func contains(_ level: ConsistencyLevel) -> Bool { bits & 1 << UInt8(level.rawValue) != 0 }

    mutating func insert(_ level: ConsistencyLevel) { bits |= 1 << UInt8(level.rawValue) }

    mutating func remove(_ level: ConsistencyLevel) { bits &= ~(1 << UInt8(level.rawValue)) }
}

/// Households by the levels that did not hold in them.
struct LevelTally: Sendable {
    private var broken = [Int](repeating: 0, count: ConsistencyLevel.allCases.count)
    private var undecided = [Int](repeating: 0, count: ConsistencyLevel.allCases.count)
    private(set) var households = 0
    /// Households in which safety did not hold: what is known of codes only in the end may add to
    /// them, each once.
    private var unsafe: Set<Int> = []

    mutating func breakSafety(in household: Int) {
        guard unsafe.insert(household).inserted else { return }
        broken[ConsistencyLevel.safety.rawValue - 1] += 1
    }

    mutating func add(
        _ household: Int, broken levels: LevelSet, isLinearizableUndecided: Bool
    ) {
        households += 1
        for level in ConsistencyLevel.allCases where levels.contains(level) {
            if level == .safety {
                breakSafety(in: household)
            } else {
                broken[level.rawValue - 1] += 1
            }
        }
        if isLinearizableUndecided, !levels.contains(.linearizable) {
            undecided[ConsistencyLevel.linearizable.rawValue - 1] += 1
        }
    }

    var verdicts: [LevelVerdict] {
        ConsistencyLevel.allCases.map {
            LevelVerdict(
                level: $0, broken: broken[$0.rawValue - 1], households: households,
                undecided: undecided[$0.rawValue - 1])
        }
    }
}

/// How long after a sign-in its TV could still be told "not yet": interval-censored, for each
/// sign-in lies between the last "not yet" and the first token. Not what a user feels, which has
/// the poll interval in it.
public struct Staleness: Sendable, Hashable {
    /// Lower and upper ends, in nanoseconds after the sign-in's answer.
    public private(set) var atLeast = Histogram()
    public private(set) var atMost = Histogram()
    /// Sign-ins whose lower end is above zero: proven stale.
    public private(set) var proven = 0
    /// Both ends of each sign-in, on a grid of six percent that makes intervals wider, never
    /// narrower: so it stays small however many there are.
    private var grid: [StalenessCell: Int] = [:]

    private struct StalenessCell: Hashable, Sendable {
        var low: UInt16
        var high: UInt16
    }

    public init() {}

    mutating func add(atLeast low: Int64, atMost high: Int64) {
        let (low, high) = (max(0, low), max(0, high))
        atLeast.record(low)
        atMost.record(high)
        if low > 0 { proven += 1 }
        let cell = StalenessCell(low: Self.line(under: low), high: Self.line(under: high) + 1)
        grid[cell, default: 0] += 1
    }

    /// Adds all of `other`, as if its sign-ins had been added here.
    mutating func merge(_ other: Staleness) {
        atLeast.merge(other.atLeast)
        atMost.merge(other.atMost)
        proven += other.proven
        grid.merge(other.grid, uniquingKeysWith: +)
    }

    /// All that is known, for a history to keep.
    var json: JSON {
        .members([
            ("atLeast", .string(Base64.encode(atLeast.encoded))),
            ("atMost", .string(Base64.encode(atMost.encoded))), ("proven", .integer(proven)),
            (
                "grid",
                .string(
                    grid.sorted { ($0.key.low, $0.key.high) < ($1.key.low, $1.key.high) }
                        .map { "\($0.key.low):\($0.key.high):\($0.value)" }
                        .joined(separator: " "))
            ),
        ])
    }

    /// Reads `json`.
    init?(_ json: JSON) {
        guard let low = Histogram(json["atLeast"]), let high = Histogram(json["atMost"]),
            let proven = json["proven"]?.integer, let cells = json["grid"]?.text
        else { return nil }
        (atLeast, atMost, self.proven) = (low, high, Int(proven))
        for cell in cells.split(separator: " ") {
            let numbers = cell.split(separator: ":").map { Int($0) }
            guard numbers.count == 3, let low = numbers[0].flatMap({ UInt16(exactly: $0) }),
                let high = numbers[1].flatMap({ UInt16(exactly: $0) }), let count = numbers[2],
                count > 0
            else { return nil }
            grid[StalenessCell(low: low, high: high), default: 0] += count
        }
    }

    public var count: Int { atLeast.count }

    /// By how much sign-ins must be taken to have come later than they were answered, at least, for
    /// every answer to be right (Delta-atomicity); 0 where none was proven stale.
    public var delta: Int64 { atLeast.value(atShare: 1) ?? 0 }

    /// Turnbull's estimate of the staleness itself, in nanoseconds.
    public var estimate: Turnbull {
        Turnbull(
            grid.sorted { ($0.key.low, $0.key.high) < ($1.key.low, $1.key.high) }.map {
                Turnbull.CensoredValue(
                    low: Self.value(of: $0.key.low), high: Self.value(of: $0.key.high),
                    count: $0.value)
            })
    }

    /// Below 1 us is line 0; from there sixteen lines to an octave.
    private static func line(under nanoseconds: Int64) -> UInt16 {
        guard nanoseconds >= 1_024 else { return 0 }
        let octave = 63 - nanoseconds.leadingZeroBitCount
        let within = (nanoseconds >> (octave - 4)) & 15
        return UInt16((octave - 10) * 16 + Int(within) + 1)
    }

    private static func value(of line: UInt16) -> Double {
        guard line > 0 else { return 0 }
        let (octave, within) = ((Int(line) - 1) / 16, (Int(line) - 1) % 16)
        return Double(Int64(16 + within) << Int64(octave + 6))
    }
}

/// When what answers changed under the run: a deploy, as far as headers and addresses tell. A value
/// that turns up late is a change; values that alternate from the start are a mixed fleet.
struct ServiceChanges: Sendable {
    private var servers: Set<String> = []
    private var latest = ""
    private var addresses: Set<String> = []
    private var latestAddress = ""
    private var changes: [(at: Int64, text: String)] = []

    /// Values that turn up so early are the fleet as it was.
    private static let settled: Int64 = 5_000_000_000
    /// As for addresses: a name is asked for again after 30 s, and may then have others.
    private static let known: Int64 = 60_000_000_000
    /// Violations so near to a change are told apart.
    private static let near: Int64 = 60_000_000_000
    private static let kept = 100

    /// Who answered: the value of `Server`.
    @inline(__always)
    mutating func see(server: String, at now: Int64) {
        if server != latest { turn(to: server, now) }
    }

    /// Its address, perhaps with its port, which is empty where nobody knows it.
    @inline(__always)
    mutating func see(address: String, at now: Int64) {
        if address != latestAddress, !address.isEmpty { turn(toAddress: address, now) }
    }

    private mutating func turn(to server: String, _ now: Int64) {
        if servers.insert(server).inserted, now > Self.settled, !latest.isEmpty {
            note("Server changed from \"\(latest)\" to \"\(server)\"", at: now)
        }
        latest = server
    }

    private mutating func turn(toAddress address: String, _ now: Int64) {
        if addresses.insert(address).inserted, now > Self.known, !latestAddress.isEmpty {
            note("\(address) began to respond", at: now)
        }
        latestAddress = address
    }

    mutating func note(_ text: String, at now: Int64) {
        if changes.count < Self.kept { changes.append((now, text)) }
    }

    /// The nearest change within a minute, in words; nil when there is none.
    func near(_ time: Int64) -> String? {
        guard
            let change = changes.min(by: { abs($0.at - time) < abs($1.at - time) }),
            abs(change.at - time) <= Self.near
        else { return nil }
        let side = change.at <= time ? "before" : "after"
        return "\(change.text) \(milliseconds(abs(change.at - time))) \(side)"
    }

    var texts: [String] { changes.map { "\($0.text) at \(milliseconds($0.at))" } }
}
