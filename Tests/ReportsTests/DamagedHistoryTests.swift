import Checker
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Journal
@testable import Reports
@testable import Trends

/// A history is input like any other: whatever stands in it, it is reported, or refused in a
/// sentence. Every column of every table holds absurd values here, one at a time, and is read by what
/// `report`, `judge`, `compare`, `export` and `nights add` use. A trap ends the tests: the line printed
/// last names the column. `SCREENRIG_DAMAGES=all` tries all values instead of three of each column.
@Suite("Damaged histories")
struct DamagedHistoryTests {
    private static let values = [
        "-9223372036854775808", "9223372036854775807", "-1", "1000000000000000", "'nonsense'",
        "NULL", "x'00ff80'", "1e308", "''", "1000000000",
    ]

    @Test("each is reported, or refused in a sentence", arguments: HistorySchema.all.map(\.name))
    func damaged(name: String) throws {
        let table = try #require(HistorySchema.all.first { $0.name == name })
        let folder = TestFolder()
        let whole = folder.path("whole.sqlite")
        try Self.write(to: whole)
        let isAll = ProcessInfo.processInfo.environment["SCREENRIG_DAMAGES"] == "all"
        var (tried, refused) = (0, 0)
        for (position, column) in table.columns.enumerated() {
            print("damaging \(table.name).\(column.name)")
            for (number, value) in Self.values.enumerated()
            where isAll || (number + position) % Self.values.count < 3 {
                for row in try Self.rows(of: table, in: whole, isAll: isAll) {
                    let run = folder.path("run")
                    try? FileManager.default.removeItem(atPath: run)
                    try FileManager.default.createDirectory(
                        atPath: run, withIntermediateDirectories: true)
                    let file = run + "/history.sqlite"
                    try FileManager.default.copyItem(atPath: whole, toPath: file)
                    let database = try DatabaseQueue(path: file)
                    try database.write { database in
                        try database.execute(
                            sql: "UPDATE \(table.name) SET \(column.name) = \(value) "
                                + "WHERE rowid = \(row)")
                    }
                    try database.close()
                    tried += 1
                    if try !Self.isReported(run) { refused += 1 }
                }
            }
        }
        print("\(tried) histories with a damaged \(table.name): \(refused) refused")
        // The run has no errors, and nothing happened meanwhile.
        let empty = [HistorySchema.errors.name, HistorySchema.runEvents.name]
        #expect(tried > 0 || empty.contains(table.name))
    }

    /// The first row; all facts, which are each a column of their own.
    private static func rows(
        of table: HistorySchema.SchemaTable, in path: String, isAll: Bool
    ) throws -> [Int64] {
        let limit = table.name == "meta" ? 100 : 1
        return try DatabaseQueue(path: path).read { database in
            try Int64.fetchAll(
                database, sql: "SELECT rowid FROM \(table.name) ORDER BY rowid LIMIT \(limit)")
        }
    }

    /// A run of a few households, in tables without constraints.
    private static func write(to path: String) throws {
        let sample = Sample(Shape(households: 4))
        var header = sample.header
        header.judging = Rules().texts
        let writer = try HistoryWriter(path: path, header: header, waits: true)
        let last = sample.exchanges.map(\.ended).max() ?? .start
        var batch = Batch(lane: 0, exchanges: sample.exchanges, through: last)
        batch.households = sample.records
        batch.events = [
            DeviceEvent(
                device: DeviceID(household: 0, role: .firstScreen), sequence: 1, at: .start,
                name: "setAuthenticationStatus", detail: "1")
        ]
        batch.health = LaneHealth(
            lane: 0, from: .start, through: last, turns: 10, busy: .milliseconds(1),
            longestTurn: .milliseconds(1))
        writer.append(batch)
        var end = try #require(sample.end)
        end.standstills = [Standstill(noticed: last, length: .seconds(1))]
        _ = writer.finish(end)
        try DatabaseQueue(path: path).write { database in
            for table in HistorySchema.all {
                let name = table.name
                try database.execute(
                    sql: """
                        CREATE TABLE plain AS SELECT * FROM \(name); DROP TABLE \(name);
                        ALTER TABLE plain RENAME TO \(name)
                        """)
            }
            try database.execute(
                sql:
                    "INSERT INTO messages VALUES (0, 1, 'GET', 'http://a/', '{}', '', 200, '{}', '')"
            )
            try database.execute(
                sql: """
                    INSERT INTO shards VALUES
                    (0, 1, 1, 'run', 'host', 'target', 1795244400000000, NULL, 0, 4, 4, 0, 90, 0, 1, '[]', NULL, 0)
                    """)
        }
    }

    private static func isReported(_ run: String) throws -> Bool {
        do {
            let directory = RunDirectory(path: run)
            let history = try History(path: run)
            let findings = try Findings(rejudging: history)
            _ = try Report.write(history, thresholds: [], findings: findings, to: run + "/out")
            _ = Comparison(try ComparedRun(directory), try ComparedRun(directory))
            let export = try Export(history, household: 0, exchanges: nil)
            for format in [Export.Format.har, .jsonl, .curl] { _ = export.text(as: format) }
            return true
        } catch let error as JournalError {
            #expect(error.description.count < 1_000)
            return false
        } catch let error as ReportError {
            #expect(error.description.count < 1_000)
            return false
        }
    }

    @Test(
        "a table or column that is missing is told with the file, and without SQL",
        arguments: [
            "DROP TABLE exchanges", "DROP TABLE cells", "DROP TABLE households",
            "DROP TABLE health",
            "ALTER TABLE exchanges RENAME COLUMN operation TO other",
            "ALTER TABLE households RENAME COLUMN kind TO other",
            "ALTER TABLE messages RENAME COLUMN household TO other",
            "ALTER TABLE events RENAME COLUMN sequence TO other",
        ])
    func incomplete(sql: String) throws {
        let folder = TestFolder()
        let file = folder.path("history.sqlite")
        try Self.write(to: file)
        try DatabaseQueue(path: file).write { try $0.execute(sql: sql) }
        let error = #expect(throws: JournalError.self) {
            let history = try History(path: file)
            try history.exchanges { _ in }
            try history.cells { _ in }
            try history.households { _ in }
            try history.events { _ in }
            _ = try history.health()
            _ = try history.householdsWithMessages()
        }
        let told = error?.description ?? ""
        #expect(
            told.contains(file) && told.contains("no such") && !told.contains("SELECT"), "\(told)")
    }

    @Test("what is no file of SQLite is refused")
    func noFiles() throws {
        let folder = TestFolder()
        let file = folder.path("history.sqlite")
        let whole = folder.path("whole.sqlite")
        try Self.write(to: whole)
        let bytes = try Data(contentsOf: URL(filePath: whole))
        for data in [
            Data(), Data("nonsense".utf8), bytes.prefix(bytes.count / 2), bytes.prefix(5_000),
        ] {
            try data.write(to: URL(filePath: file))
            #expect(throws: (any Error).self) {
                let history = try History(path: file)
                try history.exchanges { _ in }
                try history.cells { _ in }
                try history.households { _ in }
            }
        }
        unlink(file)
        #expect(mkfifo(file, 0o600) == 0)
        #expect(throws: JournalError.self) { try History(path: file) }
    }
}
