import Journal
import Lanes
import Statistics
import Testing

@testable import Calibration

/// The stall test: 2,000 requests/s for 6 s at a service that is frozen
/// for one of them. Who was due 300 ms into the freeze waits 700 ms: a tool that waits for one answer
/// before it sends the next would send far fewer, and call the service fast.
@Suite("A service that stalls")
struct StallTests {
    private static let perSecond = 2_000
    private static let seconds = 6
    private static let service: Duration = .milliseconds(1)
    private static let frozen: Range<Duration> = .seconds(2)..<(.seconds(3))

    private static func findings(callers: Int, keeping: Keeping) -> LoadFindings {
        let lane = virtualLane()
        let transport = Stalling(
            lane: lane, service: service, frozen: frozen, warmUp: callers)
        lane.use(transport)
        let load = PlainLoad(
            PlainLoad.LoadSettings(
                call: plainCall, callers: callers, pace: .rate(perSecond: Double(perSecond)),
                lasting: .seconds(seconds), keeping: keeping, processor: { 0 }), on: lane,
            over: transport)
        load.begin()
        lane.run { load.isOver }
        return load.findings
    }

    /// Every latency, in nanoseconds, by arithmetic alone.
    private static func truth(callers: Int) -> [Int64] {
        let (cost, interval) = (service.nanoseconds, 1_000_000_000 / Int64(perSecond))
        let (freeze, thaw) = (frozen.lowerBound.nanoseconds, frozen.upperBound.nanoseconds)
        var free = [Int64](repeating: 0, count: callers)
        return (0..<perSecond * seconds).map { number in
            let due = Int64(number) * interval
            let sent = max(due, free[number % callers])
            var ended = sent + cost
            if ended > freeze, sent < thaw { ended = thaw + cost }
            free[number % callers] = ended
            return ended - due
        }.sorted()
    }

    @Test(
        "latency is the truth to the last request, however few the connections",
        arguments: [10_000, 2_000, 100, 8], [Keeping.aggregates, .all])
    func latency(callers: Int, keeping: Keeping) {
        let found = Self.findings(callers: callers, keeping: keeping)
        var truth = Histogram()
        for nanoseconds in Self.truth(callers: callers) { truth.record(nanoseconds) }
        #expect(found.answered == Self.perSecond * Self.seconds && found.errors == 0)
        #expect(found.latency == truth)
    }

    @Test("the percentiles are those of a second in six: 400 and 940 ms")
    func percentiles() throws {
        let found = Self.findings(callers: 10_000, keeping: .aggregates)
        let p90 = try #require(found.latency.value(atShare: 0.9))
        let p99 = try #require(
            found.latency.value(atShare: 0.99))
        #expect(abs(Double(p90) / 1e6 - 401) < 2)
        #expect(abs(Double(p99) / 1e6 - 941) < 3)
        // Sent half a millisecond before the freeze, and not done when it came.
        #expect(found.latency.largest == 1_001_500_000)
    }

    @Test("with few connections, service time hides the stall, and the rig is not blamed for it")
    func hidden() throws {
        let found = Self.findings(callers: 8, keeping: .aggregates)
        // 8 of 12,000 requests were under way: not one in a thousand saw the stall.
        #expect(found.service.value(atShare: 0.999) ?? 0 < 1_010_000)
        #expect(found.service.largest > 990_000_000)
        #expect(found.latency.value(atShare: 0.9) ?? 0 > 400_000_000)
        #expect(found.lateness.largest == 0)
    }

    @Test(
        "without a stall every latency is the service time",
        arguments: [Pace.closed, .rate(perSecond: 500)])
    func quiet(pace: Pace) {
        let lane = virtualLane()
        let transport = Stalling(lane: lane, service: Self.service, frozen: nil, warmUp: 4)
        lane.use(transport)
        let load = PlainLoad(
            PlainLoad.LoadSettings(
                call: plainCall, callers: 4, pace: pace, lasting: .seconds(2), keeping: .aggregates,
                processor: { 0 }), on: lane, over: transport)
        load.begin()
        lane.run { load.isOver }
        // Closed: 4 callers, 1 ms each, for 2 s.
        #expect(load.findings.answered == (pace == .closed ? 8_000 : 1_000))
        #expect(load.findings.latency.smallest == 1_000_000)
        #expect(load.findings.latency.largest == 1_000_000)
        #expect(load.findings.latency == load.findings.service)
        #expect(abs(load.findings.perSecond - (pace == .closed ? 4_000 : 500)) < 1)
    }
}

@Suite("The gate against a slow service")
struct SlowGateTests {
    @Test("is measured for so long, and not until all pairs are through")
    func bounded() {
        let lane = virtualLane()
        let transport = Stalling(
            lane: lane, service: .milliseconds(100), frozen: nil, warmUp: 0)
        lane.use(transport)
        let gate = GateSpread(
            plainCall, pairs: 2_000, within: .seconds(5), on: lane, over: transport)
        gate.begin()
        lane.run { gate.isOver }
        #expect(lane.now < .start + .seconds(6))
        #expect((20...60).contains(gate.spread.count))
    }
}
