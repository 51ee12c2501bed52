internal import Foundation
internal import GRDB
internal import Statistics

/// Reads the columns of a row from left to right.
struct Columns {
    private let row: Row
    private var position: Int

    init(_ row: Row, skipping first: Int = 0) {
        self.row = row
        position = first
    }

    mutating func value() -> DatabaseValue {
        defer { position += 1 }
        return row[position]
    }

    mutating func int64() -> Int64? {
        defer { position += 1 }
        return Int64.fromDatabaseValue(row[position])
    }

    mutating func int() -> Int? { int64().map(Int.init) }
    mutating func bool() -> Bool? { int64().map { $0 != 0 } }
    mutating func instant() -> Instant? { int64().map(Instant.init(nanoseconds:)) }
    mutating func duration() -> Duration? { int64().map { .nanoseconds($0) } }

    mutating func text() -> String? {
        defer { position += 1 }
        return String.fromDatabaseValue(row[position])
    }

    mutating func histogram() -> Histogram? {
        defer { position += 1 }
        guard let data = Data.fromDatabaseValue(row[position]) else { return nil }
        return Histogram(encoded: data)
    }
}

func time(_ instant: Instant?) -> DatabaseValue {
    instant.map { $0.nanoseconds.databaseValue } ?? .null
}

func time(_ duration: Duration?) -> DatabaseValue {
    duration.map { $0.wholeNanoseconds.databaseValue } ?? .null
}

/// NULL for nil; a NUL inside becomes its picture (U+2400), for SQLite ends texts there.
func text(_ value: String?) -> DatabaseValue {
    guard let value else { return .null }
    guard value.utf8.contains(0) else { return value.databaseValue }
    return String(value.map { $0 == "\0" ? "\u{2400}" : $0 }).databaseValue
}

/// NULL also for an empty text.
func text(filled value: String) -> DatabaseValue {
    value.isEmpty ? .null : text(value)
}

func blob(_ histogram: Histogram) -> DatabaseValue {
    Data(histogram.encoded).databaseValue
}
