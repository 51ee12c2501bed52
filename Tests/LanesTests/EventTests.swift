import Dialects
import Journal
import Testing

@testable import Lanes

/// What a lane counts.
struct EventTests {
    private static func lane() -> Lane {
        let dialect = V1(
            origin: Origin(scheme: .http, host: "127.0.0.1"), requestor: "DEMOTV",
            domain: "demo.test", redirectURL: "http://demo.test/")
        let correspondence = Correspondence(
            dialect: dialect, run: "test", fingerprinter: Fingerprinter(key: 1))
        return Lane(index: 0, loop: VirtualLoop(), correspondence: correspondence, sink: Nowhere())
    }

    @Test("an action that came due and the steps of a flow are events, the same in every run")
    func events() {
        func events(actions: Int, sleeps: Int) -> Int {
            let lane = Self.lane()
            for second in 0..<actions { lane.at(.start + .seconds(second)) {} }
            lane.start {
                for _ in 0..<sleeps { try? await lane.sleep(for: .seconds(1)) }
            }
            lane.run { true }
            return lane.events
        }
        let base = events(actions: 0, sleeps: 1)
        #expect(base > 0)
        #expect(events(actions: 5, sleeps: 1) >= base)
        #expect(events(actions: 0, sleeps: 11) == base + 10)
        #expect(events(actions: 0, sleeps: 1) == base)
    }
}

private struct Nowhere: HistorySink {
    func append(_ batch: Batch) {}
}
