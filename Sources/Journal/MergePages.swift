internal import GRDB

// Reads of a merge: one page of rows at a time, so that many histories can be read side by side in little memory.

extension History {
    /// Limits SQLite's page cache to 256 KB, because a merge opens hundreds of histories.
    func keepsFewPages() throws {
        try told { try $0.execute(sql: "PRAGMA cache_size = -256") }
    }

    /// At most `count` exchanges after row `id`, with their row numbers.
    func exchanges(after id: Int, atMost count: Int) throws -> [(id: Int, exchange: Exchange)] {
        var found: [(id: Int, exchange: Exchange)] = []
        found.reserveCapacity(count)
        func row(_ columns: inout Columns) -> (id: Int, exchange: Exchange)? {
            var first = columns
            guard let id = first.identifier(), let exchange = Exchange(&columns) else { return nil }
            return (id, exchange)
        }
        try visit(
            HistorySchema.exchanges, "WHERE id > ? ORDER BY id LIMIT ?", [id, count], as: row
        ) { found.append($0) }
        return found
    }

    /// At most `count` households after that number.
    func households(after number: Int, atMost count: Int) throws -> [HouseholdRecord] {
        var found: [HouseholdRecord] = []
        try visit(
            HistorySchema.households, "WHERE household > ? ORDER BY household LIMIT ?",
            [number, count], as: HouseholdRecord.init
        ) { found.append($0) }
        return found
    }

    /// The cells of one second.
    func cells(second: Int) throws -> [Cell] {
        var found: [Cell] = []
        try visit(HistorySchema.cells, "WHERE second = ?", [second], as: Cell.init) {
            found.append($0)
        }
        return found
    }

    /// The first second after `last` that has cells, or the first of all where `last` is nil; nil where no second
    /// follows.
    func second(after last: Int?) throws -> Int? {
        let before = last ?? Int.min
        return try told { database in
            let row = try Row.fetchOne(
                database,
                sql: "SELECT min(second) FROM \(HistorySchema.cells.name) WHERE second > ?",
                arguments: [before])
            guard let row else { return nil }
            var columns = Columns(row)
            let found = columns.second()
            guard columns.refused == nil else {
                throw JournalError.damaged(
                    path: path, what: "\(HistorySchema.cells.name): 'second' is not within 400 days"
                )
            }
            return found
        }
    }

    /// Groups of equal errors, with the row numbers of their examples.
    func errorRows() throws -> [(group: ErrorGroup, example: Int?)] {
        var found: [(group: ErrorGroup, example: Int?)] = []
        try visit(
            HistorySchema.errors, "ORDER BY count DESC, operation, outcome, status, reason",
            as: ErrorGroup.read
        ) { found.append($0) }
        return found
    }

    /// The lanes' measurements of themselves, in the order of time.
    func eachHealth(_ body: (LaneHealth) throws -> Void) throws {
        try visit(HistorySchema.health, "ORDER BY from_ns, lane", as: LaneHealth.init, body)
    }
}

/// Rows of one part that were read and not yet taken.
struct MergePage<Row> {
    private var rows: [Row] = []
    private var next = 0
    /// Nothing comes after these.
    private(set) var isLast = false
    /// Number of the last row that was read.
    var last = -1

    var isEmpty: Bool { next >= rows.count }
    var first: Row? { isEmpty ? nil : rows[next] }

    mutating func fill(_ more: [Row], isLast: Bool) {
        (rows, next) = (more, 0)
        self.isLast = isLast
    }

    mutating func take() -> Row {
        next += 1
        return rows[next - 1]
    }
}
