import Dialects
import Standin
import Testing

/// A truth says "observable" of REST V2's faults only where somebody outside can tell.
@Suite("What faults of REST V2 show")
struct V2TruthTests {
    private static let mine: Headers = ["AD-Service-Token": Caller.serviceToken("u-1")]

    private func truth(
        _ fault: String, _ story: (inout Caller) -> Void
    ) throws -> [TruthEvent.Kind] {
        var caller = try Caller.ofV2(faults: [fault])
        story(&caller)
        return caller.service.takeTruth().map(\.kind)
    }

    @Test("temppass-refill: an end shown once has not moved")
    func shownOnce() throws {
        let kinds = try truth("temppass-refill") { caller in
            _ = caller.decide("authorize", "TempPass")
            caller.advance(.seconds(5))
            #expect(caller.profile("TempPass").status == 200)
        }
        #expect(kinds == [.activated])
    }

    @Test("partial-single-logout: what is asked at the same instant has no order")
    func sameInstant() throws {
        let kinds = try truth("partial-single-logout") { caller in
            caller.signIn("DemoCable", Self.mine)
            _ = caller.profiles(device: "tv-2", Self.mine)
            _ = caller.logOut(device: "tv-2", Self.mine)
            #expect(caller.profiles(device: "tv-2", Self.mine).profileShown != nil)
        }
        #expect(kinds == [.activated])
    }

    @Test("partial-single-logout: the device that had signed in still shows its own profile")
    func own() throws {
        let kinds = try truth("partial-single-logout") { caller in
            caller.signIn("DemoCable", Self.mine)
            _ = caller.profiles(device: "tv-2", Self.mine)
            _ = caller.logOut(device: "tv-2", Self.mine)
            caller.advance(.milliseconds(10))
            #expect(caller.profile("DemoCable", Self.mine).profileShown == "DemoCable regular")
        }
        #expect(kinds == [.activated, .observable])
    }

    @Test("platform-identity-leak: who is shown a sign-in by another identity sees nothing of it")
    func otherIdentity() throws {
        let kinds = try truth("platform-identity-leak") { caller in
            caller.signIn("DemoCable", Self.mine)
            caller.signIn(
                "DemoCable", device: "tv-3", user: "viewer-3",
                ["X-Roku-Reserved-Roku-Connect-Token": "roku-1"])
            let shown = caller.profiles(device: "tv-2", Self.mine).text
            #expect(shown.contains("viewer-1"))
        }
        #expect(kinds == [])
    }

    @Test("degradation-outlives-rule: a run's clock may be a second behind the service's")
    func justOver() throws {
        let kinds = try truth("degradation-outlives-rule:window=20s") { caller in
            caller.degrade("AuthNAll", seconds: 10)
            caller.advance(.milliseconds(10_500))
            #expect(caller.profile().profileShown == "DemoCable degraded")
            caller.advance(.seconds(1))
            #expect(caller.profile().profileShown == "DemoCable degraded")
        }
        #expect(kinds == [.activated, .observable])
    }

    @Test("logout-resurrection: the other device of the home has it back as well")
    func sharedReturn() throws {
        let kinds = try truth("logout-resurrection") { caller in
            caller.signIn("DemoCable", Self.mine)
            _ = caller.profiles(device: "tv-2", Self.mine)
            _ = caller.logOut("DemoCable", Self.mine)
            caller.advance(.milliseconds(50))
            #expect(caller.profiles(device: "tv-2", Self.mine).profileShown != nil)
        }
        #expect(kinds == [.activated, .activated, .observable])
    }

    @Test("profile-prolonged: the other device of the home is shown the prolonged profile as well")
    func sharedProlonged() throws {
        let kinds = try truth("profile-prolonged") { caller in
            caller.signIn("DemoCable", Self.mine)
            #expect(caller.profile("DemoCable", Self.mine).profileShown != nil)
            #expect(caller.profiles(device: "tv-2", Self.mine).profileShown != nil)
        }
        #expect(kinds == [.activated, .activated])
    }
}
