import Foundation
import GRDB
import Statistics
import TestSupport
import Testing
import Vocabulary

@testable import Journal

/// Shards of a made-up run, as recorded by their processes, and the whole as one process would have recorded it.
private struct Split {
    let scratch = TestFolder()
    let whole: History
    var parts: [MergePart] = []

    /// Household k lives in shard k modulo `count`.
    init(_ seed: Seed, into count: Int, recording: Recording = .all) throws {
        var samples = Samples(seed)
        let batches = samples.batches(lanes: 1, seconds: 6, perBatch: 40)
        whole = try Self.write(batches, "whole", shard: nil, recording, in: scratch)
        for number in 0..<count {
            let own = batches.map { batch in
                var batch = batch
                batch.exchanges.removeAll { $0.device.household % count != number }
                batch.households.removeAll { $0.household % count != number }
                return batch
            }
            let shard = ShardRecord(number: number, count: count, host: "node-\(number)")
            let history = try Self.write(own, "\(number)", shard: shard, recording, in: scratch)
            parts.append(MergePart(history, offset: .zero))
        }
    }

    static func write(
        _ batches: [Batch], _ name: String, shard: ShardRecord?, _ recording: Recording = .all,
        in scratch: TestFolder
    ) throws -> History {
        var header = Samples.header()
        header.shard = shard
        let path = scratch.path + "/\(name).sqlite"
        let writer = try HistoryWriter(path: path, header: header, recording: recording)
        for batch in batches { writer.append(batch) }
        _ = writer.finish(Samples.end)
        return try History(path: path)
    }

    func merged(_ name: String = "merged") throws -> (history: History, merge: HistoryMerge) {
        var header = Samples.header(lanes: parts.count)
        header.run = name
        let path = scratch.path + "/\(name).sqlite"
        let merge = try HistoryMerge(path: path, header: header, parts: parts)
        try merge.run()
        try merge.finish(Samples.end, shards: [], record: MergeRecord(notes: ["a note"]))
        return (try History(path: path), merge)
    }
}

extension History {
    /// Each household's exchanges in their order, without what numbers lanes and connections.
    fileprivate func lifeByHousehold() throws -> [Int: [Exchange]] {
        var lives: [Int: [Exchange]] = [:]
        for var exchange in try allExchanges() {
            exchange.lane = 0
            exchange.route.connection &= (1 << 40) - 1
            lives[exchange.device.household, default: []].append(exchange)
        }
        return lives
    }

    /// Groups of errors without their examples, which are chosen by the order of recording.
    fileprivate func errorCounts() throws -> Set<ErrorGroup> {
        Set(
            try errorGroups().map { group in
                var group = group
                group.example = nil
                return group
            })
    }
}

@Suite("Histories of shards, merged")
struct MergeTests {
    @Test(
        "are what one process would have recorded: cells, errors, households, exchanges",
        arguments: [1, 2, 3, 8], Seed.samples(4))
    func equal(count: Int, seed: Seed) throws {
        let split = try Split(seed, into: count)
        let (merged, merge) = try split.merged()
        #expect(try merged.allCells() == split.whole.allCells())
        #expect(try merged.errorCounts() == split.whole.errorCounts())
        #expect(try merged.lifeByHousehold() == split.whole.lifeByHousehold())
        func plain(_ history: History) throws -> [HouseholdRecord] {
            try history.allHouseholds().map { record in
                var record = record
                record.lane = 0
                return record
            }
        }
        #expect(try plain(merged) == plain(split.whole))
        #expect(merged.kept == split.whole.kept && merge.isComplete)
        #expect(merge.households == (try split.whole.allHouseholds()).count)
        #expect(merge.doubles.isEmpty)
        #expect(merged.merge == MergeRecord(notes: ["a note"]))
    }

    @Test(
        "a sample and aggregates are added as well",
        arguments: [Recording.sample(0.3), .aggregates])
    func sampled(recording: Recording) throws {
        let split = try Split(Seed(5), into: 3, recording: recording)
        let (merged, merge) = try split.merged()
        #expect(try merged.allCells() == split.whole.allCells())
        #expect(try merged.errorCounts() == split.whole.errorCounts())
        #expect(merged.kept.total == split.whole.kept.total)
        #expect(merge.isComplete == split.whole.kept.isComplete)
        #expect(merged.recording == recording.name)
    }

    @Test("the example of an error is the exchange that it was in its shard")
    func examples() throws {
        let split = try Split(Seed(9), into: 3)
        let (merged, _) = try split.merged()
        let groups = try merged.errorGroups()
        #expect(groups.count > 3)
        for group in groups {
            let example = try #require(group.example)
            #expect(example.operation == group.operation && example.outcome == group.outcome)
            #expect((example.delivery.status ?? 0) == group.status)
            #expect(example.isError)
        }
    }

    @Test(
        "lanes and connections of different shards are different, and exchanges are in the order of time"
    )
    func numbers() throws {
        var split = try Split(Seed(3), into: 4)
        for position in split.parts.indices {
            split.parts[position].offset = .milliseconds(100 * position)
        }
        let (merged, _) = try split.merged()
        let exchanges = try merged.allExchanges()
        for exchange in exchanges {
            #expect(exchange.lane == exchange.device.household % 4)
            let connection = exchange.route.connection
            #expect(connection == 0 || connection >> 40 == exchange.lane)
        }
        #expect(Set(try merged.health().map(\.lane)) == [0, 1, 2, 3])
        // A shard keeps its own order, so that a row is behind a later one of another shard only where its own shard
        // wrote it late.
        let database = try DatabaseQueue(path: merged.path)
        let ids = try database.read {
            try Int.fetchAll($0, sql: "SELECT id FROM exchanges ORDER BY id")
        }
        #expect(ids == Array(1...exchanges.count))
    }

    @Test(
        "a shard that began later has its times later, and its cells in the second in which most of them lies"
    )
    func shifted() throws {
        let scratch = TestFolder()
        var samples = Samples(Seed(2))
        var (early, late) = (
            samples.exchange(household: 0, clean: true), samples.exchange(household: 1, clean: true)
        )
        (early.connect, early.tls, late.connect, late.tls) = (nil, nil, nil, nil)
        var parts: [MergePart] = []
        for (number, exchange) in [early, late].enumerated() {
            var batch = Batch(lane: 0, through: Instant(.seconds(9)))
            batch.exchanges = [exchange]
            var record = samples.household(number)
            record.arrived = exchange.planned
            batch.households = [record]
            let shard = ShardRecord(number: number, count: 2)
            let history = try Split.write([batch], "\(number)", shard: shard, in: scratch)
            parts.append(
                MergePart(history, offset: number == 0 ? .zero : .milliseconds(1_600))
            )
        }
        let path = scratch.path + "/merged.sqlite"
        let merge = try HistoryMerge(path: path, header: Samples.header(lanes: 2), parts: parts)
        try merge.run()
        try merge.finish(Samples.end, shards: [], record: MergeRecord())
        let merged = try History(path: path)
        let found = try merged.allExchanges().first { $0.device.household == 1 }
        #expect(found?.planned == late.planned + .milliseconds(1_600))
        #expect(found?.ended == late.ended + .milliseconds(1_600))
        #expect(found?.latency == late.latency)
        let cells = try merged.allCells().filter {
            $0.key.operation == late.operation && $0.completed > 0
        }
        #expect(cells.map(\.key.second).contains(late.ended.second + 2))
        #expect(try merged.allHouseholds()[1].arrived == late.planned + .milliseconds(1_600))
    }

    @Test("seconds without cells are skipped, however many they are")
    func emptySeconds() throws {
        var split = try Split(Seed(3), into: 2)
        let later = 300 * 86_400
        split.parts[1].offset = .seconds(later)
        let (merged, _) = try split.merged()
        let early = Set(try split.parts[0].history.allCells().map(\.key.second))
        let late = Set(try split.parts[1].history.allCells().map { $0.key.second + later })
        let expected = early.union(late).sorted()
        #expect(Set(try merged.allCells().map(\.key.second)).sorted() == expected)
        // As the merge reads them: from one second with cells to the next.
        var found: [Int] = []
        while let second = try merged.second(after: found.last) { found.append(second) }
        #expect(found == expected)
    }

    @Test("a cell in a second that no run has is damage, and not left out")
    func damagedSecond() throws {
        let split = try Split(Seed(6), into: 2)
        let database = try DatabaseQueue(path: split.parts[1].history.path)
        try database.write {
            try $0.execute(
                sql:
                    "UPDATE cells SET second = 99999999999 WHERE rowid = (SELECT min(rowid) FROM cells)"
            )
        }
        try database.close()
        let path = split.scratch.path + "/merged.sqlite"
        let merge = try HistoryMerge(
            path: path, header: Samples.header(lanes: 2), parts: split.parts)
        let failure = #expect(throws: HistoryMerge.Failure.self) { try merge.run() }
        #expect(failure?.part == 1)
        #expect(failure?.reason.description.contains("not within 400 days") == true)
        merge.discard()
    }

    @Test("a household of two shards counts once, by the record that ended, and is named")
    func doubles() throws {
        let scratch = TestFolder()
        var samples = Samples(Seed(4))
        var parts: [MergePart] = []
        for number in 0..<2 {
            var batch = Batch(lane: 0, through: Instant(.seconds(9)))
            for household in [3, 10 + number] {
                for sequence in 1...3 {
                    batch.exchanges.append(
                        samples.exchange(household: household, sequence: sequence, clean: true))
                }
                var record = samples.household(household)
                record.ended = household == 3 && number == 1 ? nil : Instant(.seconds(7))
                batch.households.append(record)
            }
            let shard = ShardRecord(number: number, count: 2)
            let history = try Split.write([batch], "\(number)", shard: shard, in: scratch)
            parts.append(MergePart(history, offset: .zero))
        }
        let path = scratch.path + "/merged.sqlite"
        let merge = try HistoryMerge(path: path, header: Samples.header(lanes: 2), parts: parts)
        try merge.run()
        try merge.finish(Samples.end, shards: [], record: MergeRecord())
        #expect(merge.doubles == [HistoryMerge.Double(household: 3, parts: [0, 1])])
        #expect(merge.households == 3 && merge.endedHouseholds == 3)
        #expect(merge.counts.map(\.unended) == [[], [3]])
        let merged = try History(path: path)
        #expect(try merged.allHouseholds().map(\.household) == [3, 10, 11])
        // Those of the run that counts; the other's are in the cells alone.
        #expect(try merged.exchanges(household: 3).allSatisfy { $0.lane == 0 })
        #expect(try merged.exchanges(household: 3).count == 3)
        #expect(merged.kept.recorded == 9 && merged.kept.isComplete)
        #expect(
            try merged.allCells().filter { !$0.key.operation.isOfConnection }.reduce(0) {
                $0 + $1.sent
            } == 12)
    }

    @Test("what is damaged is an error that names the part, and nothing is left behind")
    func damaged() throws {
        let split = try Split(Seed(6), into: 3)
        let database = try DatabaseQueue(path: split.parts[1].history.path)
        try database.write {
            try $0.execute(sql: "UPDATE exchanges SET outcome = 'odd' WHERE id = 50")
        }
        try database.close()
        let path = split.scratch.path + "/merged.sqlite"
        let merge = try HistoryMerge(
            path: path, header: Samples.header(lanes: 3), parts: split.parts)
        let failure = #expect(throws: HistoryMerge.Failure.self) { try merge.run() }
        #expect(failure?.part == 1)
        #expect(
            failure?.reason.description.contains("'outcome' is \"odd\"") == true
                || failure?.reason.description.contains("'outcome' is odd") == true)
        merge.discard()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("a shard row is read back as it was written, and one that cannot be is refused")
    func rows() throws {
        let split = try Split(Seed(8), into: 1)
        let rows = [
            MergedShard(
                shard: 0, count: 2, attempt: 1, run: "smoke-0", host: "node-1", target: "http://x",
                startedMicroseconds: 1_795_244_400_000_000, startAtMicroseconds: nil,
                skew: .milliseconds(-12), planned: nil, started: 9, lost: 2, exchanges: 400,
                lateness: nil, isValid: false, reasons: ["it was late"], ended: nil, clockError: nil
            ),
            MergedShard(
                shard: 0, count: 2, attempt: 2, run: "smoke-0-2", host: "", target: "http://x",
                startedMicroseconds: 1_795_244_400_000_000,
                startAtMicroseconds: 1_795_244_399_000_000, skew: nil, planned: 5,
                started: 5, lost: 0, exchanges: 100, lateness: .microseconds(900), isValid: true,
                reasons: [], ended: Instant(.seconds(60)), clockError: .microseconds(1_500)),
        ]
        let path = split.scratch.path + "/merged.sqlite"
        let merge = try HistoryMerge(path: path, header: Samples.header(), parts: split.parts)
        try merge.run()
        try merge.finish(Samples.end, shards: rows, record: MergeRecord(gaps: ["a gap"]))
        let merged = try History(path: path)
        #expect(try merged.shards() == rows)
        #expect(merged.merge?.gaps == ["a gap"])
        #expect(try split.whole.shards().isEmpty && split.whole.merge == nil)
        let database = try DatabaseQueue(path: path)
        try database.write {
            try $0.execute(sql: "UPDATE shards SET reasons = 'x' WHERE attempt = 2")
        }
        try database.close()
        #expect(throws: JournalError.self) { try History(path: path).shards() }
    }

    @Test("an event that every shard had is one, and two of one name are two")
    func events() throws {
        let scratch = TestFolder()
        var parts: [MergePart] = []
        for number in 0..<3 {
            let shard = ShardRecord(number: number, count: 3)
            var header = Samples.header()
            header.shard = shard
            let file = scratch.path + "/\(number).sqlite"
            let writer = try HistoryWriter(path: file, header: header)
            writer.append(Batch(lane: 0, through: Instant(.seconds(1))))
            for at in [10, 40] {
                writer.note(
                    RunEvent(
                        name: "deploy", origin: .mark,
                        began: Instant(.milliseconds(1_000 * at + 20 * number)),
                        ended: at == 10 ? Instant(.milliseconds(11_000 + number)) : nil))
            }
            _ = writer.finish(Samples.end)
            parts.append(
                MergePart(try History(path: file), offset: .milliseconds(5 * number)))
        }
        let path = scratch.path + "/merged.sqlite"
        let merge = try HistoryMerge(path: path, header: Samples.header(lanes: 3), parts: parts)
        try merge.run()
        try merge.finish(Samples.end, shards: [], record: MergeRecord())
        let events = try History(path: path).runEvents()
        #expect(events.map(\.began) == [Instant(.seconds(10)), Instant(.seconds(40))])
        #expect(events.map(\.ended) == [Instant(.milliseconds(11_012)), nil])
    }
}
