/// Just-in-time linearization of one device's life, online: all explanations that have survived so
/// far. Feed calls and returns in time order, calls first on equal stamps (intervals are closed).
///
/// An explanation is a state with what it has already used up: mutators that have taken effect but
/// not returned, and reads that have been satisfied but not returned. A read is satisfied as soon
/// as it can be: it changes nothing, so waiting gains nothing. A mutator takes effect as late as it
/// can: only when a return needs it.
struct Frontier: ~Copyable {
    /// The place of an operation between its call and its return.
    typealias OperationPlace = UInt8

    enum Standing: UInt8, Sendable { case holds, violated, undecided }

    struct Configuration: Hashable, Sendable {
        var state = DeviceState()
        /// Places of mutators that took effect.
        var applied: UInt32 = 0
        /// Places of reads that were satisfied.
        var satisfied: UInt64 = 0
    }

    static let mutatorPlaces = 32
    static let readPlaces = 64
    /// Beyond these nothing is decided, and that is said.
    static let openLimit = 12
    static let limit = 50_000

    let model: DeviceModel
    private(set) var standing = Standing.holds
    private(set) var explanations: Few<1, Configuration>
    private var mutators: Few<4, ModelOperation>
    private var mutatorsOpen: UInt32 = 0
    /// Of those, the ones that may also not have happened.
    private var maybes: UInt32 = 0
    /// Of those, the ones whose answers were lost.
    private var unanswered: UInt32 = 0
    private var reads: Few<2, ModelOperation>
    private var readsOpen: UInt64 = 0

    /// Begins with a device that the service does not know.
    init(_ model: DeviceModel, in memory: inout HouseholdMemory?) {
        self.init(model, from: [DeviceState()], in: &memory)
    }

    /// Begins with the states that the device may be in.
    init(_ model: DeviceModel, from states: [DeviceState], in memory: inout HouseholdMemory?) {
        self.model = model
        explanations = Few(in: &memory)
        mutators = Few(in: &memory)
        reads = Few(in: &memory)
        for state in states { explanations.append(Configuration(state: state)) }
    }

    static let bytes =
        Few<1, Configuration>.bytes + Few<4, ModelOperation>.bytes + Few<2, ModelOperation>.bytes

    /// Nothing can be said from here on.
    mutating func giveUp() {
        guard standing == .holds else { return }
        standing = .undecided
        explanations.replace(with: [])
    }

    // MARK: Calls

    /// A read begins. Nil when nothing is judged any more.
    mutating func call(read act: ModelOperation) -> OperationPlace? {
        guard standing == .holds else { return nil }
        let place = (~readsOpen).trailingZeroBitCount
        guard place < Self.readPlaces else {
            giveUp()
            return nil
        }
        if place < reads.count { reads[place] = act } else { reads.append(act) }
        let bit: UInt64 = 1 << UInt64(place)
        readsOpen |= bit
        for position in explanations.indices
        where model.holds(explanations[position].state, act) {
            explanations[position].satisfied |= bit
        }
        return OperationPlace(place)
    }

    /// A mutator begins; `isOpen` when its answer was lost.
    mutating func call(mutator act: ModelOperation, isOpen: Bool = false) -> OperationPlace? {
        guard standing == .holds else { return nil }
        let place = (~mutatorsOpen).trailingZeroBitCount
        guard place < Self.mutatorPlaces,
            !isOpen || unanswered.nonzeroBitCount < Self.openLimit
        else {
            giveUp()
            return nil
        }
        if place < mutators.count { mutators[place] = act } else { mutators.append(act) }
        let bit: UInt32 = 1 << UInt32(place)
        mutatorsOpen |= bit
        if act.isMaybe { maybes |= bit }
        if isOpen { unanswered |= bit }
        return OperationPlace(place)
    }

    /// Whether so few mutators are open, these among them, that no order of them is too much to look at.
    func bears(_ more: Int) -> Bool {
        explanations.count <= 2 && mutatorsOpen.nonzeroBitCount + more <= Self.openLimit
    }

    // MARK: Returns

    /// A read returns: only explanations in which it was satisfied survive. False when that leaves
    /// none.
    mutating func finish(read place: OperationPlace) -> Bool {
        guard standing == .holds else { return true }
        let bit: UInt64 = 1 << UInt64(place)
        defer { readsOpen &= ~bit }
        if explanations.allSatisfy({ $0.satisfied & bit != 0 }) {
            for position in explanations.indices { explanations[position].satisfied &= ~bit }
            return true
        }
        var survivors = Survivors()
        for position in explanations.indices {
            let explanation = explanations[position]
            if explanation.satisfied & bit != 0 {
                survivors.keep(explanation)
            } else {
                explore(explanation, into: &survivors) { $0.satisfied & bit != 0 }
            }
        }
        readsOpen &= ~bit
        return settle(survivors) { $0.satisfied &= ~bit }
    }

    /// A mutator returns, or, where its answer was lost, cannot take effect any more.
    mutating func finish(mutator place: OperationPlace) -> Bool {
        guard standing == .holds else { return true }
        let bit: UInt32 = 1 << UInt32(place)
        let isMaybe = maybes & bit != 0
        defer {
            mutatorsOpen &= ~bit
            maybes &= ~bit
            unanswered &= ~bit
        }
        if mutatorsOpen == bit, explanations.count == 1, explanations[0].applied == 0,
            finishAlone(Int(place), isMaybe: isMaybe)
        {
            return true
        }
        var survivors = Survivors()
        for position in explanations.indices {
            let explanation = explanations[position]
            if explanation.applied & bit != 0 {
                survivors.keep(explanation)
                continue
            }
            if isMaybe { survivors.keep(explanation) }
            explore(explanation, into: &survivors) { $0.applied & bit != 0 }
        }
        return settle(survivors) { $0.applied &= ~bit }
    }

    /// As a rule: one explanation, and nothing else that could have come first. False where that leaves none.
    private mutating func finishAlone(_ place: Int, isMaybe: Bool) -> Bool {
        let before = explanations[0]
        guard var after = apply(place, to: before) else { return isMaybe }
        after.applied = 0
        if !isMaybe || covers(after, before) {
            explanations[0] = after
        } else if !covers(before, after) {
            explanations.append(after)
        }
        return true
    }

    private struct Survivors {
        var list: [Configuration] = []
        var isOver = false

        mutating func keep(_ explanation: Configuration) {
            list.append(explanation)
            if list.count > Frontier.limit { isOver = true }
        }
    }

    /// All that `explanation` becomes by letting pending mutators take effect, in any order, until
    /// `isEnough`; from there on waiting is better again.
    private func explore(
        _ explanation: Configuration, into survivors: inout Survivors,
        until isEnough: (Configuration) -> Bool
    ) {
        let pending = mutatorsOpen & ~explanation.applied
        if pending.nonzeroBitCount < 2 {
            // There is one order at most: no need to know what was seen.
            guard pending != 0, let next = apply(pending.trailingZeroBitCount, to: explanation)
            else { return }
            if isEnough(next) { survivors.keep(next) }
            return
        }
        var stack = [explanation]
        var visited: Set<Configuration> = []
        while let current = stack.popLast(), !survivors.isOver {
            var left = mutatorsOpen & ~current.applied
            while left != 0 {
                let place = left.trailingZeroBitCount
                left &= left - 1
                guard !isRepeated(place, in: current), let next = apply(place, to: current),
                    visited.insert(next).inserted
                else { continue }
                if visited.count > Self.limit { survivors.isOver = true }
                if isEnough(next) { survivors.keep(next) } else { stack.append(next) }
            }
        }
    }

    /// What becomes of `explanation` when that mutator takes effect; nil where it cannot.
    private func apply(_ place: Int, to explanation: Configuration) -> Configuration? {
        guard let state = model.step(explanation.state, mutators[place]) else { return nil }
        var next = explanation
        next.state = state
        next.applied |= 1 << UInt32(place)
        satisfy(&next)
        return next
    }

    /// Equal operations whose answers were lost are interchangeable: the one called first goes
    /// first.
    private func isRepeated(_ place: Int, in explanation: Configuration) -> Bool {
        let bit: UInt32 = 1 << UInt32(place)
        guard unanswered & bit != 0 else { return false }
        var earlier = unanswered & ~explanation.applied & (bit - 1)
        while earlier != 0 {
            if mutators[earlier.trailingZeroBitCount] == mutators[place] { return true }
            earlier &= earlier - 1
        }
        return false
    }

    private func satisfy(_ explanation: inout Configuration) {
        var left = readsOpen & ~explanation.satisfied
        while left != 0 {
            let place = left.trailingZeroBitCount
            left &= left - 1
            if model.holds(explanation.state, reads[place]) {
                explanation.satisfied |= 1 << UInt64(place)
            }
        }
    }

    /// Takes over what survived, each explanation with `change`, without those that another makes
    /// needless.
    private mutating func settle(
        _ survivors: Survivors, _ change: (inout Configuration) -> Void
    ) -> Bool {
        guard !survivors.isOver else {
            giveUp()
            return true
        }
        var kept: [Configuration] = []
        for survivor in survivors.list {
            var survivor = survivor
            change(&survivor)
            if kept.count > 256 {
                // Comparing each with each would cost more than it saves.
                kept.append(survivor)
                continue
            }
            if kept.contains(where: { covers($0, survivor) }) { continue }
            kept.removeAll { covers(survivor, $0) }
            kept.append(survivor)
        }
        if kept.count > 256 { kept = Set(kept).sorted(by: Self.precedes) }
        explanations.replace(with: kept)
        if kept.isEmpty { standing = .violated }
        return !kept.isEmpty
    }

    private static func precedes(_ left: Configuration, _ right: Configuration) -> Bool {
        (left.state.bits, left.applied, left.satisfied)
            < (right.state.bits, right.applied, right.satisfied)
    }

    /// Whether whatever `other` can still explain, `one` can too: same state, every read satisfied,
    /// and nothing used up but what may also never happen.
    private func covers(_ one: Configuration, _ other: Configuration) -> Bool {
        one.state == other.state && other.satisfied & ~one.satisfied == 0
            && one.applied & ~other.applied == 0
            && (other.applied & ~one.applied) & ~maybes == 0
    }

    // MARK: What is believed

    /// The states that the device may be in now, whatever of that which is under way has taken effect; nil where
    /// these are too many to look at, or nothing is judged any more.
    var states: Set<DeviceState>? {
        guard standing != .undecided else { return nil }
        var visited: Set<Configuration> = []
        var stack: [Configuration] = []
        for position in explanations.indices { stack.append(explanations[position]) }
        while let current = stack.popLast() {
            guard visited.insert(current).inserted else { continue }
            guard visited.count <= Self.stateLimit else { return nil }
            var left = mutatorsOpen & ~current.applied
            while left != 0 {
                let place = left.trailingZeroBitCount
                left &= left - 1
                if let next = apply(place, to: current) { stack.append(next) }
            }
        }
        return Set(visited.map(\.state))
    }

    private static let stateLimit = 10_000

    /// Which tokens the device may have now: bit 0 nobody, bit n + 1 tag n, the last bit the rest.
    var belief: UInt16 {
        var tokens: UInt16 = 0
        for position in explanations.indices {
            tokens |= 1 << UInt16(min(15, explanations[position].state.token))
        }
        return tokens
    }

    /// The same of a device with profiles: those of all providers.
    var profileBelief: UInt16 {
        var tokens: UInt16 = 0
        for position in explanations.indices {
            var own: UInt16 = 0
            for slot in 1...DeviceState.profiles {
                own |= 1 << UInt16(explanations[position].state.profile(slot).token)
            }
            tokens |= own == 1 ? 1 : own & ~1
        }
        return tokens
    }

    /// Begins again, with a device that the service does not know.
    mutating func restart() {
        guard standing == .holds, readsOpen == 0 else { return giveUp() }
        explanations.replace(with: [Configuration()])
    }

    /// Whether the code is dead in every explanation, so that its number may be given again.
    func isOver(code: UInt8) -> Bool {
        explanations.allSatisfy { $0.state.code(code) == .dead }
    }

    /// Gives the number of a dead code to another.
    mutating func forget(code: UInt8) {
        for position in explanations.indices {
            explanations[position].state.set(code, .unmade)
            if explanations[position].state.tokenCode == code + 1 {
                explanations[position].state.tokenCode = 0
            }
        }
    }

    /// The same of a device with profiles.
    mutating func forget(profileCode code: UInt8) {
        for position in explanations.indices {
            explanations[position].state.set(code, .unmade)
            for slot in 1...DeviceState.profiles {
                let profile = explanations[position].state.profile(slot)
                guard profile.code == code + 1 else { continue }
                explanations[position].state.set(slot, token: profile.token, code: 0)
            }
        }
    }
}
