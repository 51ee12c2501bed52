import Dialects
import Formats
import Standin
import Testing

@Suite("decisions, degraded access and trials (rest-v2.md §§ 7, 10, 11)")
struct V2DecisionTests {
    // MARK: § 7

    @Test("Z2 permits with a media token inside the decision, a new one each time")
    func permit() throws {
        var settings = ServiceSettings.unthrottled
        settings.signsMedia = true
        var caller = try Caller.ofV2(settings)
        caller.signIn()
        let reply = caller.decide()
        #expect(
            reply.text.hasPrefix(
                #"{"decisions":[{"resource":"c1","serviceProvider":"DEMOTV","mvpd":"DemoCable","#
                    + #""source":"mvpd","authorized":true,"token":{"notBefore":1760000000000,"#
                    + #""notAfter":1760000420000,"serializedToken":""#))
        #expect(
            reply.text.hasSuffix(#""},"notBefore":1760000000000,"notAfter":1760086400000}]}"#))
        let token = reply.member("serializedToken") ?? ""
        caller.advance(.seconds(60))
        let again = caller.decide()
        #expect(again.member("serializedToken") != token)
        // The provider's decision is kept, the token is not.
        #expect(
            again.text.hasSuffix(#""},"notBefore":1760000000000,"notAfter":1760086400000}]}"#))
        let body = #"{"serializedToken":"\#(token)"}"#
        #expect(caller.post("/_standin/verify-media", body: body).member("resource") == "c1")
        #expect(caller.post("/_standin/verify-media", body: body).status == 409)
    }

    @Test("a decision ends no earlier than its token")
    func decisionEnds() throws {
        var settings = ServiceSettings.unthrottled
        settings.authorizationTTL = .seconds(500)
        var caller = try Caller.ofV2(settings)
        caller.signIn()
        _ = caller.decide()
        caller.advance(.seconds(100))
        #expect(caller.decide().text.hasSuffix(#""notAfter":1760000600000}]}"#))
    }

    @Test("a deny is an item's, under 200", arguments: ["authorize", "preauthorize"])
    func deny(kind: String) throws {
        var caller = try Caller.ofV2()
        caller.signIn()
        let reply = caller.decide(kind, "DemoCable", ["deny-1"])
        #expect(reply.status == 200)
        #expect(
            reply.text.hasPrefix(
                #"{"decisions":[{"resource":"deny-1","serviceProvider":"DEMOTV","#
                    + #""mvpd":"DemoCable","source":"mvpd","authorized":false,"error":{"#
                    + #""action":"none","status":403,"code":""#))
        let code = kind == "authorize" ? "authorization_denied" : "preauthorization_denied"
        #expect(reply.member("code") == "\(code)_by_mvpd")
        #expect(!reply.text.contains("token\""))
        #expect(
            caller.decide(kind, "DemoCable", ["broken-1"]).member("action") == "retry")
    }

    @Test("Z1 has no token, keeps the order, and changes nothing")
    func preauthorize() throws {
        var caller = try Caller.ofV2()
        caller.signIn()
        let reply = caller.decide("preauthorize", "DemoCable", ["b", "deny-1", "a"])
        #expect(
            reply.text.hasPrefix(
                #"{"decisions":[{"resource":"b","serviceProvider":"DEMOTV","mvpd":"DemoCable","#
                    + #""source":"mvpd","authorized":true},{"resource":"deny-1","#))
        #expect(reply.text.contains(#"{"resource":"a","#))
        #expect(!reply.text.contains("serializedToken"))
        #expect(
            caller.decide("preauthorize", "TempPass", ["a"]).text.contains(#""authorized":true"#))
        caller.advance(.seconds(1000))
        #expect(caller.decide("authorize", "TempPass").text.contains(#""authorized":true"#))
    }

    @Test("too many first, then whoever asks (B50)")
    func limits() throws {
        var caller = try Caller.ofV2()
        #expect(
            caller.decide("authorize", "DemoCable", ["a", "b"]).refusal == "403 too_many_resources")
        #expect(
            caller.decide("preauthorize", "DemoCable", ["a", "b", "c", "d", "e", "f"]).refusal
                == "403 too_many_resources")
        #expect(caller.decide().refusal == "403 authenticated_profile_missing")
        caller.signIn("DemoSat")
        #expect(caller.decide().refusal == "403 authenticated_profile_missing")
    }

    @Test("a user without any channel is denied each")
    func unentitled() throws {
        var settings = ServiceSettings.unthrottled
        settings.unentitled = 1
        var caller = try Caller.ofV2(settings)
        caller.signIn()
        #expect(caller.decide().member("code") == "authorization_denied_by_mvpd")
    }

    // MARK: § 10

    @Test("AuthNAll: everybody counts as signed in, and nothing is stored")
    func authNAll() throws {
        var caller = try Caller.ofV2()
        let code = caller.session().member("code") ?? ""
        caller.degrade("AuthNAll")
        #expect(caller.profiles().isEmptyMap)
        #expect(caller.profile().profileShown == "DemoCable degraded")
        #expect(caller.profile().member("issuer") == "Adobe")
        #expect(
            caller.profile().text.contains(#""userID":{"value":"95cf93bcd183214a"#))
        #expect(caller.pollCode(code).body == caller.profile().body)
        let permit = caller.decide()
        #expect(permit.text.contains(#""source":"degradation","authorized":true,"token":{"#))
        #expect(permit.text.contains(#""},"notBefore":"#))
        #expect(
            caller.decide("preauthorize", "DemoCable", ["deny-1"]).text
                .contains(#""source":"degradation","authorized":true}"#))
        caller.advance(.seconds(600))
        #expect(caller.profile().isEmptyMap)
        #expect(caller.decide().refusal == "403 authenticated_profile_missing")
        #expect(caller.session().action == "authenticate interactive none")
    }

    @Test("a stored profile survives the rule")
    func survives() throws {
        var caller = try Caller.ofV2()
        caller.signIn()
        caller.degrade("AuthNAll")
        #expect(caller.profile().profileShown == "DemoCable degraded")
        #expect(caller.profiles().profileShown == "DemoCable regular")
        caller.advance(.seconds(600))
        #expect(caller.profile().profileShown == "DemoCable regular")
    }

    @Test(
        "AuthZAll: everything is permitted, also without a profile, and without the decision's times"
    )
    func authZAll() throws {
        var caller = try Caller.ofV2()
        caller.degrade("AuthZAll")
        #expect(caller.profile().isEmptyMap)
        #expect(caller.session().action == "authenticate interactive none")
        let permit = caller.decide("authorize", "DemoCable", ["deny-1"])
        #expect(permit.text.contains(#""source":"degradation","authorized":true,"token":{"#))
        #expect(permit.text.hasSuffix(#""}}]}"#))
        #expect(
            caller.decide("preauthorize").text.contains(
                #""source":"degradation","authorized":true}"#))
    }

    @Test("AuthZNone: everything is denied with the rule's own words, and wins")
    func authZNone() throws {
        var caller = try Caller.ofV2()
        caller.signIn()
        caller.degrade("AuthNAll")
        caller.degrade("AuthZNone")
        for kind in ["authorize", "preauthorize"] {
            let reply = caller.decide(kind)
            #expect(reply.status == 200)
            #expect(reply.member("code") == "authorization_denied_by_degradation_rule")
            #expect(reply.member("details") == "back soon" && reply.member("action") == "none")
        }
        #expect(caller.profile().profileShown == "DemoCable degraded")
    }

    @Test("rules of the settings begin and end; one that is over lifts another")
    func rules() throws {
        var settings = ServiceSettings.unthrottled
        settings.degradations = [
            .init(mvpd: "DemoCable", rule: .authNAll, from: .seconds(10), until: .seconds(70))
        ]
        var caller = try Caller.ofV2(settings)
        #expect(caller.profile().isEmptyMap)
        caller.advance(.seconds(10))
        let shown = caller.profile()
        #expect(
            shown.text.contains(#""notBefore":1760000010000,"notAfter":1760000070000"#))
        caller.advance(.seconds(60))
        #expect(caller.profile().isEmptyMap)
        caller.degrade("AuthNAll", mvpd: "DemoSat")
        #expect(caller.profile("DemoSat").profileShown == "DemoSat degraded")
        caller.degrade("AuthNAll", mvpd: "DemoSat", seconds: 0)
        #expect(caller.profile("DemoSat").isEmptyMap)
        #expect(
            caller.post("/_standin/degrade", body: #"{"mvpd":"X","rule":"AuthNAll","until":1}"#)
                .status == 400)
    }

    // MARK: § 11

    static let promotion: ServiceSettings = {
        var settings = ServiceSettings.unthrottled
        settings.providers.append(.promotionalPass(resources: 2))
        return settings
    }()

    static func identity(_ text: String) -> Headers {
        ["AP-TempPass-Identity": Base64.encode(text.utf8)]
    }

    @Test("basic: the clock starts at the first authorization, and ends it")
    func basic() throws {
        var caller = try Caller.ofV2()
        caller.advance(.seconds(50))
        #expect(caller.profile("TempPass").member("notAfter") == "1760000650000")
        caller.advance(.seconds(50))
        let permit = caller.decide("authorize", "TempPass")
        #expect(permit.text.contains(#""source":"temppass","authorized":true,"token":{"#))
        caller.advance(.seconds(100))
        let shown = caller.profile("TempPass")
        #expect(shown.profileShown == "TempPass temporary")
        #expect(shown.text.contains(#""expiration_date":{"value":1760000700000,"state":"plain"}"#))
        #expect(shown.text.contains(#""userID":{"value":"temppass_"#))
        caller.advance(.seconds(500))
        let over = caller.decide("authorize", "TempPass")
        #expect(over.status == 200)
        #expect(over.member("code") == "temporary_access_duration_limit_exceeded")
        #expect(over.member("action") == "authentication")
        #expect(
            caller.profile("TempPass").refusal == "403 temporary_access_duration_limit_exceeded")
        #expect(
            caller.decide("preauthorize", "TempPass").member("code")
                == "temporary_access_duration_limit_exceeded")
        #expect(caller.decide("authorize", "TempPass", device: "tv-2").text.contains("token"))
        // A logout does not reset it.
        _ = caller.logOut("TempPass")
        #expect(
            caller.profile("TempPass").refusal == "403 temporary_access_duration_limit_exceeded")
    }

    @Test("promotional: so many resources, each as often as wanted, by either name")
    func promotional() throws {
        var caller = try Caller.ofV2(Self.promotion)
        let mine = Self.identity("a@b.test")
        func assets(_ device: String, _ headers: Headers) -> String? {
            caller.profile("PromoPass", device: device, headers)
                .after(#""used_assets":{"value":["#, upTo: "]")
        }
        #expect(assets("tv-1", mine) == "")
        #expect(
            caller.profile("PromoPass", mine).text.contains(
                #""remaining_resources":{"value":2,"state":"plain"}"#))
        #expect(caller.decide("authorize", "PromoPass", ["c1"], mine).text.contains("token"))
        #expect(caller.decide("authorize", "PromoPass", ["c1"], mine).text.contains("token"))
        #expect(assets("tv-1", mine) == #""c1""#)
        // The identity on another device, and the device with another identity.
        #expect(assets("tv-2", mine) == #""c1""#)
        #expect(assets("tv-1", Self.identity("other")) == #""c1""#)
        #expect(assets("tv-3", Self.identity("other")) == "")
        #expect(
            caller.decide("authorize", "PromoPass", ["c2"], device: "tv-2", mine).text
                .contains("token"))
        let over = caller.decide("authorize", "PromoPass", ["c3"], mine)
        #expect(
            over.status == 200
                && over.member("code") == "temporary_access_resources_limit_exceeded")
        #expect(caller.decide("authorize", "PromoPass", ["c2"], mine).text.contains("token"))
        #expect(
            caller.profile("PromoPass", mine).refusal
                == "403 temporary_access_resources_limit_exceeded")
        #expect(
            caller.decide("preauthorize", "PromoPass", ["c1"], mine).member("code")
                == "temporary_access_resources_limit_exceeded")
    }

    @Test("promotional: two trials become one at the next permit, and not before (B52)")
    func merged() throws {
        var caller = try Caller.ofV2(Self.promotion)
        _ = caller.decide("authorize", "PromoPass", ["c1"], device: "tv-1", Self.identity("a"))
        _ = caller.decide("authorize", "PromoPass", ["c2"], device: "tv-2", Self.identity("b"))
        #expect(
            caller.profile("PromoPass", device: "tv-1", Self.identity("b")).refusal
                == "403 temporary_access_resources_limit_exceeded")
        #expect(caller.profile("PromoPass", device: "tv-1", Self.identity("a")).status == 200)
        _ = caller.decide("authorize", "PromoPass", ["c2"], device: "tv-1", Self.identity("b"))
        #expect(caller.profile("PromoPass", device: "tv-1", Self.identity("a")).status == 403)
        #expect(caller.profile("PromoPass", device: "tv-9", Self.identity("a")).status == 403)
    }

    @Test("promotional: without its identity; a bad one; a trial that is not set up")
    func badIdentity() throws {
        var settings = Self.promotion
        settings.providers.append(.tempPass(id: "Broken", lasting: .zero))
        var caller = try Caller.ofV2(settings)
        for headers in [[:], ["AP-TempPass-Identity": "!"]] as [Headers] {
            let item = caller.decide("authorize", "PromoPass", ["c1"], headers)
            #expect(item.status == 200 && item.member("status") == "400")
            #expect(item.member("code") == "invalid_header_identity_for_temporary_access")
            #expect(
                caller.profile("PromoPass", headers).refusal
                    == "400 invalid_header_identity_for_temporary_access")
        }
        #expect(
            caller.decide("preauthorize", "PromoPass").text.contains(#""authorized":true"#))
        let broken = caller.decide("authorize", "Broken")
        #expect(broken.status == 200 && broken.member("status") == "500")
        #expect(
            caller.profile("Broken").refusal == "500 invalid_configuration_temporary_access")
    }

    @Test("P3 of a promotional trial without its header shows nothing (B51)")
    func phone() throws {
        var caller = try Caller.ofV2(Self.promotion)
        let code = caller.session("").member("code") ?? ""
        _ = caller.phone(.post, "sessions/\(code)", body: "mvpd=PromoPass")
        #expect(caller.phone(.get, "profiles/code/\(code)").isEmptyMap)
        #expect(
            caller.phone(.get, "profiles/code/\(code)", Self.identity("a")).profileShown
                == "PromoPass temporary")
    }

    @Test("a trial beside a profile disturbs neither")
    func beside() throws {
        var caller = try Caller.ofV2()
        caller.signIn()
        _ = caller.decide("authorize", "TempPass")
        #expect(caller.profiles().profileShown == "DemoCable regular")
        #expect(caller.decide().text.contains(#""source":"mvpd","authorized":true"#))
    }

    @Test("the management host gives trials back")
    func reset() throws {
        var caller = try Caller.ofV2(Self.promotion)
        let mine = Self.identity("a")
        func use() -> Bool {
            _ = caller.decide("authorize", "TempPass")
            return caller.decide("authorize", "PromoPass", ["c1"], mine).text.contains("token")
        }
        func reset(_ query: String) -> Int {
            caller.delete("/reset-tempass/v3/reset\(query)").status
        }
        func isOver(_ mvpd: String) -> Bool { caller.profile(mvpd, mine).status == 403 }
        #expect(use())
        caller.advance(.seconds(600))
        #expect(isOver("TempPass") && isOver("PromoPass"))
        #expect(reset("?requestor_id=DEMOTV&mvpd_id=TempPass&device_id=other") == 204)
        #expect(isOver("TempPass"))
        #expect(reset("?requestor_id=DEMOTV&mvpd_id=TempPass&device_id=tv-1") == 204)
        #expect(!isOver("TempPass") && isOver("PromoPass"))
        #expect(reset("/generic?requestor_id=DEMOTV&mvpd_id=PromoPass&key=a") == 204)
        #expect(!isOver("PromoPass"))
        #expect(reset("?requestor_id=DEMOTV") == 400)
        caller.registerV2(#","service_providers":["OTHER"]"#)
        #expect(reset("?requestor_id=DEMOTV&mvpd_id=TempPass") == 403)
        caller.bearer = nil
        #expect(reset("?requestor_id=DEMOTV&mvpd_id=TempPass") == 401)
    }
}

extension ServiceSettings.Provider {
    /// A trial of so many resources, for one who is named (rest-v2.md § 11).
    static func promotionalPass(id: String = "PromoPass", resources: Int) -> Self {
        var provider = tempPass(id: id)
        provider.passResources = resources
        return provider
    }
}
