import Dialects
import Glibc
import Journal
import Lanes
import TestSupport
import Testing
import Vocabulary

@testable import Wire

@Suite("connections", .serialized)
struct ConnectionTests {
    @Test("two devices never share a connection, and each keeps its own", arguments: engines)
    func perDevice(_ engine: TransportOptions.Engine) throws {
        let server = RoughServer.plain()
        defer { server.stop() }
        let port = server.port
        let rounds = try Bench.run(engine: engine) { bench in
            let devices = (1...10).map { plainDevice($0) }
            var rounds: [[Transfer]] = []
            for _ in 1...3 {
                var round: [Transfer] = []
                for device in devices {
                    round.append(await bench.exchange(get(port), from: device))
                }
                rounds.append(round)
            }
            return rounds
        }
        let connections = rounds.map { $0.map(\.route.connection) }
        #expect(Set(connections[0]).count == 10)
        #expect(connections[1] == connections[0] && connections[2] == connections[0])
        #expect(rounds[0].allSatisfy { !$0.route.reused })
        #expect(rounds[1].allSatisfy { $0.route.reused })
        #expect(server.connections == 10)
    }

    @Test("one device has a connection for each origin, by name or address", arguments: engines)
    func origins(_ engine: TransportOptions.Engine) throws {
        let servers = [RoughServer.plain("a"), RoughServer.plain("b")]
        defer { for server in servers { server.stop() } }
        let ports = servers.map(\.port)
        let bodies = try Bench.run(engine: engine) { bench in
            let device = plainDevice()
            var bodies: [String] = []
            for host in ["127.0.0.1", "localhost", "127.0.0.1"] {
                for port in ports {
                    let transfer = await bench.exchange(get(port, host: host), from: device)
                    bodies.append(transfer.reply?.text ?? "\(transfer.result)")
                }
            }
            return bodies
        }
        #expect(bodies == ["a", "b", "a", "b", "a", "b"])
        #expect(servers.map(\.connections) == [2, 2])
    }

    @Test("the host header is the real one, not the alias", arguments: engines)
    func hostHeader(_ engine: TransportOptions.Engine) throws {
        let seen = Seen()
        let server = RoughServer { visit in
            while let request = visit.request() {
                seen.add(request)
                visit.answer("")
            }
        }
        defer { server.stop() }
        let port = server.port
        try Bench.run(engine: engine) { bench in
            _ = await bench.exchange(get(port, host: "localhost"), from: plainDevice())
        }
        #expect(seen.all[0].contains("\r\nHost: localhost:\(port)\r\n"))
    }

    @Test(
        "two requests of one device at once go over two connections of its own", arguments: engines)
    func concurrent(_ engine: TransportOptions.Engine) throws {
        let server = RoughServer { visit in
            while visit.request() != nil {
                visit.pause(20)
                visit.answer("{}")
            }
        }
        defer { server.stop() }
        let port = server.port
        let (first, second) = try Bench.run(engine: engine) { bench in
            let (one, two) = (plainDevice(1), plainDevice(2))
            let calls = [one, one, two].map { (call: get(port), device: $0) }
            return (await bench.exchange(calls), await bench.exchange(calls))
        }
        #expect(Set(first.map(\.route.connection)).count == 3)
        let numbers = [first, second].map { $0[..<2].map(\.route.connection).sorted() }
        #expect(numbers[0] == numbers[1])
        #expect(second[2].route.connection == first[2].route.connection)
    }

    @Test("pooled: a free connection serves any device", arguments: engines)
    func pooled(_ engine: TransportOptions.Engine) throws {
        let server = RoughServer.plain()
        defer { server.stop() }
        let port = server.port
        let transfers = try Bench.run(engine: engine, WireSettings(connections: .pooled)) { bench in
            var transfers: [Transfer] = []
            for household in 1...5 {
                let device = plainDevice(household)
                transfers.append(await bench.exchange(get(port, host: "localhost"), from: device))
                bench.transport.retire(device)
            }
            return transfers
        }
        #expect(Set(transfers.map(\.route.connection)).count == 1)
        #expect(server.connections == 1)
    }

    @Test("fresh: each request has a new connection, closed after it", arguments: engines)
    func fresh(_ engine: TransportOptions.Engine) throws {
        let server = RoughServer.plain()
        defer { server.stop() }
        let port = server.port
        let (transfers, open) = try Bench.run(engine: engine, WireSettings(connections: .fresh)) {
            bench in
            let device = plainDevice()
            var transfers: [Transfer] = []
            for _ in 1...5 { transfers.append(await bench.exchange(get(port), from: device)) }
            return (transfers, bench.transport.openConnections)
        }
        #expect(Set(transfers.map(\.route.connection)).count == 5)
        #expect(transfers.allSatisfy { !$0.route.reused })
        #expect(server.connections == 5 && open == 0)
    }

    @Test(
        "a device that is switched off closes its connections at once, and its place is free",
        arguments: engines)
    func retire(_ engine: TransportOptions.Engine) throws {
        let server = RoughServer.plain()
        defer { server.stop() }
        let port = server.port
        var settings = WireSettings()
        settings.shardSize = 4
        let (open, kept) = try Bench.run(engine: engine, settings) { bench in
            let staying = plainDevice(0)
            let before = await bench.exchange(get(port), from: staying)
            var open: [Int] = []
            for household in 1...20 {
                let device = plainDevice(household)
                _ = await bench.exchange(get(port, host: "localhost"), from: device)
                _ = await bench.exchange(get(port), from: device)
                bench.transport.retire(device)
                open.append(bench.transport.openConnections)
            }
            let after = await bench.exchange(get(port), from: staying)
            return (open, before.route.connection == after.route.connection)
        }
        #expect(open.allSatisfy { $0 == 1 }, "\(open)")
        #expect(kept)
    }

    @Test("2,000 devices one after another do not pile up descriptors", arguments: engines)
    func manyDevices(_ engine: TransportOptions.Engine) throws {
        let server = RoughServer.plain()
        defer { server.stop() }
        let port = server.port
        let (failures, most, numbers) = try Bench.run(engine: engine) { bench in
            var failures = 0
            var most = 0
            var numbers = Set<Int>()
            var alive: [Device] = []
            for household in 1...2000 {
                let device = plainDevice(household)
                let transfer = await bench.exchange(get(port), from: device)
                if transfer.reply?.status != 200 { failures += 1 }
                numbers.insert(transfer.route.connection)
                alive.append(device)
                if alive.count > 30 { bench.transport.retire(alive.removeFirst()) }
                most = max(most, bench.transport.openConnections)
            }
            return (failures, most, numbers.count)
        }
        #expect(failures == 0)
        #expect(numbers == 2000)
        #expect(most <= 31)
        for _ in 1...250 where openSockets(to: port) >= 100 { usleep(20_000) }
        #expect(openSockets(to: port) < 100)
    }

    @Test("200 devices at once, in shards, each over its own connection", arguments: engines)
    func manyAtOnce(_ engine: TransportOptions.Engine) throws {
        let server = RoughServer { visit in
            while visit.request() != nil {
                visit.pause(20)
                visit.answer("{}")
            }
        }
        defer { server.stop() }
        let port = server.port
        var settings = WireSettings()
        settings.shardSize = 30
        let rounds = try Bench.run(engine: engine, settings) { bench in
            let calls = (1...200).map { (call: get(port), device: plainDevice($0)) }
            return [await bench.exchange(calls), await bench.exchange(calls)]
        }
        for round in rounds {
            #expect(round.allSatisfy { $0.reply?.status == 200 })
            #expect(Set(round.map(\.route.connection)).count == 200)
        }
        #expect(rounds[0].map(\.route.connection) == rounds[1].map(\.route.connection))
        #expect(server.connections == 200)
    }

    @Test(
        "a server that closes kept connections costs a new connection, nothing else",
        arguments: engines)
    func idleClose(_ engine: TransportOptions.Engine) throws {
        let server = RoughServer { visit in
            if visit.request() != nil { visit.answer("{}") }
        }
        defer { server.stop() }
        let port = server.port
        let (transfers, turns) = try Bench.run(engine: engine) { bench in
            let device = plainDevice()
            var transfers: [Transfer] = []
            for number in 1...3 {
                transfers.append(await bench.exchange(get(port), from: device))
                repeat {
                    try? await bench.lane.sleep(for: .milliseconds(20))
                } while server.closedConnections < number
            }
            return (transfers, bench.transport.openConnections)
        }
        #expect(transfers.allSatisfy { $0.reply?.status == 200 && !$0.route.reused })
        #expect(turns <= 2)
    }
}
