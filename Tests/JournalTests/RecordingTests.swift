import Dialects
import Foundation
import Statistics
import TestSupport
import Testing
import Vocabulary

@testable import Journal

@Suite("What is kept of single exchanges")
struct RecordingTests {
    /// 400 households of 6 exchanges each, mingled; of some an exchange or the end is not clean.
    private struct Population {
        var batches: [Batch] = []
        var failing: Set<Int> = []
        var erring: Set<Int> = []
        static let size = 400

        init(_ seed: Seed) {
            var samples = Samples(seed)
            for step in 1...6 {
                var batch = Batch(lane: 0, through: Instant(.seconds(step)))
                for household in 0..<Self.size {
                    var exchange = samples.exchange(
                        household: household, sequence: step, around: step, clean: true)
                    exchange.provoked = false
                    if step == 4, samples.dice.chance(0.05) {
                        exchange.outcome = .serverError
                        erring.insert(household)
                    }
                    batch.exchanges.append(exchange)
                    var record = HouseholdRecord(
                        household: household, kind: "family", lane: 0, arrived: .start)
                    if step == 6 {
                        let fails = samples.dice.chance(0.05)
                        record.fate = fails ? [.failed, .abandoned][household % 2] : .signedIn
                        if fails { failing.insert(household) }
                        record.ended = exchange.ended
                    }
                    if step == 1 || step == 6 { batch.households.append(record) }
                }
                batches.append(batch)
            }
        }
    }

    private func record(
        _ population: Population, _ recording: Recording, seed: Seed = Seed(1),
        _ scratch: TestFolder
    ) throws -> History {
        var header = Samples.header()
        header.seed = seed.value
        let writer = try HistoryWriter(
            path: scratch.history, header: header, recording: recording)
        for batch in population.batches { writer.append(batch) }
        _ = writer.finish(Samples.end)
        return try History(path: scratch.path)
    }

    @Test("a sample has every household that was not clean, whole", arguments: Seed.samples(10))
    func sample(seed: Seed) throws {
        let scratch = TestFolder()
        let population = Population(seed)
        let history = try record(population, .sample(0.1), seed: seed, scratch)
        var lives: [Int: Int] = [:]
        try history.exchanges { lives[$0.device.household, default: 0] += 1 }
        #expect(lives.values.allSatisfy { $0 == 6 })
        let dirty = population.erring.union(population.failing)
        #expect(dirty.count > 10)
        #expect(dirty.isSubset(of: lives.keys))
        let clean = Population.size - dirty.count
        let sampled = lives.count - dirty.count
        #expect(Double(sampled) > 0.03 * Double(clean) && Double(sampled) < 0.2 * Double(clean))
        #expect(history.kept == KeptExchanges(recorded: lives.count * 6, total: 2_400))
        #expect(!history.kept.isComplete)
    }

    @Test("a sample is the same households for the same seed, others for another")
    func stable() {
        func chosen(_ seed: UInt64) -> [Int] {
            (0..<1_000).filter { Keeper.isChosen($0, share: 0.1, seed: seed) }
        }
        #expect(chosen(1) == chosen(1))
        #expect(chosen(1) != chosen(2))
        #expect((0..<100).allSatisfy { Keeper.isChosen($0, share: 1, seed: 3) })
        #expect(!(0..<100).contains { Keeper.isChosen($0, share: 0, seed: 3) })
    }

    @Test("a household that still lives at the end is not clean")
    func living() throws {
        let scratch = TestFolder()
        var samples = Samples(Seed(1))
        let writer = try HistoryWriter(
            path: scratch.history, header: Samples.header(), recording: .sample(0))
        let exchange = samples.exchange(household: 9, clean: true)
        writer.append(Batch(lane: 0, exchanges: [exchange], through: exchange.ended))
        _ = writer.finish(Samples.end)
        #expect(try History(path: scratch.path).allExchanges() == [exchange])
    }

    @Test("what waits for its household to end is bounded: beyond it, it is kept")
    func bounded() {
        var keeper = Keeper(.sample(0), seed: 1)
        var samples = Samples(Seed(1))
        var exchange = samples.exchange(clean: true)
        exchange.provoked = false
        var written = 0
        for number in 0..<Keeper.limit + 500 {
            exchange.device.household = number % 50
            written += keeper.take(exchange).count
        }
        #expect(written > 0)
        #expect(written + Keeper.limit >= Keeper.limit + 500)
    }

    @Test("of each kind of error the first hundred households are kept, failed ones always")
    func thinned() {
        var keeper = Keeper(.sample(0), seed: 1)
        var samples = Samples(Seed(1))
        func written(_ status: Int, _ household: Int, isFailed: Bool = false) -> Int {
            var exchange = samples.exchange(clean: true)
            exchange.device.household = household
            exchange.operation = .authorize
            (exchange.outcome, exchange.provoked) = (.rejected, false)
            exchange.delivery = .answered(status: status)
            var record = HouseholdRecord(
                household: household, kind: "k", lane: 0, arrived: .start)
            (record.fate, record.ended) = (isFailed ? .failed : .signedIn, .start)
            return keeper.take(exchange).count + keeper.take(record).count
        }
        #expect((0..<300).reduce(0) { $0 + written(403, $1) } == Keeper.keptForEachReason)
        #expect((300..<310).reduce(0) { $0 + written(500, $1) } == 10)
        #expect((310..<400).reduce(0) { $0 + written(403, $1, isFailed: true) } == 90)
    }

    @Test("a household that somebody asks for is kept whole from then on")
    func wanted() throws {
        let scratch = TestFolder()
        let population = Population(Seed(3))
        let writer = try HistoryWriter(
            path: scratch.history, header: Samples.header(), recording: .sample(0))
        let clean = (0..<Population.size).first {
            !population.erring.contains($0) && !population.failing.contains($0)
        }
        let household = try #require(clean)
        for (position, batch) in population.batches.enumerated() {
            if position == 3 { writer.keepWhole(household) }
            writer.append(batch)
        }
        _ = writer.finish(Samples.end)
        #expect(try History(path: scratch.path).exchanges(household: household).count == 6)
    }

    @Test("aggregates keep the first example of each group of errors, none keeps nothing")
    func aggregates() throws {
        let population = Population(Seed(3))
        var whole: [Recording: [Cell]] = [:]
        for recording in [.all, .aggregates, .none] as [Recording] {
            let scratch = TestFolder()
            let history = try record(population, recording, scratch)
            whole[recording] = try history.allCells()
            let groups = try history.errorGroups()
            #expect(groups.reduce(0) { $0 + $1.count } == population.erring.count)
            #expect(try history.allHouseholds().count == Population.size)
            switch recording {
            case .aggregates: #expect(try history.allExchanges().count == groups.count)
            case .none: #expect(try history.allExchanges().isEmpty)
            default: #expect(history.kept.isComplete)
            }
            #expect(history.kept.total == 2_400)
            #expect(history.recording == recording.name)
        }
        #expect(whole[.all] == whole[.aggregates])
        #expect(whole[.all] == whole[Recording.none])
    }

    @Test("no secret is ever in the file", arguments: [Recording.all, .aggregates])
    func secrets(recording: Recording) throws {
        let scratch = TestFolder()
        var samples = Samples(Seed(1))
        let secret = Secret("PLANTED-bearer-0xBEEF")
        var exchange = samples.exchange()
        exchange.observation.secret = secret
        exchange.fingerprint = Fingerprinter(key: 9).fingerprint(of: secret)
        exchange.outcome = .rejected
        exchange.provoked = false
        let writer = try HistoryWriter(
            path: scratch.history, header: Samples.header(), recording: recording)
        writer.append(Batch(lane: 0, exchanges: [exchange], through: exchange.ended))
        _ = writer.finish(Samples.end)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: scratch.history))
        #expect(bytes.range(of: Data(secret.reveal().utf8)) == nil)
        let fingerprint = try #require(exchange.fingerprint)
        #expect(bytes.range(of: Data(fingerprint.description.utf8)) != nil)
    }
}
