import Statistics
import Testing

@testable import Standin

@Suite("what the service draws for a household")
struct DrawKeyTests {
    private static func drawn(_ ids: inout IDs, _ key: DrawKey?) -> [String] {
        ids.begin(key)
        return [
            ids.record(), ids.code(), ids.code(.user), ids.secret(), ids.shortSecret(),
            ids.response(), ids.code(),
        ]
    }

    @Test(
        "hangs on seed, household and request, and on nothing that came before",
        arguments: Seed.samples(20))
    func pure(seed: Seed) {
        let keys = (0..<40).map { DrawKey(household: $0 % 8, request: 1 + $0 / 8) }
        var (forth, back) = (IDs(seed), IDs(seed))
        let first = keys.map { Self.drawn(&forth, $0) }
        let second = keys.reversed().map { Self.drawn(&back, $0) }
        #expect(first == second.reversed())
        #expect(Set(first.joined()).count == first.joined().count)
        var other = IDs(Seed(seed.value &+ 1))
        #expect(Self.drawn(&other, keys[0]) != first[0])
    }

    @Test("requests without a key go on as if nobody else had one", arguments: Seed.samples(10))
    func unkeyed(seed: Seed) {
        var (mixed, plain) = (IDs(seed), IDs(seed))
        for request in 1...5 {
            _ = Self.drawn(&mixed, DrawKey(household: 1, request: request))
            #expect(Self.drawn(&mixed, nil) == Self.drawn(&plain, nil))
        }
    }

    @Test("what a request puts off draws for itself")
    func deeds() {
        let key = DrawKey(household: 3, request: 9)
        let keys = [key, key.deed(0), key.deed(1), key.deed(0).deed(0)]
        var ids = IDs(Seed(1))
        let records = keys.map { key in
            ids.begin(key)
            return ids.record()
        }
        #expect(Set(records).count == keys.count)
    }

    @Test("a permutation has each number once", arguments: [2, 8, 14])
    func permutation(bits: Int) {
        for seed in Seed.samples(5) {
            let permutation = Permutation(bits: bits, seed: seed)
            let numbers = (0..<UInt64(1 << bits)).map { permutation($0) }
            #expect(Set(numbers).count == numbers.count)
            #expect(numbers.allSatisfy { $0 < 1 << UInt64(bits) })
            #expect(bits < 8 || numbers != numbers.sorted())
        }
    }

    @Test(
        "no two of 300,000 households have one code", arguments: [CodeSpelling.registration, .user])
    func unique(spelling: CodeSpelling) {
        var ids = IDs(Seed(23))
        var codes: Set<CodeKey?> = []
        for household in 0..<300_000 {
            ids.begin(DrawKey(household: household, request: 3))
            codes.insert(CodeKey(ids.code(spelling), spelling))
        }
        #expect(codes.count == 300_000 && !codes.contains(nil))
    }

    @Test("a code that lives is drawn again all the same")
    func again() {
        var ids = IDs(Seed(5))
        ids.begin(DrawKey(household: 1, request: 1))
        let codes = (0..<5).map { _ in ids.code() }
        #expect(Set(codes).count == 5)
    }

    @Test("a replica is drawn by the household, and the next request goes to the next")
    func replicas() {
        func node(_ household: Int, _ request: Int) -> Int? {
            var balancer = Balancer(nodes: 3, seed: Seed(7))
            balancer.receive(
                ServiceRequest(
                    id: RequestID(1), method: .get, target: "/", peer: "127.0.0.1",
                    drawKey: DrawKey(household: household, request: request)))
            return balancer.node
        }
        for household in 0..<20 {
            let nodes = (1...3).compactMap { node(household, $0) }
            #expect(Set(nodes) == [0, 1, 2])
        }
        #expect(Set((0..<20).map { node($0, 1) }).count == 3)
    }
}
