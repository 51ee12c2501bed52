internal import Rigs
internal import Vocabulary

extension ArmPlan {
    /// All of them, with the default offsets: for those who list them.
    public static var catalogue: [ArmPlan] {
        let terms = RaceTerms.blank
        return catalogue(reach: terms.reach, patience: RacePlan.patience(terms, nil))
    }

    /// `reach`: from how early on polls are sent before a sign-in; `patience`: between a sign-in and
    /// the first poll that must show it.
    static func catalogue(reach: Duration, patience: Duration) -> [ArmPlan] {
        [pathIndependence(patience), pollIsPure(reach, patience)]
    }

    /// Where a sign-in is known to one node only, a TV that stays with its node sees it in all polls
    /// or in none, and one that goes all over the place in hardly ever all of them.
    private static func pathIndependence(_ patience: Duration) -> ArmPlan {
        func ops(_ connection: Schedule.ConnectionUse, _ cookies: Schedule.Cookies) -> [Schedule.Op]
        {
            var ops = [create, login(gate: .none)] + reads(5, from: patience)
            for position in ops.indices where ops[position].step == .pollToken {
                ops[position].connection = connection
                ops[position].cookies = cookies
            }
            return ops
        }
        return plan(
            .pathIndependence, "a TV keeps connection and cookies, or asks over new ones each time",
            [
                ("connection and cookies kept", ops(.kept(0), .keep)),
                ("each poll over a new connection, without cookies", ops(.fresh, .drop)),
            ], reads: 5)
    }

    /// Each of the early polls may have read "none" just before the sign-in, and write that back. No
    /// TV asks more than nine times, which is within the burst of ten (rest-v1.md, 14).
    private static func pollIsPure(_ reach: Duration, _ patience: Duration) -> ArmPlan {
        let first = poll("poll", at: .zero - reach * 5, number: 1)
        let comb = [1, 4, 16, 64, 256].enumerated().map { number, divisor in
            poll("poll-\(number + 2)", at: .zero - reach / divisor, number: number + 2)
        }
        let last = reads(2, from: patience)
        return plan(
            .pollIsPure, "a TV polls once while its phone signs in, or six times",
            [
                ("one poll before the sign-in", [create, login(gate: .lastByte), first] + last),
                ("six polls before it", [create, login(gate: .lastByte), first] + comb + last),
            ], reads: 2)
    }

    // MARK: Ops

    private static var create: Schedule.Op { Schedule.Op("create", "tv", .registrationCode) }

    private static func login(gate: Schedule.Gate) -> Schedule.Op {
        Schedule.Op("authenticate", "phone", .authenticate, tag: "account-1", gate: gate)
    }

    private static func poll(_ id: String, at offset: Duration, number: Int) -> Schedule.Op {
        Schedule.Op(
            id, "tv", .pollToken, anchor: .init(.lastByteSent, of: "authenticate"),
            offset: offset, gate: .lastByte, connection: .kept(number))
    }

    /// One after another, the first so long after the answer to the sign-in.
    private static func reads(_ count: Int, from patience: Duration) -> [Schedule.Op] {
        (1...count).map { number in
            Schedule.Op(
                "read-\(number)", "tv", .pollToken,
                anchor: .init(
                    .firstReplyByte, of: number == 1 ? "authenticate" : "read-\(number - 1)"),
                offset: number == 1 ? patience : .milliseconds(20))
        }
    }

    private static func plan(
        _ invariant: Invariant, _ line: String, _ arms: [(String, [Schedule.Op])], reads: Int
    ) -> ArmPlan {
        let actors = ["tv", "phone"].map { Schedule.Actor(named: $0) }
        return ArmPlan(
            name: invariant.name, line: line, invariant: invariant,
            arms: arms.map { name, ops in
                Arm(
                    name: name,
                    schedule: Schedule(plan: invariant.name, actors: actors, ops: ops))
            }, reads: (1...reads).map { "read-\($0)" })
    }
}
