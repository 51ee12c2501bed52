internal import Statistics

/// Which kind each household is of: by quota, so that among the first n households a kind with the
/// share p is there n times p often, rounded up or down. A rig with a kind of 10 % and 20 households
/// has 2 of them, whatever the seed; chance decides the order only.
///
/// The c-th household of a kind (from 0) has a window of places, `floor(c / p) + 1` to
/// `ceil((c + 1) / p)`: anywhere in it the kind's quota is kept. Each place goes to the kind whose
/// window ends first ("earliest deadline first", which fills all windows: Baruah, Cohen, Plaxton,
/// Varvel 1996, on one resource), and the seed decides between equals. Quotas come out even after
/// each `total` places, so a block of them is ordered by itself, and the k-th household needs no
/// more than its own block.
struct KindOrder: Sendable, Hashable {
    /// In lowest terms.
    private let weights: [Int]
    let total: Int
    private let seed: Seed

    init(_ kinds: [HouseholdKind], seed: Seed) {
        self.init(weights: kinds.map(\.weight), seed: seed)
    }

    init(weights: [Int], seed: Seed) {
        let divisor = weights.reduce(0) { Self.divisor($0, $1) }
        self.weights = weights.map { $0 / max(1, divisor) }
        total = self.weights.reduce(0, +)
        self.seed = seed
    }

    /// Whether a household's kind is found in less than a million steps.
    var isQuick: Bool { weights.count * total <= 1_000_000 }

    /// Position among the kinds of household `index`.
    subscript(index: Int) -> Int {
        guard weights.count > 1 else { return 0 }
        let (block, place) = index.quotientAndRemainder(dividingBy: total)
        var dice = seed.child("kind", block).generator()
        var counts = weights.map { _ in 0 }
        var chosen = 0
        for now in 1...(place + 1) {
            var earliest = Int.max
            var ties = 0
            for kind in weights.indices where counts[kind] < weights[kind] {
                let weight = weights[kind]
                let release = counts[kind] * total / weight + 1
                guard release <= now else { continue }
                let deadline = ((counts[kind] + 1) * total + weight - 1) / weight
                if deadline < earliest { (earliest, ties) = (deadline, 0) }
                guard deadline == earliest else { continue }
                // The n-th of several equals takes the place of the others once in n times.
                ties += 1
                if ties == 1 || dice.below(ties) == 0 { chosen = kind }
            }
            counts[chosen] += 1
        }
        return chosen
    }

    private static func divisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : divisor(b, a % b) }
}
