import Races
import Testing

@Suite struct ScheduleTests {
    @Test(
        "every step but an end has the operation of its decisive request", arguments: Step.allCases)
    func operations(step: Step) {
        #expect((step.operation == nil) == (step == .expire))
    }

    @Test(
        "a connection reads back what it writes",
        arguments: [Schedule.ConnectionUse.fresh, .kept(0), .kept(3)])
    func connections(connection: Schedule.ConnectionUse) {
        #expect(Schedule.ConnectionUse(text: connection.text) == connection)
    }

    @Test("other words are no connection", arguments: ["", "kept:", "kept:-1", "new"])
    func noConnection(text: String) {
        #expect(Schedule.ConnectionUse(text: text) == nil)
    }

    @Test("an op is found and replaced by its id")
    func opByID() {
        var schedule = Schedule(
            plan: "own", actors: [.init(name: "tv", screen: .first)],
            ops: [.init("create", "tv", .registrationCode), .init("poll", "tv", .pollToken)])
        schedule[op: "poll"]?.offset = .milliseconds(3)
        #expect(schedule.ops[1].offset == .milliseconds(3))
        #expect(schedule[op: "nobody"] == nil)
    }

    @Test("a spread is that of the sorted values")
    func spread() {
        let values = (1...11).reversed().map { Duration.microseconds($0) }
        let spread = RaceFinding.Quantiles(values)
        #expect(spread?.p10 == .microseconds(2))
        #expect(spread?.p50 == .microseconds(6))
        #expect(spread?.p90 == .microseconds(10))
        #expect(RaceFinding.Quantiles([]) == nil)
    }
}
