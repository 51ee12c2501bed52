import Dialects
import Testing

@testable import Rigs

@Suite("Two viewers at once")
struct SecondViewerTests {
    private func rig(_ kind: String, _ more: String = "") throws -> Rig {
        try Rig.read(
            """
            rig: two
            target: {base: embedded}
            load: {closed: {households: 40}, settle: 1s}
            kinds: [{\(kind)}]
            \(more)
            """, file: "two.yaml"
        ).rig
    }

    @Test("there is a second one in so many households, with times and an account of its own")
    func planned() throws {
        let half = try rig("second-screens: 2, second-viewer: 50%")
        let plan = Plan(half, seed: half.seed)
        let households = (0..<40).compactMap { plan.household($0) }
        let seconds = households.compactMap(\.second)
        #expect((10...30).contains(seconds.count))
        let users = Set(seconds.map(\.account.user) + households.map(\.account.user))
        #expect(users.count == seconds.count + 40)
        // Nobody else is changed by them.
        let none = try rig("second-screens: 2")
        let alone = Plan(none, seed: none.seed)
        for household in households {
            let other = try #require(alone.household(household.index))
            #expect(other.second == nil && other.viewer == household.viewer)
            #expect(other.account == household.account)
        }
    }

    @Test(
        "what cannot be is refused",
        arguments: [
            (
                "second-viewer: 10%", "",
                "needs a phone for each viewer; set second-screens to 2 "
                    + "or more"
            ),
            ("second-viewer: 10%, first-screen: ipados", "", "write first-screen: tvos"),
            (
                "second-viewer: 10%, second-screens: 2, temp-pass: true", "",
                "write first-screen: tvos and remove temp-pass"
            ),
        ])
    func refused(kind: String, more: String, sentence: String) {
        #expect {
            try rig(kind, more)
        } throws: { error in
            "\(error)".contains(sentence)
        }
    }

    @Test("with a platform one phone will do")
    func platform() throws {
        let rig = try rig("second-viewer: 100%, platform-sign-on: {account: none}")
        #expect(rig.kinds.first?.hasSecondViewer == 1)
    }
}
