import Rigs
import Testing

@Suite("The rig of a trial")
struct TryRigTests {
    private func trial(_ more: String, kind: String? = nil) throws -> Rig {
        try #require(try whole(more).trial(of: kind))
    }

    private func whole(_ more: String) throws -> Rig {
        try Rig.read(
            """
            rig: big
            target: {base: embedded}
            load: {arrivals: [{ramp-to: 20/s, over: 1m}], settle: 1s}
            kinds:
              - {name: first, viewer: {notices-code: 8s, signs-in: 20s, gives-up: 50%}}
              - {name: second, first-screen: ipados, temp-pass: true}
            \(more)
            """, file: "big.yaml"
        ).rig
    }

    @Test("it is one household of the first kind, in a hurry, that never gives up")
    func household() throws {
        let rig = try trial("polling: {every: 5s}")
        #expect(rig.kinds.map(\.name) == ["first"])
        #expect(rig.kinds[0].viewer.noticesCode == .fixed(.seconds(1)))
        #expect(rig.kinds[0].viewer.signsIn == .fixed(.milliseconds(500)))
        #expect(rig.kinds[0].viewer.givesUp == 0)
        #expect(rig.load == .once(households: 1, settle: .seconds(10)))
        #expect(rig.lanes == 1)
    }

    @Test("another kind is tried by its name, as the rig has it; an unknown one is none")
    func kind() throws {
        let rig = try trial("", kind: "second")
        #expect(rig.kinds.map(\.name) == ["second"])
        #expect(rig.kinds[0].firstScreen == .ipados && rig.kinds[0].hasTempPass)
        #expect(try whole("").trial(of: "third") == nil)
    }

    @Test("of the thresholds those remain that one household can miss")
    func thresholds() throws {
        let rig = try trial(
            "thresholds: [errors < 2%, poll-token p99 < 1s, households failed == 0, "
                + "'kind \"first\": errors < 1%', authorize errors < 3%, media-token errors == 50%, "
                + "media-token errors == 0%, errors > 1%]")
        #expect(
            rig.thresholds.map(\.text) == [
                "violations == 0", "errors < 2%", "households failed == 0", "authorize errors < 3%",
                "media-token errors == 0%",
            ])
    }

    @Test("it polls as the rig says, but for a first poll that comes soon")
    func polling() throws {
        #expect(try trial("polling: {every: 5s}").polling.every == .seconds(5))
        #expect(try trial("polling: {every: 5s}").polling.firstAfter == .seconds(1))
        #expect(try trial("polling: {every: 500ms}").polling.firstAfter == .milliseconds(500))
    }

    @Test("a device grant is polled first after the interval that it names")
    func pollingOfGrants() throws {
        let rig = try Rig.read(
            """
            rig: grant
            target: {base: embedded, protocol: oauth-device-grant, device-grant: {user-from: userinfo}}
            load: {closed: {households: 1}}
            kinds: [{name: some, viewer: {refuses: 10%}}, {name: all, viewer: {refuses: 100%}}]
            """, file: "grant.yaml"
        ).rig
        #expect(try #require(rig.trial()).polling.firstAfter == nil)
        #expect(try #require(rig.trial()).kinds[0].viewer.refuses == 0)
        #expect(try #require(rig.trial(of: "all")).kinds[0].viewer.refuses == 1)
    }

    @Test("it watches for a moment, signs in once, and always logs out")
    func activities() throws {
        let rig = try trial("after-sign-in: [authorize, {watch: 30s}, {logout: 5%}, {again: 10%}]")
        #expect(
            rig.afterSignIn == [.ask(.authorize), .watch(.fixed(.milliseconds(500))), .logout(1)])
        #expect(try trial("").afterSignIn == [.logout(1)])
    }
}
