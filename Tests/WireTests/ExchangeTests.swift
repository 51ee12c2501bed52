import Dialects
import Journal
import Lanes
import Synchronization
import TestSupport
import Testing
import Vocabulary

@Suite("an exchange over HTTP/1.1")
struct ExchangeTests {
    @Test("carries method, target, headers and body as the call has them", arguments: engines)
    func request(_ engine: TransportOptions.Engine) throws {
        let seen = Seen()
        let server = RoughServer { visit in
            while let request = visit.request() {
                seen.add(request)
                visit.answer("{}")
            }
        }
        defer { server.stop() }
        let port = server.port
        _ = try Bench.run(engine: engine) { bench in
            let origin = Origin(scheme: .http, host: "127.0.0.1", port: port)
            let device = plainDevice()
            _ = await bench.exchange(
                Call(
                    .registrationCode, .post,
                    WebAddress(origin: origin, target: "/a/../b?x=1 2"),
                    headers: ["X-One": "1", "X-Empty": "", "Content-Type": "text/plain"],
                    body: Array("hello".utf8)), from: device)
            _ = await bench.exchange(get(port, "/plain"), from: device)
            _ = await bench.exchange(
                Call(.logout, .delete, WebAddress(origin: origin, target: "/gone")), from: device)
            _ = await bench.exchange(
                Call(.logout, .post, WebAddress(origin: origin, target: "/empty")), from: device)
        }
        #expect(
            seen.all == [
                "POST /a/../b?x=1%202 HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nX-One: 1\r\n"
                    + "X-Empty:\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello",
                "GET /plain HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n",
                "DELETE /gone HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n",
                "POST /empty HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Length: 0\r\n\r\n",
            ])
    }

    @Test(
        "brings status, headers as received and body back, with true stamps and the route",
        arguments: engines)
    func reply(_ engine: TransportOptions.Engine) throws {
        let server = RoughServer { visit in
            while visit.request() != nil {
                visit.pause(5)
                visit.answer(
                    "denied", status: "403 Forbidden",
                    headers: "X-Two: a\r\nset-cookie: a=1\r\nSet-Cookie: b=2\r\n")
            }
        }
        defer { server.stop() }
        let port = server.port
        let (began, transfers) = try Bench.run(engine: engine) { bench in
            let device = plainDevice()
            let began = bench.lane.now
            return (
                began,
                [
                    await bench.exchange(get(port), from: device),
                    await bench.exchange(get(port), from: device),
                ]
            )
        }
        let first = transfers[0]
        #expect(first.reply?.status == 403)
        #expect(first.reply?.text == "denied")
        #expect(first.reply?.headers["x-two"] == "a")
        #expect(first.reply?.headers.all("Set-Cookie") == ["a=1", "b=2"])
        #expect(first.bytesReceived == 6)
        for transfer in transfers {
            let sent = try #require(transfer.sent)
            let firstByte = try #require(transfer.firstByte)
            #expect(began <= sent && sent < firstByte && firstByte <= transfer.ended)
            #expect(firstByte - sent >= .milliseconds(5))
            #expect(transfer.route.httpVersion == "1.1")
            #expect(transfer.route.remote == "127.0.0.1:\(port)")
            #expect(transfer.route.local.hasPrefix("127.0.0.1:"))
            #expect(transfer.route.connection == 3 << 40 | 1)
        }
        #expect(transfers.map(\.route.reused) == [false, true])
        #expect(transfers[0].route.local == transfers[1].route.local)
    }

    @Test("redirects are answers, never followed", arguments: engines)
    func redirect(_ engine: TransportOptions.Engine) throws {
        let server = RoughServer { visit in
            while visit.request() != nil {
                visit.answer("", status: "302 Found", headers: "Location: /elsewhere\r\n")
            }
        }
        defer { server.stop() }
        let port = server.port
        let transfer = try Bench.run(engine: engine) {
            await $0.exchange(get(port), from: plainDevice())
        }
        #expect(transfer.reply?.status == 302)
        #expect(transfer.reply?.headers["Location"] == "/elsewhere")
    }
}

/// What a server's threads saw.
final class Seen: Sendable {
    private let texts = Mutex<[String]>([])
    func add(_ text: String) { texts.withLock { $0.append(text) } }
    var all: [String] { texts.withLock { $0 } }
}
