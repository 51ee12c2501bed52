import Dialects
import Testing
import Vocabulary

@testable import Rigs

@Suite("What a rig asks of a protocol")
struct ProtocolOfKindTests {
    private func read(_ kind: String, _ more: String = "", speaks name: String = "adobe-pass-v2")
        throws -> (rig: Rig, warnings: [String])
    {
        let reading = try Rig.read(
            """
            rig: v2
            target: {base: embedded, protocol: \(name)}
            load: {closed: {households: 12}, settle: 1s}
            kinds: [{\(kind)}]
            \(more)
            """, file: "v2.yaml")
        return (reading.rig, reading.warnings.map(\.description))
    }

    @Test(
        "what cannot be is refused, with what to write instead",
        arguments: [
            ("first-screen: sdk-tvos", "", "adobe-pass-v2", "support ended on 2026-05-31"),
            ("first-screen: sdk-ios", "", "adobe-pass-v2", "write first-screen: ios"),
            (
                "first-screen: fire-tv, single-sign-on: {}", "", "adobe-pass-v1",
                "no platform identity and no service token"
            ),
            ("single-sign-on: {}", "", "adobe-pass-v2", "write by: service-token"),
            (
                "temp-pass: {promotional: true}", "", "adobe-pass-v1",
                "no promotional TempPass"
            ),
            (
                "first-screen: fire-tv, platform-sign-on: {}", "", "adobe-pass-v2",
                "is the TV provider account of tvOS, iOS and iPadOS"
            ),
            (
                "first-screen: roku, single-sign-on: {}, temp-pass: true", "", "adobe-pass-v2",
                "or remove temp-pass"
            ),
            (
                "first-screen: ipados, provider-choice: first-screen", "", "adobe-pass-v2",
                "remove provider-choice"
            ),
            (
                "name: a", "after-sign-in: [{second-provider: 50%}]", "adobe-pass-v1",
                "a device has several sign-ins"
            ),
            ("name: a", "polling: {by: code}", "adobe-pass-v2", "'by' is of adobe-pass-v1"),
            (
                "name: a", "polling: {by: code, after-success: 1s}", "adobe-pass-v1",
                "remove after-success, or write by: device"
            ),
            (
                "name: a", "polling: {by: code, pollers: 2}", "adobe-pass-v1", "set pollers to 1"
            ),
            (
                "name: a", "polling: {by: code, target: checkauthn}", "adobe-pass-v1",
                "remove target"
            ),
            (
                "viewer: {small-letters: 10%}", "", "oauth-device-grant", "remove small-letters"
            ),
            ("viewer: {types-twice: 10%}", "", "oauth-device-grant", "remove types-twice"),
        ])
    func refused(kind: String, more: String, name: String, sentence: String) {
        #expect {
            _ = try read(kind, more, speaks: name)
        } throws: { error in
            "\(error)".contains(sentence)
        }
    }

    @Test("steps that no household's protocol has are left out, and that is said")
    func steps() throws {
        let (_, warnings) = try read(
            "name: a", "after-sign-in: [user-metadata, preauthorize, authorize, media-token]")
        #expect(warnings.count == 2)
        #expect(warnings.contains { $0.contains("user-metadata is no step of adobe-pass-v2") })
        #expect(warnings.contains { $0.contains("authorize brings the media token") })
        let both = try read(
            "name: old, protocol: adobe-pass-v1", "after-sign-in: [authorize, media-token]")
        #expect(both.warnings.isEmpty)
    }

    @Test("what a code cannot be told in V2 is said")
    func code() throws {
        let (_, warnings) = try read("name: a", "code: {ttl: 60s, delete-after: true}")
        #expect(warnings.contains { $0.contains("lets no device ask for a lifetime") })
        #expect(warnings.contains { $0.contains("no request that deletes a code") })
    }

    @Test("devices of other makes say so")
    func makes() throws {
        for (word, model, agent) in [
            ("android-tv", "BRAVIA 4K VH2", "okhttp/"), ("fire-tv", "AFTKA", "Dalvik/"),
            ("roku", "4802X", "Roku/DVP-14.0"),
        ] {
            let rig = try read("first-screen: \(word)").rig
            let first = try #require(Plan(rig, seed: rig.seed).household(0)).firstScreen
            #expect(first.info.model == model)
            #expect(first.userAgent.hasPrefix(agent))
        }
    }

    // MARK: Homes

    private func homes(_ kind: String) throws -> [HouseholdPlan] {
        let rig = try read(kind).rig
        return (0..<12).compactMap { Plan(rig, seed: rig.seed).household($0) }
    }

    @Test("a home that shares an identity is two households, of which one logs out")
    func shared() throws {
        let rig = try read(
            "first-screen: roku, single-sign-on: {shared-with: device}",
            "after-sign-in: [authorize, {logout: 100%}]"
        ).rig
        let plan = Plan(rig, seed: rig.seed)
        let households = (0..<12).compactMap { plan.household($0) }
        for (first, second) in zip(households, households.dropFirst()) where first.index % 2 == 0 {
            #expect(first.home?.isFirst == true && second.home?.isFirst == false)
            #expect(first.home?.first == first.index && second.home?.first == first.index)
            #expect(first.subject != nil && first.subject == second.subject)
            #expect(first.account == second.account)
            #expect(first.providerDraw == second.providerDraw)
            #expect(first.firstScreen.id != second.firstScreen.id)
            let (leaver, stayer) = first.index % 4 == 0 ? (first, second) : (second, first)
            #expect(leaver.home?.leaves == true && stayer.home?.leaves == false)
            #expect(leaver.activities == [.ask(.authorize), .logout])
            #expect(stayer.activities == [.ask(.authorize)])
        }
        #expect(Set(households.compactMap(\.subject)).count == 6)
    }

    @Test("two apps of a home are on one device")
    func apps() throws {
        let households = try homes("first-screen: fire-tv, single-sign-on: {shared-with: app}")
        #expect(Set(households.map(\.firstScreen.id)).count == 6)
        let alone = try homes("first-screen: fire-tv, single-sign-on: {}")
        #expect(Set(alone.map(\.firstScreen.id)).count == 12)
        #expect(Set(alone.compactMap(\.subject)).count == 12 && alone.allSatisfy { $0.home == nil })
    }

    @Test(
        "the parts of a plan have whole homes, and together are the plan", arguments: [1, 2, 3, 5])
    func parts(count: Int) throws {
        var rig = try read("first-screen: roku, single-sign-on: {shared-with: device}").rig
        for households in [1, 7, 12] {
            rig.load = .once(households: households, settle: .zero)
            let plan = Plan(rig, seed: rig.seed)
            var found: [Int] = []
            for part in (0..<count).map({ plan.part($0, of: count) }) {
                let own = (0..<(part.households ?? 0)).compactMap { part.household($0)?.index }
                #expect(own.count == part.households)
                #expect(part.household(own.count) == nil)
                let isWhole = own.allSatisfy { index in
                    let other = index ^ 1
                    return other >= households || own.contains(other)
                }
                #expect(isWhole)
                found += own
            }
            #expect(found.sorted() == Array(0..<households))
        }
    }

    @Test("a subject is a version 4 UUID")
    func subject() throws {
        let subject = try #require(
            try homes("first-screen: roku, single-sign-on: {}").first?.subject)
        let pattern = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
        #expect(subject.wholeMatch(of: pattern) != nil, "\(subject)")
    }

    @Test("a template for V2 names the protocol, and asks for no step that it lacks")
    func template() {
        let text = RigTemplate.text(for: "mine.yaml", protocolName: .adobePassV2)
        #expect(text.contains("\n  protocol: adobe-pass-v2\n"))
        #expect(text.contains("/api/v2") && !text.contains("/api/v1"))
        #expect(text.contains("after-sign-in: [preauthorize, authorize, {logout: 100%}]"))
    }
}
