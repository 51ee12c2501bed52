internal import Dialects
internal import Journal
internal import Rendering

/// One household's life, exchange by exchange: why its sign-in took so long.
public struct Waterfall: Sendable, Hashable {
    public var household: Int
    public var kind: String
    /// Milliseconds: the sign-in, and the viewer's own part of it.
    public var signInMs: Double
    public var viewerMs: Double
    public var polls: Int
    /// Seconds since the run began.
    public var from: Double
    public var through: Double
    public var rows: [Row]
    public var marks: [Mark]

    /// What one screen asked of one operation, one after the other.
    public struct Row: Sendable, Hashable {
        public var device: String
        public var operation: String
        public var bars: [Bar]
    }

    /// One exchange, in seconds since the run began.
    public struct Bar: Sendable, Hashable {
        public var sequence: Int
        public var planned: Double
        public var sent: Double
        public var firstByte: Double?
        public var ended: Double
        /// `200 ok`, `404 pending`, `timeout`.
        public var answer: String
        public var isError: Bool
    }

    /// A moment of the household's: `code shown`, `phone done`, `token seen`.
    public struct Mark: Sendable, Hashable {
        public var name: String
        public var at: Double
    }

    /// Nil where the household did not sign in by a code, or none of its exchanges was kept.
    init?(_ household: HouseholdRecord, _ exchanges: [Exchange]) {
        guard let seen = household.tokenSeen, let signIn = household.signIn else { return nil }
        self.household = household.household
        kind = Sanitizer.line(household.kind)
        signInMs = signIn.milliseconds
        viewerMs = household.viewerTime.milliseconds
        polls = household.polls
        let start = min(household.arrived, exchanges.map(\.planned).min() ?? household.arrived)
        // A little of what came after, which shows that the token was good for something.
        let last = seen + .seconds(1)
        from = start.seconds
        rows = []
        var through = seen
        var places: [String: Int] = [:]
        for exchange in exchanges where exchange.planned <= last {
            through = max(through, exchange.ended)
            let (device, operation) = (exchange.device.name, exchange.operation.name)
            let key = "\(device) \(operation)"
            if places[key] == nil {
                places[key] = rows.count
                rows.append(Row(device: device, operation: operation, bars: []))
            }
            rows[places[key] ?? 0].bars.append(Bar(exchange))
        }
        self.through = through.seconds
        let moments = [
            ("code shown", household.codeShown), ("phone done", household.phoneDone),
            ("token seen", household.tokenSeen),
        ]
        marks = moments.compactMap { name, at in at.map { Mark(name: name, at: $0.seconds) } }
        if rows.isEmpty { return nil }
    }
}

extension Waterfall.Bar {
    init(_ exchange: Exchange) {
        sequence = exchange.sequence
        planned = exchange.planned.seconds
        sent = exchange.sent.seconds
        firstByte = exchange.firstByte?.seconds
        ended = exchange.ended.seconds
        let status = exchange.delivery.status.map { "\($0) " } ?? ""
        answer = status + exchange.outcome.name
        isError = exchange.isError
    }
}

extension Instant {
    fileprivate var seconds: Double { milliseconds / 1000 }
}

/// The households whose sign-in cost the service most time, the slowest first.
struct Slowest {
    static let limit = 6
    private(set) var households: [HouseholdRecord] = []

    mutating func add(_ household: HouseholdRecord) {
        guard let time = household.signInService else { return }
        // Of equals the first stays: a report never varies.
        let place = households.firstIndex { $0.signInService ?? .zero < time } ?? households.count
        guard place < Self.limit else { return }
        households.insert(household, at: place)
        if households.count > Self.limit { households.removeLast() }
    }
}
