import Dialects
import Statistics
import TestSupport
import Testing
import Vocabulary

@testable import Journal

@Suite("Progress")
struct ProgressTests {
    @Test("counts households where they are, each once")
    func households() {
        var meter = ProgressMeter()
        var record = HouseholdRecord(household: 1, kind: "family", lane: 0, arrived: .start)
        meter.add(record)
        record.stage = .codeShown
        meter.add(record)
        var other = HouseholdRecord(household: 2, kind: "family", lane: 0, arrived: .start)
        meter.add(other)
        other.fate = .failed
        other.ended = Instant(.seconds(2))
        meter.add(other)
        var households = meter.turn(worst: []).households
        #expect(households.started == 2)
        #expect(households.failed == 1)
        #expect(households.running == 1)
        #expect(households.runningAt[Int(Stage.codeShown.rawValue)] == 1)

        record.stage = .signedIn
        record.fate = .signedIn
        meter.add(record)
        record.stage = .loggedOut
        record.ended = Instant(.seconds(3))
        meter.add(record)
        households = meter.turn(worst: []).households
        #expect(households.signedIn == 1)
        #expect(households.running == 0)
        #expect(households.started == 2)

        // What a phone met after its TV was done comes with another record of an ended household.
        record.throttled = ThrottledRequests(secondScreens: 3)
        meter.add(record)
        meter.add(other)
        #expect(meter.turn(worst: []).households == households)
    }

    @Test("a sink that keeps nothing counts what a history would")
    func sink() {
        var samples = Samples(Seed(3))
        let exchanges = (0..<200).map { _ in samples.exchange() }
        var meter = ProgressMeter()
        for exchange in exchanges { meter.add(exchange) }
        meter.pass(Instant(.seconds(9)))
        let sink = ProgressSink()
        for part in [exchanges.prefix(120), exchanges.dropFirst(120)] {
            sink.append(
                Batch(lane: 0, exchanges: Array(part), through: Instant(.seconds(9))))
        }
        var progress = sink.progress()
        #expect(progress.errors > 0 && progress.worstErrors.count == 3)
        progress.worstErrors = []
        #expect(progress == meter.turn(worst: []))
        #expect(sink.progress().perSecond == 0)
    }

    @Test("what waits for a response is under way, on each lane")
    func underWay() {
        var meter = ProgressMeter()
        for (lane, count) in [(0, Int32(3)), (1, 2), (0, 1)] {
            var batch = Batch(lane: lane, through: Instant(.seconds(1)))
            batch.underWay = [Int32](repeating: 0, count: OperationName.allCases.count)
            batch.underWay[Int(OperationName.pollToken.rawValue)] = count
            meter.addOpen(batch)
        }
        let progress = meter.turn(worst: [])
        #expect(progress.underWay == 3 && progress.sent == 0)
        #expect(progress.works.map(\.operation) == [.pollToken])
    }

    @Test("rate and percentiles are those of the last interval, counts those of the run")
    func interval() {
        var meter = ProgressMeter()
        var samples = Samples(Seed(1))
        var exchange = samples.exchange(clean: true)
        exchange.provoked = false
        func add(_ count: Int, taking: Duration) {
            for _ in 0..<count {
                exchange.planned = Instant(.seconds(1))
                exchange.begun = exchange.planned + .milliseconds(1)
                exchange.sent = exchange.planned + .milliseconds(2)
                exchange.ended = exchange.planned + taking
                meter.add(exchange)
            }
        }
        add(100, taking: .milliseconds(10))
        meter.pass(Instant(.seconds(2)))
        #expect(meter.turn(worst: []).perSecond == 50)
        add(30, taking: .milliseconds(40))
        meter.pass(Instant(.seconds(3)))
        let second = meter.turn(worst: [])
        #expect(second.perSecond == 30)
        #expect(second.completed == 130)
        #expect(second.latencyP50 == .milliseconds(40))
        #expect(second.latenessP99 == .milliseconds(1))
        meter.pass(Instant(.seconds(4)))
        let idle = meter.turn(worst: [])
        #expect(idle.perSecond == 0)
        #expect(idle.latencyP99 == nil)
        #expect(idle.completed == 130)
    }

    @Test("shows the most frequent error, and 429 apart from errors")
    func errors() throws {
        let scratch = TestFolder()
        var samples = Samples(Seed(1))
        let ledger = try Ledger(
            path: scratch.history, header: Samples.header(), recording: .none, pageLimit: nil)
        var batch = Batch(lane: 0, through: Instant(.seconds(5)))
        for (outcome, count) in [(Outcome.serverError, 3), (.timeout, 2), (.throttled, 9)] {
            for _ in 0..<count {
                var exchange = samples.exchange(clean: true)
                exchange.operation = .logout
                exchange.reason = nil
                exchange.provoked = false
                exchange.outcome = outcome
                batch.exchanges.append(exchange)
            }
        }
        ledger.take(batch)
        let progress = ledger.progress()
        #expect(progress.errors == 5)
        #expect(progress.throttled == 9)
        #expect(progress.worstError?.outcome == .serverError)
        #expect(progress.worstError?.count == 3)
        #expect(progress.elapsed == Instant(.seconds(5)))
        _ = ledger.finish(Samples.end)
    }
}
