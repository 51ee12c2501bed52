import Dialects
import Foundation
import GRDB
import Statistics
import TestSupport
import Testing

@testable import Journal

@Suite("A history read back equals what was handed over")
struct RoundTripTests {
    @Test("every exchange and household, and the header", arguments: Seed.samples(20))
    func roundTrip(seed: Seed) throws {
        let scratch = TestFolder()
        var samples = Samples(seed)
        let batches = samples.batches(lanes: 2, seconds: 4)
        let writer = try HistoryWriter(
            path: scratch.history, header: Samples.header(lanes: 2), recording: .all)
        for batch in batches { writer.append(batch) }
        let end = writer.finish(Samples.end)

        let history = try History(path: scratch.path)
        #expect(history.header == Samples.header(lanes: 2))
        #expect(history.end == end)
        #expect(end.historyHash.count == 32)
        #expect(history.recording == "all")
        let written = batches.flatMap(\.exchanges)
        #expect(try history.allExchanges() == written)
        #expect(history.kept == KeptExchanges(recorded: written.count, total: written.count))
        var last: [Int: HouseholdRecord] = [:]
        for record in batches.flatMap(\.households) { last[record.household] = record }
        #expect(try history.allHouseholds() == last.keys.sorted().compactMap { last[$0] })
        #expect(Set(try history.health()) == Set(batches.compactMap(\.health)))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["history.sqlite"])
    }

    @Test("profiles, providers and subjects are read back, and do not stay for the next exchange")
    func profiles() throws {
        let scratch = TestFolder()
        var samples = Samples(Seed(6))
        var batch = Batch(lane: 0, through: Instant(.seconds(9)))
        for sequence in 1...4 {
            batch.exchanges.append(samples.exchange(sequence: sequence))
        }
        batch.exchanges[1].mvpd = "DemoCable"
        batch.exchanges[1].subject = "viewer 1"
        var other = Samples.profile
        (other.mvpd, other.kind, other.notBefore) = ("", nil, -5)
        var nameless = other
        nameless.user = nil
        batch.exchanges[1].observation.profiles = [Samples.profile, other, nameless]
        // The same content again: its columns stay bound.
        var again = batch.exchanges[1]
        again.sequence = 3
        batch.exchanges[2] = again
        let writer = try HistoryWriter(path: scratch.history, header: Samples.header())
        writer.append(batch)
        _ = writer.finish(Samples.end)
        #expect(try History(path: scratch.history).allExchanges() == batch.exchanges)
    }

    @Test("a history of version 2, which knew no profiles, is still read")
    func older() throws {
        let scratch = TestFolder()
        var samples = Samples(Seed(7))
        var batch = Batch(lane: 0, through: Instant(.seconds(9)))
        batch.exchanges.append(samples.exchange())
        let writer = try HistoryWriter(path: scratch.history, header: Samples.header())
        writer.append(batch)
        _ = writer.finish(Samples.end)
        let database = try DatabaseQueue(path: scratch.history)
        try database.write { database in
            for column in ["mvpd", "subject", "profiles"] {
                try database.execute(sql: "ALTER TABLE exchanges DROP COLUMN \(column)")
            }
            try database.execute(
                sql: "UPDATE meta SET value = 'screenrig/history/2' WHERE key = 'schema'")
        }
        try database.close()
        #expect(try History(path: scratch.history).allExchanges() == batch.exchanges)
    }

    @Test(
        "times of version 5, which knew none without lateness, are read as if the rig had been in time"
    )
    func olderTimes() throws {
        let scratch = TestFolder()
        var samples = Samples(Seed(11))
        var batch = Batch(lane: 0, through: Instant(.seconds(9)))
        for sequence in 1...50 {
            batch.exchanges.append(samples.exchange(household: 1, sequence: sequence))
        }
        batch.households.append(samples.household(1))
        let writer = try HistoryWriter(path: scratch.history, header: Samples.header())
        writer.append(batch)
        _ = writer.finish(Samples.end)
        func lateness() throws -> [SignInLateness] {
            var found: [SignInLateness] = []
            try History(path: scratch.history).households { found.append($0.rigLateness) }
            return found
        }
        #expect(try lateness() == [samples.household(1).rigLateness])
        func cells() throws -> [Cell] {
            var cells: [Cell] = []
            try History(path: scratch.history).cells { cells.append($0) }
            return cells
        }
        let all = try cells()
        #expect(all.contains { $0.punctual != $0.latency })
        let database = try DatabaseQueue(path: scratch.history)
        try database.write { database in
            try database.execute(
                sql: """
                    ALTER TABLE cells DROP COLUMN punctual;
                    ALTER TABLE households DROP COLUMN late_sign_in_ns;
                    ALTER TABLE households DROP COLUMN late_visibility_ns
                    """)
            try database.execute(
                sql: "UPDATE meta SET value = 'screenrig/history/5' WHERE key = 'schema'")
        }
        try database.close()
        let old = try cells()
        #expect(old.map(\.latency) == all.map(\.latency))
        #expect(old.allSatisfy { $0.punctual == $0.latency })
        #expect(try lateness() == [SignInLateness()])
    }

    @Test("one household's exchanges come in their order, alone or in all lives")
    func lives() throws {
        let scratch = TestFolder()
        var samples = Samples(Seed(5))
        let writer = try HistoryWriter(path: scratch.history, header: Samples.header())
        var batch = Batch(lane: 0, through: Instant(.seconds(9)))
        for (household, sequence) in [(3, 2), (1, 1), (3, 1), (1, 2), (2, 1), (3, 3)] {
            batch.exchanges.append(samples.exchange(household: household, sequence: sequence))
        }
        writer.append(batch)
        _ = writer.finish(Samples.end)
        let history = try History(path: scratch.history)
        #expect(try history.exchanges(household: 3).map(\.sequence) == [1, 2, 3])
        #expect(try history.exchanges(household: 4).isEmpty)
        let lives = try (1...3).map { try history.exchanges(household: $0).map(\.sequence) }
        #expect(lives == [[1, 2], [1], [1, 2, 3]])
    }

    @Test("a text with a NUL inside is kept whole, with the NUL as its picture")
    func nul() throws {
        let scratch = TestFolder()
        var samples = Samples(Seed(5))
        var exchange = samples.exchange()
        exchange.reason = "before\0after"
        let writer = try HistoryWriter(path: scratch.history, header: Samples.header())
        writer.append(Batch(lane: 0, exchanges: [exchange], through: exchange.ended))
        _ = writer.finish(Samples.end)
        #expect(
            try History(path: scratch.history).allExchanges()[0].reason == "before\u{2400}after")
    }
}
