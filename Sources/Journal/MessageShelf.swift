/// Messages of households of which it is not yet known whether anybody will want to see them: a
/// violation may be found after a household has ended. Bounded, so that a run never grows by it:
/// households that ended first are forgotten first.
struct MessageShelf {
    private var held: [Int: [Message]] = [:]
    /// Households that have ended, in that order; those before `next` are forgotten.
    private var ended: [Int] = []
    private var next = 0
    private var weight = 0
    private var wanted: Set<Int> = []

    private let limit: Int
    /// Of one household: the first and the last of a longer life stay.
    static let householdLimit = 400
    /// So many households are kept with all their messages. Their violations are the same few over
    /// and over by then.
    static let wantedLimit = 2_000

    /// `limit`: about how many bytes it may hold.
    init(limit: Int = 64 << 20) { self.limit = limit }

    /// Takes messages in; gives back those of households that are wanted.
    mutating func add(_ messages: [Message]) -> [Message] {
        var released: [Message] = []
        for message in messages {
            if wanted.contains(message.household) {
                released.append(message.bounded)
                continue
            }
            let bounded = message.bounded
            weight += bounded.weight
            held[message.household, default: []].append(bounded)
            if held[message.household]?.count ?? 0 > Self.householdLimit {
                thin(message.household)
            }
        }
        return released
    }

    /// One message, if it is there.
    func message(_ household: Int, _ sequence: Int) -> Message? {
        held[household]?.last { $0.sequence == sequence }
    }

    /// From now on every message of this household is to be kept: gives those that are there.
    mutating func want(_ household: Int) -> [Message] {
        guard wanted.count < Self.wantedLimit, wanted.insert(household).inserted else { return [] }
        return take(household)
    }

    /// A household has ended. Of those that have, the first are forgotten where there are too many.
    mutating func end(_ household: Int) {
        if held[household] != nil { ended.append(household) }
        while weight > limit, next < ended.count {
            _ = take(ended[next])
            next += 1
        }
        if next > 4_096 {
            ended.removeFirst(next)
            next = 0
        }
    }

    private mutating func take(_ household: Int) -> [Message] {
        let messages = held.removeValue(forKey: household) ?? []
        for message in messages { weight -= message.weight }
        return messages
    }

    private mutating func thin(_ household: Int) {
        let middle = Self.householdLimit / 4..<Self.householdLimit / 2
        for message in held[household]?[middle] ?? [] { weight -= message.weight }
        held[household]?.removeSubrange(middle)
    }
}
