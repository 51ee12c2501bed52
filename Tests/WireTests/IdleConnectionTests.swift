import Dialects
import Glibc
import Journal
import Lanes
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import Wire

/// What happens on a kept connection between two requests (RFC 9112, 9.2 and 9.5).
@Suite("an idle connection", .serialized)
struct IdleConnectionTests {
    struct Surprise: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// Sent unasked after the first answer; nil: the end of the connection.
        var bytes: String?
    }

    static let surprises = [
        Surprise(
            testDescription: "a whole answer",
            bytes: "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nsmuggled"),
        Surprise(testDescription: "half a head", bytes: "HTTP/1.1 200 OK\r\nContent-Len"),
        Surprise(testDescription: "garbage", bytes: "x"),
        Surprise(testDescription: "its end", bytes: nil),
    ]

    /// Two requests of one device; between them the lane does nothing until `isReady`, so that only a
    /// look at the connection itself can find what has come.
    private static func twice(
        _ engine: TransportOptions.Engine, _ settings: WireSettings, _ call: Call,
        _ isReady: @escaping @Sendable () -> Bool
    ) throws -> [Transfer] {
        try Bench.run(engine: engine, settings) { bench in
            let device = plainDevice()
            let first = await bench.exchange(call, from: device)
            for _ in 1...5000 where !isReady() { usleep(1000) }
            return [first, await bench.exchange(call, from: device)]
        }
    }

    private static func check(_ transfers: [Transfer], connections: Int) {
        #expect(transfers.map { $0.reply?.text } == ["1", "2"], "\(transfers.map(\.result))")
        #expect(transfers.allSatisfy { !$0.route.reused })
        #expect(connections == 2)
    }

    @Test(
        "with bytes that nobody asked for, or ended, it carries no other request",
        arguments: engines, surprises)
    func plain(_ engine: TransportOptions.Engine, _ row: Surprise) throws {
        let isReady = Flag()
        let server = RoughServer { visit in
            guard visit.request() != nil else { return }
            visit.answer("\(visit.number)")
            // The answer is read by itself.
            visit.pause(20)
            if let bytes = row.bytes { visit.send(bytes) } else { visit.endSending() }
            isReady.raise()
            // Stays open: what it takes on top would be lost.
            _ = visit.request()
        }
        defer { server.stop() }
        let transfers = try Self.twice(engine, WireSettings(), get(server.port)) {
            isReady.isRaised
        }
        Self.check(transfers, connections: server.connections)
    }

    @Test("the same over TLS", arguments: engines, surprises)
    func secured(_ engine: TransportOptions.Engine, _ row: Surprise) throws {
        let isReady = Flag()
        let files = try Certificates(["server"])
        let server = try RoughServer.secure(files) { visit in
            guard visit.hasRequest() else { return }
            visit.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(visit.visit.number)")
            visit.visit.pause(20)
            if let bytes = row.bytes { visit.send(bytes) } else { visit.visit.endSending() }
            isReady.raise()
            _ = visit.hasRequest()
        }
        defer { server.stop() }
        let settings = WireSettings(tls: .init(ca: files.path("ca.pem")))
        let transfers = try Self.twice(engine, settings, secure(server.port)) { isReady.isRaised }
        Self.check(transfers, connections: server.connections)
    }

    @Test("nor with bytes in the record of the answer before", arguments: engines)
    func sameRecord(_ engine: TransportOptions.Engine) throws {
        let files = try Certificates(["server"])
        let server = try RoughServer.secure(files) { visit in
            while visit.hasRequest() {
                let answer = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(visit.visit.number)"
                visit.send(answer + "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n3")
            }
        }
        defer { server.stop() }
        let settings = WireSettings(tls: .init(ca: files.path("ca.pem")))
        let transfers = try Self.twice(engine, settings, secure(server.port)) { true }
        Self.check(transfers, connections: server.connections)
    }

    @Test(
        "quiet, over TLS with its session tickets, it carries the next request", arguments: engines)
    func quiet(_ engine: TransportOptions.Engine) throws {
        let files = try Certificates(["server"])
        let server = try RoughServer.secure(files) { visit in
            while visit.hasRequest() { visit.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1") }
        }
        defer { server.stop() }
        let settings = WireSettings(tls: .init(ca: files.path("ca.pem")))
        let transfers = try Self.twice(engine, settings, secure(server.port)) { true }
        #expect(transfers.map { $0.reply?.text } == ["1", "1"])
        #expect(transfers[1].route.reused && server.connections == 1)
    }
}

/// Raised once, by another thread.
final class Flag: Sendable {
    private let state = Mutex(false)

    var isRaised: Bool { state.withLock { $0 } }
    func raise() { state.withLock { $0 = true } }
}
