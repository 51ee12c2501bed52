internal import Dialects
internal import Foundation
internal import Vocabulary

/// Writes one history from those of a run's shards, row by row: its memory does not grow with the number of exchanges.
///
/// ```text
/// shard 0   e1 e2      e3 ...  --+
/// shard 1     e1  e2 e3    ... --+--> in the order of time, numbered anew
/// shard 2    e1     e2     ... --+
/// ```
///
/// Cells are added second by second, histograms bucket by bucket. Where a shard began a fraction of a second
/// later, each of its cells goes to the second that holds most of it.
public final class HistoryMerge {
    /// A household that is in more than one part. It counts once, by the last record that ended; its rows in
    /// the other parts are left out, except in the cells.
    public struct Double: Sendable, Hashable {
        public var household: Int
        /// Positions of the parts that have it.
        public var parts: [Int]
    }

    /// Counts of one part.
    public struct PartCount: Sendable, Hashable {
        /// Households that began.
        public var households = 0
        /// Households that began and never ended, in ascending order.
        public var unended: [Int] = []
        /// Number of households that were under way without a sign-in when the part was stopped.
        public var cutOff = 0
        /// Exchanges that were left out, because their household also ran in another part.
        public var dropped = 0
    }

    /// A part whose history cannot be read.
    public struct Failure: Error {
        /// Position of the part.
        public var part: Int
        public var reason: JournalError

        public init(part: Int, reason: JournalError) {
            (self.part, self.reason) = (part, reason)
        }
    }

    private var parts: [MergePart]
    private let path: String
    private let store: HistoryStore
    private var dropped: [Set<Int>]
    public private(set) var counts: [PartCount]
    /// The first 100 households that are in several parts.
    public private(set) var doubles: [Double] = []
    /// Number of households that are in several parts.
    public private(set) var doubleCount = 0
    /// Number of distinct households that began.
    public private(set) var households = 0
    /// Number of distinct households that ended.
    public private(set) var endedHouseholds = 0
    private var kept = KeptExchanges()
    /// New row numbers of the examples of errors, by part and old number.
    private var examples: [[Int: Int]]

    /// Rows in one transaction, and rows that all parts together hold at most.
    private static let groupSize = 2_000
    private static let heldRows = 16_000
    private static let doublesKept = 100

    /// Creates `path`; throws where it exists or cannot be written. `header`: of the merged run.
    public init(path: String, header: HistoryHeader, parts: [MergePart]) throws(JournalError) {
        self.path = path
        self.parts = parts
        dropped = Array(repeating: [], count: parts.count)
        counts = Array(repeating: PartCount(), count: parts.count)
        examples = Array(repeating: [:], count: parts.count)
        var lanes = 0
        for position in parts.indices {
            self.parts[position].firstLane = lanes
            lanes += max(1, parts[position].history.header.lanes)
        }
        guard !FileManager.default.fileExists(atPath: path) else {
            throw .cannotCreate(path: path, reason: "there is a history already")
        }
        store = try HistoryStore(path: path)
        var first = Entries()
        first.facts = Facts(header, recording: .all)
        first.facts.values["recording"] = parts.first?.history.recording ?? Recording.all.name
        try write(first)
    }

    /// Reads all parts and writes their rows. Throws `Failure` where a part cannot be read, `JournalError` where the
    /// merged history cannot be written.
    public func run() throws {
        for position in parts.indices {
            try reading(position) { try parts[position].history.keepsFewPages() }
        }
        try mergeHouseholds()
        try mergeExchanges()
        try mergeCells()
        try mergeErrors()
        try mergeTheRest()
    }

    /// Writes the end, and closes the history as one plain file.
    public func finish(_ end: HistoryEnd, shards: [MergedShard], record: MergeRecord)
        throws(JournalError)
    {
        var last = Entries()
        last.facts = Facts(end)
        last.facts.values.merge(Facts(kept).values) { $1 }
        last.facts.values.merge(Facts(restraint).values) { $1 }
        last.facts.values.merge(Facts(record).values) { $1 }
        last.shards = shards
        last.watermark = (end.ended, kept.total)
        try write(last)
        do {
            try store.seal(withIndices: true)
        } catch {
            throw .cannotCreate(path: path, reason: reason(of: error))
        }
    }

    /// Closes and removes the unfinished history.
    public func discard() {
        try? store.close()
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    // MARK: Households

    private func mergeHouseholds() throws {
        var pages = Array(repeating: MergePage<HouseholdRecord>(), count: parts.count)
        let size = pageSize
        var group: [HouseholdRecord] = []
        var order = MergeOrder()
        func push(_ part: Int) throws {
            if pages[part].isEmpty, !pages[part].isLast {
                let found = try reading(part) {
                    try parts[part].history.households(after: pages[part].last, atMost: size)
                }
                pages[part].fill(found, isLast: found.count < size)
                pages[part].last = found.last?.household ?? pages[part].last
            }
            if let next = pages[part].first { order.insert(Int64(next.household), part) }
        }
        for part in parts.indices { try push(part) }
        while let (number, first) = order.pop() {
            var same = [(part: first, record: pages[first].take())]
            try push(first)
            while let (_, part) = order.pop(if: number) {
                same.append((part, pages[part].take()))
                try push(part)
            }
            group.append(decide(same))
            if group.count >= Self.groupSize { try flush(&group) }
        }
        try flush(&group)
    }

    /// The record that counts, of those that the parts have of one household.
    private func decide(_ same: [(part: Int, record: HouseholdRecord)]) -> HouseholdRecord {
        households += 1
        for (part, record) in same {
            counts[part].households += 1
            if record.ended == nil { counts[part].unended.append(record.household) }
            if record.wasCutOff { counts[part].cutOff += 1 }
        }
        // Parts come in the order of shards and attempts.
        let chosen = same.last { $0.record.ended != nil } ?? same[same.count - 1]
        if chosen.record.ended != nil, !chosen.record.wasCutOff { endedHouseholds += 1 }
        if same.count > 1 {
            doubleCount += 1
            if doubles.count < Self.doublesKept {
                doubles.append(
                    Double(household: chosen.record.household, parts: same.map(\.part)))
            }
            for (part, record) in same where part != chosen.part {
                dropped[part].insert(record.household)
            }
        }
        let record = parts[chosen.part].shifted(chosen.record)
        let wasKilled = parts[chosen.part].history.end == nil
        return wasKilled && record.ended == nil ? lost(record, of: chosen.part) : record
    }

    /// The household as its process left it: it ended when that was killed.
    private func lost(_ record: HouseholdRecord, of part: Int) -> HouseholdRecord {
        var record = record
        record.ended = max(record.arrived, parts[part].until)
        record.cause = HouseholdRecord.lost
        return record
    }

    /// Adds households that a part began without a record of them: a later attempt knows it. After `run`.
    public func add(lost: [HouseholdRecord], of part: Int) throws(JournalError) {
        households += lost.count
        counts[part].households += lost.count
        counts[part].unended = (counts[part].unended + lost.map(\.household)).sorted()
        var group = lost.map { self.lost(parts[part].shifted($0), of: part) }
        try flush(&group)
    }

    private func flush(_ group: inout [HouseholdRecord]) throws(JournalError) {
        guard !group.isEmpty else { return }
        var entries = Entries()
        entries.households = group
        group.removeAll(keepingCapacity: true)
        try write(entries)
    }

    // MARK: Exchanges

    private func mergeExchanges() throws {
        var pages = Array(
            repeating: MergePage<(id: Int, exchange: Exchange)>(), count: parts.count)
        let size = pageSize
        var wanted: [Set<Int>] = []
        for part in parts.indices {
            let rows = try reading(part) { try parts[part].history.errorRows() }
            wanted.append(Set(rows.compactMap(\.example)))
        }
        var order = MergeOrder()
        func push(_ part: Int) throws {
            if pages[part].isEmpty, !pages[part].isLast {
                let found = try reading(part) {
                    try parts[part].history.exchanges(after: pages[part].last, atMost: size)
                }
                pages[part].fill(found, isLast: found.count < size)
                pages[part].last = found.last?.id ?? pages[part].last
            }
            guard let next = pages[part].first else { return }
            order.insert((next.exchange.ended + parts[part].offset).nanoseconds, part)
        }
        for part in parts.indices { try push(part) }
        var group: [Exchange] = []
        group.reserveCapacity(Self.groupSize)
        var written = 0
        while let (time, part) = order.pop() {
            let (id, exchange) = pages[part].take()
            try push(part)
            if dropped[part].contains(exchange.device.household) {
                counts[part].dropped += 1
                continue
            }
            group.append(parts[part].shifted(exchange))
            if wanted[part].contains(id) { examples[part][id] = written + group.count }
            if group.count >= Self.groupSize {
                try flush(&group, &written, through: Instant(nanoseconds: time))
            }
        }
        try flush(&group, &written, through: nil)
        for position in parts.indices {
            let own = parts[position].history.kept
            kept.lost += own.lost
            kept.countedOnly += own.countedOnly
            kept.total += own.total - counts[position].dropped
        }
        kept.recorded = written
    }

    private func flush(
        _ group: inout [Exchange], _ written: inout Int, through time: Instant?
    ) throws(JournalError) {
        guard !group.isEmpty else { return }
        var entries = Entries()
        entries.exchanges = [group]
        entries.firstID = written + 1
        written += group.count
        group.removeAll(keepingCapacity: true)
        if let time { entries.watermark = (time, written) }
        try write(entries)
    }

    // MARK: Counts

    private func mergeCells() throws {
        /// The part's next second that has cells, in the time of the merged run. Seconds without cells are skipped:
        /// between a shard and its restart there may be thousands.
        func next(_ part: Int, after second: Int?) throws -> Int? {
            let shift = parts[part].seconds
            let found = try reading(part) {
                try parts[part].history.second(after: second.map { $0 - shift })
            }
            return found.map { $0 + shift }
        }
        var coming: [Int?] = []
        for part in parts.indices { coming.append(try next(part, after: nil)) }
        var entries = Entries()
        while let second = coming.compactMap(\.self).min() {
            var sums: [Cell.CellKey: Cell] = [:]
            for part in parts.indices where coming[part] == second {
                let found = try reading(part) {
                    try parts[part].history.cells(second: second - parts[part].seconds)
                }
                coming[part] = try next(part, after: second)
                for cell in found {
                    var key = cell.key
                    key.second = second
                    sums[key, default: Cell(key: key)].merge(cell)
                }
            }
            entries.cells += sums.values.sorted { $0.key < $1.key }
            if entries.cells.count >= Self.groupSize {
                try write(entries)
                entries.cells.removeAll(keepingCapacity: true)
            }
        }
        if !entries.cells.isEmpty { try write(entries) }
    }

    private func mergeErrors() throws {
        var sums: [Tally.Group: (group: ErrorGroup, example: Int?)] = [:]
        for part in parts.indices {
            let rows = try reading(part) { try parts[part].history.errorRows() }
            for (found, old) in rows {
                var group = found
                group.first = group.first + parts[part].offset
                group.last = group.last + parts[part].offset
                let example = old.flatMap { examples[part][$0] }
                var key = Tally.Group(
                    operation: group.operation, outcome: group.outcome, status: group.status,
                    reason: group.reason)
                if sums[key] == nil, sums.count >= Tally.groupLimit {
                    key.reason = Tally.otherReason
                    group.reason = key.reason
                }
                guard var sum = sums[key] else {
                    sums[key] = (group, example)
                    continue
                }
                if sum.example == nil || example != nil && group.first < sum.group.first {
                    sum.example = example ?? sum.example
                }
                sum.group.count += group.count
                sum.group.first = min(sum.group.first, group.first)
                sum.group.last = max(sum.group.last, group.last)
                sums[key] = sum
            }
        }
        var entries = Entries()
        entries.errors = sums.values.sorted {
            ($1.group.count, $0.group.first, $0.group.operation.rawValue, $0.group.reason)
                < ($0.group.count, $1.group.first, $1.group.operation.rawValue, $1.group.reason)
        }
        try write(entries)
    }

    // MARK: The rest

    private func mergeTheRest() throws {
        for position in parts.indices {
            let part = parts[position]
            var entries = Entries()
            func settle(_ count: Int) throws {
                guard count >= Self.groupSize else { return }
                try write(entries)
                entries = Entries()
            }
            try reading(position) {
                try part.history.events { event in
                    guard !dropped[position].contains(event.device.household) else { return }
                    var event = event
                    event.at = event.at + part.offset
                    entries.events.append(event)
                    try settle(entries.events.count)
                }
                try part.history.messages { message in
                    guard !dropped[position].contains(message.household) else { return }
                    entries.messages.append(message)
                    try settle(entries.messages.count * 8)
                }
                try part.history.eachHealth { health in
                    entries.health.append(part.shifted(health))
                    try settle(entries.health.count)
                }
            }
            try write(entries)
        }
        var entries = Entries()
        entries.runEvents = try runEvents()
        try write(entries)
    }

    private func runEvents() throws -> [RunEvent] {
        var all: [(part: Int, event: RunEvent)] = []
        for part in parts.indices {
            for event in try reading(part, { try parts[part].history.runEvents() }) {
                var event = event
                event.began = event.began + parts[part].offset
                event.ended = event.ended.map { $0 + parts[part].offset }
                all.append((part, event))
            }
        }
        return RunEvent.merged(all)
    }

    private var restraint: Restraint {
        var sum = Restraint()
        for part in parts { sum.merge(part.history.restraint) }
        return sum
    }

    // MARK: Pieces

    private var pageSize: Int { max(32, Self.heldRows / max(1, parts.count)) }

    private func write(_ entries: Entries) throws(JournalError) {
        do {
            try store.write(entries)
        } catch {
            throw .cannotCreate(path: path, reason: reason(of: error))
        }
    }

    /// Result of `body`, which reads that part. Its errors are thrown as `Failure` with the part.
    private func reading<Value>(_ part: Int, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as JournalError {
            // An error of writing is not an error of the part.
            if case .cannotCreate = error { throw error }
            throw Failure(part: part, reason: error)
        }
    }
}

extension HistoryMerge {
    /// Whether every exchange of all parts was written, so that all of it can be judged again.
    public var isComplete: Bool { kept.isComplete }

    /// A hash over those of the parts, in their order; that of the only part where there is one. Hexadecimal.
    public static func hash(_ hashes: [String]) -> String {
        if hashes.count == 1 { return hashes[0] }
        var all = SipHash(
            key: SipHash.HashKey(low: 0x7363_7265_656e_7269, high: 0x672f_6d65_7267_6564),
            wide: true)
        for hash in hashes {
            all.update(word: UInt64(hash.utf8.count))
            all.update(hash)
        }
        let (first, second) = all.finish128()
        return hexadecimal(first) + hexadecimal(second)
    }
}
