/// Messages of which it is not yet known whether anybody will want to see them: a violation may be
/// found after a household has ended. Bounded, so that no run grows by it: the oldest are forgotten
/// first, whosever they are.
struct MessageShelf {
    private var held: [Int: [Message]] = [:]
    /// The household of each message, in the order in which they came; those before `next` are gone.
    private var order: [Int] = []
    private var next = 0
    private var weight = 0
    private var wanted: Set<Int> = []

    private let limit: Int
    /// So many households are kept with all their messages. Their violations are the same few over
    /// and over by then.
    static let wantedLimit = 2_000

    /// `limit`: about how many bytes it may hold.
    init(limit: Int = 64 << 20) { self.limit = limit }

    /// Takes messages in; gives back those of households that are wanted.
    mutating func add(_ messages: [Message]) -> [Message] {
        var released: [Message] = []
        for message in messages {
            let message = message.bounded
            if wanted.contains(message.household) {
                released.append(message)
                continue
            }
            weight += message.weight
            held[message.household, default: []].append(message)
            order.append(message.household)
        }
        forget()
        return released
    }

    /// One message, if it is there.
    func message(_ household: Int, _ sequence: Int) -> Message? {
        held[household]?.last { $0.sequence == sequence }
    }

    /// From now on every message of this household is to be kept: gives those that are there.
    mutating func want(_ household: Int) -> [Message] {
        guard wanted.count < Self.wantedLimit, wanted.insert(household).inserted else { return [] }
        let messages = held.removeValue(forKey: household) ?? []
        for message in messages { weight -= message.weight }
        return messages
    }

    private mutating func forget() {
        while weight > limit, next < order.count {
            let household = order[next]
            next += 1
            // Nothing is there of a household that is wanted.
            guard let place = held.index(forKey: household) else { continue }
            weight -= held.values[place][0].weight
            if held.values[place].count == 1 {
                held.remove(at: place)
            } else {
                held.values[place].removeFirst()
            }
        }
        if next > 65_536 {
            order.removeFirst(next)
            next = 0
        }
    }
}
