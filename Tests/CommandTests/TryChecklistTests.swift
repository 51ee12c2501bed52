import Dialects
import Journal
import Rigs
import TestSupport
import Testing
import Vocabulary

@testable import Reports

/// Exchanges as a trial sees them, without a network: replies are read by the dialect itself.
struct TryScene: Sendable, CustomTestStringConvertible {
    var label: String
    var rig: String
    var exchanges: [RecordedExchange] = []
    var fate = HouseholdRecord.Fate.failed
    var cause = ""
    var phoneDone = false
    var proxy: String?
    /// The first failure, and words of its remedy.
    var fails: Checklist.Step?
    var words: [String] = []

    var testDescription: String { label }

    init(_ label: String, base: String = "https://auth.demo.test", target: [String] = []) {
        self.label = label
        rig = trialRig(base, target: target)
    }

    static let device = DeviceIdentity(
        id: "d",
        info: DeviceInfo(
            model: "AppleTV14,1", osName: "tvOS", osVersion: "17", primaryHardwareType: "TV"),
        userAgent: "u", forwardedFor: nil)
    static let credential = Credential(device: device, bearer: Secret("b"))

    static func dialect(_ rig: Rig) -> V1 {
        guard case .remote(let origin, let prefix) = rig.target.base else {
            return V1(
                origin: Origin(scheme: .http, host: "127.0.0.1"), requestor: "DEMOTV",
                domain: "demo.test", redirectURL: "https://demo.test/done")
        }
        return V1(
            origin: origin, prefix: prefix, requestor: rig.target.requestor,
            domain: rig.target.domain, redirectURL: rig.target.redirectURL)
    }

    var read: Rig {
        get throws {
            let secrets = RigSurroundings(environment: ["HUSH": "hush"])
            return try #require(
                try Rig.read(rig, file: "rig.yaml", with: secrets).rig.trial())
        }
    }

    /// The call of an operation, to the target.
    private func call(_ operation: OperationName) throws -> Call {
        let v1 = Self.dialect(try read)
        let code = Code("ABC1234")
        let page = WebAddress(origin: Origin(scheme: .https, host: "idp.demo.test"), target: "/in")
        let issued = IssuedCode(code: code, lifetime: .seconds(1800))
        let call: Call? =
            switch operation {
            case .registerClient: v1.registerClient(Secret("s"), as: Self.device)
            case .accessToken:
                v1.accessToken(.init(id: "c", secret: Secret("s")), as: Self.device)
            case .checkAuthentication: v1.checkAuthentication(Self.credential)
            case .registrationCode: v1.issueCode(Self.credential, lifetime: nil, mvpd: nil)
            case .registrationRecord: v1.record(of: code, Self.credential)
            case .configuration: v1.configuration(Self.credential)
            case .authenticate: v1.authenticate(issued, mvpd: "DemoCable", Self.credential)
            case .mvpdLogin: v1.hop(.get, page, form: [], referer: nil)
            case .assertion: v1.hop(.post, page, form: [("SAMLResponse", "x")], referer: nil)
            case .checkCode: v1.checkCode(code, Self.credential)
            case .pollToken: v1.poll(issued, .token, Self.credential)
            case .userMetadata: v1.call(operation, about: Subject(), Self.credential)
            case .preauthorize:
                v1.call(
                    operation, about: Subject(resources: ["demo-1"]), Self.credential)
            case .authorize: v1.authorize("demo-1", Self.credential)
            case .mediaToken: v1.mediaToken("demo-1", Self.credential)
            default: v1.logout(Self.credential)
            }
        return try #require(call)
    }

    private func exchange(_ call: Call, _ delivery: Delivery, _ outcome: Outcome) -> Exchange {
        Exchange(
            lane: 0, sequence: exchanges.count + 1,
            device: DeviceID(household: 0, role: .firstScreen), operation: call.operation,
            planned: .start, sent: .start, ended: .start, delivery: delivery, outcome: outcome)
    }

    /// Adds an answered exchange.
    func answered(
        _ operation: OperationName, _ status: Int, _ body: String = "{}",
        type: String = "application/json", _ headers: Headers = [:],
        post: [(String, String)]? = nil,
        provoked: Bool = false
    ) throws -> TryScene {
        var scene = self
        var call = try call(operation)
        if let post {
            call = Self.dialect(try read).hop(.post, call.address, form: post, referer: nil)
        }
        var all = headers
        all.append("Content-Type", type)
        let reply = Reply(status: status, headers: all, body: Array(body.utf8))
        let reading = Self.dialect(try read).read(reply, to: call)
        var exchange = exchange(call, .answered(status: status), reading.outcome)
        exchange.reason = reading.reason.map { Self.gate.text($0) }
        exchange.observation = reading.observation
        exchange.provoked = provoked
        exchange.evidence = headers
        scene.exchanges.append(
            RecordedExchange(
                call: call, reply: reply, exchange: exchange, answer: reading.answer,
                gate: Self.gate))
        return scene
    }

    static let gate = OutputGate(Fingerprinter(key: 1))

    /// Adds an exchange without an answer; `lost`: some of it had left.
    func unanswered(
        _ operation: OperationName, _ kind: TransportError.Kind, _ detail: String,
        lost: Bool = false
    ) throws -> TryScene {
        var scene = self
        let call = try call(operation)
        let error = TransportError(kind, detail)
        let exchange = exchange(call, lost ? .unknown(error) : .refused(error), error.outcome)
        scene.exchanges.append(
            RecordedExchange(
                call: call, reply: nil, exchange: exchange,
                answer: .unanswered(error, reached: lost), gate: Self.gate))
        return scene
    }

    /// Everything up to and with `last` goes well.
    func through(_ last: OperationName) throws -> TryScene {
        let way: [(OperationName, Int, String, Headers)] = [
            (.registerClient, 201, #"{"client_id": "c", "client_secret": "s"}"#, [:]),
            (.accessToken, 201, #"{"access_token": "t", "expires_in": 60}"#, [:]),
            (.checkAuthentication, 403, "{}", [:]),
            (.registrationCode, 201, #"{"code": "ABC1234", "generated": 1, "expires": 9000}"#, [:]),
            (.registrationRecord, 200, #"{"code": "ABC1234"}"#, [:]),
            (.configuration, 200, #"{"requestor": {"mvpds": [{"id": "DemoCable"}]}}"#, [:]),
            (.authenticate, 302, "", ["Location": "https://idp.demo.test/in"]),
            (.mvpdLogin, 200, "<form><input type=password></form>", [:]),
            (.assertion, 302, "", ["Location": "https://demo.test/done"]),
            (.checkCode, 200, "", [:]),
            (.pollToken, 200, #"{"mvpd": "DemoCable", "userId": "u", "expires": 9}"#, [:]),
            (.userMetadata, 200, "{}", [:]),
            (.preauthorize, 200, #"{"resources": [{"id": "demo-1", "authorized": true}]}"#, [:]),
            (.authorize, 200, #"{"resource": "demo-1", "expires": 9}"#, [:]),
            (.mediaToken, 200, #"{"serializedToken": "x", "expires": 9}"#, [:]),
            (.logout, 204, "", [:]),
        ]
        var scene = self
        for (operation, status, body, headers) in way {
            let isPage = operation == .mvpdLogin
            scene = try scene.answered(
                operation, status, body, type: isPage ? "text/html" : "application/json", headers)
            if operation == .assertion { scene.phoneDone = true }
            if operation == last { return scene }
        }
        return scene
    }

    func fails(_ step: Checklist.Step, _ words: String...) -> TryScene {
        var scene = self
        scene.fails = step
        scene.words = words
        return scene
    }

    func with(_ change: (inout TryScene) -> Void) -> TryScene {
        var scene = self
        change(&scene)
        return scene
    }

    var checklist: Checklist {
        get throws {
            let rig = try read
            var household = HouseholdRecord(household: 0, kind: "k", lane: 0, arrived: .start)
            household.fate = fate
            household.cause = cause
            household.phoneDone = phoneDone ? .start : nil
            return Checklist(
                exchanges, household: household, rig: rig,
                surroundings: .init(origin: Self.dialect(rig).origin, unusedProxy: proxy))
        }
    }
}

@Suite("The checklist of a trial")
struct TryChecklistTests {
    @Test(
        "a server of the device grant that takes no token back needs no logout",
        arguments: [true, false])
    func noRevocation(isGrant: Bool) throws {
        let grant = """
            rig: grant
            target: {base: "http://127.0.0.1:1", protocol: oauth-device-grant, device-grant: {preset: glewlwyd}}
            load: {closed: {households: 1}}
            """
        let text = isGrant ? grant : trialRig("http://127.0.0.1:1")
        let rig = try #require(try Rig.read(text, file: "rig.yaml").rig.trial())
        var household = HouseholdRecord(household: 0, kind: "k", lane: 0, arrived: .start)
        household.fate = .signedIn
        let scene = try TryScene("signed in").through(.pollToken)
        let checklist = Checklist(
            scene.exchanges, household: household, rig: rig,
            surroundings: .init(origin: TryScene.dialect(try scene.read).origin))
        let row = try #require(checklist.rows.first { $0.step == .logout })
        let isNotNeeded = if case .notNeeded = row.state { true } else { false }
        #expect(isNotNeeded == isGrant)
    }

    /// A device grant as far as its token, with what the server said to the decision and to the poll.
    private static func grant(
        _ settings: String, decision: String = "welcome", token: String = "",
        fate: HouseholdRecord.Fate = .signedIn, cause: String = ""
    ) throws -> Checklist {
        let rig = try #require(
            try Rig.read(
                """
                rig: grant
                target:
                  base: http://127.0.0.1:1
                  protocol: oauth-device-grant
                  device-grant: {\(settings)}
                load: {closed: {households: 1}}
                after-sign-in: [userinfo]
                """, file: "rig.yaml"
            ).rig.trial())
        let origin = Origin(scheme: .http, host: "127.0.0.1", port: 1)
        let dialect = ProtocolName.oauthDeviceGrant.dialect(
            at: origin, requestor: "", domain: "", redirectURL: "",
            deviceGrant: rig.target.deviceGrant)
        var exchanges: [RecordedExchange] = []
        func take(_ role: DeviceID.Role, _ operation: OperationName, _ type: String, _ body: String)
        {
            var call = dialect.hop(
                .post, WebAddress(origin: origin, target: "/device/decide"), form: [], referer: nil)
            call.operation = operation
            let reply = Reply(
                status: 200, headers: ["Content-Type": type, "Cache-Control": "no-store"],
                body: Array(body.utf8))
            let reading = dialect.read(reply, to: call)
            let exchange = Exchange(
                lane: 0, sequence: exchanges.count + 1, device: DeviceID(household: 0, role: role),
                operation: operation, planned: .start, sent: .start, ended: .start,
                delivery: .answered(status: 200), outcome: reading.outcome,
                observation: reading.observation)
            exchanges.append(
                RecordedExchange(
                    call: call, reply: reply, exchange: exchange, answer: reading.answer,
                    gate: TryScene.gate))
        }
        take(.secondScreen, .approval, "text/html", "<h1>\(decision)</h1>")
        if fate == .signedIn {
            take(
                .firstScreen, .deviceToken, "application/json",
                #"{"access_token": "a", "token_type": "Bearer"\#(token)}"#)
        }
        var household = HouseholdRecord(household: 0, kind: "k", lane: 0, arrived: .start)
        household.fate = fate
        household.cause = cause
        household.phoneDone = fate == .signedIn ? .start : nil
        return Checklist(
            exchanges, household: household, rig: rig, surroundings: .init(origin: origin))
    }

    @Test(
        "a page after the decision without the words of approved-when fails the approval, with the key"
    )
    func unconfirmedApproval() throws {
        let cause = "the page after the approval does not confirm it, and says 'Device connected'"
        let list = try Self.grant(
            "approved-when: [approved]", decision: "Device connected", fate: .failed, cause: cause)
        #expect(list.firstFailure == .init(step: .approval, state: .failed(cause)))
        let remedy = try #require(list.remedy)
        #expect(remedy.contains("has none of 'approved'"))
        #expect(remedy.contains("target.device-grant.approved-when"))
        #expect(!list.isPassed)
        let confirmed = try Self.grant("approved-when: [welcome]")
        #expect(confirmed.rows.contains(.init(step: .approval, state: .passed)))
    }

    /// The payload is {"sub": "u-1"}.
    private static let idToken = #", "id_token": "e30.eyJzdWIiOiAidS0xIn0.x""#

    @Test(
        "whose token a TV got is a step of its own, and not tested where nothing tells it",
        arguments: [
            ("user-from: id-token", idToken, ""),
            ("user-from: id-token", "", "the token response has no id_token with the claim 'sub'"),
            ("user-from: none", "", "target.device-grant.user-from is none"),
            (
                "user-from: userinfo", "",
                "the userinfo endpoint was not asked; after-sign-in has userinfo"
            ),
            ("user-from: access-token", "", "the access token is no JWT with the claim 'sub'"),
        ])
    func user(settings: String, token: String, reason: String) throws {
        let list = try Self.grant("approved-when: [welcome], \(settings)", token: token)
        let row = try #require(list.rows.first { $0.step == .user })
        guard !reason.isEmpty else {
            #expect(row.state == .passed)
            return
        }
        guard case .notTested(let words) = row.state else {
            Issue.record("\(row.state)")
            return
        }
        #expect(words.contains("do not test token-isolation: \(reason)"))
        #expect(list.text(width: 100).contains("what to do about 'user'"))
        #expect(try #require(list.remedy).contains("user-from under target.device-grant"))
        #expect(list.firstFailure == nil)
    }

    @Test("a service that names no user in any response to the TV is told so, in every protocol")
    func namelessService() throws {
        var named = try TryScene("named").through(.logout)
        named.fate = .signedIn
        #expect(try named.checklist.rows.contains(.init(step: .user, state: .passed)))
        var scene = try TryScene("nameless").through(.pollToken)
        scene.fate = .signedIn
        for position in scene.exchanges.indices {
            scene.exchanges[position].exchange.observation.tag = nil
        }
        let row = try #require(try scene.checklist.rows.first { $0.step == .user })
        let isNotTested = if case .notTested = row.state { true } else { false }
        #expect(isNotTested)
    }

    private static let html = "<!DOCTYPE html><html><body>Access denied</body></html>"

    static let connections: [TryScene] = {
        func scene(_ label: String, _ kind: TransportError.Kind, _ detail: String) -> TryScene {
            (try? TryScene(label).unanswered(.registerClient, kind, detail)) ?? TryScene(label)
        }
        return [
            scene("no address", .nameNotResolved, "auth.demo.test has no address")
                .fails(.name, "correct the host in target.base", "target.resolve"),
            scene("no address, but a proxy", .nameNotResolved, "auth.demo.test has no address")
                .with { $0.proxy = "proxy.demo.test:3128" }
                .fails(.name, "proxy.demo.test:3128", "'proxy: environment'"),
            scene("no leave", .hostNotAllowed, "auth.demo.test is not a loopback address")
                .fails(.name, "'allow: [auth.demo.test]'", "--allow auth.demo.test"),
            scene("the real service", .hostNotAllowed, "x is the production service; list it")
                .fails(.name, "is the production service"),
            scene("refused", .connectionRefused, "nothing listens").fails(
                .tcp, "start the service", "auth.demo.test:443"),
            scene("filtered", .timeout, "no connection to auth.demo.test:443 within 10000 ms")
                .fails(.tcp, "firewall", "target.proxy"),
            scene("filtered, but a proxy", .timeout, "no connection to auth.demo.test:443")
                .with { $0.proxy = "proxy.demo.test:3128" }.fails(.tcp, "'proxy: environment'"),
            scene(
                "a handshake without an answer", .timeout,
                "auth.demo.test:443 accepted the connection and did not answer the TLS handshake within 2000 ms"
            ).fails(
                .tls, "does auth.demo.test:443 speak plain HTTP?", "http:// instead of https://"),
            scene("a slow name", .timeout, "the address of auth.demo.test was not found")
                .fails(.name, "correct the host"),
            scene("a proxy that leads nowhere", .proxy, "the proxy x does not lead to y")
                .fails(.tcp, "target.proxy", "correct it"),
            scene("a proxy without address", .proxy, "the proxy x has no address (no such name)")
                .fails(.name, "target.proxy"),
            scene("descriptors", .localLimit, "no descriptors left; raise 'ulimit -n'")
                .fails(.tcp, "ulimit -n"),
            scene("unknown authority", .tls, "x shows a certificate of an unknown CA; set tls.ca")
                .fails(.tls, "target.tls.ca"),
            scene("expired", .tls, "x shows an expired certificate; renew it")
                .fails(.tls, "renew its certificate"),
            scene("from the future", .tls, "x shows a certificate of the future; compare")
                .fails(.tls, "this machine's clock"),
            scene("another name", .tls, "x shows a certificate for another name")
                .fails(.tls, "the name that the certificate is for"),
            scene("a client certificate", .tls, "x wants a client certificate; set it")
                .fails(.tls, "target.tls.certificate"),
            scene("an unknown TLS failure", .tls, "no TLS with x")
                .fails(.tls, "what their TLS requires"),
        ]
    }()

    @Test(
        "a failure on the way to the target names its step and the remedy", arguments: connections)
    func connection(scene: TryScene) throws {
        try expect(scene)
        let later = try scene.checklist.rows.filter { $0.step > (scene.fails ?? .name) }
        #expect(later.allSatisfy { $0.state == .notReached })
    }

    static func services() throws -> [TryScene] {
        [
            try TryScene("a firewall's page").answered(
                .registerClient, 403, html, type: "text/html", ["Server": "cloudflare"]
            ).fails(.register, "something in front of the service (cloudflare)", "target.headers"),
            try TryScene("a compressed body").through(.accessToken)
                .answered(.checkAuthentication, 403, "x", ["Content-Encoding": "gzip"])
                .fails(.code, "remove Accept-Encoding from the rig's headers"),
            try TryScene("a login on another node").through(.authenticate)
                .answered(.mvpdLogin, 302, "", ["Location": "https://idp.demo.test/in"])
                .answered(
                    .mvpdLogin, 400, "<html><title>Session lost</title></html>", type: "text/html"
                )
                .fails(.loginPage, "sticky sessions", "the page says 'Session lost'"),
            try TryScene("a login that set a cookie").through(.authenticate)
                .answered(
                    .mvpdLogin, 302, "",
                    ["Location": "https://idp.demo.test/in", "Set-Cookie": "a=b"]
                )
                .answered(.mvpdLogin, 400, "<html></html>", type: "text/html")
                .fails(.loginPage, "compare target.domain"),
            try TryScene("a provider that refuses at once").through(.authenticate)
                .answered(.mvpdLogin, 400, "<html></html>", type: "text/html")
                .fails(.loginPage, "compare target.domain"),
            try TryScene("a path that is not there").answered(.registerClient, 404)
                .fails(.register, "is not the sign-in service", "404"),
            try TryScene("no client needed, no path", target: ["auth: none"])
                .answered(.checkAuthentication, 404).fails(.code, "is not the sign-in service"),
            try TryScene("an unapproved statement", target: ["software-statement: ${HUSH}"])
                .answered(.registerClient, 400, #"{"error": "unapproved_software_statement"}"#)
                .fails(.register, "not approved"),
            try TryScene("a given client", target: ["clients: {id: c, secret: \"${HUSH}\"}"])
                .answered(.accessToken, 400, #"{"error": "invalid_client"}"#)
                .fails(.token, "correct id and secret under target.clients"),
            try TryScene("a token that is not taken").through(.accessToken)
                .answered(.checkAuthentication, 401, #"{"error": "access_denied"}"#)
                .fails(.code, "does not accept its own access token"),
            try TryScene("tokens are wanted", target: ["auth: none"])
                .answered(.checkAuthentication, 401, #"{"error": "access_denied"}"#)
                .fails(.code, "auth: bearer"),
            try TryScene("a code nobody knows").through(.registrationCode)
                .answered(.registrationRecord, 404).fails(.code, "does not find the code"),
            try TryScene("a requestor without configuration").through(.registrationRecord)
                .answered(.configuration, 404).fails(.configuration, "target.requestor"),
            try TryScene("5xx").through(.registrationRecord).answered(
                .configuration, 500, "{}", ["Adobe-Request-Id": "r"]
            ).fails(.configuration, "send the server's team this exchange"),
            try TryScene("signed in at the phone only").through(.checkCode)
                .answered(.pollToken, 404)
                .with { $0.cause = "the phone had signed in, and the TV saw no token" }
                .fails(.poll, "the TV's polls do not return it"),
            try TryScene("a login that the service forgot").through(.assertion)
                .answered(.checkCode, 403).fails(.check, "the service reports no sign-in"),
            try TryScene("metadata that fail").through(.pollToken).answered(.userMetadata, 500)
                .fails(.authorize, "send the server's team this exchange", "usermetadata"),
            try TryScene("a request that is called wrong").through(.preauthorize)
                .answered(
                    .authorize, 400, #"{"status": 400, "message": "malformed_authz_request"}"#
                )
                .fails(.authorize, "rejects the request itself", "--bodies"),
            try TryScene("a bearer that is not taken later").through(.preauthorize)
                .answered(.authorize, 401)
                .fails(.authorize, "does not accept its own access token"),
            try TryScene("no media token").through(.authorize).answered(.mediaToken, 403)
                .fails(.media, "may not play 'demo-1'"),
            try TryScene("no logout").through(.mediaToken).answered(.logout, 500)
                .fails(.logout, "DELETE https://auth.demo.test/api/v1/logout"),
            try TryScene("too slow").through(.accessToken).unanswered(
                .checkAuthentication, .timeout, "no complete answer", lost: true
            ).fails(.code, "target.timeout"),
        ]
    }

    @Test("a refusal of the service names its step and the remedy", arguments: try services())
    func service(scene: TryScene) throws {
        try expect(scene)
    }

    static func logins() throws -> [TryScene] {
        [
            try TryScene("an unknown provider").through(.configuration).answered(
                .authenticate, 400, #"{"message": "Unknown integration 'DemoCable'"}"#
            ).fails(.loginPage, "'DemoCable' is not a provider of DEMOTV", "target.mvpds"),
            try TryScene("an unknown redirect").through(.configuration).answered(
                .authenticate, 400, #"{"message": "Invalid 'redirect_url'"}"#
            ).fails(.loginPage, "target.redirect-url"),
            try TryScene("something else").through(.configuration).answered(.authenticate, 400)
                .fails(.loginPage, "compare target.domain, target.redirect-url and target.mvpds"),
            try TryScene("a provider's host without leave").through(.authenticate).unanswered(
                .mvpdLogin, .hostNotAllowed, "idp.demo.test is not a loopback address"
            ).fails(.loginPage, "'allow: [idp.demo.test]'"),
            try TryScene("a provider's host without address").through(.authenticate).unanswered(
                .mvpdLogin, .nameNotResolved, "idp.demo.test has no address"
            ).fails(.loginPage, "the login leads to idp.demo.test, which has no address"),
            try TryScene("hops without end").through(.authenticate)
                .with { $0.cause = "the login did not end within 20 hops" }
                .fails(.loginPage, "target.max-hops"),
            try TryScene("two forms").through(.authenticate).answered(
                .mvpdLogin, 200, "<form><input name=a></form><form><input name=b></form>",
                type: "text/html"
            ).fails(.form, "login: {form: 1, user: NAME"),
            try TryScene("a form that is refused").through(.mvpdLogin).answered(
                .mvpdLogin, 400, "", type: "text/html", post: [("user", "u")]
            ).fails(.form, "rejected the login form"),
            try TryScene("a provider that says no").through(.mvpdLogin).answered(
                .assertion, 302, "", ["Location": "https://demo.test/done?error=access_denied"]
            ).fails(.assertion, "use an account that may watch this channel"),
        ]
    }

    @Test("a failure of the login names its step and the remedy", arguments: try logins())
    func login(scene: TryScene) throws {
        try expect(scene)
    }

    @Test("what was tried again with success has passed")
    func again() throws {
        var scene = try TryScene("again").unanswered(.registerClient, .connectionLost, "broke")
        scene = try scene.answered(.registerClient, 500).through(.logout)
        scene.fate = .signedIn
        #expect(try scene.checklist.isPassed)
        #expect(try scene.checklist.remedy == nil)
    }

    @Test("what is asked after the logout fails no step before it")
    func afterLogout() throws {
        var scene = try TryScene("bench").through(.logout)
            .answered(.pollToken, 404).answered(.checkAuthentication, 403)
            .answered(.mediaToken, 403, #"{"message": "User not authenticated"}"#, provoked: true)
        scene.fate = .signedIn
        let list = try scene.checklist
        #expect(list.isPassed && list.firstFailure == nil, "\(list.text(width: 100))")
    }

    @Test("the poll that returned the sign-in is the one that counts, whatever a later poll finds")
    func firstConclusivePoll() throws {
        var scene = try TryScene("flap").through(.pollToken).answered(.pollToken, 404)
            .answered(.authorize, 200, #"{"resource": "demo-1", "expires": 9}"#)
            .answered(.mediaToken, 200, #"{"serializedToken": "x", "expires": 9}"#)
            .answered(.logout, 204)
        scene.fate = .signedIn
        #expect(try scene.checklist.rows.contains(.init(step: .poll, state: .passed)))
    }

    @Test("a request that the rig means to be rejected fails no step; the same unasked for does")
    func deletedCode() throws {
        for provoked in [true, false] {
            var scene = try TryScene("deleted").through(.pollToken)
                .answered(.registrationRecord, 404, provoked: provoked)
            scene.fate = .signedIn
            let row = try #require(try scene.checklist.rows.first { $0.step == .code })
            #expect((row.state == .passed) == provoked, "\(row.state)")
        }
    }

    static func failuresBeforeLogout() throws -> [TryScene] {
        [
            try TryScene("no poll returns the sign-in").through(.checkCode)
                .answered(.pollToken, 404).answered(.logout, 204, provoked: true)
                .fails(.poll, "the TV's polls do not return it"),
            try TryScene("every poll is rejected, where all but one are meant to be").through(
                .checkCode
            )
            .answered(.pollToken, 400, provoked: true).answered(.logout, 204, provoked: true)
            .fails(.poll),
            try TryScene("authorize").through(.preauthorize)
                .answered(
                    .authorize, 400, #"{"status": 400, "message": "malformed_authz_request"}"#
                )
                .answered(.logout, 204).answered(.pollToken, 404)
                .fails(.authorize, "rejects the request itself"),
            // The remedy is about the response that failed the step, not about an equal one after the logout.
            try TryScene("media").through(.authorize)
                .answered(.mediaToken, 500, "{}", ["Adobe-Request-Id": "before"])
                .answered(.logout, 204)
                .answered(.mediaToken, 500, "{}", ["Adobe-Request-Id": "after"], provoked: true)
                .fails(.media, "with request id before"),
            // Only a logout that the service confirmed ends the sign-in.
            try TryScene("no logout").through(.mediaToken).answered(.logout, 500)
                .answered(.mediaToken, 403).fails(.media, "may not play 'demo-1'"),
        ]
    }

    @Test(
        "what failed while the sign-in was there fails its step, whatever followed the logout",
        arguments: try failuresBeforeLogout())
    func beforeLogout(scene: TryScene) throws {
        try expect(scene)
    }

    @Test("a phone that asks only after the TV has logged out tells nothing about the check")
    func lateCheck() throws {
        var scene = try TryScene("late").through(.assertion)
            .answered(.pollToken, 200, #"{"mvpd": "DemoCable", "userId": "u", "expires": 9}"#)
            .answered(.authorize, 200, #"{"resource": "demo-1", "expires": 9}"#)
            .answered(.mediaToken, 200, #"{"serializedToken": "x", "expires": 9}"#)
            .answered(.logout, 204).answered(.checkCode, 403)
        scene.fate = .signedIn
        let list = try scene.checklist
        #expect(list.isPassed, "\(list.text(width: 100))")
        #expect(
            list.rows.contains(
                .init(step: .check, state: .notTested("the TV had logged out before this request")))
        )
    }

    @Test("an account that may not watch has signed in all the same, and the checklist says both")
    func notEntitled() throws {
        var scene = try TryScene("not in the package").through(.preauthorize)
            .answered(.authorize, 403, #"{"message": "noAuthz"}"#).answered(.logout, 204)
        scene.fate = .signedIn
        let checklist = try scene.checklist
        #expect(checklist.isPassed && checklist.firstFailure == nil)
        #expect(checklist.remedy?.contains("may not play 'demo-1'") == true)
        let text = checklist.text(width: 100)
        #expect(text.contains("authorize      not entitled authorize answered 403"), "\(text)")
        #expect(text.contains("media          not needed   the account is not entitled"), "\(text)")
    }

    @Test("a TV that was signed in already needs no code, and that is no failure")
    func preSignedIn() throws {
        var scene = try TryScene("pre").answered(
            .registerClient, 201, #"{"client_id": "c", "client_secret": "s"}"#)
        scene = try scene.answered(.accessToken, 201, #"{"access_token": "t"}"#)
            .answered(.checkAuthentication, 200)
            .answered(.authorize, 200, #"{"resource": "demo-1", "expires": 9}"#)
            .answered(.mediaToken, 200, #"{"serializedToken": "x", "expires": 9}"#)
            .answered(.logout, 204)
        scene.fate = .preSignedIn
        let checklist = try scene.checklist
        #expect(checklist.isPassed)
        let poll = checklist.rows.first { $0.step == .poll }
        #expect(poll?.state == .notNeeded("the TV was signed in already"))
    }

    @Test("a household that never began has reached nothing, and nothing has failed")
    func nothing() throws {
        let checklist = try TryScene("nothing").checklist
        #expect(!checklist.isPassed && checklist.firstFailure == nil && checklist.remedy == nil)
    }

    @Test("the printed table fits its width, and says what to do")
    func text() throws {
        let scene = try TryScene("text").through(.preauthorize).answered(
            .authorize, 403, #"{"message": "User not authorized"}"#)
        try Golden.expect(
            try scene.checklist.text(width: 80) + "\n", is: "try/checklist.txt")
    }

    private func expect(_ scene: TryScene) throws {
        let checklist = try scene.checklist
        #expect(checklist.firstFailure?.step == scene.fails, "\(checklist.text(width: 100))")
        for word in scene.words {
            #expect(checklist.remedy?.contains(word) == true, "\(word): \(checklist.remedy ?? "")")
        }
    }
}

extension Checklist {
    fileprivate var firstFailure: Row? {
        rows.first { if case .failed = $0.state { true } else { false } }
    }
}
