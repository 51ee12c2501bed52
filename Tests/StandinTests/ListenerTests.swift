import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import Signing
import Standin
import Statistics
import Testing
import Vocabulary

@Suite("the service on sockets", .serialized)
struct ListenerTests {
    private static func serve(
        tls: CertificatePair? = nil,
        settings: ServiceSettings = ServiceSettings(auth: .none)
    ) async throws -> Listener {
        try await Listener.start(
            Service(settings, seed: Seed(1), epochMilliseconds: Caller.epoch), tls: tls,
            bodyLimit: 1000)
    }

    /// Sends `text` and reads until the text so far satisfies `isEnough`, or the service closes.
    private static func talk(
        _ listener: Listener, _ text: String,
        until isEnough: @escaping @Sendable (String) -> Bool
    ) async throws -> String {
        let collector = Collector(isEnough: isEnough)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(TextReader(collector))
                }
            }
            .connect(host: listener.host, port: listener.port).get()
        try await channel.writeAndFlush(ByteBuffer(string: text))
        for _ in 0..<500 where !collector.isDone { try await Task.sleep(for: .milliseconds(10)) }
        try? await channel.close()
        return collector.text
    }

    private static let poll =
        "GET /api/v1/tokens/authn.json?requestor=DEMOTV&deviceId=tv-1 HTTP/1.1\r\nHost: h\r\n\r\n"

    @Test("a kept connection carries request after request, pipelined too")
    func keepAlive() async throws {
        let listener = try await Self.serve()
        let text = try await Self.talk(listener, Self.poll + Self.poll) {
            $0.split(separator: "HTTP/1.1 404 Not Found").count >= 2
                && $0.hasSuffix(#"{"status":404,"message":"Not Found"}"#)
                && $0.contains("}HTTP/1.1")
        }
        #expect(text.contains("Content-Length: 36\r\n"))
        #expect(text.contains("Content-Type: application/json;charset=utf-8\r\n"))
        #expect(!text.contains("chunked"))
        #expect(await listener.counters().count(of: .pollToken, status: 404) == 2)
        await listener.stop()
        #expect(await listener.counters().count(of: .pollToken) == 2)
    }

    @Test("a request that is repeated on its connection is answered by what the service knows then")
    func repeated() async throws {
        let throttle = Policies.Throttle(every: .seconds(3600), burst: 1)
        let listener = try await Self.serve(
            settings: ServiceSettings(policies: .init(throttle: throttle), auth: .none))
        let text = try await Self.talk(listener, Self.poll + Self.poll + Self.poll) {
            $0.contains(" 429 ") && $0.split(separator: "HTTP/1.1 ").count >= 3
        }
        let statuses = text.split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
        #expect(statuses == ["404", "404", "429"])
        let ids = text.split(separator: "\r\n").filter { $0.hasPrefix("Adobe-Request-Id: ") }
        #expect(ids.count == 2 && ids[0] != ids[1])
        await listener.stop()
    }

    @Test("what repeats after another request, with a body, is answered for itself")
    func repeatedAfter() async throws {
        let listener = try await Self.serve(settings: ServiceSettings(auth: .none))
        let code =
            "POST /reggie/v1/DEMOTV/regcode HTTP/1.1\r\nHost: h\r\n"
            + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 13\r\n\r\ndeviceId=tv-1"
        let requests = [Self.poll, code, Self.poll, Self.poll, code, code]
        let text = try await Self.talk(listener, requests.joined()) {
            $0.split(separator: "HTTP/1.1 ").count >= requests.count
        }
        let statuses = text.split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
        #expect(statuses == ["404", "201", "404", "404", "201", "201"])
        await listener.stop()
    }

    @Test(
        "what HTTP asks of a server",
        arguments: [
            (
                "an absolute form is understood",
                "GET http://h/_standin/counters HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
                "HTTP/1.1 200 OK", "\"requests\":0"
            ),
            (
                "HEAD has no body",
                "HEAD /api/v1/checkauthn HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
                "HTTP/1.1 405", "\r\n\r\n"
            ),
            (
                "a method that nobody knows is 405",
                "PATCH /api/v1/checkauthn HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
                "HTTP/1.1 405", "<status>405</status>"
            ),
            (
                "an old client is told and cut off",
                "GET /_standin/counters HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK", "Connection: close"
            ),
            (
                "a long body is 413",
                "POST /o/client/token HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\n\r\n"
                    + String(repeating: "a", count: 1001),
                "HTTP/1.1 413", "Connection: close"
            ),
            (
                "a chunked body is put together",
                "POST /o/client/token HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
                    + "Connection: close\r\n\r\n"
                    + "5\r\ngrant\r\n21\r\n_type=x&client_id=a&client_secret\r\n2\r\n=b\r\n0\r\n\r\n",
                "HTTP/1.1 400", "unsupported_grant_type"
            ),
            (
                "what is not HTTP is turned down", "\u{16}\u{3}\u{1}hello\r\n\r\n", "HTTP/1.1 400",
                ""
            ),
        ])
    func manners(reason: String, request: String, start: String, part: String) async throws {
        let listener = try await Self.serve()
        let text = try await Self.talk(listener, request) { _ in false }
        #expect(text.hasPrefix(start), "\(reason)")
        #expect(part.isEmpty || text.contains(part), "\(reason)")
        if request.hasPrefix("HEAD") { #expect(text.hasSuffix("\r\n\r\n")) }
        await listener.stop()
    }

    @Test("204 has neither a body nor a length")
    func noContent() async throws {
        let listener = try await Self.serve()
        let text = try await Self.talk(
            listener,
            "DELETE /api/v1/logout?requestor=DEMOTV&deviceId=a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
        ) { _ in false }
        #expect(text.hasPrefix("HTTP/1.1 204 No Content"))
        #expect(!text.lowercased().contains("content-length"))
        #expect(!text.lowercased().contains("transfer-encoding"))
        await listener.stop()
    }

    @Test("TLS with a certificate of our own, verified by name")
    func tls() async throws {
        let pair = try CertificatePair.selfSigned()
        let listener = try await Self.serve(tls: pair)
        #expect(listener.url.hasPrefix("https://127.0.0.1:"))
        let file = FileManager.default.temporaryDirectory
            .appending(path: "screenrig-listener-\(UUID().uuidString).pem")
        try pair.certificate.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        for options in [[], ["-tls1_2"]] {
            let trusting = try OpenSSLClient(
                listener.port, ["-CAfile", file.path, "-alpn", "http/1.1"] + options)
            let text = await trusting.talk(Self.poll) { $0.contains("\"Not Found\"}") }
            #expect(text.contains("HTTP/1.1 404 Not Found"), "\(text)")
            #expect(text.contains("ALPN protocol: http/1.1"), "\(text)")
        }
        let doubting = try OpenSSLClient(listener.port)
        let refused = await doubting.talk(Self.poll) { $0.contains("HTTP/1.1") }
        #expect(!refused.contains("HTTP/1.1"), "\(refused)")
        #expect(await listener.counters().count(of: .pollToken) == 2)
        await listener.stop()
    }

    /// Over TLS, by ALPN: `StandinExchangeTests`.
    @Test("HTTP/2 by prior knowledge in the clear")
    func http2() async throws {
        let listener = try await Self.serve()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: listener.host, port: listener.port).get()
        let multiplexer = try await channel.configureHTTP2Pipeline(
            mode: .client, connectionConfiguration: .init(), streamConfiguration: .init()
        ) { $0.eventLoop.makeSucceededVoidFuture() }.get()
        let collector = Collector { _ in false }
        let promise = channel.eventLoop.makePromise(of: (any Channel).self)
        multiplexer.createStreamChannel(promise: promise) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(
                    HTTP2FramePayloadToHTTP1ClientCodec(httpProtocol: .http))
                try stream.pipeline.syncOperations.addHandler(ResponseReader(collector))
            }
        }
        let stream = try await promise.futureResult.get()
        let head = HTTPRequestHead(
            version: .init(major: 2, minor: 0), method: .GET,
            uri: "/api/v1/tokens/authn.json?requestor=DEMOTV&deviceId=tv-1",
            headers: ["host": "localhost"])
        try await stream.writeAndFlush(HTTPClientRequestPart.head(head))
        try await stream.writeAndFlush(HTTPClientRequestPart.end(nil))
        for _ in 0..<500 where !collector.isDone { try await Task.sleep(for: .milliseconds(10)) }
        #expect(collector.text == #"404 {"status":404,"message":"Not Found"}"#)
        try? await channel.close()
        await listener.stop()
    }

    @Test("a taken port and a bad certificate are told in words")
    func errors() async throws {
        let listener = try await Self.serve()
        let port = listener.port
        let service = Service(seed: Seed(1), epochMilliseconds: 0)
        let error = await #expect(throws: ListenerError.self) {
            try await Listener.start(service, port: port)
        }
        let text = error.map(String.init(describing:)) ?? ""
        #expect(text.hasPrefix("cannot listen on 127.0.0.1 port \(port) ("))
        #expect(text.hasSuffix("choose another with --port, 0 takes any"))
        let bad = await #expect(throws: ListenerError.self) {
            try await Listener.start(service, tls: CertificatePair(certificate: "x", key: "y"))
        }
        #expect(bad.map { "\($0)".hasPrefix("the certificate cannot be used: ") } == true)
        await listener.stop()
    }

    @Test("the throttle sees the peer's address")
    func peer() async throws {
        let listener = try await Self.serve()
        let requests = Array(repeating: Self.poll, count: 12).joined()
        let text = try await Self.talk(listener, requests) { $0.contains("429") }
        #expect(text.contains("HTTP/1.1 429 Too Many Requests"))
        await listener.stop()
    }
}

/// `openssl s_client`: TLS by another's hand, which insists on a certificate for `localhost`.
private final class OpenSSLClient {
    private let process = Process()
    private let requests = Pipe()
    private let replies: URL

    init(_ port: Int, _ options: [String] = []) throws {
        replies = FileManager.default.temporaryDirectory
            .appending(path: "screenrig-s_client-\(UUID().uuidString)")
        try Data().write(to: replies)
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments =
            ["s_client", "-connect", "127.0.0.1:\(port)", "-servername", "localhost"]
            + ["-verify_hostname", "localhost", "-verify_return_error", "-ign_eof"] + options
        process.standardInput = requests
        process.standardOutput = try FileHandle(forWritingTo: replies)
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit {
        if process.isRunning { process.terminate() }
        try? FileManager.default.removeItem(at: replies)
    }

    /// Sends `text`, and gives all that the client prints until that `isEnough` or it ends.
    func talk(_ text: String, until isEnough: (String) -> Bool) async -> String {
        try? requests.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        for _ in 0..<500 where process.ending == nil && !isEnough(printed) {
            try? await Task.sleep(for: .milliseconds(10))
        }
        return printed
    }

    private var printed: String { (try? String(contentsOf: replies, encoding: .utf8)) ?? "" }
}

/// What a connection has said so far. Safe because every access is under the lock.
private final class Collector: @unchecked Sendable {
    private let lock = NSLock()
    private var gathered = ""
    private var isOver = false
    private let isEnough: @Sendable (String) -> Bool

    init(isEnough: @escaping @Sendable (String) -> Bool) {
        self.isEnough = isEnough
    }

    var text: String { lock.withLock { gathered } }
    var isDone: Bool { lock.withLock { isOver || isEnough(gathered) } }

    func add(_ text: String) { lock.withLock { gathered += text } }
    func end() { lock.withLock { isOver = true } }
}

private final class TextReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let collector: Collector

    init(_ collector: Collector) {
        self.collector = collector
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        collector.add(String(buffer: unwrapInboundIn(data)))
    }

    func channelInactive(context: ChannelHandlerContext) { collector.end() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        collector.end()
        context.close(promise: nil)
    }
}

private final class ResponseReader: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart
    private let collector: Collector

    init(_ collector: Collector) {
        self.collector = collector
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): collector.add("\(head.status.code) ")
        case .body(let buffer): collector.add(String(buffer: buffer))
        case .end: collector.end()
        }
    }
}
