internal import Dialects
internal import Vocabulary

/// What is counted of every exchange, whatever is kept of it: cells and groups of errors.
///
/// Cells are held in memory until every lane has passed their second, then written and let go. An
/// exchange that was sent in one second and ended thirty seconds later still adds to `sent` of the
/// first: such a cell comes up again as an addition to the row that is already written.
struct Tally: Sendable {
    private var cells: [Cell] = []
    /// Changed since they were last written, for each of `cells`.
    private var isDirty: [Bool] = []
    /// Positions in `cells`.
    private var places: [Cell.CellKey: Int] = [:]
    /// By operation, where in `cells` the last exchange was counted: most of a second are counted there
    /// too.
    private var recent = [Int](repeating: 0, count: OperationName.allCases.count)
    /// Seconds before this one are written and let go: a cell there is an addition to its row.
    private(set) var closedBefore = 0

    struct Group: Hashable, Sendable {
        var operation: OperationName
        var outcome: Outcome
        var status: Int
        var reason: String
    }

    private(set) var errors: [Group: ErrorGroup] = [:]
    private(set) var dirtyErrors: Set<Group> = []

    var cellCount: Int { cells.count }

    /// What is to be written, in order.
    var changedCells: [Cell] {
        cells.indices.filter { isDirty[$0] }.map { cells[$0] }.sorted { $0.key < $1.key }
    }

    /// More kinds of errors than this are counted under one reason: a service that puts an id into
    /// each message must not fill the memory.
    static let groupLimit = 1_000
    static let otherReason = "(other)"

    /// Counts one exchange of the kind at that position. Returns the group that it is the first of.
    mutating func add(_ exchange: Exchange, kind: Int) -> Group? {
        let isSent = exchange.outcome != .notSent
        if isSent {
            change(
                Cell.CellKey(
                    second: exchange.sent.second, operation: exchange.operation, kind: kind)
            ) {
                $0.sent += 1
            }
        }
        change(
            Cell.CellKey(second: exchange.ended.second, operation: exchange.operation, kind: kind)
        ) {
            $0.count(end: exchange, isSent: isSent)
        }
        if let connect = exchange.connect {
            count(.connect, took: connect, from: exchange.begun, kind: kind)
            if let tls = exchange.tls {
                count(.tls, took: tls, from: exchange.begun + connect, kind: kind)
            }
        }
        return exchange.isError ? count(error: exchange) : nil
    }

    /// A connection that was made, or secured. One that failed is an error of its exchange, and not
    /// counted again.
    private mutating func count(
        _ operation: OperationName, took: Duration, from began: Instant, kind: Int
    ) {
        let ended = began + took
        change(Cell.CellKey(second: began.second, operation: operation, kind: kind)) {
            $0.sent += 1
        }
        change(Cell.CellKey(second: ended.second, operation: operation, kind: kind)) { cell in
            cell.outcomes[Int(Outcome.ok.rawValue)] += 1
            cell.completed += 1
            cell.latency.record(took.wholeNanoseconds)
            cell.punctual.record(took.wholeNanoseconds)
            cell.service.record(took.wholeNanoseconds)
        }
    }

    /// The first example of a group.
    mutating func keep(_ example: Exchange, of group: Group) {
        errors[group]?.example = example
    }

    /// After everything dirty was written: lets cells go that every lane has passed.
    mutating func written(through: Instant) {
        dirtyErrors.removeAll(keepingCapacity: true)
        closedBefore = max(closedBefore, through.second)
        for position in isDirty.indices { isDirty[position] = false }
        guard cells.contains(where: { $0.key.second < closedBefore }) else { return }
        cells.removeAll { $0.key.second < closedBefore }
        isDirty.removeLast(isDirty.count - cells.count)
        places.removeAll(keepingCapacity: true)
        for (position, cell) in cells.enumerated() { places[cell.key] = position }
    }

    /// The most frequent errors, at most so many; of equally frequent ones the earliest.
    func worst(_ count: Int) -> [ErrorGroup] {
        let sorted = errors.values.sorted { left, right in
            (right.count, left.first) < (left.count, right.first)
        }
        return Array(sorted.prefix(count))
    }

    @inline(__always)
    private mutating func change(_ key: Cell.CellKey, by deed: (inout Cell) -> Void) {
        let place = place(of: key)
        deed(&cells[place])
        isDirty[place] = true
    }

    private mutating func place(of key: Cell.CellKey) -> Int {
        let last = recent[Int(key.operation.rawValue)]
        if last < cells.count, cells[last].key == key { return last }
        let place = places[key] ?? cells.count
        if place == cells.count {
            cells.append(Cell(key: key))
            isDirty.append(true)
            places[key] = place
        }
        recent[Int(key.operation.rawValue)] = place
        return place
    }

    private mutating func count(error exchange: Exchange) -> Group? {
        var group = Group(
            operation: exchange.operation, outcome: exchange.outcome,
            status: exchange.delivery.status ?? 0,
            reason: exchange.reason ?? exchange.delivery.error?.kind.rawValue ?? "")
        if errors[group] == nil, errors.count >= Self.groupLimit { group.reason = Self.otherReason }
        dirtyErrors.insert(group)
        let ended = exchange.ended
        guard errors[group] == nil else {
            errors[group]?.count(at: ended)
            return nil
        }
        errors[group] = ErrorGroup(
            operation: group.operation, outcome: group.outcome, status: group.status,
            reason: group.reason, count: 1, first: ended, last: ended, example: nil)
        return group
    }
}

extension Cell {
    /// What goes to the second in which an exchange ended.
    fileprivate mutating func count(end exchange: Exchange, isSent: Bool) {
        outcomes[Int(exchange.outcome.rawValue)] += 1
        if exchange.isError { errors += 1 }
        if isSent { lateness.record(exchange.latenessNanoseconds) }
        if let status = exchange.delivery.status {
            completed += 1
            statuses[status, default: 0] += 1
        }
        guard exchange.isTimed else { return }
        latency.record(exchange.latencyNanoseconds)
        punctual.record(exchange.punctualNanoseconds)
        service.record(exchange.serviceNanoseconds)
    }
}

extension ErrorGroup {
    fileprivate mutating func count(at instant: Instant) {
        count += 1
        first = min(first, instant)
        last = max(last, instant)
    }
}
