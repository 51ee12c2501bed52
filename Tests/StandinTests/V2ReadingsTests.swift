import Dialects
import Standin
import Testing

/// What the page leaves open, and the stand-in does (rest-v2.md §§ 19, 20), where no other test of V2 has
/// it; and the denials of § 12.2.
@Suite("readings of V2 (rest-v2.md §§ 19, 20)")
struct V2ReadingsTests {
    @Test(
        "each denial of the provider's is an item's, with its code and its action",
        arguments: [
            ("deny-1", "authorization_denied_by_mvpd", "none"),
            ("rated-1", "authorization_denied_by_parental_controls", "none"),
            ("away-1", "authorization_denied_by_hba_policies", "authentication"),
            ("stranger-1", "identity_not_recognized_by_mvpd", "authentication"),
            ("broken-1", "network_received_error", "retry"),
            ("silent-1", "network_connection_timeout", "retry"),
            ("overrun-1", "maximum_execution_time_exceeded", "retry"),
        ])
    func denials(resource: String, code: String, action: String) throws {
        var caller = try Caller.ofV2()
        caller.signIn()
        let reply = caller.decide("authorize", "DemoCable", [resource])
        #expect(reply.status == 200 && reply.text.contains(#""authorized":false"#))
        #expect(reply.member("code") == code && reply.member("action") == action)
        #expect(reply.member("status") == "403" && reply.member("details") != nil)
    }

    @Test("B14: headers and parameters that a call does not list are not looked at")
    func unlisted() throws {
        var caller = try Caller.ofV2()
        let code = caller.signIn()
        let odd: Headers = [
            "AP-Device-Identifier": "serial !", "AP-Partner-Framework-Status": "!",
            "AP-Visitor-Identifier": "x", "AP-SDK-Identifier": "x",
        ]
        #expect(caller.phone(.get, "profiles/code/\(code)", odd).profileShown != nil)
        #expect(caller.phone(.get, "profiles/code/\(code)?page=2").profileShown != nil)
        #expect(caller.phone(.get, "configuration?page=2").status == 200)
        #expect(caller.session("mvpd=DemoSat&colour=blue" + Caller.complete).status == 200)
    }

    @Test("B34: a denial is not kept; what denied it asked again, permits")
    func denialsAnew() throws {
        var settings = ServiceSettings.unthrottled
        settings.degradations = [
            .init(mvpd: "DemoCable", rule: .authZNone, from: .zero, until: .seconds(10))
        ]
        var caller = try Caller.ofV2(settings)
        caller.signIn()
        #expect(caller.decide().text.contains(#""authorized":false"#))
        caller.advance(.seconds(10))
        #expect(caller.decide().text.contains(#""authorized":true"#))
    }

    @Test("B35: preauthorization of a trial permits each while one is left")
    func preauthorizedTrial() throws {
        var caller = try Caller.ofV2(V2DecisionTests.promotion)
        let mine = V2DecisionTests.identity("a@b.test")
        _ = caller.decide("authorize", "PromoPass", ["c1"], mine)
        let reply = caller.decide("preauthorize", "PromoPass", ["c2", "c3", "c4"], mine)
        #expect(!reply.text.contains(#""authorized":false"#))
        #expect(reply.text.contains(#""authorized":true"#))
    }

    @Test("B39: completing a session looks at the device's own profiles only")
    func resumedUnderIdentity() throws {
        let mine: Headers = ["AD-Service-Token": Caller.serviceToken("u-1")]
        var caller = try Caller.ofV2()
        caller.signIn("DemoCable", mine)
        let code = caller.session("", device: "tv-2", mine).member("code") ?? ""
        let whole = caller.phone(
            .post, "sessions/\(code)", body: "mvpd=DemoCable" + Caller.complete, mine)
        #expect(whole.action == "authenticate interactive none")
        #expect(caller.profiles(device: "tv-2", mine).profileShown == "DemoCable serviceTokenSSO")
    }

    @Test("B45: a code shows its own provider only, and the newest profile of it")
    func oldCode() throws {
        var caller = try Caller.ofV2()
        let code = caller.signIn()
        caller.signIn("DemoSat", user: "viewer-2")
        #expect(caller.pollCode(code).profileShown == "DemoCable regular")
        #expect(!caller.pollCode(code).text.contains("DemoSat"))
        _ = caller.logOut()
        #expect(caller.pollCode(code).isEmptyMap)
        caller.signIn(user: "viewer-3")
        #expect(caller.pollCode(code).text.contains("viewer-3"))
    }

    @Test("B27, B46: whose token it is, is told by its issuer and its subject together")
    func sameSubject() throws {
        var settings = ServiceSettings.unthrottled
        settings.identityKeys = .any
        var caller = try Caller.ofV2(settings)
        caller.signIn("DemoCable", ["AD-Service-Token": Caller.serviceToken("u-1")])
        func seen(_ token: String) -> Bool {
            caller.profiles(device: "tv-2", ["AD-Service-Token": token]).profileShown != nil
        }
        #expect(seen(Caller.serviceToken("u-1", life: 60)))
        #expect(!seen(Caller.serviceToken("u-1", issuer: "other")))
        #expect(!seen(Caller.serviceToken("u-2")))
    }
}
