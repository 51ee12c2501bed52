import Checker
import Dialects
import Journal
import Rigs
import Testing
import Vocabulary

/// Households that speak REST V2, against the stand-in in virtual time (rest-v2.md § 14).
@Suite("Households of REST V2")
struct HouseholdsOfV2Tests {
    private func play(_ kind: String, _ more: String = "", households: Int = 1) throws -> Rehearsal
    {
        let rig = try Rig.read(
            """
            rig: v2
            target: {base: embedded, protocol: adobe-pass-v2}
            load: {closed: {households: \(households)}, settle: 1s}
            kinds: [{name: a, \(kind)}]
            polling: {every: 3s}
            # Viewers are faster here than people: one address for the home would exhaust its limit.
            forwarded-for: per-device
            \(more)
            """, file: "v2.yaml"
        ).rig
        return try Rehearsal(rig)
    }

    private static let quick =
        "viewer: {notices-code: 300ms, signs-in: 300ms, gives-up: 0%}"

    private static func viewer(_ more: String) -> String {
        "viewer: {notices-code: 300ms, signs-in: 300ms, gives-up: 0%, \(more)}"
    }

    private func operations(
        _ run: Rehearsal, of role: DeviceID.Role
    ) throws -> [OperationName] {
        try run.exchanges().filter { $0.device.role == role }.map(\.operation)
            .filter { $0 != .mvpdLogin }
    }

    @Test("the phone completes the session of a code that lacks its provider")
    func phoneChooses() throws {
        let run = try play(Self.quick, "after-sign-in: [preauthorize, authorize]")
        #expect(
            try operations(run, of: .secondScreen) == [
                .registerClient, .accessToken, .configuration, .resumeSession, .authenticate,
                .assertion, .profilesByCode,
            ])
        #expect(
            try operations(run, of: .firstScreen) == [
                .registerClient, .accessToken, .profiles, .createSession, .profilesByCode,
                .preauthorize, .authorize,
            ])
        let record = try #require(try run.households().first)
        #expect(record.fate == .signedIn && record.stage == .playing, "\(record.cause)")
        #expect(record.signOn.paths == [.code])
    }

    @Test("a session that has its provider is looked up, and logged in with")
    func tvChooses() throws {
        let run = try play("provider-choice: first-screen, " + Self.quick)
        #expect(
            try operations(run, of: .secondScreen) == [
                .registerClient, .accessToken, .sessionByCode, .authenticate, .assertion,
                .profilesByCode,
            ])
        #expect(try operations(run, of: .firstScreen).contains(.configuration))
        #expect(try run.households().first?.fate == .signedIn)
    }

    @Test(
        "what viewers do wrong is turned down, and they get there all the same",
        arguments: [
            ("wrong-code: 100%", "second-screen"), ("wrong-code: 100%", "first-screen"),
            ("cancels: 100%", "second-screen"), ("cancels: 100%", "first-screen"),
            ("types-twice: 100%", "second-screen"), ("types-twice: 100%", "first-screen"),
            ("wrong-password: 100%", "second-screen"),
        ])
    func slips(slip: String, place: String) throws {
        let run = try play(
            "provider-choice: \(place), second-screens: 2, " + Self.viewer(slip), households: 4)
        for record in try run.households() {
            #expect(record.fate == .signedIn && record.cause.isEmpty, "\(record)")
        }
        for exchange in try run.exchanges() {
            #expect(!exchange.isError, "\(exchange.operation) \(exchange.delivery)")
            #expect(exchange.deviations.isEmpty, "\(exchange.operation) \(exchange.deviations)")
        }
        if slip != "cancels: 100%" {
            #expect(try run.exchanges().contains { $0.provoked })
        }
    }

    @Test("a code that has run out is turned down, and its viewer has left")
    func tooLate() throws {
        let run = try play(Self.viewer("too-late: 100%"))
        let record = try #require(try run.households().first)
        #expect(record.fate == .abandoned && record.abandonedBy == .viewer, "\(record)")
        #expect(try operations(run, of: .secondScreen).last == .sessionByCode)
    }

    @Test("two viewers at once: one of them gets through, and nothing is held against the service")
    func twoViewers() throws {
        let run = try play(
            "second-screens: 2, second-viewer: 100%, " + Self.quick, households: 6)
        for record in try run.households() {
            #expect(record.fate == .signedIn, "\(record)")
        }
    }

    /// The second viewer's choice is none of the providers that the TV is signed in with; else the session would be
    /// complete before the first viewer came.
    @Test("two viewers at a second provider")
    func twoViewersAtSecondProvider() throws {
        let run = try play(
            "second-screens: 2, second-viewer: 100%, " + Self.quick,
            "after-sign-in: [authorize, {second-provider: 100%}, authorize]", households: 12)
        for record in try run.households() {
            #expect(record.fate == .signedIn && record.cause.isEmpty, "\(record)")
        }
        let resumed = try run.exchanges().filter { $0.operation == .resumeSession }
        #expect(!resumed.contains { $0.observation.record?.hasPrefix("authorize") == true })
    }

    @Test("a code from the platform's request takes the place of the one on the screen")
    func codeOfFallback() throws {
        let run = try play(
            "first-screen: tvos, platform-sign-on: {account: fresh}, second-viewer: 100%, "
                + Self.quick,
            "standin: {providers: [{id: DemoCable, platform: disabled}, {id: DemoNet, platform: disabled}]}",
            households: 6)
        for record in try run.households() {
            #expect(record.fate == .signedIn && record.cause.isEmpty, "\(record)")
        }
        let exchanges = try run.exchanges()
        #expect(exchanges.contains { $0.operation == .partnerRequest })
        #expect(exchanges.allSatisfy { !$0.isError }, "the ended code is not polled for")
    }

    @Test("who looks at another provider's page first takes none that the TV is signed in with")
    func changesProviderAtSecond() throws {
        let run = try play(
            Self.viewer("changes-provider: 100%"),
            "after-sign-in: [authorize, {second-provider: 100%}, authorize]", households: 12)
        for record in try run.households() {
            #expect(record.fate == .signedIn && record.cause.isEmpty, "\(record)")
        }
        #expect(try run.exchanges().count { $0.operation == .resumeSession } > 24)
    }

    @Test("a partner's exchange is recorded with its account, whatever the service calls the user")
    func partnerAccount() throws {
        let run = try play(
            "first-screen: tvos, platform-sign-on: {account: fresh, picker: choose(DemoCable)}, "
                + Self.quick, "standin: {user-ids: opaque}")
        let exchanged = try #require(
            try run.exchanges().first { $0.operation == .ssoProfile && $0.outcome == .ok })
        let shown = try #require(exchanged.observation.profiles.first)
        #expect(exchanged.observation.tag?.user.hasPrefix("viewer-") == true)
        #expect(shown.user?.hasPrefix("u-") == true)
    }

    @Test("a web view polls once it has closed, and a logout goes on in it")
    func webView() throws {
        let run = try play(
            "first-screen: ios, " + Self.quick, "after-sign-in: [authorize, {logout: 100%}]")
        let own = try operations(run, of: .firstScreen)
        #expect(!own.contains(.resumeSession) && !own.contains(.sessionByCode))
        #expect(own.filter { $0 == .profilesByCode }.count == 1)
        #expect(own.contains(.mvpdLogout))
        #expect(try operations(run, of: .secondScreen).isEmpty)
        #expect(try run.households().first?.stage == .loggedOut)
    }

    /// The second household of a home waits for the first one's sign-in, and the settle phase does not wait for it.
    @Test("where no sign-in arrives, homes that share one end with the settle phase")
    func lostInSharedHome() throws {
        let run = try play(
            "single-sign-on: {by: service-token, shared-with: device}, " + Self.quick,
            "faults: [{lost-authentication: {probability: 100%}}]", households: 4)
        let records = try run.households()
        #expect(records.count == 4)
        for record in records {
            #expect(record.fate != .signedIn, "\(record)")
            let ended = try #require(record.ended)
            #expect(ended < Instant(.seconds(60)), "\(record)")
        }
    }

    @Test("a returning device asks for the profile of its provider, and after a logout for all")
    func returning() throws {
        let run = try play(
            Self.quick,
            "after-sign-in: [{relaunch: 100%}, {logout: 100%}, {relaunch: 100%}, authorize]")
        let checks = try operations(run, of: .firstScreen).filter {
            $0 == .profiles || $0 == .profilesByMVPD
        }
        #expect(checks == [.profiles, .profilesByMVPD, .profiles])
        #expect(try operations(run, of: .firstScreen).last == .authorize)
    }

    @Test(
        "a household that comes back asks for its profile first, with what its device has kept",
        arguments: [("1h", 1), ("7h", 2)])
    func comesBack(away: String, tokens: Int) throws {
        let run = try play(
            "returning: {share: 100%, away: \(away)}, " + Self.quick,
            "after-sign-in: [authorize]\nstandin: {authn-ttl: 24h}")
        let own = try run.exchanges().filter { $0.device.role == .firstScreen }
        let back = own.filter { $0.sent > .start + .seconds(1800) }
        // The access token lives for 6 hours.
        #expect(
            back.map(\.operation)
                == (tokens == 1 ? [] : [.accessToken]) + [.profilesByMVPD, .authorize])
        #expect(own.count { $0.operation == .registerClient } == 1)
        #expect(own.count { $0.operation == .accessToken } == tokens)
        #expect(back.first?.route.connection != own.first?.route.connection)
        let record = try #require(try run.households().first)
        #expect(record.fate == .signedIn && record.stage == .playing, "\(record.cause)")
    }

    @Test("whose profile has expired meanwhile signs in again")
    func comesBackTooLate() throws {
        let run = try play(
            "returning: {share: 100%, away: 2h}, " + Self.quick,
            "after-sign-in: [authorize]\nstandin: {authn-ttl: 1h}")
        let own = try operations(run, of: .firstScreen)
        #expect(own.filter { $0 == .createSession }.count == 2)
        #expect(own.filter { $0 == .registerClient }.count == 1)
        #expect(own.contains(.profilesByMVPD) && own.last == .authorize)
        #expect(try run.households().first?.stage == .playing)
    }

    @Test("a sign-in at a second provider leaves the first one, which is left by a logout")
    func twoProviders() throws {
        let run = try play(
            Self.quick,
            "after-sign-in: [{second-provider: 100%}, {logout: 100%}, {relaunch: 100%}, authorize]")
        let asked = try run.exchanges().filter {
            [.logout, .profilesByMVPD, .authorize].contains($0.operation)
        }
        #expect(asked.map(\.operation) == [.logout, .profilesByMVPD, .authorize])
        #expect(asked[0].mvpd != asked[1].mvpd && asked[1].mvpd == asked[2].mvpd)
        #expect(asked[2].outcome == .ok)
    }

    @Test(
        "the second app or device of a home is signed in by the first's login",
        arguments: [
            ("fire-tv", "platform", "app"), ("roku", "platform", "device"),
            ("tvos", "service-token", "device"),
        ])
    func shared(screen: String, carrier: String, sharing: String) throws {
        let run = try play(
            "first-screen: \(screen), single-sign-on: {by: \(carrier), shared-with: \(sharing)}, "
                + Self.quick, "after-sign-in: [authorize, {logout: 100%}]", households: 4)
        let records = try run.households()
        #expect(records.map(\.fate) == [.signedIn, .preSignedIn, .signedIn, .preSignedIn])
        #expect(records.allSatisfy { $0.stage >= .playing })
        let notes = try run.summary().notes.filter { $0.contains("already signed in on arrival") }
        #expect(
            notes == [
                "2 households were already signed in on arrival, by the first household of their home "
                    + "(single-sign-on.shared-with); they have no sign-in time"
            ])
        let exchanges = try run.exchanges()
        for household in [1, 3] {
            let own = exchanges.filter { $0.device.household == household }
            #expect(!own.contains { $0.operation == .createSession })
            #expect(own.compactMap(\.subject).first != nil)
        }
        // The first logs out in one home, the second in the other: the last look finds nobody.
        #expect(records.map { $0.stage == .loggedOut } == [true, false, false, true])
        for household in [1, 2] {
            let own = exchanges.filter { $0.device.household == household }
            #expect(own.last?.outcome == .pending)
        }
    }

    @Test("a promotional TempPass is for a person, and for so many resources")
    func pass() throws {
        let rig = try Rig.read(
            """
            rig: pass
            target: {base: embedded, protocol: adobe-pass-v2, resources: [r-1, r-2, r-3]}
            load: {closed: {households: 2}, settle: 1s}
            standin: {providers: [{id: Promo, temp-pass: 10m, temp-pass-resources: 2}]}
            kinds: [{name: a, temp-pass: {provider: Promo, promotional: true}}]
            after-sign-in: [authorize]
            """, file: "pass.yaml"
        ).rig
        let run = try Rehearsal(rig)
        let decisions = try run.exchanges().filter { $0.operation == .authorize }
        #expect(decisions.filter { $0.outcome == .ok }.count == 4)
        #expect(decisions.filter { $0.outcome == .notEntitled }.count == 2)
        #expect(try run.households().allSatisfy { $0.signOn.paths == [.pass] })
    }

    @Test("a lost sign-in is found, though the phone registers a client of its own meanwhile")
    func lostAuthentication() throws {
        let run = try play(Self.quick, "faults: [lost-authentication]", households: 3)
        let broken = try JudgeTests.findings(run).violations.map(\.invariant)
        #expect(broken.count == 3)
        #expect(broken.allSatisfy { $0 == .signInDelivered || $0 == .signInVisible })
    }
}
