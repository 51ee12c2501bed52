import Dialects
import Journal
import Lanes
import TestSupport
import Testing
import Vocabulary

@testable import Wire

@Suite("a server that misbehaves", .serialized)
struct MisbehaviourTests {
    /// What a transfer amounts to, in a word.
    static func verdict(_ transfer: Transfer) -> String {
        switch transfer.result {
        case .answered(let reply): "answered \(reply.status) \(reply.text.prefix(20))"
        case .refused(let error): "refused \(error.kind.rawValue)"
        case .lost(let error): "lost \(error.kind.rawValue)"
        }
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var expected: String
        var script: @Sendable (Visit) -> Void

        init(_ name: String, _ expected: String, _ script: @escaping @Sendable (Visit) -> Void) {
            (testDescription, self.expected, self.script) = (name, expected, script)
        }
    }

    static let cases: [Case] = [
        Case("garbage instead of a status line", "lost not-http") { visit in
            _ = visit.request()
            visit.send("\u{16}\u{3} garbage\r\n\r\n")
        },
        Case("a chunk size that is no number", "lost not-http") { visit in
            _ = visit.request()
            visit.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n")
        },
        Case("closes before it answers", "lost connection-lost") { visit in
            _ = visit.request()
        },
        Case("resets before it answers", "lost connection-lost") { visit in
            _ = visit.request()
            visit.reset()
        },
        Case("closes within the head", "lost connection-lost") { visit in
            _ = visit.request()
            visit.send("HTTP/1.1 200 OK\r\nContent-Le")
        },
        Case("closes within the body", "lost connection-lost") { visit in
            _ = visit.request()
            visit.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        },
        Case("closes within a chunk", "lost connection-lost") { visit in
            _ = visit.request()
            visit.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab")
        },
        Case("never answers", "lost timeout") { visit in
            _ = visit.request()
            _ = visit.request()
        },
        Case("stops within the body", "lost timeout") { visit in
            _ = visit.request()
            visit.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            _ = visit.request()
        },
        Case("a body over the limit", "lost too-large") { visit in
            _ = visit.request()
            visit.answer(String(repeating: "x", count: 100_001))
        },
        Case("an endless body", "lost too-large") { visit in
            _ = visit.request()
            visit.send("HTTP/1.1 200 OK\r\n\r\n")
            for _ in 1...50 { visit.send(String(repeating: "x", count: 10_000)) }
        },
        Case("a flood of headers", "lost too-large") { visit in
            _ = visit.request()
            visit.send("HTTP/1.1 200 OK\r\n")
            for number in 1...400 {
                visit.send("X-\(number): \(String(repeating: "x", count: 1000))\r\n")
            }
            visit.send("\r\n")
        },
        Case("a header line without an end", "lost too-large") { visit in
            _ = visit.request()
            visit.send("HTTP/1.1 200 OK\r\nX-Line: ")
            for _ in 1...50 { visit.send(String(repeating: "x", count: 10_000)) }
        },
        Case("103 and 100 before the answer", "answered 200 ok") { visit in
            _ = visit.request()
            visit.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nX-Early: 1\r\n\r\n")
            visit.pause(30)
            visit.send("HTTP/1.1 100 Continue\r\n\r\n")
            visit.answer("ok")
        },
        Case("chunked, with an extension and a trailer", "answered 200 hello") { visit in
            _ = visit.request()
            visit.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            visit.send("2;x=y\r\nhe\r\n3\r\nllo\r\n0\r\nX-Early: 1\r\n\r\n")
        },
        Case("a body that ends with the connection", "answered 200 until the end") { visit in
            _ = visit.request()
            visit.send("HTTP/1.0 200 OK\r\n\r\nuntil the end")
        },
        Case("one byte at a time", "answered 200 ok") { visit in
            _ = visit.request()
            for character in "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" {
                visit.send(String(character))
            }
        },
        Case("204 without a body", "answered 204 ") { visit in
            _ = visit.request()
            visit.send("HTTP/1.1 204 No Content\r\n\r\n")
        },
        Case("a folded header", "answered 200 ") { visit in
            _ = visit.request()
            visit.answer("", headers: "X-Folded: a\r\n b\r\n")
        },
    ]

    @Test("is told apart, and the stamps stay in order", arguments: engines, cases)
    func misbehaviour(_ engine: TransportOptions.Engine, _ row: Case) throws {
        let server = RoughServer(row.script)
        defer { server.stop() }
        let port = server.port
        let settings = WireSettings(timeout: .seconds(2), responseLimit: 100_000)
        let transfer = try Bench.run(engine: engine, settings) {
            await $0.exchange(get(port), from: plainDevice())
        }
        #expect(Self.verdict(transfer) == row.expected, "\(transfer.result)")
        let sent = try #require(transfer.sent)
        #expect(sent <= transfer.firstByte ?? transfer.ended)
        #expect(transfer.firstByte ?? sent <= transfer.ended)
        #expect(transfer.reply?.headers["X-Early"] == nil)
        if transfer.reply?.headers["X-Folded"] != nil {
            #expect(transfer.reply?.headers["X-Folded"] == "a b")
        }
    }

    @Test("1xx do not end the wait: the first byte is the final answer's", arguments: engines)
    func interim(_ engine: TransportOptions.Engine) throws {
        let server = RoughServer { visit in
            _ = visit.request()
            visit.send("HTTP/1.1 103 Early Hints\r\n\r\n")
            visit.pause(50)
            visit.answer("ok")
        }
        defer { server.stop() }
        let port = server.port
        let transfer = try Bench.run(engine: engine) {
            await $0.exchange(get(port), from: plainDevice())
        }
        let sent = try #require(transfer.sent)
        let firstByte = try #require(transfer.firstByte)
        #expect(firstByte - sent >= .milliseconds(50))
    }

    @Test(
        "a kept connection that dies after the request was sent: sent once, and lost",
        arguments: engines)
    func noSilentRetry(_ engine: TransportOptions.Engine) throws {
        let seen = Seen()
        let server = RoughServer { visit in
            guard visit.request() != nil else { return }
            visit.answer("{}")
            // The second request is taken, and not answered: the service may have acted.
            if let request = visit.request() { seen.add(request) }
        }
        defer { server.stop() }
        let port = server.port
        let transfers = try Bench.run(engine: engine) { bench in
            let device = plainDevice()
            return [
                await bench.exchange(get(port), from: device),
                await bench.exchange(get(port), from: device),
                await bench.exchange(get(port), from: device),
            ]
        }
        #expect(
            transfers.map(Self.verdict) == [
                "answered 200 {}", "lost stale-connection", "answered 200 {}",
            ])
        #expect(seen.all.count == 1)
        #expect(transfers[1].loss?.detail.contains("too soon for a keep-alive timeout") == true)
        #expect(transfers[1].sent != nil && transfers[1].route.reused)
    }

    @Test(
        "a keep-alive timeout is named only where it can have been one: after a pause, and within a round trip",
        arguments: [
            (3_000, 2, "likely its keep-alive timeout"),
            (3_000, 300, "more than 250 ms after the request"),
            (1, 2, "too soon for"), (900, 600, "too late for"),
        ])
    func keepAlive(idle: Int, waited: Int, words: String) {
        let failure = TransferFailure(
            // CURLE_GOT_NOTHING.
            code: .init(rawValue: 52), words: "", systemError: 0,
            origin: Origin(scheme: .http, host: "a.test"), proxy: nil, timeout: .seconds(10),
            excess: nil, responseLimit: 1, hasSent: true, wouldRepeat: true, usesTLSFiles: false,
            isFirstUse: false, idle: .milliseconds(idle), waited: .milliseconds(waited))
        #expect(failure.error.kind == .staleConnection)
        #expect(failure.error.detail.contains(words), "\(failure.error.detail)")
    }

    @Test(
        "a lane sends a GET again that a kept connection was closed under, and no POST",
        arguments: engines)
    func sentAgain(_ engine: TransportOptions.Engine) throws {
        let seen = Seen()
        let server = RoughServer { visit in
            guard let first = visit.request() else { return }
            seen.add("\(visit.number) \(first.prefix(5))")
            visit.answer("{}")
            if let second = visit.request() { seen.add("\(visit.number) \(second.prefix(5))") }
        }
        defer { server.stop() }
        let port = server.port
        let answers = try Bench.run(engine: engine) { bench in
            let device = plainDevice()
            var post = get(port, "/again")
            post.method = .post
            var exchanges: [Exchange] = []
            for call in [get(port), get(port), post] {
                exchanges.append(await bench.lane.send(call, from: device).exchange)
            }
            return exchanges
        }
        // The second is the copy: the exchange of the first stands before it.
        #expect(answers.map(\.sequence) == [1, 3, 4])
        #expect(answers.map(\.delivery.status) == [200, 200, nil])
        #expect(answers.map(\.route.reused) == [false, false, true])
        #expect(answers[2].outcome == .transport && answers[2].reason == "stale-connection")
        #expect(seen.all.map { String($0.suffix(5)) } == ["GET /", "GET /", "GET /", "POST "])
    }

    @Test(
        "a lane sends again, POST or not, what a 408 that closes a kept connection meets, and takes any other as it is",
        arguments: engines)
    func requestTimeout(_ engine: TransportOptions.Engine) throws {
        let server = RoughServer { visit in
            let isLate = visit.request()?.hasPrefix("GET /late") == true
            if !isLate { visit.answer("{}") }
            // Given up waiting while the next request was on its way.
            guard isLate || visit.request() != nil else { return }
            visit.answer("", status: "408 Request Timeout", headers: "Connection: close\r\n")
        }
        defer { server.stop() }
        let port = server.port
        let sink = Collected()
        let answers = try Bench.run(engine: engine, into: sink) { bench in
            let device = plainDevice()
            var post = get(port, "/again")
            post.method = .post
            var exchanges: [Exchange] = []
            for call in [get(port), post, get(port, "/late")] {
                exchanges.append(await bench.lane.send(call, from: device).exchange)
            }
            return exchanges
        }
        #expect(answers.map(\.delivery.status) == [200, 200, 408])
        #expect(sink.exchanges.map(\.delivery.status) == [200, nil, 200, nil, 408])
        #expect(sink.exchanges.map { $0.outcome == .resent } == [false, true, false, true, false])
        let resent = sink.exchanges.filter { $0.outcome == .resent }
        #expect(resent.allSatisfy { $0.delivery.error?.detail.contains("answered 408") == true })
        #expect(resent.filter(\.isError).isEmpty && resent.flatMap(\.deviations).isEmpty)
        #expect(sink.exchanges.last?.isError == true)
    }

    @Test(
        "a 408 that leaves its connection open is an answer, and so is one long after its request",
        arguments: engines)
    func openRequestTimeout(_ engine: TransportOptions.Engine) throws {
        let server = RoughServer { visit in
            while let request = visit.request() {
                let isSlow = request.hasPrefix("GET /slow")
                if isSlow { visit.pause(400) }
                visit.answer(
                    "", status: "408 Request Timeout",
                    headers: isSlow ? "Connection: close\r\n" : "")
            }
        }
        defer { server.stop() }
        let port = server.port
        let sink = Collected()
        try Bench.run(engine: engine, into: sink) { bench in
            let device = plainDevice()
            for path in ["/", "/", "/slow"] {
                _ = await bench.lane.send(get(port, path), from: device)
            }
        }
        #expect(sink.exchanges.map(\.delivery.status) == [408, 408, 408])
        #expect(sink.exchanges.map(\.route.reused) == [false, true, true])
    }
}
