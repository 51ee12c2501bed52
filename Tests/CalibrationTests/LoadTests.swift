import Dialects
import Lanes
import Statistics
import Testing
import Vocabulary

@testable import Calibration

@Suite("A plain load")
struct LoadTests {
    @Test("callers take turns, so that the whole is as even as its parts")
    func turns() {
        let pace = Pace.rate(perSecond: 6)
        let due = (0..<2).flatMap { turn in
            (0..<3).compactMap { pace.due(turn, of: $0, among: 3) }
        }
        #expect(due == [0, 166_666_667, 333_333_333, 500_000_000, 666_666_667, 833_333_333])
        #expect(Pace.closed.due(0, of: 0, among: 1) == nil)
    }

    private static func run(
        _ transport: any Transport, on lane: Lane, pace: Pace = .closed,
        keeping: Keeping = .aggregates
    ) -> LoadFindings {
        lane.use(transport)
        let load = PlainLoad(
            PlainLoad.LoadSettings(
                call: plainCall, callers: 3, pace: pace, lasting: .seconds(1), keeping: keeping,
                processor: { 0 }), on: lane, over: transport)
        load.begin()
        lane.run { load.isOver }
        return load.findings
    }

    @Test("where nobody answers, nothing is measured, and the first trouble is kept")
    func dead() {
        let lane = virtualLane()
        let findings = Self.run(Refusing(lane: lane, after: 0), on: lane)
        #expect(findings.answered == 0 && findings.latency.count == 0)
        #expect(findings.errors == 3)
        #expect(findings.trouble == "connection-refused: nobody listens")
    }

    @Test(
        "a target that dies is asked again with a pause, not in a frenzy",
        arguments: Keeping.allCases)
    func dying(keeping: Keeping) {
        let lane = virtualLane()
        let findings = Self.run(Refusing(lane: lane, after: 6), on: lane, keeping: keeping)
        #expect(findings.answered == 3)
        // Three callers, each at most once in 10 ms.
        #expect((250...303).contains(findings.errors))
    }

    @Test("what is not kept is not kept")
    func kept() {
        let lane = virtualLane()
        let stalling = Stalling(lane: lane, service: .milliseconds(10), frozen: nil, warmUp: 3)
        let findings = Self.run(stalling, on: lane, keeping: .none)
        #expect(findings.answered == 300 && findings.latency.count == 0)
    }

    @Test("what lanes found at the same time adds up")
    func merging() {
        let lanes = (0..<2).map { _ in virtualLane() }
        let found = lanes.map { lane in
            Self.run(
                Stalling(lane: lane, service: .milliseconds(10), frozen: nil, warmUp: 3), on: lane)
        }
        var all = found[0]
        all.merge(found[1])
        #expect(all.answered == 600 && all.perSecond == 600 && all.connections == 6)
        #expect(all.latency.count == 600)
    }

    @Test("a ceiling holds a plain load back too")
    func ceiling() {
        let lane = virtualLane()
        lane.hold(to: RateLimits(perSecond: 20))
        let transport = Stalling(lane: lane, service: .milliseconds(1), frozen: nil, warmUp: 0)
        lane.use(transport)
        let load = PlainLoad(
            PlainLoad.LoadSettings(
                call: plainCall, callers: 50, pace: .closed, lasting: .seconds(5),
                keeping: .aggregates, isHeldBack: true, processor: { 0 }), on: lane,
            over: transport)
        load.begin()
        lane.run { load.isOver }
        #expect((95...102).contains(load.findings.answered))
    }

    @Test("the gate's spread is that of the two sends, pair by pair")
    func gate() {
        let lane = virtualLane()
        let transport = Stalling(lane: lane, service: .milliseconds(1), frozen: nil, warmUp: 0)
        lane.use(transport)
        let gate = GateSpread(plainCall, pairs: 50, on: lane, over: transport)
        gate.begin()
        lane.run { gate.isOver }
        // In virtual time both leave at the same instant.
        #expect(gate.spread.count == 50 && gate.spread.largest == 0)
    }
}

/// Answers so many, then refuses, at once.
private final class Refusing: Transport {
    private unowned let lane: Lane
    private var left: Int

    init(lane: Lane, after answers: Int) {
        self.lane = lane
        left = answers
    }

    func start(_ call: Call, from device: Device, completion: @escaping (Transfer) -> Void) {
        left -= 1
        let result: Transfer.Result =
            left >= 0
            ? .answered(Reply(status: 200))
            : .refused(TransportError(.connectionRefused, "nobody listens"))
        completion(
            Transfer(
                sent: left >= 0 ? lane.now : nil, firstByte: nil, ended: lane.now, result: result))
    }

    func retire(_ device: Device) {}
    func abort() {}
}
