@testable import Statistics

/// Made-up nights: a level with noise, with a step and odd nights if asked for.
struct Nights {
    var count = 60
    var level = 400.0
    /// Of the level.
    var noise = 0.04
    /// The first night of the new level; nil: there is none.
    var step: Int?
    /// 0.1: 10 % more.
    var size = 0.1
    /// Share of nights that are 30 % slower than they should be.
    var odd = 0.0

    func values(_ seed: Seed) -> [Double] {
        var dice = seed.child("nights").generator()
        return (0..<count).map { night in
            let share = min(max(dice.unit(), 1e-12), 1 - 1e-12)
            let deviate = Elementary.normalQuantile(share)
            let isOdd = odd > 0 && dice.chance(odd)
            let shift = step.map { night >= $0 } ?? false ? 1 + size : 1
            return level * shift * (1 + noise * deviate) * (isOdd ? 1.3 : 1)
        }
    }
}
