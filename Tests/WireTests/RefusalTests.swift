import Dialects
import Glibc
import Journal
import Lanes
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import Wire

@Suite("what never leaves, and what is stopped", .serialized)
struct RefusalTests {
    @Test("a closed port is refused, with the place and what to do", arguments: engines)
    func closedPort(_ engine: TransportOptions.Engine) throws {
        let server = RoughServer.plain()
        let port = server.port
        server.stop()
        let transfer = try Bench.run(engine: engine) { bench in
            await bench.exchange(get(port, host: "localhost"), from: plainDevice())
        }
        #expect(transfer.refusal?.kind == .connectionRefused)
        let detail = transfer.refusal?.detail ?? ""
        #expect(
            detail.hasPrefix(
                "nothing listens on localhost:\(port); start the service or correct target.base"))
        #expect(!detail.contains("invalid"))
        #expect(transfer.sent == nil && transfer.firstByte == nil)
    }

    @Test(
        "libcurl's sentences have no durations: one cause is one line of the report",
        arguments: [
            (
                "Failed to connect to 127.0.0.1 port 1 after 7 ms: Couldn't connect",
                "Failed to connect to 127.0.0.1 port 1: Couldn't connect"
            ),
            ("Connection timed out after 2001 milliseconds", "Connection timed out"),
            ("bad header after 3 bytes", "bad header after 3 bytes"), ("", ""),
        ])
    func timeless(words: String, shown: String) {
        #expect(TransferFailure.timeless(words) == shown)
    }

    @Test("a port that nobody accepts on runs into the time-out, refused", arguments: engines)
    func silentPort(_ engine: TransportOptions.Engine) throws {
        // A full backlog: the kernel answers no more handshakes.
        let (listener, port) = Loopback.listening(backlog: 0)
        defer { close(listener) }
        let transfers = try Bench.run(engine: engine, WireSettings(timeout: .seconds(2))) {
            bench in
            await bench.exchange((1...4).map { (call: get(port), device: plainDevice($0)) })
        }
        let refused = transfers.compactMap(\.refusal)
        #expect(!refused.isEmpty && refused.allSatisfy { $0.kind == .timeout })
        #expect(
            refused.first?.detail.hasPrefix("no connection to 127.0.0.1:\(port) within") == true)
    }

    @Test(
        "a TLS handshake that is never answered is told from a connection that is not",
        arguments: engines)
    func silentHandshake(_ engine: TransportOptions.Engine) throws {
        let server = RoughServer { visit in _ = visit.request() }
        defer { server.stop() }
        let port = server.port
        let transfers = try Bench.run(engine: engine, WireSettings(timeout: .seconds(2))) { bench in
            await bench.exchange([(call: get(port, scheme: .https), device: plainDevice(1))])
        }
        let refusal = try #require(transfers.first?.refusal)
        #expect(refusal.kind == .timeout)
        #expect(
            refusal.detail.hasPrefix(
                "127.0.0.1:\(port) accepted the connection and did not answer the TLS handshake within"
            ),
            "\(refusal.detail)")
    }

    @Test("a name is looked up once for all who wait, and remembered", arguments: engines)
    func names(_ engine: TransportOptions.Engine) throws {
        let server = RoughServer.plain()
        defer { server.stop() }
        let port = server.port
        let asked = Seen()
        let transfers = try Bench.run(
            engine: engine, WireSettings(permission: Permission(named: ["a.test"])),
            lookup: { host in
                asked.add(host)
                usleep(20_000)
                return .success([IPAddress("127.0.0.1")!])
            },
            { bench in
                let calls = (1...5).map {
                    (call: get(port, host: "a.test"), device: plainDevice($0))
                }
                return await bench.exchange(calls) + (await bench.exchange(calls))
            })
        #expect(transfers.allSatisfy { $0.reply?.status == 200 })
        #expect(asked.all == ["a.test"])
    }

    @Test(
        "a name without address, and one that takes too long, are refused in their own words",
        arguments: engines)
    func noName(_ engine: TransportOptions.Engine) throws {
        let settings = WireSettings(
            timeout: .seconds(2), permission: Permission(named: ["no.test", "slow.test"]))
        let transfers = try Bench.run(
            engine: engine,
            settings,
            lookup: { host in
                guard host == "slow.test" else {
                    return .failure(.init(description: "name or service not known"))
                }
                usleep(3_000_000)
                return .success([IPAddress("127.0.0.1")!])
            },
            { bench in
                await bench.exchange([
                    (call: get(1, host: "no.test"), device: plainDevice(1)),
                    (call: get(1, host: "slow.test"), device: plainDevice(2)),
                ])
            })
        #expect(transfers.map(\.refusal?.kind) == [.nameNotResolved, .timeout])
        #expect(
            transfers[0].refusal?.detail
                == "no.test has no address (name or service not known); correct the name or "
                + "/etc/hosts")
        #expect(transfers[1].refusal?.detail.hasPrefix("the address of slow.test was not") == true)
    }

    @Test(
        "abort ends everything under way at once, truly: sent is lost, unsent is refused",
        arguments: engines)
    func abort(_ engine: TransportOptions.Engine) throws {
        let server = RoughServer { visit in
            _ = visit.request()
            visit.pause(3000)
        }
        defer { server.stop() }
        let port = server.port
        let (transfers, took, open) = try Bench.run(
            engine: engine, WireSettings(permission: Permission(named: ["slow.test"])),
            lookup: { _ in
                usleep(3_000_000)
                return .success([])
            },
            { bench in
                let lane = bench.lane
                let began = lane.now
                lane.at(began + .milliseconds(50)) { bench.transport.abort() }
                let transfers = await bench.exchange([
                    (call: get(port), device: plainDevice(1)),
                    (call: get(port), device: plainDevice(2)),
                    (call: get(port, host: "slow.test"), device: plainDevice(3)),
                ])
                return (transfers, lane.now - began, bench.transport.openConnections)
            })
        #expect(transfers.map { $0.loss?.kind } == [.stopped, .stopped, nil])
        #expect(transfers[2].refusal?.kind == .stopped)
        #expect(transfers[0].sent != nil && transfers[2].sent == nil)
        #expect(took < .seconds(2))
        #expect(open == 0)
    }

    @Test("a lane that is stopped ends its exchanges and its run", arguments: engines)
    func stop(_ engine: TransportOptions.Engine) throws {
        let server = RoughServer { visit in
            _ = visit.request()
            visit.pause(3000)
        }
        defer { server.stop() }
        let port = server.port
        let (answered, sleeps) = try Bench.run(engine: engine) { bench in
            bench.lane.stop(at: bench.lane.now + .milliseconds(50))
            let answered = await bench.lane.send(get(port), from: plainDevice())
            do throws(Stopped) {
                try await bench.lane.sleep(for: .seconds(10))
                return (answered, true)
            } catch { return (answered, false) }
        }
        #expect(answered.exchange.delivery.error?.kind == .stopped)
        // The server had read it.
        #expect(answered.exchange.outcome == .cutOff && answered.exchange.isTimed)
        #expect(!sleeps)
    }

    @Test("a device that is switched off in the middle of a request ends it", arguments: engines)
    func retireUnderWay(_ engine: TransportOptions.Engine) throws {
        let server = RoughServer { visit in
            _ = visit.request()
            visit.pause(3000)
        }
        defer { server.stop() }
        let port = server.port
        let (transfer, open) = try Bench.run(engine: engine) { bench in
            let (one, two) = (plainDevice(1), plainDevice(2))
            bench.lane.at(bench.lane.now + .milliseconds(30)) { bench.transport.retire(one) }
            bench.lane.at(bench.lane.now + .milliseconds(60)) { bench.transport.abort() }
            let transfers = await bench.exchange([
                (call: get(port), device: one), (call: get(port), device: two),
            ])
            return (transfers[0], bench.transport.openConnections)
        }
        #expect(transfer.loss == .switchedOff)
        #expect(open == 0)
    }

    @Test("the limits of the machine are read, and the soft one raised")
    func limits() {
        let raised = WireLimits.raiseDescriptorLimit()
        #expect(raised.soft == raised.hard && raised.hard > 100)
        #expect(WireLimits.descriptors() == raised)
        #expect(WireLimits.ephemeralPorts().count > 1000)
    }
}
