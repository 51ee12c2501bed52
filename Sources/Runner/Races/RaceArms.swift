internal import Races

/// The plans of two arms that a race has. They come before the search, which goes on until time or
/// trials are used up: theirs are as many as were fixed before.
struct RaceArms {
    let stage: RaceStage
    let arena: AllowedArena
    /// Whether somebody wants it to end, or the time is used up.
    let isOver: @Sendable () -> Bool
    let news: @Sendable (RaceNews) -> Void

    /// A difference of 30 percentage points is told four times in five, or more often.
    private static let perArm = 100

    func compare() async -> [ArmComparison] {
        var comparisons: [ArmComparison] = []
        let share = (stage.rig.race.trialLimit ?? .max) / (2 * max(1, stage.armPlans.count))
        for plan in stage.armPlans {
            news(.phase("\(plan.name): alternating trials of two arms"))
            let trials = ArmTrials(
                plan, perArm: min(Self.perArm, share), seed: stage.rig.seed, isOver: isOver)
            let comparison = await trials.run(in: arena) { comparison in
                news(.trials(comparison.played, discarded: comparison.discarded))
            }
            news(.compared(comparison))
            comparisons.append(comparison)
        }
        return comparisons
    }
}
