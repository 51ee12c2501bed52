import Standin
import Statistics
import Testing
import Vocabulary

@testable import Dialects

/// Every row of rest-v2.md § 2 with good and bad input, in process and over sockets: the status is the
/// documented one, and the answer has nothing that the table would call a deviation.
@Suite("the service and the conformance table of V2", .serialized)
struct V2StandinConformanceTests {
    private static let settings: ServiceSettings = {
        var settings = ServiceSettings.unthrottled
        // A trial that is over with its first resource.
        settings.providers.append(.promotionalPass(id: "BriefPass", resources: 1))
        return settings
    }()

    private static func expectConformance<A: Asker>(_ probe: V2Probe<A>, _ world: inout V2World<A>)
    {
        let reply = probe.run(&world)
        let label = "\(probe.testDescription): \(reply.text)"
        #expect(reply.status == probe.status, "\(label)")
        let dialect = V2(
            origin: Origin(scheme: .http, host: "h", port: 80), serviceProvider: "DEMOTV",
            domain: "demo.test", redirectURL: "https://demo.test/done")
        let path = probe.operation == .authenticate ? "/api/v2/authenticate/DEMOTV/A" : "/x"
        var call = Call(probe.operation, .get, WebAddress(origin: dialect.origin, target: path))
        call.mvpd = probe.mvpd
        #expect(dialect.deviations(of: ReplyDocument(reply), to: call) == [], "\(label)")
        if !reply.body.isEmpty, reply.mediaType != "text/html" {
            #expect(reply.mediaType == "application/json", "\(label)")
        }
    }

    @Test("V2 in process: each answer of the table, and nothing that deviates from it")
    func inProcess() {
        var world = V2World(DirectAsker(Self.settings))
        for probe in V2Probes<DirectAsker>.all { Self.expectConformance(probe, &world) }
    }

    @Test("V2 over sockets: each answer of the table, and nothing that deviates from it")
    func sockets() async throws {
        let listener = try await Listener.start(
            Service(Self.settings, seed: Seed(3), epochMilliseconds: Caller.epoch))
        var world = V2World(SocketAsker(port: listener.port))
        for probe in V2Probes<SocketAsker>.all { Self.expectConformance(probe, &world) }
        await listener.stop()
    }

    @Test("the probes of V2 leave out no answer of the table")
    func complete() {
        let asked = Set(V2Probes<DirectAsker>.all.map { "\($0.page) \($0.status)" })
        // Others' answers, which the page allows: D2's older status, a login page at once, what the
        // consumer says besides, a logout that redirects, and X2 under a rule.
        let others: Set = [
            "D2 200", "A 200", "ACS 302", "ACS 303", "ACS 500", "L 302",
            "X2 200",
        ]
        for row in V2.conformance {
            for expected in row.answers {
                let answer = "\(row.page) \(expected.status)"
                #expect(asked.contains(answer) != others.contains(answer), "\(answer)")
            }
        }
    }
}
