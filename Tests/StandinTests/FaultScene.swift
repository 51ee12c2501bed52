import Dialects
import Standin
import Statistics
import Testing

/// A story told to a service: what it does, and whether the symptom of a fault was seen in it.
struct FaultScene: Sendable, CustomTestStringConvertible {
    /// As `--fault` takes it.
    let fault: String
    let settings: ServiceSettings
    /// Whether somebody outside saw the symptom that docs/stand-in.md names.
    let symptom: @Sendable (inout Caller) -> Bool

    init(
        _ fault: String, _ settings: ServiceSettings = .unthrottled,
        _ symptom: @escaping @Sendable (inout Caller) -> Bool
    ) {
        self.fault = fault
        self.settings = settings
        self.symptom = symptom
    }

    var testDescription: String { fault }

    /// The service with this fault, or with others.
    func caller(_ faults: [String]? = nil, seed: Seed = Seed(7)) throws -> Caller {
        var caller = Caller(
            settings, faults: try (faults ?? [fault]).map { try Fault(parsing: $0) }, seed: seed)
        caller.register()
        return caller
    }
}

extension FaultScene {
    /// One for each fault.
    static let all: [FaultScene] =
        reads + signIns + codes + endings + losses + strain + ofV2 + spokenByV2 + ofGrants
        + spokenByGrants

    private static let soon: Duration = .milliseconds(10)

    private static let reads: [FaultScene] = [
        FaultScene("premature-token") { caller in
            _ = caller.issue()
            return caller.poll().status == 200
        },
        FaultScene("token-flap") { caller in
            caller.logIn(caller.issue())
            let first = caller.poll().status
            caller.advance(soon)
            let second = caller.poll().status
            caller.advance(.milliseconds(30))
            return first == 200 && second == 404 && caller.poll().status == 200
        },
        FaultScene("lost-authentication") { caller in
            let code = caller.issue()
            caller.logIn(code)
            let told = caller.check(code).status
            caller.advance(.seconds(60))
            return told == 200 && caller.poll().status == 404
        },
        FaultScene("ack-before-apply:window=1s") { caller in
            let code = caller.issue()
            caller.logIn(code)
            let told = caller.check(code).status
            caller.advance(soon)
            let first = caller.poll().status
            caller.advance(.seconds(1))
            return told == 200 && first == 404 && caller.poll().status == 200
        },
        FaultScene("stale-replica:lag=1s,read-share=50%") { caller in
            let code = caller.issue()
            caller.logIn(code)
            guard caller.check(code).status == 200 else { return false }
            var statuses: [Int] = []
            for _ in 0..<20 {
                caller.advance(soon)
                statuses.append(caller.poll().status)
            }
            caller.advance(.seconds(1))
            return statuses.contains(200) && statuses.contains(404) && caller.poll().status == 200
        },
        FaultScene("device-blind-cache") { caller in
            caller.logIn(caller.issue())
            let own = caller.poll()
            caller.advance(soon)
            let other = caller.poll("tv-2")
            return other.status == 200 && other.body == own.body
        },
        FaultScene("sticky-only:nodes=4") { caller in
            let code = caller.issue()
            caller.logIn(code)
            guard caller.check(code).status == 200 else { return false }
            caller.advance(soon)
            // Another screen's connection: without the phone's cookies.
            var statuses: [Int] = []
            for _ in 0..<16 {
                caller.cookies = [:]
                statuses.append(caller.poll().status)
            }
            return statuses.contains(404)
        },
        FaultScene("poll-erases-approval:window=1s") { caller in
            let code = caller.issue()
            _ = caller.poll()
            caller.logIn(code)
            let told = caller.check(code).status
            caller.advance(.seconds(2))
            return told == 200 && caller.poll().status == 404
        },
    ]

    private static let signIns: [FaultScene] = [
        FaultScene("double-consume") { caller in
            let code = caller.issue()
            let page = caller.openLogin(caller.get(Caller.authenticate(code)))
            let first = caller.submit(page, user: "viewer-1", password: "right")
            let cookies = caller.cookies
            caller.cookies = [:]
            let other = caller.openLogin(caller.get(Caller.authenticate(code)))
            let second = caller.submit(other, user: "viewer-2", password: "right")
            let cookies2 = caller.cookies
            caller.cookies = cookies
            caller.sendHeld(first)
            caller.advance(soon)
            caller.cookies = cookies2
            caller.sendHeld(second)
            caller.advance(.milliseconds(25))
            let one = caller.poll().member("userId")
            caller.advance(.milliseconds(25))
            return one == "viewer-1" && caller.poll().member("userId") == "viewer-2"
        },
        FaultScene("poll-double-mint") { caller in
            caller.logIn(caller.issue())
            let first = caller.poll().member("expires")
            caller.advance(soon)
            return first != nil && caller.poll().member("expires") != first
        },
        FaultScene("mvpd-torn") { caller in
            let code = caller.issue()
            let other = caller.issue("tv-2")
            let page = caller.openLogin(caller.get(Caller.authenticate(code)))
            let first = caller.submit(page, user: "viewer-1", password: "right")
            let cookies = caller.cookies
            caller.cookies = [:]
            _ = caller.get(Caller.authenticate(other, mvpd: "DemoSat"))
            caller.cookies = cookies
            caller.finish(first)
            let token = caller.poll()
            return token.member("userId") == "viewer-1" && token.member("mvpd") == "DemoSat"
        },
        FaultScene("error-but-applied") { caller in
            let answer = caller.logIn(caller.issue())
            return answer.status == 400 && caller.poll().status == 200
        },
        FaultScene("retry-applies-twice") { caller in
            let answer = caller.logIn(caller.issue())
            let first = caller.poll().member("expires")
            caller.advance(.seconds(1))
            let second = caller.poll()
            return answer.status == 503 && first != nil && second.status == 200
                && second.member("expires") != first
        },
        FaultScene("sso-vs-login") { caller in
            let code = caller.issue()
            let page = caller.openLogin(caller.get(Caller.authenticate(code, mvpd: "DemoSat")))
            let handOver = caller.submit(page, user: "viewer-1", password: "right")
            guard caller.exchange() == 204 else { return false }
            caller.finish(handOver)
            let token = caller.poll()
            return token.member("userId") == "viewer-1" && token.member("mvpd") == "DemoCable"
        },
    ]

    private static let codes: [FaultScene] = [
        FaultScene("duplicate-live-code:space=1") { caller in
            let isTwin = caller.issue("tv-1") == caller.issue("tv-2")
            caller.advance(soon)
            _ = caller.poll("tv-2")
            return isTwin
        },
        FaultScene("expiry-skew:skew=-2s,endpoint=registration-record") { caller in
            let code = caller.issue(more: "&ttl=3")
            caller.advance(.seconds(2))
            return caller.record(code).status == 404 && caller.logIn(code).isSuccess
        },
        FaultScene("authenticate-after-expiry:grace=10s") { caller in
            let code = caller.issue(more: "&ttl=2")
            caller.advance(.seconds(5))
            return caller.record(code).status == 404 && caller.logIn(code).isSuccess
                && caller.check(code).status == 200
        },
        FaultScene("delete-loses") { caller in
            let code = caller.issue()
            guard caller.delete(Caller.recordPath(code)).status == 204 else { return false }
            caller.advance(soon)
            let soonAfter = caller.record(code).status
            caller.advance(.milliseconds(30))
            return soonAfter == 200 && caller.record(code).status == 404
        },
        FaultScene("node-clock-skew:skew=2s") { caller in
            let dates = (0..<16).compactMap { index in
                caller.post("\(Caller.codePath)?deviceId=tv-\(index)", body: "")
                    .member("generated").flatMap { Int64($0) }
            }
            return Set(dates).count == 2
        },
    ]

    private static let endings: [FaultScene] = [
        FaultScene("logout-resurrection") { caller in
            caller.logIn(caller.issue())
            guard caller.delete("/api/v1/logout?\(Caller.key())").status == 204 else {
                return false
            }
            let atOnce = caller.poll().status
            caller.advance(.milliseconds(30))
            return atOnce == 404 && caller.poll().status == 200
        },
        FaultScene("partial-logout") { caller in
            caller.logIn(caller.issue())
            _ = caller.get("/api/v1/authorize?\(Caller.key())&resource=demo-1")
            _ = caller.delete("/api/v1/logout?\(Caller.key())")
            let authorization = caller.get("/api/v1/tokens/authz?\(Caller.key())&resource=demo-1")
            let media = caller.media()
            return caller.poll().status == 404 && authorization.status == 200
                && media.status == 200
        },
        FaultScene("media-token-reuse") { caller in
            for device in ["tv-1", "tv-2"] {
                caller.logIn(caller.issue(device))
                _ = caller.get("/api/v1/authorize?\(Caller.key(device))&resource=demo-1")
            }
            let one = caller.media("tv-1").member("serializedToken")
            return one != nil && caller.media("tv-2").member("serializedToken") == one
        },
    ]

    private static let losses: [FaultScene] = [
        FaultScene("lost-session:after=1s") { caller in
            caller.logIn(caller.issue())
            let first = caller.poll().status
            let early = caller.metadata().status
            caller.advance(.seconds(2))
            return first == 200 && early == 200 && caller.poll().status == 200
                && caller.metadata().status == 412 && caller.media().status == 403
        },
        FaultScene("lost-authorization") { caller in
            caller.logIn(caller.issue())
            let granted = caller.authorize().status
            caller.advance(soon)
            return granted == 200 && caller.poll().status == 200
                && caller.authorization().status == 404 && caller.media().status == 403
        },
        FaultScene("resource-swap") { caller in
            caller.logIn(caller.issue())
            let granted = caller.authorize()
            return granted.status == 200 && granted.member("resource") != "demo-1"
        },
    ]

    private static let strain: [FaultScene] = [
        FaultScene("throttle-wedge", ServiceSettings()) { caller in
            caller.advance(.seconds(60))
            for _ in 0..<20 { _ = caller.poll() }
            caller.advance(.seconds(60))
            let isWedged = caller.poll().status == 429
            caller.advance(.seconds(2))
            return caller.poll().status == 429 && isWedged
        },
        FaultScene("herd-collapse:rate=20/s") { caller in
            let statuses = (0..<40).map { caller.poll("tv-\($0)").status }
            return statuses.contains(503)
        },
    ]
}

extension Caller {
    static func recordPath(_ code: String) -> String { "\(codePath)/\(code)" }

    /// R2.
    mutating func record(_ code: String) -> Reply { get(Self.recordPath(code)) }

    /// N2.
    mutating func check(_ code: String) -> Reply {
        get("/api/v1/checkauthn/\(code)?requestor=DEMOTV")
    }

    /// U1.
    mutating func metadata() -> Reply { get("/api/v1/tokens/usermetadata?\(Self.key())") }

    /// Z3.
    mutating func authorize(resource: String = "demo-1") -> Reply {
        get("/api/v1/authorize?\(Self.key())&resource=\(resource)")
    }

    /// Z4.
    mutating func authorization(resource: String = "demo-1") -> Reply {
        get("/api/v1/tokens/authz?\(Self.key())&resource=\(resource)")
    }

    /// Z5.
    mutating func media(_ device: String = "tv-1", resource: String = "demo-1") -> Reply {
        get("/api/v1/tokens/media?\(Self.key(device))&resource=\(resource)")
    }

    /// Hop 5, which a fault may answer later.
    mutating func sendHeld(_ handOver: Reply) {
        mayHold = true
        finish(handOver)
        mayHold = false
    }
}

extension Caller {
    /// S1, the platform's part, and S2; the status of the exchange.
    mutating func exchange(_ device: String = "tv-1") -> Int {
        let request = get("/api/v1/DEMOTV/profile-requests/DemoCable?deviceType=tvOS")
        let saml = PlatformSide.wire(request.body) ?? ""
        return post(
            "/api/v1/tokens/authn",
            body: "\(Self.key(device))&mvpd=DemoCable&deviceType=tvOS&SAMLResponse=\(saml)"
        ).status
    }
}

extension Reply {
    /// The way back to the app, without an error.
    var isSuccess: Bool { headers["Location"] == "https://demo.test/done" }
}
