/// Connections of which any can be taken out in constant time: an overloaded lane closes them by the
/// thousand. The one added last is the last, as long as none was taken out before it.
struct Roster {
    /// The lists in which a connection may be; it keeps its position in each.
    enum List: Int { case engine, home, idle }

    private(set) var connections: [Connection] = []
    private let list: List

    init(_ list: List) { self.list = list }

    mutating func add(_ connection: Connection) {
        connection.positions[list.rawValue] = connections.count
        connections.append(connection)
    }

    /// Whether it was there.
    @discardableResult
    mutating func remove(_ connection: Connection) -> Bool {
        let position = connection.positions[list.rawValue]
        guard position < connections.count, connections[position] === connection else {
            return false
        }
        let last = connections.removeLast()
        if last !== connection {
            connections[position] = last
            last.positions[list.rawValue] = position
        }
        return true
    }

    mutating func removeAll() { connections = [] }
}
