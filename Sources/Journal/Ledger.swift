internal import Dialects
internal import Glibc
internal import Vocabulary

/// What a writer knows: counts everything, keeps what is to be kept, and writes it in transactions
/// after each of which the file is consistent in itself. Used on the writer's queue only, or while that waits.
final class Ledger {
    private let store: HistoryStore
    private let reserve: Reserve
    private let recording: Recording
    private let path: String
    private let isLimited: Bool
    /// Positions of the kinds of households by name.
    private let kinds: [String: Int]
    /// Kind of each household by its number, as they come.
    private var kindOf: [Int: Int] = [:]

    private var tally = Tally()
    private var keeper: Keeper
    private var digest = HistoryDigest()
    private(set) var meter = ProgressMeter()

    /// To be written, in this order; the first of them has the id after `writtenID`. As they came, for
    /// a batch that is kept whole is not copied.
    private var exchanges: [[Exchange]] = []
    private var writtenID = 0
    private var households: [Int: HouseholdRecord] = [:]
    private var began: Int64?
    private var started: Int64?
    private var events: [DeviceEvent] = []
    private var health: [LaneHealth] = []
    private var runEvents: [RunEvent] = []
    private var examples: [Tally.Group: Int] = [:]
    private var kept = KeptExchanges()
    private var restraint = Restraint()
    /// Nil: no requests and replies are kept.
    var messages: MessageLedger?
    private var lastID = 0
    private var through: [Instant]
    private var hasNews = false

    /// What stopped the writing, in words; nil while all is well.
    private(set) var failure: String?

    /// So many exchanges, or cells, are written at once. Not more: each waits in memory of its own,
    /// and memory that is used again is in the cache, while new pages cost a tenth of a fast run.
    private static let groupSize = 2_000
    private static let cellLimit = 4_096
    /// A lane that is silent for longer no longer keeps cells in memory: what it brings later is
    /// added to their rows.
    private static let patience = 5

    /// Called after every so many exchanges, some tens of microseconds: for those who share a core with a lane.
    var pause: () -> Void = {}
    static let stretch = 32

    init(
        path: String, header: HistoryHeader, recording: Recording, pageLimit: Int?
    ) throws(JournalError) {
        self.path = path
        self.recording = recording
        isLimited = pageLimit != nil
        keeper = Keeper(recording, seed: header.seed)
        kinds = Dictionary(
            header.kinds.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        through = Array(repeating: .start, count: max(1, header.lanes))
        guard access(path, F_OK) != 0 else {
            throw .cannotCreate(path: path, reason: "there is a history already")
        }
        reserve = try Reserve(path: path + ".reserve", directory: path)
        do {
            store = try HistoryStore(path: path, pageLimit: pageLimit)
        } catch {
            reserve.free()
            throw error
        }
        var first = Entries()
        first.facts = Facts(header, recording: recording)
        do {
            try store.write(first)
        } catch {
            reserve.free()
            throw JournalError(creating: path, error)
        }
    }

    /// Without `keeps` its exchanges are counted only: the disk is behind.
    func take(_ batch: Batch, keeps: Bool = true) {
        // By position: a copy of a record is as dear as what is done with it.
        let households = batch.households
        for position in households.indices {
            kindOf[households[position].household] = kinds[households[position].kind] ?? 0
        }
        messages?.take(batch.messages)
        for position in households.indices { messages?.note(households[position]) }
        take(batch.exchanges, keeps: keeps)
        for position in households.indices { take(households[position]) }
        for event in batch.events { take(event) }
        if let measured = batch.health { health.append(measured) }
        restraint.add(batch.heldBack)
        meter.addOpen(batch)
        while through.count <= batch.lane { through.append(.start) }
        through[batch.lane] = max(through[batch.lane], batch.through)
        meter.pass(batch.through)
        hasNews = true
        if lastID - writtenID >= Self.groupSize || tally.cellCount >= Self.cellLimit { settle() }
    }

    private func take(_ batch: [Exchange], keeps: Bool) {
        let isWhole = keeps && recording == .all && failure == nil
        let passesOver = !keeps && recording != .aggregates && recording != .none
        digest.add(batch)
        for (position, exchange) in batch.enumerated() {
            if position % Self.stretch == 0 { pause() }
            meter.add(exchange)
            if exchange.outcome == .notSent { restraint.add(exchange) }
            var isKept = isWhole
            if isWhole {
                lastID += 1
            } else if keeps {
                let released = keeper.take(exchange)
                for one in released { keep(one) }
                isKept = !released.isEmpty
            }
            let kind = kindOf[exchange.device.household] ?? 0
            guard let group = tally.add(exchange, kind: kind), recording != .none else {
                if passesOver { kept.countedOnly += 1 }
                continue
            }
            // The first example of an error is kept all the same.
            tally.keep(exchange, of: group)
            if !isKept { keep(exchange) }
            if failure == nil { examples[group] = lastID }
            messages?.keep(exchange)
        }
        kept.total += batch.count
        guard isWhole, !batch.isEmpty else { return }
        kept.recorded += batch.count
        exchanges.append(batch)
    }

    private func take(_ record: HouseholdRecord) {
        digest.add(record)
        meter.add(record)
        households[record.household] = record
        for one in keeper.take(record) { keep(one) }
    }

    /// Events are few: whoever keeps exchanges at all keeps every one.
    private func take(_ event: DeviceEvent) {
        digest.add(event)
        switch recording {
        case .all, .sample: if failure == nil { events.append(event) }
        case .aggregates, .none: break
        }
    }

    /// A household whose exchanges are wanted whole from now on.
    func keepWhole(_ household: Int) {
        for one in keeper.keep(household) { keep(one) }
        messages?.keepWhole(household)
        hasNews = true
    }

    private func keep(_ exchange: Exchange) {
        guard failure == nil else {
            kept.lost += 1
            return
        }
        hold(exchange)
    }

    private func hold(_ exchange: Exchange) {
        lastID += 1
        kept.recorded += 1
        if exchanges.isEmpty { exchanges.append([]) }
        exchanges[exchanges.count - 1].append(exchange)
    }

    /// An event of the run, as it is now: a later state of it takes the place of an earlier one.
    func take(_ event: RunEvent) {
        runEvents.append(event)
        hasNews = true
    }

    /// When instant zero was, by the wall clock, if the header did not know.
    func take(started microseconds: Int64) {
        started = microseconds
        hasNews = true
    }

    /// When the lanes of a shard began to run, by the wall clock.
    func take(began microseconds: Int64) {
        began = microseconds
        hasNews = true
    }

    // MARK: Writing

    /// Writes all that is new in one transaction. On trouble nothing is lost but single exchanges:
    /// counts, households and health stay in memory for `finish`.
    func settle() {
        guard hasNews, failure == nil else { return }
        guard store.isInPlace else {
            return fail("somebody removed it while the run went on")
        }
        do {
            try store.write(entries(), pause: pause)
            wrote()
        } catch {
            fail(error)
        }
    }

    /// Makes the indices, if there is room for them; `finish` has the room of the reserve.
    func index() {
        if failure == nil, store.isInPlace { try? store.index() }
    }

    /// Writes the rest and the end, and makes one plain file of it.
    func finish(_ end: HistoryEnd) -> HistoryEnd {
        for one in keeper.finish() { keep(one) }
        settle()
        reserve.free()
        if failure != nil { recoverExamples() }
        var end = end
        end.historyHash = digest.value
        if end.failure.isEmpty, let failure { end.failure = failure }
        do {
            if failure != nil, isLimited { try store.liftPageLimit() }
            var last = entries()
            last.facts.values.merge(Facts(end).values) { $1 }
            try store.write(last)
            wrote()
            if store.isInPlace {
                try store.seal(withIndices: failure == nil)
            } else {
                try store.putBack()
            }
        } catch {
            fail(error)
            if end.failure.isEmpty { end.failure = failure ?? "" }
            try? store.close()
        }
        return end
    }

    private func entries() -> Entries {
        var entries = Entries()
        entries.exchanges = exchanges
        entries.firstID = writtenID + 1
        entries.households = households.keys.sorted().compactMap { households[$0] }
        entries.events = events
        entries.health = health
        entries.runEvents = runEvents
        entries.cells = tally.changedCells
        entries.closedBefore = tally.closedBefore
        entries.errors = tally.dirtyErrors.compactMap { group in
            tally.errors[group].map { ($0, examples[group]) }
        }
        entries.messages = messages?.fresh ?? []
        entries.facts = Facts(kept)
        entries.facts.values.merge(Facts(restraint).values) { $1 }
        entries.facts.values["shard_began_us"] = began.map(String.init)
        if let started { entries.facts.values["started_us"] = String(started) }
        entries.watermark = (watermark, kept.total)
        return entries
    }

    private var watermark: Instant { through.min() ?? .start }

    private func wrote() {
        let latest = through.max() ?? .start
        let patient = Instant.start + .seconds(latest.second - Self.patience)
        tally.written(through: max(watermark, patient))
        exchanges.removeAll(keepingCapacity: true)
        writtenID = lastID
        messages?.wrote()
        households.removeAll(keepingCapacity: true)
        events.removeAll(keepingCapacity: true)
        health.removeAll(keepingCapacity: true)
        runEvents.removeAll()
        hasNews = false
    }

    private func fail(_ error: any Error) { fail(reason(of: error)) }

    private func fail(_ reason: String) {
        guard failure == nil else { return }
        failure =
            "\(path) cannot be written: \(reason); counts and households are kept, "
            + "single exchanges from here on are not"
        kept.lost += lastID - writtenID
        kept.recorded -= lastID - writtenID
        messages = nil
        exchanges.removeAll()
        examples = examples.filter { $0.value <= writtenID }
        writtenID = lastID
    }

    /// The examples of errors that are not on disk are few: they are kept although the disk ran
    /// full.
    private func recoverExamples() {
        for group in tally.errors.values.sorted(by: { $0.first < $1.first }) {
            let key = Tally.Group(
                operation: group.operation, outcome: group.outcome, status: group.status,
                reason: group.reason)
            guard let example = group.example, examples[key] == nil else { continue }
            hold(example)
            kept.lost -= 1
            examples[key] = lastID
        }
    }

    /// The state for a progress line; ends its interval.
    func progress() -> Progress {
        meter.turn(worst: tally.worst(3))
    }
}
