import Dialects
import Formats
import Standin
import Testing

@Suite("partner single sign-on (rest-v2.md § 8.3)")
struct V2PartnerTests {
    private static let fallback = String(Caller.complete.dropFirst())

    private func ask(
        _ caller: inout Caller, _ form: String = V2PartnerTests.fallback,
        _ status: Headers = Caller.partner()
    ) -> Reply {
        caller.tv(.post, "sessions/sso/Apple", body: form, status)
    }

    /// The platform's answer to a verification token, as it stands in a form.
    private func response(to request: Reply, provider: String = "demo-cable") -> String {
        guard let token = request.after(#""request":""#, upTo: "\""),
            let bytes = Base64.decode(token),
            let answer = PlatformSide.answer(
                bytes, provider: provider, subject: "platform-user", attributes: ["userID"])
        else { return "" }
        return "SAMLResponse=\(PlatformSide.encoded(PlatformSide.normalised(answer)))"
    }

    private func exchange(
        _ caller: inout Caller, _ body: String, _ status: Headers = Caller.partner()
    ) -> Reply {
        caller.tv(.post, "profiles/sso/Apple", body: body, status)
    }

    // MARK: X1, first match

    @Test("row 6: what the platform is to be asked")
    func request() throws {
        var caller = try Caller.ofV2()
        let reply = ask(&caller)
        #expect(reply.action == "partner_profile direct none")
        #expect(reply.member("url") == "/api/v2/DEMOTV/profiles/sso/Apple")
        #expect(reply.member("code") == nil)
        #expect(reply.member("type") == "saml")
        #expect(reply.text.contains(#""attributesNames":["userID","zip"]"#))
    }

    @Test("rows 1 and 2: nothing to ask")
    func ready() throws {
        var caller = try Caller.ofV2()
        caller.signIn()
        #expect(ask(&caller).action == "authorize direct authenticated")
        caller.degrade("AuthNAll")
        #expect(ask(&caller, "").action == "authorize direct degraded")
    }

    @Test("row 3: without the way back, even with a good status")
    func missing() throws {
        var caller = try Caller.ofV2()
        let reply = ask(&caller, "domainName=demo.test")
        #expect(reply.action == "resume direct missing_parameters_fallback")
        #expect(reply.text.contains(#""missingParameters":["redirectUrl"]"#))
        #expect(
            ask(&caller, "", [:]).text.contains(
                #""missingParameters":["mvpd","domainName","redirectUrl"]"#))
    }

    @Test("row 4: the platform says nothing usable; with a known provider it can go on (B7)")
    func partnerFallback() throws {
        var caller = try Caller.ofV2()
        let unusable: [Headers] = [
            [:], ["AP-Partner-Framework-Status": "!"], Caller.partner("denied"),
            Caller.partner("notDetermined"), Caller.partner("granted", id: nil),
            Caller.partner("granted", id: "stranger"),
        ]
        for status in unusable {
            let reply = ask(&caller, Self.fallback, status)
            #expect(reply.action == "resume direct pfs_fallback")
            #expect(reply.text.contains(#""missingParameters":["mvpd"]"#))
            #expect(reply.member("code") != nil)
        }
        let expired = ask(&caller, Self.fallback, Caller.partner(life: -1))
        #expect(expired.action == "authenticate interactive pfs_fallback")
        #expect(expired.member("mvpd") == "DemoCable")
        caller.logIn(by: expired)
        #expect(caller.profile().profileShown == "DemoCable regular")
    }

    @Test("row 5: the provider is not set up for it")
    func configurationFallback() throws {
        var settings = ServiceSettings.unthrottled
        settings.providers[0].platform?.isEnabled = false
        var caller = try Caller.ofV2(settings)
        #expect(ask(&caller).action == "authenticate interactive configuration_fallback")
        let picker = ask(&caller, Self.fallback, Caller.partner(id: "demo-sat"))
        #expect(picker.action == "authenticate interactive configuration_fallback")
    }

    // MARK: X2

    @Test("a profile of its own, seen with a good status only")
    func profile() throws {
        var caller = try Caller.ofV2()
        let body = response(to: ask(&caller))
        let made = exchange(&caller, body)
        #expect(made.status == 201)
        #expect(made.profileShown == "DemoCable appleSSO" && made.member("issuer") == "Apple")
        let good = Caller.partner()
        #expect(caller.profiles(good).profileShown == "DemoCable appleSSO")
        #expect(caller.profile("DemoCable", good).body == caller.profiles(good).body)
        #expect(
            caller.decide("authorize", "DemoCable", ["c1"], good).text.contains(
                #""authorized":true"#))
        #expect(ask(&caller).action == "authorize direct authenticatedSSO")
        let blind: [Headers] = [
            [:], Caller.partner("denied"), Caller.partner(life: -1), Caller.partner(id: "demo-sat"),
        ]
        for status in blind {
            #expect(caller.profiles(status).isEmptyMap)
            #expect(caller.profile("DemoCable", status).isEmptyMap)
            #expect(
                caller.decide("authorize", "DemoCable", ["c1"], status).refusal
                    == "403 authenticated_profile_missing")
        }
        // S1 takes no status.
        #expect(caller.session().action == "authenticate interactive none")
    }

    @Test("a response counts once")
    func once() throws {
        var caller = try Caller.ofV2()
        let body = response(to: ask(&caller))
        #expect(exchange(&caller, body).status == 201)
        #expect(exchange(&caller, body).refusal == "400 invalid_parameter_saml_response")
    }

    @Test(
        "what is wrong with the status",
        arguments: [
            ([:], "invalid_header_pfs_permission_access_not_present"),
            (
                Caller.partner("notDetermined"),
                "invalid_header_pfs_permission_access_not_determined"
            ),
            (Caller.partner("denied"), "invalid_header_pfs_permission_access_not_granted"),
            (Caller.partner("restricted"), "invalid_header_pfs_permission_access_not_granted"),
            (Caller.partner(id: nil), "invalid_header_pfs_provider_id_not_determined"),
            (Caller.partner(id: "stranger"), "invalid_header_pfs_provider_id_not_determined"),
            (Caller.partner(life: -1), "invalid_header_pfs_provider_info_expired"),
        ] as [(Headers, String)])
    func badStatus(status: Headers, code: String) throws {
        var caller = try Caller.ofV2()
        let body = response(to: ask(&caller))
        #expect(exchange(&caller, body, status).refusal == "400 \(code)")
    }

    @Test("a response of nobody, or of another provider (B54)")
    func badResponse() throws {
        var settings = ServiceSettings.unthrottled
        settings.providers[1].platform?.boarding = .supported
        var caller = try Caller.ofV2(settings)
        #expect(exchange(&caller, "").refusal == "400 invalid_parameter_saml_response")
        #expect(
            exchange(&caller, "SAMLResponse=AAAA").refusal == "400 invalid_parameter_saml_response")
        let request = ask(&caller)
        #expect(
            exchange(&caller, response(to: request, provider: "demo-sat")).refusal
                == "400 invalid_header_pfs_provider_id_mismatch")
        #expect(
            exchange(&caller, response(to: request), Caller.partner(id: "demo-sat")).refusal
                == "400 invalid_header_pfs_provider_id_mismatch")
    }

    @Test("the provider turns it down: a matter of configuration")
    func refused() throws {
        var settings = ServiceSettings.unthrottled
        settings.providers[0].platform?.refuses = .tokenExchange
        var caller = try Caller.ofV2(settings)
        let reply = exchange(&caller, response(to: ask(&caller)))
        #expect(
            reply.refusal == "500 invalid_configuration_mvpd_platform_profile_exchange")
        #expect(reply.member("action") == "configuration")
    }

    @Test("under AuthNAll a degraded profile, and nothing is stored")
    func degraded() throws {
        var caller = try Caller.ofV2()
        let body = response(to: ask(&caller))
        caller.degrade("AuthNAll")
        let reply = exchange(&caller, body)
        #expect(reply.status == 200 && reply.profileShown == "DemoCable degraded")
        caller.advance(.seconds(600))
        #expect(caller.profiles(Caller.partner()).isEmptyMap)
    }

    @Test("beside a regular profile: that one first, in the map and at the logout (B32, B56)")
    func both() throws {
        var caller = try Caller.ofV2()
        _ = exchange(&caller, response(to: ask(&caller)))
        caller.signIn()
        #expect(caller.profiles(Caller.partner()).profileShown == "DemoCable regular")
        #expect(caller.logOut().member("actionName") == "logout")
        #expect(caller.profiles(Caller.partner()).profileShown == "DemoCable appleSSO")
        #expect(
            caller.logOut().text
                == #"{"logouts":{"DemoCable":{"actionName":"partner_logout","#
                + #""actionType":"partner_interactive","mvpd":"DemoCable"}}}"#)
        #expect(caller.logOut().member("actionName") == "invalid")
    }

    @Test("a profile request of one protocol is none of the other's (I34)")
    func apart() throws {
        var caller = try Caller.ofV2()
        let body = response(to: ask(&caller))
        caller.sendsDeviceInfo = true
        caller.register()
        let reply = caller.post(
            "/api/v1/tokens/authn",
            body: "\(Caller.key())&mvpd=DemoCable&deviceType=tvOS&\(body)")
        #expect(reply.status == 400)
    }
}
