import Dialects
import Journal
import Reports
import Statistics
import Vocabulary

/// A made-up run from a seed: every exchange, and from those, by the plainest code there is, what
/// the journal would have kept.
struct Sample: Recorded {
    var header: HistoryHeader
    var end: HistoryEnd?
    var gaps: [String] = []
    var exchanges: [Exchange] = []
    /// Whether single exchanges can be read, as with `record: all`.
    var recordsAll = false
    var records: [HouseholdRecord] = []
    var lanes: [LaneHealth] = []
    /// Of a merged run.
    var merge: MergeRecord?
    var shardRows: [MergedShard] = []

    init(_ shape: Shape = Shape(), seed: Seed = Seed(7)) {
        header = shape.header(seed)
        end =
            shape.isCutShort
            ? nil
            : .init(
                ended: .start, interrupted: shape.isInterrupted, failure: shape.failure,
                cpuPercent: shape.isVirtual ? 0 : 41.5, historyHash: "00c0ffee00c0ffee")
        for index in 0..<shape.households {
            var life = Life(index, shape, seed.child("household", index))
            life.live()
            exchanges += life.exchanges
            records.append(life.record)
        }
        let last = exchanges.map(\.ended).max() ?? .start
        end?.ended = last
        lanes = shape.isVirtual ? [] : shape.health(through: last)
    }

    func cells(_ body: (Cell) throws -> Void) throws {
        var cells: [Cell.CellKey: Cell] = [:]
        for exchange in exchanges {
            let kind = header.kinds.firstIndex(of: records[exchange.device.household].kind) ?? 0
            func change(at instant: Instant, _ change: (inout Cell) -> Void) {
                let key = Cell.CellKey(
                    second: instant.second, operation: exchange.operation, kind: kind)
                change(&cells[key, default: Cell(key: key)])
            }
            if exchange.outcome != .notSent {
                change(at: exchange.sent) {
                    $0.sent += 1
                    $0.lateness.record(exchange.lateness)
                }
            }
            change(at: exchange.ended) { cell in
                cell.outcomes[Int(exchange.outcome.rawValue)] += 1
                cell.errors += exchange.isError ? 1 : 0
                if let status = exchange.delivery.status {
                    cell.completed += 1
                    cell.statuses[status, default: 0] += 1
                }
                guard exchange.isTimed else { return }
                cell.latency.record(exchange.latency)
                cell.punctual.record(exchange.ended - exchange.begun)
                cell.service.record(exchange.service)
            }
        }
        for key in cells.keys.sorted() { try body(cells[key]!) }
    }

    func households(_ body: (HouseholdRecord) throws -> Void) throws {
        for record in records { try body(record) }
    }

    func errorGroups() throws -> [ErrorGroup] {
        let key = { (exchange: Exchange) in
            "\(exchange.operation.rawValue) \(exchange.outcome) \(exchange.delivery.status ?? 0) "
                + (exchange.reason ?? "")
        }
        let errors = exchanges.filter(\.isError).sorted {
            ($0.ended, $0.device) < ($1.ended, $1.device)
        }
        return Dictionary(grouping: errors, by: key).values.map { group in
            ErrorGroup(
                operation: group[0].operation, outcome: group[0].outcome,
                status: group[0].delivery.status ?? 0,
                reason: group[0].reason ?? group[0].delivery.error?.kind.rawValue ?? "",
                count: group.count, first: group[0].ended, last: group.last!.ended,
                example: group[0])
        }.sorted { ($1.count, $0.first, $0.operation) < ($0.count, $1.first, $1.operation) }
    }

    func health() throws -> [LaneHealth] { lanes }

    func shards() throws -> [MergedShard] { shardRows }

    func exchanges(_ body: (Exchange) throws -> Void) throws {
        if recordsAll { try exchanges.forEach(body) }
    }

    func exchanges(household: Int) throws -> [Exchange] {
        exchanges.filter { $0.device.household == household }
    }
}

/// What a made-up run is like.
struct Shape {
    var households = 40
    var perSecond = 2.0
    var kinds = ["living room", "trial"]
    var rigName = "evening rush"
    var source = """
        rig: evening rush
        target: {base: embedded}
        load: {arrivals: [{ramp-to: 2/s, over: 5s}, {hold: 15s}], settle: 5s}
        kinds: [{name: living room}, {name: trial}]

        """
    /// Seconds in which the service is six times as slow and refuses one poll in eight.
    var trouble: ClosedRange<Int>? = 12...16
    /// The service's own word for a refusal.
    var refusal = "overloaded"
    var everybodyFails = false
    /// Whoever signed in failed on the way to its programme.
    var failsAfterSignIn = false
    /// No account may watch anything.
    var isDenied = false
    var isVirtual = false
    var isCutShort = false
    var isInterrupted = false
    var failure = ""
    var lateness = Duration.microseconds(180)
    var busy = 0.22
    var breachFails = true

    func header(_ seed: Seed) -> HistoryHeader {
        HistoryHeader(
            run: "evening-rush-20261121T070000Z", runID: RunID(of: seed), rigName: rigName,
            rigSource: source,
            seed: seed.value, startedMicroseconds: 1_795_244_400_000_000,
            target: "http://127.0.0.1:8080", protocolName: "adobe-pass-v1", version: "0.1.0",
            isVirtual: isVirtual, lanes: 2, kinds: kinds, plannedHouseholds: households,
            load: "2/s for 20 s", thresholds: [], validLatenessNanoseconds: 10_000_000,
            validBusy: 0.9, breachFails: breachFails)
    }

    func health(through last: Instant) -> [LaneHealth] {
        var parts: [LaneHealth] = []
        var dice = Seed(3).generator()
        for quarter in 0...(last.second * 4 + 3) {
            for lane in 0..<2 {
                let from = Instant(.milliseconds(250 * quarter))
                let load = busy * (0.7 + 0.3 * dice.unit()) * (lane == 0 ? 1 : 0.8)
                parts.append(
                    LaneHealth(
                        lane: lane, from: from, through: from + .milliseconds(250),
                        turns: 400, busy: .nanoseconds(Int64(load * 250_000_000)),
                        longestTurn: .microseconds(300 + dice.below(900))))
            }
        }
        return parts
    }
}

/// One household of a made-up run.
struct Life {
    private(set) var exchanges: [Exchange] = []
    private(set) var record: HouseholdRecord
    private let shape: Shape
    private var dice: Dice
    private var now: Instant
    private var sequence = 0

    init(_ index: Int, _ shape: Shape, _ seed: Seed) {
        self.shape = shape
        dice = seed.generator()
        now = Instant(.milliseconds(Int64(Double(index) / shape.perSecond * 1000)))
        let kind = shape.kinds[dice.chance(0.8) ? 0 : shape.kinds.count - 1]
        record = HouseholdRecord(household: index, kind: kind, lane: index % 2, arrived: now)
    }

    mutating func live() {
        defer { record.ended = record.fate == .running ? nil : now }
        guard ask(.registerClient, base: 6) else { return stop("register-client was turned down") }
        guard ask(.accessToken, base: 3), ask(.checkAuthentication, base: 2, hopes: false) else {
            return
        }
        record.stage = .registered
        guard ask(.registrationCode, base: 5) else { return stop("no code") }
        record.stage = .codeShown
        record.codeShown = now
        let shown = now
        let notices = Duration.milliseconds(1500 + Int64(4000 * dice.unit() * dice.unit()))
        let signsIn = Duration.milliseconds(1000 + Int64(7000 * dice.unit() * dice.unit()))
        let givesUp = dice.chance(0.05)
        now = now + notices
        if givesUp {
            (record.fate, record.abandonedBy) = (.abandoned, .viewer)
            record.cause = "the viewer gave up"
            return poll(from: shown, until: now + .seconds(4), seesAt: nil)
        }
        phone(signsIn)
        let done = now
        record.phoneDone = done
        record.viewerTime = notices + signsIn
        poll(from: shown, until: done + .seconds(20), seesAt: done)
        guard let seen = record.tokenSeen else { return stop("no poll saw the token") }
        now = seen
        if ask(.userMetadata, base: 2), ask(.authorize, base: 9), ask(.mediaToken, base: 4) {
            record.stage = .playing
        }
        record.fate = .signedIn
        if shape.isDenied { record.denials = 1 }
        if shape.failsAfterSignIn { return stop("authorize answered 503 overloaded") }
        guard dice.chance(0.2) else { return }
        now = now + .seconds(2)
        if ask(.logout, base: 3) { record.stage = .loggedOut }
    }

    private mutating func phone(_ signsIn: Duration) {
        ask(.registrationRecord, base: 3, by: .secondScreen)
        record.stage = .codeTyped
        ask(.configuration, base: 12, by: .secondScreen)
        ask(.authenticate, base: 7, by: .secondScreen)
        now = now + signsIn
        ask(.mvpdLogin, base: 30, by: .secondScreen)
        ask(.assertion, base: 11, by: .secondScreen)
        ask(.checkCode, base: 3, by: .secondScreen)
    }

    private mutating func poll(from: Instant, until: Instant, seesAt: Instant?) {
        var due = from + .milliseconds(Int64(1000 * dice.unit()))
        while due < until {
            now = due
            record.polls += 1
            let sees = seesAt.map { due >= $0 } ?? false
            if ask(.pollToken, base: 2, hopes: sees), sees {
                record.stage = .signedIn
                record.tokenSeen = now
                return
            }
            due = due + .milliseconds(1000 + Int64(100 * dice.unit()))
        }
    }

    private mutating func stop(_ cause: String) {
        record.fate = .failed
        record.cause = cause
    }

    /// Sends one request; false when it did not get what it hoped for.
    @discardableResult
    private mutating func ask(
        _ operation: OperationName, base: Double, by role: DeviceID.Role = .firstScreen,
        hopes: Bool = true
    ) -> Bool {
        sequence += 1
        let troubled = shape.trouble?.contains(now.second) ?? false
        let tail = 0.12 / (1.002 - dice.unit())
        let took = base * (0.6 + 0.5 * dice.unit() + tail) * (troubled ? 6 : 1)
        let late = Duration.nanoseconds(
            Int64(Double(shape.lateness.nanoseconds) * dice.unit() / (1.02 - dice.unit())))
        let isLate = !shape.isVirtual
        let sent = isLate ? now + late : now
        var outcome = hopes ? Outcome.ok : .pending
        var delivery = Delivery.answered(status: hopes ? 200 : 404)
        var reason: String?
        let draw = dice.unit()
        if shape.everybodyFails {
            (outcome, delivery, reason) = (.rejected, .answered(status: 400), shape.refusal)
        } else if troubled, operation == .pollToken, draw < 0.12 {
            (outcome, delivery, reason) = (.serverError, .answered(status: 503), shape.refusal)
        } else if troubled, operation == .mediaToken, draw < 0.3 {
            (outcome, delivery, reason) = (
                .timeout, .unknown(TransportError(.timeout, "no answer in 2 s")), nil
            )
        } else if operation == .registrationCode, draw < 0.02 {
            (outcome, delivery) = (.throttled, .answered(status: 429))
        }
        let ended = sent + .nanoseconds(Int64((outcome == .timeout ? 2000 : took) * 1e6))
        exchanges.append(
            Exchange(
                lane: record.lane, sequence: sequence,
                device: DeviceID(household: record.household, role: role), operation: operation,
                planned: now, sent: sent, firstByte: delivery.status.map { _ in ended },
                ended: ended, delivery: delivery, outcome: outcome, reason: reason,
                route: Route(
                    connection: record.household + 1, reused: sequence > 1,
                    remote: "127.0.0.1:8080"),
                evidence: ["X-Request-Id": "req-\(record.household)-\(sequence)"],
                bytesSent: 310, bytesReceived: 480))
        now = ended
        return outcome == .ok || outcome == .pending
    }
}
