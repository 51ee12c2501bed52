internal import Foundation
internal import GRDB
internal import Journal
internal import Rendering

/// The nights of one or more rigs, in a SQLite file that any tool can read.
///
/// ```text
/// nights    one row for each night, also for one that failed: started, rig, run, outcome, gap ...
/// measures  night, series, value: times in ms, shares of 1, rates per second
/// facts     night, kind, name, fails, count, text: promises, thresholds, errors and events of its run
/// accepted  rig, series, through, note, at: regressions that somebody has accepted
/// ```
public final class NightBook: Sendable {
    public let path: String
    private let database: DatabaseQueue

    static let schema = "screenrig/nights/1"

    /// Where `nightly` keeps them unless told otherwise.
    public static let usual = "reports/nights.sqlite"

    /// Opens a book; `creates` makes it, and its folder, where there is none.
    public init(path: String, creates: Bool) throws(NightError) {
        self.path = path
        let exists = FileManager.default.fileExists(atPath: path)
        guard exists || creates else { throw .noBook(path: path) }
        do {
            let folder = URL(filePath: path).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            var configuration = Configuration()
            configuration.busyMode = .timeout(10)
            try ForeignDatabase.refuse(beside: path)
            let database = try DatabaseQueue(path: path, configuration: configuration)
            try database.read { database in
                try ForeignDatabase.refuse(database, path: path)
                // Somebody else's tables stay as they are.
                let found = try Self.schema(of: database)
                guard found == Self.schema || found == nil && creates else {
                    throw NightError.otherSchema(path: path, found: found ?? "none")
                }
            }
            try database.write { database in
                try database.execute(sql: Self.tables)
                // A book from when runs were identified by their names alone.
                try database.execute(sql: "DROP INDEX IF EXISTS nights_by_run")
                // A book from before nights had marks.
                let columns = Set(try database.columns(in: "nights").map(\.name))
                for (name, type) in [("mark", "TEXT NOT NULL DEFAULT ''"), ("alarm", "REAL")]
                where !columns.contains(name) {
                    try database.execute(sql: "ALTER TABLE nights ADD COLUMN \(name) \(type)")
                }
                // And from before it kept when something was accepted: one acceptance of each series.
                if try !database.columns(in: "accepted").contains(where: { $0.name == "at" }) {
                    try database.execute(
                        sql: """
                            ALTER TABLE accepted RENAME TO accepted_once;
                            \(Self.tables)
                            INSERT INTO accepted SELECT rig, series, through, note, '' FROM accepted_once;
                            DROP TABLE accepted_once;
                            """)
                }
            }
            self.database = database
        } catch let error as NightError {
            throw error
        } catch let error as JournalError {
            throw .unusable(path: path, why: "\(error)")
        } catch {
            throw .unusable(path: path, why: Self.words(error))
        }
    }

    /// Which schema a file says that it has; nil: it is empty.
    private static func schema(of database: Database) throws -> String? {
        guard try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0 > 0
        else { return nil }
        let columns = try database.tableExists("meta") ? database.columns(in: "meta") : []
        guard Set(["key", "value"]).isSubset(of: columns.map(\.name)) else { return "none" }
        return try String.fetchOne(
            database, sql: "SELECT CAST(value AS TEXT) FROM meta WHERE key = 'schema'") ?? "none"
    }

    private static let tables = """
        CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
        INSERT OR IGNORE INTO meta VALUES ('schema', '\(schema)');
        CREATE TABLE IF NOT EXISTS nights (
            id INTEGER PRIMARY KEY, rig TEXT NOT NULL, started TEXT NOT NULL, run TEXT NOT NULL,
            path TEXT NOT NULL, ours INTEGER NOT NULL, outcome TEXT NOT NULL,
            headline TEXT NOT NULL, gap TEXT NOT NULL, version TEXT NOT NULL, terms TEXT NOT NULL,
            series TEXT NOT NULL);
        CREATE UNIQUE INDEX IF NOT EXISTS nights_by_start ON nights (run, rig, started) WHERE run <> '';
        CREATE TABLE IF NOT EXISTS measures (
            night INTEGER NOT NULL REFERENCES nights (id) ON DELETE CASCADE, series TEXT NOT NULL,
            value REAL NOT NULL, PRIMARY KEY (night, series)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS facts (
            night INTEGER NOT NULL REFERENCES nights (id) ON DELETE CASCADE, kind TEXT NOT NULL,
            name TEXT NOT NULL, fails INTEGER NOT NULL, count INTEGER NOT NULL, text TEXT NOT NULL);
        CREATE INDEX IF NOT EXISTS facts_by_night ON facts (night);
        CREATE TABLE IF NOT EXISTS accepted (
            rig TEXT NOT NULL, series TEXT NOT NULL, through TEXT NOT NULL, note TEXT NOT NULL,
            at TEXT NOT NULL DEFAULT '', PRIMARY KEY (rig, series, at)) WITHOUT ROWID;
        """

    /// Adds a night; the same run again takes the place of its former row, and a night that has no run any more that of
    /// `former`.
    public func add(_ night: Night, insteadOf former: Night? = nil) throws(NightError) {
        try guarded { database in
            for known in [night, former].compactMap(\.self) { try Self.remove(known, database) }
            try database.execute(
                sql: """
                    INSERT INTO nights (rig, started, run, path, ours, outcome, headline, gap, version,
                    terms, series, mark, alarm) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    night.rig, night.started, night.run, night.path, night.isOurs, night.outcome,
                    night.headline, night.gap, night.version, night.terms,
                    night.series.joined(separator: "\n"), night.mark, night.alarm,
                ])
            let id = database.lastInsertedRowID
            for (series, value) in night.values.sorted(by: { $0.key < $1.key }) {
                try database.execute(
                    sql: "INSERT INTO measures VALUES (?, ?, ?)", arguments: [id, series, value])
            }
            for fact in night.facts {
                try database.execute(
                    sql: "INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?)",
                    arguments: [
                        id, fact.kind.rawValue, fact.name, fact.fails, fact.count, fact.text,
                    ])
            }
        }
    }

    /// Takes out the night of a run.
    public func remove(_ night: Night) throws(NightError) {
        try guarded { database in try Self.remove(night, database) }
    }

    private static func remove(_ night: Night, _ database: Database) throws {
        try database.execute(sql: "DELETE FROM nights WHERE \(isRun)", arguments: key(of: night))
    }

    /// Names of runs are those of their directories, which a job may give to each of its runs (`--out merged`), so that the
    /// start belongs to a run as well. Of one that was killed it is not known to the second.
    private static let isRun =
        "run <> '' AND run = ? AND rig = ? AND (started = ? OR gap = ?)"

    private static func key(of night: Night) -> StatementArguments {
        [night.run, night.rig, night.started, Night.unfinished]
    }

    /// All nights, the oldest first; of one rig, or of all.
    public func nights(of rig: String? = nil) throws(NightError) -> [Night] {
        try guarded { database in
            var values: [Int64: [String: Double]] = [:]
            let measures = try Row.fetchCursor(
                database, sql: "SELECT night, series, value FROM measures")
            while let row = try measures.next() {
                let value: Double = try Self.value(row, "value")
                guard value.magnitude <= 1e15 else { throw Damage(row, "value") }
                values[try Self.value(row, "night"), default: [:]][
                    try Self.value(row, "series")] = value
            }
            let facts = try Self.facts(database)
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT id, rig, started, run, path, ours, outcome, headline, gap, version, terms,
                    series, mark, alarm FROM nights WHERE ?1 IS NULL OR rig = ?1 ORDER BY started, id
                    """, arguments: [rig])
            return try rows.map { row in
                func text(_ column: String) throws -> String { try Self.value(row, column) }
                let alarm: DatabaseValue = row["alarm"]
                return Night(
                    rig: try text("rig"), started: try text("started"), run: try text("run"),
                    path: try text("path"), isOurs: try Self.value(row, "ours"),
                    outcome: try text("outcome"), headline: try text("headline"),
                    gap: try text("gap"), version: try text("version"), terms: try text("terms"),
                    series: try text("series").split(separator: "\n").map(String.init),
                    values: values[try Self.value(row, "id")] ?? [:], mark: try text("mark"),
                    alarm: alarm.isNull ? nil : try Self.value(row, "alarm"),
                    facts: facts[try Self.value(row, "id")] ?? [])
            }
        }
    }

    /// By night. A kind that this screenrig does not know is one of a later version, and left out.
    private static func facts(_ database: Database) throws -> [Int64: [NightFact]] {
        var facts: [Int64: [NightFact]] = [:]
        let rows = try Row.fetchCursor(
            database, sql: "SELECT night, kind, name, fails, count, text FROM facts ORDER BY rowid")
        while let row = try rows.next() {
            guard let kind = NightFact.Kind(rawValue: try value(row, "kind")) else { continue }
            facts[try value(row, "night"), default: []].append(
                NightFact(
                    kind: kind, name: try value(row, "name"), fails: try value(row, "fails"),
                    count: try value(row, "count"), text: try value(row, "text")))
        }
        return facts
    }

    /// Takes a regression of a series as the new normal: all changes that were detected on the night
    /// `through` or before it.
    public func accept(_ acceptance: Acceptance) throws(NightError) {
        try guarded { database in
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO accepted (rig, series, through, note, at) VALUES (?, ?, ?, ?, ?)
                    """,
                arguments: [
                    acceptance.rig, acceptance.series, acceptance.through, acceptance.note,
                    acceptance.at,
                ])
        }
    }

    /// All regressions that were accepted.
    public func accepted() throws(NightError) -> [Acceptance] {
        try guarded { database in
            try Row.fetchAll(
                database,
                sql: "SELECT rig, series, through, note, at FROM accepted ORDER BY 1, 2, 5"
            ).map { row in
                Acceptance(
                    rig: try Self.value(row, "rig"), series: try Self.value(row, "series"),
                    through: try Self.value(row, "through"), note: try Self.value(row, "note"),
                    at: try Self.value(row, "at"))
            }
        }
    }

    /// The nights say so themselves where their directory is gone: it is no longer linked to.
    public func forget(_ night: Night) throws(NightError) {
        try guarded { database in
            try database.execute(
                sql: "UPDATE nights SET path = '', ours = 0 WHERE \(Self.isRun)",
                arguments: Self.key(of: night))
        }
    }

    /// A row that cannot be what screenrig wrote.
    private struct Damage: Error {
        var column: String
        var value: String

        init(_ row: Row, _ column: String) {
            let found: DatabaseValue = row[column]
            self.column = column
            value = String(found.description.prefix(60))
        }
    }

    private static func value<Value: DatabaseValueConvertible>(
        _ row: Row, _ column: String
    ) throws -> Value {
        guard let value = Value.fromDatabaseValue(row[column]) else {
            throw Damage(row, column)
        }
        return value
    }

    private func guarded<Value>(
        _ body: (Database) throws -> Value
    ) throws(NightError) -> Value {
        do {
            return try database.write { database in try body(database) }
        } catch {
            throw .unusable(path: path, why: Self.words(error))
        }
    }

    private static func words(_ error: any Error) -> String {
        if let damage = error as? Damage {
            return "it is damaged: '\(damage.column)' is \(damage.value)"
        }
        return (error as? DatabaseError)?.message ?? error.localizedDescription
    }
}

/// A regression that somebody takes as the new normal (`nights accept`).
public struct Acceptance: Sendable, Hashable {
    public var rig: String
    public var series: String
    /// Start of the newest night that was known then: changes that were detected by it are accepted.
    public var through: String
    public var note: String
    /// When it was accepted, in ISO 8601; empty in a book that did not keep it.
    public var at: String

    public init(rig: String, series: String, through: String, note: String, at: String = "") {
        self.rig = rig
        self.series = series
        self.through = through
        self.note = Sanitizer.line(note, limit: 200)
        self.at = at
    }

    /// Whether it was made by then.
    public func isMade(by moment: String) -> Bool { (at.isEmpty ? through : at) <= moment }
}

/// What can go wrong with a book of nights.
public enum NightError: Error, Sendable, Hashable {
    case noBook(path: String)
    case otherSchema(path: String, found: String)
    case unusable(path: String, why: String)
    case unwritten(path: String, why: String)
}

extension NightError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noBook(let path):
            "there are no nights at \(path) yet; start with 'screenrig nightly RIG' or 'screenrig nights "
                + "add RUN', or name another file with --nights"
        case .otherSchema(let path, let found):
            "\(path) holds \(found), and this screenrig reads \(NightBook.schema); use the screenrig "
                + "that wrote it, or another file with --nights"
        case .unusable(let path, let why):
            "\(path) cannot be used as night history: \(why); name another file with --nights"
        case .unwritten(let path, let why):
            "\(path) could not be written: \(why)"
        }
    }
}
