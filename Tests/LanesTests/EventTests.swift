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

    @Test("an event is an action that came due or a step of a flow, and no timer besides")
    func events() {
        let lane = Self.lane()
        lane.at(.start + .seconds(1)) {}
        lane.start { try? await lane.sleep(for: .seconds(2)) }
        lane.run { true }
        // The action; the flow up to its sleep, and after it.
        #expect(lane.events == 3)
        #expect(lane.now == .start + .seconds(2))
    }
}

private struct Nowhere: HistorySink {
    func append(_ batch: Batch) {}
}
