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
            batch.heldBack.accountWaits = 1 + lane
            batch.heldBack.longestAccountWait = .seconds(5 - lane)
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
                    heldBack: 7, longestHold: .milliseconds(200), accountWaits: 3,
                    longestAccountWait: .seconds(5),
                    refusals: ["list a.example", "list idp.example"]))
        #expect(history.end?.breaker == "75% of exchanges were errors")
        #expect(writer.progress.heldBack == 7 && writer.progress.heldNow == 4)
    }

    @Test(
        "a provoked rejection is no error; an error of the server and no response are",
        arguments: Outcome.allCases)
    func provoked(outcome: Outcome) {
        var exchange = refused("x", .stopped, 1, 0)
        (exchange.outcome, exchange.provoked) = (outcome, true)
        #expect(exchange.isError == (outcome.isError && outcome != .rejected))
        exchange.provoked = false
        #expect(exchange.isError == outcome.isError)
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
