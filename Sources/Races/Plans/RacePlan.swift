public import Dialects
public import Rigs

/// What is raced against what, and how: one or more schedules in which one op is moved in time.
public struct RacePlan: Sendable, Hashable {
    public var name: String
    /// What it is about, in one line.
    public var line: String
    public var variants: [Variant]

    /// One way to play a plan.
    public struct Variant: Sendable, Hashable {
        /// What tells it from the others: `the same TV twice`; empty where there is one only.
        public var name: String = ""
        public var schedule: Schedule
        /// The op whose offset is swept.
        public var swept: String

        /// The schedule with the swept op at `offset`.
        public func at(_ offset: Duration) -> Schedule {
            var schedule = schedule
            schedule[op: swept]?.offset = offset
            return schedule
        }

        /// `poll-poll, two living rooms`.
        public var title: String {
            name.isEmpty ? schedule.plan : "\(schedule.plan), \(name)"
        }
    }

    /// The plans that a rig asks for, in the steps of its protocol and with its anchor, gate and
    /// connections put into them; of all, those that the protocol has the steps for. `patience`:
    /// how long the last read comes after the one before, where the service may be slow to show what
    /// it knows. `hasOtherClient`: there is a second app to show what was issued to the first.
    public static func plans(
        _ terms: RaceTerms, patience: Duration? = nil, in protocolName: ProtocolName = .usual,
        hasOtherClient: Bool = false
    ) -> [RacePlan] {
        wanted(by: terms, in: protocolName).compactMap { try? $0.spoken(in: protocolName).get() }
            .map { plan in
                var plan = plan
                if !hasOtherClient { plan.leaveOutOtherClients() }
                for position in plan.variants.indices {
                    plan.variants[position].fit(to: terms, patience: Self.patience(terms, patience))
                }
                return plan
            }
    }

    /// Why a plan that the rig asks for by its name cannot be raced in a protocol; nil: each can.
    public static func refusal(_ terms: RaceTerms, in protocolName: ProtocolName) -> String? {
        for plan in wanted(by: terms, in: protocolName) {
            let isNamed = terms.plans.contains { choice in
                switch choice {
                case .named(let name): name == plan.name
                case .own(let own): own.name == plan.name
                }
            }
            guard isNamed, case .failure(let lack) = plan.spoken(in: protocolName) else { continue }
            return "race plan \(plan.name) cannot be played: \(lack.reason)"
        }
        // Of all plans at least one has to be left.
        var reason: String?
        for plan in wanted(by: terms, in: protocolName) {
            guard case .failure(let lack) = plan.spoken(in: protocolName) else { return nil }
            reason = reason ?? lack.reason
        }
        return reason.map { "no race plan can be played: \($0)" }
    }

    /// Those that the rig asks for, as the catalogue has them.
    private static func wanted(
        by terms: RaceTerms, in protocolName: ProtocolName
    ) -> [RacePlan] {
        let isGrant = protocolName == .oauthDeviceGrant
        let own = isGrant ? grantCatalogue : catalogue
        // Those of other protocols are there to be refused with the reason.
        let known = own + (isGrant ? catalogue : grantCatalogue)
        var plans: [RacePlan] = []
        for choice in terms.plans {
            switch choice {
            case .named("all"): plans += isGrant ? grantCatalogue : all(terms)
            case .named(let name): plans += known.first { $0.name == name }.map { [$0] } ?? []
            case .own(let own): plans.append(RacePlan(own))
            }
        }
        var seen: Set<String> = []
        return plans.filter { seen.insert($0.name).inserted }
    }

    /// Without a second app.
    private mutating func leaveOutOtherClients() {
        let left = variants.filter { !$0.schedule.needsOtherClient }
        guard left.count < variants.count else { return }
        variants = left
        // It is told from no other any more.
        if left.count == 1 { variants[0].name = "" }
    }

    /// It as a protocol has it.
    public func spoken(in protocolName: ProtocolName) -> Result<RacePlan, ProtocolLack> {
        var plan = self
        if protocolName == .adobePassV2, variants.count > 1 {
            plan.variants.removeAll { $0.schedule.startsLoginTwice }
        }
        for position in plan.variants.indices {
            switch plan.variants[position].schedule.spoken(in: protocolName) {
            case .success(let schedule): plan.variants[position].schedule = schedule
            case .failure(let lack): return .failure(lack)
            }
        }
        return .success(plan)
    }

    /// Every plan; of a pair of mutators that offsets play in both orders, one of the two.
    private static func all(_ terms: RaceTerms) -> [RacePlan] {
        let bothWays = terms.offsets.lowerBound < .zero && terms.offsets.upperBound > .zero
        let reverse = Set(MutatorPair.all.filter { bothWays && $0.isReverse }.map(\.name))
        return catalogue.filter { !reverse.contains($0.name) }
    }

    /// By default half of the longest offset: nothing is then read within a window that the race has
    /// opened.
    public static func patience(_ terms: RaceTerms, _ given: Duration?) -> Duration {
        max(given ?? .zero, terms.reach / 2, .milliseconds(60))
    }
}

extension RacePlan.Variant {
    /// The longest offset decides how long nothing is read after the race, and how long codes live
    /// that are to run out in it.
    mutating func fit(to terms: RaceTerms, patience: Duration) {
        schedule.settle.quiet = terms.reach + .milliseconds(50)
        schedule.settle.every = patience
        if schedule.codeLifetime != nil {
            let seconds = (terms.reach + .milliseconds(1500)).components.seconds + 1
            schedule.codeLifetime = .seconds(seconds)
        }
        for position in schedule.ops.indices where schedule.ops[position].gate != .none {
            switch terms.gate {
            case .auto, .lastByte: break
            case .group: schedule.ops[position].gate = .group
            case .none: schedule.ops[position].gate = .none
            }
            if terms.isFresh { schedule.ops[position].connection = .fresh }
            if terms.dropsCookies { schedule.ops[position].cookies = .drop }
        }
        if terms.anchor == .firstReply, terms.offsets.lowerBound >= .zero,
            schedule[op: swept]?.anchor?.event == .lastByteSent
        {
            schedule[op: swept]?.anchor?.event = .firstReplyByte
        }
    }
}

extension Schedule {
    var needsOtherClient: Bool { ops.contains { $0.step.isOfOtherClient } }
}

extension RaceTerms {
    /// The longest offset, early or late.
    var reach: Duration { offsets.reach }
}
