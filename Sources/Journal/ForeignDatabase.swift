internal import Foundation
public import GRDB

/// What makes SQLite do more than read when a database comes from elsewhere.
public enum ForeignDatabase {
    /// Throws where something else than plain tables stands in the file: a view or a generated column may
    /// compute for ever, or gigabytes. screenrig makes tables and indexes only.
    public static func refuse(_ database: Database, path: String) throws {
        let found =
            try String.fetchOne(
                database,
                sql: """
                    SELECT name FROM sqlite_master
                    WHERE type NOT IN ('table', 'index') OR rootpage = 0 LIMIT 1
                    """)
            ?? String.fetchOne(
                database,
                sql: """
                    SELECT tables.name FROM sqlite_master AS tables, pragma_table_xinfo(tables.name) AS columns
                    WHERE tables.type = 'table' AND columns.hidden != 0 LIMIT 1
                    """)
        if let found {
            throw JournalError.damaged(
                path: path,
                what: "'\(found.prefix(60))' is no plain table, and screenrig makes no others")
        }
    }

    // SQLite rolls back what a `-journal` beside a file says, and then removes the file that the journal
    // names as its super-journal: any file of this user's.

    /// The last eight bytes of a journal that has a super-journal (sqlite.org/fileformat2.html, 3).
    private static let mark: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]

    /// Throws where such a journal stands beside the database at `path`. screenrig writes to one file at a
    /// time, and so none.
    public static func refuse(beside path: String) throws(JournalError) {
        let journal = path + "-journal"
        guard FileManager.default.fileExists(atPath: journal) else { return }
        guard let file = FileHandle(forReadingAtPath: journal), let length = try? file.seekToEnd()
        else {
            throw .damaged(path: path, what: "'\(journal)' beside it cannot be read")
        }
        guard length >= UInt64(mark.count) else { return }
        try? file.seek(toOffset: length - UInt64(mark.count))
        let last = (try? file.read(upToCount: mark.count)) ?? Data()
        guard Array(last) != mark else {
            throw .damaged(
                path: path,
                what: "'\(journal)' beside it would have another file removed; remove the journal")
        }
    }
}
