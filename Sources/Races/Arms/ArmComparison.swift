/// What two arms came to.
public struct ArmComparison: Sendable, Hashable {
    /// One arm: in how many trials everything ended well.
    public struct Arm: Sendable, Hashable {
        public var name: String
        /// Hits are trials in which the TV saw its sign-in in each of its last polls.
        public var rate: HitRate
        /// Trials that told nothing.
        public var discarded: Int

        public init(name: String, rate: HitRate = HitRate(), discarded: Int = 0) {
            self.name = name
            self.rate = rate
            self.discarded = discarded
        }
    }

    public var plan: ArmPlan
    /// In the order of the plan's.
    public var arms: [Arm]
    /// Ended before each arm had its trials: nothing is concluded.
    public var isPartial: Bool = false
    /// Why the first trial told nothing that did not.
    public var reason: String = ""

    /// Trials of both arms, whatever they told.
    public var played: Int { arms.reduce(0) { $0 + $1.rate.trials + $1.discarded } }
    public var discarded: Int { arms.reduce(0) { $0 + $1.discarded } }

    /// How unlikely so clear a difference would be if there were none: Fisher's exact test, two-sided.
    public var chance: Double {
        arms[0].rate.chance(against: arms[1].rate)
    }

    /// At more than this nobody is accused: a service that keeps the promise is, in one comparison of a
    /// thousand.
    public static let doubt = 0.001

    /// The one difference makes one. Never certain: only many trials together show it.
    public var isBroken: Bool { !isPartial && chance < Self.doubt }
}

extension RaceOutcome {
    /// Schedules a second, those of the arms among them; nil but in virtual time.
    var pace: Int? {
        guard isVirtual, elapsed > .zero else { return nil }
        let played = trials + comparisons.reduce(0) { $0 + $1.played }
        return Int(Double(played) / (elapsed / .seconds(1)))
    }
}
