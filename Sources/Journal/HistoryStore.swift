internal import Foundation
internal import GRDB

/// What is written in one transaction: after it, the file is consistent in itself.
struct Entries {
    var exchanges: [[Exchange]] = []
    /// Of the first of them; the others follow without a gap.
    var firstID = 1
    var messages: [KeptMessage] = []
    var households: [HouseholdRecord] = []
    var events: [DeviceEvent] = []
    var health: [LaneHealth] = []
    var runEvents: [RunEvent] = []
    var shards: [MergedShard] = []
    var cells: [Cell] = []
    /// Cells of seconds before this one add to the row that is there.
    var closedBefore = 0
    var errors: [(group: ErrorGroup, example: Int?)] = []
    var facts = Facts()
    var watermark: (through: Instant, exchanges: Int)?
}

/// The database file while it is written. Used on the writer's queue only, or while that waits.
final class HistoryStore {
    private let database: DatabaseQueue
    private let path: String
    /// Of the file, by which it is known again.
    private let number: UInt64?

    /// `pageLimit` makes a disk of that many pages (of 4 KB), for tests.
    init(path: String, pageLimit: Int? = nil) throws(JournalError) {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            // What is written outlives this process from then on, whether it is killed or not; only a
            // machine that loses power may lose it. Waiting for the disk meanwhile would put off the
            // next transaction, by a second on a machine that has much to write; `seal` waits once.
            try database.execute(sql: "PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL")
            if let pageLimit {
                try database.execute(sql: "PRAGMA max_page_count = \(pageLimit)")
            }
        }
        PrivateFile.make(path)
        self.path = path
        do {
            database = try DatabaseQueue(path: path, configuration: configuration)
            try database.write { database in
                for table in HistorySchema.all { try database.execute(sql: table.sql) }
            }
            number = Self.number(path)
        } catch {
            throw JournalError(creating: path, error)
        }
    }

    /// `pause` is called after every `Ledger.stretch` exchanges.
    func write(_ entries: Entries, pause: () -> Void = {}) throws {
        try database.write { database in
            var row = RowBinding(
                try database.cachedStatement(sql: HistorySchema.exchanges.insertion))
            var (id, last) = (entries.firstID, Exchange?.none)
            for batch in entries.exchanges {
                for exchange in batch {
                    try exchange.insert(as: id, after: last, into: &row)
                    (id, last) = (id + 1, exchange)
                    if id % Ledger.stretch == 0 { pause() }
                }
            }
            try Self.insert(
                entries.messages.lazy.map(\.row), into: HistorySchema.messages, database)
            try Self.insert(
                entries.households.lazy.map(\.row), into: HistorySchema.households, database)
            try Self.insert(entries.events.lazy.map(\.row), into: HistorySchema.events, database)
            try Self.insert(entries.health.lazy.map(\.row), into: HistorySchema.health, database)
            try Self.insert(
                entries.runEvents.lazy.map(\.row), into: HistorySchema.runEvents, database)
            try Self.insert(entries.shards.lazy.map(\.row), into: HistorySchema.shards, database)
            let cells = try entries.cells.map { cell in
                cell.key.second < entries.closedBefore ? try Self.added(cell, database) : cell
            }
            try Self.insert(cells.lazy.map(\.row), into: HistorySchema.cells, database)
            try Self.insert(
                entries.errors.lazy.map { $0.group.row(example: $0.example) },
                into: HistorySchema.errors, database)
            try Self.insert(
                entries.facts.values.sorted { $0.key < $1.key }.lazy.map { fact in
                    [.text(fact.key), ColumnValue(fact.value)]
                }, into: HistorySchema.meta, database)
            if let (through, exchanges) = entries.watermark {
                try database.execute(
                    sql: "INSERT INTO watermarks (through_ns, exchanges) VALUES (?, ?)",
                    arguments: [through.nanoseconds, exchanges])
            }
        }
    }

    /// Makes the indices that are not there: sorted in one go, an entry costs less than with its row.
    func index() throws {
        try database.write { database in
            for index in HistorySchema.indices { try database.execute(sql: index) }
        }
    }

    /// Makes one plain file of it: indices, no WAL, readable from a read-only place, on the disk.
    func seal(withIndices: Bool) throws {
        if withIndices { try index() }
        try database.writeWithoutTransaction { database in
            try database.execute(
                sql: "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE")
        }
        try close()
        guard PrivateFile.sync(path) else { throw DatabaseError(resultCode: .SQLITE_IOERR_FSYNC) }
    }

    func close() throws { try database.close() }

    /// Whether the file still is where it was made: one that was removed can be written, and nobody
    /// will ever read it.
    var isInPlace: Bool { number != nil && Self.number(path) == number }

    private static func number(_ path: String) -> UInt64? {
        var state = stat()
        return stat(path, &state) == 0 ? UInt64(state.st_ino) : nil
    }

    /// Writes all that a removed file holds to where it was, as one plain file, and closes it.
    func putBack() throws {
        let folder = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        try database.writeWithoutTransaction { database in
            try database.execute(sql: "VACUUM INTO ?", arguments: [path])
        }
        try close()
    }

    /// Ends the limit of tests, as freeing the reserve does on a real disk.
    func liftPageLimit() throws {
        try database.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA max_page_count = 1073741823")
        }
    }

    private static func insert(
        _ rows: some Sequence<[ColumnValue]>, into table: HistorySchema.SchemaTable,
        _ database: Database
    ) throws {
        let statement = try database.cachedStatement(sql: table.insertion)
        for row in rows { try statement.insert(row) }
    }

    /// The cell that is on disk, if any, with this one added.
    private static func added(_ cell: Cell, _ database: Database) throws -> Cell {
        let statement = try database.cachedStatement(
            sql: HistorySchema.cells.selection + " WHERE second = ? AND operation = ? AND kind = ?")
        let key = cell.key
        let row = try Row.fetchOne(
            statement, arguments: [key.second, key.operation.name, key.kind])
        guard let row else { return cell }
        var columns = Columns(row)
        guard var sum = Cell(&columns), columns.refused == nil else { return cell }
        sum.merge(cell)
        return sum
    }
}

extension JournalError {
    init(creating path: String, _ error: any Error) {
        let code = (error as? DatabaseError)?.resultCode
        self =
            code == .SQLITE_FULL
            ? .noSpace(path: path, needed: Reserve.size)
            : .cannotCreate(path: path, reason: reason(of: error))
    }
}

/// SQLite's words for what went wrong.
func reason(of error: any Error) -> String {
    guard let error = error as? DatabaseError else { return "\(error)" }
    switch error.resultCode {
    case .SQLITE_FULL: return "the disk is full"
    case .SQLITE_IOERR: return "the disk reports an input or output error"
    default: return error.message ?? "SQLite error \(error.resultCode.rawValue)"
    }
}
