public import Dialects
public import Rigs
public import Vocabulary

/// A promise that no single trial can show broken: the same is done in two ways that differ in one
/// thing, and that thing must make no difference.
public struct ArmPlan: Sendable, Hashable {
    /// One of the two ways.
    public struct Arm: Sendable, Hashable {
        /// What makes it different: `each read on a connection of its own, without cookies`.
        public var name: String
        public var schedule: Schedule

        public init(name: String, schedule: Schedule) {
            self.name = name
            self.schedule = schedule
        }
    }

    /// The name of the promise as well: `path-independence`.
    public var name: String
    /// What it is about, in one line.
    public var line: String
    public var invariant: Invariant
    /// As it usually goes, and with the one difference.
    public var arms: [Arm]
    /// The TV's last polls: a trial ends well when each of them shows the sign-in.
    public var reads: [String]

    /// The plans of two arms that a rig asks for, fitted to its offsets, gate and connections.
    /// `patience`: how long after the sign-in it is read, where the service may be slow to show what
    /// it knows.
    public static func plans(
        _ terms: RaceTerms, patience: Duration? = nil, in protocolName: ProtocolName = .usual
    ) -> [ArmPlan] {
        catalogue(reach: terms.reach, patience: RacePlan.patience(terms, patience)).filter { plan in
            terms.plans.contains { $0 == .named("all") || $0 == .named(plan.name) }
        }.compactMap { plan in
            var plan = plan
            for position in plan.arms.indices {
                guard
                    let spoken = try? plan.arms[position].schedule.spoken(in: protocolName).get()
                else { return nil }
                var variant = RacePlan.Variant(schedule: spoken, swept: "")
                variant.fit(to: terms, patience: .zero)
                plan.arms[position].schedule = variant.schedule
                // Its reads are ops of the schedule.
                plan.arms[position].schedule.settle = .init(quiet: .zero, reads: 0, every: .zero)
            }
            return plan
        }
    }
}
