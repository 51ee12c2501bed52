import Dialects
import Foundation
import Journal
import Lanes
import TestSupport
import Testing
import Vocabulary

@testable import Wire

/// A real server of the world, where it is installed: HTTP/1.1 and HTTP/2, with TLS and without.
private final class Nginx {
    static let program = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    private(set) var plain = 0
    private(set) var secured = 0
    private(set) var plain2 = 0
    private var process = Process()

    /// Ports are free when they are chosen, and may be another test's by the time that nginx binds them: then it ends, and is
    /// started again with others.
    init(_ files: Certificates) throws {
        for _ in 1...10 {
            (plain, secured, plain2) = (Self.freePort(), Self.freePort(), Self.freePort())
            try start(files)
            for _ in 1...1000 where process.ending == nil {
                // Written once every port is bound.
                if FileManager.default.fileExists(atPath: pid(files)) { return }
                usleep(20_000)
            }
            stop()
        }
        let log = files.folder.url.appendingPathComponent("error.log")
        let text = (try? String(contentsOf: log, encoding: .utf8)) ?? "no error.log"
        throw NotStarted(description: "nginx did not start: \(text)")
    }

    private func pid(_ files: Certificates) -> String {
        files.folder.path("pid")
    }

    private struct NotStarted: Error, CustomStringConvertible { let description: String }

    private func start(_ files: Certificates) throws {
        let folder = files.folder.path
        let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(folder)/\($0);" }.joined(separator: " ")
        let text = """
            daemon off; master_process off; pid \(pid(files)); error_log \(folder)/error.log;
            events { worker_connections 512; }
            http {
                access_log off; keepalive_timeout 60s; keepalive_requests 3; \(paths)
                server {
                    listen 127.0.0.1:\(plain); listen 127.0.0.1:\(secured) ssl http2;
                    listen 127.0.0.1:\(plain2) http2;
                    ssl_certificate \(folder)/server.pem; ssl_certificate_key \(folder)/server.key;
                    location / { return 200 "$request_method $uri $server_protocol"; }
                    location /none { return 204; }
                    location /away { return 302 /there; }
                }
            }
            """
        let file = files.folder.url.appendingPathComponent("nginx.conf")
        try Data(text.utf8).write(to: file)
        process = Process()
        process.executableURL = URL(fileURLWithPath: Self.program!)
        process.arguments = ["-c", file.path, "-p", folder]
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    func stop() {
        kill(process.processIdentifier, SIGKILL)
        process.waitForEnd()
    }

    private static func freePort() -> Int {
        let server = RoughServer.plain()
        defer { server.stop() }
        return server.port
    }
}

@Suite(
    "against nginx", .serialized,
    .enabled(if: Nginx.program != nil, "nginx is not installed; the other servers do"))
struct NginxTests {
    private static func calls(_ first: Call) -> [Call] {
        ["/one", "/none", "/away", "/four"].map { path in
            var call = first
            call.address = WebAddress(origin: first.address.origin, target: path)
            if path == "/four" {
                call.method = .post
                call.body = Array("a=b".utf8)
            }
            return call
        }
    }

    private func story(_ settings: WireSettings, _ call: Call) throws -> [Transfer] {
        try Bench.run(settings) { bench in
            let device = plainDevice()
            var transfers: [Transfer] = []
            for call in Self.calls(call) {
                transfers.append(await bench.exchange(call, from: device))
            }
            return transfers
        }
    }

    @Test(
        "answers with and without body, kept connections and their end, over both engines",
        arguments: engines, [false, true])
    func keepAlive(_ engine: TransportOptions.Engine, _ isTLS: Bool) throws {
        let files = try Certificates(["server"])
        let nginx = try Nginx(files)
        defer { nginx.stop() }
        let settings = WireSettings(engine: engine, tls: .init(ca: files.path("ca.pem")))
        let transfers = try story(settings, isTLS ? secure(nginx.secured) : get(nginx.plain))
        #expect(transfers.map { $0.reply?.status } == [200, 204, 302, 200], "\(transfers)")
        #expect(transfers[0].reply?.text == "GET /one HTTP/1.1")
        #expect(transfers[3].reply?.text == "POST /four HTTP/1.1")
        // Its third answer on a connection is the last.
        #expect(transfers.map(\.route.reused) == [false, true, true, false])
        guard isTLS else { return #expect(transfers[3].route.tlsResumed == nil) }
        // Where the server closed, libcurl 7.88 comes back with its session in vain ("old SSL session
        // ID is stale"), as its own command line does: only what is ours can be held to it.
        if engine == .direct { #expect(transfers[3].route.tlsResumed == true) }
    }

    @Test("through the tunnel of a proxy", arguments: engines)
    func tunnel(_ engine: TransportOptions.Engine) throws {
        let files = try Certificates(["server"])
        let nginx = try Nginx(files)
        defer { nginx.stop() }
        let target = nginx.secured
        let proxy = RoughServer { visit in
            guard visit.request() != nil else { return }
            visit.send("HTTP/1.1 200 Connection established\r\n\r\n")
            visit.relay(to: target)
        }
        defer { proxy.stop() }
        let settings = WireSettings(
            engine: engine, tls: .init(ca: files.path("ca.pem")),
            proxy: .url("http://127.0.0.1:\(proxy.port)"))
        let transfers = try story(settings, secure(target))
        #expect(transfers.map { $0.reply?.status } == [200, 204, 302, 200], "\(transfers)")
        #expect(proxy.connections == 2)
    }

    @Test("HTTP/2, by ALPN and by prior knowledge", arguments: [true, false])
    func http2(_ isTLS: Bool) throws {
        let files = try Certificates(["server"])
        let nginx = try Nginx(files)
        defer { nginx.stop() }
        let settings = WireSettings(http: .http2, tls: .init(ca: files.path("ca.pem")))
        let transfers = try story(settings, isTLS ? secure(nginx.secured) : get(nginx.plain2))
        #expect(transfers.map { $0.reply?.status } == [200, 204, 302, 200], "\(transfers)")
        #expect(transfers[0].reply?.text == "GET /one HTTP/2.0")
        #expect(transfers.allSatisfy { $0.route.httpVersion == "2" })
        #expect(transfers.prefix(3).map(\.route.reused) == [false, true, true])
    }
}
