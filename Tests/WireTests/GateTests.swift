import Dialects
import Glibc
import Journal
import Lanes
import Synchronization
import TestSupport
import Testing

@testable import Wire

@Suite("the gate: last bytes held back", .serialized)
struct GateTests {
    private static func post(_ port: Int, _ body: String, _ scheme: Origin.Scheme = .http) -> Call {
        let host = scheme == .https ? "localhost" : "127.0.0.1"
        return Call(
            .authenticate, .post,
            WebAddress(origin: Origin(scheme: scheme, host: host, port: port), target: "/gate"),
            body: Array(body.utf8))
    }

    @Test(
        "all but the last byte leaves at once, and the service hears nothing until it is released")
    func lastByte() throws {
        let heard = Seen()
        let server = RoughServer { visit in
            while let request = visit.request() {
                heard.add(String(request.suffix(5)))
                visit.answer("ok")
            }
        }
        defer { server.stop() }
        let port = server.port
        let (before, exchanges, exact) = try Bench.run(WireSettings(engine: .direct)) { bench in
            let held = [
                await bench.lane.hold(Self.post(port, "b=one"), from: plainDevice(1)),
                await bench.lane.hold(Self.post(port, "b=two"), from: plainDevice(2)),
            ]
            try? await bench.lane.sleep(for: .milliseconds(100))
            let before = heard.all.count
            bench.lane.release(held)
            var exchanges: [Exchange] = []
            for one in held { exchanges.append(await bench.lane.answer(to: one).exchange) }
            return (before, exchanges, held.allSatisfy(\.isExact))
        }
        #expect(before == 0)
        #expect(exact && server.connections == 2)
        #expect(Set(heard.all) == ["b=one", "b=two"])
        #expect(exchanges.allSatisfy { $0.delivery.status == 200 })
        // The connection and its first bytes are older than the release.
        #expect(exchanges.allSatisfy { $0.sent >= $0.planned && $0.connect != nil })
    }

    @Test("over TLS, and on a connection that was there already")
    func overTLS() throws {
        let files = try Certificates(["server"])
        let server = try TidyServer(.http1, certificates: files)
        defer { server.stop() }
        let port = server.port
        let settings = WireSettings(engine: .direct, tls: .init(ca: files.path("ca.pem")))
        let exchanges = try Bench.run(settings) { bench in
            let device = plainDevice()
            var exchanges: [Exchange] = []
            for body in ["one", "two"] {
                let held = await bench.lane.hold(Self.post(port, body, .https), from: device)
                bench.lane.release([held])
                exchanges.append(await bench.lane.answer(to: held).exchange)
            }
            return exchanges
        }
        #expect(exchanges.map(\.delivery.status) == [200, 200])
        #expect(exchanges.map(\.route.reused) == [false, true])
    }

    @Test("on one connection of HTTP/2, several leave in one segment")
    func oneSegment() throws {
        let (segments, exchanges) = try Bench.runOverHTTP2 { bench, port in
            _ = await bench.exchange(Self.post(port, "warm", .https), from: plainDevice(1))
            var attempts = 0
            while true {
                attempts += 1
                var held: [HeldCall] = []
                for number in 1...3 {
                    held.append(
                        await bench.lane.hold(
                            Self.post(port, "b=\(number)", .https), from: plainDevice(number)))
                }
                let began = bench.lane.now
                let before = bench.transport.descriptors.reduce(0) { $0 + Self.segmentsSent($1) }
                bench.lane.release(held)
                let after = bench.transport.descriptors.reduce(0) { $0 + Self.segmentsSent($1) }
                let took = bench.lane.now - began
                var exchanges: [Exchange] = []
                for one in held { exchanges.append(await bench.lane.answer(to: one).exchange) }
                // The kernel lifts a cork by itself after 200 ms (tcp(7)): a release that its machine held up shows nothing.
                if took < .milliseconds(100) || attempts == 50 {
                    return (after - before, exchanges)
                }
            }
        }
        #expect(segments == 1)
        #expect(exchanges.allSatisfy { $0.delivery.status == 200 && $0.route.reused })
        #expect(Set(exchanges.map(\.route.connection)).count == 1)
    }

    /// Segments with data that a socket has sent: `tcpi_data_segs_out` of Linux 4.6 and later
    /// (linux/tcp.h), which glibc's own structure lacks.
    private static func segmentsSent(_ descriptor: Int32) -> Int {
        var info = [UInt8](repeating: 0, count: 256)
        var size = socklen_t(info.count)
        guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0 else {
            return 0
        }
        return info.withUnsafeBytes { Int($0.load(fromByteOffset: 156, as: UInt32.self)) }
    }

    @Test("a connection that cannot be made ends it without a release")
    func refused() throws {
        let server = RoughServer.plain()
        server.stop()
        let port = server.port
        let (isOver, exchange) = try Bench.run(WireSettings(engine: .direct)) { bench in
            let held = await bench.lane.hold(Self.post(port, "x"), from: plainDevice())
            // Refusal and readiness come in one turn.
            try? await bench.lane.sleep(for: .milliseconds(1))
            return (held.isOver, await bench.lane.answer(to: held).exchange)
        }
        #expect(isOver)
        #expect(exchange.delivery.error?.kind == .connectionRefused)
    }

    @Test("a server that hangs up while it waits is lost, and a release then sends nothing more")
    func hungUp() throws {
        let server = RoughServer { visit in
            visit.pause(30)
            visit.close()
        }
        defer { server.stop() }
        let port = server.port
        let exchange = try Bench.run(WireSettings(engine: .direct)) { bench in
            let held = await bench.lane.hold(Self.post(port, "x"), from: plainDevice())
            try? await bench.lane.sleep(for: .seconds(1))
            bench.lane.release([held])
            return await bench.lane.answer(to: held).exchange
        }
        guard case .unknown = exchange.delivery else {
            return #expect(Bool(false), "\(exchange.delivery)")
        }
        #expect(server.connections == 1)
    }

    @Test("the time-out begins anew with the release")
    func timeout() throws {
        let server = RoughServer { visit in
            while visit.request() != nil {}
        }
        defer { server.stop() }
        let port = server.port
        let settings = WireSettings(engine: .direct, timeout: .seconds(2))
        let exchange = try Bench.run(settings) { bench in
            let held = await bench.lane.hold(Self.post(port, "x"), from: plainDevice())
            try? await bench.lane.sleep(for: .seconds(1))
            bench.lane.release([held])
            return await bench.lane.answer(to: held).exchange
        }
        #expect(exchange.delivery.error?.kind == .timeout)
        #expect(exchange.ended - exchange.planned >= .milliseconds(1995))
    }

    @Test("where no single byte can be held, the whole request waits, and says so")
    func whole() throws {
        let heard = Seen()
        let server = RoughServer { visit in
            while let request = visit.request() {
                heard.add(request)
                visit.answer("ok")
            }
        }
        defer { server.stop() }
        let port = server.port
        let (before, exact, status) = try Bench.run(WireSettings(engine: .multi)) { bench in
            let held = await bench.lane.hold(Self.post(port, "x"), from: plainDevice())
            try? await bench.lane.sleep(for: .milliseconds(30))
            let before = heard.all.count
            bench.lane.release([held])
            return (
                before, held.isExact, await bench.lane.answer(to: held).exchange.delivery.status
            )
        }
        #expect(before == 0 && !exact && status == 200)
    }
}
