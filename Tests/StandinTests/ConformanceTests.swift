import Standin
import Statistics
import Testing
import Vocabulary

@testable import Dialects

/// Every row of rest-v1.md § 2 with good and bad input, in process and over sockets: the status is
/// the documented one, and the answer has nothing that the table would call a deviation.
@Suite("the service and the conformance table", .serialized)
struct StandinConformanceTests {
    static func settings(
        enhanced: Bool = false, throttle: Policies.Throttle? = nil
    ) -> ServiceSettings {
        var settings = ServiceSettings(
            policies: .init(throttle: throttle), enhancedErrors: enhanced)
        settings.providers += [
            // A sign-in that is over as it begins.
            .init(id: "DemoGone", authenticationTTL: .zero),
            // Authorizations that are over as they begin.
            .init(id: "DemoBrief", authorizationTTL: .zero),
            .init(id: "DemoMute", offersMetadata: false),
            .init(id: "DemoLocal", encryptsZip: true, proxy: "DemoHub"),
        ]
        return settings
    }

    private static func expectConformance<A: Asker>(_ probe: Probe<A>, _ world: inout World<A>) {
        let reply = probe.run(&world)
        let label = "\(probe.testDescription), \(world.way.rawValue): \(reply.text)"
        #expect(reply.status == probe.status, "\(label)")
        let method: Method = probe.page == "L1" ? .delete : .get
        let dialect = V1(
            origin: Origin(scheme: .http, host: "h", port: 80), requestor: "DEMOTV",
            domain: "demo.test", redirectURL: "https://demo.test/done")
        let path = probe.operation == .authenticate ? "/api/v1/authenticate" : "/x"
        let target = WebAddress(origin: dialect.origin, target: path)
        let call = Call(probe.operation, method, target)
        #expect(dialect.deviations(of: reply, to: call) == [], "\(label)")
        expectFormat(reply, probe, world.way)
    }

    /// The three ways are equivalent (§ 3.3); registration speaks JSON only (§ 5), S1 bytes.
    private static func expectFormat<A: Asker>(_ reply: Reply, _ probe: Probe<A>, _ way: Way) {
        guard !reply.body.isEmpty, reply.mediaType != "text/html",
            reply.mediaType != "application/octet-stream"
        else { return }
        let isAlwaysJSON =
            probe.operation == .registerClient || probe.operation == .accessToken
        let isXML = way.isXML && !isAlwaysJSON
        #expect(reply.isXML == isXML && reply.isJSON == !isXML, "\(probe.testDescription) \(way)")
        #expect((reply.body.first == UInt8(ascii: "<")) == isXML)
    }

    @Test(
        "in process, each format asked for in each way, classic errors and enhanced",
        arguments: Way.allCases, [false, true])
    func inProcess(way: Way, enhanced: Bool) {
        for probe in Probes<DirectAsker>.all {
            var world = World(DirectAsker(Self.settings(enhanced: enhanced)))
            world.way = way
            Self.expectConformance(probe, &world)
        }
    }

    @Test("over sockets", arguments: [Way.acceptJSON, .suffixXML], [false, true])
    func sockets(way: Way, enhanced: Bool) async throws {
        let listener = try await Listener.start(
            Service(
                Self.settings(enhanced: enhanced), seed: Seed(3), epochMilliseconds: Caller.epoch))
        var world = World(SocketAsker(port: listener.port))
        world.way = way
        for probe in Probes<SocketAsker>.all { Self.expectConformance(probe, &world) }
        await listener.stop()
    }

    @Test("the probes leave out no answer of the table")
    func complete() {
        let asked = Set(Probes<DirectAsker>.all.map { "\($0.page) \($0.status)" })
        for row in V1.conformance {
            for expected in row.answers {
                // A1: the older edition's 200 is for others to give.
                if row.operation == .accessToken, expected.status == 200 { continue }
                // So is the redirect to a page that browsers get (RFC 9110, 15.4.4).
                if row.operation == .assertion, expected.status == 303 { continue }
                #expect(asked.contains("\(row.page) \(expected.status)"))
            }
        }
    }

    @Test("401, 405 and 429 are the same everywhere (§§ 2, 14)")
    func anywhere() {
        let paths: [(Method, String)] = [
            (.post, "/reggie/v1/DEMOTV/regcode"), (.get, "/reggie/v1/DEMOTV/regcode/AAAAAAA"),
            (.delete, "/reggie/v1/DEMOTV/regcode/AAAAAAA"), (.get, "/api/v1/config/DEMOTV"),
            (.get, "/api/v1/checkauthn/AAAAAAA"), (.get, "/api/v1/checkauthn"),
            (.get, "/api/v1/tokens/authn"), (.post, "/api/v1/tokens/authn"),
            (.post, "/api/v1/authenticate/freepreview"),
            (.get, "/api/v1/DEMOTV/profile-requests/DemoCable"), (.get, "/api/v1/preauthorize"),
            (.get, "/api/v1/preauthorize/AAAAAAA"), (.get, "/api/v1/authorize"),
            (.get, "/api/v1/tokens/authz"), (.get, "/api/v1/tokens/media"),
            (.get, "/api/v1/mediatoken"), (.get, "/api/v1/tokens/usermetadata"),
            (.delete, "/api/v1/logout"),
        ]
        for (method, path) in paths {
            var world = World(DirectAsker(Self.settings()))
            let isBare = path.hasSuffix("/AAAAAAA") && method == .get || path.contains("/config/")
            let bare = world.ask(method, path, auth: false)
            // What second screens ask without one (observed.md) is answered.
            if isBare { #expect(bare.status != 401, "\(path)") }
            #expect(
                isBare || bare.status == 401 && bare.text == #"{"error":"access_denied"}"#,
                "\(path)")
            world.bearer = "stale"
            #expect(world.ask(method, path).status == 401, "\(path)")
            let throttled = Policies.Throttle(burst: 1)
            var busy = World(DirectAsker(Self.settings(throttle: throttled)))
            _ = busy.ask(method, path)
            let reply = busy.ask(method, path)
            #expect(reply.status == 429 && reply.mediaType == "text/html", "\(path)")
        }
    }
}
