import Foundation
import GRDB
import TestSupport
import Testing

@testable import Journal

/// Files that would have SQLite do more than read.
@Suite("A database from elsewhere")
struct ForeignDatabaseTests {
    let scratch = TestFolder()

    private func history() throws -> String {
        let writer = try HistoryWriter(path: scratch.history, header: Samples.header())
        _ = writer.finish(Samples.end)
        return scratch.history
    }

    @Test(
        "with a view, a trigger or a generated column is refused",
        arguments: [
            "DROP TABLE errors; CREATE VIEW errors AS SELECT 1",
            "CREATE TRIGGER t AFTER INSERT ON meta BEGIN DELETE FROM meta; END",
            "ALTER TABLE meta ADD COLUMN more TEXT GENERATED ALWAYS AS (hex(zeroblob(9)))",
            "ALTER TABLE meta ADD COLUMN more AS (1)",
        ])
    func notPlain(change: String) throws {
        let path = try history()
        #expect(throws: Never.self) { _ = try History(path: path) }
        let database = try DatabaseQueue(path: path)
        try database.write { try $0.execute(sql: change) }
        try database.close()
        #expect(throws: JournalError.self) { _ = try History(path: path) }
    }

    @Test("whose journal names another file does not have it removed")
    func superJournal() throws {
        let path = try history()
        let victim = scratch.path + "/victim"
        try Data("x".utf8).write(to: URL(filePath: victim))
        let mark: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
        try Data(victim.utf8 + mark).write(to: URL(filePath: path + "-journal"))
        #expect(throws: JournalError.self) { _ = try History(path: path) }
        #expect(FileManager.default.fileExists(atPath: victim))
    }

    @Test("names of runs have our digits only")
    func digits() {
        let stamp = RunDirectory(path: "reports/x-億億億億0101T000000Z").stamp
        #expect(stamp.utf8.count == stamp.count)
    }
}
