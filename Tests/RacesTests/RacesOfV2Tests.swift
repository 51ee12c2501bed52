import Rigs
import Testing

@testable import Races

/// The timing faults under REST V2, by the plans in its own steps (docs/races.md).
@Suite("Races over REST V2")
struct RacesOfV2Tests {
    @Test(
        "each fault is found where it was planted",
        arguments: [
            ("poll-poll", "device-blind-cache:ttl=30ms", ["token-isolation"], 0.0...30.0),
            (
                "poll-authenticate", "poll-double-mint:window=30ms",
                ["profile-not-prolonged", "one-token"], 0...30
            ),
            ("logout-media", "stale-decision:window=30ms", ["logout-final"], 0...30),
            (
                "logout-authenticate", "logout-all-providers",
                ["provider-independence", "token-monotonic"], -200...0
            ),
        ] as [(String, String, [String], ClosedRange<Double>)])
    func found(plan: String, fault: String, names: [String], window: ClosedRange<Double>)
        async throws
    {
        let stage = try await TestStage(
            plans: [plan], faults: [fault],
            target: "base: embedded, protocol: adobe-pass-v2, resources: [live]",
            more: "standin: {network: {latency: 200us}}")
        let outcome = await stage.search(trials: 600).run(in: stage.arena)
        let finding = try #require(
            outcome.findings.first { names.contains($0.invariant.name) }, "\(outcome.findings)")
        let found = try #require(finding.window, "\(finding)")
        let isOpen = found.isLowOpen && window.lowerBound == -200
        #expect(isOpen || abs(found.low / .milliseconds(1) - window.lowerBound) < 3, "\(found)")
        #expect(abs(found.high / .milliseconds(1) - window.upperBound) < 3, "\(found)")
    }

    @Test("a service without faults breaks no promise in any plan")
    func clean() async throws {
        let stage = try await TestStage(
            plans: ["all"], target: "base: embedded, protocol: adobe-pass-v2, resources: [live]")
        let outcome = await stage.search(trials: 1500).run(in: stage.arena)
        #expect(outcome.findings.isEmpty, "\(outcome.findings)")
        #expect(outcome.discards == 0, "\(outcome.discarded)")
    }

    @Test("a TV that polls by a code has one, also where it has nothing else to do")
    func codes() throws {
        var terms = RaceTerms.blank
        terms.plans = [.named("poll-poll")]
        let plans = RacePlan.plans(terms, in: .adobePassV2)
        let apart = try #require(plans.first?.variants.last?.schedule)
        let made = apart.ops.filter { $0.step == .createSession }
        #expect(Set(made.compactMap { apart[actor: $0.actor]?.household }) == [0, 1])
    }
}
