/// What is kept of single exchanges (rigs/reference.yaml, `record`). Cells, error groups, households and
/// the health of lanes are always kept in full.
public enum Recording: Sendable, Hashable {
    case all
    /// Households in which anything was not clean, and this share (0 to 1) of the others, chosen by
    /// a hash of household and seed: the same households in every run of that seed.
    case sample(Double)
    /// The first example of each group of errors only.
    case aggregates
    case none

    /// `all`, `sample(0.01)`: as the history's header says it.
    public var name: String {
        switch self {
        case .all: "all"
        case .sample(let share): "sample(\(share))"
        case .aggregates: "aggregates"
        case .none: "none"
        }
    }
}
