@testable import Checker

/// One operation of a small history: closed interval, or open to the right.
struct Entry: Hashable, CustomStringConvertible {
    var act: ModelOperation
    var call: Int
    /// `Int.max`: the answer was lost.
    var ret: Int

    var isOpen: Bool { ret == .max }
    /// Whether it may be left out of an order.
    var isOptional: Bool { act.isMaybe || isOpen }

    var description: String {
        "\(act.kind) code \(act.code) tag \(act.tag) resource \(act.resource)"
            + "\(act.isMaybe ? " maybe" : "") [\(call), \(isOpen ? "open" : "\(ret)")]"
    }
}

/// The slow, obvious way: every order of every choice of operations.
struct BruteForce {
    let model: DeviceModel
    let entries: [Entry]

    var isExplained: Bool { extend(DeviceState(), placed: 0) }

    private func extend(_ state: DeviceState, placed: Int) -> Bool {
        let rest = entries.indices.filter { placed & 1 << $0 == 0 }
        if rest.allSatisfy({ entries[$0].isOptional }) { return true }
        for next in rest {
            // Nobody who is still to be placed returned before this one was called. One that is left
            // out constrains nothing, so only the others count; leaving out is tried by skipping.
            let isBlocked = rest.contains {
                $0 != next && !entries[$0].isOptional && entries[$0].ret < entries[next].call
            }
            if isBlocked { continue }
            // Optional ones that had to come earlier are left out from here on.
            var placedNow = placed | 1 << next
            for other in rest
            where other != next && entries[other].isOptional
                && entries[other].ret < entries[next].call
            {
                placedNow |= 1 << other
            }
            guard let after = model.step(state, entries[next].act) else { continue }
            if extend(after, placed: placedNow) { return true }
        }
        return false
    }
}

/// Wing and Gong's search with Lowe's memo, as Porcupine has it: a doubly linked list of calls and
/// returns, lift and unlift.
struct WingGong {
    let model: DeviceModel
    let entries: [Entry]

    private struct Event {
        var time: Int
        var isReturn: Bool
        var entry: Int
    }
    private struct Seen: Hashable {
        var placed: Int
        var state: DeviceState
    }

    var isExplained: Bool {
        // An optional operation becomes a choice: in or out. All choices are tried.
        let optional = entries.indices.filter { entries[$0].isOptional }
        for choice in 0..<(1 << optional.count) {
            let out = Set(
                optional.enumerated().filter { choice & 1 << $0.offset != 0 }.map(\.element))
            if search(entries.indices.filter { !out.contains($0) }) { return true }
        }
        return false
    }

    private func search(_ chosen: [Int]) -> Bool {
        var events: [Event] = []
        for entry in chosen {
            events.append(Event(time: entries[entry].call, isReturn: false, entry: entry))
            events.append(Event(time: entries[entry].ret, isReturn: true, entry: entry))
        }
        events.sort { ($0.time, $0.isReturn ? 1 : 0) < ($1.time, $1.isReturn ? 1 : 0) }
        // Positions are 1...n; 0 is the head.
        let count = events.count
        var next = Array(1...(count + 1))
        var previous = Array(-1..<(count + 1))
        var partner = [Int: Int]()
        for (position, event) in events.enumerated() where event.isReturn {
            let call = events.firstIndex { !$0.isReturn && $0.entry == event.entry }!
            partner[call + 1] = position + 1
        }
        func unlink(_ position: Int) {
            next[previous[position]] = next[position]
            if next[position] <= count { previous[next[position]] = previous[position] }
        }
        func link(_ position: Int) {
            next[previous[position]] = position
            if next[position] <= count { previous[next[position]] = position }
        }
        var state = DeviceState()
        var placed = 0
        var memo: Set<Seen> = []
        var calls: [(position: Int, state: DeviceState)] = []
        var current = next[0]
        while next[0] <= count {
            if current > count { return false }
            let event = events[current - 1]
            if !event.isReturn {
                let with = placed | 1 << event.entry
                if let after = model.step(state, entries[event.entry].act),
                    memo.insert(Seen(placed: with, state: after)).inserted
                {
                    calls.append((current, state))
                    state = after
                    placed = with
                    unlink(current)
                    unlink(partner[current]!)
                    current = next[0]
                } else {
                    current = next[current]
                }
            } else {
                guard let last = calls.popLast() else { return false }
                state = last.state
                placed &= ~(1 << events[last.position - 1].entry)
                link(partner[last.position]!)
                link(last.position)
                current = next[last.position]
            }
        }
        return true
    }
}

extension Frontier {
    /// Judges a whole small history. Answers that were lost never come.
    static func judge(_ entries: [Entry], _ model: DeviceModel) -> Standing {
        var memory: HouseholdMemory?
        var frontier = Frontier(model, in: &memory)
        var events: [(time: Int, isReturn: Bool, entry: Int)] = []
        for (position, entry) in entries.enumerated() {
            events.append((entry.call, false, position))
            if !entry.isOpen { events.append((entry.ret, true, position)) }
        }
        events.sort {
            ($0.time, $0.isReturn ? 1 : 0, $0.entry) < ($1.time, $1.isReturn ? 1 : 0, $1.entry)
        }
        var places: [Int: OperationPlace] = [:]
        for event in events {
            let entry = entries[event.entry]
            if !event.isReturn {
                var act = entry.act
                act.isMaybe = entry.isOptional
                places[event.entry] =
                    act.isRead
                    ? frontier.call(read: act)
                    : frontier.call(mutator: act, isOpen: entry.isOpen)
            } else if let place = places[event.entry] {
                let isFine =
                    entry.act.isRead
                    ? frontier.finish(read: place) : frontier.finish(mutator: place)
                if !isFine { return .violated }
            }
        }
        return frontier.standing
    }
}
