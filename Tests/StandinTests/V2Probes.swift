import Dialects
import Formats
import Signing
import Testing
import Vocabulary

/// One question of REST V2 and the status that the page has for it. `page` is the row of the table.
struct V2Probe<A: Asker>: CustomTestStringConvertible {
    var page: String
    var label: String
    var operation: OperationName
    var status: Int
    /// The provider that the call names.
    var mvpd: String?
    var run: (inout V2World<A>) -> Reply

    var testDescription: String { "\(page): \(label)" }

    init(
        _ page: String, _ operation: OperationName, _ status: Int, _ label: String,
        mvpd: String? = nil, _ run: @escaping (inout V2World<A>) -> Reply
    ) {
        self.page = page
        self.label = label
        self.operation = operation
        self.status = status
        self.mvpd = mvpd
        self.run = run
    }
}

/// A service with a client that is registered for V2.
struct V2World<A: Asker> {
    var asker: A
    private var bearer = ""
    private var devices = 0

    /// What completes a session, besides its provider.
    static var back: String { "domainName=demo.test&redirectUrl=https%3A%2F%2Fdemo.test%2Fdone" }

    init(_ asker: A) {
        self.asker = asker
        let token = grant()
        bearer = token.member("access_token") ?? ""
    }

    private static var statement: String {
        (try? JWT.make(claims: #"{"software_id":"app-2"}"#, key: DemoKeys.statements())) ?? ""
    }

    /// D1.
    mutating func register(_ body: String? = nil) -> Reply {
        asker.ask(
            .post, "/o/client/register",
            [
                ("Content-Type", "application/json"),
                ("AP-Device-Identifier", Caller.fingerprint("tv-0")),
            ], body ?? #"{"software_statement":"\#(Self.statement)"}"#)
    }

    /// D2, of a client of its own.
    mutating func grant(_ kind: String = "client_credentials") -> Reply {
        let client = register()
        return asker.ask(
            .post, "/o/client/token", [("Content-Type", "application/x-www-form-urlencoded")],
            "client_id=\(client.member("client_id") ?? "")"
                + "&client_secret=\(client.member("client_secret") ?? "")&grant_type=\(kind)")
    }

    /// A new device's id.
    mutating func device() -> String {
        devices += 1
        return "tv-\(devices)"
    }

    /// `path` follows `/api/v2/DEMOTV/`.
    mutating func ask(
        _ method: Method, _ path: String, _ body: String = "", device: String? = nil,
        _ more: [(String, String)] = []
    ) -> Reply {
        var headers = [("Authorization", "Bearer \(bearer)"), ("Accept", "application/json")]
        if let device {
            headers.append(("AP-Device-Identifier", Caller.fingerprint(device)))
            headers.append(("X-Device-Info", Caller.plainDeviceInfo))
        }
        if method == .post {
            let isDecision = path.hasPrefix("decisions/")
            headers.append(
                (
                    "Content-Type",
                    isDecision ? "application/json" : "application/x-www-form-urlencoded"
                ))
        }
        return asker.ask(method, "/api/v2/DEMOTV/\(path)", headers + more, body)
    }

    /// A browser's request.
    mutating func browse(_ method: Method, _ target: String, _ form: String = "") -> Reply {
        let headers =
            method == .post ? [("Content-Type", "application/x-www-form-urlencoded")] : []
        return asker.ask(method, target, headers, form)
    }

    /// A code of a new device; its session lacks nothing where a provider is named.
    mutating func issued(_ mvpd: String? = "DemoCable") -> (device: String, code: String) {
        let device = device()
        let form = mvpd.map { "mvpd=\($0)&\(Self.back)" } ?? ""
        let reply = ask(.post, "sessions", form, device: device)
        return (device, reply.member("code") ?? "")
    }

    /// A device on which somebody is signed in, and its code.
    mutating func signedIn(_ mvpd: String = "DemoCable") -> (device: String, code: String) {
        let (device, code) = issued(mvpd)
        let body = #"{"code":"\#(code)","mvpd":"\#(mvpd)","user":"viewer"}"#
        _ = asker.ask(.post, "/_standin/approve", [("Content-Type", "application/json")], body)
        return (device, code)
    }

    /// Z1 or Z2.
    mutating func decide(
        _ kind: String, _ resources: [String], device: String, mvpd: String = "DemoCable",
        _ more: [(String, String)] = []
    ) -> Reply {
        let list = resources.map { #""\#($0)""# }.joined(separator: ",")
        return ask(
            .post, "decisions/\(kind)/\(mvpd)", #"{"resources":[\#(list)]}"#, device: device, more)
    }

    /// Uses up a trial of one resource.
    mutating func useUp(on device: String) {
        _ = decide("authorize", ["c1"], device: device, mvpd: "BriefPass", Self.identity)
    }

    /// Whom a promotional trial is for.
    static var identity: [(String, String)] {
        [("AP-TempPass-Identity", Base64.encode("a@b.test".utf8))]
    }

    /// X1, with a status that names a provider of the platform's.
    mutating func partnerRequest(
        _ device: String, _ form: String = V2World<A>.back,
        _ status: [(String, String)] = V2World<A>.status()
    ) -> Reply {
        ask(.post, "sessions/sso/Apple", form, device: device, status)
    }

    /// X2, after an X1 that asks the platform.
    mutating func exchange(
        _ device: String, _ status: [(String, String)] = V2World<A>.status()
    ) -> Reply {
        let token = partnerRequest(device).after(#""request":""#, upTo: "\"") ?? ""
        let response = Base64.decode(token).flatMap { bytes in
            PlatformSide.answer(
                bytes, provider: "demo-cable", subject: "platform-user", attributes: ["userID"])
        }
        let text = response.map { PlatformSide.encoded(PlatformSide.normalised($0)) } ?? ""
        return ask(
            .post, "profiles/sso/Apple", "SAMLResponse=\(text)", device: device, status)
    }

    static func status(_ access: String = "granted") -> [(String, String)] {
        let headers = Caller.partner(access)
        return [
            ("AP-Partner-Framework-Status", headers["AP-Partner-Framework-Status"] ?? "")
        ]
    }
}

/// Every row of rest-v2.md § 2 with good input and bad.
enum V2Probes<A: Asker> {
    static var all: [V2Probe<A>] { clients + sessions + browser + profiles + decisions + partner }

    private static var clients: [V2Probe<A>] {
        [
            V2Probe("D1", .registerClient, 201, "a statement") { $0.register() },
            V2Probe("D1", .registerClient, 400, "no statement") { $0.register("{}") },
            V2Probe("D2", .accessToken, 201, "client credentials") { $0.grant() },
            V2Probe("D2", .accessToken, 400, "another grant") { $0.grant("password") },
            V2Probe("C", .configuration, 200, "a channel") { $0.ask(.get, "configuration") },
        ]
    }

    private static var sessions: [V2Probe<A>] {
        func create(
            _ status: Int, _ label: String, _ form: String,
            _ device: @escaping (inout V2World<A>) -> String = { $0.device() }
        ) -> V2Probe<A> {
            V2Probe("S1", .createSession, status, label) { world in
                let device = device(&world)
                return world.ask(.post, "sessions", form, device: device)
            }
        }
        let back = V2World<A>.back
        return [
            create(200, "complete", "mvpd=DemoCable&\(back)"), create(200, "empty", ""),
            create(200, "signed in", "mvpd=DemoCable&\(back)") { $0.signedIn().device },
            create(200, "a trial", "mvpd=TempPass&\(back)"),
            create(400, "an unknown provider", "mvpd=Nobody"),
            create(400, "a foreign way back", "redirectUrl=https%3A%2F%2Fother.test%2F"),
            V2Probe("S2", .resumeSession, 200, "the whole rest") {
                let code = $0.issued(nil).code
                return $0.ask(.post, "sessions/\(code)", "mvpd=DemoCable&\(back)")
            },
            V2Probe("S2", .resumeSession, 200, "not all of it") {
                let code = $0.issued(nil).code
                return $0.ask(.post, "sessions/\(code)", "mvpd=DemoCable")
            },
            V2Probe("S2", .resumeSession, 200, "a trial") {
                let code = $0.issued(nil).code
                return $0.ask(.post, "sessions/\(code)", "mvpd=TempPass")
            },
            V2Probe("S2", .resumeSession, 400, "nobody's code") {
                $0.ask(.post, "sessions/AAAAAAA", back)
            },
            V2Probe("S3", .sessionByCode, 200, "a live code") {
                let code = $0.issued().code
                return $0.ask(.get, "sessions/\(code)")
            },
            V2Probe("S3", .sessionByCode, 200, "without its provider") {
                let code = $0.issued(nil).code
                return $0.ask(.get, "sessions/\(code)")
            },
            V2Probe("S3", .sessionByCode, 400, "no code") { $0.ask(.get, "sessions/A-B") },
            V2Probe("S3", .sessionByCode, 400, "a spent code") {
                let code = $0.signedIn().code
                return $0.ask(.get, "sessions/\(code)")
            },
        ]
    }

    private static var browser: [V2Probe<A>] {
        let path = "/api/v2/authenticate/DEMOTV"
        return [
            V2Probe("A", .authenticate, 302, "a code") {
                let code = $0.issued().code
                return $0.browse(.get, "\(path)/\(code)")
            },
            V2Probe("A", .authenticate, 400, "nobody's code") {
                $0.browse(.get, "\(path)/AAAAAAA")
            },
            V2Probe("A", .authenticate, 400, "a session without its provider") {
                let code = $0.issued(nil).code
                return $0.browse(.get, "\(path)/\(code)")
            },
            V2Probe("ACS", .assertion, 503, "without a message") {
                $0.browse(.post, "/sp/saml/SAMLAssertionConsumer")
            },
            V2Probe("ACS", .assertion, 400, "of no login") {
                $0.browse(.post, "/sp/saml/SAMLAssertionConsumer", "SAMLResponse=AAAA")
            },
        ]
    }

    private static var profiles: [V2Probe<A>] {
        func one(
            _ status: Int, _ label: String, _ mvpd: String = "DemoCable",
            _ device: @escaping (inout V2World<A>) -> String
        ) -> V2Probe<A> {
            V2Probe("P2", .profilesByMVPD, status, label, mvpd: mvpd) { world in
                let device = device(&world)
                return world.ask(.get, "profiles/\(mvpd)", device: device, V2World<A>.identity)
            }
        }
        func leave(
            _ label: String, _ device: @escaping (inout V2World<A>) -> String
        ) -> V2Probe<A> {
            V2Probe("L", .logout, 200, label, mvpd: "DemoCable") { world in
                let device = device(&world)
                return world.ask(
                    .get, "logout/DemoCable?redirectUrl=https%3A%2F%2Fdemo.test%2Fout",
                    device: device)
            }
        }
        return [
            V2Probe("P1", .profiles, 200, "nobody") {
                let device = $0.device()
                return $0.ask(.get, "profiles", device: device)
            },
            V2Probe("P1", .profiles, 200, "signed in") {
                let device = $0.signedIn().device
                return $0.ask(.get, "profiles", device: device)
            },
            V2Probe("P1", .profiles, 400, "no device") { $0.ask(.get, "profiles") },
            one(200, "nobody") { $0.device() }, one(200, "signed in") { $0.signedIn().device },
            one(200, "a trial", "TempPass") { $0.device() },
            one(400, "an unknown provider", "Nobody") { $0.device() },
            one(403, "a trial that is over", "BriefPass") { world in
                let device = world.device()
                world.useUp(on: device)
                return device
            },
            V2Probe("P3", .profilesByCode, 200, "pending") {
                let code = $0.issued().code
                return $0.ask(.get, "profiles/code/\(code)")
            },
            V2Probe("P3", .profilesByCode, 200, "signed in") {
                let code = $0.signedIn().code
                return $0.ask(.get, "profiles/code/\(code)")
            },
            V2Probe("P3", .profilesByCode, 400, "nobody's code") {
                $0.ask(.get, "profiles/code/AAAAAAA")
            },
            V2Probe("P3", .profilesByCode, 403, "a trial that is over") { world in
                let (device, code) = world.issued(nil)
                _ = world.ask(.post, "sessions/\(code)", "mvpd=BriefPass")
                world.useUp(on: device)
                return world.ask(.get, "profiles/code/\(code)", "", V2World<A>.identity)
            },
            leave("signed in") { $0.signedIn().device }, leave("nobody") { $0.device() },
            V2Probe("L", .logout, 400, "without its way back") {
                let device = $0.device()
                return $0.ask(.get, "logout/DemoCable", device: device)
            },
        ]
    }

    private static var decisions: [V2Probe<A>] {
        [("preauthorize", OperationName.preauthorize, "Z1"), ("authorize", .authorize, "Z2")]
            .flatMap { kind, operation, page in
                func decide(
                    _ status: Int, _ label: String, _ resources: [String],
                    mvpd: String = "DemoCable",
                    _ device: @escaping (inout V2World<A>) -> String
                ) -> V2Probe<A> {
                    V2Probe(page, operation, status, label, mvpd: mvpd) { world in
                        let device = device(&world)
                        return world.decide(kind, resources, device: device, mvpd: mvpd)
                    }
                }
                return [
                    decide(200, "permitted", ["c1"]) { $0.signedIn().device },
                    decide(200, "denied", ["deny-1"]) { $0.signedIn().device },
                    decide(200, "a fault of the provider's", ["broken-1"]) { $0.signedIn().device },
                    decide(200, "a trial", ["c1"], mvpd: "TempPass") { $0.device() },
                    decide(400, "nothing", []) { $0.signedIn().device },
                    decide(403, "nobody", ["c1"]) { $0.device() },
                    decide(403, "too many", ["1", "2", "3", "4", "5", "6"]) {
                        $0.signedIn().device
                    },
                ]
            }
    }

    private static var partner: [V2Probe<A>] {
        [
            V2Probe("X1", .partnerRequest, 200, "the platform is to be asked") {
                let device = $0.device()
                return $0.partnerRequest(device)
            },
            V2Probe("X1", .partnerRequest, 200, "signed in") {
                let device = $0.signedIn().device
                return $0.partnerRequest(device)
            },
            V2Probe("X1", .partnerRequest, 200, "not allowed") {
                let device = $0.device()
                return $0.partnerRequest(device, V2World<A>.back, V2World<A>.status("denied"))
            },
            V2Probe("X1", .partnerRequest, 200, "without the way back") {
                let device = $0.device()
                return $0.partnerRequest(device, "")
            },
            V2Probe("X1", .partnerRequest, 400, "another partner") {
                let device = $0.device()
                return $0.ask(.post, "sessions/sso/Orange", device: device)
            },
            V2Probe("X2", .ssoProfile, 201, "the platform's answer") {
                let device = $0.device()
                return $0.exchange(device)
            },
            V2Probe("X2", .ssoProfile, 400, "not allowed any more") {
                let device = $0.device()
                return $0.exchange(device, V2World<A>.status("denied"))
            },
        ]
    }
}
