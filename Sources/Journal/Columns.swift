internal import Foundation
internal import GRDB
internal import Statistics

/// Reads the columns of a row from left to right, and holds each value against what screenrig writes:
/// a history may come from anywhere. Whoever gets a number from here can add and subtract it.
struct Columns {
    enum ColumnLimit {
        /// Instants and durations, in nanoseconds: no run takes longer than 400 days.
        static let time: ClosedRange<Int64> = -day * 400...day * 400
        private static let day: Int64 = 86_400_000_000_000
        /// Counts, numbers and bytes.
        static let count: ClosedRange<Int64> = 0...100_000_000_000
        /// Seconds of a run.
        static let second = time.lowerBound / 1_000_000_000...time.upperBound / 1_000_000_000
        /// A service's own clock, in ms: from 1970 to 2200.
        static let epoch: ClosedRange<Int64> = 0...7_258_118_400_000
    }

    private let row: Row
    /// The statement that is on this row; nil for a copied row. Valid until its next step. Columns, forty of each
    /// exchange, are read from it without the generic way through `row`.
    private let statement: Statement?
    /// Of the column that is read next.
    private(set) var position: Int
    /// Of the first column that holds what screenrig never writes there.
    private(set) var refused: Int?

    init(_ row: Row, of statement: Statement? = nil) {
        self.row = row
        self.statement = statement
        position = 0
    }

    private func value(at position: Int) -> DatabaseValue {
        guard let statement else { return row[position] }
        return DatabaseValue(
            sqliteStatement: statement.sqliteStatement, index: CInt(position))
    }

    /// What the columns hold has been read so far, and one of them cannot be: which, and what it holds.
    func damage(in table: HistorySchema.SchemaTable) -> String {
        let at = refused ?? max(0, position - 1)
        let value = value(at: at)
        let words: String =
            switch value.storage {
            case .null: "NULL"
            case .blob(let data): "a blob of \(data.count) bytes"
            default: String(value.description.prefix(60))
            }
        return "'\(table.columns[at].name)' is \(words)"
    }

    /// Passes over a column.
    mutating func skip() { position += 1 }

    /// Nil for NULL, and for what is refused.
    private mutating func number(_ range: ClosedRange<Int64>) -> Int64? {
        defer { position += 1 }
        let value = value(at: position)
        if let number = Int64.fromDatabaseValue(value), range.contains(number) { return number }
        if !value.isNull { refuse() }
        return nil
    }

    private mutating func refuse() { refused = refused ?? position }

    /// A count or a number of something: not negative.
    mutating func int() -> Int? { number(ColumnLimit.count).map(Int.init) }
    /// A number that only tells one thing from another: nobody counts with it.
    mutating func identifier() -> Int? { number(0...Int64.max).map(Int.init) }
    mutating func second() -> Int? { number(ColumnLimit.second).map(Int.init) }
    mutating func bool() -> Bool? { number(0...1).map { $0 != 0 } }
    mutating func instant() -> Instant? { number(ColumnLimit.time).map(Instant.init(nanoseconds:)) }
    mutating func duration() -> Duration? { number(ColumnLimit.time).map { .nanoseconds($0) } }

    /// What a service said of its clock. Beyond the limit it is unknown, not damage: services say
    /// anything, and older histories keep it.
    mutating func epoch() -> Int64? {
        defer { position += 1 }
        return Int64.fromDatabaseValue(value(at: position)).flatMap {
            ColumnLimit.epoch.contains($0) ? $0 : nil
        }
    }

    mutating func text() -> String? {
        defer { position += 1 }
        let value = value(at: position)
        if let text = String.fromDatabaseValue(value) { return text }
        if !value.isNull { refuse() }
        return nil
    }

    mutating func histogram() -> Histogram? {
        defer { position += 1 }
        guard let data = Data.fromDatabaseValue(value(at: position)),
            let histogram = Histogram(encoded: data)
        else {
            if !value(at: position).isNull { refuse() }
            return nil
        }
        return histogram
    }
}
