import Dialects
import Dispatch
import Foundation
import Statistics
import Synchronization
import TestSupport
import Testing

@testable import Journal

@Suite("When things go wrong")
struct TroubleTests {
    private final class Told: Sendable {
        let sentences = Mutex<[String]>([])
    }

    @Test("a killed run is read up to its last transaction, and agrees with itself there")
    func killed() throws {
        let scratch = TestFolder()
        var samples = Samples(Seed(6))
        let ledger = try Ledger(
            path: scratch.history, header: Samples.header(lanes: 2), recording: .all,
            pageLimit: nil)
        let batches = samples.batches(lanes: 2, seconds: 10)
        for batch in batches[..<12] { ledger.take(batch) }
        ledger.settle()
        for batch in batches[12...] { ledger.take(batch) }

        // What is on disk while the run goes on is what a kill leaves behind.
        let left = TestFolder()
        for end in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: scratch.history + end, toPath: left.history + end)
        }
        let history = try History(path: left.path)
        #expect(history.end == nil)
        #expect(history.header == Samples.header(lanes: 2))
        #expect(history.watermark == Instant(.seconds(6)))
        let written = batches[..<12].flatMap(\.exchanges)
        #expect(try history.allExchanges() == written)
        #expect(history.kept.total == written.count)
        let cells = try history.allCells()
        #expect(
            cells.filter { !$0.key.operation.isOfConnection }.reduce(0) { $0 + $1.completed }
                == written.count { $0.delivery.status != nil })
        #expect(
            try history.exchanges(household: 3)
                == written.filter { $0.device.household == 3 }
                .sorted { $0.sequence < $1.sequence })
        _ = ledger.finish(Samples.end)
    }

    @Test("a run that goes on can be read meanwhile")
    func live() throws {
        let scratch = TestFolder()
        var samples = Samples(Seed(6))
        let ledger = try Ledger(
            path: scratch.history, header: Samples.header(), recording: .all, pageLimit: nil)
        let batches = samples.batches(lanes: 1, seconds: 2)
        ledger.take(batches[0])
        ledger.settle()
        #expect(try History(path: scratch.path).allExchanges() == batches[0].exchanges)
        ledger.take(batches[1])
        _ = ledger.finish(Samples.end)
        #expect(try History(path: scratch.path).allExchanges().count == 40)
    }

    @Test("a full disk costs single exchanges only: cells, households, errors and the end are kept")
    func full() throws {
        let scratch = TestFolder()
        var samples = Samples(Seed(6))
        let told = Told()
        let writer = try HistoryWriter(
            path: scratch.history, header: Samples.header(lanes: 2), recording: .all, waits: false,
            pageLimit: 60
        ) { sentence in told.sentences.withLock { $0.append(sentence) } }
        let batches = samples.batches(lanes: 2, seconds: 600, perBatch: 20)
        for batch in batches { writer.append(batch) }
        let end = writer.finish(Samples.end)

        let failure = try #require(writer.failure)
        #expect(failure.contains("the disk is full"))
        #expect(told.sentences.withLock { $0 } == [failure])
        #expect(end.failure == failure)
        #expect(!FileManager.default.fileExists(atPath: scratch.history + ".reserve"))
        let history = try History(path: scratch.path)
        #expect(history.end == end)
        let exchanges = batches.flatMap(\.exchanges)
        #expect(history.kept.total == exchanges.count)
        #expect(history.kept.lost > 0)
        #expect(history.kept.recorded + history.kept.lost == exchanges.count)
        #expect(try history.allExchanges().count == history.kept.recorded)
        let cells = try history.allCells().filter { !$0.key.operation.isOfConnection }
        #expect(cells.reduce(0) { $0 + $1.sent } == exchanges.count { $0.outcome != .notSent })
        #expect(
            cells.reduce(0) { $0 + $1.completed } == exchanges.count { $0.delivery.status != nil })
        #expect(
            try history.allHouseholds().count
                == Set(batches.flatMap(\.households).map(\.household)).count)
        #expect(try history.health().count == batches.count)
        let groups = try history.errorGroups()
        #expect(groups.reduce(0) { $0 + $1.count } == exchanges.count(where: \.isError))
        #expect(groups.allSatisfy { $0.example != nil })
    }

    @Test("a disk slower than the load costs single exchanges only, and the file says how many")
    func slow() throws {
        let scratch = TestFolder()
        var samples = Samples(Seed(6))
        let disk = DispatchSemaphore(value: 0)
        let writer = try HistoryWriter(
            path: scratch.history, header: Samples.header(), recording: .all, waits: false,
            pageLimit: nil, backlog: 100, delay: { disk.wait() }, onFailure: { _ in })
        let batches = samples.batches(lanes: 1, seconds: 12, perBatch: 20)
        // Five batches of 20 may wait; of the next five, exchanges are counted only.
        for batch in batches[..<10] { writer.append(batch) }
        for _ in 0..<10 { disk.signal() }
        while writer.progress.waitingBatches > 0 { usleep(1_000) }
        // The disk has caught up: what comes now is kept again.
        for batch in batches[10...] {
            disk.signal()
            writer.append(batch)
        }
        _ = writer.finish(Samples.end)

        let history = try History(path: scratch.path)
        let exchanges = batches.flatMap(\.exchanges)
        let passed = batches[5..<10].flatMap(\.exchanges)
        let recorded = try history.allExchanges()
        #expect(history.kept.total == exchanges.count && history.kept.lost == 0)
        #expect(history.kept.countedOnly + history.kept.recorded == exchanges.count)
        // But for the first examples of errors, which are kept whatever happens.
        let examples = recorded.filter(passed.contains)
        #expect(history.kept.countedOnly == 100 - examples.count)
        #expect(examples.filter { !$0.isError }.isEmpty)
        #expect(recorded.count == history.kept.recorded && !history.kept.isComplete)
        let cells = try history.allCells().filter { !$0.key.operation.isOfConnection }
        #expect(
            cells.reduce(0) { $0 + $1.completed } == exchanges.count { $0.delivery.status != nil })
    }

    @Test("the hash of a history does not depend on the disk")
    func hashOnFullDisk() throws {
        func hash(pageLimit: Int?) throws -> String {
            let scratch = TestFolder()
            var samples = Samples(Seed(6))
            let ledger = try Ledger(
                path: scratch.history, header: Samples.header(), recording: .all,
                pageLimit: pageLimit)
            for batch in samples.batches(lanes: 1, seconds: 100) {
                ledger.take(batch)
                ledger.settle()
            }
            return ledger.finish(Samples.end).historyHash
        }
        #expect(try hash(pageLimit: 60) == hash(pageLimit: nil))
    }

    @Test("a place that cannot be written is refused before the run")
    func unwritable() throws {
        let scratch = TestFolder()
        #expect(
            throws: JournalError.cannotCreate(
                path: scratch.path + "/none/history.sqlite", reason: "no such file or directory")
        ) {
            try HistoryWriter(
                path: scratch.path + "/none/history.sqlite", header: Samples.header())
        }
    }

    @Test("a history is never written over another")
    func existing() throws {
        let scratch = TestFolder()
        _ = try HistoryWriter(path: scratch.history, header: Samples.header()).finish(Samples.end)
        #expect(
            throws: JournalError.cannotCreate(
                path: scratch.history, reason: "there is a history already")
        ) {
            try HistoryWriter(path: scratch.history, header: Samples.header())
        }
        #expect(try History(path: scratch.path).end != nil)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["history.sqlite"])
    }

    @Test("a lane that may wait does, until the journal has caught up")
    func waits() throws {
        let scratch = TestFolder()
        var samples = Samples(Seed(2))
        let writer = try HistoryWriter(
            path: scratch.history, header: Samples.header(), recording: .all, waits: true)
        let batches = samples.batches(lanes: 1, seconds: 500, perBatch: 2)
        var most = 0
        for batch in batches {
            writer.append(batch)
            most = max(most, writer.progress.waitingBatches)
        }
        _ = writer.finish(Samples.end)
        #expect(most <= 64)
        #expect(try History(path: scratch.path).kept.total == 1_000)
    }
}

@Suite("Opening a history")
struct OpeningTests {
    let scratch = TestFolder()

    @Test("that is not there")
    func missing() {
        #expect(throws: JournalError.notFound(path: scratch.path)) {
            try History(path: scratch.path)
        }
        #expect(throws: JournalError.notFound(path: "/nowhere/at/all")) {
            try History(path: "/nowhere/at/all")
        }
    }

    @Test("that is something else", arguments: ["no database at all, but long enough ", ""])
    func other(text: String) throws {
        let content = String(repeating: text, count: 100)
        try Data(content.utf8).write(to: URL(fileURLWithPath: scratch.history))
        #expect(throws: JournalError.notAHistory(path: scratch.history)) {
            try History(path: scratch.history)
        }
    }

    @Test("of another version")
    func version() throws {
        let store = try HistoryStore(path: scratch.history)
        var entries = Entries()
        entries.facts = Facts(["schema": "screenrig/history/9"])
        try store.write(entries)
        try store.close()
        #expect(
            throws: JournalError.otherVersion(path: scratch.history, found: "screenrig/history/9")
        ) {
            try History(path: scratch.history)
        }
    }

    @Test("says what to do, in lower case and without a full stop")
    func sentences() throws {
        let errors: [JournalError] = [
            .notFound(path: "reports/x"), .notAHistory(path: "x.sqlite"),
            .otherVersion(path: "x.sqlite", found: "screenrig/history/9"),
            .locked(path: "x.sqlite"),
            .noSpace(path: "reports/x/history.sqlite", needed: Reserve.size),
            .cannotCreate(path: "reports/x", reason: "permission denied"),
            .cannotRead(path: "x.sqlite", reason: "permission denied"),
            .damaged(path: "x.sqlite", what: "its header is not complete"),
            .notEmpty(path: "here"),
            .noSuchRun(argument: "latest~4", runs: 2, folder: "reports"),
            .noSuchRun(argument: "latest", runs: 0, folder: "reports"),
        ]
        for error in errors {
            #expect(error.description.first?.isUppercase == false)
            #expect(!error.description.hasSuffix("."))
        }
        let sentences = errors.map { $0.description + "\n" }.joined()
        try Golden.expect(sentences, is: "errors.txt")
    }
}

@Suite("The schema")
struct SchemaTests {
    @Test("is documented table by table")
    func documented() throws {
        try Golden.expect(
            HistorySchema.documentation, matches: Repository.root.appending(path: "docs/history.md")
        )
        for table in HistorySchema.all {
            #expect(table.columns.allSatisfy { !$0.note.isEmpty && !$0.note.contains("\n") })
            #expect(Set(table.columns.map(\.name)).count == table.columns.count)
        }
    }
}
