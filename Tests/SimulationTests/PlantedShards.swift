import Checker
import Dialects
import Foundation
import GRDB
import Journal
import Reports
import Rigs
import Runner
import Statistics
import TestSupport
import Vocabulary

/// Histories of shards that nobody ran: each household gets one code and ends, so that what is wrong is what a test
/// has put there.
struct PlantedShards {
    let folder: TestFolder
    let rig: Rig
    var count = 2
    /// Households of the whole plan.
    var households = 8
    var target = "https://auth.example"
    /// The service's clock at the run's zero, in epoch milliseconds.
    private static let epoch: Int64 = 1_795_244_400_000
    static let started: Int64 = 1_795_244_400_000_000

    init() throws {
        folder = TestFolder()
        rig = try RigFiles.read("smoke.yaml")
    }

    /// One attempt of one shard.
    struct Attempt {
        var attempt = 1
        var host = "node-0"
        var clock: ClockReading? = ClockReading(isSynchronised: true, errorMicroseconds: 1_000)
        var startAt: Int64?
        /// Later than the run's zero, in microseconds.
        var late: Int64 = 0
        /// Nil: all of the shard's part.
        var only: [Int]?
        /// Households that never end, because the process was killed.
        var unended: Set<Int> = []
        var lost: [Int] = []
        var isCutShort = false
        /// Households that were under way without a sign-in when the run was stopped.
        var cutOff: Set<Int> = []
        var interrupted = false
        /// So late was each request, in milliseconds.
        var lateness = 0
        /// Codes other than the household's own.
        var codes: [Int: String] = [:]
        var change: (inout HistoryHeader) -> Void = { _ in }
        var recording = Recording.all
    }

    @discardableResult
    func write(_ number: Int, as name: String, _ attempt: Attempt = Attempt()) throws
        -> RunDirectory
    {
        let directory = try RunDirectory.create(
            rig: rig.name, startedMicroseconds: 0, out: folder.path(name))
        let started = Self.started + attempt.late
        let own = attempt.only ?? (0..<households).filter { $0 % count == number }
        let rules = Rules(rig, isEmbedded: false, startedMicroseconds: started)
        var header = HistoryHeader(
            run: directory.name, runID: RunID(of: Seed(1)), rigName: rig.name,
            rigSource: rig.source, seed: 7, startedMicroseconds: started, target: target,
            protocolName: "adobe-pass-v1", version: "0.1.0", isVirtual: false, lanes: 1,
            kinds: rig.kinds.map(\.name), plannedHouseholds: own.count, load: "8 households",
            thresholds: [], judging: rules.texts, validLatenessNanoseconds: 10_000_000,
            validBusy: 0.9, breachFails: true,
            shard: ShardRecord(
                number: number, count: count, attempt: attempt.attempt, host: attempt.host,
                startAtMicroseconds: attempt.startAt,
                beganMicroseconds: attempt.startAt.map { $0 + attempt.late },
                clock: attempt.clock,
                households: households / count, householdsOfPlan: households, lost: attempt.lost))
        attempt.change(&header)
        let writer = try HistoryWriter(
            path: directory.history, header: header, recording: attempt.recording)
        let judge = Judge(rules)
        var batch = Batch(lane: 0, through: Instant(.seconds(30)))
        for household in own {
            batch.exchanges.append(exchange(household, attempt))
            var record = HouseholdRecord(
                household: household, kind: rig.kinds[0].name, lane: 0,
                arrived: Instant(.milliseconds(100 * household)))
            if !attempt.unended.contains(household) {
                record.ended = Instant(.seconds(29))
                record.fate = .signedIn
            }
            if attempt.cutOff.contains(household) {
                (record.fate, record.abandonedBy) = (.abandoned, .run)
                record.cause = HouseholdRecord.stopped
            }
            batch.households.append(record)
        }
        writer.append(batch)
        judge.take(batch)
        _ = writer.finish(
            HistoryEnd(
                ended: Instant(.seconds(30)), interrupted: attempt.interrupted, failure: "",
                cpuPercent: 10, historyHash: "", verdictCounts: judge.finish().kept))
        if attempt.isCutShort {
            // As after kill -9: nothing tells how it ended.
            try edit(directory, "DELETE FROM meta WHERE key IN ('ended_ns', 'verdict_counts')")
        }
        return directory
    }

    func edit(_ directory: RunDirectory, _ statement: String) throws {
        let database = try DatabaseQueue(path: directory.history)
        try database.write { try $0.execute(sql: statement) }
        try database.close()
    }

    private func exchange(_ household: Int, _ attempt: Attempt) -> Exchange {
        let code = Code(attempt.codes[household] ?? "OWN\(household)")
        let planned = Instant(.milliseconds(100 * household))
        let sent = planned + .milliseconds(attempt.lateness)
        let ended = sent + .milliseconds(4)
        let generated = Self.epoch + (attempt.late / 1_000) + sent.nanoseconds / 1_000_000 + 2
        return Exchange(
            lane: 0, sequence: 1, device: DeviceID(household: household, role: .firstScreen),
            operation: .registrationCode, code: code, planned: planned, begun: sent, sent: sent,
            firstByte: ended, ended: ended, delivery: .answered(status: 201), outcome: .ok,
            observation: Observation(
                .success, code: code, generated: generated, expires: generated + 1_800_000,
                record: "record of \(household)"),
            route: Route(connection: 1, remote: "192.0.2.7:443"))
    }

    func merge(
        _ names: [String], as name: String = "merged", fetch: FetchCommand? = nil,
        clockBound: Duration? = nil
    ) throws -> Summary {
        try ShardMerge.run(
            names.map { $0.hasPrefix("/") || $0.contains("://") ? $0 : folder.path($0) },
            ShardMerge.MergeOptions(out: folder.path(name), fetch: fetch, clockBound: clockBound),
            complain: { print("merge: \($0)") }
        ).summary
    }
}
