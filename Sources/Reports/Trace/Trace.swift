internal import Checker
internal import Journal
internal import Rigs

/// One household's life: what its devices sent and were answered, what happened on them besides, and what
/// the judge made of it. `TracePage` draws it.
struct Trace {
    /// An exchange with what else is known of it.
    struct TraceExchange {
        var exchange: Exchange
        /// What was said, where that was kept.
        var message: KeptMessage?
        /// Since the end of the previous exchange of its device; negative where they overlapped.
        var pause: Duration?
        /// What the judge held possible of its device before and after it; nil where nobody judged.
        var before: Belief.View?
        var after: Belief.View?
        /// Positions in `violations` of those that it is evidence of.
        var violations: [Int] = []

        var changesBelief: Bool { before != after }
    }

    /// A violation and its row of violations.csv, counted from 1.
    struct TraceViolation {
        var violation: Violation
        var row: Int
        /// Name of its case in `cases/`.
        var caseName: String?
    }

    let header: HistoryHeader
    let record: HouseholdRecord
    /// The other household of a home that shares an identity.
    private(set) var other: Int?
    /// Of the household itself.
    let hasExchanges: Bool
    /// In the order of their sending.
    private(set) var exchanges: [TraceExchange] = []
    private(set) var events: [DeviceEvent] = []
    private(set) var violations: [TraceViolation] = []
    let links: ExchangeLinks
    /// Whether its page stands alone, without a run directory around it.
    var isAlone = false
    /// Whether there were findings to take violations from.
    let isJudged: Bool
    /// Why there are no beliefs; nil where there are.
    private(set) var unbelieved: String?
    /// Where the page's clock begins.
    private(set) var origin: Instant
    /// When the last of it was over.
    private(set) var through: Instant

    /// Throws where the history cannot be read. `findings`: those of the whole run.
    init(
        _ history: some Recorded, _ record: HouseholdRecord, findings: Findings?,
        cases: [String: String] = [:], other: Int? = nil, links: ExchangeLinks
    ) throws {
        header = history.header
        self.record = record
        self.links = links
        (origin, through) = (record.arrived, record.arrived)
        isJudged = findings != nil
        for (position, violation) in (findings?.violations ?? []).enumerated()
        where violation.household == record.household {
            violations.append(
                TraceViolation(
                    violation: violation, row: position + 1, caseName: cases[violation.signature]))
        }
        let own = try history.exchanges(household: record.household)
        hasExchanges = !own.isEmpty
        try add(own, of: record.household, history)
        // Of a home whose second household never came there is one.
        if let other, case let life = try history.exchanges(household: other), !life.isEmpty {
            self.other = other
            try add(life, of: other, history)
        }
        exchanges.sort { Self.isBefore($0.exchange, $1.exchange) }
        takePauses()
        events.sort { ($0.at, $0.device, $0.sequence) < ($1.at, $1.device, $1.sequence) }
        origin = min(
            origin, exchanges.first?.exchange.sent ?? origin, events.first?.at ?? origin)
        let ends =
            exchanges.map(\.exchange.ended)
            + [events.last?.at, record.ended, record.tokenSeen].compactMap(\.self)
        through = ends.max().map { max($0, through) } ?? through
    }

    private static func isBefore(_ one: Exchange, _ other: Exchange) -> Bool {
        (one.sent, one.device.household, one.sequence)
            < (other.sent, other.device.household, other.sequence)
    }

    private mutating func add(
        _ life: [Exchange], of household: Int, _ history: some Recorded
    ) throws {
        var messages: [Int: KeptMessage] = [:]
        for message in try history.messages(household: household) {
            messages[message.sequence] = message
        }
        let isOwn = household == record.household
        events += try history.events(household: household)
        let beliefs = BeliefHistory(life, household: household, header, history.end)
        if isOwn { unbelieved = beliefs.missing }
        for exchange in life {
            var entry = TraceExchange(exchange: exchange, message: messages[exchange.sequence])
            (entry.before, entry.after) = beliefs.around(exchange)
            if isOwn {
                entry.violations = violations.indices.filter {
                    violations[$0].violation.exchanges.contains(exchange.sequence)
                }
            }
            exchanges.append(entry)
        }
    }

    private mutating func takePauses() {
        var ends: [DeviceID: Instant] = [:]
        for position in exchanges.indices {
            let exchange = exchanges[position].exchange
            exchanges[position].pause = ends[exchange.device].map { exchange.sent - $0 }
            ends[exchange.device] = max(ends[exchange.device] ?? .start, exchange.ended)
        }
    }

    // MARK: What follows

    var household: Int { record.household }

    /// In the order of the page: the household's own TV and phones, then those of the other household.
    var devices: [DeviceID] {
        let all = Set(exchanges.map(\.exchange.device) + events.map(\.device))
        return all.sorted {
            ($0.household != household ? 1 : 0, $0) < ($1.household != household ? 1 : 0, $1)
        }
    }

    /// The exchange of the household with that number.
    func position(of sequence: Int) -> Int? {
        exchanges.firstIndex {
            $0.exchange.sequence == sequence && $0.exchange.device.household == household
        }
    }

    /// `TV`, `phone`, `phone 2`, `TV of household 18`.
    func name(of device: DeviceID) -> String {
        let name =
            device.role == .firstScreen
            ? "TV" : device.index == 0 ? "phone" : "phone \(device.index + 1)"
        return device.household == household ? name : "\(name) of household \(device.household)"
    }

    /// The household that shares a home with this one, as the run's rig says; nil where none does.
    static func other(of record: HouseholdRecord, _ rig: Rig?) -> Int? {
        let kind = rig?.kinds.first { $0.name == record.kind }
        return kind?.hasSharedHomes == true ? record.household ^ 1 : nil
    }
}

/// What the judge held possible of one household, exchange by exchange: it hears that household alone, so that
/// one page needs no pass over the whole run.
struct BeliefHistory {
    /// Why there is none; nil where there is.
    private(set) var missing: String?
    private var views: [Int: (before: Belief.View?, after: Belief.View)] = [:]
    /// Entries by when they were true, for exchanges that say nothing of the device.
    private var course: [(at: Instant, view: Belief.View)] = []

    init(
        _ life: [Exchange], household: Int, _ header: HistoryHeader, _ end: HistoryEnd?
    ) {
        guard !header.judging.isEmpty else {
            missing = "the run was not checked against promises"
            return
        }
        guard let rules = try? Rules(texts: header.judging) else {
            missing = "the rules of the run are of another version of screenrig"
            return
        }
        guard Set(life.map(\.sequence)).isSuperset(of: 1...max(1, life.count)) else {
            missing = "not every exchange of this household was recorded"
            return
        }
        let judge = Judge(rules, following: household)
        var standstills = (end?.standstills ?? [])[...]
        for exchange in life.sorted(by: { ($0.ended, $0.sequence) < ($1.ended, $1.sequence) }) {
            while let first = standstills.first, first.noticed <= exchange.ended {
                judge.clockStoodStill(for: first.length, at: first.noticed)
                standstills.removeFirst()
            }
            judge.take(exchange)
        }
        _ = judge.finish()
        let bySequence = Dictionary(
            life.map { ($0.sequence, $0) }, uniquingKeysWith: { first, _ in first })
        var last: Belief.View?
        for belief in judge.beliefs {
            guard let exchange = bySequence[belief.sequence] else { continue }
            views[belief.sequence] = (last, belief.view)
            let isLost = exchange.delivery.status == nil
            course.append((isLost ? exchange.sent : exchange.ended, belief.view))
            last = belief.view
        }
        course.sort { $0.at < $1.at }
    }

    /// Before and after that exchange; the same where it says nothing of the device.
    func around(_ exchange: Exchange) -> (Belief.View?, Belief.View?) {
        if let own = views[exchange.sequence] { return (own.before, own.after) }
        let view = course.last { $0.at <= exchange.ended }?.view
        return (view, view)
    }
}
