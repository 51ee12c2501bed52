import Foundation
import GRDB
import TestSupport
import Testing

@testable import Journal

@Suite("The shard of a history")
struct ShardRecordTests {
    let scratch = TestFolder()

    static let shard = ShardRecord(
        number: 3, count: 8, attempt: 2, host: "node-2", startAtMicroseconds: 1_795_244_400_000_000,
        beganMicroseconds: 1_795_244_400_000_750,
        clock: ClockReading(
            isSynchronised: true, errorMicroseconds: 1_250,
            bootID: "6f0d6e0e-6a2d-4d3c-8e1f-1d2c3b4a5968"),
        households: 250, householdsOfPlan: 2_000, earlier: ["smoke-shard-3-of-8", "x\"y"],
        lost: [3, 11, 1_995], begins: Instant(.milliseconds(12_250)))

    private func write(_ shard: ShardRecord?) throws {
        var header = Samples.header()
        header.shard = shard
        let writer = try HistoryWriter(path: scratch.history, header: header)
        writer.append(Batch(lane: 0, through: Instant(.seconds(1))))
        _ = writer.finish(Samples.end)
    }

    @Test(
        "is read back as it was written",
        arguments: [
            shard, ShardRecord(number: 0, count: 1),
            ShardRecord(
                number: 0, count: 2, host: "a",
                clock: ClockReading(isSynchronised: false, errorMicroseconds: 16_000_000)),
        ])
    func roundTrip(shard: ShardRecord) throws {
        try write(shard)
        #expect(try History(path: scratch.history).header.shard == shard)
    }

    @Test("is none where the run was not split, and every fact of one begins with shard_")
    func none() throws {
        try write(nil)
        #expect(try History(path: scratch.history).header.shard == nil)
        #expect(Facts(Self.shard).values.keys.allSatisfy { $0.hasPrefix("shard_") })
    }

    @Test("of version 4 is none, and the history is still read")
    func older() throws {
        try write(nil)
        try change("UPDATE meta SET value = 'screenrig/history/4' WHERE key = 'schema'")
        let history = try History(path: scratch.history)
        #expect(history.header == Samples.header())
    }

    @Test(
        "that cannot be is refused: merged, its households would count for another part",
        arguments: [
            ("shard_number", "8"), ("shard_number", "-1"), ("shard_number", "1.5"),
            ("shard_number", "three"), ("shard_count", "0"), ("shard_attempt", "0"),
            ("shard_lost", "3,x"), ("shard_lost", "11,3"), ("shard_lost", "3,,4"),
            ("shard_clock_error_us", "-1"), ("shard_begins_ns", "later"),
            ("shard_start_at_us", "soon"), ("shard_count", "100000000000"),
            ("shard_count", "100001"), ("shard_count", "1e1"), ("shard_attempt", "-3"),
            ("shard_attempt", "1.5"), ("shard_attempt", "100000000000"),
            ("shard_households", "1e3"), ("shard_households_of_plan", "-8"),
            ("shard_households_of_plan", "100000000000"),
        ])
    func damaged(key: String, value: String) throws {
        try write(Self.shard)
        try change("UPDATE meta SET value = '\(value)' WHERE key = '\(key)'")
        #expect {
            try History(path: scratch.history)
        } throws: { error in
            if case JournalError.damaged = error { true } else { false }
        }
    }

    @Test("whose number is lost is refused")
    func nameless() throws {
        try write(Self.shard)
        try change("DELETE FROM meta WHERE key = 'shard_number'")
        #expect(throws: JournalError.self) { try History(path: scratch.history) }
    }

    @Test("began late by what its lanes began after the time that was asked for")
    func lateness() {
        #expect(Self.shard.startLatenessMicroseconds == 750)
        #expect(
            ShardRecord(number: 0, count: 2, beganMicroseconds: 5).startLatenessMicroseconds == nil)
    }

    @Test("learns when its lanes began once they do")
    func began() throws {
        var shard = Self.shard
        shard.beganMicroseconds = nil
        var header = Samples.header()
        header.shard = shard
        let writer = try HistoryWriter(path: scratch.history, header: header)
        writer.note(began: 1_795_244_400_000_750)
        writer.append(Batch(lane: 0, through: Instant(.seconds(1))))
        _ = writer.finish(Samples.end)
        #expect(try History(path: scratch.history).header.shard == Self.shard)
    }

    private func change(_ sql: String) throws {
        let database = try DatabaseQueue(path: scratch.history)
        try database.write { try $0.execute(sql: sql) }
        try database.close()
    }
}
