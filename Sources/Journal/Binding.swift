internal import Formats
internal import GRDB
internal import GRDBSQLite

/// One value of a row to be written.
enum ColumnValue: Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    init(_ value: Int) { self = .integer(Int64(value)) }
    init(_ value: Int?) { self = value.map { .integer(Int64($0)) } ?? .null }
    init(_ value: Int64?) { self = value.map(ColumnValue.integer) ?? .null }
    init(_ value: Bool?) { self = value.map { .integer($0 ? 1 : 0) } ?? .null }
    init(_ value: Instant?) { self.init(value?.nanoseconds) }
    init(_ value: Duration?) { self.init(value?.wholeNanoseconds) }

    /// A NUL inside becomes its picture (U+2400), for SQLite's tools end texts there.
    init(_ value: String?) {
        guard let value else {
            self = .null
            return
        }
        let bytes = value.utf8Span.span
        let isWhole = bytes.first(0) == bytes.count
        self = .text(isWhole ? value : String(value.map { $0 == "\0" ? "\u{2400}" : $0 }))
    }
}

/// Rows of one table, bound column by column from left to right. What a column has from the row before
/// is not bound again: of the forty columns of an exchange, ten differ from the one before.
///
/// The statement is to be used by nobody else meanwhile.
struct RowBinding {
    private let statement: Statement
    /// What is bound now; nil where that is unknown.
    private var bound: [ColumnValue?]
    private var column = 0
    /// The first code that was not SQLITE_OK.
    private var code = SQLITE_OK

    init(_ statement: Statement) {
        self.statement = statement
        bound = Array(
            repeating: nil, count: Int(sqlite3_bind_parameter_count(statement.sqliteStatement)))
    }

    mutating func put(_ value: Int64?) {
        guard let value else { return putNull() }
        defer { column += 1 }
        if case .integer(value) = bound[column] { return }
        bind(.integer(value))
    }

    mutating func put(_ value: Int) { put(Int64(value)) }
    mutating func put(_ value: Instant) { put(value.nanoseconds) }
    mutating func put(_ value: Bool) { put(value ? 1 : 0) }

    /// A NUL inside becomes its picture (U+2400), for SQLite's tools end texts there.
    mutating func put(_ value: String?) {
        guard let value else { return putNull() }
        defer { column += 1 }
        if case .text(let before) = bound[column], before == value { return }
        bind(ColumnValue(value))
    }

    mutating func putNull() {
        defer { column += 1 }
        if case .null = bound[column] { return }
        bind(.null)
    }

    /// Leaves the next `count` columns as they are.
    mutating func keep(_ count: Int) { column += count }

    /// Writes the row.
    mutating func insert() throws {
        precondition(column == bound.count, "a row has a value for each column")
        column = 0
        guard code == SQLITE_OK else { throw statement.failed(code) }
        try statement.insertBound()
    }

    @inline(__always)
    private mutating func bind(_ value: ColumnValue) {
        let result = statement.bind(value, at: CInt(column + 1))
        if result != SQLITE_OK { code = result }
        bound[column] = value
    }
}

extension Statement {
    /// Runs an insertion with these values, one for each of its marks. Through SQLite's own calls on
    /// the statement that GRDB prepared and offers for them: GRDB's arguments pass each of 37 values
    /// through an existential or a key path, and cost more than SQLite itself does (a million
    /// exchanges, recorded whole: 11.4 s so, 5.6 s as it is).
    func insert(_ fields: [ColumnValue]) throws {
        precondition(
            fields.count == Int(sqlite3_bind_parameter_count(sqliteStatement)),
            "a row has a value for each column")
        sqlite3_reset(sqliteStatement)
        for (position, field) in fields.enumerated() {
            let code = bind(field, at: CInt(position + 1))
            guard code == SQLITE_OK else { throw failed(code) }
        }
        try insertBound()
    }

    fileprivate func insertBound() throws {
        let code = sqlite3_step(sqliteStatement)
        // A statement that stays in mid-step would keep its transaction open.
        sqlite3_reset(sqliteStatement)
        guard code == SQLITE_DONE else { throw failed(code) }
    }

    /// Inlined, for most know what they bind.
    @inline(__always)
    fileprivate func bind(_ field: ColumnValue, at index: CInt) -> CInt {
        switch field {
        case .null: return sqlite3_bind_null(sqliteStatement, index)
        case .integer(let value): return sqlite3_bind_int64(sqliteStatement, index, value)
        case .text(var value):
            return value.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { bytes in
                    // An empty text may have no address, which would be NULL.
                    bytes.isEmpty
                        ? sqlite3_bind_text(sqliteStatement, index, "", 0, Self.copies)
                        : sqlite3_bind_text(
                            sqliteStatement, index, bytes.baseAddress, CInt(bytes.count),
                            Self.copies)
                }
            }
        case .blob(let bytes):
            return sqlite3_bind_blob(
                sqliteStatement, index, bytes, CInt(bytes.count), Self.copies)
        }
    }

    fileprivate func failed(_ code: CInt) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: sqlite3_db_handle(sqliteStatement).flatMap(sqlite3_errmsg)
                .map { String(cString: $0) })
    }

    /// SQLITE_TRANSIENT: SQLite copies what is bound before the call returns.
    private static var copies: sqlite3_destructor_type? {
        unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }
}
