import Dialects
import TestSupport
import Testing
import Vocabulary

@testable import Wire

@Suite("permission")
struct PermissionTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var host: String
        var addresses: [String]
        var rig: [String] = []
        var command: [String] = []
        var refusal: String?
    }

    static let cases: [Case] = [
        Case(testDescription: "loopback", host: "127.0.0.1", addresses: ["127.0.0.1"]),
        Case(testDescription: "all of 127/8", host: "127.9.9.9", addresses: ["127.9.9.9"]),
        Case(testDescription: "IPv6 loopback", host: "::1", addresses: ["::1"]),
        Case(
            testDescription: "IPv4 loopback written as IPv6", host: "x",
            addresses: ["::ffff:127.0.0.1"]),
        Case(testDescription: "localhost", host: "localhost", addresses: ["::1", "127.0.0.1"]),
        Case(
            testDescription: "a name that only sounds local", host: "localhost.evil.example",
            addresses: ["203.0.113.7"],
            refusal: "localhost.evil.example is not a loopback address; list it under "
                + "target.allow or pass --allow localhost.evil.example"),
        Case(
            testDescription: "one address of two elsewhere", host: "half.example",
            addresses: ["127.0.0.1", "203.0.113.7"],
            refusal: "half.example is not a loopback address; list it under target.allow or pass "
                + "--allow half.example"),
        Case(
            testDescription: "any address", host: "0.0.0.0", addresses: ["0.0.0.0"],
            refusal: "0.0.0.0 is not a loopback address; list it under target.allow or pass "
                + "--allow 0.0.0.0"),
        Case(
            testDescription: "unlisted", host: "auth.staging.example", addresses: ["203.0.113.7"],
            rig: ["idp.example"],
            refusal: "auth.staging.example is not a loopback address; list it under target.allow "
                + "or pass --allow auth.staging.example"),
        Case(
            testDescription: "listed by the rig, in capitals", host: "auth.staging.example",
            addresses: ["203.0.113.7"], rig: ["Auth.Staging.Example"]),
        Case(
            testDescription: "listed by the command", host: "AUTH.staging.example.",
            addresses: ["203.0.113.7"], command: ["auth.staging.example"]),
        Case(
            testDescription: "a listed domain does not cover hosts below it",
            host: "a.staging.example", addresses: ["203.0.113.7"], rig: ["staging.example"],
            refusal: "a.staging.example is not a loopback address; list it under target.allow or "
                + "pass --allow a.staging.example"),
        Case(
            testDescription: "production, by the rig alone", host: "api.auth.adobe.com",
            addresses: ["203.0.113.7"], rig: ["api.auth.adobe.com"], refusal: production),
        Case(
            testDescription: "production, by the command alone", host: "API.auth.adobe.com.",
            addresses: ["203.0.113.7"], command: ["api.auth.adobe.com"], refusal: production),
        Case(
            testDescription: "production, even at loopback", host: "api.auth.adobe.com",
            addresses: ["127.0.0.1"], refusal: production),
        Case(
            testDescription: "production, named twice", host: "api.auth.adobe.com",
            addresses: ["203.0.113.7"], rig: ["api.auth.adobe.com"],
            command: ["api.auth.adobe.com"]),
    ]

    static let production =
        "api.auth.adobe.com is the production service; list it under target.allow and pass "
        + "--allow api.auth.adobe.com as well"

    @Test("loopback is free, everything else is listed", arguments: cases)
    func table(_ row: Case) throws {
        let permission = Permission(allowedByRig: row.rig, allowedByCommand: row.command)
        let addresses = try row.addresses.map { try #require(IPAddress($0)) }
        let refusal = permission.refusal(of: row.host, at: addresses)
        #expect(refusal?.detail == row.refusal)
        #expect(refusal == nil || refusal?.kind == .hostNotAllowed)
    }

    @Test("behind a proxy, localhost is this machine only if the proxy is")
    func proxied() {
        let permission = Permission(allowedByRig: ["listed.example"])
        func refusal(_ host: String, local: Bool) -> String? {
            permission.refusal(of: host, through: "http://p:1", proxyIsLoopback: local)?.detail
        }
        #expect(refusal("localhost", local: true) == nil)
        #expect(refusal("127.0.0.1", local: true) == nil)
        #expect(refusal("listed.example", local: false) == nil)
        #expect(
            refusal("localhost", local: false)
                == "localhost is reached through the proxy http://p:1; list it under "
                + "target.allow or pass --allow localhost")
        #expect(refusal("other.example", local: true) != nil)
    }

    @Test(
        "an unlisted host is refused before a byte leaves, whatever it resolves to",
        arguments: engines)
    func refused(_ engine: TransportOptions.Engine) throws {
        let server = RoughServer.plain()
        defer { server.stop() }
        let port = server.port
        let transfer = try Bench.run(
            engine: engine,
            WireSettings(permission: Permission(named: ["auth.staging.example"])),
            lookup: { _ in .success([IPAddress("203.0.113.7")!]) },
            { await $0.exchange(get(port, host: "auth.staging.example"), from: plainDevice()) })
        #expect(transfer.refusal?.kind == .hostNotAllowed)
        #expect(transfer.sent == nil && transfer.route.connection == 0)
        #expect(server.connections == 0)
    }

    @Test("a name that only a server gave is not even looked up", arguments: engines)
    func unasked(_ engine: TransportOptions.Engine) throws {
        let asked = Seen()
        let transfers = try Bench.run(
            engine: engine,
            lookup: { host in
                asked.add(host)
                return .failure(.init(description: "name or service not known"))
            },
            { bench in
                [
                    await bench.exchange(get(1, host: "evil.test"), from: plainDevice()),
                    await bench.exchange(get(1, host: "localhost"), from: plainDevice()),
                ]
            })
        #expect(transfers.map(\.refusal?.kind) == [.hostNotAllowed, .nameNotResolved])
        #expect(
            transfers[0].refusal?.detail
                == "evil.test was named by a server, not by the rig; list it under target.allow or "
                + "pass --allow evil.test")
        #expect(asked.all == ["localhost"])
    }
}
