import Dialects
import Standin
import Statistics
import Testing
import Vocabulary

/// Every answer of RFC 8628, 3.2 and 3.5, RFC 6749, 5 and RFC 7009, 2.2 that the stand-in gives, as the devices'
/// codec reads it: what it means, and nothing that deviates.
@Suite("the service and the readings of the device grant", .serialized)
struct GrantConformanceTests {
    private static let settings: ServiceSettings = {
        var settings = ServiceSettings.unthrottled
        settings.grants.interval = .seconds(5)
        return settings
    }()

    /// A device and a person at a service, who speak by the devices' own codec.
    private struct World<A: Asker> {
        var asker: A
        let dialect = DeviceGrant(
            origin: Origin(scheme: .http, host: "127.0.0.1", port: 80),
            terms: DeviceGrantTerms().ofStandin)
        var credential = Credential(
            device: DeviceIdentity(
                id: "tv",
                info: DeviceInfo(
                    model: "AppleTV", osName: "tvOS", osVersion: "17.4", primaryHardwareType: "TV"),
                userAgent: "DemoTV/1.0", forwardedFor: nil), bearer: nil)

        mutating func told(_ call: Call?, _ change: (inout Call) -> Void = { _ in }) throws
            -> Reading
        {
            var call = try #require(call)
            change(&call)
            let reply = asker.ask(
                call.method, call.address.target, call.headers.fields.map { ($0.name, $0.value) },
                String(decoding: call.body, as: UTF8.self))
            let reading = dialect.read(reply, to: call)
            #expect(reading.deviations == [], "\(call.operation): \(reply.text)")
            return reading
        }

        mutating func codes() throws -> IssuedCode {
            let reading = try told(dialect.issueCode(credential, lifetime: nil, mvpd: nil))
            guard case .code(let issued) = reading.answer else {
                throw Unexpected(reading: "\(reading.answer)")
            }
            return issued
        }

        mutating func poll(_ issued: IssuedCode) throws -> Reading {
            try told(dialect.poll(issued, .token, credential))
        }

        /// A person goes through the pages.
        mutating func decide(_ issued: IssuedCode, _ decision: String) {
            func value(_ name: String, _ reply: Reply) -> String {
                reply.after("name=\"\(name)\" value=\"", upTo: "\"") ?? ""
            }
            func cookie(_ reply: Reply) -> String {
                String((reply.headers["Set-Cookie"] ?? "").prefix { $0 != ";" })
            }
            let form = ("Content-Type", "application/x-www-form-urlencoded")
            let page = asker.ask(.get, "/device/login", [], "")
            let body = "csrf_token=\(value("csrf_token", page))&username=viewer-1&password=p"
            let login = asker.ask(.post, "/device/login", [form, ("Cookie", cookie(page))], body)
            let session = ("Cookie", cookie(login))
            let consent = asker.ask(.get, "/device?user_code=\(issued.typed)", [session], "")
            let decided = asker.ask(
                .post, "/device/decision", [form, session],
                "login=\(value("login", consent))&decision=\(decision)")
            #expect(decided.status == 200, "\(decided.text)")
        }
    }

    /// What another answer says than the one to be expected.
    private struct Unexpected: Error { let reading: String }

    private func expectConformance<A: Asker>(_ asker: A) throws {
        var world = World(asker: asker)
        let discovered = try world.told(world.dialect.discover(as: world.credential.device).first)
        guard case .endpoints(let endpoints) = discovered.answer else {
            throw Unexpected(reading: "\(discovered.answer)")
        }
        world.credential.endpoints = endpoints
        let pending = try world.codes()
        #expect(pending.pollInterval == .seconds(5) && pending.lifetime == .seconds(1800))
        guard case .slower(by: .seconds(5)) = try world.poll(pending).answer else {
            throw Unexpected(reading: "a poll at once is not slowed down")
        }
        let refused = try world.codes()
        world.decide(refused, "refuse")
        #expect(try world.poll(refused).outcome == .notEntitled)
        let approved = try world.codes()
        world.decide(approved, "approve")
        guard case .signedIn(_, let session?) = try world.poll(approved).answer else {
            throw Unexpected(reading: "no token")
        }
        guard case .codeOver = try world.poll(approved).answer else {
            throw Unexpected(reading: "the code serves twice")
        }
        world.credential.session = session.access
        world.credential.refresh = session.refresh
        let (dialect, credential) = (world.dialect, world.credential)
        func call(_ operation: OperationName) -> Call? {
            dialect.call(operation, about: Subject(), credential)
        }
        #expect(
            try world.told(call(.userinfo)).observation.tag == Tag(mvpd: "", user: "viewer-1"))
        #expect(try world.told(call(.refreshToken)).outcome == .ok)
        // The one that was replaced.
        #expect(try world.told(call(.refreshToken)).outcome == .rejected)
        #expect(try world.told(call(.revocation)).outcome == .ok)
        let foreign = try world.told(call(.deviceAuthorization)) {
            $0.body = Array("client_id=radio".utf8)
        }
        #expect(foreign.outcome == .rejected)
    }

    @Test(
        "the device grant in process: each answer means what the standard says, and nothing deviates"
    )
    func inProcess() throws {
        try expectConformance(DirectAsker(Self.settings))
    }

    @Test(
        "the device grant over sockets: each answer means what the standard says, and nothing deviates"
    )
    func sockets() async throws {
        let listener = try await Listener.start(
            Service(Self.settings, seed: Seed(3), epochMilliseconds: Caller.epoch))
        try expectConformance(SocketAsker(port: listener.port))
        await listener.stop()
    }
}
