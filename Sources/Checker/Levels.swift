public import Statistics

/// Consistency as the run showed it, weakest first: the strongest that holds is the headline
/// (correctness.md § 3.6).
public enum ConsistencyLevel: Int, CaseIterable, Sendable {
    case safety = 1
    case eventual, monotonicReads, readYourWrites, crossScreen, linearizable

    /// `monotonic reads`.
    public var name: String {
        switch self {
        case .safety: "safety"
        case .eventual: "eventual delivery"
        case .monotonicReads: "monotonic reads"
        case .readYourWrites: "read your writes"
        case .crossScreen: "cross-screen visibility"
        case .linearizable: "linearizable"
        }
    }

    /// What it says, in a sentence.
    public var promise: String {
        switch self {
        case .safety: "no token, code or media token was anybody's but its owner's"
        case .eventual: "every sign-in that was reported done reached its TV"
        case .monotonicReads: "no TV saw its sign-in vanish without a cause"
        case .readYourWrites: "each screen saw what it had done itself"
        case .crossScreen: "what the phone was told, the TV saw from then on"
        case .linearizable: "some order of the operations explains every answer"
        }
    }
}

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

/// Households by the levels that did not hold in them.
struct LevelTally: Sendable {
    private var broken = [Int](repeating: 0, count: ConsistencyLevel.allCases.count)
    private var undecided = [Int](repeating: 0, count: ConsistencyLevel.allCases.count)
    private(set) var households = 0

    mutating func add(broken levels: Set<ConsistencyLevel>, isLinearizableUndecided: Bool) {
        households += 1
        for level in levels { broken[level.rawValue - 1] += 1 }
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

extension Invariant {
    /// The level that its breach disproves.
    var level: ConsistencyLevel? {
        switch self {
        case .noTokenBeforeSignIn, .tokenIsolation, .oneOwner, .oneToken, .codeUnique,
            .deleteFinal, .errorsHaveNoEffect, .authorizationGates:
            .safety
        case .signInDelivered: .eventual
        case .tokenMonotonic: .monotonicReads
        case .logoutFinal: .readYourWrites
        case .signInVisible: .crossScreen
        case .linearizable: .linearizable
        default: nil
        }
    }
}

/// How long after a sign-in its TV could still be told "not yet": interval-censored, for each
/// sign-in lies between the last "not yet" and the first token (correctness.md § 3.5). Not what a
/// user feels, which has the poll interval in it.
public struct Staleness: Sendable, Hashable {
    /// Lower and upper ends, in nanoseconds after the sign-in's answer.
    public private(set) var atLeast = Histogram()
    public private(set) var atMost = Histogram()
    /// Sign-ins whose lower end is above zero: proven stale.
    public private(set) var proven = 0

    public init() {}

    mutating func add(atLeast low: Int64, atMost high: Int64) {
        atLeast.record(max(0, low))
        atMost.record(max(0, high))
        if low > 0 { proven += 1 }
    }

    public var count: Int { atLeast.count }
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

    mutating func see(server: String, at now: Int64) {
        if server == latest { return }
        if servers.insert(server).inserted, now > Self.settled, !latest.isEmpty {
            note("Server changed from \"\(latest)\" to \"\(server)\"", at: now)
        }
        latest = server
    }

    /// Where an answer came from: an address, perhaps with its port.
    mutating func see(address: String, at now: Int64) {
        if address == latestAddress { return }
        if addresses.insert(address).inserted, now > Self.known, !latestAddress.isEmpty {
            note("\(address) began to answer", at: now)
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
