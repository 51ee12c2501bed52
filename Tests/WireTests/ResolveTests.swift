import Dialects
import Journal
import Lanes
import TestSupport
import Testing
import Vocabulary

@testable import Wire

@Suite("pinned addresses", .serialized)
struct ResolveTests {
    /// Knows no name.
    @Sendable private static func nobody(_ host: String) -> NameTable.LookupResult {
        .failure(.init(description: "asked"))
    }

    private static func pin(
        _ addresses: [String], _ spread: TransportOptions.Spread = .household
    ) throws -> PinnedAddresses {
        try #require(
            PinnedAddresses(host: "auth.example", addresses: addresses, spread: spread))
    }

    @Test("nobody is asked for a pinned name, and the request says the name", arguments: engines)
    func instead(engine: TransportOptions.Engine) throws {
        let server = RoughServer { visit in
            while let request = visit.request() { visit.answer("\(request)") }
        }
        defer { server.stop() }
        let port = server.port
        let settings = WireSettings(pinned: [try Self.pin(["127.0.0.1"])])
        let transfer = try Bench.run(
            engine: engine, settings, lookup: Self.nobody
        ) { bench in
            await bench.exchange(get(port, host: "auth.example"), from: plainDevice())
        }
        #expect(transfer.reply?.text.contains("auth.example:\(port)") == true)
        #expect(transfer.route.remote == "127.0.0.1:\(port)")
    }

    @Test("one at which nothing listens is named", arguments: engines)
    func dead(engine: TransportOptions.Engine) throws {
        let server = RoughServer { _ in }
        let port = server.port
        server.stop()
        let settings = WireSettings(
            permission: Permission(named: ["auth.example"]), pinned: [try Self.pin(["127.0.0.2"])])
        let transfer = try Bench.run(engine: engine, settings) { bench in
            await bench.exchange(get(port, host: "auth.example"), from: plainDevice())
        }
        #expect(transfer.refusal?.kind == .connectionRefused)
        let words =
            "nothing listens on 127.0.0.2:\(port) (target.resolve of auth.example); start the service or correct "
            + "target.resolve"
        #expect(
            transfer.refusal?.detail.hasPrefix(words) == true, "\(transfer.refusal?.detail ?? "")")
    }

    @Test("pinning a host allows nothing", arguments: engines)
    func permission(engine: TransportOptions.Engine) throws {
        let settings = WireSettings(pinned: [try Self.pin(["203.0.113.7"])])
        let transfer = try Bench.run(engine: engine, settings) { bench in
            await bench.exchange(get(1, host: "auth.example"), from: plainDevice())
        }
        #expect(transfer.refusal?.kind == .hostNotAllowed)
        #expect(
            transfer.refusal?.detail
                == "auth.example is not a loopback address; list it under target.allow or pass "
                + "--allow auth.example")
    }

    @Test("a host that is not pinned is looked up as ever", arguments: engines)
    func others(engine: TransportOptions.Engine) throws {
        let settings = WireSettings(
            permission: Permission(named: ["other.example"]),
            pinned: [try Self.pin(["127.0.0.1"])])
        let transfer = try Bench.run(
            engine: engine, settings, lookup: Self.nobody
        ) { bench in
            await bench.exchange(get(1, host: "other.example"), from: plainDevice())
        }
        #expect(transfer.refusal?.kind == .nameNotResolved)
    }

    @Test(
        "whose turn it is",
        arguments: [
            (TransportOptions.Spread.household, [1, 1, 2, 2, 3, 3]),
            (.screen, [1, 2, 2, 3, 3, 1]),
            (.request, [1, 2, 3, 1, 2, 3]),
        ])
    func turns(spread: TransportOptions.Spread, expected: [Int]) throws {
        let pin = try Self.pin(["127.0.0.1", "127.0.0.2", "127.0.0.3"], spread)
        var request = 0
        var found: [String] = []
        for household in 0..<3 {
            for role in [DeviceID.Role.firstScreen, .secondScreen] {
                let device = DeviceID(household: household, role: role)
                found.append(pin.address(for: device, request: request).description)
                request += 1
            }
        }
        #expect(found == expected.map { "127.0.0.\($0)" })
    }

    @Test("a device keeps to its address; fresh requests take turns", arguments: engines)
    func spread(engine: TransportOptions.Engine) throws {
        // One server, on one of the two addresses: only half of the requests can reach it.
        let server = RoughServer.plain()
        defer { server.stop() }
        let port = server.port
        let addresses = ["127.0.0.1", "127.0.0.9"]
        let kept = WireSettings(pinned: [try Self.pin(addresses)])
        let byHousehold = try Bench.run(engine: engine, kept) { bench in
            var reached: [Bool] = []
            for household in [0, 1, 2, 0] {
                let device = plainDevice(household)
                for _ in 0..<2 {
                    let transfer = await bench.exchange(
                        get(port, host: "auth.example"), from: device)
                    reached.append(transfer.reply != nil)
                }
            }
            return reached
        }
        #expect(byHousehold == [true, true, false, false, true, true, true, true])
        let fresh = WireSettings(
            connections: .fresh, pinned: [try Self.pin(addresses, .request)])
        let byRequest = try Bench.run(engine: engine, fresh) { bench in
            let device = plainDevice()
            var reached: [Bool] = []
            for _ in 0..<6 {
                let transfer = await bench.exchange(
                    get(port, host: "auth.example"), from: device)
                reached.append(transfer.reply != nil)
            }
            return reached
        }
        #expect(byRequest == [true, false, true, false, true, false])
    }

    @Test("a device that has a connection needs no new one", arguments: engines)
    func connecting(engine: TransportOptions.Engine) throws {
        let server = RoughServer.plain()
        defer { server.stop() }
        let port = server.port
        func connects(_ connections: TransportOptions.Connections) throws -> [Bool] {
            try Bench.run(engine: engine, WireSettings(connections: connections)) { bench in
                let device = plainDevice()
                let before = bench.transport.wouldConnect(for: get(port), from: device)
                _ = await bench.exchange(get(port), from: device)
                let after = bench.transport.wouldConnect(for: get(port), from: device)
                let elsewhere = bench.transport.wouldConnect(for: get(port + 1), from: device)
                return [before, after, elsewhere]
            }
        }
        #expect(try connects(.perDevice) == [true, false, true])
        #expect(try connects(.fresh) == [true, true, true])
    }

    @Test("what is no address pins nothing")
    func none() {
        #expect(PinnedAddresses(host: "a", addresses: []) == nil)
        #expect(PinnedAddresses(host: "a", addresses: ["127.0.0.1", "b.example"]) == nil)
    }
}
