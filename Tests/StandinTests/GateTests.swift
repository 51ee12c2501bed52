import Dialects
import Journal
import Lanes
import Statistics
import Synchronization
import TestSupport
import Testing

@testable import Standin

@Suite("The gate in virtual time")
struct GateTests {
    /// Runs `story` on a virtual lane with the stand-in behind 2 ms of network.
    private func run<Value: Sendable>(
        _ story: @escaping @Sendable (Lane) async -> Value
    ) -> Value {
        let lane = Lane(
            index: 0, loop: VirtualLoop(),
            exchangeBuilder: ExchangeBuilder(
                run: "test", fingerprinter: Fingerprinter(key: 1)),
            sink: Nowhere())
        let service = Service(ServiceSettings(), seed: Seed(1), epochMilliseconds: 0)
        lane.use(
            InProcess(
                lane: lane, service: service,
                network: Network(latency: .fixed(.milliseconds(2)), loss: 0), seed: Seed(2),
                timeout: .seconds(10)))
        let box = Box<Value>()
        lane.start {
            let value = await story(lane)
            box.value.withLock { $0 = value }
        }
        lane.run { true }
        return box.value.withLock { $0! }
    }

    private final class Box<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }

    private static var call: Call {
        Call(
            .configuration, .get,
            WebAddress(
                origin: Origin(scheme: .http, host: "127.0.0.1"), target: "/config/DEMOTV"))
    }

    @Test("what is held reaches nobody until it is released, and all are released at one instant")
    func released() {
        let exchanges = run { lane in
            let held = [
                await lane.hold(Self.call, from: plainDevice(1)),
                await lane.hold(Self.call, from: plainDevice(2)),
            ]
            try? await lane.sleep(for: .seconds(3))
            lane.release(held)
            var exchanges: [Exchange] = []
            for one in held { exchanges.append(await lane.answer(to: one).exchange) }
            return exchanges
        }
        let release = Instant.start + .seconds(3)
        #expect(exchanges.map(\.planned) == [release, release])
        #expect(exchanges.map(\.sent) == [release, release])
        #expect(exchanges.allSatisfy { $0.delivery.status != nil })
        #expect(exchanges.allSatisfy { $0.ended == release + .milliseconds(4) })
    }

    @Test("the answers of what is released first come first, in the order of the list")
    func order() {
        let ended = run { lane in
            let first = await lane.hold(Self.call, from: plainDevice(1))
            let second = await lane.hold(Self.call, from: plainDevice(2))
            lane.release([second])
            try? await lane.sleep(for: .milliseconds(1))
            lane.release([first])
            return [
                await lane.answer(to: first).exchange.ended,
                await lane.answer(to: second).exchange.ended,
            ]
        }
        #expect(ended[1] < ended[0])
    }

    @Test("releasing twice sends once")
    func twice() {
        let sequence = run { lane in
            let device = plainDevice(1)
            let held = await lane.hold(Self.call, from: device)
            lane.release([held, held])
            lane.release([held])
            let first = await lane.answer(to: held).exchange.sequence
            return [first, await lane.send(Self.call, from: device).exchange.sequence]
        }
        #expect(sequence == [1, 2])
    }
}
