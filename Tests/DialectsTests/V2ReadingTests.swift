import Formats
import Testing
import Vocabulary

@testable import Dialects

/// One row per kind of answer of rest-v2.md: what was asked, what came, and what it means. The bodies are
/// those of the page, or of its section "Observed".
@Suite struct V2ReadingTests {
    static let dialect = V2(
        origin: Origin(scheme: .http, host: "127.0.0.1", port: 8080), serviceProvider: "DEMOTV",
        domain: "demo.test", redirectURL: "https://demo.test/done")
    private static let html = "text/html"

    static let session =
        #"{"actionName":"authenticate","actionType":"interactive","reasonType":"none","#
        + #""url":"/api/v2/authenticate/DEMOTV/K3T9ZQ1","code":"K3T9ZQ1","#
        + #""sessionId":"2f0c6d52-8a55-4f6b-9a3e-90f4e7a1c001","mvpd":"DemoCable","#
        + #""serviceProvider":"DEMOTV","notBefore":"1760000000000","notAfter":"1760001800000"}"#
    static let unfinished =
        #"{"actionName":"resume","actionType":"direct","reasonType":"none","#
        + #""url":"/api/v2/DEMOTV/sessions/K3T9ZQ1","#
        + #""missingParameters":["mvpd"],"code":"K3T9ZQ1","sessionId":"s","#
        + #""serviceProvider":"DEMOTV","notBefore":"1760000000000","notAfter":"1760001800000"}"#
    static let known =
        #"{"actionName":"authorize","actionType":"direct","reasonType":"authenticated","#
        + #""url":"/api/v2/DEMOTV/decisions/authorize/DemoCable","sessionId":"s","#
        + #""mvpd":"DemoCable","serviceProvider":"DEMOTV"}"#
    static let partner =
        #"{"actionName":"partner_profile","actionType":"direct","reasonType":"none","#
        + #""url":"/api/v2/DEMOTV/profiles/sso/Apple","sessionId":"s","mvpd":"DemoCable","#
        + #""serviceProvider":"DEMOTV","authenticationRequest":{"type":"saml","request":"PHg+","#
        + #""attributesNames":["userID"]}}"#
    static let fallback = session.replacing(#""none""#, with: #""pfs_fallback""#)
    static let sessionRecord =
        #"{"existingParameters":{"mvpd":"DemoCable","domainName":"demo.test","#
        + #""redirectUrl":"https://demo.test/done","serviceProvider":"DEMOTV"},"#
        + #""device":{"type":"TV","model":"AppleTV","version":null,"hardware":null},"#
        + #""notBefore":"1760000000000","notAfter":"1760001800000"}"#
    static let profile =
        #"{"profiles":{"DemoCable":{"notBefore":1760000100000,"notAfter":1767776100000,"#
        + #""issuer":"DemoCable","type":"regular","attributes":{"userID":{"value":"u-8f31","#
        + #""state":"plain"},"householdID":{"value":"h-11","state":"plain"},"#
        + #""zip":{"value":"PHg+","state":"enc"}}}}}"#
    static let permit =
        #"{"decisions":[{"resource":"c1","serviceProvider":"DEMOTV","mvpd":"DemoCable","#
        + #""source":"mvpd","authorized":true,"token":{"notBefore":1760000100000,"#
        + #""notAfter":1760000520000,"serializedToken":"PHNpZ25hdHVyZUluZm8+"},"#
        + #""notBefore":1760000100000,"notAfter":1760086500000}]}"#
    static let denial = denied(
        "authorization_denied_by_mvpd", "none", 403, details: "Not in your package")
    static let logout =
        #"{"logouts":{"DemoCable":{"actionName":"logout","actionType":"interactive","#
        + #""mvpd":"DemoCable","url":"/adobe-services/logout?noflash=true&mso_id=DemoCable"}}}"#

    static func denied(
        _ code: String, _ action: String, _ status: Int, details: String? = nil,
        resource: String = "c1"
    ) -> String {
        #"{"decisions":[{"resource":"\#(resource)","serviceProvider":"DEMOTV","#
            + #""mvpd":"DemoCable","source":"mvpd","authorized":false,"error":"#
            + error(code, action, status, details: details) + "}]}"
    }

    static func error(
        _ code: String, _ action: String, _ status: Int, details: String? = nil
    ) -> String {
        let told = details.map { #","details":"\#($0)""# } ?? ""
        return #"{"action":"\#(action)","status":\#(status),"code":"\#(code)","message":"m""#
            + told + #","helpUrl":"u","trace":"t"}"#
    }

    static let cases: [ReadingCase] = [
        ReadingCase(
            label: "D1 201", operation: .registerClient, status: 201,
            body:
                #"{"client_id":"c1","client_secret":"s","client_id_issued_at":1,"redirect_uris":[],"#
                + #""grant_types":["client_credentials"],"scopes":["api:client:v2"]}"#,
            outcome: .ok, answer: "client", result: .success),
        ReadingCase(
            label: "D1 400", operation: .registerClient, status: 400,
            body: #"{"error":"invalid_software_statement"}"#,
            outcome: .rejected, answer: "denied", result: .denied,
            reason: "invalid_software_statement"),
        ReadingCase(
            label: "D2 201, with a refresh token", operation: .accessToken, status: 201,
            body:
                #"{"id":"x","access_token":"t","refresh_token":"r","created_at":1,"expires_in":21600,"#
                + #""token_type":"bearer"}"#,
            outcome: .ok, answer: "accessToken", result: .success),
        ReadingCase(
            label: "D2 400 invalid_client", operation: .accessToken, status: 400,
            body: #"{"error":"invalid_client"}"#, outcome: .rejected, answer: "staleClient",
            result: .denied, reason: "invalid_client"),
        ReadingCase(
            label: "C 200", operation: .configuration, status: 200,
            body:
                #"{"requestor":{"id":"DEMOTV","name":"Demo","domains":[{"name":"demo.test"}],"#
                + #""mvpds":[{"id":"A","displayName":"a"},{"id":"B","displayName":"b","isTempPass":true}]}}"#,
            outcome: .ok, answer: "configuration", result: .success),
        ReadingCase(
            label: "S1 authenticate", operation: .createSession, status: 200, body: session,
            outcome: .ok, answer: "code", result: .success),
        ReadingCase(
            label: "S1 resume", operation: .createSession, status: 200, body: unfinished,
            outcome: .ok, answer: "code", result: .success),
        ReadingCase(
            label: "S1 authorize", operation: .createSession, status: 200, body: known,
            outcome: .ok, answer: "signedIn", result: .success),
        ReadingCase(
            label: "S1 without an action", operation: .createSession, status: 200, body: "{}",
            outcome: .malformed, answer: "fault", result: .none,
            reason: "a body without its fields"),
        ReadingCase(
            label: "S1 with neither code nor a reason for none", operation: .createSession,
            status: 200, body: #"{"actionName":"authenticate"}"#, outcome: .malformed,
            answer: "fault", result: .none, reason: "a body without its fields"),
        ReadingCase(
            label: "S1 of a provider that is not integrated (§ 18)", operation: .createSession,
            status: 400, body: error("invalid_integration", "none", 400), outcome: .rejected,
            answer: "denied", result: .denied, reason: "invalid_integration"),
        ReadingCase(
            label: "S1 without a device identifier (§ 18)", operation: .createSession, status: 400,
            body: error("invalid_header_device_identifier", "none", 400), outcome: .rejected,
            answer: "denied", result: .denied, reason: "invalid_header_device_identifier"),
        ReadingCase(
            label: "S2 authenticate", operation: .resumeSession, status: 200, body: session,
            outcome: .ok, answer: "code", result: .success),
        ReadingCase(
            label: "S2 retry", operation: .resumeSession, status: 200,
            body: unfinished.replacing(#""resume""#, with: #""retry""#), outcome: .ok,
            answer: "code", result: .success),
        ReadingCase(
            label: "S2 authorize, with a code (B42)", operation: .resumeSession, status: 200,
            body: known.replacing(#""mvpd""#, with: #""code":"K3T9ZQ1","mvpd""#), outcome: .ok,
            answer: "signedIn", result: .success),
        ReadingCase(
            label: "S2 of a code that leads nowhere", operation: .resumeSession, status: 400,
            body: error("invalid_authentication_session", "none", 400), outcome: .rejected,
            answer: "denied", result: .absent, reason: "invalid_authentication_session"),
        ReadingCase(
            label: "X1 partner_profile", operation: .partnerRequest, status: 200, body: partner,
            outcome: .ok, answer: "profileRequest", result: .success),
        ReadingCase(
            label: "X1 fallback, with a provider (B7)", operation: .partnerRequest, status: 200,
            body: fallback, outcome: .ok, answer: "code", result: .success),
        ReadingCase(
            label: "X1 fallback, without (B7)", operation: .partnerRequest, status: 200,
            body: unfinished.replacing(#""none""#, with: #""pfs_fallback""#), outcome: .ok,
            answer: "code", result: .success),
        ReadingCase(
            label: "X1 of another partner", operation: .partnerRequest, status: 400,
            body: error("invalid_parameter_partner", "none", 400), outcome: .rejected,
            answer: "denied", result: .denied, reason: "invalid_parameter_partner"),
        ReadingCase(
            label: "S3 200", operation: .sessionByCode, status: 200, body: sessionRecord,
            outcome: .ok, answer: "record", result: .success),
        ReadingCase(
            label: "S3 400", operation: .sessionByCode, status: 400,
            body: error("invalid_parameter_code", "none", 400), outcome: .rejected,
            answer: "denied", result: .absent, reason: "invalid_parameter_code"),
        ReadingCase(
            label: "A 302", operation: .authenticate, status: 302, outcome: .ok,
            answer: "redirect", result: .success),
        ReadingCase(
            label: "A 200, a page that posts itself (§ 18)", operation: .authenticate, status: 200,
            type: html, body: "<html><form method=post></form></html>", outcome: .ok,
            answer: "page", result: .none),
        ReadingCase(
            label: "A 400", operation: .authenticate, status: 400, type: html,
            body: "<html>no session</html>", outcome: .rejected, answer: "denied",
            result: .denied, reason: "status 400"),
        ReadingCase(
            label: "a hop of the logout", operation: .mvpdLogout, status: 302, outcome: .ok,
            answer: "redirect", result: .none),
        ReadingCase(
            label: "P3 with a profile", operation: .profilesByCode, status: 200, body: profile,
            outcome: .ok, answer: "signedIn", result: .success),
        ReadingCase(
            label: "P3, not yet", operation: .profilesByCode, status: 200,
            body: #"{"profiles":{}}"#, outcome: .pending, answer: "pending", result: .absent),
        ReadingCase(
            label: "P3, not yet, in another spelling", operation: .profilesByCode, status: 200,
            body: #"{ "profiles" : { } }"#, outcome: .pending, answer: "pending", result: .absent),
        ReadingCase(
            label: "P3 of a code that is over", operation: .profilesByCode, status: 400,
            body: error("invalid_authentication_session", "none", 400), outcome: .rejected,
            answer: "codeOver", result: .expired, reason: "invalid_authentication_session"),
        ReadingCase(
            label: "P3 of what is no code", operation: .profilesByCode, status: 400,
            body: error("invalid_parameter_code", "none", 400), outcome: .rejected,
            answer: "codeOver", result: .expired, reason: "invalid_parameter_code"),
        ReadingCase(
            label: "P1, nobody", operation: .profiles, status: 200, body: #"{"profiles":{}}"#,
            outcome: .pending, answer: "pending", result: .absent),
        ReadingCase(
            label: "P2 of a TempPass that is over", operation: .profilesByMVPD, status: 403,
            body: error(
                "temporary_access_duration_limit_exceeded", "authentication", 403),
            outcome: .notEntitled, answer: "notEntitled", result: .denied,
            reason: "temporary_access_duration_limit_exceeded"),
        ReadingCase(
            label: "P2 of a TempPass that is not set up", operation: .profilesByMVPD, status: 500,
            body: error("invalid_configuration_temporary_access", "none", 500),
            outcome: .serverError, answer: "denied", result: .denied,
            reason: "invalid_configuration_temporary_access"),
        ReadingCase(
            label: "X2 201", operation: .ssoProfile, status: 201,
            body: profile.replacing(
                #""issuer":"DemoCable","type":"regular""#,
                with: #""issuer":"Apple","type":"appleSSO""#),
            outcome: .ok, answer: "signedIn", result: .success),
        ReadingCase(
            label: "X2 201 without a profile (B54)", operation: .ssoProfile, status: 201,
            body: #"{"profiles":{}}"#, outcome: .pending, answer: "pending", result: .absent),
        ReadingCase(
            label: "X2 without a partner status", operation: .ssoProfile, status: 400,
            body: error("invalid_header_pfs_permission_access_not_present", "none", 400),
            outcome: .rejected, answer: "denied", result: .denied,
            reason: "invalid_header_pfs_permission_access_not_present"),
        ReadingCase(
            label: "Z1 200", operation: .preauthorize, status: 200,
            body: permit.replacing(
                #""token":{"notBefore":1760000100000,"notAfter":1760000520000,"#
                    + #""serializedToken":"PHNpZ25hdHVyZUluZm8+"},"#, with: ""),
            outcome: .ok, answer: "decisions", result: .success),
        ReadingCase(
            label: "Z1 without a profile (B2)", operation: .preauthorize, status: 403,
            body: error("authenticated_profile_missing", "authentication", 403),
            outcome: .rejected, answer: "signedOut", result: .unauthenticated,
            reason: "authenticated_profile_missing"),
        ReadingCase(
            label: "Z1 without a profile, told by its items (B2)", operation: .preauthorize,
            status: 200, body: denied("authenticated_profile_expired", "authentication", 403),
            outcome: .rejected, answer: "signedOut", result: .unauthenticated,
            reason: "authenticated_profile_expired"),
        ReadingCase(
            label: "Z1 whose provider did not answer", operation: .preauthorize, status: 200,
            body: denied("network_connection_timeout", "retry", 403), outcome: .rejected,
            answer: "fault", result: .denied, reason: "network_connection_timeout"),
        ReadingCase(
            label: "Z1 with too many", operation: .preauthorize, status: 403,
            body: error("too_many_resources", "configuration", 403), outcome: .rejected,
            answer: "denied", result: .denied, reason: "too_many_resources"),
        ReadingCase(
            label: "Z1 of nothing", operation: .preauthorize, status: 200,
            body: #"{"decisions":[]}"#, outcome: .ok, answer: "decisions", result: .success),
        ReadingCase(
            label: "Z2 permit", operation: .authorize, status: 200, body: permit, outcome: .ok,
            answer: "media", result: .success),
        ReadingCase(
            label: "Z2 permit without a token", operation: .authorize, status: 200,
            body: #"{"decisions":[{"resource":"c1","authorized":true}]}"#, outcome: .malformed,
            answer: "fault", result: .none, reason: "a body without its fields"),
        ReadingCase(
            label: "Z2 denial", operation: .authorize, status: 200, body: denial,
            outcome: .notEntitled, answer: "notEntitled", result: .denied,
            reason: "authorization_denied_by_mvpd"),
        ReadingCase(
            label: "Z2 denial without an error", operation: .authorize, status: 200,
            body: #"{"decisions":[{"resource":"c1","authorized":false}]}"#, outcome: .notEntitled,
            answer: "notEntitled", result: .denied, reason: "not authorized"),
        ReadingCase(
            label: "Z2 that leaves the resource out (§ 18)", operation: .authorize, status: 200,
            body: #"{"decisions":[]}"#, outcome: .ok, answer: "done", result: .none),
        ReadingCase(
            label: "Z2 of a session that the provider ended", operation: .authorize, status: 200,
            body: denied("authorization_denied_by_session_invalidated", "authentication", 403),
            outcome: .rejected, answer: "signedOut", result: .unauthenticated,
            reason: "authorization_denied_by_session_invalidated"),
        ReadingCase(
            label: "Z2 of a home that must sign in anew", operation: .authorize, status: 200,
            body: denied("authorization_denied_by_hba_policies", "authentication", 403),
            outcome: .rejected, answer: "signedOut", result: .denied,
            reason: "authorization_denied_by_hba_policies"),
        ReadingCase(
            label: "Z2 whose provider did not answer", operation: .authorize, status: 200,
            body: denied("network_received_error", "retry", 403), outcome: .rejected,
            answer: "fault", result: .denied, reason: "network_received_error"),
        ReadingCase(
            label: "Z2 of a TempPass that is over", operation: .authorize, status: 200,
            body: denied("temporary_access_resources_limit_exceeded", "none", 403),
            outcome: .notEntitled, answer: "notEntitled", result: .denied,
            reason: "temporary_access_resources_limit_exceeded"),
        ReadingCase(
            label: "Z2 of a TempPass without an identity", operation: .authorize, status: 200,
            body: denied("invalid_header_identity_for_temporary_access", "none", 400),
            outcome: .rejected, answer: "denied", result: .denied,
            reason: "invalid_header_identity_for_temporary_access"),
        ReadingCase(
            label: "Z2 of a TempPass that is not set up", operation: .authorize, status: 200,
            body: denied("invalid_configuration_temporary_access", "none", 500),
            outcome: .serverError, answer: "denied", result: .denied,
            reason: "invalid_configuration_temporary_access"),
        ReadingCase(
            label: "Z2 with an error that nobody knows, and its action", operation: .authorize,
            status: 403, body: error("new_word", "application-registration", 403),
            outcome: .rejected, answer: "staleToken", result: .denied, reason: "new_word"),
        ReadingCase(
            label: "L logout", operation: .logout, status: 200, body: logout, outcome: .ok,
            answer: "loggedOut", result: .success),
        ReadingCase(
            label: "L 302 of another edition (§ 9)", operation: .logout, status: 302, outcome: .ok,
            answer: "loggedOut", result: .success),
        ReadingCase(
            label: "L of nothing", operation: .logout, status: 200, body: "{}",
            outcome: .malformed, answer: "fault", result: .none,
            reason: "a body without its fields"),
        ReadingCase(
            label: "any 401, whatever its body (B15)", operation: .authorize, status: 401,
            body: "", outcome: .rejected, answer: "staleToken", result: .denied,
            reason: "status 401"),
        ReadingCase(
            label: "any 401", operation: .profilesByCode, status: 401,
            body: error("invalid_access_token_client_application", "application-registration", 401),
            outcome: .rejected, answer: "staleToken", result: .denied,
            reason: "invalid_access_token_client_application"),
        ReadingCase(
            label: "429 of the front server (§ 13)", operation: .profilesByCode, status: 429,
            type: html, body: "<html>429</html>", outcome: .throttled, answer: "slow",
            result: .none),
        ReadingCase(
            label: "a page where JSON is due", operation: .profiles, status: 200, type: html,
            body: "<html>Pardon</html>", outcome: .blocked, answer: "blocked", result: .none,
            reason: "HTML where the service answers JSON"),
        ReadingCase(
            label: "500", operation: .authorize, status: 500,
            body: error("internal_server_error", "none", 500), outcome: .serverError,
            answer: "fault", result: .none, reason: "internal_server_error"),
        ReadingCase(
            label: "503 without a body", operation: .profiles, status: 503, outcome: .serverError,
            answer: "fault", result: .none, reason: "status 503"),
        ReadingCase(
            label: "garbage", operation: .profilesByCode, status: 200, body: "hello",
            outcome: .malformed, answer: "fault", result: .none, reason: "a body that is no JSON"),
        ReadingCase(
            label: "XML", operation: .profilesByCode, status: 200, type: "application/xml",
            body: "<profiles/>", outcome: .malformed, answer: "fault", result: .none,
            reason: "a body that is no JSON"),
    ]

    @Test("each answer means what the page says", arguments: cases)
    func reading(row: ReadingCase) {
        let reading = Self.read(row)
        #expect(reading.outcome == row.outcome)
        #expect(Self.name(of: reading.answer) == row.answer)
        #expect(reading.observation.result == row.result)
        #expect(reading.reason == row.reason.map { "\(ours: $0)" })
    }

    @Test(
        "no answer of the page deviates from it",
        arguments: cases.filter {
            ![.malformed, .blocked].contains($0.outcome)
                && !["Z2 denial without", "Z2 that leaves", "L 302", "X2 201 without"].contains {
                    [label = $0.label] in label.hasPrefix($0)
                }
        })
    func conformance(row: ReadingCase) {
        #expect(Self.read(row).deviations == [])
    }

    @Test("a code longer than the pages have it is shown and typed, and reported as a deviation")
    func longCode() {
        let body = Self.session.replacing("K3T9ZQ1", with: "K3T9ZQ1W")
        let reading = Self.read(.createSession, body)
        guard case .code(let issued) = reading.answer else {
            Issue.record("\(reading)")
            return
        }
        #expect(issued.code.text == "K3T9ZQ1W")
        #expect(
            reading.deviations.map(\.description).contains {
                $0.contains("code is 6 or 7 of [A-Z0-9]: a string of 8 characters")
            }, "\(reading.deviations)")
        for text in ["", "K3T 9ZQ", "K3T9ZQ1/", String(repeating: "A", count: 33)] {
            let body = Self.session.replacing("K3T9ZQ1", with: text)
            #expect(Self.read(.createSession, body).outcome == .malformed, "\(text)")
        }
    }

    @Test("a code is upper case, lives as the service says, and may lack a provider")
    func codes() {
        guard case .code(let whole) = Self.read(.createSession, Self.session).answer,
            case .code(let open) = Self.read(.createSession, Self.unfinished).answer
        else {
            Issue.record("no code")
            return
        }
        #expect(whole.code.text == "K3T9ZQ1")
        #expect(whole.lifetime == .seconds(1800))
        #expect(!whole.lacksProvider)
        #expect(open.lacksProvider)
        let observed = Self.read(.createSession, Self.session).observation
        #expect(observed.record == "authenticate none")
        #expect(observed.generated == 1_760_000_000_000)
        #expect(observed.expires == 1_760_001_800_000)
        #expect(observed.code == Code("K3T9ZQ1"))
        let over = Self.read(.createSession, Self.known).observation
        #expect(over.record == "authorize authenticated")
        #expect(over.code == nil)
    }

    @Test("times are read in either spelling (B6), and the other one is told as a reading")
    func spellings() {
        let numbers = Self.session.replacing(#""1760000000000""#, with: "1760000000000")
            .replacing(#""1760001800000""#, with: "1760001800000")
        let reading = Self.read(.createSession, numbers)
        #expect(reading.outcome == .ok)
        #expect(reading.deviations.map(\.source) == [.reading, .reading])
        let texts = Self.profile.replacing("1767776100000", with: #""1767776100000""#)
        let profile = Self.read(.profilesByCode, texts)
        #expect(profile.observation.expires == 1_767_776_100_000)
        #expect(profile.deviations.map(\.source) == [.reading])
    }

    @Test("a code's record names the provider that is known, by either name of the list (B4)")
    func records() {
        for body in [
            Self.sessionRecord,
            Self.sessionRecord.replacing("existingParameters", with: "existing"),
        ] {
            guard case .record(let mvpd) = Self.read(.sessionByCode, body).answer else {
                Issue.record("no record")
                continue
            }
            #expect(mvpd == "DemoCable")
        }
        let short = Self.sessionRecord.replacing("existingParameters", with: "existing")
        #expect(Self.read(.sessionByCode, short).deviations.allSatisfy { $0.source == .reading })
    }

    @Test("every profile is seen; the tag is of the one asked for, else of the first")
    func profiles() {
        func profile(_ mvpd: String, _ user: String, _ type: String, _ issuer: String) -> String {
            #""\#(mvpd)":{"notBefore":1760000100000,"notAfter":1767776100000,"issuer":"\#(issuer)","#
                + #""type":"\#(type)","attributes":{"userID":{"value":"\#(user)","state":"plain"}}}"#
        }
        let body =
            #"{"profiles":{\#(profile("A", "u-1", "regular", "A")),"#
            + #"\#(profile("B", "u-2", "platformSSO", "B")),\#(profile("C", "u-3", "new", "C"))}}"#
        let all = Self.read(.profiles, body)
        #expect(all.observation.profiles.map(\.mvpd) == ["A", "B", "C"])
        #expect(all.observation.profiles.map(\.kind) == [.regular, .platformSSO, nil])
        #expect(all.observation.tag == Tag(mvpd: "A", user: "u-1"))
        #expect(all.deviations.map(\.source) == [.documented])
        let one = Self.read(.profilesByMVPD, body, mvpd: "B")
        #expect(one.observation.tag == Tag(mvpd: "B", user: "u-2"))
        #expect(one.observation.generated == 1_760_000_100_000)
        guard case .signedIn(let tag, nil) = one.answer else {
            Issue.record("not signed in")
            return
        }
        #expect(tag == Tag(mvpd: "B", user: "u-2"))
    }

    @Test(
        "what belongs to another call is told and fails nothing; another issuer is the judge's to tell"
    )
    func told() {
        let degraded = Self.profile.replacing(#""regular""#, with: #""degraded""#)
        let reading = Self.read(.profiles, degraded)
        #expect(reading.outcome == .ok)
        #expect(reading.deviations.map(\.source) == [.reading])
        let issuer = Self.profile.replacing(#""issuer":"DemoCable""#, with: #""issuer":"Other""#)
        #expect(Self.read(.profilesByCode, issuer).deviations == [])
    }

    @Test(
        "a partner's profile is for who shows that the partner grants access (§ 8.3, I30)",
        arguments: [
            ("granted", "cable", []), ("granted", nil, [Deviation.Source.reading]),
            ("denied", nil, [.documented]), ("restricted", nil, [.documented]),
            ("notDetermined", nil, [.documented]), (nil, nil, [.reading]),
        ] as [(String?, String?, [Deviation.Source])])
    func partnerGate(access: String?, provider: String?, expected: [Deviation.Source]) {
        let body = Self.profile.replacing(#""issuer":"DemoCable""#, with: #""issuer":"Apple""#)
            .replacing(#""regular""#, with: #""appleSSO""#)
        let status = access.map {
            Base64.encode(
                (#"{"frameworkPermissionInfo":{"accessStatus":"\#($0)"},"frameworkProviderInfo":{"#
                    + (provider.map { #""id":"\#($0)""# } ?? "") + "}}").utf8)
        }
        for operation in [OperationName.profiles, .profilesByMVPD] {
            let reading = Self.read(operation, body, mvpd: "DemoCable", partner: status)
            #expect(reading.deviations.map(\.source) == expected)
        }
        let exchanged = Self.read(.ssoProfile, body, status: 201, partner: status)
        #expect(exchanged.deviations.isEmpty)
    }

    @Test("an attribute may be a number, or an error in the place of its value")
    func attributes() {
        let number = Self.profile.replacing(#""u-8f31""#, with: "8031")
        #expect(Self.read(.profilesByCode, number).observation.tag?.user == "8031")
        let error = Self.profile.replacing(
            #"{"value":"u-8f31","state":"plain"}"#,
            with: #"{"error":"invalid_configuration_user_metadata_certificate","state":"enc"}"#)
        let reading = Self.read(.profilesByCode, error)
        #expect(reading.outcome == .ok)
        #expect(reading.observation.tag == nil)
        #expect(reading.observation.profiles.map(\.mvpd) == ["DemoCable"])
        #expect(reading.observation.profiles.map(\.user) == [nil])
    }

    @Test("a profile without its user's name is in the list; the answer is about one with a name")
    func namelessProfile() {
        func item(_ mvpd: String, _ userID: String) -> String {
            #""\#(mvpd)":{"notBefore":1760000100000,"notAfter":1767776100000,"issuer":"\#(mvpd)","#
                + #""type":"regular","attributes":{"userID":{\#(userID),"state":"plain"}}}"#
        }
        let list =
            #"{"profiles":{"# + item("DemoSat", #""error":"internal_server_error""#) + ","
            + item("DemoCable", #""value":"u-8f31""#) + "}}"
        let reading = Self.read(.profiles, list)
        #expect(reading.outcome == .ok)
        #expect(reading.observation.tag == Tag(mvpd: "DemoCable", user: "u-8f31"))
        #expect(Set(reading.observation.profiles.map(\.mvpd)) == ["DemoCable", "DemoSat"])
    }

    @Test("decisions are matched by resource; what is left out is no denial")
    func decisions() {
        func item(_ resource: String, _ rest: String) -> String {
            #"{"resource":"\#(resource)","serviceProvider":"DEMOTV","mvpd":"DemoCable","#
                + #""source":"mvpd",\#(rest)}"#
        }
        func refused(_ resource: String, _ code: String, _ action: String) -> String {
            let error = Self.error(code, action, 403)
            return item(resource, #""authorized":false,"error":\#(error)"#)
        }
        let body =
            "{\"decisions\":["
            + [
                item("a", #""authorized":true"#),
                refused("b", "preauthorization_denied_by_mvpd", "none"),
                refused("c", "network_received_error", "retry"),
            ].joined(separator: ",") + "]}"
        let reading = Self.read(.preauthorize, body)
        guard case .decisions(let decisions) = reading.answer else {
            Issue.record("no decisions")
            return
        }
        #expect(decisions == ["a": true, "b": false])
        #expect(reading.deviations == [])
        let token =
            #""token":{"notBefore":1760000100000,"notAfter":1760000520000,"serializedToken":"PHg+"}"#
        let two =
            "{\"decisions\":["
            + [
                refused("other", "authorization_denied_by_mvpd", "none"),
                item(" C1 ", #""authorized":true,\#(token)"#),
            ].joined(separator: ",") + "]}"
        let media = Self.read(.authorize, two)
        #expect(media.observation.secret == Secret("PHg+"))
        #expect(media.observation.expires == 1_760_000_520_000)
        #expect(media.observation.record == "mvpd")
        #expect(!"\(media.observation)".contains("PHg+"))
    }

    @Test("a denial is told in the provider's words, else in the service's")
    func words() {
        func words(_ body: String) -> Untrusted? {
            guard case .notEntitled(let words) = Self.read(.authorize, body).answer else {
                return nil
            }
            return words
        }
        #expect(words(Self.denial) == Untrusted("Not in your package"))
        #expect(
            words(Self.denied("authorization_denied_by_degradation_rule", "none", 403))
                == Untrusted("m"))
    }

    @Test(
        "what a logout leaves to the device (§ 9)",
        arguments: [
            ("logout", "interactive", true, "browser"),
            ("partner_logout", "partner_interactive", false, "platform"),
            ("complete", "none", false, "nothing"), ("invalid", "none", false, "nothing"),
        ])
    func logouts(action: String, type: String, hasURL: Bool, left: String) {
        let url = hasURL ? #","url":"/adobe-services/logout?a=1""# : ""
        let body =
            #"{"logouts":{"DemoCable":{"actionName":"\#(action)","actionType":"\#(type)","#
            + #""mvpd":"DemoCable"\#(url)}}}"#
        let reading = Self.read(.logout, body, mvpd: "DemoCable")
        guard case .loggedOut(let next) = reading.answer else {
            Issue.record("no logout")
            return
        }
        let name = Mirror(reflecting: next).children.first?.label ?? "\(next)"
        #expect(name == left)
        if case .browser(let address) = next {
            #expect(address.description == "http://127.0.0.1:8080/adobe-services/logout?a=1")
        }
        #expect(reading.observation.record == action)
        #expect(reading.deviations == [])
    }

    @Test(
        "fields that belong together (§§ 5.2, 7, 9)",
        arguments: [
            (
                OperationName.createSession,
                known.replacing(#""mvpd""#, with: #""code":"K3T9ZQ1","mvpd""#),
                "code is absent with authorize"
            ),
            (
                .createSession, session.replacing(#""interactive""#, with: #""direct""#),
                "actionType is interactive with this action"
            ),
            (
                .createSession,
                session.replacing(#""serviceProvider":"DEMOTV""#, with: #""serviceProvider":"X""#),
                "serviceProvider is the one asked for"
            ),
            (
                .preauthorize, permit, "decisions.token is absent"
            ),
            (
                .authorize, permit.replacing(#""mvpd":"DemoCable""#, with: #""mvpd":"Other""#),
                "decisions.mvpd is the one asked for"
            ),
            (
                .authorize, permit.replacing(#""resource":"c1""#, with: #""resource":"c9""#),
                "resource is the one asked for"
            ),
            (
                .authorize,
                permit.replacing(#""notAfter":1760086500000"#, with: #""notAfter":1760000099000"#),
                "a decision ends after it begins"
            ),
            (
                .logout, logout.replacing(#"":{"actionName"#, with: #"2":{"actionName"#),
                "logouts has the provider that was named"
            ),
            (
                .preauthorize,
                denied("authorization_denied_by_mvpd", "none", 403, resource: "c9"),
                "each resource is one of those asked for"
            ),
        ])
    func together(operation: OperationName, body: String, rule: String) {
        let found = Self.read(operation, body, mvpd: "DemoCable").deviations
        #expect(found.map { $0.rule.hasSuffix(": \(rule)") } == [true], "\(found)")
        #expect(found.map(\.source) == [.documented])
    }

    @Test(
        "what a session repeats of its request and of its own answer (§ 5.2)",
        arguments: [
            (
                session.replacing("DEMOTV/K3T9ZQ1", with: "DEMOTV/Z9T9ZQ1"),
                "url leads to the code of the answer"
            ),
            (session.replacing("DEMOTV/K3T9ZQ1", with: "DEMOTV/k3t9zq1?x=1"), nil),
            (
                unfinished.replacing("sessions/K3T9ZQ1", with: "sessions/Z9T9ZQ1"),
                "url leads to the code of the answer"
            ),
            (session.replacing("/api/v2/authenticate/DEMOTV/K3T9ZQ1", with: "/login?state=1"), nil),
            (
                session.replacing(#""mvpd":"DemoCable""#, with: #""mvpd":"Other""#),
                "mvpd is the one asked for"
            ),
        ] as [(String, String?)])
    func repeated(body: String, rule: String?) {
        let found = Self.read(.createSession, body, mvpd: "DemoCable").deviations
        #expect(found.map(\.rule) == [rule.map { "REST V2, S1: \($0)" }].compactMap(\.self))
        #expect(found.allSatisfy { $0.source == .reading })
    }

    @Test("a whole number may be written with a fraction or an exponent (RFC 8259, 6)")
    func wholeNumbers() {
        let times = Self.profile.replacing("1760000100000", with: "1760000100000.0")
            .replacing("1767776100000", with: "17677761e5")
        let reading = Self.read(.profilesByCode, times)
        #expect(reading.outcome == .ok && reading.deviations == [], "\(reading.deviations)")
        #expect(reading.observation.profiles.first?.notAfter == 1_767_776_100_000)
        let odd = Self.read(
            .profilesByCode, Self.profile.replacing("1760000100000", with: "1760000100000.5"))
        #expect(odd.outcome == .malformed)
    }

    // MARK: Broken documents

    @Test(
        "a number out of range is malformed, and the deviation says which",
        arguments: [
            (OperationName.createSession, session, "1760000000000", "notBefore"),
            (.createSession, session, "1760001800000", "notAfter"),
            (.profilesByCode, profile, "1760000100000", "notBefore"),
            (.profilesByCode, profile, "1767776100000", "notAfter"),
            (.authorize, permit, "1760000520000", "notAfter"),
        ], AbsurdNumberTests.absurd.filter { !$0.hasPrefix("\"") })
    func outOfRange(
        field: (OperationName, String, String, String), value: String
    ) {
        let (operation, body, old, name) = field
        let reading = Self.read(operation, body.replacing(old, with: value))
        #expect(reading.outcome == .malformed)
        #expect(reading.deviations.contains { $0.rule.contains(name) }, "\(reading.deviations)")
    }

    /// Each part of each answer, replaced by something else, and cut off anywhere.
    @Test("nothing that a server writes is read as what it is not, and nothing crashes")
    func broken() {
        let whole: [(OperationName, String)] = [
            (.createSession, Self.session), (.createSession, Self.known),
            (.resumeSession, Self.unfinished), (.partnerRequest, Self.partner),
            (.sessionByCode, Self.sessionRecord), (.profiles, Self.profile),
            (.profilesByMVPD, Self.profile), (.profilesByCode, Self.profile),
            (.ssoProfile, Self.profile), (.preauthorize, Self.denial),
            (.authorize, Self.permit), (.authorize, Self.denial), (.logout, Self.logout),
            (.profilesByCode, Self.error("invalid_authentication_session", "none", 400)),
        ]
        let others = ["null", "true", "[]", "{}", "\"\"", "-1", "1e400", "[[{}]]", "\"\u{1}\""]
        for (operation, body) in whole {
            guard let tree = JSONReader.read(Array(body.utf8)) else {
                Issue.record("no JSON: \(body)")
                continue
            }
            for changed in tree.changed(by: others) {
                for status in [200, 201, 400, 403, 500] {
                    _ = Self.read(operation, changed.json, status: status, mvpd: "DemoCable")
                }
            }
            for length in stride(from: 0, to: body.utf8.count, by: 7) {
                let reading = Self.read(operation, String(body.prefix(length)))
                #expect(reading.outcome == .malformed)
            }
        }
    }

    @Test("depth and size beyond any answer are malformed")
    func deep() {
        let deep =
            #"{"profiles":"# + String(repeating: #"{"a":"#, count: 5_000) + "1"
            + String(repeating: "}", count: 5_001)
        #expect(Self.read(.profiles, deep).outcome == .malformed)
        let wide =
            #"{"profiles":{"#
            + (0..<1_000).map {
                #""m\#($0)":{"notBefore":1,"notAfter":2,"attributes":{"userID":{"value":"u"}}}"#
            }.joined(separator: ",") + "}}"
        #expect(Self.read(.profiles, wide).observation.profiles.count == 100)
    }

    // MARK: Building blocks

    private static func read(_ row: ReadingCase) -> Reading {
        read(row.operation, row.body, status: row.status, type: row.type, mvpd: "DemoCable")
    }

    private static func read(
        _ operation: OperationName, _ body: String, status: Int = 200,
        type: String = "application/json;charset=UTF-8", mvpd: String? = nil,
        partner: String? = nil
    ) -> Reading {
        var headers: Headers = ["Content-Type": type]
        if (300..<400).contains(status) { headers.append("Location", "/next?x=1") }
        let target = operation == .authenticate ? "/api/v2/authenticate/DEMOTV/K3T9ZQ1" : "/x"
        var call = Call(operation, .get, WebAddress(origin: dialect.origin, target: target))
        call.mvpd = mvpd
        if let partner { call.headers.append("AP-Partner-Framework-Status", partner) }
        if operation == .authorize { call.resource = "c1" }
        if operation == .preauthorize {
            call.body = Array(#"{"resources":["a","b","c","c1","c2"]}"#.utf8)
        }
        return dialect.read(
            Reply(status: status, headers: headers, body: Array(body.utf8)), to: call)
    }

    private static func name(of answer: Answer) -> String {
        Mirror(reflecting: answer).children.first?.label ?? "\(answer)"
    }
}

extension JSON {
    /// Itself with one part replaced by each of `others`, for every part.
    fileprivate func changed(by others: [String]) -> [JSON] {
        var all = others.map { JSON.number($0) }
        switch self {
        case .object(let members):
            for position in members.indices {
                var changed = members
                changed.remove(at: position)
                all.append(.object(changed))
                changed = members
                for value in members[position].value.changed(by: others) {
                    changed[position] = Member(name: members[position].name, value: value)
                    all.append(.object(changed))
                }
            }
        case .array(let items):
            for position in items.indices {
                var changed = items
                for value in items[position].changed(by: others) {
                    changed[position] = value
                    all.append(.array(changed))
                }
            }
        default: break
        }
        return all
    }
}
