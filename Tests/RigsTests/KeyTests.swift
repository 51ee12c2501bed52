import Testing

@testable import Rigs

@Suite("The keys of a rig")
struct KeyTests {
    @Test("what a key shows as its default is what holds without it")
    func defaults() {
        Self.expectDefaults(of: Rig.keys, on: Rig.blank)
        Self.expectDefaults(of: Target.keys, on: Target.blank)
        Self.expectDefaults(of: Target.TLS.keys, on: Target.TLS.blank)
        Self.expectDefaults(of: TargetLimits.BreakerLimits.keys, on: .blank)
        Self.expectDefaults(of: PinnedHost.keys, on: PinnedHost.blank)
        Self.expectDefaults(of: HouseholdKind.keys, on: HouseholdKind.blank)
        Self.expectDefaults(of: HouseholdKind.Viewer.keys, on: HouseholdKind.Viewer.blank)
        Self.expectDefaults(of: PlatformSignOn.keys, on: PlatformSignOn.blank)
        Self.expectDefaults(of: Rig.Polling.keys, on: Rig.Polling.blank)
        Self.expectDefaults(of: Rig.CodeTerms.keys, on: Rig.CodeTerms.blank)
        Self.expectDefaults(of: Rig.Validity.keys, on: Rig.Validity.blank)
        Self.expectDefaults(of: AccountList.keys, on: AccountList.blank)
        Self.expectDefaults(of: RaceTerms.keys, on: RaceTerms.blank)
        Self.expectDefaults(of: Policies.keys, on: Policies.blank)
        Self.expectDefaults(of: Policies.Throttle.keys, on: Policies.Throttle.blank)
        Self.expectDefaults(of: Rig.StandinTerms.keys, on: Rig.StandinTerms.blank)
        Self.expectDefaults(of: Rig.StandinTerms.Provider.keys, on: .blank)
        Self.expectDefaults(of: Rig.Nightly.keys, on: Rig.Nightly.blank)
    }

    private static func expectDefaults<Owner: RigSection & Equatable>(
        of keys: [Key<Owner>], on blank: Owner
    ) {
        for key in keys {
            guard let fallback = key.row.fallback else { continue }
            var problems: [RigProblem] = []
            guard let tree = YAMLTree.read(fallback, file: "a", problems: &problems) else {
                Issue.record("\(key.row.name): \(problems)")
                continue
            }
            var reader = ValueReader(file: "a", RigSurroundings())
            var marks = Marks(tree.place)
            let set = key.read(tree, &reader, &marks)
            #expect(reader.problems.isEmpty && set != nil, "\(key.row.name)")
            var owner = blank
            set?(&owner, &reader)
            #expect(owner == blank, "\(key.row.name)")
        }
    }
}
