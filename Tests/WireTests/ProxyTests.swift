import Dialects
import Journal
import Lanes
import TestSupport
import Testing
import Vocabulary

@testable import Wire

@Suite("proxies", .serialized)
struct ProxyTests {
    @Test(
        "no proxy is used unless the rig says so, whatever the environment holds",
        arguments: engines)
    func untold(_ engine: TransportOptions.Engine) throws {
        let server = RoughServer.plain()
        defer { server.stop() }
        let port = server.port
        let transfer = try Bench.run(
            engine: engine,
            environment: ["http_proxy": "http://127.0.0.1:1"],
            { await $0.exchange(get(port), from: plainDevice()) })
        #expect(transfer.reply?.status == 200)
    }

    @Test(
        "through a proxy the whole address is asked for, and devices stay apart", arguments: engines
    )
    func forward(_ engine: TransportOptions.Engine) throws {
        let seen = Seen()
        let proxy = RoughServer { visit in
            while let request = visit.request() {
                seen.add(String(request.prefix { $0 != "\r\n" }))
                visit.answer("by proxy")
            }
        }
        defer { proxy.stop() }
        let url = "http://127.0.0.1:\(proxy.port)"
        let settings = WireSettings(
            proxy: .url(url), permission: Permission(allowedByRig: ["far.example"]))
        let transfers = try Bench.run(engine: engine, settings) { bench in
            let (one, two) = (plainDevice(1), plainDevice(2))
            var transfers: [Transfer] = []
            for device in [one, two, one] {
                let call = get(8080, "/x", host: "far.example")
                transfers.append(await bench.exchange(call, from: device))
            }
            transfers.append(await bench.exchange(get(80, host: "unlisted.example"), from: one))
            return transfers
        }
        #expect(transfers[..<3].allSatisfy { $0.reply?.text == "by proxy" })
        #expect(seen.all.allSatisfy { $0 == "GET http://far.example:8080/x HTTP/1.1" })
        #expect(transfers[0].route.connection != transfers[1].route.connection)
        #expect(transfers[0].route.connection == transfers[2].route.connection)
        #expect(transfers[3].refusal?.kind == .hostNotAllowed)
    }

    @Test("the environment is obeyed when the rig says so, with its exceptions", arguments: engines)
    func environment(_ engine: TransportOptions.Engine) throws {
        let proxy = RoughServer.plain("by proxy")
        let server = RoughServer.plain("direct")
        defer {
            proxy.stop()
            server.stop()
        }
        let port = server.port
        let environment = [
            "http_proxy": "127.0.0.1:\(proxy.port)", "no_proxy": "example.org, localhost",
        ]
        let bodies = try Bench.run(
            engine: engine, WireSettings(proxy: .environment), environment: environment
        ) {
            bench in
            let device = plainDevice()
            return [
                await bench.exchange(get(port), from: device).reply?.text,
                await bench.exchange(get(port, host: "localhost"), from: device).reply?.text,
            ]
        }
        #expect(bodies == ["by proxy", "direct"])
    }

    @Test("a proxy that is down, or refuses to tunnel, is named", arguments: engines)
    func broken(_ engine: TransportOptions.Engine) throws {
        let refusing = RoughServer { visit in
            while visit.request() != nil {
                visit.answer("", status: "407 Proxy Authentication Required")
            }
        }
        let down = RoughServer.plain()
        down.stop()
        defer { refusing.stop() }
        for (port, call) in [
            (down.port, get(80)), (refusing.port, secure(443)),
        ] {
            let settings = WireSettings(proxy: .url("http://127.0.0.1:\(port)"))
            let transfer = try Bench.run(engine: engine, settings) {
                await $0.exchange(call, from: plainDevice())
            }
            #expect(transfer.refusal?.kind == .proxy, "\(transfer.result)")
            #expect(transfer.refusal?.detail.contains("the proxy http://127.0.0.1:\(port)") == true)
        }
    }

    @Test("a 407 of a proxy is the proxy's, and no answer of the service", arguments: engines)
    func credentials(_ engine: TransportOptions.Engine) throws {
        let server = RoughServer { visit in
            while visit.request() != nil {
                visit.answer("", status: "407 Proxy Authentication Required")
            }
        }
        defer { server.stop() }
        let port = server.port
        let proxied = WireSettings(
            proxy: .url("http://127.0.0.1:\(port)"),
            permission: Permission(allowedByRig: ["far.example"]))
        let transfer = try Bench.run(engine: engine, proxied) {
            await $0.exchange(get(80, host: "far.example"), from: plainDevice())
        }
        #expect(transfer.refusal?.kind == .proxy, "\(transfer.result)")
        #expect(
            transfer.refusal?.detail.hasPrefix(
                "the proxy http://127.0.0.1:\(port) wants credentials (407); set user and password "
                    + "in target.proxy: http://USER:${PROXY_PASSWORD}@HOST:PORT") == true)
        let plain = try Bench.run(engine: engine) {
            await $0.exchange(get(port), from: plainDevice())
        }
        #expect(plain.reply?.status == 407)
    }

    @Test("exceptions match hosts and domains, with or without dot and port")
    func exceptions() throws {
        let environment = [
            "https_proxy": "p:3128", "no_proxy": ".corp.example,host:8443,*.odd, 10.0.0.1",
        ]
        let route = try ProxyRoute(.environment, environment: environment)
        func isProxied(_ host: String, _ port: Int = 443) -> Bool {
            route.proxy(for: Origin(scheme: .https, host: host, port: port)) != nil
        }
        #expect(isProxied("a.example") && isProxied("mycorp.example") && isProxied("host"))
        #expect(!isProxied("a.corp.example") && !isProxied("corp.example"))
        #expect(!isProxied("host", 8443) && !isProxied("10.0.0.1"))
        #expect(route.proxy(for: Origin(scheme: .http, host: "a.example")) == nil)
        #expect(throws: WireError.proxyNotURL("::")) {
            try ProxyRoute(.url("::"), environment: [:])
        }
    }
}
