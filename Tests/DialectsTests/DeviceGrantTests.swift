import Testing
import Vocabulary

@testable import Dialects

/// Transcripts are those of device-grant-rfc8628.md and of the servers in device-grant-servers.md.
@Suite struct DeviceGrantTests {
    private static let origin = Origin(scheme: .https, host: "tv.example.test")
    private static let device = DeviceIdentity(
        id: "vd-1",
        info: DeviceInfo(
            model: "AppleTV", osName: "tvOS", osVersion: "17.4", primaryHardwareType: "TV"),
        userAgent: "DemoTV/1.0", forwardedFor: nil)

    static func dialect(
        _ preset: DeviceGrantTerms.Preset = .standard, prefix: String = "",
        _ change: (inout DeviceGrantTerms) -> Void = { _ in }
    ) -> DeviceGrant {
        var terms = preset.terms
        if preset == .standard {
            terms.deviceAuthorization = "/oauth/device_authorization"
            terms.token = "/oauth/token"
            terms.revocation = "/oauth/revoke"
            terms.userinfo = "/oauth/userinfo"
        }
        change(&terms)
        return DeviceGrant(origin: origin, prefix: prefix, terms: terms)
    }

    private static func credential(
        session: String? = nil, refresh: String? = nil, _ endpoints: ServerEndpoints? = nil
    ) -> Credential {
        var credential = Credential(device: device, bearer: nil, session: session.map(Secret.init))
        credential.refresh = refresh.map(Secret.init)
        credential.endpoints = endpoints
        return credential
    }

    private static let codes = #"""
        {"device_code":"Jm0fQ3p9w5rB7tXcV1sKdE8uYhL2zNaG","user_code":"RDKW-TQPM",
        "verification_uri":"https://tv.example.test/device",
        "verification_uri_complete":"https://tv.example.test/device?user_code=RDKW-TQPM",
        "expires_in":1800,"interval":7}
        """#

    private static func reply(
        _ status: Int, _ body: String, _ headers: Headers = ["Content-Type": "application/json"]
    ) -> Reply {
        Reply(status: status, headers: headers, body: Array(body.utf8))
    }

    private static func issued(_ dialect: DeviceGrant, _ body: String = codes) throws -> IssuedCode
    {
        let call = try #require(dialect.issueCode(credential(), lifetime: nil, mvpd: nil))
        guard case .code(let issued) = dialect.read(reply(200, body), to: call).answer else {
            throw Missing()
        }
        return issued
    }

    private struct Missing: Error {}

    // MARK: Requests

    @Test("a public client names itself in the body, and a confidential one shows its secret")
    func clients() throws {
        func body(_ change: (inout DeviceGrantTerms) -> Void) throws -> (String, String?) {
            let call = try #require(
                Self.dialect(.standard, change).issueCode(
                    Self.credential(), lifetime: nil, mvpd: nil))
            #expect(
                call.address.description == "https://tv.example.test/oauth/device_authorization")
            return (String(decoding: call.body, as: UTF8.self), call.headers["Authorization"])
        }
        let bare = try body { $0.scope = "openid profile" }
        #expect(
            bare.0 == "scope=openid%20profile&client_id=tv"
                || bare.0 == "scope=openid+profile&client_id=tv")
        #expect(bare.1 == nil)
        let posted = try body { $0.secret = Secret("s&1") }
        #expect(posted.0 == "client_id=tv&client_secret=s%261")
        let basic = try body {
            $0.secret = Secret("s1")
            $0.authentication = .basic
        }
        #expect(basic.0.isEmpty)
        #expect(basic.1 == "Basic dHY6czE=")
    }

    @Test("a poll carries the device code, and names the user code to the history only")
    func poll() throws {
        let dialect = Self.dialect()
        let issued = try Self.issued(dialect)
        let call = try #require(dialect.poll(issued, .token, Self.credential()))
        let body = String(decoding: call.body, as: UTF8.self)
        #expect(
            body
                == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code"
                + "&device_code=Jm0fQ3p9w5rB7tXcV1sKdE8uYhL2zNaG&client_id=tv")
        #expect(call.code == Code("RDKW-TQPM"))
        #expect(!call.address.description.contains("Jm0f"))
    }

    @Test("the phone opens the page that came with the code, or the one with the code in it")
    func page() throws {
        let typed = Self.dialect()
        let issued = try Self.issued(typed)
        #expect(
            typed.authenticate(issued, mvpd: nil, Self.credential())?.address.description
                == "https://tv.example.test/device")
        let scanned = Self.dialect(.standard) { $0.opens = .complete }
        #expect(
            scanned.authenticate(issued, mvpd: nil, Self.credential())?.address.query
                == "user_code=RDKW-TQPM")
    }

    @Test("metadata are looked for where RFC 8414 and OpenID put them")
    func discovery() throws {
        let dialect = DeviceGrant(origin: Self.origin, prefix: "/realms/demo")
        let calls = dialect.discover(as: Self.device)
        #expect(
            calls.map(\.address.target) == [
                "/.well-known/oauth-authorization-server/realms/demo",
                "/realms/demo/.well-known/openid-configuration",
            ])
        #expect(calls.map(\.provoked) == [true, false])
        let found = dialect.read(
            Self.reply(
                200,
                #"{"device_authorization_endpoint":"https://tv.example.test/d","token_endpoint":"https://tv.example.test/t"}"#
            ), to: calls[1])
        guard case .endpoints(let endpoints) = found.answer else { throw Missing() }
        let call = dialect.issueCode(Self.credential(endpoints), lifetime: nil, mvpd: nil)
        #expect(call?.address.target == "/d")
        #expect(dialect.issueCode(Self.credential(), lifetime: nil, mvpd: nil) == nil)
        #expect(Self.dialect().discover(as: Self.device).isEmpty)
    }

    @Test("metadata without a device endpoint say so")
    func poorMetadata() {
        let dialect = DeviceGrant(origin: Self.origin)
        let reading = dialect.read(
            Self.reply(200, #"{"token_endpoint":"https://tv.example.test/t"}"#),
            to: dialect.discover(as: Self.device)[1])
        #expect(reading.outcome == .malformed)
        #expect(reading.reason == "metadata without device_authorization_endpoint")
    }

    @Test("what a device holds is renewed, shown and given back")
    func session() throws {
        let dialect = Self.dialect()
        func body(_ operation: OperationName, _ credential: Credential) -> String? {
            dialect.call(operation, about: Subject(), credential).map {
                String(decoding: $0.body, as: UTF8.self)
            }
        }
        let both = Self.credential(session: "A1", refresh: "R1")
        #expect(
            body(.refreshToken, both) == "grant_type=refresh_token&refresh_token=R1&client_id=tv")
        #expect(
            body(.logout, both) == "token=R1&token_type_hint=refresh_token&client_id=tv")
        #expect(
            body(.revocation, Self.credential(session: "A1"))
                == "token=A1&token_type_hint=access_token&client_id=tv")
        #expect(
            dialect.call(.userinfo, about: Subject(), both)?.headers["Authorization"]
                == "Bearer A1")
        for operation in [OperationName.refreshToken, .userinfo, .logout, .checkAuthentication] {
            #expect(dialect.call(operation, about: Subject(), Self.credential()) == nil)
        }
    }

    @Test("a phone of a server without forms sends its calls, with everything filled in")
    func phone() throws {
        let dialect = Self.dialect(.glewlwyd)
        let issued = IssuedCode(code: Code("7U6T-QTMA"), lifetime: .seconds(600))
        let account = Account(user: "viewer\"0", password: Secret("pass word"))
        let requests = dialect.phoneCalls(issued, as: account, refuses: false)
        #expect(
            requests.map { "\($0.call.method.rawValue) \($0.call.address.target)" } == [
                "POST /api/auth/", "PUT /api/auth/grant/tv", "GET /api/tv/device?code=7U6T-QTMA",
                "GET /api/tv/device?code=7U6T-QTMA&g_continue",
            ])
        #expect(
            String(decoding: requests[0].call.body, as: UTF8.self)
                == #"{"username":"viewer\"0","password":"pass word"}"#)
        #expect(requests.map(\.typesPassword) == [true, false, false, false])
        #expect(
            requests.map(\.call.operation) == [
                .mvpdLogin, .mvpdLogin, .verificationPage, .approval,
            ])
    }

    // MARK: Codes

    @Test("codes are read as RFC 8628, 3.2 has them; without an interval it is 5 s")
    func codes() throws {
        let dialect = Self.dialect()
        let issued = try Self.issued(dialect)
        #expect(issued.pollKey == Secret("Jm0fQ3p9w5rB7tXcV1sKdE8uYhL2zNaG"))
        #expect(issued.lifetime == .seconds(1800))
        #expect(issued.pollInterval == .seconds(7))
        let lower = try Self.issued(
            dialect,
            #"{"device_code":"d","user_code":"abcd-Efg","verification_uri":"/device","expires_in":60}"#
        )
        #expect(lower.pollInterval == .seconds(5))
        #expect(lower.typed == "abcd-Efg")
        #expect(lower.code == Code("ABCD-EFG"))
        #expect(lower.page?.description == "https://tv.example.test/device")
    }

    @Test(
        "an answer that lacks what the standard requires is malformed",
        arguments: [
            #"{"user_code":"A","verification_uri":"/d","expires_in":60}"#,
            #"{"device_code":"d","verification_uri":"/d","expires_in":60}"#,
            #"{"device_code":"d","user_code":"A","expires_in":60}"#,
            #"{"device_code":"d","user_code":"A","verification_uri":"/d"}"#,
            #"{"device_code":"d","user_code":"A","verification_uri":"/d","expires_in":-1}"#,
            #"{"device_code":"d","user_code":"A","verification_uri":"/d","expires_in":60,"interval":"x"}"#,
            "[]", "no JSON",
        ])
    func poorCodes(body: String) throws {
        let dialect = Self.dialect()
        let call = try #require(dialect.issueCode(Self.credential(), lifetime: nil, mvpd: nil))
        let reading = dialect.read(Self.reply(200, body), to: call)
        #expect(reading.outcome == .malformed)
        #expect(!reading.deviations.isEmpty)
    }

    // MARK: Polls

    @Test(
        "each error of a poll means what RFC 8628, 3.5 says",
        arguments: [
            ("authorization_pending", Outcome.pending, Observation.Result.absent, "pending"),
            ("slow_down", .pending, .none, "slower"),
            ("access_denied", .notEntitled, .denied, "denied"),
            ("expired_token", .pending, .expired, "codeOver"),
            ("invalid_grant", .rejected, .denied, "codeOver"),
            ("invalid_client", .rejected, .denied, "denied"),
            ("unsupported_grant_type", .rejected, .denied, "denied"),
        ])
    func errors(
        word: String, outcome: Outcome, result: Observation.Result, answer: String
    ) throws {
        let dialect = Self.dialect()
        let poll = try #require(
            dialect.poll(try Self.issued(dialect), .token, Self.credential()))
        let reading = dialect.read(Self.reply(400, "{\"error\":\"\(word)\"}"), to: poll)
        #expect(reading.outcome == outcome)
        #expect(reading.observation.result == result)
        #expect("\(reading.answer)".hasPrefix(answer))
        #expect(reading.deviations.isEmpty)
    }

    @Test("slow_down adds five seconds")
    func slower() throws {
        let dialect = Self.dialect()
        let poll = try #require(
            dialect.poll(try Self.issued(dialect), .token, Self.credential()))
        let reading = dialect.read(Self.reply(400, #"{"error":"slow_down"}"#), to: poll)
        guard case .slower(let by) = reading.answer else { throw Missing() }
        #expect(by == .seconds(5))
    }

    @Test("an error with another status is the same error, and a deviation")
    func otherStatus() throws {
        let dialect = Self.dialect()
        let poll = try #require(
            dialect.poll(try Self.issued(dialect), .token, Self.credential()))
        let reading = dialect.read(
            Self.reply(403, #"{"error": "authorization_pending"}"#), to: poll)
        #expect(reading.outcome == .pending)
        #expect(reading.deviations.map(\.rule) == ["RFC 6749 5.2: the status of an error is 400"])
    }

    @Test("a token is kept as a secret, and an id_token tells whose it is")
    func token() throws {
        let dialect = Self.dialect(.standard) { $0.userSource = .idToken }
        let poll = try #require(
            dialect.poll(try Self.issued(dialect), .token, Self.credential()))
        // {"alg":"none"}.{"sub":"17"}.x
        let reading = dialect.read(
            Self.reply(
                200,
                #"{"access_token":"A1","token_type":"Bearer","expires_in":3600,"refresh_token":"R1","id_token":"eyJhbGciOiJub25lIn0.eyJzdWIiOiIxNyJ9.x"}"#,
                ["Content-Type": "application/json", "Cache-Control": "no-store"]), to: poll)
        guard case .signedIn(let tag, let session) = reading.answer else { throw Missing() }
        #expect(tag == Dialects.Tag(mvpd: "", user: "17"))
        #expect(session == DeviceSession(access: Secret("A1"), refresh: Secret("R1")))
        #expect(reading.observation.secret == Secret("A1"))
        #expect(reading.observation.tag == tag)
        #expect(reading.deviations.isEmpty)
    }

    @Test(
        "a body that is JSON says so by its type",
        arguments: [
            ("application/json", 0), ("application/json; charset=UTF-8", 0),
            ("application/scim+json", 0), ("image/png", 1),
            ("text/plain", 1), (nil, 1),
        ] as [(type: String?, deviations: Int)], [true, false])
    func mediaType(told: (type: String?, deviations: Int), isError: Bool) throws {
        let dialect = Self.dialect()
        let poll = try #require(
            dialect.poll(try Self.issued(dialect), .token, Self.credential()))
        var headers: Headers = ["Cache-Control": "no-store"]
        if let type = told.type { headers.append("Content-Type", type) }
        let body =
            isError
            ? #"{"error": "authorization_pending"}"#
            : #"{"access_token": "T0KEN", "token_type": "Bearer", "expires_in": 3600}"#
        let reading = dialect.read(Self.reply(isError ? 400 : 200, body, headers), to: poll)
        #expect(reading.deviations.count == told.deviations, "\(reading.deviations)")
        #expect(
            reading.deviations.allSatisfy {
                $0.rule == "RFC 6749 \(isError ? "5.2" : "5.1"): Content-Type is application/json"
            }, "\(reading.deviations)")
    }

    @Test("tokens that a cache may keep are a deviation")
    func cachedToken() throws {
        let dialect = Self.dialect()
        let poll = try #require(
            dialect.poll(try Self.issued(dialect), .token, Self.credential()))
        let reading = dialect.read(
            Self.reply(200, #"{"access_token":"A1","token_type":"Bearer"}"#), to: poll)
        #expect(reading.outcome == .ok)
        #expect(
            reading.deviations.map(\.rule) == [
                "RFC 6749 5.1: a response with tokens has Cache-Control: no-store"
            ])
    }

    @Test("an HTML page, a 429 and a 5xx tell nothing of the grant")
    func others() throws {
        let dialect = Self.dialect()
        let poll = try #require(
            dialect.poll(try Self.issued(dialect), .token, Self.credential()))
        let html = dialect.read(
            Self.reply(503, "<html>down</html>", ["Content-Type": "text/html"]), to: poll)
        #expect(html.outcome == .blocked)
        let throttled = dialect.read(Self.reply(429, "", ["Retry-After": "7"]), to: poll)
        #expect(throttled.outcome == .throttled)
        guard case .slow(let pause) = throttled.answer else { throw Missing() }
        #expect(pause == .seconds(7))
        for status in [408, 500] {
            #expect(dialect.read(Self.reply(status, "{}"), to: poll).outcome == .serverError)
        }
    }

    // MARK: Decisions

    @Test("an approval counts when its page or its redirect says so")
    func approvals() throws {
        func result(
            _ preset: DeviceGrantTerms.Preset, _ operation: OperationName, _ reply: Reply,
            ledOn: Bool = false
        ) -> Observation.Result {
            var call = Call(operation, .post, WebAddress(origin: Self.origin, target: "/device"))
            if ledOn {
                call.operation = .verificationPage
                call.decided = operation
            }
            return Self.dialect(preset).read(reply, to: call).observation.result
        }
        func page(_ title: String) -> Reply {
            Self.reply(200, "<html><h1>\(title)</h1></html>", ["Content-Type": "text/html"])
        }
        func redirect(_ target: String) -> Reply { Self.reply(302, "", ["Location": target]) }
        #expect(result(.djangoAllauth, .approval, page("Device Authorized")) == .success)
        #expect(result(.djangoAllauth, .approval, page("Enter Device Code")) == .denied)
        #expect(result(.djangoAllauth, .refusal, page("Device Denied")) == .success)
        #expect(
            result(.djangoOAuthToolkit, .approval, redirect("/o/device-grant-status/tv/X"))
                == .success)
        #expect(result(.djangoOAuthToolkit, .approval, page("Accept or Deny")) == .denied)
        #expect(
            result(.glewlwyd, .approval, redirect("/login.html?prompt=deviceComplete")) == .success)
        #expect(result(.glewlwyd, .approval, redirect("/login.html?client_id=tv")) == .denied)
        // A browser is led on, to the page that has the words or not; the phone of glewlwyd's requests is not.
        #expect(result(.djangoAllauth, .approval, redirect("/finished")) == .none)
        #expect(
            result(.djangoAllauth, .approval, page("Device Authorized"), ledOn: true) == .success)
        #expect(result(.djangoAllauth, .approval, page("Device Denied"), ledOn: true) == .denied)
        #expect(result(.djangoAllauth, .refusal, page("Device Denied"), ledOn: true) == .success)
        #expect(result(.djangoAllauth, .approval, redirect("/again"), ledOn: true) == .none)
        // Nobody told how to tell.
        #expect(result(.standard, .approval, page("Welcome")) == .none)
        #expect(result(.standard, .approval, Self.reply(404, "")) == .denied)
    }

    @Test(
        "metadata that is missing where another place is to be asked is no error, in whatever form the server says so"
    )
    func missingMetadata() throws {
        let dialect = DeviceGrant(
            origin: Self.origin, prefix: "/realms/tv", terms: DeviceGrantTerms.Preset.standard.terms
        )
        let calls = dialect.discover(as: Self.device)
        #expect(calls.count == 2)
        let page = Self.reply(404, "<html>Not found</html>", ["Content-Type": "text/html"])
        func outcome(_ position: Int) -> Outcome {
            dialect.read(page, to: calls[position]).outcome
        }
        #expect(calls[0].provoked && outcome(0) == .rejected)
        #expect(!calls[1].provoked && outcome(1) == .blocked)
    }

    @Test("a token response states the lifetime of its access token (RFC 6749, 5.1)")
    func tokenLife() throws {
        let dialect = Self.dialect()
        let call = try #require(dialect.poll(Self.issued(dialect), .token, Self.credential()))
        func read(_ life: String) -> Reading {
            dialect.read(
                Self.reply(200, #"{"access_token":"t","token_type":"Bearer"\#(life)}"#), to: call)
        }
        let stated = read(",\"expires_in\":3").observation
        #expect(stated.generated == 0 && stated.expires == 3000)
        for life in ["", ",\"expires_in\":\"soon\"", ",\"expires_in\":null"] {
            #expect(read(life).observation.expires == nil && read(life).outcome == .ok)
        }
    }

    @Test("every operation of the protocol is a step, and V1's steps are found by their names")
    func operations() {
        let operations = ProtocolName.oauthDeviceGrant.operations
        #expect(operations.count == 13)
        #expect(
            ProtocolName.oauthDeviceGrant.counterparts(of: .registrationCode) == [
                .deviceAuthorization
            ])
        #expect(ProtocolName.adobePassV1.counterparts(of: .deviceToken) == [.pollToken])
        for operation in operations {
            #expect(!operation.isOfV2 || operation == .mvpdLogin)
        }
    }
}
