public import Dialects
internal import Foundation
internal import GRDB

/// A recorded run, read from its `history.sqlite`. Everything that reports and judges is a function
/// of one of these. Visitors hold one row at a time.
public final class History: Sendable {
    public let path: String
    public let header: HistoryHeader
    /// Nil when the run was cut short (`kill -9`).
    public let end: HistoryEnd?
    /// What ended before this instant is in the file; of what was under way then nothing is known.
    public let watermark: Instant
    /// How many exchanges can be read one by one.
    public let kept: KeptExchanges
    /// What kept the run from sending all that was asked for.
    public let restraint: Restraint
    /// `all`, `sample(0.01)`, `aggregates` or `none`.
    public let recording: String
    /// Of an earlier schema: its tables may lack columns.
    private let isOlder: Bool
    let database: DatabaseQueue
    /// What a merge of shards says of itself; nil in the history of a single process.
    public let merge: MergeRecord?

    /// Opens a run directory or its `history.sqlite`, also one that a killed run left behind.
    public init(path: String) throws(JournalError) {
        let file = try Self.file(at: path)
        self.path = file
        do {
            database = try Self.open(file)
            try database.read { try ForeignDatabase.refuse($0, path: file) }
            let facts = try Self.facts(database, file)
            guard let header = facts.header else {
                throw JournalError.damaged(path: file, what: "its header is not complete")
            }
            if let damage = facts.damage { throw JournalError.damaged(path: file, what: damage) }
            self.header = header
            end = facts.end
            kept = facts.kept
            restraint = facts.restraint
            recording = facts["recording"] ?? ""
            merge = facts.merge
            isOlder = facts["schema"] != HistorySchema.version
            watermark = try Self.watermark(database, file)
        } catch let error as JournalError {
            throw error
        } catch {
            throw JournalError(reading: file, error)
        }
    }

    /// Up to which it is recorded, in its own time: its end, where its process recorded one.
    public var until: Instant { end?.ended ?? watermark }

    /// What each lane was at when a process ended that left no end; none where it did not leave that
    /// either.
    public var lastTurns: [LaneTurn] {
        let folder = (path as NSString).deletingLastPathComponent
        return LaneTurn.left(at: (folder as NSString).appendingPathComponent(LaneTurn.file))
    }

    /// All cells, by second, operation in alphabetical order, and kind.
    public func cells(_ body: (Cell) throws -> Void) throws {
        try visit(HistorySchema.cells, "ORDER BY second, operation, kind", as: Cell.init, body)
    }

    /// All households, by number.
    public func households(_ body: (HouseholdRecord) throws -> Void) throws {
        try visit(HistorySchema.households, "ORDER BY household", as: HouseholdRecord.init, body)
    }

    /// All events of devices that were kept, each household's in their order; none where the file
    /// comes from a version that had none.
    public func events(_ body: (DeviceEvent) throws -> Void) throws {
        guard try has(HistorySchema.events) else { return }
        try visit(
            HistorySchema.events, "ORDER BY household, sequence", as: DeviceEvent.init, body)
    }

    /// The events of those names, each household's in their order.
    public func events(named names: [String], _ body: (DeviceEvent) throws -> Void) throws {
        guard try has(HistorySchema.events) else { return }
        let marks = names.map { _ in "?" }.joined(separator: ", ")
        try visit(
            HistorySchema.events, "WHERE name IN (\(marks)) ORDER BY household, sequence",
            StatementArguments(names), as: DeviceEvent.init, body)
    }

    /// What happened to the run, in the order of time; none in histories from before it was kept.
    public func runEvents() throws -> [RunEvent] {
        guard try has(HistorySchema.runEvents) else { return [] }
        var found: [RunEvent] = []
        try visit(HistorySchema.runEvents, "ORDER BY began_ns, name", as: RunEvent.init) {
            found.append($0)
        }
        return found
    }

    /// The events of one household, in their order.
    public func events(household: Int) throws -> [DeviceEvent] {
        guard try has(HistorySchema.events) else { return [] }
        var found: [DeviceEvent] = []
        try visit(
            HistorySchema.events, "WHERE household = ? ORDER BY sequence", [household],
            as: DeviceEvent.init
        ) { found.append($0) }
        return found
    }

    /// The events of one household after the other, by its number: what a judge reads.
    public func stories(_ body: (_ household: Int, [DeviceEvent]) throws -> Void) throws {
        var story: [DeviceEvent] = []
        try events { event in
            if let last = story.last, last.device.household != event.device.household {
                try body(last.device.household, story)
                story.removeAll(keepingCapacity: true)
            }
            story.append(event)
        }
        if let last = story.last { try body(last.device.household, story) }
    }

    /// The requests and replies of one household that were kept, in their order.
    public func messages(household: Int) throws -> [KeptMessage] {
        guard try has(HistorySchema.messages) else { return [] }
        var found: [KeptMessage] = []
        try visit(
            HistorySchema.messages, "WHERE household = ? ORDER BY sequence", [household],
            as: KeptMessage.init
        ) { found.append($0) }
        return found
    }

    /// The households of which requests and replies were kept, in their order.
    public func householdsWithMessages() throws -> [Int] {
        guard try has(HistorySchema.messages) else { return [] }
        return try told { database in
            let rows = try Row.fetchAll(
                database,
                sql:
                    "SELECT DISTINCT household FROM \(HistorySchema.messages.name) ORDER BY household"
            )
            return rows.compactMap { row in
                var columns = Columns(row)
                return columns.int()
            }
        }
    }

    /// All requests and replies that were kept, by household, in their order.
    public func messages(_ body: (KeptMessage) throws -> Void) throws {
        guard try has(HistorySchema.messages) else { return }
        try visit(
            HistorySchema.messages, "ORDER BY household, sequence", as: KeptMessage.init, body)
    }

    /// All exchanges that were kept, in the order in which they were handed over.
    public func exchanges(_ body: (Exchange) throws -> Void) throws {
        try visit(HistorySchema.exchanges, "ORDER BY id", as: Exchange.init, body)
    }

    /// The exchanges of one household that were kept, in their order.
    public func exchanges(household: Int) throws -> [Exchange] {
        var found: [Exchange] = []
        try visit(
            HistorySchema.exchanges, "WHERE household = ? ORDER BY sequence, id", [household],
            as: Exchange.init
        ) { found.append($0) }
        return found
    }

    /// The exchanges whose answers named a sign-in as that user, in the order in which they were handed over.
    public func exchanges(naming tag: Tag) throws -> [Exchange] {
        var found: [Exchange] = []
        try visit(
            HistorySchema.exchanges, "WHERE tag_user = ? AND tag_mvpd = ? ORDER BY id",
            [tag.user, tag.mvpd], as: Exchange.init
        ) { found.append($0) }
        return found
    }

    /// Errors that look the same, the most frequent first.
    public func errorGroups() throws -> [ErrorGroup] {
        var groups: [ErrorGroup] = []
        var examples: [Int?] = []
        try visit(
            HistorySchema.errors, "ORDER BY count DESC, operation, outcome, status, reason",
            as: ErrorGroup.read
        ) { found in
            groups.append(found.group)
            examples.append(found.example)
        }
        for (position, example) in examples.enumerated() {
            guard let example else { continue }
            try visit(HistorySchema.exchanges, "WHERE id = ?", [example], as: Exchange.init) {
                groups[position].example = $0
            }
        }
        return groups
    }

    /// The shards that a merged run was put together from, by number and attempt; none in the history of a single
    /// process.
    public func shards() throws -> [MergedShard] {
        guard try has(HistorySchema.shards) else { return [] }
        var found: [MergedShard] = []
        try visit(HistorySchema.shards, "ORDER BY shard, attempt", as: MergedShard.init) {
            found.append($0)
        }
        return found
    }

    /// What the lanes measured of themselves, in the order of time.
    public func health() throws -> [LaneHealth] {
        var all: [LaneHealth] = []
        try visit(HistorySchema.health, "ORDER BY from_ns, lane", as: LaneHealth.init) {
            all.append($0)
        }
        return all
    }

    /// What `read` gives; errors of SQLite's as sentences.
    func told<Value>(_ read: (Database) throws -> Value) throws -> Value {
        do {
            return try database.read(read)
        } catch let error as DatabaseError {
            throw JournalError(reading: path, error)
        }
    }

    func has(_ table: HistorySchema.SchemaTable) throws -> Bool {
        try told { try $0.tableExists(table.name) }
    }

    func visit<Value>(
        _ table: HistorySchema.SchemaTable, _ rest: String, _ arguments: StatementArguments = [],
        as read: (inout Columns) -> Value?, _ body: (Value) throws -> Void
    ) throws {
        try told { database in
            let present = isOlder ? Set(try database.columns(in: table.name).map(\.name)) : nil
            let statement = try database.makeStatement(
                sql: "\(table.selection(of: present)) \(rest)")
            let rows = try Row.fetchCursor(statement, arguments: arguments)
            var number = 0
            while let row = try rows.next() {
                number += 1
                var columns = Columns(row, of: statement)
                guard let value = read(&columns), columns.refused == nil else {
                    throw JournalError.damaged(
                        path: path,
                        what: "\(table.name) row \(number): \(columns.damage(in: table))")
                }
                try body(value)
            }
        }
    }
}

extension History {
    /// The file that `path` means.
    static func file(at path: String) throws(JournalError) -> String {
        func look(_ file: String) throws(JournalError) -> mode_t {
            var state = stat()
            guard stat(file, &state) == 0 else {
                throw errno == ENOENT || errno == ENOTDIR
                    ? .notFound(path: path) : .cannotRead(path: file, reason: words(for: errno))
            }
            return state.st_mode & S_IFMT
        }
        let isFolder = try look(path) == S_IFDIR
        let file =
            isFolder ? (path as NSString).appendingPathComponent("history.sqlite") : path
        let kind = try look(file)
        // SQLite would wait for whoever writes to a pipe.
        guard kind == S_IFREG else { throw .notAHistory(path: file) }
        return file
    }

    private static func open(_ file: String) throws -> DatabaseQueue {
        try ForeignDatabase.refuse(beside: file)
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        // A killed run leaves its last transactions in the WAL; only a connection that may write
        // can bring them in.
        configuration.readonly = !FileManager.default.fileExists(atPath: file + "-wal")
        return try DatabaseQueue(path: file, configuration: configuration)
    }

    private static func facts(_ database: DatabaseQueue, _ file: String) throws -> Facts {
        let rows = try database.read { database in
            try Row.fetchAll(database, sql: HistorySchema.meta.selection)
        }
        var facts = Facts()
        for row in rows {
            var columns = Columns(row)
            guard let key = columns.text(), let value = columns.text() else {
                let damage = columns.damage(in: HistorySchema.meta)
                throw JournalError.damaged(path: file, what: "meta: \(damage)")
            }
            if facts[key] == nil { facts.values[key] = value }
        }
        guard let schema = facts["schema"] else { throw JournalError.notAHistory(path: file) }
        guard HistorySchema.readable.contains(schema) else {
            throw JournalError.otherVersion(path: file, found: schema)
        }
        return facts
    }

    private static func watermark(_ database: DatabaseQueue, _ path: String) throws -> Instant {
        try database.read { database in
            let row = try Row.fetchOne(database, sql: "SELECT max(through_ns) FROM watermarks")
            guard let row else { return .start }
            var columns = Columns(row)
            let mark = columns.instant()
            guard columns.refused == nil else {
                throw JournalError.damaged(
                    path: path, what: "watermarks: the last 'through_ns' is not within 400 days")
            }
            return mark ?? .start
        }
    }
}

extension JournalError {
    init(reading path: String, _ error: any Error) {
        guard let error = error as? DatabaseError else {
            self = .cannotRead(path: path, reason: "\(error)")
            return
        }
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .locked(path: path)
        case .SQLITE_NOTADB: self = .notAHistory(path: path)
        // A file of screenrig's that lacks a table or a column.
        case .SQLITE_ERROR where error.message?.hasPrefix("no such") == true:
            self =
                error.message == "no such table: \(HistorySchema.meta.name)"
                ? .notAHistory(path: path) : .damaged(path: path, what: error.message ?? "")
        case .SQLITE_ERROR: self = .notAHistory(path: path)
        case .SQLITE_CORRUPT: self = .damaged(path: path, what: "SQLite cannot read a page of it")
        default: self = .cannotRead(path: path, reason: reason(of: error))
        }
    }
}
