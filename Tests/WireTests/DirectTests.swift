import Dialects
import Glibc
import Journal
import Lanes
import TestSupport
import Testing
import Vocabulary

@testable import Wire

@Suite("the direct engine", .serialized)
struct DirectTests {
    private func post(_ port: Int, _ body: [UInt8]) -> Call {
        Call(
            .authenticate, .post,
            WebAddress(
                origin: Origin(scheme: .http, host: "127.0.0.1", port: port), target: "/"),
            body: body)
    }

    @Test(
        "tells how long a connection took to make, with the exchange that needed it",
        arguments: engines)
    func opening(_ engine: TransportOptions.Engine) throws {
        let files = try Certificates(["server"])
        let server = try TidyServer(.http1, certificates: files)
        let plain = RoughServer.plain()
        defer {
            server.stop()
            plain.stop()
        }
        let (secured, open) = (server.port, plain.port)
        let settings = WireSettings(tls: .init(ca: files.path("ca.pem")))
        let transfers = try Bench.run(engine: engine, settings) { bench in
            let device = plainDevice()
            var transfers: [Transfer] = []
            for call in [secure(secured), secure(secured), get(open), get(open)] {
                transfers.append(await bench.exchange(call, from: device))
            }
            return transfers
        }
        #expect(transfers.allSatisfy { $0.reply?.status == 200 })
        let overTLS = try #require(transfers[0].opened)
        let sent = try #require(transfers[0].sent)
        #expect(overTLS.connect > .zero && overTLS.began < sent)
        #expect(try #require(overTLS.tls) > overTLS.connect)
        #expect(overTLS.began + overTLS.connect + overTLS.tls! <= sent)
        #expect(try #require(transfers[2].opened).tls == nil)
        #expect(transfers[1].opened == nil && transfers[3].opened == nil)
    }

    @Test("a body larger than the socket takes goes out in pieces; sent is the last one's stamp")
    func largeBody() throws {
        let seen = Seen()
        let server = RoughServer { visit in
            visit.pause(60)
            let count = visit.swallow(atMost: 8_000_000)
            seen.add(String(count))
            visit.answer("ok")
            visit.pause(50)
        }
        defer { server.stop() }
        let port = server.port
        let body = [UInt8](repeating: 120, count: 8_000_000)
        let (began, transfer) = try Bench.run(WireSettings(engine: .direct)) { bench in
            let began = bench.lane.now
            return (began, await bench.exchange(post(port, body), from: plainDevice()))
        }
        #expect(transfer.reply?.text == "ok", "\(transfer.result)")
        #expect(seen.all.first.flatMap { Int($0) }.map { $0 >= 8_000_000 } == true)
        let sent = try #require(transfer.sent)
        #expect(sent - began >= .milliseconds(50))
    }

    @Test("a large body goes out over TLS too, whose writes must be repeated as they were")
    func largeBodyOverTLS() throws {
        let files = try Certificates(["server"])
        let server = try TidyServer(.http1, certificates: files)
        defer { server.stop() }
        var call = secure(server.port, "/up")
        call.method = .post
        call.body = [UInt8](repeating: 120, count: 4_000_000)
        let settings = WireSettings(engine: .direct, tls: .init(ca: files.path("ca.pem")))
        let transfer = try Bench.run(settings) { [call] bench in
            await bench.exchange(call, from: plainDevice())
        }
        #expect(transfer.reply?.text == "1.1 /up 4000000", "\(transfer.result)")
    }

    @Test("an answer that comes before the request is out is an answer; the connection is not kept")
    func earlyAnswer() throws {
        let server = RoughServer { visit in
            visit.answer("no", status: "413 Content Too Large")
            visit.pause(100)
        }
        defer { server.stop() }
        let port = server.port
        let body = [UInt8](repeating: 120, count: 8_000_000)
        let transfers = try Bench.run(WireSettings(engine: .direct)) { bench in
            let device = plainDevice()
            return [
                await bench.exchange(post(port, body), from: device),
                await bench.exchange(get(port), from: device),
            ]
        }
        #expect(transfers.map { $0.reply?.status } == [413, 413])
        #expect(server.connections == 2)
    }

    @Test("bytes after an answer belong to nothing: the connection is not used again")
    func strayBytes() throws {
        let server = RoughServer { visit in
            while visit.request() != nil {
                visit.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\n")
            }
        }
        defer { server.stop() }
        let port = server.port
        let transfers = try Bench.run(WireSettings(engine: .direct)) { bench in
            let device = plainDevice()
            return [
                await bench.exchange(get(port), from: device),
                await bench.exchange(get(port), from: device),
            ]
        }
        #expect(transfers.map { $0.reply?.text } == ["ok", "ok"])
        #expect(transfers.allSatisfy { !$0.route.reused })
    }

    @Test(
        "requests that are spread over addresses do not stay on the connection they find",
        arguments: [TransportOptions.Connections.perDevice, .pooled])
    func spread(_ connections: TransportOptions.Connections) throws {
        let server = RoughServer.plain()
        defer { server.stop() }
        let port = server.port
        // Nothing listens on the second one.
        let pin = try #require(
            PinnedAddresses(
                host: "far.test", addresses: ["127.0.0.1", "127.0.0.2"], spread: .request))
        var settings = WireSettings(connections: connections, engine: .direct)
        settings.pinned = [pin]
        let kinds = try Bench.run(settings) { bench in
            let device = plainDevice()
            var kinds: [String] = []
            for _ in 1...4 {
                let transfer = await bench.exchange(get(port, host: "far.test"), from: device)
                kinds.append(transfer.refusal?.kind.rawValue ?? "answered")
            }
            return kinds
        }
        #expect(kinds == ["answered", "connection-refused", "answered", "connection-refused"])
        #expect(server.connections == 1)
    }

    @Test("a kept connection that the server closed is noticed before it is used")
    func noticed() throws {
        let server = RoughServer { visit in
            if visit.request() != nil { visit.answer("{}") }
        }
        defer { server.stop() }
        let port = server.port
        let (transfers, open) = try Bench.run(WireSettings(engine: .direct)) { bench in
            let device = plainDevice()
            var transfers: [Transfer] = []
            for _ in 1...3 {
                transfers.append(await bench.exchange(get(port), from: device))
                // On a busy machine the server's thread closes late.
                for _ in 0..<500 where bench.transport.openConnections > 0 {
                    try? await bench.lane.sleep(for: .milliseconds(10))
                }
            }
            return (transfers, bench.transport.openConnections)
        }
        #expect(transfers.allSatisfy { $0.reply?.status == 200 && !$0.route.reused })
        #expect(open == 0)
    }

    @Test("a kept connection that is found dead with nothing sent costs a new one, nothing else")
    func repeated() throws {
        let server = RoughServer.plain()
        defer { server.stop() }
        let port = server.port
        let transfers = try Bench.run(WireSettings(engine: .direct)) { bench in
            let device = plainDevice()
            let first = await bench.exchange(get(port), from: device)
            // As a reset that came between two turns of the lane: writing fails at once.
            for descriptor in bench.transport.descriptors { shutdown(descriptor, Int32(SHUT_WR)) }
            let second = await bench.exchange(get(port), from: device)
            return [first, second, await bench.exchange(get(port), from: device)]
        }
        #expect(transfers.allSatisfy { $0.reply?.status == 200 }, "\(transfers.map(\.result))")
        #expect(transfers.map(\.route.reused) == [false, false, true])
        #expect(transfers[1].opened != nil)
        #expect(server.connections == 2)
    }

    @Test("each exchange has the time-out to itself, watched by one timer")
    func timeouts() throws {
        let server = RoughServer { visit in
            while let request = visit.request() {
                if !request.hasPrefix("GET /slow") { visit.answer("ok") }
            }
        }
        defer { server.stop() }
        let port = server.port
        let settings = WireSettings(engine: .direct, timeout: .seconds(2))
        let times = try Bench.run(settings) { bench in
            let devices = (1...2).map { plainDevice($0) }
            var times: [(Transfer, Duration)] = []
            for device in devices {
                _ = await bench.exchange(get(port), from: device)
                try? await bench.lane.sleep(for: .milliseconds(500))
                let began = bench.lane.now
                let transfer = await bench.exchange(get(port, "/slow"), from: device)
                times.append((transfer, bench.lane.now - began))
            }
            return times
        }
        for (transfer, took) in times {
            #expect(transfer.loss?.kind == .timeout)
            #expect(took >= .seconds(2), "\(took)")
        }
    }

    @Test("each device sends from an address of its own, for all its life", arguments: engines)
    func sources(_ engine: TransportOptions.Engine) throws {
        let server = RoughServer { visit in
            while visit.request() != nil { visit.answer(visit.peer) }
        }
        defer { server.stop() }
        let port = server.port
        let settings = WireSettings(
            connections: .fresh, sources: SourceAddresses(["127.1.0.0/16"]))
        let rounds = try Bench.run(engine: engine, settings) { bench in
            let devices = (1...5).map { plainDevice($0) }
            var rounds: [[String]] = []
            for _ in 1...2 {
                var round: [String] = []
                for device in devices {
                    let transfer = await bench.exchange(get(port), from: device)
                    round.append(transfer.reply?.text ?? "\(transfer.result)")
                }
                rounds.append(round)
            }
            return rounds
        }
        #expect(Set(rounds[0]).count == 5 && rounds[0] == rounds[1])
        #expect(rounds[0].allSatisfy { $0.hasPrefix("127.1.") }, "\(rounds[0])")
    }

    @Test(
        "source addresses are read from ranges",
        arguments: [
            (["127.1.0.0/16"], 65534), (["127.1.0.7"], 1), (["127.1.0.4/31"], 2),
            (["127.1.0.0/30", "127.2.0.1"], 3), (["127.1.0.0/33"], nil), (["127.1.0"], nil),
            (["name"], nil), (["127.1.0.0/16/2"], nil), ([], nil),
        ] as [([String], Int?)])
    func sourceRanges(_ texts: [String], _ count: Int?) {
        #expect(SourceAddresses(texts)?.count == count)
    }

    @Test("goes through the tunnel of a proxy, and devices stay apart", arguments: engines)
    func tunnel(_ engine: TransportOptions.Engine) throws {
        let files = try Certificates(["server"])
        let server = try TidyServer(.http1, certificates: files)
        let seen = Seen()
        let target = server.port
        let proxy = RoughServer { visit in
            guard let request = visit.request() else { return }
            seen.add(String(request.prefix { $0 != "\r\n" }))
            visit.send("HTTP/1.1 200 Connection established\r\n\r\n")
            visit.relay(to: target)
        }
        defer {
            server.stop()
            proxy.stop()
        }
        let settings = WireSettings(
            tls: .init(ca: files.path("ca.pem"), caOnly: true),
            proxy: .url("http://127.0.0.1:\(proxy.port)"))
        let transfers = try Bench.run(engine: engine, settings) { bench in
            let devices = [plainDevice(1), plainDevice(2), plainDevice(1)]
            var transfers: [Transfer] = []
            for device in devices[..<2] + devices[..<2] {
                transfers.append(await bench.exchange(secure(target, "/t"), from: device))
            }
            return transfers
        }
        #expect(transfers.allSatisfy { $0.reply?.text == "1.1 /t 0" }, "\(transfers.map(\.result))")
        #expect(seen.all == Array(repeating: "CONNECT localhost:\(target) HTTP/1.1", count: 2))
        let connections = transfers.map(\.route.connection)
        #expect(connections[0] != connections[1])
        #expect(connections[..<2] == connections[2...])
    }

    @Test("3,000 devices connect at once, without blocking, and leave nothing behind")
    func ramp() throws {
        WireLimits.raiseDescriptorLimit()
        let server = try TidyServer(.http1)
        defer { server.stop() }
        let port = server.port
        let (failures, numbers) = try Bench.run(WireSettings(engine: .direct)) { bench in
            let devices = (1...3000).map { plainDevice($0) }
            let calls = devices.map { (call: get(port), device: $0) }
            var transfers: [Transfer] = []
            for start in stride(from: 0, to: calls.count, by: 300) {
                transfers += await bench.exchange(Array(calls[start..<start + 300]))
            }
            transfers += await bench.exchange(calls)
            for device in devices { bench.transport.retire(device) }
            #expect(bench.transport.openConnections == 0)
            return (
                transfers.filter { $0.reply?.status != 200 }.count,
                Set(transfers.map(\.route.connection)).count
            )
        }
        #expect(failures == 0)
        #expect(numbers == 3000)
        for _ in 1...250 where openSockets(to: port) >= 100 { usleep(20_000) }
        #expect(openSockets(to: port) < 100)
    }
}
