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
