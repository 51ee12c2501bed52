import Dialects
import Journal
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import Lanes

private func at(_ seconds: Int) -> Instant { Instant(.seconds(seconds)) }

/// A live lane's loop in a process that stands still from the first second to the fifth.
private final class FrozenLoop: LaneLoop {
    private(set) var now: Instant = .start
    let canBeWoken = true

    func wait(until deadline: Instant?, _ woken: () -> Void) -> Instant {
        now = max(now, deadline ?? now)
        if now > at(1) { now = max(now, at(5)) }
        woken()
        return now
    }

    func wake() {}
}

@Suite("When a request was due")
struct LatenessTests {
    private let call = Call(
        .pollToken, .get,
        WebAddress(origin: Origin(scheme: .http, host: "127.0.0.1", port: 1), target: "/poll"))

    private func lane(on loop: any LaneLoop, into sink: any HistorySink) -> Lane {
        Lane(
            index: 0, loop: loop,
            exchangeBuilder: ExchangeBuilder(run: "late", fingerprinter: Fingerprinter(key: 1)),
            sink: sink)
    }

    @Test("at the end of the sleep before it, or at the arrival, however late the lane wakes")
    func timers() {
        let sink = Collected()
        let lane = self.lane(on: FrozenLoop(), into: sink)
        let transport = Answering(lane)
        lane.use(transport)
        lane.start { [call] in
            let device = plainDevice(0)
            _ = await lane.send(call, from: device)
            try? await lane.sleep(for: .seconds(2))
            _ = await lane.send(call, from: device)
            _ = await lane.send(call, from: device)
            try? await lane.sleep(for: .seconds(2))
            _ = await lane.send(call, from: device)
        }
        lane.at(at(3), isDue: true) { [call] in
            lane.start { _ = await lane.send(call, from: plainDevice(1)) }
        }
        lane.run { true }
        func times(_ household: Int) -> [[Instant]] {
            sink.exchanges.filter { $0.device.household == household }
                .map { [$0.planned, $0.begun] }
        }
        // What follows an answer was due when that came.
        #expect(
            times(0) == [[at(0), at(0)], [at(2), at(5)], [at(5), at(5)], [at(7), at(7)]])
        #expect(times(1) == [[at(3), at(5)]])
    }

    @Test(
        "delays its device once, however many requests one stop of the rig holds up, and a millisecond is no delay"
    )
    func delays() {
        let device = plainDevice()
        device.noteLateness(from: at(1), to: at(5))
        device.noteLateness(from: at(2), to: at(5))
        device.noteLateness(from: at(4), to: at(6))
        device.noteLateness(from: at(8), to: at(8) + .milliseconds(1))
        #expect(device.householdLateness.total == .seconds(5) && device.delayed == .seconds(5))
        #expect(device.held(by: at(9)) == .zero)
        // Held back by a ceiling at the same time: that is one delay.
        device.beginDelay(at: at(9))
        device.noteLateness(from: at(9), to: at(11))
        device.endDelay(at: at(12))
        #expect(device.householdLateness.total == .seconds(7) && device.delayed == .seconds(8))
        #expect(device.held(by: at(12)) == .seconds(3))
    }

    @Test("of a stop counts what was before an instant in it, where a response came meanwhile")
    func within() {
        var late = LateTime()
        late.add(from: at(1), to: at(2))
        late.add(from: at(10), to: at(12))
        late.add(from: at(11), to: at(13))
        #expect(late.total == .seconds(4))
        let totals = [9, 10, 11, 12, 13, 14].map { late.total(by: at($0)) }
        #expect(totals == [1, 1, 2, 3, 4, 4].map { .seconds($0) })
    }

    @Test("what was due before the others of a stop, and sent after them, is counted once, too")
    func earlier() {
        var late = LateTime()
        late.add(from: at(1), to: at(3))
        late.add(from: at(10), to: at(13))
        late.add(from: at(5), to: at(13))
        #expect(late.total == .seconds(10))
        late.add(from: at(2), to: at(13))
        #expect(late.total == .seconds(12))
        late.add(from: at(14), to: at(14))
        #expect(late.total == .seconds(12))
    }

    @Test("what follows a response at once was due when that arrived, not when a late lane read it")
    func responses() {
        let sink = Collected()
        let lane = self.lane(on: FrozenLoop(), into: sink)
        let transport = LateReading(lane)
        lane.use(transport)
        lane.start { [call] in
            let device = plainDevice(0)
            _ = await lane.send(call, from: device)
            _ = await lane.send(call, from: device)
            await Task.yield()
            _ = await lane.send(call, from: device)
        }
        lane.run { true }
        #expect(
            sink.exchanges.map { [$0.planned, $0.begun, $0.ended] } == [
                [at(0), at(0), at(7)], [at(7), at(9), at(16)], [at(18), at(18), at(25)],
            ])
    }

    @Test("who asks for an instant that has passed is late from then on, whatever the lane's steps")
    func behind() throws {
        let sink = Collected()
        let lane = try self.lane(on: LiveLoop(origin: LiveLoop.monotonic()), into: sink)
        let transport = Answering(lane)
        lane.use(transport)
        let asked = Asked()
        lane.start { [call] in
            // Enough timers for steps of 2 ms.
            for _ in 0..<2_000 { try? await lane.sleep(until: lane.now) }
            try? await lane.sleep(for: Lane.batchEvery)
            let due = lane.now
            while lane.now <= due {}
            asked.note(due)
            try? await lane.sleep(until: due)
            _ = await lane.send(call, from: plainDevice(1), planned: due)
        }
        lane.run { true }
        #expect(sink.exchanges.map(\.planned) == asked.instants)
    }

    @Test("what is due goes before what was answered while the lane waited")
    func order() {
        let loop = AnsweringLoop()
        let lane = self.lane(on: loop, into: Nowhere())
        let order = Order()
        lane.start {
            await withUnsafeContinuation { loop.flow = $0 }
            order.note("answered")
        }
        lane.start {
            try? await lane.sleep(until: at(1))
            order.note("due")
        }
        lane.run { true }
        #expect(order.names == ["due", "answered"])
    }
}

/// Where each response arrives 7 s after its request, and is read 2 s later.
private final class LateReading: Transport {
    private unowned let lane: Lane

    init(_ lane: Lane) { self.lane = lane }

    func start(_ call: Call, from device: Device, completion: @escaping (Transfer) -> Void) {
        let sent = lane.now
        lane.at(sent + .seconds(9)) {
            completion(
                Transfer(
                    sent: sent, firstByte: sent + .seconds(7), ended: sent + .seconds(7),
                    result: .answered(Reply(status: 404))))
        }
    }
    func retire(_ device: Device) {}
    func abort() {}
}

/// Where something is answered before the lane wakes for its timer.
///
/// Safe because only its lane's thread uses it.
private final class AnsweringLoop: LaneLoop, @unchecked Sendable {
    private(set) var now: Instant = .start
    let canBeWoken = true
    var flow: UnsafeContinuation<Void, Never>?

    func wait(until deadline: Instant?, _ woken: () -> Void) -> Instant {
        now = max(now, deadline ?? now)
        woken()
        if now >= at(1), let flow {
            self.flow = nil
            flow.resume()
        }
        return now
    }

    func wake() {}
}

private final class Asked: Sendable {
    private let held = Mutex<[Instant]>([])
    func note(_ instant: Instant) { held.withLock { $0.append(instant) } }
    var instants: [Instant] { held.withLock { $0 } }
}

private final class Order: Sendable {
    private let held = Mutex<[String]>([])
    func note(_ name: String) { held.withLock { $0.append(name) } }
    var names: [String] { held.withLock { $0 } }
}
