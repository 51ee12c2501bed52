internal import Devices
internal import Rigs

/// Who plays the actors of a schedule: for each living room, which connections of which screens it
/// takes.
struct ActorBinding: Sendable {
    /// One connection of one actor.
    private struct Part: Hashable {
        var actor: String
        var connection: Schedule.ConnectionUse
        /// For a connection of its own: the op's id.
        var op: String
    }

    /// Connections of first screens, by living room.
    private(set) var firstScreens: [Int] = []
    /// For each connection of a second screen, by living room: which phone it is.
    private(set) var phones: [[Int]] = []
    /// The screen of each op, in the order of the schedule's ops.
    private(set) var screens: [DrivenHousehold.Screen] = []
    /// Connections that stand in for an actor's first one, with the op that wants them.
    private(set) var doubles: [Int: (source: DrivenHousehold.Screen, keepsCookies: Bool)] = [:]
    /// Each actor's first connection.
    private(set) var leads: [DrivenHousehold.Screen] = []

    init(_ schedule: Schedule) {
        let rooms = (schedule.actors.map(\.household).max() ?? 0) + 1
        firstScreens = Array(repeating: 0, count: rooms)
        phones = Array(repeating: [], count: rooms)
        var numbers = Array(repeating: 0, count: rooms)
        var phoneOf: [String: Int] = [:]
        var known: [Part: DrivenHousehold.Screen] = [:]
        for actor in schedule.actors {
            if actor.screen == .second {
                phoneOf[actor.name] = numbers[actor.household]
                numbers[actor.household] += 1
            }
            let lead = add(actor, phone: phoneOf[actor.name] ?? 0)
            leads.append(lead)
            known[Part(actor: actor.name, connection: .kept(0), op: "")] = lead
        }
        for (position, op) in schedule.ops.enumerated() {
            guard let actor = schedule[actor: op.actor] else {
                preconditionFailure("an op has an actor of its schedule")
            }
            let isFresh = op.connection == .fresh
            let part = Part(
                actor: op.actor, connection: op.connection, op: isFresh ? op.id : "")
            let lead = known[Part(actor: op.actor, connection: .kept(0), op: "")] ?? .first(0)
            let screen = known[part] ?? add(actor, phone: phoneOf[actor.name] ?? 0)
            known[part] = screen
            screens.append(screen)
            if screen != lead { doubles[position] = (lead, op.cookies == .keep) }
        }
    }

    private mutating func add(
        _ actor: Schedule.Actor, phone: Int
    ) -> DrivenHousehold.Screen {
        switch actor.screen {
        case .first:
            firstScreens[actor.household] += 1
            return .first(firstScreens[actor.household] - 1)
        case .second:
            phones[actor.household].append(phone)
            return .second(phones[actor.household].count - 1)
        }
    }

    /// A plan's household as this living room: its phones' identities, once for each connection.
    func plan(_ plan: HouseholdPlan, room: Int) -> HouseholdPlan {
        var plan = plan
        plan.second = nil
        plan.secondScreens = phones[room].map { plan.secondScreens[$0 % plan.secondScreens.count] }
        return plan
    }
}

extension Schedule {
    /// Ops that are made ready together: one that hangs on nothing, and all that hang on it.
    struct Cluster: Sendable {
        /// Positions in `ops`; the head first, the rest in their order.
        var members: [Int]

        var head: Int { members[0] }
    }

    /// In the order of their heads. An op whose anchor is nowhere to be found is a head.
    var clusters: [Cluster] {
        func position(of id: String) -> Int? { ops.firstIndex { $0.id == id } }
        func head(of position: Int) -> Int {
            var at = position
            for _ in ops.indices {
                guard let anchor = ops[at].anchor, anchor.event != .absolute,
                    let next = ops.firstIndex(where: { $0.id == anchor.op })
                else { return at }
                at = next
            }
            return position
        }
        var clusters: [Cluster] = []
        for position in ops.indices where head(of: position) == position {
            let others = ops.indices.filter { $0 != position && head(of: $0) == position }
            clusters.append(Cluster(members: [position] + others))
        }
        return clusters
    }
}

extension Schedule.Cluster {
    /// Whether there is anything to time.
    func isRaced(in schedule: Schedule) -> Bool {
        members.count > 1 || schedule.ops[head].anchor != nil
    }
}
