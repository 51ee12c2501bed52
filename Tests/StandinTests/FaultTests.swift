import Dialects
import Journal
import Standin
import Statistics
import Testing

/// Each fault of docs/stand-in.md, told to the service value directly.
@Suite("Faults")
struct FaultTests {
    @Test("every fault of the table has a scene")
    func complete() throws {
        let shown = try Set(FaultScene.all.map { try Fault(parsing: $0.fault).kind })
        #expect(shown == Set(FaultKind.all.filter { !$0.isControl }))
        #expect(Set(FaultKind.all.map(\.name)).count == FaultKind.all.count)
    }

    @Test("without it the promise holds", arguments: FaultScene.all)
    func absent(scene: FaultScene) throws {
        var caller = try scene.caller(["none"])
        #expect(!scene.symptom(&caller))
        #expect(caller.service.takeTruth().isEmpty)
    }

    @Test(
        "with it the symptom is seen, and what it did is on record", arguments: FaultScene.all)
    func present(scene: FaultScene) throws {
        let fault = try Fault(parsing: scene.fault)
        var caller = try scene.caller()
        #expect(scene.symptom(&caller))
        let truth = caller.service.takeTruth()
        let activated = truth.filter { $0.kind == .activated }
        #expect(!activated.isEmpty && truth.allSatisfy { $0.fault == fault.kind.name })
        let shown = truth.filter { $0.kind == .observable }
        #expect(!shown.isEmpty)
        #expect(
            shown.allSatisfy { event in
                activated.contains { $0.activation == event.activation }
            })
        #expect(Set(shown.map(\.activation)).count == shown.count)
        // What was not asked for again is told once.
        #expect(caller.service.takeTruth().isEmpty)
    }

    @Test("switched on and never striking, it is not exercised", arguments: FaultScene.all)
    func spared(scene: FaultScene) throws {
        let kind = try Fault(parsing: scene.fault).kind
        let spared = scene.fault + (scene.fault.contains(":") ? "," : ":") + "probability=0%"
        var caller = try scene.caller([spared])
        #expect(!scene.symptom(&caller))
        #expect(caller.service.takeTruth().isEmpty, "\(kind.name)")
    }

    @Test("the same seed strikes at the same requests", arguments: FaultScene.all)
    func repeats(scene: FaultScene) throws {
        let half = scene.fault + (scene.fault.contains(":") ? "," : ":") + "probability=50%"
        func truth(_ seed: Seed) throws -> [TruthEvent] {
            var caller = try scene.caller([half], seed: seed)
            _ = scene.symptom(&caller)
            return caller.service.takeTruth()
        }
        var counts: Set<Int> = []
        for seed in Seed.samples(12) {
            let once = try truth(seed)
            #expect(try truth(seed) == once)
            counts.insert(once.count)
        }
        // Sometimes it strikes, and sometimes not, or not so often; at the throttle it has so many
        // chances that it always does.
        #expect(counts.count > 1 || scene.fault == "throttle-wedge")
    }

    @Test("two faults at once both strike")
    func together() throws {
        var caller = Caller(
            .unthrottled,
            faults: [try Fault(parsing: "token-flap"), try Fault(parsing: "poll-double-mint")])
        caller.register()
        caller.logIn(caller.issue())
        let first = caller.poll()
        caller.advance(.milliseconds(10))
        let second = caller.poll()
        caller.advance(.milliseconds(60))
        let third = caller.poll()
        #expect([first.status, second.status, third.status] == [200, 404, 200])
        #expect(caller.service.takeTruth().contains { $0.fault == "token-flap" })
    }

    @Test("what struck is told with its household, device, code and exchange")
    func truth() throws {
        var caller = Caller(.unthrottled, faults: [try Fault(parsing: "token-flap")])
        caller.register()
        caller.logIn(caller.issue())
        _ = caller.poll()
        caller.advance(.milliseconds(10))
        _ = caller.get(
            "/api/v1/tokens/authn?\(Caller.key())", headers: ["X-Screenrig": "night-1/17/23"])
        let truth = caller.service.takeTruth()
        #expect(truth.map(\.kind) == [.activated, .observable])
        let event = try #require(truth.first)
        #expect(event.household == 17 && event.device == "tv-1" && event.activation == 1)
        #expect(event.operation == "poll-token" && event.exchange == "night-1/17/23")
        #expect(
            event.json
                == #"{"event":"activated","id":1,"fault":"token-flap","us":10000,"#
                + #""wallMs":1760000000010,"household":17,"device":"tv-1","#
                + #""operation":"poll-token","exchange":"night-1/17/23"}"#)
    }
}

/// A truth says "observable" only where somebody outside can tell.
@Suite("What faults show")
struct ObservableTests {
    private func truth(
        _ fault: String, _ settings: ServiceSettings = .unthrottled,
        _ story: (inout Caller) -> Void
    ) throws -> [TruthEvent.Kind] {
        var caller = Caller(settings, faults: [try Fault(parsing: fault)])
        caller.register()
        story(&caller)
        return caller.service.takeTruth().map(\.kind)
    }

    @Test("sso-vs-login: of one provider there is nothing to mix up")
    func sameProvider() throws {
        let kinds = try truth("sso-vs-login") { caller in
            let code = caller.issue()
            let page = caller.openLogin(caller.get(Caller.authenticate(code, mvpd: "DemoCable")))
            let handOver = caller.submit(page, user: "viewer-1", password: "right")
            #expect(caller.exchange() == 204)
            caller.finish(handOver)
            #expect(caller.poll().member("userId") == "viewer-1")
        }
        #expect(kinds == [])
    }

    @Test("lost-session: seen by all, polls lose it as well")
    func lostForAll() throws {
        let kinds = try truth("lost-session:after=1s,seen-by=all") { caller in
            caller.logIn(caller.issue())
            #expect(caller.poll().status == 200)
            caller.advance(.seconds(2))
            #expect(caller.poll().status == 404)
        }
        #expect(kinds == [.activated, .observable])
    }

    @Test("lost-session: where nobody was told of the sign-in before, nobody can tell")
    func lostUntold() throws {
        let kinds = try truth("lost-session:after=1s") { caller in
            caller.logIn(caller.issue())
            caller.advance(.seconds(2))
            #expect(caller.metadata().status == 412)
        }
        #expect(kinds == [.activated])
    }

    @Test("lost-authorization: another resource keeps its own, and asking again grants it anew")
    func otherAuthorization() throws {
        let kinds = try truth("lost-authorization:after=1s") { caller in
            caller.logIn(caller.issue())
            #expect(caller.authorize().status == 200)
            caller.advance(.seconds(2))
            #expect(caller.authorize(resource: "demo-2").status == 200)
            #expect(caller.authorization(resource: "demo-2").status == 200)
            #expect(caller.authorize().status == 200)
            #expect(caller.authorization().status == 200)
        }
        #expect(kinds == [])
    }

    @Test("expiry-skew of deletions: gone early shows, a late yes does no harm")
    func lateDeletion() throws {
        let early = try truth("expiry-skew:skew=-2s,endpoint=delete-registration") { caller in
            let code = caller.issue(more: "&ttl=3")
            caller.advance(.seconds(2))
            #expect(caller.delete(Caller.recordPath(code)).status == 404)
        }
        #expect(early == [.activated, .observable])
        let late = try truth("expiry-skew:skew=2s,endpoint=delete-registration") { caller in
            let code = caller.issue(more: "&ttl=3")
            caller.advance(.seconds(4))
            #expect(caller.delete(Caller.recordPath(code)).status == 204)
        }
        #expect(late == [.activated])
    }

    @Test(
        "expiry-skew of decisions: an expired sign-in is still authorized, and polls say that it is over"
    )
    func lateDecision() throws {
        var settings = ServiceSettings.unthrottled
        settings.authenticationTTL = .seconds(4)
        let kinds = try truth("expiry-skew:skew=3s,endpoint=authorize", settings) { caller in
            caller.logIn(caller.issue())
            #expect(caller.authorize().status == 200)
            caller.advance(.seconds(6))
            #expect(caller.poll().status == 410)
            #expect(caller.authorize().status == 200)
        }
        #expect(kinds == [.activated, .observable])
    }

    @Test("error-but-applied: another sign-in shows nothing of the refused one")
    func otherSignIn() throws {
        let kinds = try truth("error-but-applied") { caller in
            #expect(caller.logIn(caller.issue()).status == 400)
            #expect(caller.exchange() == 204)
            #expect(caller.poll().status == 200)
        }
        #expect(kinds == [.activated])
    }

    @Test("throttle-wedge: a 429 soon after others may be right, one after a pause is not")
    func budget() throws {
        let kinds = try truth("throttle-wedge", ServiceSettings()) { caller in
            for _ in 0..<20 { _ = caller.poll() }
            caller.advance(.milliseconds(500))
            #expect(caller.poll().status == 429)
        }
        #expect(kinds == [.activated])
        let later = try truth("throttle-wedge", ServiceSettings()) { caller in
            for _ in 0..<20 { _ = caller.poll() }
            caller.advance(.milliseconds(1_010))
            #expect(caller.poll().status == 429)
            caller.advance(.milliseconds(10))
            _ = caller.poll()
        }
        #expect(later == [.activated, .observable])
        // Which of two that came together was the first is not for those outside to know.
        let crowd = try truth("throttle-wedge", ServiceSettings()) { caller in
            for _ in 0..<20 { _ = caller.poll() }
            caller.advance(.milliseconds(1_010))
            for _ in 0..<2 { #expect(caller.poll().status == 429) }
        }
        #expect(crowd == [.activated])
    }

    @Test("duplicate-live-code: a code that its screen is just giving up is no twin for certain")
    func givenUp() throws {
        let kinds = try truth("duplicate-live-code:space=1") { caller in
            let code = caller.issue("tv-1")
            #expect(caller.issue("tv-2") == code)
            caller.advance(.milliseconds(2))
            _ = caller.delete(Caller.recordPath(code))
            caller.advance(.milliseconds(50))
            _ = caller.poll("tv-2")
        }
        #expect(kinds == [.activated])
    }

    @Test("duplicate-live-code: letters that another's deletion freed are still the first one's")
    func freedByAnother() throws {
        var caller = Caller(
            .unthrottled, faults: [try Fault(parsing: "duplicate-live-code:space=1")])
        caller.register()
        func ask(_ household: Int, _ device: String) {
            _ = caller.post(
                "\(Caller.codePath)?deviceId=\(device)", body: "",
                headers: ["X-Screenrig": "run/\(household)/1"])
        }
        ask(1, "tv-1")
        ask(2, "tv-2")
        caller.advance(.seconds(1))
        _ = caller.delete(Caller.recordPath("X000000"), headers: ["X-Screenrig": "run/2/2"])
        ask(3, "tv-3")
        let struck = caller.service.takeTruth().filter { $0.kind == .activated }
        #expect(struck.map(\.household) == [2, 3] && struck.map(\.otherHousehold) == [1, 1])
    }
}

/// The controls: all that a service may do without breaking a promise.
@Suite("Controls")
struct ControlTests {
    @Test("slow answers late, and does all at once")
    func slow() throws {
        var service = Service(
            .unthrottled, faults: [try Fault(parsing: "slow")], seed: Seed(3),
            epochMilliseconds: Caller.epoch)
        for number in 1...50 {
            let request = ServiceRequest(
                id: RequestID(UInt64(number)), method: .get, target: "/api/v1/config/DEMOTV",
                peer: "127.0.0.1")
            let effects = service.on(request, at: .start)
            guard case .reply(_, to: _, after: let delay)? = effects.first else {
                Issue.record("no reply")
                return
            }
            #expect(delay >= .milliseconds(100) && delay <= .milliseconds(300))
        }
        #expect(service.takeTruth().isEmpty)
    }

    @Test(
        "capacity serves one request at a time, the others wait their turn, and a full queue turns away"
    )
    func capacity() throws {
        var service = Service(
            .unthrottled, faults: [try Fault(parsing: "capacity:rate=100/s,queue=4")],
            seed: Seed(3), epochMilliseconds: Caller.epoch)
        func answer(at milliseconds: Int) throws -> (status: Int, delay: Duration) {
            let request = ServiceRequest(
                id: RequestID(1), method: .get, target: "/api/v1/config/DEMOTV",
                peer: "127.0.0.1")
            let effects = service.on(request, at: .start + .milliseconds(milliseconds))
            guard case .reply(let reply, to: _, after: let delay)? = effects.first else {
                throw FaultError.unknownName("no reply")
            }
            return (reply.status, delay)
        }
        // The first is served at once, for 10 ms; four wait behind it.
        let first = try (0..<5).map { _ in try answer(at: 0) }
        #expect(first.map(\.delay) == (1...5).map { .milliseconds($0 * 10) })
        #expect(first.allSatisfy { $0.status != 503 })
        #expect(try answer(at: 0) == (503, .zero))
        // One has left by then.
        #expect(try answer(at: 10).delay == .milliseconds(50))
        // Nothing waits any more.
        #expect(try answer(at: 500).delay == .milliseconds(10))
        #expect(service.takeTruth().isEmpty)
    }

    @Test("noisy turns away, resets, answers in XML and with more than was asked, and does no harm")
    func noisy() throws {
        var seen: Set<String> = []
        var caller = Caller(
            .unthrottled, faults: [try Fault(parsing: "noisy:probability=10%")], seed: Seed(3))
        while caller.bearer == nil { caller.tryToRegister() }
        caller.mayHold = true
        for number in 0..<300 {
            let device = "tv-\(number)"
            let reply = caller.post("\(Caller.codePath)?deviceId=\(device)", body: "")
            if reply.status == 503 { seen.insert("503") }
            if reply.isXML { seen.insert("XML") }
            if reply.text.contains("x-standin") { seen.insert("more") }
            let poll = caller.poll(device)
            #expect([404, 410, 503, 0].contains(poll.status))
            if poll.status == 410 { seen.insert("410") }
        }
        if caller.resets > 0 { seen.insert("reset") }
        #expect(seen == ["503", "XML", "more", "410", "reset"])
        #expect(caller.service.takeTruth().isEmpty)
    }

    @Test("noisy: what was answered 503 or reset has had no effect")
    func harmless() throws {
        var turnedAway = 0
        for seed in Seed.samples(60) {
            var caller = Caller(
                .unthrottled, faults: [try Fault(parsing: "noisy:probability=20%")], seed: seed)
            while caller.bearer == nil { caller.tryToRegister() }
            caller.mayHold = true
            let before = caller.service.counted().codesIssued
            let reply = caller.post("\(Caller.codePath)?deviceId=tv", body: "")
            guard reply.status != 201 else { continue }
            turnedAway += 1
            #expect(caller.service.counted().codesIssued == before)
        }
        #expect(turnedAway > 5)
    }
}

extension Caller {
    /// Registers where any answer may fail to come.
    mutating func tryToRegister() {
        mayHold = true
        register()
        mayHold = false
    }
}

/// How a fault is spelled.
@Suite("A fault as text")
struct FaultTextTests {
    @Test(
        "reads names and parameters with their units",
        arguments: [
            "token-flap", "token-flap:probability=10%,window=30ms", "none", "slow:delay=1s",
            "partial-logout:keep=authz+media", "stale-replica:probability=5%,nodes=3,lag=1.5s",
            "expiry-skew:skew=-2s,endpoint=check-code", "herd-collapse:rate=50/s,error=0%",
        ])
    func reads(text: String) throws {
        #expect(try Fault(parsing: text).description == text)
    }

    @Test(
        "refuses the rest, and says what would be right",
        arguments: [
            (
                "token-flop",
                "there is no fault 'token-flop'; did you mean 'token-flap'?; the faults are "
                    + FaultKind.all.map(\.name).joined(separator: ", ")
            ),
            (
                "token-flap:windw=3s",
                "token-flap has no parameter 'windw'; did you mean 'window'?; it takes "
                    + "probability, after, window"
            ),
            ("none:window=3s", "none takes no parameters"),
            (
                "token-flap:window=30",
                "window of token-flap is '30'; it must be a duration such as 30ms or 2s"
            ),
            (
                "token-flap:probability=0.2",
                "probability of token-flap is '0.2'; it must be a share such as 20%"
            ),
            (
                "token-flap:window",
                "'window' of token-flap is not of the form key=value; write for example "
                    + "token-flap:probability=10%"
            ),
            ("token-flap:window=1s,window=2s", "window of token-flap is given twice"),
            (
                "stale-replica:nodes=1",
                "nodes of stale-replica is '1'; it must be a whole number from 2 to 16"
            ),
            (
                "media-token-reuse:mode=all",
                "mode of media-token-reuse is 'all'; it must be device, resource, expired"
            ),
        ])
    func refuses(text: String, sentence: String) {
        #expect(throws: FaultError.self) { try Fault(parsing: text) }
        do {
            _ = try Fault(parsing: text)
        } catch {
            #expect("\(error)" == sentence)
        }
    }

    @Test("every parameter's default reads", arguments: FaultKind.all)
    func defaults(kind: FaultKind) throws {
        for parameter in kind.parameters {
            let text = kind.text(with: "\(parameter.name)=\(parameter.fallback)")
            #expect(try Fault(parsing: text).kind == kind)
        }
    }
}
