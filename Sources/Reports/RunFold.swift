package import Checker
internal import Dialects
internal import Formats
package import Journal
internal import Rendering
internal import Rigs
internal import Statistics
package import Vocabulary

/// Everything that the files of a run directory need, from one pass over its history.
package struct RunFold {
    /// Sums over the whole run by operation and position of the kind.
    struct FoldSlot: Hashable {
        var operation: OperationName
        var kind: Int
    }

    package let header: HistoryHeader
    /// As the header has it; nil where it cannot be read any more.
    let rig: Rig?
    package let end: HistoryEnd?
    let gaps: [String]
    let restraint: Restraint
    let findings: Findings?
    let violations: [ViolationRow]
    private(set) var population = Population()
    /// Those whom the other household of their home had signed in before they arrived.
    private(set) var signedInAtHome = 0
    private(set) var slowest: [Waterfall] = []
    private(set) var timeline = Timeline()
    private(set) var sums: [FoldSlot: Cell] = [:]
    private(set) var errors: [ErrorGroup] = []
    /// What was said in the examples of the first errors, by the position of the group.
    private(set) var talks: [Int: ErrorRow.RecordedMessages] = [:]
    /// Links of these examples, by the same.
    private(set) var errorLinks: [Int: [PageLink]] = [:]
    private(set) var health: [LaneHealth] = []
    /// Nil where the service answered to the end, or never.
    private(set) var silence: Silence?
    /// Where it did not answer for a while.
    private(set) var interruptions: [Interruption] = []
    /// How late the rig was while there was a service to be late for: nil where there was to the end.
    private(set) var latenessBeforeSilence: Histogram?
    /// The lines of `shows:`, each held against the history.
    private(set) var shows: [HistoryCheckResult] = []
    /// What the record covers, in seconds.
    package private(set) var seconds = 0.0
    /// What happened to the service or the load meanwhile.
    private(set) var runEvents: [EventRow] = []
    /// What came before the load; nil where nothing did.
    private(set) var preparation: PreparationSummary?
    /// Responses by the version of HTTP, of those that were kept; none where the rig does not ask for HTTP/2.
    private(set) var versions: [String: Int] = [:]
    /// Logins and decisions that ended without a confirmation.
    private(set) var openEnds = OpenEnds()
    /// The shards of a merged run, and what the merge says of itself.
    private(set) var shards: [MergedShard] = []
    let merge: MergeRecord?
    /// The second in which the load begins: figures count from there.
    let loadBegins: Int
    /// From there to the end of the record.
    var loadSeconds: Double { seconds - max(Double(loadBegins), begins) }
    /// Where in the plan the record begins: of a shard that goes on where an earlier attempt ended.
    private var begins: Double { Double(header.shard?.begins.nanoseconds ?? 0) / 1e9 }

    /// `each` sees the record of each household, which are read once: there may be a million.
    package init(
        _ history: some Recorded, _ findings: Findings? = nil,
        each: (HouseholdRecord) -> Void = { _ in }
    ) throws {
        self.findings = findings
        let links = ExchangeLinks(history.header)
        violations = try ViolationRow.rows(findings, history, links)
        header = history.header
        end = history.end
        gaps = history.gaps
        restraint = history.restraint
        merge = history.merge
        shards = try history.shards()
        rig = LoadStage.rig(of: history.header)
        loadBegins = LoadStage.preparation(of: rig)
        var slow = Slowest()
        var homes = SharedHomes(rig)
        try history.households {
            population.add($0)
            homes.add($0)
            slow.add($0)
            each($0)
        }
        signedInAtHome = homes.signedIn
        slowest = try slow.households.compactMap {
            Waterfall($0, try history.exchanges(household: $0.household))
        }
        let before = try fold(cellsOf: history)
        preparation = try PreparationSummary(history, seconds: loadBegins, sum: before)
        try history.events(named: OpenEnds.names) { openEnds.add($0) }
        if rig?.target.http == .http2 {
            try history.exchanges {
                // A provider's pages come from elsewhere.
                guard $0.delivery.status != nil, !$0.operation.isOfProvider else { return }
                versions[$0.route.httpVersion, default: 0] += 1
            }
        }
        errors = try errorsOfLoad(history)
        for (position, group) in errors.prefix(25).enumerated() {
            guard let example = group.example else { continue }
            let message = try history.messages(household: example.device.household)
                .first { $0.sequence == example.sequence }
            talks[position] = message.map { ErrorRow.RecordedMessages($0) }
            errorLinks[position] = links.links(of: example, message)
        }
        health = try history.health()
        seconds = length()
        runEvents = try EventRow.rows(
            history, findings, loadBegins: loadBegins, seconds: seconds)
        shows = try HistoryCheckCounter(history, self).results
    }

    /// What tells whether the rig was the bottleneck, and nothing else: of one shard, before it is merged.
    package init(healthOf history: some Recorded) throws {
        findings = nil
        violations = []
        header = history.header
        end = history.end
        gaps = []
        restraint = history.restraint
        merge = nil
        rig = LoadStage.rig(of: history.header)
        loadBegins = LoadStage.preparation(of: rig)
        _ = try fold(cellsOf: history)
        health = try history.health()
        seconds = length()
    }

    /// Gives the sum of what came before the load.
    private mutating func fold(cellsOf history: some Recorded) throws -> Cell {
        var before = Cell(key: Cell.CellKey(second: 0, operation: .connect, kind: 0))
        try history.cells { cell in
            timeline.add(cell)
            guard cell.key.second >= loadBegins else {
                if !cell.key.operation.isOfConnection { before.merge(cell) }
                return
            }
            let slot = FoldSlot(operation: cell.key.operation, kind: cell.key.kind)
            sums[slot, default: Cell(key: cell.key)].merge(cell)
        }
        timeline.finish()
        let timeout = rig?.target.timeout ?? .zero
        interruptions = Interruption.all(timeline, timeout: timeout)
        silence = Silence(timeline.rows, timeout: timeout)
        if let gone = silence?.second {
            var lateness = Histogram()
            try history.cells { cell in
                guard cell.key.second < gone, !cell.key.operation.isOfConnection else { return }
                lateness.merge(cell.lateness)
            }
            latenessBeforeSilence = lateness
        }
        return before
    }

    /// The time of day, `08:49:37` UTC, so many seconds after the start; nil in virtual time.
    func utc(_ seconds: Double) -> String? {
        guard !header.isVirtual else { return nil }
        return UTCTime(microseconds: header.startedMicroseconds + Int64(seconds * 1e6)).clock
    }

    /// Ctrl-C, the breaker or a failure of the rig has ended it before its time.
    var wasStopped: Bool {
        end.map { $0.interrupted || !$0.breaker.isEmpty || !$0.failure.isEmpty } ?? false
    }

    /// A record that was cut short lasts as long as anything in it.
    private func length() -> Double {
        if let end { return Double(end.ended.nanoseconds) / 1e9 }
        let heard = health.map(\.through).max() ?? .start
        let cells = Double(timeline.rows.last.map { $0.second + 1 } ?? 0)
        return max(cells, Double(max(heard, population.last).nanoseconds) / 1e9)
    }

    /// The sum of one operation, or of all requests, over one kind of household, or over all.
    func sum(_ operation: OperationName? = nil, kind: String? = nil) -> Cell {
        let key = Cell.CellKey(second: 0, operation: operation ?? .connect, kind: 0)
        var total = Cell(key: key)
        for (slot, cell) in sums
        where (operation.map { $0 == slot.operation } ?? !slot.operation.isOfConnection)
            && (kind == nil || kind == name(ofKind: slot.kind))
        {
            total.merge(cell)
        }
        return total
    }

    /// Operations that occurred, in the order of `screenrig list`.
    package var operations: [OperationName] {
        let occurred = Set(sums.keys.map(\.operation))
        return OperationName.allCases.filter(occurred.contains)
    }

    /// Households of one kind, or all.
    func tally(kind: String?) -> Population.PopulationTally {
        guard let kind else { return population.all }
        return population.byKind[kind] ?? Population.PopulationTally()
    }

    private func name(ofKind position: Int) -> String? {
        header.kinds.indices.contains(position) ? header.kinds[position] : nil
    }
}
