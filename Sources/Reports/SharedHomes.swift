internal import Journal
internal import Rigs

/// Folds households: which of them were signed in on arrival because another one of their home had signed in
/// (`single-sign-on.shared-with`). Households 2n and 2n + 1 are a home, and the second begins when the first is done.
struct SharedHomes {
    /// Names of the kinds whose homes share a sign-in.
    private let kinds: Set<String>
    /// First households that signed in during this run.
    private var first: Set<Int> = []
    /// Second ones that found themselves signed in.
    private var second: [Int] = []

    init(_ rig: Rig?) {
        kinds = Set((rig?.kinds ?? []).filter(\.hasSharedHomes).map(\.name))
    }

    mutating func add(_ household: HouseholdRecord) {
        guard !kinds.isEmpty, kinds.contains(household.kind) else { return }
        if household.household % 2 == 0 {
            if household.tokenSeen != nil { first.insert(household.household) }
        } else if household.fate == .preSignedIn {
            second.append(household.household)
        }
    }

    var signedIn: Int { second.count { first.contains($0 - 1) } }
}
