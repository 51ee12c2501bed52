import Dialects
import Journal
import TestSupport
import Testing
import Vocabulary

@testable import Lanes

private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

/// Everybody who may leave, in order, with the time at which a punctual clock lets them.
private func departures(
    _ ceilings: RateLimits, _ travellers: [(asked: Double, host: String, connects: Bool)]
) -> [(number: Int, left: Instant)] {
    var queue = RateLimiter<Int>(ceilings)
    var left: [(number: Int, left: Instant)] = []
    var coming = travellers.enumerated().map { ($0.offset, $0.element) }[...]
    var now = Instant.start
    while !coming.isEmpty || queue.waiting > 0 {
        let next = [coming.first.map { at($0.1.asked) }, queue.next].compactMap { $0 }.min()
        now = max(now, next ?? now)
        while let (number, traveller) = coming.first, at(traveller.asked) <= now {
            let need = queue.need(host: traveller.host, connects: traveller.connects)
            queue.add(number, need, at: now)
            coming = coming.dropFirst()
        }
        while let departure = queue.leave(at: now) { left.append((departure.traveller, now)) }
    }
    return left
}

@Suite("Ceilings")
struct CeilingTests {
    @Test("a crowd leaves in its order, evenly spaced")
    func even() {
        let left = departures(
            RateLimits(perSecond: 20), Array(repeating: (0, "a", false), count: 41))
        #expect(left.map(\.number) == Array(0...40))
        #expect(left.last?.left == at(2))
        for (earlier, later) in zip(left, left.dropFirst()) {
            #expect(later.left - earlier.left >= .milliseconds(49))
        }
    }

    @Test("below the ceiling nobody waits")
    func below() {
        let asked = (0..<30).map { (Double($0) * 0.06, "a", false) }
        let left = departures(RateLimits(perSecond: 20), asked)
        #expect(zip(left, asked).allSatisfy { $0.left == at($1.0) })
    }

    @Test("no second sees more than the rate, whatever comes when", arguments: 1...20)
    func hard(seed: UInt64) {
        var dice = SplitMix(state: seed)
        var asked = 0.0
        let travellers = (0..<200).map { _ in
            asked += Double(dice.next() % 100) / 1000
            return (asked, ["a", "idp"][Int(dice.next() % 2)], dice.next() % 3 == 0)
        }
        let left = departures(
            RateLimits(perSecond: 10, perHost: ["idp": 2]), travellers)
        #expect(left.count == 200)
        func most(_ times: [Instant]) -> Int {
            times.map { start in times.count { $0 >= start && $0 - start < .seconds(1) } }.max()
                ?? 0
        }
        // One more may stand on each edge, for the millisecond that may be made up for.
        #expect(most(left.map(\.left)) <= 11)
        #expect(most(left.filter { travellers[$0.number].1 == "idp" }.map(\.left)) <= 3)
        // First come, first served, within what waits for the same.
        let own = left.filter { travellers[$0.number].1 == "a" }.map(\.number)
        #expect(own == own.sorted())
    }

    @Test("those who wait for their own host let others pass")
    func passing() {
        let crowd = Array(repeating: (0.0, "idp", false), count: 5) + [(0.0, "a", false)]
        let left = departures(RateLimits(perSecond: 100, perHost: ["idp": 1]), crowd)
        #expect(left.map(\.number) == [0, 5, 1, 2, 3, 4])
        #expect(left.last?.left == at(4))
    }

    @Test("new connections come slowly first; what needs none is not held back")
    func ramp() {
        let crowd = Array(repeating: (0.0, "a", true), count: 300) + [(0.0, "a", false)]
        let left = departures(RateLimits(connections: .usual), crowd)
        #expect(left[1].number == 300 && left[1].left == .start)
        let connected = left.filter { $0.number < 300 }
        func opened(within seconds: Double) -> Int { connected.count { $0.left < at(seconds) } }
        // 10/s at first and 10/s more each second: 10 t + 5 t² by t.
        #expect((12...18).contains(opened(within: 1)))
        #expect((120...185).contains(opened(within: 5)))
        #expect(opened(within: 8) == 300)
    }

    @Test("lanes share a ceiling equally")
    func parts() {
        let part = RateLimits(perSecond: 20, perHost: ["a": 4], connections: .usual).part(of: 4)
        #expect(
            part
                == RateLimits(
                    perSecond: 5, perHost: ["a": 1],
                    connections: ConnectionRamp(from: 2.5, growth: 2.5)))
    }
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

/// Answers at once, and remembers what was sent.
final class Answering: Transport {
    private unowned let lane: Lane
    private(set) var calls: [Call] = []

    init(_ lane: Lane) { self.lane = lane }

    func start(_ call: Call, from device: Device, completion: @escaping (Transfer) -> Void) {
        calls.append(call)
        completion(
            Transfer(
                sent: lane.now, firstByte: lane.now, ended: lane.now,
                result: .answered(Reply(status: 404))))
    }
    func retire(_ device: Device) {}
    func abort() {}
}

@Suite("A lane that holds back")
struct HoldingTests {
    private func lane(_ sink: Collected, run: String = "r") -> (Lane, Answering) {
        let exchangeBuilder = ExchangeBuilder(
            run: run, fingerprinter: Fingerprinter(key: 1))
        let lane = Lane(
            index: 0, loop: VirtualLoop(), exchangeBuilder: exchangeBuilder, sink: sink)
        let transport = Answering(lane)
        lane.use(transport)
        return (lane, transport)
    }

    private var call: Call {
        Call(
            .pollToken, .get,
            WebAddress(
                origin: Origin(scheme: .http, host: "127.0.0.1", port: 1), target: "/poll"))
    }

    @Test("what is held back is neither late nor slow: it was planned for when it might leave")
    func planned() {
        let sink = Collected()
        let (lane, _) = lane(sink)
        lane.hold(to: RateLimits(perSecond: 10))
        for number in 0..<11 {
            lane.start { [call] in _ = await lane.send(call, from: plainDevice(number)) }
        }
        lane.run { true }
        let exchanges = sink.exchanges
        #expect(exchanges.map(\.planned).sorted() == (0...10).map { at(Double($0) / 10) })
        #expect(exchanges.allSatisfy { $0.lateness == .zero && $0.latency == .zero })
        let held = sink.batches.map(\.heldBack)
        #expect(held.map(\.count).reduce(0, +) == 10)
        #expect(held.map(\.longest).max() == .seconds(1))
        #expect(held.first?.waiting ?? 0 > 0 && held.last?.waiting == 0)
    }

    @Test("lateness from before stays when a ceiling adds its part")
    func lateness() {
        let sink = Collected()
        let (lane, _) = lane(sink)
        lane.hold(to: RateLimits(perSecond: 1))
        lane.start { [call] in
            let device = plainDevice(0)
            _ = await lane.send(call, from: device)
            try? await lane.sleep(for: .milliseconds(300))
            _ = await lane.send(call, from: device, planned: at(0.2))
        }
        lane.run { true }
        #expect(sink.exchanges.last?.begun == at(1))
        #expect(sink.exchanges.last?.planned == at(0.9))
    }

    @Test("those who wait when the lane stops are turned away, and nothing was sent for them")
    func stopped() {
        let sink = Collected()
        let (lane, transport) = lane(sink)
        lane.hold(to: RateLimits(perSecond: 1))
        for number in 0..<10 {
            lane.start { [call] in _ = await lane.send(call, from: plainDevice(number)) }
        }
        lane.stop(at: at(2.5))
        lane.run { true }
        #expect(transport.calls.count == 3)
        #expect(sink.exchanges.count { $0.outcome == .notSent } == 7)
        #expect(sink.exchanges.map(\.ended).max() == at(2.5))
    }

    @Test("without ceilings nobody is held back")
    func none() {
        let sink = Collected()
        let (lane, _) = lane(sink)
        lane.hold(to: RateLimits())
        for number in 0..<100 {
            lane.start { [call] in _ = await lane.send(call, from: plainDevice(number)) }
        }
        lane.run { true }
        #expect(sink.exchanges.allSatisfy { $0.ended == .start })
        #expect(sink.batches.allSatisfy { $0.heldBack == HeldBack() })
    }

    @Test("each request can be found in the server's logs: W3C trace context, and X-Screenrig")
    func correlation() throws {
        let (lane, transport) = lane(Collected(), run: "smoke-20261121T070000Z")
        for number in [0, 1, 77_000] {
            lane.start { [call] in
                let device = plainDevice(number)
                for _ in 0..<2 { _ = await lane.send(call, from: device) }
            }
        }
        lane.run { true }
        #expect(transport.calls.count == 6)
        var traces: [String: Set<String>] = [:]
        var spans: Set<String> = []
        for call in transport.calls {
            let parent = try #require(call.headers["traceparent"])
            // https://www.w3.org/TR/trace-context/#traceparent-header
            let form = try #require(
                parent.wholeMatch(of: #/00-([0-9a-f]{32})-([0-9a-f]{16})-01/#), "\(parent)")
            #expect(form.1.contains { $0 != "0" } && form.2.contains { $0 != "0" })
            let mark = try #require(call.headers["X-Screenrig"])
            let parts = mark.split(separator: "/")
            #expect(parts.count == 3 && parts[0] == "smoke-20261121T070000Z")
            traces[String(parts[1]), default: []].insert(String(form.1))
            spans.insert(String(form.2))
            #expect(call.headers.all("User-Agent") == ["test"])
        }
        #expect(spans.count == 6)
        #expect(traces.count == 3 && traces.values.allSatisfy { $0.count == 1 })
        #expect(Set(traces.values.joined()).count == 3)
    }
}

@Suite("The breaker")
struct BreakerTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// Exchanges that ended in each second, and errors among them.
        var seconds: [(ended: Int, errors: Int)]
        /// The second in which it trips.
        var trips: Int?
    }

    static let good = (ended: 20, errors: 1)
    static let bad = (ended: 20, errors: 15)
    static let cases: [Case] = [
        Case(testDescription: "all is well", seconds: Array(repeating: good, count: 60)),
        Case(
            testDescription: "bad from the start", seconds: Array(repeating: bad, count: 60),
            trips: 10),
        Case(
            testDescription: "bad for nine seconds",
            seconds: Array(repeating: bad, count: 9) + Array(repeating: good, count: 20)),
        Case(
            testDescription: "bad twice, with a good second between",
            seconds: Array(repeating: bad, count: 9) + [good] + Array(repeating: bad, count: 9)),
        Case(
            testDescription: "bad after a good hour",
            seconds: Array(repeating: good, count: 30) + Array(repeating: bad, count: 30), trips: 40
        ),
        Case(
            testDescription: "exactly at the limit", seconds: Array(repeating: (20, 10), count: 60)),
        Case(
            testDescription: "one error and then silence",
            seconds: [(1, 1)] + Array(repeating: (0, 0), count: 60)),
        Case(
            testDescription: "one a second, all bad: five make a stretch",
            seconds: Array(repeating: (1, 1), count: 60), trips: 10),
        Case(testDescription: "nothing at all", seconds: Array(repeating: (0, 0), count: 60)),
    ]

    @Test("trips when the share stayed above for long enough", arguments: cases)
    func trips(row: Case) {
        var breaker = Breaker(above: 0.5, for: .seconds(10))
        var (ended, errors) = (0, 0)
        var trip: (second: Int, Breaker.Trip)?
        for (second, counts) in row.seconds.enumerated() where trip == nil {
            ended += counts.ended
            errors += counts.errors
            let now = at(Double(second + 1))
            trip = breaker.look(at: now, ended: ended, errors: errors).map { (second + 1, $0) }
        }
        #expect(trip?.second == row.trips)
    }

    @Test("looks that are not punctual cost no second")
    func unpunctual() {
        var breaker = Breaker(above: 0.5, for: .seconds(3))
        let looks = [1.01, 2.02, 3.0, 4.0, 5.0]
        var errors = 0
        let trips = looks.enumerated().compactMap { number, second -> Double? in
            errors += number < 2 ? 0 : 10
            return breaker.look(at: at(second), ended: (number + 1) * 10, errors: errors)
                .map { _ in second }
        }
        #expect(trips.first == 5.0)
    }

    @Test("says what it saw and what is allowed")
    func words() {
        var breaker = Breaker(above: 0.5, for: .seconds(2))
        #expect(breaker.look(at: at(1), ended: 10, errors: 9) == nil)
        let trip = breaker.look(at: at(2.4), ended: 20, errors: 15)
        #expect(
            trip?.description
                == "75% of exchanges were errors for 2 s, and target.breaker allows 50%")
    }
}
