import Dialects
import Journal
import Reports
import Testing

@Suite("Runs end")
struct EndingTests {
    @Test(
        "stopped in its midst, a run ends at once and tells how far everybody was",
        arguments: [0.0, 0.001, 1.0, 7.3, 20.0])
    func stop(seconds: Double) throws {
        let at = Instant(.seconds(seconds))
        let run = try Rehearsal(RigFiles.read("twenty.yaml"), stop: (at: at, grace: .zero))
        #expect(run.end.ended == at)
        let records = try run.households()
        #expect(records.count == 20)
        for record in records {
            let isDone = record.fate == .signedIn || record.fate == .abandoned
            #expect(isDone && record.ended == at, "\(record)")
            #expect(record.fate == .signedIn || record.cause == "the run was stopped")
            #expect((record.tokenSeen != nil) == (record.fate == .signedIn))
        }
        let summary = try run.summary()
        #expect(summary.households.running == 0)
        #expect(summary.run.interrupted && summary.outcome == .aborted)
        #expect(try run.exchanges().allSatisfy { $0.ended <= at })
    }

    @Test("what is under way when a run is stopped is no error of the service")
    func underWay() throws {
        let run = try Rehearsal(
            RigFiles.read("twenty.yaml", ["standin.network.latency": "fixed 500ms"]),
            stop: (at: Instant(.milliseconds(700)), grace: .zero))
        let summary = try run.summary()
        let stopped = try run.exchanges().filter { $0.outcome == .cutOff }
        #expect(stopped.count == 20)
        #expect(summary.exchanges.errors == 0)
        #expect(summary.notes.contains { $0.hasPrefix("no answer before the run was stopped: ") })
    }

    @Test("within its grace what runs goes on, and nobody new arrives")
    func grace() throws {
        let rig = try RigFiles.read("smoke.yaml")
        let at = Instant(.milliseconds(600))
        let run = try Rehearsal(rig, stop: (at: at, grace: .seconds(5)))
        let records = try run.households()
        #expect(records.count == 3 && records.allSatisfy { $0.arrived <= at })
        #expect(records.allSatisfy { $0.fate == .signedIn })
        #expect(run.end.ended < at + .seconds(5))
        let cut = try Rehearsal(
            RigFiles.read("smoke.yaml", ["kinds.0.viewer.signs-in": "fixed 1m"]),
            stop: (at: at, grace: .seconds(5)))
        #expect(cut.end.ended == at + .seconds(5))
        #expect(try cut.households().allSatisfy { $0.fate == .abandoned })
    }

    @Test("a closed load replaces who leaves, keeps its number, and ends in time")
    func closed() throws {
        let rig = try RigFiles.read("closed.yaml")
        let run = try Rehearsal(rig)
        let records = try run.households()
        #expect(records.count > 10)
        #expect(records.map(\.household) == Array(records.indices))
        let close = Instant(.seconds(4))
        #expect(records.allSatisfy { $0.arrived < close && $0.fate == .signedIn })
        // At each arrival no more than ten live, the new one included.
        for record in records {
            let living = records.count { other in
                other.arrived <= record.arrived && (other.ended ?? .distantFuture) > record.arrived
            }
            #expect(living <= 10)
        }
        let longest = records.compactMap { record in record.ended.map { $0 - record.arrived } }
            .max()
        #expect(run.end.ended <= close + (longest ?? .zero))
    }

    @Test("a closed load without a time has each household once")
    func once() throws {
        let records = try Rehearsal.standard("twenty.yaml").households()
        #expect(records.count == 20 && records.allSatisfy { $0.arrived == .start })
    }

    @Test("when the last viewer is gone, TVs poll through the settle phase and once more")
    func settle() throws {
        let run = try Rehearsal(
            RigFiles.read(
                "twenty.yaml",
                [
                    "kinds.0.viewer.gives-up": "100%", "kinds.0.viewer.notices-code": "fixed 2s",
                    "load.settle": "30s",
                ]))
        // A viewer who leaves takes the TV along at its next poll.
        #expect(try run.households().allSatisfy { $0.fate == .abandoned })
        #expect(run.end.ended < Instant(.seconds(10)))
    }

    @Test(
        "a second sign-in has the whole settle phase, too, though all viewers were done before it")
    func settleAgain() throws {
        let run = try Rehearsal(
            RigFiles.read(
                "twenty.yaml",
                [
                    "after-sign-in": "[authorize, {watch: 20s}, {logout: 100%}, {again: 100%}]",
                    "faults": "[\"ack-before-apply:window=5s\"]", "load.settle": "15s",
                    "policies.visibility": "8s", "polling.every": "3s",
                    "kinds.0.viewer.notices-code": "uniform(100ms, 400ms)",
                    "kinds.0.viewer.signs-in": "uniform(100ms, 400ms)",
                ]))
        let records = try run.households()
        #expect(records.allSatisfy { $0.fate == .signedIn }, "\(records.map(\.cause))")
    }

    @Test(
        "a run over hours of virtual time is over in a moment, and its seconds are told as they were"
    )
    func hours() throws {
        let run = try Rehearsal(
            RigFiles.read("twenty.yaml", ["after-sign-in": "[authorize, {watch: 3h}]"]))
        #expect(try run.summary().run.seconds > 10_000)
    }
}
