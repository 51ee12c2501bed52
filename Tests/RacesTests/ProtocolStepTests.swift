import Dialects
import Rigs
import Testing

@testable import Races

/// Race plans in the steps of the protocol that a rig speaks (rest-v2.md § 16.1).
@Suite struct ProtocolStepTests {
    private static func terms(_ names: String...) -> RaceTerms {
        var terms = RaceTerms.blank
        terms.plans = names.map { .named($0) }
        return terms
    }

    private static func steps(_ plan: RacePlan?) -> [String] {
        plan?.variants.first?.schedule.ops.map(\.step.rawValue) ?? []
    }

    @Test(
        "a plan is played in V2's own steps",
        arguments: [
            (
                "poll-authenticate",
                [
                    "create-session", "authenticate", "profiles-by-code", "profiles-by-code",
                    "profiles-by-code",
                ]
            ),
            ("poll-logout", ["create-session", "authenticate", "logout", "profiles-by-code"]),
            (
                "logout-media",
                ["create-session", "authenticate", "authorize", "logout", "authorize"]
            ),
            (
                "create-create",
                ["create-session", "create-session", "session-by-code", "session-by-code"]
            ),
        ])
    func translated(name: String, steps: [String]) {
        let plans = RacePlan.plans(Self.terms(name), in: .adobePassV2)
        #expect(Self.steps(plans.first) == steps)
        #expect(RacePlan.refusal(Self.terms(name), in: .adobePassV2) == nil)
    }

    @Test("a plan of V1 stays as it is")
    func unchanged() {
        let all = Self.terms("all")
        #expect(RacePlan.plans(all) == RacePlan.plans(all, in: .adobePassV1))
        #expect(
            Self.steps(RacePlan.plans(Self.terms("poll-logout")).first)
                == ["registration-code", "authenticate", "logout", "poll-token"])
    }

    @Test(
        "what V2 has nothing for is refused with the reason where it is asked for by name",
        arguments: [
            ("poll-delete", "cannot be deleted"), ("create-preview", "TempPass"),
            ("authenticate-expire", "for the service to say"),
        ])
    func refused(name: String, words: String) throws {
        let refusal = try #require(RacePlan.refusal(Self.terms(name), in: .adobePassV2))
        #expect(refusal.hasPrefix("race plan \(name) cannot be played: "))
        #expect(refusal.contains(words))
        #expect(RacePlan.refusal(Self.terms(name), in: .adobePassV1) == nil)
        #expect(RacePlan.plans(Self.terms(name), in: .adobePassV2).isEmpty)
    }

    @Test("of all plans V2 has those without its lacks, and no step of V1 alone")
    func all() {
        let plans = RacePlan.plans(Self.terms("all"), in: .adobePassV2)
        #expect(!plans.isEmpty)
        #expect(RacePlan.refusal(Self.terms("all"), in: .adobePassV2) == nil)
        for plan in plans {
            #expect(!plan.name.contains("delete") && !plan.name.contains("preview"))
            for variant in plan.variants {
                for op in variant.schedule.ops {
                    #expect(op.step.counterpart(in: .adobePassV2) == op.step, "\(plan.name)")
                }
            }
        }
        #expect(ArmPlan.plans(Self.terms("all"), in: .adobePassV2).count == 2)
    }

    @Test("a sign-in after another of the same living room is with the next provider")
    func providers() throws {
        let plans = RacePlan.plans(Self.terms("logout-authenticate"), in: .adobePassV2)
        let ops = try #require(plans.first?.variants.first?.schedule.ops)
        let signIns = ops.filter { $0.step == .authenticate }
        #expect(signIns.map { $0[arg: "provider"] } == [nil, "1"])
        // Two at once may be with the same.
        let both = RacePlan.plans(Self.terms("authenticate-authenticate"), in: .adobePassV2)
        let raced = try #require(both.first?.variants.first?.schedule.ops)
        #expect(
            raced.filter { $0.step == .authenticate }.allSatisfy { $0[arg: "provider"] == nil })
    }

    @Test("each step is its counterpart's own counterpart, and V1 lacks what only V2 has")
    func counterparts() {
        for step in Step.allCases {
            guard let own = step.counterpart(in: .adobePassV2) else { continue }
            #expect(own.counterpart(in: .adobePassV2) == own)
        }
        #expect(Step.createSession.counterpart(in: .adobePassV1) == nil)
        #expect(Step.authenticate.counterpart(in: .adobePassV1) == .authenticate)
    }
}
