import Dialects
import Statistics
import TestSupport
import Testing
import Vocabulary

@testable import Journal

/// The slow, obvious twin of `Tally`.
private func fold(_ exchanges: [(Exchange, kind: Int)]) -> [Cell.CellKey: Cell] {
    var cells: [Cell.CellKey: Cell] = [:]
    for (exchange, kind) in exchanges {
        let operation = exchange.operation
        let sentIn = Cell.CellKey(second: exchange.sent.second, operation: operation, kind: kind)
        let endedIn = Cell.CellKey(second: exchange.ended.second, operation: operation, kind: kind)
        if exchange.outcome != .notSent { cells[sentIn, default: Cell(key: sentIn)].sent += 1 }
        var cell = cells[endedIn] ?? Cell(key: endedIn)
        cell.outcomes[Int(exchange.outcome.rawValue)] += 1
        cell.errors += exchange.isError ? 1 : 0
        if exchange.outcome != .notSent { cell.lateness.record(exchange.begun - exchange.planned) }
        if case .answered(let status) = exchange.delivery {
            cell.completed += 1
            cell.statuses[status, default: 0] += 1
        }
        if exchange.delivery.status != nil || exchange.outcome == .timeout {
            cell.latency.record(exchange.ended - exchange.planned)
            cell.punctual.record(exchange.ended - exchange.begun)
            cell.service.record(exchange.ended - exchange.sent)
        }
        cells[endedIn] = cell
        var began = exchange.begun
        for (operation, took) in [(OperationName.connect, exchange.connect), (.tls, exchange.tls)] {
            guard let took else { break }
            let from = Cell.CellKey(second: began.second, operation: operation, kind: kind)
            let to = Cell.CellKey(second: (began + took).second, operation: operation, kind: kind)
            cells[from, default: Cell(key: from)].sent += 1
            var cell = cells[to] ?? Cell(key: to)
            cell.outcomes[Int(Outcome.ok.rawValue)] += 1
            cell.completed += 1
            cell.latency.record(took)
            cell.punctual.record(took)
            cell.service.record(took)
            cells[to] = cell
            began = began + took
        }
    }
    return cells
}

@Suite("Cells and error groups agree with the exchanges")
struct AgreementTests {
    @Test(
        "cells, over several lanes and seconds out of order, however often they are written",
        arguments: Seed.samples(5), [1, 7, 1_000_000])
    func cells(seed: Seed, settleEvery: Int) throws {
        let scratch = TestFolder()
        var samples = Samples(seed)
        let batches = samples.batches(lanes: 3, seconds: 40, perBatch: 6)
        let ledger = try Ledger(
            path: scratch.history, header: Samples.header(lanes: 3), recording: .all,
            pageLimit: nil)
        for (position, batch) in batches.enumerated() {
            ledger.take(batch)
            if position % settleEvery == settleEvery - 1 { ledger.settle() }
        }
        _ = ledger.finish(Samples.end)

        let history = try History(path: scratch.history)
        let kinds = history.header.kinds
        // A household that no record has told the kind of counts for the first kind.
        var known: Set<Int> = []
        var exchanges: [(Exchange, kind: Int)] = []
        for batch in batches {
            known.formUnion(batch.households.map(\.household))
            for exchange in batch.exchanges {
                let household = exchange.device.household
                let kind = kinds.firstIndex(of: Samples.kind(of: household))
                exchanges.append((exchange, kind: known.contains(household) ? kind ?? 0 : 0))
            }
        }
        let expected = fold(exchanges)
        let found = try history.allCells()
        #expect(
            found.map(\.key)
                == expected.keys.sorted {
                    ($0.second, $0.operation.name, $0.kind)
                        < ($1.second, $1.operation.name, $1.kind)
                })
        for cell in found { #expect(cell == expected[cell.key]) }
    }

    @Test("error groups: counts, extremes and the first example", arguments: Seed.samples(10))
    func groups(seed: Seed) throws {
        for recording in [.all, .aggregates, .none, .sample(0.5)] as [Recording] {
            let scratch = TestFolder()
            var samples = Samples(seed)
            let batches = samples.batches(lanes: 2, seconds: 5)
            let ledger = try Ledger(
                path: scratch.history, header: Samples.header(lanes: 2), recording: recording,
                pageLimit: nil)
            for batch in batches {
                ledger.take(batch)
                ledger.settle()
            }
            _ = ledger.finish(Samples.end)
            let groups = try History(path: scratch.history).errorGroups()
            let errors = batches.flatMap(\.exchanges).filter(\.isError)
            #expect(groups.reduce(0) { $0 + $1.count } == errors.count)
            #expect(groups.map(\.count) == groups.map(\.count).sorted(by: >))
            for group in groups {
                let alike = errors.filter {
                    $0.operation == group.operation && $0.outcome == group.outcome
                        && ($0.delivery.status ?? 0) == group.status
                        && ($0.reason ?? $0.delivery.error?.kind.rawValue ?? "") == group.reason
                }
                #expect(group.count == alike.count)
                #expect(group.first == alike.map(\.ended).min())
                #expect(group.last == alike.map(\.ended).max())
                #expect(group.example == (recording == .none ? nil : alike.first))
            }
        }
    }

    @Test("a service that puts an id into each message does not fill the memory")
    func manyReasons() {
        var tally = Tally()
        var samples = Samples(Seed(1))
        var exchange = samples.exchange(clean: true)
        exchange.outcome = .rejected
        exchange.provoked = false
        for number in 0..<5_000 {
            exchange.reason = "request \(number) refused"
            _ = tally.add(exchange, kind: 0)
        }
        #expect(tally.errors.count == Tally.groupLimit + 1)
        let other = tally.errors.values.first { $0.reason == Tally.otherReason }
        #expect(other?.count == 4_000)
    }

    @Test("cells are let go once every lane has passed them, or one has been silent for long")
    func memory() throws {
        var tally = Tally()
        var samples = Samples(Seed(1))
        for second in 0..<100 {
            _ = tally.add(samples.exchange(around: second, clean: true), kind: 0)
            tally.written(through: Instant(.seconds(second - 1)))
        }
        // Those of two exchanges, their connections, and a few that end late: of about 250.
        #expect(tally.cellCount < 30)
        #expect(tally.closedBefore == 98)
    }
}
