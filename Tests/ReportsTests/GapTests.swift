import Dialects
import Foundation
import Reports
import TestSupport
import Testing

@testable import Journal

@Suite("What a record lacks")
struct GapTests {
    @Test("a disk slower than the load: how many exchanges were counted only, and what writes less")
    func slowDisk() throws {
        let folder = TestFolder()
        let writer = try HistoryWriter(
            path: folder.path("history.sqlite"),
            header: Shape(households: 1).header(.init(1)), recording: .all, waits: false,
            pageLimit: nil, backlog: 0, onFailure: { _ in })
        let exchange = Exchange(
            lane: 0, sequence: 1, device: DeviceID(household: 1, role: .firstScreen),
            operation: .pollToken, planned: .start, sent: .start, ended: Instant(.milliseconds(5)),
            delivery: .answered(status: 200), outcome: .ok)
        writer.append(
            Batch(
                lane: 0, exchanges: Array(repeating: exchange, count: 1_234),
                through: Instant(.seconds(1))))
        _ = writer.finish(
            HistoryEnd(
                ended: Instant(.seconds(1)), interrupted: false, failure: "", cpuPercent: 0,
                historyHash: ""))
        let summary = try Summary(try History(path: folder.path), thresholds: [])
        #expect(
            summary.notes.contains(
                "1,234 of 1,234 exchanges were counted only: the disk was slower than the load; "
                    + "counts and times here are of all ('record: sample(10%)' or 'aggregates' "
                    + "writes less)"), "\(summary.notes)")
        #expect(summary.exchanges.completed == 1_234)
    }
}
