import Checker
import Foundation
import Journal
import Reports
import Rigs
import Runner
import Testing

@Suite("Shards, merged, are the run that one process makes of the plan")
struct ShardMergeTests {
    private struct Told: Equatable {
        var operations: [OperationRow]
        var households: Summary.Households
        var exchanges: Summary.Exchanges
        var verdicts: [Verdict]
        var violations: [String]
        var levels: [LevelVerdict]
        var outcome: RunOutcome
        var thresholds: [ThresholdResult]

        init(_ summary: Summary) {
            operations = summary.operations
            households = summary.households
            exchanges = summary.exchanges
            verdicts = summary.findings?.verdicts ?? []
            violations = (summary.findings?.violations ?? []).map(\.sentence)
            levels = summary.findings?.levels ?? []
            outcome = summary.outcome
            thresholds = summary.thresholds
        }
    }

    private static func cells(_ directory: RunDirectory) throws -> [Cell] {
        var all: [Cell] = []
        try History(path: directory.path).cells { all.append($0) }
        return all
    }

    private static func records(_ directory: RunDirectory) throws -> [HouseholdRecord] {
        var all: [HouseholdRecord] = []
        try History(path: directory.path).households { record in
            var record = record
            record.lane = 0
            all.append(record)
        }
        return all
    }

    private static func report(_ directory: RunDirectory, _ rig: Rig) throws -> Summary {
        try RunReports.write(directory, thresholds: rig.thresholds, complain: { print($0) })
    }

    @Test(
        "cells, tables, verdicts, violations and households are the same, whatever the number of shards",
        arguments: [1, 2, 3, 8], [7, 11] as [UInt64])
    func equal(count: Int, seed: UInt64) throws {
        let play = try ShardRehearsal(RigFiles.read("twenty.yaml", seed: seed, Self.keyed))
        let whole = try play.play(as: "whole", asShard: false)
        let one = try Self.report(whole, play.rig)
        let (directory, merged) = try play.merge([try play.shards(count)])
        #expect(try Self.cells(directory) == Self.cells(whole))
        #expect(try Self.records(directory) == Self.records(whole))
        #expect(Told(merged) == Told(one))
        #expect(merged.mergeGaps.isEmpty && merged.shards.count == count)
        #expect(merged.startSkew?.max == 0)
        // By the bucket, whatever shard a request was in.
        for (mine, others) in zip(merged.operations, one.operations) {
            #expect(mine.latency?.p99 == others.latency?.p99, "\(mine.name)")
        }
        // Judging the merged run again comes to the same.
        let again = try #require(try Findings(rejudging: History(path: directory.path)))
        #expect(again.verdicts == merged.findings?.verdicts)
    }

    /// Draws that do not hang on who comes first: a network of one latency, without loss.
    static let keyed: KeyValuePairs = ["standin.network.latency": "fixed 2ms"]
}
