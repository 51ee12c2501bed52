import Dialects
import Standin
import Testing

@Suite("profiles, identities and logout (rest-v2.md §§ 6, 8, 9)")
struct V2ProfileTests {
    // MARK: § 6

    @Test("a profile as the page has it")
    func regular() throws {
        var caller = try Caller.ofV2()
        caller.advance(.seconds(100))
        let code = caller.signIn()
        let shown = caller.pollCode(code)
        #expect(
            shown.text
                == #"{"profiles":{"DemoCable":{"notBefore":1760000100000,"notAfter":1760021700000,"#
                + #""issuer":"DemoCable","type":"regular","attributes":{"#
                + #""userID":{"value":"viewer-1","state":"plain"},"#
                + #""householdID":{"value":"h-viewer-1","state":"plain"},"#
                + #""zip":{"value":"12345","state":"plain"}}}}}"#)
        #expect(caller.profile().body == shown.body)
        #expect(caller.profiles().body == shown.body)
        #expect(caller.phone(.get, "profiles/code/\(code)").body == shown.body)
    }

    @Test("what a provider keeps to itself, or tells the programmer only")
    func attributes() throws {
        var settings = ServiceSettings.unthrottled
        settings.providers[0].encryptsZip = true
        settings.providers[1].offersMetadata = false
        var caller = try Caller.ofV2(settings)
        caller.signIn("DemoCable")
        caller.signIn("DemoSat")
        #expect(
            caller.profile("DemoCable").after(#""zip":{"#, upTo: "}")?.hasSuffix(#""enc""#) == true)
        #expect(
            caller.profile("DemoSat").text.contains(
                #""attributes":{"userID":{"value":"viewer-1","state":"plain"}}"#))
    }

    @Test("several providers side by side; an expired profile vanishes from the map")
    func several() throws {
        var settings = ServiceSettings.unthrottled
        settings.providers[1].authenticationTTL = .seconds(60)
        var caller = try Caller.ofV2(settings)
        let first = caller.signIn("DemoCable")
        let second = caller.signIn("DemoSat", user: "viewer-2")
        let all = caller.profiles().text
        #expect(all.contains(#""DemoCable":{"#) && all.contains(#""DemoSat":{"#))
        #expect(caller.pollCode(first).profileShown == "DemoCable regular")
        #expect(caller.pollCode(second).profileShown == "DemoSat regular")
        caller.advance(.seconds(60))
        #expect(caller.profiles().profileShown == "DemoCable regular")
        #expect(!caller.profiles().text.contains("DemoSat"))
        #expect(caller.profile("DemoSat").isEmptyMap)
        #expect(
            caller.decide("authorize", "DemoSat").refusal == "403 authenticated_profile_expired")
    }

    @Test("nothing but a login prolongs a profile (I25)")
    func notProlonged() throws {
        var caller = try Caller.ofV2()
        let code = caller.signIn()
        let end = caller.profile().member("notAfter")
        caller.advance(.seconds(60))
        _ = caller.decide()
        _ = caller.session()
        #expect(caller.pollCode(code).member("notAfter") == end)
        #expect(caller.profiles().member("notAfter") == end)
    }

    @Test("a profile is its device's, its client's and its channel's")
    func isolation() throws {
        var settings = ServiceSettings.unthrottled
        settings.requestors.append(.init(id: "OTHER", domains: ["demo.test"]))
        var caller = try Caller.ofV2(settings)
        caller.signIn()
        #expect(caller.profiles(device: "tv-2").isEmptyMap)
        #expect(
            caller.get(
                "/api/v2/OTHER/profiles",
                headers: ["AP-Device-Identifier": Caller.fingerprint("tv-1")]
            ).isEmptyMap)
        caller.registerV2()
        #expect(caller.profiles().isEmptyMap)
        #expect(caller.decide().refusal == "403 authenticated_profile_missing")
    }

    @Test("which call shows which type", arguments: ["degraded", "temporary", "platformSSO"])
    func types(type: String) throws {
        var caller = try Caller.ofV2()
        var mvpd = "DemoCable"
        var headers: Headers = [:]
        switch type {
        case "degraded": caller.degrade("AuthNAll")
        case "temporary": mvpd = "TempPass"
        default:
            headers = ["Adobe-Subject-Token": Caller.subjectToken("u-1")]
            caller.signIn(device: "tv-9", headers)
        }
        #expect(caller.profile(mvpd, headers).profileShown == "\(mvpd) \(type)")
        let isListed = type == "platformSSO"
        #expect(caller.profiles(headers).profileShown == (isListed ? "\(mvpd) \(type)" : nil))
        #expect(caller.profile("DemoSat", headers).isEmptyMap)
    }

    // MARK: § 8.2

    /// The carriers of an identity: the header, and a token for each user.
    static let carriers: [(header: String, token: @Sendable (String) -> String)] = [
        ("AD-Service-Token", { Caller.serviceToken($0) }),
        ("Adobe-Subject-Token", { Caller.subjectToken($0) }),
        ("X-Roku-Reserved-Roku-Connect-Token", { "roku-\($0)" }),
    ]

    @Test("one login serves all who bring the same identity", arguments: [0, 1, 2])
    func shared(carrier: Int) throws {
        let (header, token) = Self.carriers[carrier]
        let mine: Headers = [header: token("u-1")]
        let type = carrier == 0 ? "serviceTokenSSO" : "platformSSO"
        var caller = try Caller.ofV2()
        let code = caller.signIn("DemoCable", mine)
        #expect(caller.pollCode(code).profileShown == "DemoCable regular")
        #expect(caller.profiles(mine).profileShown == "DemoCable regular")
        let end = caller.profile().member("notAfter")
        caller.advance(.seconds(60))
        // Another app, on another device.
        caller.registerV2()
        let seen = caller.profiles(device: "tv-2", mine)
        #expect(seen.profileShown == "DemoCable \(type)")
        #expect(seen.member("notAfter") == end)
        #expect(seen.member("issuer") == "DemoCable")
        #expect(caller.profile(device: "tv-2", mine).body == seen.body)
        #expect(
            caller.session(device: "tv-2", mine).action == "authorize direct authenticatedSSO")
        #expect(caller.decide(device: "tv-2", mine).text.contains(#""authorized":true"#))
        // Without it, and with another's.
        for other in [[:], [header: token("u-2")]] as [Headers] {
            #expect(caller.profiles(device: "tv-2", other).isEmptyMap)
            #expect(caller.profile(device: "tv-2", other).isEmptyMap)
            #expect(
                caller.decide(device: "tv-2", other).refusal == "403 authenticated_profile_missing")
        }
        // Single logout, from the second app.
        #expect(
            caller.logOut(device: "tv-2", mine).text.contains(#""actionName":"logout""#))
        #expect(caller.profiles(device: "tv-2", mine).isEmptyMap)
        #expect(caller.profiles(mine).isEmptyMap)
        #expect(caller.pollCode(code).isEmptyMap)
    }

    @Test("and the first app's logout ends the other's view")
    func firstLogsOut() throws {
        let mine: Headers = ["AD-Service-Token": Caller.serviceToken("u-1")]
        var caller = try Caller.ofV2()
        caller.signIn("DemoCable", mine)
        #expect(caller.profiles(device: "tv-2", mine).profileShown != nil)
        _ = caller.logOut("DemoCable", mine)
        #expect(caller.profiles(device: "tv-2", mine).isEmptyMap)
    }

    @Test("two logins under one identity end together (I29)")
    func twoLogins() throws {
        let mine: Headers = ["AD-Service-Token": Caller.serviceToken("u-1")]
        var caller = try Caller.ofV2()
        let first = caller.session()
        caller.signIn("DemoCable", device: "tv-2", mine)
        caller.logIn(by: first, user: "viewer-2")
        #expect(caller.profile("DemoCable", mine).text.contains("viewer-2"))
        _ = caller.logOut(device: "tv-2", mine)
        for device in ["tv-1", "tv-2", "tv-3"] {
            #expect(caller.profiles(device: device, mine).isEmptyMap)
        }
    }

    @Test("a token that is not good counts as none (B16)")
    func badTokens() throws {
        let good: Headers = ["AD-Service-Token": Caller.serviceToken("u-1")]
        var caller = try Caller.ofV2()
        caller.signIn("DemoCable", good)
        let bad = [
            Caller.serviceToken("u-1", life: -1), Caller.serviceToken("u-1") + "x", "x", "a.b.c",
            Caller.serviceToken("u-1", issuer: "other"), Caller.subjectToken("u-1"),
        ]
        for token in bad {
            #expect(caller.profiles(device: "tv-2", ["AD-Service-Token": token]).isEmptyMap)
        }
        // It runs out meanwhile.
        let short: Headers = ["AD-Service-Token": Caller.serviceToken("u-1", life: 60)]
        #expect(caller.profiles(device: "tv-2", short).profileShown != nil)
        caller.advance(.seconds(60))
        #expect(caller.profiles(device: "tv-2", short).isEmptyMap)
        #expect(
            caller.profiles(
                device: "tv-2",
                ["Adobe-Subject-Token": Caller.subjectToken("u-1", life: -1)]
            ).isEmptyMap)
    }

    @Test("identity-keys any trusts whoever signed, and still nobody who did not")
    func anyKey() throws {
        var settings = ServiceSettings.unthrottled
        settings.identityKeys = .any
        var caller = try Caller.ofV2(settings)
        let mine: Headers = ["AD-Service-Token": Caller.subjectToken("u-1")]
        caller.signIn("DemoCable", mine)
        #expect(caller.profiles(device: "tv-2", mine).profileShown == "DemoCable serviceTokenSSO")
    }

    @Test(
        "a header that is first sent after the login shares from then on; the last login wins (B48)"
    )
    func later() throws {
        let mine: Headers = ["AD-Service-Token": Caller.serviceToken("u-1")]
        var caller = try Caller.ofV2()
        caller.signIn()
        #expect(caller.profiles(device: "tv-2", mine).isEmptyMap)
        _ = caller.profile("DemoCable", mine)
        #expect(caller.profiles(device: "tv-2", mine).text.contains("viewer-1"))
        caller.signIn(device: "tv-3", user: "viewer-3")
        _ = caller.profile(device: "tv-3", mine)
        #expect(caller.profiles(device: "tv-2", mine).text.contains("viewer-3"))
    }

    @Test("a later login without the identity is nobody else's")
    func otherUser() throws {
        let mine: Headers = ["AD-Service-Token": Caller.serviceToken("u-1")]
        var caller = try Caller.ofV2()
        caller.signIn("DemoCable", mine)
        _ = caller.logOut()
        caller.signIn(user: "viewer-2")
        #expect(caller.profiles(device: "tv-2", mine).isEmptyMap)
    }

    @Test("the platform's token is good on the device that it names (B49)")
    func fireDevice() throws {
        func token(_ device: String) -> Headers {
            ["Adobe-Subject-Token": Caller.subjectToken("u-1", more: #","did":"\#(device)""#)]
        }
        var caller = try Caller.ofV2()
        caller.signIn("DemoCable", token("d-1"))
        #expect(caller.profiles(device: "tv-2", token("d-1")).profileShown != nil)
        #expect(caller.profiles(device: "tv-2", token("d-2")).isEmptyMap)
    }

    @Test("a provider may keep its sign-ins to the device; channels share none (B48)")
    func notShared() throws {
        let mine: Headers = ["AD-Service-Token": Caller.serviceToken("u-1")]
        var settings = ServiceSettings.unthrottled
        settings.providers[0].sharesIdentity = false
        settings.requestors.append(.init(id: "OTHER", domains: ["demo.test"]))
        var caller = try Caller.ofV2(settings)
        caller.signIn("DemoCable", mine)
        #expect(caller.profiles(device: "tv-2", mine).isEmptyMap)
        caller.signIn("DemoSat", mine)
        var headers = mine
        headers.append("AP-Device-Identifier", Caller.fingerprint("tv-2"))
        #expect(caller.get("/api/v2/OTHER/profiles", headers: headers).isEmptyMap)
        #expect(caller.profiles(device: "tv-2", mine).profileShown == "DemoSat serviceTokenSSO")
    }

    @Test("a logout without the header ends the view of this device only (B47)")
    func viewEnds() throws {
        let mine: Headers = ["AD-Service-Token": Caller.serviceToken("u-1")]
        var caller = try Caller.ofV2()
        caller.signIn("DemoCable", mine)
        _ = caller.profiles(device: "tv-2", mine)
        #expect(caller.logOut(device: "tv-2").member("actionName") == "logout")
        #expect(caller.profiles(device: "tv-2", mine).isEmptyMap)
        #expect(caller.profiles(device: "tv-3", mine).profileShown != nil)
        #expect(caller.profiles(mine).profileShown == "DemoCable regular")
    }

    // MARK: § 9

    @Test("a logout ends the profile of its provider, before any browser, and again it is invalid")
    func logout() throws {
        var caller = try Caller.ofV2()
        caller.signIn("DemoCable")
        caller.signIn("DemoSat")
        let reply = caller.logOut("DemoCable")
        #expect(
            reply.text
                == #"{"logouts":{"DemoCable":{"actionName":"logout","actionType":"interactive","#
                + #""mvpd":"DemoCable","url":"/adobe-services/logout?noflash=true&mso_id=DemoCable"#
                + "&requestor_id=DEMOTV&redirect_url=https%3A%2F%2Fdemo.test%2Fout"
                + #"&pt_device_id=tv-1"}}}"#)
        #expect(caller.profile("DemoCable").isEmptyMap)
        #expect(caller.profile("DemoSat").profileShown == "DemoSat regular")
        #expect(caller.decide().refusal == "403 authenticated_profile_missing")
        #expect(
            caller.logOut("DemoCable").text
                == #"{"logouts":{"DemoCable":{"actionName":"invalid","actionType":"none","#
                + #""mvpd":"DemoCable"}}}"#)
    }

    @Test("the browser's part of a logout ends where it was told to")
    func browser() throws {
        var settings = ServiceSettings.unthrottled
        settings.providersRemember = true
        var caller = try Caller.ofV2(settings)
        caller.signIn()
        #expect(caller.cookies["MVPDUSER"] != nil)
        let hop = caller.get(caller.logOut().member("url") ?? "")
        #expect(hop.status == 302)
        let last = caller.get(hop.headers["Location"] ?? "")
        #expect(last.headers["Location"] == "https://demo.test/out")
        #expect(last.headers["Set-Cookie"]?.hasPrefix("MVPDUSER=;") == true)
        let counted = caller.service.counted()
        #expect(counted.count(of: .logout, status: 200) == 1)
        #expect(counted.count(of: .mvpdLogout, status: 302) == 2)
    }

    @Test("nothing is left to do without a logout page, under a rule, and for a trial (B56)")
    func complete() throws {
        var settings = ServiceSettings.unthrottled
        settings.providers[0].hasLogoutPage = false
        var caller = try Caller.ofV2(settings)
        caller.signIn()
        #expect(caller.logOut().member("actionName") == "complete")
        #expect(caller.logOut().member("actionName") == "invalid")
        #expect(caller.logOut("TempPass").member("actionName") == "complete")
        caller.signIn("DemoSat")
        caller.degrade("AuthNAll", mvpd: "DemoSat")
        #expect(caller.logOut("DemoSat").member("actionName") == "complete")
        caller.advance(.seconds(600))
        #expect(caller.profile("DemoSat").isEmptyMap)
    }

    @Test("the provider ends a session: nobody is signed in, and a decision says why")
    func invalidated() throws {
        var caller = try Caller.ofV2()
        caller.signIn()
        let body = #"{"requestor":"DEMOTV","deviceId":"tv-1"}"#
        #expect(caller.post("/_standin/invalidate", body: body).status == 204)
        #expect(caller.profile().isEmptyMap)
        #expect(caller.session().action == "authenticate interactive none")
        #expect(caller.decide().refusal == "403 authenticated_profile_invalidated")
    }

    @Test("C has the providers inside the requestor, and takes a trailing slash")
    func configuration() throws {
        var caller = try Caller.ofV2()
        let reply = caller.phone(.get, "configuration")
        #expect(
            reply.text.contains(
                #""requestor":{"id":"DEMOTV","name":"DEMOTV","domains":[{"name":"demo.test","#
                    + #""mvpdInitiated":false}],"mvpds":[{"id":"DemoCable","#))
        #expect(reply.text.contains(#""platformMappingId":"demo-cable""#))
        #expect(!reply.text.contains("requiredMetadataFields"))
        #expect(caller.phone(.get, "configuration/").status == 200)
    }
}
