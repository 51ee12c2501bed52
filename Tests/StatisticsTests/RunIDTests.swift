import Statistics
import Testing

@Suite("A run's id")
struct RunIDTests {
    @Test("two runs have two, whenever they begin")
    func random() {
        #expect(Set((0..<1_000).map { _ in RunID.random() }).count == 1_000)
    }

    @Test("in virtual time it is the seed's")
    func ofSeed() {
        #expect(RunID(of: Seed(7)) == RunID(of: Seed(7)))
        let all = Seed.samples(200).map(RunID.init(of:))
        #expect(Set(all.map(\.high) + all.map(\.low)).count == 400)
    }

    @Test("it reads its own text, 32 digits, and no other")
    func text() {
        for seed in Seed.samples(100) {
            let id = RunID(of: seed)
            #expect(id.description.count == 32)
            #expect(RunID(id.description) == id)
        }
        let zeros = String(repeating: "0", count: 31)
        #expect(RunID(zeros + "1")?.low == 1)
        for text in ["", "ci", zeros, zeros + "g", "+" + zeros, zeros + "12", "-" + zeros] {
            #expect(RunID(text) == nil, "\(text)")
        }
    }
}

@Suite("The id of a run that has a name")
struct NamedRunTests {
    @Test("is the same wherever the name is, and another for another name")
    func named() {
        #expect(RunID(named: "premiere") == RunID(named: "premiere"))
        let names = (0..<500).flatMap { ["run-\($0)", "\($0)", "\($0)-run"] } + ["", "a", "aa"]
        #expect(Set(names.map(RunID.init(named:))).count == names.count)
        #expect(Set(names.map { RunID(named: $0).low }).count == names.count)
    }

    @Test("is the name, where that is an id")
    func id() {
        let id = RunID(of: Seed(7))
        #expect(RunID(named: id.description) == id)
    }
}
