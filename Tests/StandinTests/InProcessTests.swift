import Dialects
import Journal
import Lanes
import Standin
import Statistics
import TestSupport
import Testing

@Suite("the service in process, behind a seeded network")
struct InProcessTests {
    /// What came of each exchange, by its number.
    final class Log {
        var transfers: [Int: Transfer] = [:]
    }

    /// A lane in virtual time with `devices` that each poll `polls` times, a second apart.
    private static func run(
        network: Network, seed: Seed = Seed(1), devices: [Int], polls: Int = 5,
        timeout: Duration = .seconds(10), abortAt: Instant? = nil
    ) -> [Int: Transfer] {
        let lane = Lane(
            index: 0, loop: VirtualLoop(),
            exchangeBuilder: ExchangeBuilder(
                run: "r", fingerprinter: Fingerprinter(key: 1)), sink: Nowhere())
        let settings = ServiceSettings(policies: .init(throttle: nil), auth: .none)
        let service = Service(settings, seed: seed, epochMilliseconds: Caller.epoch)
        let transport = InProcess(
            lane: lane, service: service, network: network, seed: seed, timeout: timeout)
        lane.use(transport)
        let log = Log()
        for household in devices {
            let info = DeviceInfo(
                model: "m", osName: "tvOS", osVersion: "1", primaryHardwareType: "TV")
            let device = Device(
                id: DeviceID(household: household, role: .firstScreen),
                identity: DeviceIdentity(
                    id: "tv-\(household)", info: info, userAgent: "u", forwardedFor: nil),
                dialect: plainDialect, counter: Device.Counter())
            let origin = Origin(scheme: .http, host: "standin")
            let target = "/api/v1/tokens/authn?requestor=DEMOTV&deviceId=tv-\(household)"
            let call = Call(.pollToken, .get, WebAddress(origin: origin, target: target))
            for poll in 0..<polls {
                lane.at(.start + .seconds(poll)) {
                    transport.start(call, from: device) {
                        log.transfers[household * 100 + poll] = $0
                    }
                }
            }
        }
        if let abortAt { lane.at(abortAt) { transport.abort() } }
        lane.run(until: { log.transfers.count == devices.count * polls })
        return log.transfers
    }

    @Test("an exchange takes the latency there and back")
    func latency() throws {
        let network = Network(latency: .fixed(.milliseconds(3)))
        let transfers = Self.run(network: network, devices: [1], polls: 2)
        let first = try #require(transfers[100])
        #expect(first.sent == .start)
        #expect(first.firstByte == Instant(.milliseconds(6)))
        #expect(first.ended == first.firstByte)
        #expect(first.bytesReceived > 0)
        guard case .answered(let reply) = first.result else {
            Issue.record("no answer")
            return
        }
        #expect(reply.status == 404)
        #expect(first.route.connection == 1 << 12 | 1 << 6)
        #expect(!first.route.reused)
        #expect(first.route.remote == "in-process")
        #expect(transfers[101]?.route.reused == true)
        #expect(transfers[101]?.sent == Instant(.seconds(1)))
    }

    @Test("what is lost becomes a timeout, neither earlier nor later")
    func loss() {
        let transfers = Self.run(network: Network(loss: 1), devices: [1], timeout: .seconds(2))
        for transfer in transfers.values {
            guard case .lost(let error) = transfer.result else {
                Issue.record("answered")
                continue
            }
            #expect(error.kind == .timeout)
            #expect(transfer.firstByte == nil)
            #expect(transfer.sent.map { transfer.ended - $0 } == .seconds(2))
        }
    }

    @Test(
        "an answer that comes too late is a timeout",
        arguments: [(999, true), (1000, true), (1001, false)])
    func slow(milliseconds: Int, arrives: Bool) {
        let network = Network(latency: .fixed(.milliseconds(milliseconds) / 2))
        let transfers = Self.run(network: network, devices: [1], polls: 1, timeout: .seconds(1))
        for transfer in transfers.values {
            if case .answered = transfer.result {
                #expect(arrives)
            } else {
                #expect(!arrives)
                #expect(transfer.ended == Instant(.seconds(1)))
            }
        }
    }

    @Test("the same seed gives the same weather; another device more does not change it")
    func deterministic() {
        let network = Network(latency: .fixed(.milliseconds(1)), loss: 0.2)
        let weather = { (transfers: [Int: Transfer], devices: [Int]) in
            transfers.filter { devices.contains($0.key / 100) }.mapValues { $0.ended }
        }
        let two = Self.run(network: network, devices: [1, 2], polls: 50)
        #expect(
            weather(two, [1, 2])
                == weather(Self.run(network: network, devices: [1, 2], polls: 50), [1, 2]))
        let three = Self.run(network: network, devices: [3, 1, 2], polls: 50)
        #expect(weather(three, [1, 2]) == weather(two, [1, 2]))
        let lost = two.values.filter { if case .lost = $0.result { true } else { false } }.count
        #expect((10...60).contains(lost))
        let other = Self.run(network: network, seed: Seed(2), devices: [1, 2], polls: 50)
        #expect(weather(other, [1, 2]) != weather(two, [1, 2]))
    }

    @Test("a stop ends what is under way, once")
    func abort() {
        let network = Network(latency: .fixed(.seconds(3)))
        let transfers = Self.run(
            network: network, devices: [1, 2], polls: 1, abortAt: Instant(.seconds(1)))
        #expect(transfers.count == 2)
        for transfer in transfers.values {
            guard case .lost(let error) = transfer.result else {
                Issue.record("answered")
                continue
            }
            #expect(error.kind == .stopped)
            #expect(transfer.ended == Instant(.seconds(1)))
        }
    }
}
