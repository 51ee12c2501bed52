import Statistics
import Testing

@testable import Rigs

@Suite("Kinds by quota")
struct KindOrderTests {
    private func order(_ weights: [Int], seed: UInt64) throws -> KindOrder {
        let kinds = weights.enumerated().map { "{name: k\($0), weight: \($1)}" }
        let rig = try Rig.sample("kinds: [\(kinds.joined(separator: ", "))]")
        return KindOrder(rig.kinds, seed: Seed(seed))
    }

    static let weights = [
        [1, 1], [9, 1], [60, 20, 10, 10], [1, 1, 1, 1, 1, 1], [97, 3], [50, 30, 20], [7, 5, 3, 2],
        [100, 1], [33, 67, 10, 1],
    ]

    @Test("among the first n households each kind has its share, rounded", arguments: weights)
    func quotas(weights: [Int]) throws {
        let total = weights.reduce(0, +)
        for seed in UInt64(1)...4 {
            let order = try order(weights, seed: seed)
            var counts = weights.map { _ in 0 }
            for index in 0..<(2 * total + 7) {
                counts[order[index]] += 1
                for (kind, weight) in weights.enumerated() {
                    let exact = (index + 1) * weight
                    #expect(
                        counts[kind] >= exact / total && counts[kind] <= (exact + total - 1) / total
                    )
                }
            }
        }
    }

    @Test("a kind of 10 % and 20 households: 2 of them, whatever the seed")
    func tenPercent() throws {
        for seed in UInt64(1)...200 {
            let order = try order([90, 10], seed: seed)
            #expect((0..<20).count { order[$0] == 1 } == 2)
        }
    }

    @Test("the seed decides the order: no kind is always on the same lane")
    func mixed() throws {
        let order = try order([1, 1], seed: 3)
        let even = (0..<400).count { $0.isMultiple(of: 2) && order[$0] == 0 }
        #expect((70...130).contains(even))
        let other = try self.order([1, 1], seed: 4)
        #expect((0..<40).map { order[$0] } != (0..<40).map { other[$0] })
    }
}
