import Dialects
import TestSupport
import Testing

@testable import Journal

@Suite("What kept a run from its rig")
struct RestraintTests {
    @Test("is in the history: holds of all lanes, each refused host once, why the breaker stopped")
    func kept() throws {
        let scratch = TestFolder()
        let writer = try HistoryWriter(
            path: scratch.history, header: Samples.header(lanes: 2), recording: .aggregates)
        for lane in 0..<2 {
            var batch = Batch(lane: lane, through: Instant(.seconds(1)))
            batch.heldBack = HeldBack(
                count: 3 + lane, longest: .milliseconds(100 * (lane + 1)), waiting: 2)
            for household in 0..<4 {
                let host = household.isMultiple(of: 2) ? "idp.example" : "a.example"
                batch.exchanges.append(refused("list \(host)", .hostNotAllowed, household, lane))
                batch.exchanges.append(refused("the run was stopped", .stopped, household, lane))
            }
            writer.append(batch)
        }
        var end = Samples.end
        end.breaker = "75% of exchanges were errors"
        _ = writer.finish(end)
        let history = try History(path: scratch.path)
        #expect(
            history.restraint
                == Restraint(
                    heldBack: 7, longestHold: .milliseconds(200),
                    refusals: ["list a.example", "list idp.example"]))
        #expect(history.end?.breaker == "75% of exchanges were errors")
        #expect(writer.progress.heldBack == 7 && writer.progress.heldNow == 4)
    }

    private func refused(
        _ words: String, _ kind: TransportError.Kind, _ household: Int, _ lane: Int
    ) -> Exchange {
        Exchange(
            lane: lane, sequence: 1, device: DeviceID(household: household, role: .secondScreen),
            operation: .mvpdLogin, planned: .start, sent: .start, ended: .start,
            delivery: .refused(TransportError(kind, words)), outcome: .notSent)
    }
}
