import Dialects
import Formats
import Signing
import Standin
import Testing

@Suite("what V2 turns down (rest-v2.md § 3.3)")
struct V2CheckTests {
    /// One row of the table: what is wrong, and the answer.
    struct CheckRow: Sendable, CustomTestStringConvertible {
        let what: String
        let refusal: String
        let ask: @Sendable (inout Caller) -> Reply

        init(
            _ what: String, _ refusal: String, _ ask: @escaping @Sendable (inout Caller) -> Reply
        ) {
            self.what = what
            self.refusal = refusal
            self.ask = ask
        }

        var testDescription: String { what }
    }

    @Test(
        "row by row",
        arguments: [
            CheckRow("a wrong method", "405 internal_server_error") { $0.tv(.get, "sessions") },
            CheckRow("DELETE of a session", "405 internal_server_error") {
                $0.tv(.delete, "sessions/ABC1234")
            },
            CheckRow("POST of a logout", "405 internal_server_error") {
                $0.tv(.post, "logout/DemoCable")
            },
            CheckRow("an unknown path", "404 internal_server_error") { $0.tv(.get, "nowhere") },
            CheckRow("an alias of a sample (B5)", "404 internal_server_error") {
                $0.tv(.post, "decision/authorize/DemoCable")
            },
            CheckRow("no media type (B50)", "400 invalid_header_content_type") {
                $0.tv(.post, "sessions", ["Content-Type": ""])
            },
            CheckRow("a form for a decision", "400 invalid_header_content_type") {
                $0.tv(
                    .post, "decisions/authorize/DemoCable",
                    ["Content-Type": "application/x-www-form-urlencoded"])
            },
            CheckRow("no bearer", "401 invalid_access_token_client_application") {
                $0.bearer = nil
                return $0.profiles()
            },
            CheckRow("a bearer nobody knows", "401 invalid_access_token_client_application") {
                $0.bearer = "x"
                return $0.profiles()
            },
            CheckRow("an expired bearer", "401 invalid_access_token_client_application") {
                $0.advance(.seconds(21_600))
                return $0.profiles()
            },
            CheckRow("a bearer of V1 (B31)", "401 invalid_access_token_client_application") {
                $0.sendsDeviceInfo = true
                $0.register()
                return $0.profiles()
            },
            CheckRow("a statement for V1 only", "401 invalid_access_token_client_application") {
                $0.registerV2(#","scopes":["api:client:v1"]"#)
                return $0.profiles()
            },
            CheckRow(
                "a statement for another channel", "401 invalid_access_token_service_provider"
            ) {
                $0.registerV2(#","service_providers":["OTHER"]"#)
                return $0.profiles()
            },
            CheckRow("a bearer before the channel", "401 invalid_access_token_client_application") {
                $0.bearer = nil
                return $0.get("/api/v2/OTHER/profiles")
            },
            CheckRow("an unknown channel", "400 invalid_parameter_service_provider") {
                $0.get("/api/v2/OTHER/profiles")
            },
            CheckRow("the channel before the device", "400 invalid_parameter_service_provider") {
                $0.get("/api/v2/OTHER/profiles", headers: ["X-Device-Info": "%"])
            },
            CheckRow("no device", "400 invalid_header_device_identifier") {
                $0.phone(.get, "profiles")
            },
            CheckRow("a device of another type", "400 invalid_header_device_identifier") {
                $0.phone(.get, "profiles", ["AP-Device-Identifier": "serial dHYtMQ=="])
            },
            CheckRow("a device that is no Base64", "400 invalid_header_device_identifier") {
                $0.phone(.get, "profiles", ["AP-Device-Identifier": "fingerprint tv 1"])
            },
            CheckRow("an empty device", "400 invalid_header_device_identifier") {
                $0.phone(.get, "profiles", ["AP-Device-Identifier": "fingerprint "])
            },
            CheckRow("device information that is none", "400 invalid_header_device_info") {
                $0.phone(
                    .get, "profiles",
                    [
                        "AP-Device-Identifier": Caller.fingerprint("tv-1"), "X-Device-Info": "none",
                    ])
            },
            CheckRow("device information percent-encoded", "400 invalid_header_device_info") {
                $0.phone(
                    .get, "profiles",
                    [
                        "AP-Device-Identifier": Caller.fingerprint("tv-1"),
                        "X-Device-Info": Caller.deviceInfo,
                    ])
            },
            CheckRow("the device before the parameters", "400 invalid_header_device_identifier") {
                $0.phone(.post, "decisions/authorize/Nobody", body: "{}")
            },
            CheckRow("no resources", "400 invalid_parameter_resources") {
                $0.decide("authorize", "DemoCable", [])
            },
            CheckRow("a body that is no list", "400 invalid_parameter_resources") {
                $0.tv(.post, "decisions/preauthorize/DemoCable", body: #"{"resources":"c1"}"#)
            },
            CheckRow("the body before the provider", "400 invalid_parameter_resources") {
                $0.decide("authorize", "Nobody", [])
            },
            CheckRow("an unknown provider", "400 invalid_parameter_mvpd") {
                $0.decide("authorize", "Nobody")
            },
            CheckRow("an unknown provider of P2", "400 invalid_parameter_mvpd") {
                $0.profile("Nobody")
            },
            CheckRow("an unknown provider of S1", "400 invalid_parameter_mvpd") {
                $0.session("mvpd=Nobody")
            },
            CheckRow("the redirect before the provider", "400 invalid_parameter_redirect_url") {
                $0.session("mvpd=Nobody&redirectUrl=nowhere")
            },
            CheckRow("a foreign redirect (B19)", "400 invalid_parameter_redirect_url") {
                $0.session("redirectUrl=https%3A%2F%2Fother.test%2F")
            },
            CheckRow("a domain that only ends alike", "400 invalid_parameter_redirect_url") {
                $0.session("domainName=nodemo.test")
            },
            CheckRow("a code that is none", "400 invalid_parameter_code") {
                $0.phone(.get, "sessions/A-B")
            },
            CheckRow("a code nobody has", "400 invalid_authentication_session") {
                $0.phone(.get, "sessions/ABC1234")
            },
            CheckRow("a code nobody has, polled", "400 invalid_authentication_session") {
                $0.phone(.get, "profiles/code/abc123")
            },
            CheckRow("a logout without its way back", "400 invalid_parameter_redirect_url") {
                $0.tv(.get, "logout/DemoCable")
            },
            CheckRow("two identities at once (B48)", "400 invalid_header_identity") {
                $0.profiles([
                    "Adobe-Subject-Token": Caller.subjectToken("u"),
                    "AD-Service-Token": Caller.serviceToken("u"),
                ])
            },
            CheckRow("another partner", "400 invalid_parameter_partner") {
                $0.tv(.post, "sessions/sso/Orange")
            },
        ])
    func refused(row: CheckRow) throws {
        var caller = try Caller.ofV2()
        let reply = row.ask(&caller)
        #expect(reply.refusal == row.refusal)
        #expect(reply.headers["Content-Type"] == "application/json;charset=UTF-8")
        for name in ["action", "message", "helpUrl", "trace"] { #expect(reply.member(name) != nil) }
        #expect(reply.member("status") == String(reply.status))
    }

    @Test("a provider that is not integrated, or not any longer")
    func integration() throws {
        var settings = ServiceSettings.unthrottled
        settings.requestors[0].providers = ["DemoCable", "DemoSat"]
        settings.providers[1].integratedFor = .seconds(60)
        settings.providers.append(.init(id: "Elsewhere"))
        var caller = try Caller.ofV2(settings)
        #expect(caller.profile("Elsewhere").refusal == "400 invalid_integration")
        #expect(caller.session("mvpd=Elsewhere").refusal == "400 invalid_integration")
        caller.signIn("DemoSat")
        #expect(caller.profiles().profileShown == "DemoSat regular")
        caller.advance(.seconds(60))
        #expect(caller.profile("DemoSat").refusal == "400 invalid_integration")
        #expect(caller.decide("authorize", "DemoSat").refusal == "400 invalid_integration")
        #expect(caller.profiles().isEmptyMap)
    }

    @Test("device information may be missing, unless fidelity is strict")
    func information() throws {
        let device: Headers = ["AP-Device-Identifier": Caller.fingerprint("tv-1")]
        var caller = try Caller.ofV2()
        #expect(caller.phone(.get, "profiles", device).status == 200)
        // Any object does.
        let small: Headers = [
            "AP-Device-Identifier": Caller.fingerprint("tv-1"),
            "X-Device-Info": Base64.encode("{}".utf8),
        ]
        #expect(caller.phone(.get, "profiles", small).status == 200)
        var settings = ServiceSettings.unthrottled
        settings.fidelity = .strict
        var strict = try Caller.ofV2(settings)
        #expect(
            strict.phone(.get, "profiles", device).refusal == "400 invalid_header_device_info")
        #expect(strict.phone(.get, "profiles", small).refusal == "400 invalid_header_device_info")
        #expect(strict.profiles().status == 200)
        #expect(strict.phone(.get, "configuration").status == 200)
    }

    @Test("a withdrawn statement blocks its users")
    func revoked() throws {
        var caller = try Caller.ofV2()
        #expect(caller.profiles().status == 200)
        _ = caller.post("/_standin/revoke-software", body: #"{"software_id":"app-2"}"#)
        #expect(caller.profiles().refusal == "401 invalid_access_token_client_application")
    }

    @Test("a client speaks the protocol that it is used for first, and no other (B31)")
    func families() throws {
        var caller = Caller(.unthrottled)
        caller.sendsDeviceInfo = false
        caller.register()
        #expect(caller.profiles().status == 200)
        #expect(caller.poll().status == 401)
        caller.register()
        #expect(caller.poll().status == 404)
        #expect(caller.profiles().refusal == "401 invalid_access_token_client_application")
        // Registered for V2, by its statement or its headers.
        caller.registerV2()
        #expect(caller.poll().status == 401)
        caller.registerV2(#","scopes":"api:client:v2""#)
        #expect(caller.poll().status == 401)
        #expect(caller.profiles().status == 200)
    }

    @Test("D1 tells the scope that a client has")
    func scopes() throws {
        var caller = Caller(.unthrottled)
        let body = #"{"software_statement":"\#(demoSoftwareStatement())"}"#
        func scopes(_ headers: Headers) -> String? {
            caller.sendsDeviceInfo = false
            return caller.post("/o/client/register", body: body, headers: headers)
                .after(#""scopes":["#, upTo: "]")
        }
        #expect(scopes(["X-Device-Info": Caller.deviceInfo]) == #""api:client:v1""#)
        #expect(scopes(["AP-Device-Identifier": "fingerprint eA=="]) == #""api:client:v2""#)
        #expect(scopes([:]) == #""api:client:v1","api:client:v2""#)
    }

    @Test("one bucket covers V1 and V2; neither a preflight nor a wrong method is counted")
    func throttle() throws {
        var caller = try Caller.ofV2(ServiceSettings())
        caller.advance(.seconds(60))
        for _ in 0..<11 { #expect(caller.profiles().status == 200) }
        let refused = caller.profiles()
        #expect(refused.status == 429)
        #expect(refused.headers["Content-Type"] == "text/html")
        #expect(refused.headers["Access-Control-Allow-Headers"]?.contains("AP-Device") == true)
        #expect(caller.poll().status == 429)
        #expect(caller.get("/api/v2/authenticate/DEMOTV/ABC1234").status == 429)
        #expect(caller.tv(.get, "nowhere").status == 429)
        #expect(caller.tv(.get, "sessions").status == 405)
        let preflight = caller.tv(.options, "profiles")
        #expect(preflight.status == 200)
        #expect(
            preflight.headers["Access-Control-Allow-Methods"] == "POST, GET, OPTIONS, DELETE")
        #expect(preflight.body.isEmpty)
    }

}
