public import Dialects

/// What the judge held possible of a household's device after one of its exchanges had ended.
public struct Belief: Sendable, Hashable {
    public enum View: Sendable, Hashable {
        /// One of these is the truth. Each is the sign-ins that the device then holds: none where it is signed
        /// out, several where a device may have a profile at each of several providers. A sign-in without a user
        /// is one that it came with, or, with a provider, one whose user the service has not named. That of fewest
        /// sign-ins comes first.
        case possible([[Tag]])
        /// No state explains all answers: a promise is broken.
        case contradicted
        /// So many requests were under way that nothing can be said.
        case undecided
    }

    /// Of the exchange, within its household.
    public var sequence: Int
    public var view: View

    public init(sequence: Int, view: View) {
        self.sequence = sequence
        self.view = view
    }
}

/// The beliefs about one household, as a judge comes to them.
final class BeliefLog {
    let household: Int
    var entries: [Belief] = []

    init(_ household: Int) { self.household = household }
}

extension HouseholdState {
    /// Notes what is possible now, after that operation, if this household is followed.
    @inline(__always)
    func noteBelief(_ operation: Observed) {
        guard let log = registry.beliefs, log.household == household else { return }
        log.entries.append(Belief(sequence: Int(operation.sequence), view: view))
    }

    private var view: Belief.View {
        guard let states = frontier.states else { return .undecided }
        guard !states.isEmpty else { return .contradicted }
        var held: Set<[Tag]> = []
        for state in states { held.insert(signIns(state)) }
        return .possible(held.sorted { Self.order($0) < Self.order($1) })
    }

    private func signIns(_ state: DeviceState) -> [Tag] {
        let tokens =
            profiles == nil
            ? [state.token] : (1...DeviceState.profiles).map { state.profile($0).token }
        return tokens.filter { $0 != 0 && Int($0) <= names.count }.map { names[Int($0) - 1] }
    }

    private static func order(_ signIns: [Tag]) -> (Int, String) {
        (signIns.count, signIns.map { "\($0.mvpd) \($0.user)" }.joined(separator: " "))
    }
}
